/* Functions in the calling convention of tvm-ffi, which PyTorch, JAX, CuPy and NumPy load:
 *
 *   int __tvm_ffi_NAME(void *handle, const TVMFFIAny *arguments, int32_t count, TVMFFIAny *result)
 *
 * The arguments are inputs and outputs in the order of the descriptor, then the sizes that no argument
 * tells. A tensor is one of tvm-ffi, or a pointer to one of DLPack; a scalar may be a number. What a library of tvm-ffi has
 * is looked up when there is an error to report, or the stream of a device to ask for, so that a process without it can load this code.
 */
#include <dlfcn.h>

/* What may be in an argument, by the numbers of tvm-ffi. */
enum { TVM_NONE = 0, TVM_INT = 1, TVM_BOOL = 2, TVM_FLOAT = 3, TVM_DLTENSOR = 7, TVM_MOVED = 10, TVM_TENSOR = 70 };

typedef struct {
  int32_t kind;
  uint32_t unused;
  union {
    int64_t integer;
    double real;
    void *pointer;
  };
} tvm_any;

/* The head of an object of tvm-ffi; that of a tensor is followed by a DLTensor. */
typedef struct {
  uint64_t uses;
  int32_t kind;
  uint32_t unused;
  void *deleter;
} tvm_object;

/* tensor_of_tvm is the tensor that an argument is, or 0. One that is moved here is a pointer to the caller's pointer to the object, which
 * stays the caller's where it is not taken. */
static DLTensor *tensor_of_tvm(const tvm_any *x) {
  if (x->kind == TVM_DLTENSOR) return x->pointer;
  char *object = x->pointer;
  int32_t kind = x->kind;
  if (kind == TVM_MOVED && object && (object = *(void **)x->pointer)) kind = ((tvm_object *)object)->kind;
  return kind == TVM_TENSOR && object ? (DLTensor *)(object + sizeof(tvm_object)) : 0;
}

/* A value holds a number that is passed for a scalar. */
typedef struct {
  DLTensor tensor;
  union { int8_t i8; int16_t i16; int32_t i32; int64_t i64; float f32; double f64; uint16_t half; } bits;
} tvm_value;

/* find_in_tvm finds a function of tvm-ffi, where that is. */
static void *find_in_tvm(const char *name) {
  void *function = dlsym(RTLD_DEFAULT, name);
  void *library = function ? 0 : dlopen("libtvm_ffi.so", RTLD_LAZY | RTLD_NOLOAD);
  return library ? dlsym(library, name) : function;
}

/* raise gives a text to tvm-ffi, where it is. */
static int raise_in_tvm(const char *kind, const char *message) {
  void (*set)(const char *, const char *) = (void (*)(const char *, const char *))find_in_tvm("TVMFFIErrorSetRaisedFromCStr");
  if (set) set(kind, message);
  return -1;
}

/* stream_in_tvm is the present stream of the device that the tensors of a function are on; 0 on the processor. */
static void *stream_in_tvm(const ricci_function *g, DLTensor *const *tensors) {
  if (!g->device) return 0;
  void *(*stream)(int32_t, int32_t) = (void *(*)(int32_t, int32_t))find_in_tvm("TVMFFIEnvGetStream");
  for (int32_t i = 0; stream && i < g->arguments; i++)
    if (tensors[i] && tensors[i]->device.device_type == g->device->kind) return stream(g->device->kind, tensors[i]->device.device_id);
  return 0;
}

/* half_of rounds a number to the nearest one of 16 bits with an exponent of some bits, ties to even. */
static uint16_t half_of(double x, int exponent_bits) {
  const int digits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
  uint64_t word;
  memcpy(&word, &x, sizeof word);
  uint16_t sign = (uint16_t)(word >> 63 << 15), infinite = (uint16_t)(((1 << exponent_bits) - 1) << digits);
  int exponent = (int)(word >> 52 & 2047) - 1023 + bias;
  uint64_t fraction = word & (((uint64_t)1 << 52) - 1);
  if ((word >> 52 & 2047) == 2047) return sign | infinite | (fraction ? (uint16_t)(1 << (digits - 1)) : 0);
  int shift = 52 - digits;
  if (exponent <= 0) { /* less than the least normal number */
    fraction |= (uint64_t)((word >> 52 & 2047) != 0) << 52;
    shift += 1 - exponent;
    exponent = 0;
    if (shift > 54) return sign;
  }
  uint64_t kept = fraction >> shift, rest = fraction & (((uint64_t)1 << shift) - 1), middle = (uint64_t)1 << (shift - 1);
  uint64_t magnitude = ((uint64_t)exponent << digits) + kept;
  if (rest > middle || (rest == middle && (magnitude & 1))) magnitude++;
  return sign | (magnitude >= infinite ? infinite : (uint16_t)magnitude);
}

/* hold makes a tensor of a number, of the type that the function takes; it returns 0 where the value is none of that type. */
static int hold(tvm_value *v, const ricci_argument *a, const tvm_any *x) {
  double real = x->kind == TVM_FLOAT ? x->real : (double)x->integer;
  v->tensor = (DLTensor){.data = &v->bits, .device = {1, 0}, .dtype = {a->code, a->bits, 1}};
  if (a->code == 2 || a->code == 4) {
    if (a->bits == 64) v->bits.f64 = real;
    else if (a->bits == 32) v->bits.f32 = (float)real;
    else v->bits.half = half_of(real, a->code == 4 ? 8 : 5);
    return 1;
  }
  if (x->kind == TVM_FLOAT) return 0;
  int64_t n = x->integer;
  v->bits.i64 = n; /* the lowest bytes come first on all machines with kernels */
  if (a->code == 6) return n == 0 || n == 1;
  if (a->bits == 64) return a->code == 0 || n >= 0;
  int64_t values = (int64_t)1 << a->bits;
  return a->code == 0 ? n >= -values / 2 && n < values / 2 : n >= 0 && n < values;
}

static const char *tvm_kind(int32_t code) {
  switch (code) {
  case RICCI_TYPE: case RICCI_COUNT: case RICCI_NULL: return "TypeError";
  case RICCI_BOUNDS: return "IndexError";
  case RICCI_MEMORY: return "MemoryError";
  case RICCI_DRIVER: return "RuntimeError";
  }
  return "ValueError";
}

RICCI_SHARED int ricci_tvm_call(const ricci_function *g, const void *arguments, int32_t count, void *result) {
  const tvm_any *list = arguments;
  char message[2048];
  tvm_value values[MOST_ARGUMENTS];
  DLTensor *tensors[MOST_ARGUMENTS];
  int64_t sizes[MOST_EXTENTS];
  int32_t open = 0;
  for (int32_t s = 0; s < g->sizes; s++) open += is_open(g, &g->size[s]);
  if (result) *(tvm_any *)result = (tvm_any){.kind = TVM_NONE};
  if (g->arguments > MOST_ARGUMENTS || open > MOST_EXTENTS) {
    snprintf(message, sizeof message, "%s has %d arguments, and takes at most %d from tvm-ffi: call ricci_call_%s", g->name, (int)g->arguments, MOST_ARGUMENTS, g->name);
    return raise_in_tvm("ValueError", message);
  }
  if (count != g->arguments + open && count != g->arguments) {
    snprintf(message, sizeof message, "%s: %d arguments, expected %d", g->name, (int)count, (int)(g->arguments + open));
    return raise_in_tvm("TypeError", message);
  }
  for (int32_t i = 0; i < g->arguments; i++) {
    const ricci_argument *a = &g->argument[i];
    int is_number = list[i].kind == TVM_INT || list[i].kind == TVM_BOOL || list[i].kind == TVM_FLOAT;
    if ((tensors[i] = tensor_of_tvm(&list[i]))) continue;
    if (is_number && a->rank == 0 && a->role == RICCI_IN && hold(&values[i], a, &list[i])) {
      tensors[i] = &values[i].tensor;
    } else {
      snprintf(message, sizeof message, "%s: %s is no tensor%s, expected %s", g->name, a->name, is_number && a->rank == 0 ? " and no number of its type" : "", a->shape);
      return raise_in_tvm("TypeError", message);
    }
  }
  for (int32_t s = 0; s < count - g->arguments; s++) {
    if (list[g->arguments + s].kind != TVM_INT) return raise_in_tvm("TypeError", "a size is no whole number");
    sizes[s] = list[g->arguments + s].integer;
  }
  ricci_call call = {.bytes = sizeof call, .count = g->arguments, .arguments = tensors, .sizes = count > g->arguments ? sizes : 0, .stream = stream_in_tvm(g, tensors), .message_bytes = sizeof message, .message = message};
  int32_t code = ricci_make_call(g, &call);
  return code ? raise_in_tvm(tvm_kind(code), message) : 0;
}
