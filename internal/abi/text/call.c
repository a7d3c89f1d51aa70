/* Calls of functions on tensors: what is the same for all functions.
 *
 * How it works
 *
 * A function is a table (function.h). A call is checked against it in the order in which a person
 * would: the number of arguments, then of each what it is, then the sizes, then the shapes and
 * strides, then who shares memory with whom. The first mistake ends it, and its text is written
 * to the caller's memory. All state is on the stack, or in memory that the call takes and frees, so
 * that any number of threads may call at a time.
 *
 * An input that shares memory with an output is copied first, with all that lies between its elements:
 * the function reads the copy with the same strides.
 *
 * A function may run on a device (card.c), where its tensors lie then; scalars may lie where the processor reads them.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_ARGUMENTS = 64, /* whose records lie on the stack */
  MOST_EXTENTS = 256,
  MOST_THREADS = 1024,
  CODE_MEMORY = -1 /* of ricci_function.explain */
};

/* A place is where the elements of an argument lie. */
typedef struct {
  char *first;
  uintptr_t low, high; /* addresses: all elements lie in [low, high) */
  int64_t bytes;       /* of an element */
  int64_t step;        /* all elements lie a multiple of so many bytes from the first; 0: there is one only */
  int64_t period;      /* the bytes of the widest stride; 0 where there is one element */
  int64_t width;       /* so many bytes lie from the first to the end of the last element of what is repeated by that stride */
  int is_shared;       /* of an input: with an output */
} place;

/* A frame is what one call needs beside the tensors. */
typedef struct {
  const ricci_function *function;
  ricci_call *call;
  place *places;
  void **data;
  int64_t *sizes, *extents;
  void *memory; /* of these, where they are too many for the stack */
  int32_t card, on_card; /* the number of the device, and an argument that lies there; -1: none yet */
} frame;

static int32_t refuse(ricci_call *call, int32_t code, int32_t argument, int32_t dimension, const char *format, ...)
    __attribute__((format(printf, 5, 6), cold, noinline));

/* refuse notes what is wrong, and returns the code. */
static int32_t refuse(ricci_call *call, int32_t code, int32_t argument, int32_t dimension, const char *format, ...) {
  call->argument = argument;
  call->dimension = dimension;
  if (call->message && call->message_bytes > 0) {
    va_list list;
    va_start(list, format);
    vsnprintf(call->message, call->message_bytes, format, list);
    va_end(list);
  }
  return code;
}

/* named_type writes the name of a type of elements. */
static const char *named_type(char text[48], unsigned code, unsigned bits, unsigned lanes) {
  static const char *const names[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  if (code == 6 && bits == 8 && lanes == 1)
    strcpy(text, "bool");
  else if (code < sizeof names / sizeof *names && lanes == 1)
    snprintf(text, 48, "%s%u", names[code], bits);
  else
    snprintf(text, 48, "type %u of %u bits, %u lanes", code, bits, lanes);
  return text;
}

/* is_of_host says whether the processor can use memory of a kind of device: its own, and what CUDA and
 * ROCm have it share. */
static int is_of_host(int32_t device) { return device == 1 || device == 3 || device == 11 || device == 13; }

/* is_of_device says whether a device can use such memory: its own, and what CUDA has it share with the processor. */
static int is_of_device(const ricci_device *device, int32_t kind) { return kind == device->kind || kind == 3 || kind == 13; }

/* is_number says that an argument of a function on a device may lie where the processor reads it. */
static int is_number(const ricci_argument *a) { return a->rank == 0 && a->role == RICCI_IN; }

/* tells_size says that the value of an argument is a size, which the processor has to know. */
static int tells_size(const ricci_function *g, int32_t i) {
  for (int32_t s = 0; s < g->sizes; s++)
    if (g->size[s].argument == i && g->size[s].dimension < 0) return 1;
  return 0;
}

/* named_device writes whose memory a kind of device is. */
static const char *named_device(char text[48], int32_t kind) {
  static const char *const names[] = {"?", "the processor", "a CUDA device", "the processor, pinned by CUDA", "an OpenCL device"};
  if (kind > 0 && kind < (int32_t)(sizeof names / sizeof *names)) return names[kind];
  snprintf(text, 48, "a device of type %d", (int)kind);
  return text;
}

/* check_device tests where an argument lies. */
static int32_t check_device(frame *f, int32_t i) {
  const ricci_function *g = f->function;
  const ricci_argument *a = &g->argument[i];
  const DLDevice at = f->call->arguments[i]->device;
  const int32_t kind = g->device ? g->device->kind : 1;
  char got[48], want[48];
  if (is_of_host(at.device_type) && (kind == 1 || is_number(a))) return RICCI_OK;
  if (kind == 1 || (is_number(a) && tells_size(g, i)))
    return refuse(f->call, RICCI_DEVICE, i, -1, "%s: %s is in the memory of %s, expected the processor's%s", g->name, a->name, named_device(got, at.device_type),
                  kind == 1 ? "" : ", since a size is its value");
  if (!is_of_device(g->device, at.device_type))
    return refuse(f->call, RICCI_DEVICE, i, -1, "%s: %s is in the memory of %s, expected that of %s, for which the function was compiled", g->name, a->name,
                  named_device(got, at.device_type), named_device(want, kind));
  if (at.device_type != kind) return RICCI_OK;
  if (f->on_card >= 0 && at.device_id != f->card)
    return refuse(f->call, RICCI_DEVICE, i, -1, "%s: %s is on device %d, and %s on device %d of the same type", g->name, a->name, (int)at.device_id, g->argument[f->on_card].name, (int)f->card);
  f->card = at.device_id;
  f->on_card = i;
  return RICCI_OK;
}

/* check_kind compares what an argument is with what the function takes. */
static int32_t check_kind(frame *f, int32_t i) {
  const ricci_function *g = f->function;
  const ricci_argument *a = &g->argument[i];
  const DLTensor *t = f->call->arguments[i];
  char got[48], want[48];
  if (!t) return refuse(f->call, RICCI_NULL, i, -1, "%s: %s is missing, expected %s", g->name, a->name, a->shape);
  int32_t elsewhere = check_device(f, i);
  if (elsewhere) return elsewhere;
  if (t->dtype.code != a->code || t->dtype.bits != a->bits || t->dtype.lanes != 1)
    return refuse(f->call, RICCI_TYPE, i, -1, "%s: %s has elements of type %s, expected %s", g->name, a->name,
                  named_type(got, t->dtype.code, t->dtype.bits, t->dtype.lanes), named_type(want, a->code, a->bits, 1));
  if (t->ndim != a->rank)
    return refuse(f->call, RICCI_RANK, i, -1, "%s: %s has %d dimension%s, expected %d: %s", g->name, a->name, (int)t->ndim, t->ndim == 1 ? "" : "s", (int)a->rank, a->shape);
  if (a->rank > 0 && !t->shape) return refuse(f->call, RICCI_NULL, i, -1, "%s: the shape of %s is NULL", g->name, a->name);
  if (a->role != RICCI_IN && f->call->flags && (f->call->flags[i] & RICCI_READ_ONLY))
    return refuse(f->call, RICCI_READ_ONLY_OUTPUT, i, -1, "%s: %s is read-only, and is written to", g->name, a->name);
  return RICCI_OK;
}

/* number reads a scalar that is a whole number. */
static int64_t number(const DLTensor *t) {
  union { int8_t i8; int16_t i16; int32_t i32; int64_t i64; uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64; } x;
  memcpy(&x, (const char *)t->data + t->byte_offset, t->dtype.bits / 8);
  switch (t->dtype.bits) {
  case 8: return t->dtype.code == 0 ? x.i8 : x.u8;
  case 16: return t->dtype.code == 0 ? x.i16 : x.u16;
  case 32: return t->dtype.code == 0 ? (int64_t)x.i32 : (int64_t)x.u32;
  }
  return t->dtype.code == 1 && x.u64 > INT64_MAX ? INT64_MAX : x.i64;
}

/* is_open says that the caller may give a size: no input tells it. */
static int is_open(const ricci_function *g, const ricci_size *s) {
  return s->argument < 0 || g->argument[s->argument].role == RICCI_OUT;
}

/* find_sizes computes what sizes stand for. */
static int32_t find_sizes(frame *f) {
  const ricci_function *g = f->function;
  const int64_t *given = f->call->sizes;
  for (int32_t s = 0; s < g->sizes; s++) {
    const ricci_size *size = &g->size[s];
    const DLTensor *t = size->argument < 0 || size->argument >= f->call->count ? 0 : f->call->arguments[size->argument];
    if (given && is_open(g, size)) {
      f->sizes[s] = *given++;
    } else if (!t) {
      return refuse(f->call, RICCI_COUNT, size->argument, -1, "%s: the value of the size %s is not given", g->name, size->name);
    } else if (size->dimension >= 0) {
      f->sizes[s] = t->shape[size->dimension];
    } else if (!t->data) {
      return refuse(f->call, RICCI_NULL, size->argument, -1, "%s: the data of %s is NULL", g->name, g->argument[size->argument].name);
    } else {
      f->sizes[s] = number(t);
    }
  }
  return RICCI_OK;
}

/* find_extents tests the sizes, and computes the shapes that follow from them. */
static int32_t find_extents(frame *f) {
  const ricci_function *g = f->function;
  int code = g->extents ? g->extents(f->sizes, f->extents) : 0;
  if (code) return refuse(f->call, RICCI_SIZES, -1, -1, "%s: %s", g->name, g->explain(code));
  return RICCI_OK;
}

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* check_place compares shape and strides of an argument, and notes where its elements lie. */
static int32_t check_place(frame *f, int32_t i, const int64_t *extents) {
  const ricci_function *g = f->function;
  const ricci_argument *a = &g->argument[i];
  const DLTensor *t = f->call->arguments[i];
  int64_t bytes = a->bits / 8, dense = 1, low = 0, high = 1, step = 0, period = 0, reach = 0;
  int empty = 0;
  for (int d = a->rank - 1; d >= 0; d--) {
    if (t->shape[d] != extents[d])
      return refuse(f->call, RICCI_SHAPE, i, d, "%s: dimension %d of %s has the extent %lld, expected %lld: %s", g->name, d, a->name, (long long)t->shape[d], (long long)extents[d], a->shape);
    empty |= extents[d] == 0;
  }
  for (int d = a->rank - 1; d >= 0 && !empty; d--) {
    int64_t want = a->strides ? a->strides[d] : dense, got = t->strides ? t->strides[d] : dense;
    if (extents[d] > 1 && got != want)
      return refuse(f->call, RICCI_STRIDES, i, d, "%s: dimension %d of %s has the stride %lld, the function was compiled for %lld elements", g->name, d, a->name, (long long)got, (long long)want);
    if (want < 0) low += (extents[d] - 1) * want;
    else high += (extents[d] - 1) * want;
    if (extents[d] > 1) {
      int64_t apart = want < 0 ? -want : want;
      step = common_divisor(step, apart);
      if (apart > period) {
        period = apart;
        reach = (extents[d] - 1) * apart;
      } else if (apart == period) {
        reach += (extents[d] - 1) * apart;
      }
    }
    dense *= extents[d];
  }
  place *p = &f->places[i];
  p->first = (char *)t->data + t->byte_offset;
  p->low = p->high = 0; /* which is beside everything */
  p->is_shared = 0;
  f->data[i] = p->first;
  if (empty) return RICCI_OK;
  if (!t->data) return refuse(f->call, RICCI_NULL, i, -1, "%s: the data of %s is NULL", g->name, a->name);
  if ((uintptr_t)p->first % (uintptr_t)bytes != 0)
    return refuse(f->call, RICCI_ALIGNMENT, i, -1, "%s: the address of %s is no multiple of the %lld bytes of its elements", g->name, a->name, (long long)bytes);
  p->low = (uintptr_t)p->first + (uintptr_t)(low * bytes);
  p->high = (uintptr_t)p->first + (uintptr_t)(high * bytes);
  p->bytes = bytes;
  p->step = step * bytes;
  p->period = period * bytes;
  p->width = (high - low - reach) * bytes;
  return RICCI_OK;
}

/* lie_beside says whether what lies in a width of bytes, every so many, leaves room for what begins elsewhere and lies as often. */
static int lie_beside(int64_t every, uintptr_t a, int64_t a_width, uintptr_t b, int64_t b_width) {
  int64_t offset = (int64_t)(a < b ? (b - a) % (uintptr_t)every : ((uintptr_t)every - (a - b) % (uintptr_t)every) % (uintptr_t)every);
  return offset >= a_width && every - offset >= b_width;
}

/* share_memory says whether two may have a byte in common. It finds out that even and odd elements, columns beside each other and parts of
 * larger elements have none; of elements that interleave in a more intricate way it says that they have. */
static int share_memory(const place *a, const place *b) {
  if (a->low >= b->high || b->low >= a->high) return 0;
  int64_t step = common_divisor(a->step, b->step), period = a->period > b->period ? a->period : b->period;
  if (step > 0 && lie_beside(step, (uintptr_t)a->first, a->bytes, (uintptr_t)b->first, b->bytes)) return 0;
  int64_t a_width = a->period == period ? a->width : (int64_t)(a->high - a->low), b_width = b->period == period ? b->width : (int64_t)(b->high - b->low);
  return !(period > 0 && lie_beside(period, a->low, a_width, b->low, b_width));
}

/* find_shared marks the inputs that share memory with outputs, and adds up the bytes of their copies. */
static int32_t find_shared(frame *f, size_t *bytes) {
  const ricci_function *g = f->function;
  for (int32_t o = g->inputs; o < g->arguments; o++) {
    for (int32_t p = g->inputs; p < o; p++)
      if (share_memory(&f->places[o], &f->places[p]))
        return refuse(f->call, RICCI_OVERLAP, o, -1, "%s: %s and %s share memory, and both are written to", g->name, g->argument[p].name, g->argument[o].name);
    for (place *p = f->places; p < f->places + g->inputs; p++)
      if (!p->is_shared && share_memory(&f->places[o], p)) {
        p->is_shared = 1;
        *bytes += (p->high - p->low + 63) & ~(size_t)63;
      }
  }
  return RICCI_OK;
}

/* separate copies the inputs that share memory with outputs, into one block. */
static int32_t separate(frame *f, ricci_run *run, void **copies) {
  const ricci_function *g = f->function;
  const ricci_device *device = g->device;
  size_t bytes = 0;
  int32_t code = find_shared(f, &bytes);
  if (code || bytes == 0) return code;
  char *next = *copies = device ? device->take(run, (int64_t)bytes) : ricci_temporaries((int64_t)bytes);
  if (!next && run->refused) return run->refused;
  if (!next) return refuse(f->call, RICCI_MEMORY, -1, -1, "%s: there is no memory to copy inputs that share memory with outputs", g->name);
  for (int32_t i = 0; i < g->inputs && !code; i++) {
    place *p = &f->places[i];
    if (!p->is_shared) continue;
    if (device) code = device->copy(run, next, (const void *)p->low, (int64_t)(p->high - p->low));
    else memcpy(next, (const void *)p->low, p->high - p->low);
    f->data[i] = next + ((uintptr_t)p->first - p->low);
    next += (p->high - p->low + 63) & ~(size_t)63;
  }
  return code;
}

/* compute runs the function on arguments that were checked. */
static int32_t compute(frame *f, ricci_run *run) {
  const ricci_function *g = f->function;
  ricci_call *call = f->call;
  int code = g->run(run);
  call->guards = run->guards;
  if (run->refused) return run->refused;
  if (code == 0) return RICCI_OK;
  if (code < 0) return refuse(call, code == CODE_MEMORY ? RICCI_MEMORY : RICCI_SIZES, -1, -1, "%s: %s", g->name, g->explain(code));
  const char *const *text = g->faults[run->fault[0] - 1];
  return refuse(call, RICCI_BOUNDS, -1, -1, "%s%lld%s", text[0], (long long)run->fault[1], text[1]);
}

/* run_checked computes between what is to be done before and behind. */
static int32_t run_checked(frame *f) {
  const ricci_function *g = f->function;
  const ricci_device *device = g->device;
  ricci_call *call = f->call;
  int64_t threads = call->threads > 0 ? call->threads : g->threads > 0 && g->threads < ricci_threads() ? g->threads : ricci_threads();
  ricci_run run = {.data = f->data, .sizes = f->sizes, .threads = threads < MOST_THREADS ? threads : MOST_THREADS, .function = g, .call = call, .card = f->card};
  int32_t code = device ? device->enter(&run) : RICCI_OK;
  if (code) return code;
  void *copies = 0;
  code = separate(f, &run, &copies);
  if (!code) code = compute(f, &run);
  if (copies && device) device->give(&run, copies);
  else free(copies);
  if (device) device->leave(&run);
  return code ? code : run.refused;
}

static int32_t call_checked(frame *f) {
  const ricci_function *g = f->function;
  int32_t code;
  for (int32_t i = 0; i < g->arguments; i++)
    if ((code = check_kind(f, i))) return code;
  if ((code = find_sizes(f)) || (code = find_extents(f))) return code;
  const int64_t *extents = g->fixed ? g->fixed : f->extents;
  for (int32_t i = 0; i < g->arguments; extents += g->argument[i++].rank)
    if ((code = check_place(f, i, extents))) return code;
  return run_checked(f);
}

/* begin tests what a call says of itself, and gives a large function memory for its records. */
static int32_t begin(frame *f) {
  const ricci_function *g = f->function;
  ricci_call *call = f->call;
  if (!call) return RICCI_COUNT;
  if (call->bytes != sizeof *call) return RICCI_COUNT; /* of another version: nothing else is known of it */
  call->argument = call->dimension = -1;
  call->guards = 0;
  if (call->message && call->message_bytes > 0) call->message[0] = 0;
  if (call->count > 0 && !call->arguments) return refuse(call, RICCI_NULL, -1, -1, "%s: the list of arguments is NULL", g->name);
  if (g->arguments <= MOST_ARGUMENTS && g->extent_count <= MOST_EXTENTS && g->sizes <= MOST_EXTENTS) return RICCI_OK;
  size_t places = (size_t)g->arguments * sizeof *f->places, data = (size_t)g->arguments * sizeof *f->data;
  size_t numbers = ((size_t)g->extent_count + (size_t)g->sizes) * sizeof(int64_t);
  char *memory = f->memory = malloc(places + data + numbers);
  if (!memory) return refuse(call, RICCI_MEMORY, -1, -1, "%s: there is no memory for a call", g->name);
  f->places = (place *)memory;
  f->data = (void **)(memory + places);
  f->sizes = (int64_t *)(memory + places + data);
  f->extents = f->sizes + g->sizes;
  return RICCI_OK;
}

/* ricci_make_call is the function on tensors of all defs. */
RICCI_SHARED int32_t ricci_make_call(const ricci_function *function, ricci_call *call) {
  place places[MOST_ARGUMENTS];
  void *data[MOST_ARGUMENTS];
  int64_t sizes[MOST_EXTENTS], extents[MOST_EXTENTS];
  frame f = {function, call, places, data, sizes, extents, 0, -1, -1};
  int32_t code = begin(&f);
  if (!code && call->count != function->arguments)
    code = refuse(call, RICCI_COUNT, -1, -1, "%s: %d arguments, expected %d: %d inputs, then the outputs", function->name, (int)call->count, (int)function->arguments, (int)function->inputs);
  if (!code) code = call_checked(&f);
  if (f.memory) free(f.memory);
  return code;
}

/* find_shapes computes the extents of the outputs of a call whose arguments are there as far as they tell sizes. */
static int32_t find_shapes(frame *f, int64_t *extents) {
  const ricci_function *g = f->function;
  int32_t code;
  for (int32_t s = 0; s < g->sizes; s++) {
    int32_t i = g->size[s].argument;
    if (i < 0 || is_open(g, &g->size[s])) continue;
    if (i >= f->call->count) return refuse(f->call, RICCI_NULL, i, -1, "%s: %s is missing, expected %s", g->name, g->argument[i].name, g->argument[i].shape);
    if ((code = check_kind(f, i))) return code;
  }
  if ((code = find_sizes(f)) || (code = find_extents(f))) return code;
  const int64_t *all = g->fixed ? g->fixed : f->extents;
  for (int32_t i = 0; i < g->arguments; i++)
    for (int d = 0; d < g->argument[i].rank; d++, all++)
      if (i >= g->inputs) *extents++ = *all;
  return RICCI_OK;
}

/* ricci_find_shapes computes the shapes of the outputs. */
RICCI_SHARED int32_t ricci_find_shapes(const ricci_function *function, ricci_call *call, int64_t *extents) {
  place places[MOST_ARGUMENTS];
  void *data[MOST_ARGUMENTS];
  int64_t sizes[MOST_EXTENTS], all[MOST_EXTENTS];
  frame f = {function, call, places, data, sizes, all, 0, -1, -1};
  int32_t code = begin(&f);
  if (!code) code = find_shapes(&f, extents);
  if (f.memory) free(f.memory);
  return code;
}
