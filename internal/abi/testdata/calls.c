/* Calls compiled functions as other programs do, rightly and wrongly. The arguments are the number of calls of the long tests, then
 * for each function its name and its libraries, separated by colons. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ricci.h"

static int failures;

#define CHECK(condition, ...)                                  \
  do {                                                         \
    if (!(condition)) {                                        \
      failures++;                                              \
      printf("%s:%d: %s: ", __func__, __LINE__, #condition);   \
      printf(__VA_ARGS__);                                     \
      printf("\n");                                            \
    }                                                          \
  } while (0)

typedef int tvm_function(void *handle, const void *arguments, int32_t count, void *result);
typedef void *xla_function(void *frame);

static struct {
  const char *name;
  ricci_function_call *call;
  ricci_function_shapes *shapes;
  ricci_function_describe *describe;
  tvm_function *tvm;
  xla_function *xla;
} functions[32];

static int function_count;

/* load opens the libraries of a function in their order. */
static void load(const char *name, char *libraries) {
  void *handle = 0;
  for (char *path = strtok(libraries, ":"); path; path = strtok(0, ":")) {
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      printf("%s\n", dlerror());
      exit(1);
    }
  }
  functions[function_count].name = name;
  *(void **)&functions[function_count].call = dlsym(handle, "ricci_call_kernel");
  *(void **)&functions[function_count].shapes = dlsym(handle, "ricci_shapes_kernel");
  *(void **)&functions[function_count].describe = dlsym(handle, "ricci_describe_kernel");
  *(void **)&functions[function_count].tvm = dlsym(handle, "__tvm_ffi_kernel");
  *(void **)&functions[function_count].xla = dlsym(handle, "ricci_xla_kernel");
  function_count++;
}

static int find(const char *name) {
  for (int i = 0; i < function_count; i++)
    if (strcmp(functions[i].name, name) == 0) return i;
  printf("there is no function %s\n", name);
  exit(1);
}

/* Tensors with room for their shapes. */
typedef struct {
  DLTensor t;
  int64_t shape[4], strides[4];
} tensor;

static DLTensor *vector(tensor *x, void *data, int64_t n, int64_t stride, DLDataType type) {
  x->shape[0] = n;
  x->strides[0] = stride;
  x->t = (DLTensor){.data = data, .device = {1, 0}, .ndim = 1, .dtype = type, .shape = x->shape, .strides = x->strides};
  return &x->t;
}

static const DLDataType float32 = {2, 32, 1}, int32 = {0, 32, 1};

static DLTensor *scalar(tensor *x, void *data, DLDataType type) {
  x->t = (DLTensor){.data = data, .device = {1, 0}, .dtype = type};
  return &x->t;
}

static char text[512];

static ricci_call call_of(DLTensor **arguments, int count) {
  return (ricci_call){.bytes = sizeof(ricci_call), .count = count, .arguments = arguments, .message = text, .message_bytes = sizeof text};
}

/* What is said of wrong arguments of y(i) = a * x(i), x(5). */
static void wrong_arguments(void) {
  ricci_function_call *scale = functions[find("scale")].call;
  float x[6] = {1, 2, 3, 4, 5, 6}, a = 2, y[6] = {0};
  tensor tx, ta, ty;
  DLTensor *list[] = {vector(&tx, x, 5, 1, float32), scalar(&ta, &a, float32), vector(&ty, y, 5, 1, float32)};
  ricci_call call = call_of(list, 3);
  CHECK(scale(&call) == RICCI_OK && y[4] == 10 && text[0] == 0, "%s", text);
  const ricci_call fine = call;

#define WRONG(code, where, says)                                                                      \
  do {                                                                                                \
    int got = scale(&call);                                                                           \
    CHECK(got == code && call.argument == where && strstr(text, says), "%d, argument %d: %s", got, call.argument, text); \
    call = fine, list[0] = &tx.t, list[1] = &ta.t, list[2] = &ty.t;                                   \
    vector(&tx, x, 5, 1, float32), scalar(&ta, &a, float32), vector(&ty, y, 5, 1, float32);           \
  } while (0)

  call.count = 2;
  WRONG(RICCI_COUNT, -1, "scale: 2 arguments, expected 3");
  call.count = -1;
  WRONG(RICCI_COUNT, -1, "scale: -1 arguments");
  call.arguments = 0;
  WRONG(RICCI_NULL, -1, "is NULL");
  list[0] = 0;
  WRONG(RICCI_NULL, 0, "x is missing, expected float32(5)");
  tx.t.data = 0;
  WRONG(RICCI_NULL, 0, "the data of x is NULL");
  tx.t.shape = 0;
  WRONG(RICCI_NULL, 0, "the shape of x is NULL");
  tx.t.device.device_type = 2;
  WRONG(RICCI_DEVICE, 0, "in the memory of a CUDA device, expected the processor's");
  tx.t.dtype.bits = 64;
  WRONG(RICCI_TYPE, 0, "elements of type float64, expected float32");
  tx.t.dtype.lanes = 4;
  WRONG(RICCI_TYPE, 0, "4 lanes");
  tx.t.ndim = 2;
  WRONG(RICCI_RANK, 0, "2 dimensions, expected 1: float32(5)");
  tx.t.ndim = -1;
  WRONG(RICCI_RANK, 0, "-1 dimensions");
  tx.shape[0] = 6;
  WRONG(RICCI_SHAPE, 0, "dimension 0 of x has the extent 6, expected 5");
  tx.shape[0] = -5;
  WRONG(RICCI_SHAPE, 0, "the extent -5, expected 5");
  ty.shape[0] = INT64_MAX;
  WRONG(RICCI_SHAPE, 2, "expected 5");
  tx.strides[0] = 2;
  WRONG(RICCI_STRIDES, 0, "dimension 0 of x has the stride 2");
  tx.strides[0] = 0;
  WRONG(RICCI_STRIDES, 0, "the stride 0");
  ty.t.byte_offset = 2;
  WRONG(RICCI_ALIGNMENT, 2, "the address of y is no multiple of the 4 bytes");
  const uint8_t flags[] = {RICCI_READ_ONLY, RICCI_READ_ONLY, RICCI_READ_ONLY}, inputs[] = {RICCI_READ_ONLY, RICCI_READ_ONLY, 0};
  call.flags = flags;
  WRONG(RICCI_READ_ONLY_OUTPUT, 2, "y is read-only");

  call.flags = inputs;
  CHECK(scale(&call) == RICCI_OK, "%s", text);
  tx.t.strides = 0;
  tx.t.byte_offset = 4;
  CHECK(scale(&call) == RICCI_OK && y[0] == 4 && y[4] == 12, "%s", text);
  CHECK(scale(0) == RICCI_COUNT, "a call that is NULL");
  call.bytes = sizeof call + 8;
  CHECK(scale(&call) == RICCI_COUNT, "a call of another version");
  call = fine, call.count = 1, call.message = 0;
  CHECK(scale(&call) == RICCI_COUNT, "without a message");
  char small[] = "........";
  call.message = small, call.message_bytes = 4;
  CHECK(scale(&call) == RICCI_COUNT && strcmp(small, "sca") == 0 && small[4] == '.', "%s", small);
  call.message_bytes = 0, small[0] = 'x';
  CHECK(scale(&call) == RICCI_COUNT && small[0] == 'x', "%s", small);
}

/* Outputs in the place of inputs: y(i) = x(i) + x(N-1-i), N = 5. */
static void overlap(void) {
  ricci_function_call *fold = functions[find("fold")].call, *two = functions[find("two")].call;
  float x[8] = {1, 2, 3, 4, 50, 6, 7, 8};
  tensor tx, ty, tz;
  DLTensor *list[] = {vector(&tx, x, 5, 1, float32), vector(&ty, x, 5, 1, float32)};
  ricci_call call = call_of(list, 2);
  CHECK(fold(&call) == RICCI_OK && x[0] == 51 && x[1] == 6 && x[2] == 6 && x[4] == 51 && x[5] == 6, "%g %g %g %s", x[0], x[1], x[2], text);
  float z[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  vector(&tx, z, 5, 1, float32), vector(&ty, z + 2, 5, 1, float32);
  CHECK(fold(&call) == RICCI_OK && z[0] == 1 && z[2] == 6 && z[3] == 6 && z[6] == 6 && z[7] == 8, "%g %g %s", z[2], z[3], text);
  float w[12] = {1, 2, 3, 4, 5};
  DLTensor *outputs[] = {vector(&tx, w, 5, 1, float32), vector(&ty, w + 5, 5, 1, float32), vector(&tz, w + 7, 5, 1, float32)};
  call = call_of(outputs, 3);
  CHECK(two(&call) == RICCI_OVERLAP && call.argument == 2 && strstr(text, "y and z share memory"), "%s", text);
  for (int i = 0; i < 5; i++) x[i] = (float)i;
  DLTensor *beside[] = {vector(&tx, x, 5, 1, float32), vector(&ty, w, 5, 2, float32), vector(&tz, w + 1, 5, 2, float32)};
  call = call_of(beside, 3);
  CHECK(functions[find("beside")].call(&call) == RICCI_OK && w[0] == 0 && w[2] == 1 && w[3] == 2 && w[8] == 4 && w[9] == 8, "%g %g %s", w[2], w[3], text);
}

/* Strides that go backwards: y(i) = a * x(i) for x with the stride -2. */
static void backwards(void) {
  ricci_function_call *scale = functions[find("backwards")].call;
  float x[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, a = 1, y[5];
  tensor tx, ta, ty;
  DLTensor *list[] = {vector(&tx, x + 9, 5, -2, float32), scalar(&ta, &a, float32), vector(&ty, y, 5, 1, float32)};
  ricci_call call = call_of(list, 3);
  CHECK(scale(&call) == RICCI_OK && y[0] == 9 && y[1] == 7 && y[4] == 1, "%g %g %s", y[0], y[1], text);
  vector(&ty, x + 1, 5, 1, float32); /* in the place of x */
  CHECK(scale(&call) == RICCI_OK && x[1] == 9 && x[2] == 7 && x[5] == 1, "%g %g %s", x[1], x[2], text);
}

/* Open sizes: s = sum of x(i), also of nothing; y(i) = x(i) where i in 0:N-1. */
static void open_sizes(void) {
  int f = find("open");
  float x[4] = {1, 2, 3, 4}, y[4] = {0};
  tensor tx, ty;
  DLTensor *list[] = {vector(&tx, x, 4, 1, float32), vector(&ty, y, 3, 1, float32)};
  ricci_call call = call_of(list, 2);
  CHECK(functions[f].call(&call) == RICCI_OK && y[0] == 3 && y[2] == 7, "%g %g %s", y[0], y[2], text);
  vector(&ty, y, 4, 1, float32);
  CHECK(functions[f].call(&call) == RICCI_SHAPE && strstr(text, "expected 3: float32(N - 1)"), "%s", text);
  vector(&tx, x, 1, 1, float32), vector(&ty, 0, 0, 1, float32);
  CHECK(functions[f].call(&call) == RICCI_OK, "%s", text); /* no element: no data either */
  vector(&tx, 0, 0, 1, float32);
  CHECK(functions[f].call(&call) == RICCI_SIZES && strstr(text, "N must be at least 1"), "%s", text);
  int64_t extents[1] = {-1};
  vector(&tx, 0, 9, 1, float32);
  call.count = 1;
  CHECK(functions[f].shapes(&call, extents) == RICCI_OK && extents[0] == 8, "%lld %s", (long long)extents[0], text);
  call.count = 0;
  CHECK(functions[f].shapes(&call, extents) == RICCI_NULL && strstr(text, "x is missing"), "%s", text);
}

/* A subscript that is data: y(i) = 2 x(I(i)), x(6), I(5). */
static void bounds(void) {
  ricci_function_call *gather = functions[find("gather")].call;
  float x[6] = {0, 1, 2, 3, 4, 5}, y[5];
  int32_t at[5] = {5, 4, 3, 2, 1};
  tensor tx, ti, ty;
  DLTensor *list[] = {vector(&tx, x, 6, 1, float32), vector(&ti, at, 5, 1, int32), vector(&ty, y, 5, 1, float32)};
  ricci_call call = call_of(list, 3);
  CHECK(gather(&call) == RICCI_OK && y[0] == 10 && y[4] == 2, "%s", text);
  at[3] = -17;
  CHECK(gather(&call) == RICCI_BOUNDS, "%s", text);
  CHECK(strstr(text, "error[E0611]: x is read at -17 in dimension 0, expected 0 to 5\n") && strstr(text, "^^^^^^^"), "%s", text);
}

/* A scalar whose value is compiled in: y(i,j) = x(i) for j below k = 3. */
static void scalar_sizes(void) {
  int f = find("repeat");
  float x[2] = {1, 2}, y[6] = {0};
  int16_t k = 3;
  tensor tx, tk, ty;
  DLTensor *list[] = {vector(&tx, x, 2, 1, float32), scalar(&tk, &k, (DLDataType){0, 16, 1}), vector(&ty, y, 2, 3, float32)};
  ty.t.ndim = 2, ty.shape[1] = 3, ty.strides[1] = 1;
  ricci_call call = call_of(list, 3);
  CHECK(functions[f].call(&call) == RICCI_OK && y[2] == 1 && y[3] == 2, "%g %g %s", y[2], y[3], text);
  k = 4;
  CHECK(functions[f].call(&call) == RICCI_SIZES && strstr(text, "k must be 3"), "%s", text);
  int64_t extents[2] = {0};
  CHECK(functions[f].shapes(&call, extents) == RICCI_SIZES, "%s", text);
  k = 3;
  CHECK(functions[f].shapes(&call, extents) == RICCI_OK && extents[0] == 2 && extents[1] == 3, "%s", text);
  tk.t.data = 0;
  CHECK(functions[f].call(&call) == RICCI_NULL && call.argument == 1, "%s", text);
}

/* Temporaries beyond all memory: N³ elements for N = 100000. */
static void no_memory(void) {
  static float x[100000], y[100000];
  tensor tx, ty;
  DLTensor *list[] = {vector(&tx, x, 100000, 1, float32), vector(&ty, y, 100000, 1, float32)};
  ricci_call call = call_of(list, 2);
  int code = functions[find("huge")].call(&call);
  CHECK(code == RICCI_MEMORY && strstr(text, "there is no memory for temporaries"), "%d %s", code, text);
}

/* The function on enough data that threads share the work: y(i) = exp(x(i)). */
enum { MANY = 100000 };
static float many[MANY];

static int large(float *y) {
  tensor tx, ty;
  DLTensor *list[] = {vector(&tx, many, MANY, 1, float32), vector(&ty, y, MANY, 1, float32)};
  char message[512];
  ricci_call call = {.bytes = sizeof call, .count = 2, .arguments = list, .message = message, .message_bytes = sizeof message};
  memset(y, 0, MANY * sizeof *y);
  int code = functions[find("large")].call(&call);
  if (code) {
    printf("%d: %s\n", code, message);
    return 0;
  }
  for (int i = 0; i < MANY; i += 97)
    if (fabsf(y[i] - expf(many[i])) > 1e-5f * y[i]) return 0;
  return 1;
}

static long calls;

static void *work(void *right) {
  float *y = malloc(MANY * sizeof *y);
  for (long i = 0; i < calls / 1000 + 4; i++)
    if (!large(y)) *(int *)right = 0;
  free(y);
  return 0;
}

/* child ends the process with 0 where a call is right there. */
static int child(void) {
  pid_t id = fork();
  if (id == 0) {
    alarm(20);
    _exit(large(malloc(MANY * sizeof(float))) ? 0 : 1);
  }
  int status = -1;
  waitpid(id, &status, 0);
  return status;
}

static void threads_and_forks(void) {
  enum { THREADS = 12 };
  pthread_t threads[THREADS];
  int right[THREADS];
  CHECK(child() == 0, "a child before the first thread");
  for (int i = 0; i < THREADS; i++) {
    right[i] = 1;
    pthread_create(&threads[i], 0, work, &right[i]);
  }
  for (int i = 0; i < 4; i++) { /* while calls are in progress */
    int status = child();
    CHECK(status == 0, "the child ended with %x", status);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], 0);
    CHECK(right[i], "thread %d", i);
  }
  CHECK(child() == 0, "a child after the last thread");
}

/* Many calls take no more memory than few, and little time beside the kernel. */
static void many_calls(void) {
  int scale = find("scale"), gather = find("gather"), fold = find("fold");
  float x[6] = {1, 2, 3, 4, 5, 6}, a = 2, y[6];
  int32_t at[5] = {0, 1, 2, 3, 99};
  tensor tx, ta, ty, tg, ti;
  DLTensor *list[] = {vector(&tx, x, 5, 1, float32), scalar(&ta, &a, float32), vector(&ty, y, 5, 1, float32)};
  DLTensor *others[] = {vector(&tg, x, 6, 1, float32), vector(&ti, at, 5, 1, int32), &ty.t};
  DLTensor *same[] = {&tx.t, &tx.t};
  ricci_call call = call_of(list, 3), wrong = call_of(others, 3), copied = call_of(same, 2);
  size_t before = 0;
  struct timespec begin, end;
  for (long i = 0; i < calls; i++) {
    if (i == 100) before = mallinfo2().uordblks;
    functions[scale].call(&call);
    functions[gather].call(&wrong);
    functions[fold].call(&copied);
  }
  size_t after = mallinfo2().uordblks;
  CHECK(after <= before, "%zu bytes before, %zu after", before, after);
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (long i = 0; i < calls; i++) functions[scale].call(&call);
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("a call takes %.0f ns\n", ((end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec)) / (double)calls);
}

/* What tvm-ffi would have of its own. */
static char raised[600];

__attribute__((visibility("default"))) void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  snprintf(raised, sizeof raised, "%s: %s", kind, message);
}

typedef struct {
  int32_t kind;
  uint32_t zero;
  union {
    int64_t integer;
    double real;
    void *pointer;
  };
} any;

static void tvm(void) {
  tvm_function *scale = functions[find("scale")].tvm;
  float x[5] = {1, 2, 3, 4, 5}, y[5] = {0};
  tensor tx, ty;
  struct {
    char head[24];
    DLTensor t;
  } object = {.t = *vector(&tx, x, 5, 1, float32)};
  any list[] = {{.kind = 70, .pointer = &object}, {.kind = 3, .real = 2.5}, {.kind = 7, .pointer = vector(&ty, y, 5, 1, float32)}}, result = {.kind = 1};
  CHECK(scale(0, list, 3, &result) == 0 && result.kind == 0 && y[4] == 12.5f, "%g %s", y[4], raised);
  list[1] = (any){.kind = 1, .integer = 3};
  CHECK(scale(0, list, 3, &result) == 0 && y[4] == 15, "%g %s", y[4], raised);
  CHECK(scale(0, list, 2, &result) == -1 && strcmp(raised, "TypeError: scale: 2 arguments, expected 3") == 0, "%s", raised);
  list[0] = (any){.kind = 65};
  CHECK(scale(0, list, 3, &result) == -1 && strstr(raised, "TypeError: scale: x is no tensor, expected float32(5)"), "%s", raised);
  list[0] = (any){.kind = 70, .pointer = &object};
  tx.shape[0] = 4;
  CHECK(scale(0, list, 3, &result) == -1 && strstr(raised, "ValueError: scale: dimension 0 of x"), "%s", raised);
  tx.shape[0] = 5;
  void *moved = &object, *nothing = 0;
  *(int32_t *)(object.head + 8) = 70;
  list[0] = (any){.kind = 10, .pointer = &moved};
  CHECK(scale(0, list, 3, &result) == 0 && moved == &object, "%s", raised);
  *(int32_t *)(object.head + 8) = 71;
  CHECK(scale(0, list, 3, &result) == -1 && strstr(raised, "x is no tensor"), "%s", raised);
  list[0].pointer = &nothing;
  CHECK(scale(0, list, 3, &result) == -1 && strstr(raised, "x is no tensor"), "%s", raised);
  list[0] = (any){.kind = 70};
  CHECK(scale(0, list, 3, &result) == -1 && strstr(raised, "x is no tensor"), "%s", raised);
  CHECK(functions[find("many")].tvm(0, list, 71, &result) == -1 && strstr(raised, "at most 64 from tvm-ffi"), "%s", raised);
  tvm_function *gather = functions[find("gather")].tvm;
  int32_t at[5] = {9};
  tensor ti;
  any wrong[] = {{.kind = 7, .pointer = vector(&tx, many, 6, 1, float32)}, {.kind = 7, .pointer = vector(&ti, at, 5, 1, int32)}, {.kind = 7, .pointer = &ty.t}};
  CHECK(gather(0, wrong, 3, &result) == -1 && strstr(raised, "IndexError: ") && strstr(raised, "x is read at 9"), "%s", raised);
}

/* Numbers for scalars of all types that the function names takes: out = its arguments as float64. */
static void numbers(void) {
  tvm_function *f = functions[find("numbers")].tvm;
  double y[5];
  tensor ty;
  any list[] = {{.kind = 3, .real = 1.00048828125}, {.kind = 3, .real = -3.0e38}, {.kind = 1, .integer = -128}, {.kind = 2, .integer = 1}, {.kind = 1, .integer = 65535},
                {.kind = 7, .pointer = vector(&ty, y, 5, 1, (DLDataType){2, 64, 1})}};
  CHECK(f(0, list, 6, 0) == 0, "%s", raised);
  CHECK(y[0] == 1 && y[1] < -2.9e38 && y[1] > -3.1e38 && y[2] == -128 && y[3] == 1 && y[4] == 65535, "%.10g %g %g %g %g", y[0], y[1], y[2], y[3], y[4]);
  static const struct { double real, rounded; } halves[] = {{65519, 65504}, {65520, INFINITY}, {-65520, -INFINITY}, {5.9604645e-8, 5.960464477539063e-8}, {2.9e-8, 0}, {2049, 2048}, {2051, 2052}, {INFINITY, INFINITY}, {6.1e-5, 6.0975551605224609375e-05}, {6.1034e-5, 6.103515625e-05}};
  for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
    list[0].real = halves[i].real;
    CHECK(f(0, list, 6, 0) == 0 && y[0] == halves[i].rounded, "%.10g became %.10g, expected %.10g", halves[i].real, y[0], halves[i].rounded);
  }
  list[0].real = NAN;
  CHECK(f(0, list, 6, 0) == 0 && isnan(y[0]), "%g", y[0]);
  list[0].real = 0;
  static const struct { int at; int64_t value; } wrong[] = {{2, 128}, {2, -129}, {3, 2}, {4, 65536}, {4, -1}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    any kept = list[wrong[i].at];
    list[wrong[i].at].integer = wrong[i].value;
    CHECK(f(0, list, 6, 0) == -1 && strstr(raised, "no number of its type"), "argument %d took %lld", wrong[i].at, (long long)wrong[i].value);
    list[wrong[i].at] = kept;
  }
  list[2] = (any){.kind = 3, .real = 1};
  CHECK(f(0, list, 6, 0) == -1, "a float for an int8");
}

/* More arguments than have room on the stack: the sum of 70 vectors of 2. */
static void many_arguments(void) {
  enum { INPUTS = 70 };
  float x[INPUTS][2], y[2];
  tensor list[INPUTS + 1];
  DLTensor *arguments[INPUTS + 1];
  for (int i = 0; i < INPUTS; i++) {
    x[i][0] = (float)i, x[i][1] = 1;
    arguments[i] = vector(&list[i], x[i], 2, 1, float32);
  }
  arguments[INPUTS] = vector(&list[INPUTS], y, 2, 1, float32);
  ricci_call call = call_of(arguments, INPUTS + 1);
  ricci_function_call *sum = functions[find("many")].call;
  CHECK(sum(&call) == RICCI_OK && y[0] == 70 * 69 / 2 && y[1] == 70, "%g %g %s", y[0], y[1], text);
  vector(&list[INPUTS], x[69], 2, 1, float32);
  CHECK(sum(&call) == RICCI_OK && x[69][0] == 70 * 69 / 2 && x[69][1] == 70, "%g %g %s", x[69][0], x[69][1], text);
}

/* XLA, as its header says. */
typedef struct {
  size_t bytes;
  void *extensions;
  int32_t type;
  void *data;
  int64_t rank, *extents;
} buffer;

typedef struct {
  size_t bytes;
  void *extensions;
  int64_t count;
  int32_t *kinds;
  void **values;
} list_of_buffers;

typedef struct {
  size_t bytes;
  void *extensions, *message;
  int32_t code;
} request;

static int error_code;

static void *make_error(request *r) {
  error_code = r->code;
  snprintf(raised, sizeof raised, "%s", (const char *)r->message);
  return raised;
}

static struct {
  size_t bytes;
  void *extensions;
  struct { size_t bytes; void *extensions; int32_t major, minor; } version;
  void *internal;
  void *(*make_error)(request *);
} api = {.bytes = sizeof api, .make_error = make_error};

static void xla(void) {
  enum { F32 = 11, F64 = 12 };
  xla_function *add = functions[find("add")].xla;
  float a = 2, x[3] = {1, 2, 3}, y[3] = {10, 20, 30}, z[3] = {0}, s = 0;
  int64_t three[] = {3}, four[] = {4};
  buffer ba = {.type = F32, .data = &a}, bx = {.type = F32, .data = x, .rank = 1, .extents = three}, by = bx, bz = bx, bs = {.type = F32, .data = &s};
  by.data = y, bz.data = z;
  int32_t kinds[] = {1, 1, 1};
  void *in[] = {&ba, &bx, &by}, *out[] = {&bz, &bs};
  struct {
    size_t bytes;
    void *extensions, *api, *context;
    int32_t stage;
    list_of_buffers arguments, results, attributes;
    void *future;
  } frame = {.bytes = sizeof frame, .api = &api, .stage = 3, .arguments = {.count = 3, .kinds = kinds, .values = in}, .results = {.count = 2, .kinds = kinds, .values = out}};
  CHECK(add(&frame) == 0 && z[0] == 12 && z[2] == 36 && s == 6 && y[0] == 10, "%g %g %g", z[0], z[2], s);
  bz.data = y; /* in one place with the argument */
  CHECK(add(&frame) == 0 && y[0] == 12 && y[2] == 36, "%g", y[0]);
  frame.arguments.count = 2;
  CHECK(add(&frame) && error_code == 3 && strcmp(raised, "add: 2 arguments and 2 results, expected 3 and 2, at most 64 together") == 0, "%s", raised);
  frame.arguments.count = 3, bx.type = F64;
  CHECK(add(&frame) && error_code == 3 && strstr(raised, "x has elements of type float64, expected float32"), "%s", raised);
  bx.type = 99;
  CHECK(add(&frame) && strstr(raised, "x has elements of type"), "%s", raised);
  bx.type = F32, by.extents = four;
  CHECK(add(&frame) && strstr(raised, "the argument for y has not the type and shape of the result, expected float32(3)"), "%s", raised);
  by.extents = three, kinds[1] = 2;
  CHECK(add(&frame) && strstr(raised, "x is missing"), "%s", raised);
  kinds[1] = 1;
  int32_t at[5] = {9};
  float many_x[6] = {0}, got[5];
  int64_t five[] = {5}, six[] = {6};
  buffer bi = {.type = 4, .data = at, .rank = 1, .extents = five}, bg = {.type = F32, .data = got, .rank = 1, .extents = five}, bm = {.type = F32, .data = many_x, .rank = 1, .extents = six};
  void *gathered[] = {&bm, &bi}, *results[] = {&bg};
  frame.arguments.values = gathered, frame.arguments.count = 2, frame.results.values = results, frame.results.count = 1;
  CHECK(functions[find("gather")].xla(&frame) && error_code == 11 && strstr(raised, "x is read at 9"), "%d %s", error_code, raised);
  struct {
    size_t bytes;
    struct { size_t bytes; void *extensions; int32_t major, minor; } version;
    uint32_t traits;
  } metadata = {.version = {.major = -1, .minor = -1}, .traits = 7};
  struct {
    size_t bytes;
    int32_t kind;
    void *next, *metadata;
  } extension = {.bytes = sizeof extension, .kind = 1, .metadata = &metadata}, other = {.bytes = sizeof other, .kind = 5, .next = &extension};
  frame.extensions = &other; /* asks what the handler is, and has no arguments */
  frame.arguments = frame.results = (list_of_buffers){0};
  CHECK(add(&frame) == 0 && metadata.version.major == 0 && metadata.version.minor == 1 && metadata.traits == 0, "%d.%d", metadata.version.major, metadata.version.minor);
}

int main(int count, char **arguments) {
  calls = strtol(arguments[1], 0, 10);
  for (int i = 2; i + 1 < count; i += 2) load(arguments[i], arguments[i + 1]);
  for (int i = 0; i < MANY; i++) many[i] = (float)(i % 100) / 50 - 1;
  CHECK(strstr(functions[find("scale")].describe(), "\"name\":\"scale\""), "the descriptor");
  wrong_arguments();
  overlap();
  backwards();
  open_sizes();
  bounds();
  scalar_sizes();
  no_memory();
  threads_and_forks();
  many_calls();
  tvm();
  xla();
  numbers();
  many_arguments();
  if (failures) printf("%d failures\n", failures);
  return failures > 0;
}
