/* Calls a function of a library for a card, as a program without Ricci does: on memory of the card, in a stream of its own.
 *
 *   card LIBRARY[:LIBRARY] NAME WAYS ARGUMENT…
 *
 * An argument is ROLE:CODE:BITS:SHAPE:FILE, its type by DLPack, such as in:2:32:3x4:/tmp/x, and a scalar on the processor has the role number. Files have the
 * elements, and get the results of what has the role out or inout. same:N is an output in the memory of argument N. A size that no input tells is size:N, and guards:N says how many guards
 * are to trip. WAYS are letters of what else is
 * tried: t the function of tvm-ffi, x the handler of XLA, whose scalars are on the card (behind s), c calls by threads, with and without a context, s numbers on the card, e wrong arguments, f calls of the driver that fail, w the function waits. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ricci.h"

#define FAIL(...) (printf(__VA_ARGS__), printf("\n"), exit(1))

enum { MOST = 16, THREADS = 4 };

static int (*cuInit)(unsigned), (*cuDevicePrimaryCtxRetain)(void **, int), (*cuCtxSetCurrent)(void *), (*cuCtxGetCurrent)(void **), (*cuStreamCreate)(void **, unsigned), (*cuMemAlloc)(void **, size_t),
    (*cuMemcpyHtoD)(void *, const void *, size_t), (*cuMemcpyDtoH)(void *, const void *, size_t), (*cuStreamSynchronize)(void *), (*cuCtxSynchronize)(void);

static void *function(void *library, const char *name) {
  void *f = dlsym(library, name);
  return f ? f : (FAIL("there is no %s", name), (void *)0);
}

typedef struct {
  char role[8], file[256];
  DLTensor t;
  int64_t shape[16];
  size_t bytes;
  char *content; /* on the processor */
} argument;

static const char *name;
static argument list[MOST];
static int count;
static int64_t sizes[MOST];
static int size_count;
static int64_t guards, tripped; /* that are to trip, and that have */
static void *stream, *context;
static ricci_function_call *call_function;
static ricci_function_shapes *shapes_function;
static int (*tvm_function)(void *, const void *, int32_t, void *);
static void *(*xla_function)(void *);
static char tvm_message[2048];
static int tvm_asked;

/* What tvm-ffi has in a process. */
void *TVMFFIEnvGetStream(int32_t kind, int32_t id) { return tvm_asked++, kind == 2 && id == 0 ? stream : 0; }
void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) { snprintf(tvm_message, sizeof tvm_message, "%s: %s", kind, message); }

static int is_output(const argument *a) { return a->role[0] == 'o' || strcmp(a->role, "inout") == 0; }

static void parse(argument *a, const char *text) {
  char shape[64];
  int code, bits, other;
  a->t = (DLTensor){.device = {2, 0}, .shape = a->shape};
  if (sscanf(text, "%7[a-z0-9]:%d:%d:%63[0-9x]:%255s", a->role, &code, &bits, shape, a->file) == 5) {
    for (char *d = strtok(shape, "x"); d; d = strtok(0, "x")) a->shape[a->t.ndim++] = strtoll(d, 0, 10);
  } else if (sscanf(text, "%7[a-z0-9]:%d:%d::%255s", a->role, &code, &bits, a->file) != 4) {
    FAIL("%s is no argument", text);
  }
  a->t.dtype = (DLDataType){(uint8_t)code, (uint8_t)bits, 1};
  a->bytes = (size_t)bits / 8;
  for (int d = 0; d < a->t.ndim; d++) a->bytes *= (size_t)a->shape[d];
  a->content = malloc(a->bytes + 1);
  FILE *f = fopen(a->file, "rb");
  if (!f || fread(a->content, 1, a->bytes, f) != a->bytes) FAIL("%s cannot be read", a->file);
  fclose(f);
  if (sscanf(a->role, "same%d", &other) == 1) {
    strcpy(a->role, "out");
    a->t.data = list[other].t.data, a->content = list[other].content;
  } else if (strcmp(a->role, "number") == 0) {
    a->t.data = a->content;
    a->t.device.device_type = 1;
  } else if (cuMemAlloc(&a->t.data, a->bytes ? a->bytes : 1)) {
    FAIL("no memory");
  }
}

static void upload(void) {
  for (int i = 0; i < count; i++)
    if (list[i].t.device.device_type == 2 && cuMemcpyHtoD(list[i].t.data, list[i].content, list[i].bytes)) FAIL("no copy");
}

static int32_t call(DLTensor **tensors, void *in, char *message, size_t room) {
  ricci_call c = {.bytes = sizeof c, .count = count, .arguments = tensors, .stream = in, .message = message, .message_bytes = (uint32_t)room, .sizes = size_count ? sizes : 0};
  int32_t code = call_function(&c);
  tripped = c.guards;
  return code;
}

/* same_results compares outputs with what a call before has left. */
static void same_results(char **results, const char *how) {
  for (int i = 0; i < count; i++) {
    if (!is_output(&list[i])) continue;
    char *now = malloc(list[i].bytes + 1);
    if (cuMemcpyDtoH(now, list[i].t.data, list[i].bytes) || memcmp(now, results[i], list[i].bytes)) FAIL("%s: other results in argument %d", how, i);
    free(now);
  }
}

static void in_tvm(DLTensor **tensors, char **results) {
  struct { int32_t kind, unused; union { int64_t n; double x; void *p; }; } any[2 * MOST] = {0}, result;
  for (int i = 0; i < count; i++) {
    any[i].kind = 7, any[i].p = tensors[i];
    if (list[i].role[0] == 'n' && list[i].t.dtype.code == 2 && list[i].t.dtype.bits == 32) any[i].kind = 3, any[i].x = *(float *)list[i].content;
  }
  for (int i = 0; i < size_count; i++) any[count + i].kind = 1, any[count + i].n = sizes[i];
  upload();
  if (tvm_function(0, any, count + size_count, &result) || tvm_asked != 1) FAIL("tvm: %s, asked for a stream %d times", tvm_message, tvm_asked);
  if (cuStreamSynchronize(stream)) FAIL("tvm: waiting");
  same_results(results, "tvm");
  for (int i = 0; i < count; i++) {
    if (list[i].t.device.device_type != 2) continue;
    list[i].t.device.device_type = 1;
    if (tvm_function(0, any, count + size_count, &result) != -1 || !strstr(tvm_message, "ValueError") || !strstr(tvm_message, "expected that of a CUDA device")) FAIL("tvm: %s", tvm_message);
    list[i].t.device.device_type = 2;
    break;
  }
}

/* What XLA has, by its header. */
typedef struct { size_t bytes; void *extensions; int32_t type; void *data; int64_t rank, *extents; } xla_buffer;
typedef struct { size_t bytes; void *extensions; int64_t count; int32_t *kinds; void **values; } xla_list;
typedef struct { size_t bytes; void *extensions, *context, *stream; } xla_stream;
typedef struct { size_t bytes; void *extensions; const char *message; int32_t code; } xla_error;

static void *xla_stream_get(xla_stream *s) { return s->stream = s->context == list ? stream : 0, (void *)0; }
static void *xla_error_create(xla_error *e) { return snprintf(tvm_message, sizeof tvm_message, "%d: %s", e->code, e->message), tvm_message; }

static struct {
  size_t bytes;
  void *extensions;
  struct { size_t bytes; void *extensions; int32_t major, minor; } version;
  void *internal, *(*error_create)(xla_error *), *others[3], *(*stream_get)(xla_stream *);
} xla_api = {.bytes = sizeof xla_api, .error_create = xla_error_create, .stream_get = xla_stream_get};

static void in_xla(char **results, int waits) {
  static const struct { int code, bits, type; } types[] = {{2, 32, 11}, {2, 64, 12}, {0, 32, 4}, {0, 16, 3}, {1, 8, 6}};
  xla_buffer buffers[2 * MOST];
  void *given[MOST], *made[MOST];
  int32_t kinds[MOST];
  int n = 0, inputs = 0, outputs = 0;
  for (int updated = 0; updated < 2; updated++)
    for (int i = 0; i < count; i++) {
      argument *a = &list[i];
      xla_buffer *b = &buffers[n++];
      *b = (xla_buffer){.bytes = sizeof *b, .data = a->t.data, .rank = a->t.ndim, .extents = a->shape};
      for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (a->t.dtype.code == types[t].code && a->t.dtype.bits == types[t].bits) b->type = types[t].type;
      if (!updated && !is_output(a)) given[inputs++] = b;
      if (!updated && is_output(a)) made[outputs++] = b;
      if (!updated || strcmp(a->role, "inout")) continue;
      if (cuMemAlloc(&b->data, a->bytes) || cuMemcpyHtoD(b->data, a->content, a->bytes)) FAIL("no memory");
      given[inputs++] = b;
    }
  for (int i = 0; i < MOST; i++) kinds[i] = 1;
  struct {
    size_t bytes;
    void *extensions, *api, *context;
    int32_t stage;
    xla_list arguments, results, attributes;
    void *future;
  } frame = {.bytes = sizeof frame, .api = &xla_api, .context = list, .stage = 3, .arguments = {.count = inputs, .kinds = kinds, .values = given}, .results = {.count = outputs, .kinds = kinds, .values = made}};
  upload();
  if (xla_function(&frame)) FAIL("xla: %s", tvm_message);
  for (int i = 0; i < count && !waits; i++)
    if (is_output(&list[i]) && memcmp(list[i].t.data, list[i].content, list[i].bytes)) FAIL("xla: argument %d is written before somebody waits for the stream", i);
  if (cuStreamSynchronize(stream)) FAIL("xla: waiting");
  same_results(results, "xla");
  ((xla_buffer *)made[0])->type = 99;
  if (!xla_function(&frame) || strncmp(tvm_message, "3: ", 3) || !strstr(tvm_message, "has elements of type")) FAIL("xla: %s", tvm_message);
}

static void *thread(void *with_context) {
  char message[512] = "";
  DLTensor *tensors[MOST], mine[MOST];
  if (with_context && cuCtxSetCurrent(context)) FAIL("a context");
  for (int i = 0; i < count; i++) tensors[i] = &list[i].t;
  if (!with_context) { /* results elsewhere: the context is needed to make memory, and is not there for the calls */
    cuCtxSetCurrent(context);
    for (int i = 0; i < count; i++)
      if (strcmp(list[i].role, "out") == 0) {
        mine[i] = list[i].t;
        if (cuMemAlloc(&mine[i].data, list[i].bytes)) FAIL("no memory");
        tensors[i] = &mine[i];
      }
    cuCtxSetCurrent(0);
  }
  for (int n = 0; n < 3; n++)
    if (call(tensors, stream, message, sizeof message)) FAIL("a thread: %s", message);
  void *now = 0;
  if (cuCtxGetCurrent(&now) || now != (with_context ? context : 0)) FAIL("a thread: another context than before");
  return 0;
}

static void by_threads(char **results) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, thread, (void *)(i % 2));
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  if (cuStreamSynchronize(stream)) FAIL("threads: waiting");
  same_results(results, "threads");
}

/* wrong tries what is refused before anything is queued. */
static void wrong(DLTensor **tensors) {
  char message[512];
  int seen = 0;
  for (int i = 0; i < count; i++) {
    DLDevice *at = &list[i].t.device;
    if (at->device_type != 2) continue;
    static const struct { DLDevice at; const char *says; } cases[] = {
        {{1, 0}, "in the memory of the processor, expected that of a CUDA device, for which the function was compiled"},
        {{10, 0}, "in the memory of a device of type 10, expected that of a CUDA device"},
        {{2, 1}, "of the same type"},
        {{2, 7}, "of the same type"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
      *at = cases[c].at;
      if (c > 1 && !seen) continue; /* it says where the others have to be */
      int32_t code = call(tensors, stream, message, sizeof message);
      if (list[i].t.ndim == 0 && cases[c].at.device_type == 1 && !is_output(&list[i])) continue;
      if (code != RICCI_DEVICE || !strstr(message, cases[c].says)) FAIL("argument %d, case %d: %d: %s", i, (int)c, (int)code, message);
    }
    *at = (DLDevice){2, 0};
    seen++;
  }
  for (int i = 0; i < count; i++) list[i].t.device.device_id = 7;
  if (call(tensors, stream, message, sizeof message) != RICCI_DRIVER || !strstr(message, "the device of the tensors")) FAIL("no such card: %s", message);
  for (int i = 0; i < count; i++) list[i].t.device.device_id = 0;
}

/* failing has every call of the driver fail once, from the first call of the function on: each is told, nothing is left, and the next call works. */
static void failing(void *driver, DLTensor **tensors) {
  void (*fail)(int, int), (*restart)(void);
  int (*calls)(void), (*information)(size_t *, size_t *);
  size_t before, after, all;
  char message[512];
  *(void **)&fail = function(driver, "fake_fail"), *(void **)&calls = function(driver, "fake_calls"), *(void **)&restart = function(driver, "fake_restart");
  *(void **)&information = function(driver, "cuMemGetInfo_v2");
  for (int code = 1; code <= 2; code++) {
    for (int n = 1;; n++) {
      information(&before, &all);
      fail(n, code);
      int32_t got = call(tensors, stream, message, sizeof message);
      int made = calls();
      fail(0, 0);
      if (cuStreamSynchronize(stream)) FAIL("waiting behind call %d", n);
      if (made < n && got) FAIL("call %d of %d: %s", n, made, message);
      if (made < n) break;
      if (got != (code == 2 ? RICCI_MEMORY : RICCI_DRIVER) || !strstr(message, code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "(1)")) FAIL("call %d of %d: %d: %s", n, made, (int)got, message);
      information(&after, &all);
      if (after != before && !strstr(message, "giving memory back")) FAIL("call %d of %d: %zu bytes are left: %s", n, made, before - after, message);
    }
  }
  restart();
}

int main(int arguments, char **words) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *library = 0;
  char symbol[128], message[2048] = "", *results[MOST] = {0};
  const char *ways = words[3];
  DLTensor *tensors[MOST];
  for (char *path = strtok(words[1], ":"); path; path = strtok(0, ":")) library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!driver || !library) FAIL("%s", dlerror());
  name = words[2];
#define FIND(f, from, ...) (snprintf(symbol, sizeof symbol, __VA_ARGS__), *(void **)&f = function(from, symbol))
  FIND(cuInit, driver, "cuInit"), FIND(cuDevicePrimaryCtxRetain, driver, "cuDevicePrimaryCtxRetain"), FIND(cuCtxSetCurrent, driver, "cuCtxSetCurrent"), FIND(cuCtxGetCurrent, driver, "cuCtxGetCurrent");
  FIND(cuStreamCreate, driver, "cuStreamCreate"), FIND(cuMemAlloc, driver, "cuMemAlloc_v2"), FIND(cuMemcpyHtoD, driver, "cuMemcpyHtoD_v2"), FIND(cuMemcpyDtoH, driver, "cuMemcpyDtoH_v2");
  FIND(cuStreamSynchronize, driver, "cuStreamSynchronize"), FIND(cuCtxSynchronize, driver, "cuCtxSynchronize");
  FIND(call_function, library, "ricci_call_%s", name), FIND(shapes_function, library, "ricci_shapes_%s", name), FIND(tvm_function, library, "__tvm_ffi_%s", name), FIND(xla_function, library, "ricci_xla_%s", name);
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) || cuStreamCreate(&stream, 1)) FAIL("no card");
  for (int i = 4; i < arguments; i++) {
    if (strncmp(words[i], "guards:", 7) == 0) guards = strtoll(words[i] + 7, 0, 10);
    else if (strncmp(words[i], "size:", 5) == 0) sizes[size_count++] = strtoll(words[i] + 5, 0, 10);
    else parse(&list[count], words[i]), tensors[count] = &list[count].t, count++;
  }
  if (strchr(ways, 'e')) wrong(tensors);
  upload();
  if (strchr(ways, 'f')) failing(driver, tensors), upload();
  int32_t code = call(tensors, stream, message, sizeof message);
  for (int i = 0; i < count && !strchr(ways, 'w'); i++)
    if (is_output(&list[i]) && memcmp(list[i].t.data, list[i].content, list[i].bytes)) FAIL("argument %d is written before somebody waits for the stream", i);
  int waited = cuStreamSynchronize(stream);
  if (code || waited) FAIL("%d: %s (%d)", (int)code, message, waited);
  if (tripped != guards) FAIL("%d guards have tripped, expected %d", (int)tripped, (int)guards);
  for (int i = 0; i < count; i++) {
    if (!is_output(&list[i])) continue;
    results[i] = malloc(list[i].bytes + 1);
    FILE *f = fopen(list[i].file, "wb");
    if (!f || cuMemcpyDtoH(results[i], list[i].t.data, list[i].bytes) || fwrite(results[i], 1, list[i].bytes, f) != list[i].bytes || fclose(f)) FAIL("argument %d cannot be kept", i);
  }
  for (int i = 0; i < count && strchr(ways, 's'); i++) {
    if (list[i].role[0] != 'n') continue;
    list[i].t.device.device_type = 2;
    if (cuMemAlloc(&list[i].t.data, list[i].bytes)) FAIL("no memory");
  }
  if (strchr(ways, 's')) {
    upload();
    if (call(tensors, stream, message, sizeof message) || cuStreamSynchronize(stream)) FAIL("numbers on the card: %s", message);
    same_results(results, "numbers on the card");
  }
  if (strchr(ways, 't')) in_tvm(tensors, results);
  if (strchr(ways, 'x')) in_xla(results, strchr(ways, 'w') != 0);
  if (strchr(ways, 'c')) by_threads(results);
  return 0;
}
