/* Compiles a product of matrices for the shapes at hand, and calls it:
 *
 *   ricci serve --header > ricci.h
 *   gcc -I. -o matmul matmul.c client.c -ldl
 *   ./matmul ricci
 */
#include <stdio.h>
#include <stdlib.h>

#include "client.h"

/* matrix describes an array as DLPack does. */
static DLTensor matrix(float *data, int64_t *shape) {
  return (DLTensor){.data = data, .device = {1, 0}, .ndim = 2, .dtype = {2, 32, 1}, .shape = shape};
}

int main(int count, char **arguments) {
  ricci_client *client = ricci_start(count > 1 ? arguments[1] : "ricci");
  if (!client) {
    fprintf(stderr, "the service does not start\n");
    return 1;
  }
  char *error;
  ricci_function_call *mm = ricci_compile(client,
      "{\"program\": {\"text\": \"def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }\"},"
      " \"arguments\": {\"A\": {\"shape\": [2, 3]}, \"B\": {\"shape\": [3, 2]}}}", &error);
  if (!mm) {
    fprintf(stderr, "%s\n", error);
    free(error);
    ricci_stop(client);
    return 1;
  }
  float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 0, 1, 1, 1}, c[4];
  int64_t shapes[][2] = {{2, 3}, {3, 2}, {2, 2}};
  DLTensor A = matrix(a, shapes[0]), B = matrix(b, shapes[1]), C = matrix(c, shapes[2]);
  DLTensor *list[] = {&A, &B, &C};
  char message[1000];
  ricci_call call = {.bytes = sizeof call, .count = 3, .arguments = list, .message = message, .message_bytes = sizeof message};
  if (mm(&call) != RICCI_OK) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  printf("%g %g\n%g %g\n", c[0], c[1], c[2], c[3]);

  shapes[2][1] = 3; /* what is wrong is said, and nothing else happens */
  if (mm(&call) != RICCI_OK) printf("%s\n", message);
  if (!ricci_compile(client, "{\"program\": {\"text\": \"def f(float(N) x) -> (y) { y(i) = z(i) }\"}}", &error)) {
    printf("%s", error);
    free(error);
  }
  ricci_stop(client);
  return 0;
}
