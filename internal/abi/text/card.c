/* Functions on a card of CUDA.
 *
 * How it works
 *
 * The driver is opened when a function is called, never linked. A call runs in the context of its thread, where that is one of the card that the
 * tensors are on, or else in the primary context of that card, which is left again at the end. A context gets the code of a function once, at the
 * first call in it, and keeps it.
 *
 * All that a call does is queued in the caller's stream: memory for temporaries is taken and given back there, numbers of the processor are written
 * by fills, which carry their value, and nobody waits but who has to look at what tests of subscripts have left.
 *
 * Once something is refused, what comes behind it in the same call does nothing.
 */
#include <pthread.h>
#include <stddef.h>

/* The functions of the driver and of its compiler: names, and parameters. Those behind OPTIONAL are missing in old drivers. */
#define CARD_DRIVER(X, OPTIONAL)                                                                                                                      \
  X(cuInit, (unsigned flags))                                                                                                                         \
  X(cuDeviceGet, (int *device, int number))                                                                                                           \
  X(cuDeviceGetAttribute, (int *value, int attribute, int device))                                                                                    \
  X(cuDevicePrimaryCtxRetain, (void **context, int device))                                                                                           \
  X(cuCtxGetCurrent, (void **context))                                                                                                                \
  X(cuCtxGetDevice, (int *device))                                                                                                                    \
  X(cuCtxPushCurrent_v2, (void *context))                                                                                                             \
  X(cuCtxPopCurrent_v2, (void **context))                                                                                                             \
  X(cuModuleLoadData, (void **module, const void *image))                                                                                             \
  X(cuModuleGetFunction, (void **function, void *module, const char *name))                                                                           \
  X(cuFuncSetAttribute, (void *function, int attribute, int value))                                                                                   \
  X(cuMemAlloc_v2, (void **memory, size_t bytes))                                                                                                     \
  X(cuMemFree_v2, (void *memory))                                                                                                                     \
  X(cuMemcpyDtoDAsync_v2, (void *to, const void *from, size_t bytes, void *stream))                                                                   \
  X(cuMemcpyDtoHAsync_v2, (void *to, const void *from, size_t bytes, void *stream))                                                                   \
  X(cuMemsetD8Async, (void *to, unsigned char value, size_t count, void *stream))                                                                     \
  X(cuMemsetD16Async, (void *to, unsigned short value, size_t count, void *stream))                                                                   \
  X(cuMemsetD32Async, (void *to, unsigned value, size_t count, void *stream))                                                                         \
  X(cuStreamSynchronize, (void *stream))                                                                                                              \
  X(cuLaunchKernel, (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y, unsigned z, unsigned shared, void *stream, void **arguments, void **more)) \
  OPTIONAL(cuMemAllocAsync, (void **memory, size_t bytes, void *stream))                                                                              \
  OPTIONAL(cuMemFreeAsync, (void *memory, void *stream))                                                                                              \
  OPTIONAL(cuCtxGetId, (void *context, unsigned long long *id))                                                                                       \
  OPTIONAL(cuGetErrorName, (int code, const char **name))

#define CARD_COMPILER(X, OPTIONAL)                                                                                                                    \
  X(nvrtcCreateProgram, (void **program, const char *text, const char *name, int headers, const char *const *texts, const char *const *names))        \
  X(nvrtcCompileProgram, (void *program, int count, const char *const *flags))                                                                        \
  X(nvrtcDestroyProgram, (void **program))                                                                                                            \
  X(nvrtcGetProgramLogSize, (void *program, size_t *bytes))                                                                                           \
  X(nvrtcGetProgramLog, (void *program, char *log))                                                                                                   \
  X(nvrtcGetPTXSize, (void *program, size_t *bytes))                                                                                                  \
  X(nvrtcGetPTX, (void *program, char *code))                                                                                                         \
  X(nvrtcGetCUBINSize, (void *program, size_t *bytes))                                                                                                \
  X(nvrtcGetCUBIN, (void *program, char *code))

#define CARD_FIELD(name, parameters) int(*name) parameters;
typedef struct { CARD_DRIVER(CARD_FIELD, CARD_FIELD) } card_driver;
typedef struct { CARD_COMPILER(CARD_FIELD, CARD_FIELD) } card_compiler;

typedef struct { const char *name; size_t at; int optional; } card_name;
#define CARD_NEEDED(name, parameters) {#name, offsetof(CARD_OF, name), 0},
#define CARD_OPTIONAL(name, parameters) {#name, offsetof(CARD_OF, name), 1},
#define CARD_OF card_driver
static const card_name card_driver_names[] = {CARD_DRIVER(CARD_NEEDED, CARD_OPTIONAL){0, 0, 0}};
#undef CARD_OF
#define CARD_OF card_compiler
static const card_name card_compiler_names[] = {CARD_COMPILER(CARD_NEEDED, CARD_OPTIONAL){0, 0, 0}};
#undef CARD_OF

static const char *const card_driver_files[] = {"libcuda.so.1", "libcuda.so", 0};
static const char *const card_compiler_files[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so", 0};

/* The numbers of the driver that are looked at. */
enum { CARD_INVALID = 1, CARD_FULL = 2, CARD_NOT_SUPPORTED = 801, CARD_MAJOR = 75, CARD_MINOR = 76, CARD_SHARED = 8, CARD_CONTEXTS = 64, CARD_FAULT_BYTES = 16, CARD_UNKNOWN_FLAG = 5 };

/* The code of a function in a context. It is never given back, as other threads may use it. */
typedef struct card_loaded {
  uint64_t code; /* its id */
  void *context;
  unsigned long long id; /* of the context, where the driver has such: a later one may have its address */
  const struct card_loaded *next;
  void *kernel[];
} card_loaded;

static struct {
  pthread_mutex_t mutex;                      /* of who changes something */
  _Atomic int is_open;                        /* the driver is */
  card_driver driver;
  void *_Atomic contexts[CARD_CONTEXTS];      /* the primary ones, which are taken once */
  const card_loaded *_Atomic loaded;
} card = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* card_refuse notes the first thing that is wrong. */
#define card_refuse(run, code, ...) ((run)->refused ? (run)->refused : ((run)->refused = refuse((run)->call, code, -1, -1, __VA_ARGS__)))

/* card_failed notes what the driver has refused, and says whether there is such. */
static int card_failed(ricci_run *run, const char *what, int code) {
  if (code == 0) return 0;
  const char *name = 0;
  if (!card.driver.cuGetErrorName || card.driver.cuGetErrorName(code, &name) || !name) name = "an error";
  if (code == CARD_FULL) card_refuse(run, RICCI_MEMORY, "%s: %s: the device has no memory left (%s, %d)", run->function->name, what, name, code);
  else card_refuse(run, RICCI_DRIVER, "%s: %s: the driver of CUDA says %s (%d), maybe about what was queued before", run->function->name, what, name, code);
  return 1;
}

/* card_open finds a library and its functions; else it writes why not. */
static int card_open(const char *const *files, const card_name *names, void *into, char *why, size_t room) {
  void *library = 0;
  for (const char *const *file = files; *file && !library; file++) library = dlopen(*file, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(why, room, "there is no %s", files[0]);
    return 0;
  }
  for (const card_name *n = names; n->name; n++) {
    void *function = dlsym(library, n->name);
    if (!function && !n->optional) {
      snprintf(why, room, "%s has no function %s", files[0], n->name);
      return 0;
    }
    memcpy((char *)into + n->at, &function, sizeof function);
  }
  return 1;
}

/* card_start opens the driver, once for all calls. */
static int32_t card_start(ricci_run *run) {
  if (atomic_load_explicit(&card.is_open, memory_order_acquire)) return RICCI_OK;
  char why[128];
  pthread_mutex_lock(&card.mutex);
  if (!card.is_open) {
    if (!card_open(card_driver_files, card_driver_names, &card.driver, why, sizeof why))
      card_refuse(run, RICCI_DRIVER, "%s: the driver of NVIDIA's cards: %s; install it (Debian non-free: nvidia-driver)", run->function->name, why);
    else if (!card_failed(run, "starting the driver", card.driver.cuInit(0)))
      atomic_store_explicit(&card.is_open, 1, memory_order_release);
  }
  pthread_mutex_unlock(&card.mutex);
  return run->refused;
}

/* card_context is the primary context of a device, which is kept. */
static void *card_context(ricci_run *run, int number, int device) {
  void *context = number < CARD_CONTEXTS ? atomic_load(&card.contexts[number]) : 0;
  if (context) return context;
  pthread_mutex_lock(&card.mutex);
  if (number < CARD_CONTEXTS) context = card.contexts[number];
  if (!context && !card_failed(run, "a context", card.driver.cuDevicePrimaryCtxRetain(&context, device)) && number < CARD_CONTEXTS) card.contexts[number] = context;
  pthread_mutex_unlock(&card.mutex);
  return context;
}

/* card_enter_context finds the context of a call. */
static int32_t card_enter_context(ricci_run *run, void **context) {
  int device = -1, wanted = -1;
  if (card_failed(run, "the context", card.driver.cuCtxGetCurrent(context))) return run->refused;
  if (*context && card_failed(run, "the context", card.driver.cuCtxGetDevice(&device))) return run->refused;
  if (*context && run->card < 0) return RICCI_OK;
  int number = run->card < 0 ? 0 : run->card;
  if (card_failed(run, "the device of the tensors", card.driver.cuDeviceGet(&wanted, number))) return run->refused;
  if (*context && device == wanted) return RICCI_OK;
  *context = card_context(run, number, wanted);
  if (!run->refused && !card_failed(run, "the context", card.driver.cuCtxPushCurrent_v2(*context))) run->entered = 1;
  return run->refused;
}

/* card_architecture is that of the present device, such as 86. */
static int card_architecture(ricci_run *run) {
  int device = 0, major = 0, minor = 0;
  if (card_failed(run, "the device", card.driver.cuCtxGetDevice(&device)) || card_failed(run, "the device", card.driver.cuDeviceGetAttribute(&major, CARD_MAJOR, device)) ||
      card_failed(run, "the device", card.driver.cuDeviceGetAttribute(&minor, CARD_MINOR, device)))
    return 0;
  return major * 10 + minor;
}

/* card_output takes what a compiler has made: it is to be freed. */
static char *card_output(void *program, int (*size)(void *, size_t *), int (*get)(void *, char *)) {
  size_t bytes = 0;
  char *text = size(program, &bytes) == 0 && bytes > 0 ? calloc(1, bytes + 1) : 0;
  if (text && get(program, text)) {
    free(text);
    return 0;
  }
  return text;
}

/* card_compile makes code of a text for the card: PTX where the compiler is older than it. The code is to be freed. */
static char *card_compile(ricci_run *run, const ricci_code *code, int architecture) {
  card_compiler c;
  char why[128], flag[48];
  if (!card_open(card_compiler_files, card_compiler_names, &c, why, sizeof why)) {
    card_refuse(run, RICCI_DRIVER, "%s: the run-time compiler of CUDA, of which this library has the text of its kernels: %s; install it (Debian non-free: libnvrtc11.2), or build the library where it is",
                run->function->name, why);
    return 0;
  }
  for (int newest = 0;; newest = 1) {
    void *program = 0;
    const char *flags[] = {flag, "--std=c++17", "-w", "--fmad=false"};
    snprintf(flag, sizeof flag, newest ? "--gpu-architecture=compute_%d" : "--gpu-architecture=sm_%d", newest ? code->architecture : architecture);
    int failed = c.nvrtcCreateProgram(&program, code->image, "kernel.cu", 0, 0, 0);
    if (!failed) failed = c.nvrtcCompileProgram(program, code->strict ? 4 : 3, flags);
    char *made = failed ? card_output(program, c.nvrtcGetProgramLogSize, c.nvrtcGetProgramLog)
                 : newest ? card_output(program, c.nvrtcGetPTXSize, c.nvrtcGetPTX) : card_output(program, c.nvrtcGetCUBINSize, c.nvrtcGetCUBIN);
    c.nvrtcDestroyProgram(&program);
    if (!failed && made) return made;
    if (failed != CARD_UNKNOWN_FLAG || newest) card_refuse(run, RICCI_DRIVER, "%s: the run-time compiler of CUDA refuses the kernels (%d): %s", run->function->name, failed, made ? made : "");
    free(made);
    if (run->refused) return 0;
  }
}

/* card_kernel finds a kernel, and tells the driver of launches that give more shared memory than a kernel can declare. */
static void card_kernel(ricci_run *run, const ricci_kernel *k, void *module, void **function) {
  if (card_failed(run, k->symbol, card.driver.cuModuleGetFunction(function, module, k->symbol)) || k->shared == 0) return;
  int code = card.driver.cuFuncSetAttribute(*function, CARD_SHARED, (int)k->shared);
  if (code == CARD_INVALID) card_refuse(run, RICCI_DRIVER, "%s: a group of %s has %u bytes of shared memory, and this card gives fewer (%d)", run->function->name, k->symbol, (unsigned)k->shared, code);
  else card_failed(run, k->symbol, code);
}

/* card_make loads the code of a function into the present context. */
static card_loaded *card_make(ricci_run *run, const ricci_code *code) {
  char *compiled = 0, what[32];
  void *module = 0;
  int architecture = card_architecture(run);
  card_loaded *l = calloc(1, sizeof *l + (size_t)code->kernels * sizeof *l->kernel);
  if (!l) card_refuse(run, RICCI_MEMORY, "%s: there is no memory for the list of kernels", run->function->name);
  if (!run->refused && architecture < code->architecture)
    card_refuse(run, RICCI_DRIVER, "%s: the kernels are for cards from sm_%d on, and this one is sm_%d", run->function->name, (int)code->architecture, architecture);
  if (!run->refused && code->is_text) compiled = card_compile(run, code, architecture);
  snprintf(what, sizeof what, "loading code for sm_%d", (int)code->architecture);
  if (!run->refused) card_failed(run, what, card.driver.cuModuleLoadData(&module, compiled ? compiled : code->image));
  for (int32_t k = 0; k < code->kernels && !run->refused; k++) card_kernel(run, &code->kernel[k], module, &l->kernel[k]);
  free(compiled);
  if (!run->refused) return l;
  free(l);
  return 0;
}

static const card_loaded *card_find(const ricci_code *code, void *context, unsigned long long id) {
  const card_loaded *l = atomic_load_explicit(&card.loaded, memory_order_acquire);
  while (l && (l->code != code->id || l->context != context || l->id != id)) l = l->next;
  return l;
}

/* card_load finds the code of a function in the present context, or loads it. */
static int32_t card_load(ricci_run *run, void *context) {
  const ricci_code *code = run->function->code;
  unsigned long long id = 0;
  if (card.driver.cuCtxGetId && card_failed(run, "the context", card.driver.cuCtxGetId(context, &id))) return run->refused;
  const card_loaded *found = card_find(code, context, id);
  if (!found) {
    pthread_mutex_lock(&card.mutex);
    found = card_find(code, context, id);
    card_loaded *made = found ? 0 : card_make(run, code);
    if (made) {
      made->code = code->id, made->context = context, made->id = id, made->next = card.loaded;
      atomic_store_explicit(&card.loaded, made, memory_order_release);
      found = made;
    }
    pthread_mutex_unlock(&card.mutex);
  }
  run->loaded = found;
  return run->refused;
}

static void card_leave(ricci_run *run) {
  void *left;
  if (run->entered) card.driver.cuCtxPopCurrent_v2(&left);
}

static int32_t card_enter(ricci_run *run) {
  void *context = 0;
  int32_t code = card_start(run);
  if (!code) code = card_enter_context(run, &context);
  if (!code) code = card_load(run, context);
  if (code) card_leave(run);
  return code;
}

/* card_take takes memory in the stream, or for the whole device where that cannot be done. */
static void *card_take(ricci_run *run, int64_t bytes) {
  void *memory = 0;
  if (run->refused) return 0;
  int code = card.driver.cuMemAllocAsync && card.driver.cuMemFreeAsync && !run->waits ? card.driver.cuMemAllocAsync(&memory, (size_t)bytes, run->call->stream) : CARD_NOT_SUPPORTED;
  if (code == CARD_NOT_SUPPORTED) {
    run->waits = 1;
    code = card.driver.cuMemAlloc_v2(&memory, (size_t)bytes);
  }
  return card_failed(run, "memory for temporaries", code) ? 0 : memory;
}

static void card_give(ricci_run *run, void *memory) {
  if (!run->waits) {
    card_failed(run, "giving memory back", card.driver.cuMemFreeAsync(memory, run->call->stream));
    return;
  }
  card_failed(run, "waiting", card.driver.cuStreamSynchronize(run->call->stream));
  card_failed(run, "giving memory back", card.driver.cuMemFree_v2(memory));
}

static int32_t card_copy(ricci_run *run, void *to, const void *from, int64_t bytes) {
  card_failed(run, "a copy", card.driver.cuMemcpyDtoDAsync_v2(to, from, (size_t)bytes, run->call->stream));
  return run->refused;
}

RICCI_SHARED const ricci_device ricci_card = {2, card_enter, card_leave, card_take, card_copy, card_give};

/* card_fill writes a number of the processor into memory of the device. */
static void card_fill(ricci_run *run, char *to, const char *from, int bits) {
  uint8_t b;
  uint16_t s;
  uint32_t w;
  for (int i = 0; i < bits / 32; i++) {
    memcpy(&w, from + 4 * i, sizeof w);
    card_failed(run, "a number", card.driver.cuMemsetD32Async(to + 4 * i, w, 1, run->call->stream));
  }
  memcpy(&s, from, bits == 16 ? sizeof s : 0);
  if (bits == 16) card_failed(run, "a number", card.driver.cuMemsetD16Async(to, s, 1, run->call->stream));
  memcpy(&b, from, bits == 8 ? sizeof b : 0);
  if (bits == 8) card_failed(run, "a number", card.driver.cuMemsetD8Async(to, b, 1, run->call->stream));
}

/* lies_with_caller says that an argument is a number that the device cannot read. */
static int lies_with_caller(const ricci_run *run, int32_t i) {
  return is_number(&run->function->argument[i]) && !is_of_device(&ricci_card, run->call->arguments[i]->device.device_type);
}

/* The workspace has what kernels ask for; then what tests leave; then numbers, each in 16 bytes. */
RICCI_SHARED void ricci_card_begin(ricci_run *run, int64_t workspace) {
  const ricci_function *g = run->function;
  const ricci_code *code = g->code;
  int64_t fault = (workspace + 63) & ~(int64_t)63, all = fault + (code->tests ? CARD_FAULT_BYTES : 0);
  for (int32_t i = 0; i < g->inputs; i++) all += lies_with_caller(run, i) ? 16 : 0;
  if (all == 0) return;
  run->workspace = card_take(run, all);
  if (!run->workspace) return;
  char *next = run->workspace + fault;
  if (code->tests) {
    card_failed(run, "zeros", card.driver.cuMemsetD8Async(next, 0, CARD_FAULT_BYTES, run->call->stream));
    run->record = next;
    next += CARD_FAULT_BYTES;
  }
  for (int32_t n = 0; n < code->notices; n++) card_failed(run, "zeros", card.driver.cuMemsetD32Async(run->workspace + code->notice[n], 0, 1, run->call->stream));
  for (int32_t i = 0; i < g->inputs; i++) {
    if (!lies_with_caller(run, i)) continue;
    card_fill(run, next, run->data[i], g->argument[i].bits);
    run->data[i] = next;
    next += 16;
  }
}

/* A kernel takes the workspace, the record of tests, and its words: 64 bits each. */
RICCI_SHARED void ricci_card_launch(ricci_run *run, int32_t kernel, const int64_t *groups, const int64_t *words, int32_t count) {
  const ricci_kernel *k = &((const ricci_code *)run->function->code)->kernel[kernel];
  if (run->refused) return;
  for (int i = 0; i < 3; i++) {
    const int64_t most = i == 0 ? INT32_MAX : UINT16_MAX;
    if (groups[i] < 1) return;
    if (groups[i] > most) {
      card_refuse(run, RICCI_SIZES, "%s: %s has %lld groups along %c, and a card %lld at most", run->function->name, k->symbol, (long long)groups[i], "xyz"[i], (long long)most);
      return;
    }
  }
  void *places[count + 2];
  places[0] = &run->workspace;
  places[1] = &run->record;
  for (int32_t i = 0; i < count; i++) places[i + 2] = (void *)&words[i];
  card_failed(run, k->symbol, card.driver.cuLaunchKernel(((const card_loaded *)run->loaded)->kernel[kernel], (unsigned)groups[0], (unsigned)groups[1], (unsigned)groups[2],
                                                         k->items[0], k->items[1], k->items[2], k->shared, run->call->stream, places, 0));
}

/* card_look waits for what kernels have left to be looked at. */
static int card_look(ricci_run *run, const ricci_code *code) {
  struct { int32_t site, unused; int64_t value; } record = {0, 0, 0};
  int32_t tripped[code->notices + 1];
  void *stream = run->call->stream;
  if (code->tests) card_failed(run, "a copy", card.driver.cuMemcpyDtoHAsync_v2(&record, run->record, sizeof record, stream));
  for (int32_t n = 0; n < code->notices; n++) card_failed(run, "a copy", card.driver.cuMemcpyDtoHAsync_v2(&tripped[n], run->workspace + code->notice[n], sizeof *tripped, stream));
  if (card_failed(run, "waiting", card.driver.cuStreamSynchronize(stream)) || run->refused) return 0;
  for (int32_t n = 0; n < code->notices; n++) run->guards += tripped[n] > 0;
  run->fault[0] = record.site;
  run->fault[1] = record.value;
  return record.site > 0;
}

RICCI_SHARED int ricci_card_end(ricci_run *run) {
  const ricci_code *code = run->function->code;
  int failed = !run->refused && (code->tests || code->notices > 0) && card_look(run, code);
  if (run->workspace) card_give(run, run->workspace);
  return failed;
}
