/* Functions as handlers of XLA's foreign function interface, which JAX calls by itself:
 *
 *   void *ricci_xla_NAME(void *frame)
 *
 * takes an XLA_FFI_CallFrame and returns 0, or an XLA_FFI_Error. The arguments are inputs, then what is updated; the results are
 * all outputs in their order. What is updated is copied to its result first, unless XLA put both in one place. Arrays of XLA are
 * dense and row-major. Those of a function on a card are there, in the context of the thread, and it is queued in the stream that XLA tells. This is version 0.1 of that interface, the least that XLA takes today; later ones only add members at the ends of records.
 */

enum { XLA_METADATA = 1, XLA_BUFFER = 1, XLA_VERSION_MAJOR = 0, XLA_VERSION_MINOR = 1 };

/* Every record begins with its size and a list of extensions. */
typedef struct xla_extension {
  size_t bytes;
  int32_t kind;
  struct xla_extension *next;
} xla_extension;

typedef struct {
  size_t bytes;
  xla_extension *extensions;
  int32_t major, minor;
} xla_version;

/* What XLA asks of a handler when it is registered. */
typedef struct {
  size_t bytes;
  xla_version version; /* out */
  uint32_t traits;     /* out */
} xla_metadata;

typedef struct {
  xla_extension head;
  xla_metadata *metadata;
} xla_metadata_extension;

typedef struct {
  size_t bytes;
  xla_extension *extensions;
  int32_t type;
  void *data;
  int64_t rank;
  int64_t *extents;
} xla_buffer;

typedef struct {
  size_t bytes;
  xla_extension *extensions;
  int64_t count;
  int32_t *kinds;
  void **values;
} xla_list;

typedef struct {
  size_t bytes;
  xla_extension *extensions;
  const char *message;
  int32_t code;
} xla_error_request;

typedef struct {
  size_t bytes;
  xla_extension *extensions;
  void *context;
  void *stream; /* out */
} xla_stream_request;

typedef struct {
  size_t bytes;
  xla_extension *extensions;
  xla_version version;
  void *internal;
  void *(*make_error)(xla_error_request *request);
  void *message_of_error, *free_error, *register_handler;
  void *(*find_stream)(xla_stream_request *request);
} xla_api;

typedef struct {
  size_t bytes;
  xla_extension *extensions;
  const xla_api *api;
  void *context;
  int32_t stage;
  xla_list arguments, results;
} xla_frame;

/* The types of elements by their numbers in XLA; a code of DLPack and bits. */
static const DLDataType xla_types[] = {
    [1] = {6, 8, 1}, [2] = {0, 8, 1}, [3] = {0, 16, 1}, [4] = {0, 32, 1}, [5] = {0, 64, 1}, [6] = {1, 8, 1}, [7] = {1, 16, 1},
    [8] = {1, 32, 1}, [9] = {1, 64, 1}, [10] = {2, 16, 1}, [11] = {2, 32, 1}, [12] = {2, 64, 1}, [15] = {5, 64, 1}, [16] = {4, 16, 1}, [18] = {5, 128, 1}};

/* xla_error makes an error of a result of a function. */
static void *xla_error(const xla_frame *f, int32_t code, const char *message) {
  enum { INVALID_ARGUMENT = 3, RESOURCE_EXHAUSTED = 8, OUT_OF_RANGE = 11, INTERNAL = 13 };
  xla_error_request request = {sizeof request, 0, message,
                               code == RICCI_MEMORY ? RESOURCE_EXHAUSTED : code == RICCI_BOUNDS ? OUT_OF_RANGE : code == RICCI_DRIVER ? INTERNAL : INVALID_ARGUMENT};
  return f->api->make_error(&request);
}

/* xla_tensor makes a tensor of a member of a list; 0 where it is no array. Which card it is on XLA does not say: that of the context. */
static DLTensor *xla_tensor(const ricci_function *g, DLTensor *t, const xla_list *list, int64_t i) {
  if (list->kinds[i] != XLA_BUFFER) return 0;
  const xla_buffer *b = list->values[i];
  *t = (DLTensor){.data = b->data, .device = {g->device ? g->device->kind : 1, g->device ? -1 : 0}, .ndim = (int32_t)b->rank, .shape = b->extents};
  if (b->type > 0 && (size_t)b->type < sizeof xla_types / sizeof *xla_types) t->dtype = xla_types[b->type];
  return t;
}

/* xla_copy copies a dense array to one of the same type and shape. */
static int32_t xla_copy(const ricci_function *g, ricci_call *call, int32_t i, const DLTensor *to, const DLTensor *from) {
  int64_t bytes = to->dtype.bits / 8;
  int same = from && to->ndim == from->ndim && memcmp(&to->dtype, &from->dtype, sizeof to->dtype) == 0;
  for (int d = 0; same && d < to->ndim; d++) {
    same = to->shape[d] == from->shape[d];
    bytes *= to->shape[d];
  }
  if (!same) return refuse(call, RICCI_SHAPE, i, -1, "%s: the argument for %s has not the type and shape of the result, expected %s", g->name, g->argument[i].name, g->argument[i].shape);
  if (bytes == 0 || to->data == from->data) return RICCI_OK;
  if (!g->device) {
    memcpy(to->data, from->data, (size_t)bytes);
    return RICCI_OK;
  }
  ricci_run run = {.function = g, .call = call, .card = -1};
  int32_t code = g->device->enter(&run);
  if (code) return code;
  code = g->device->copy(&run, to->data, from->data, bytes);
  g->device->leave(&run);
  return code;
}

RICCI_SHARED void *ricci_xla_call(const ricci_function *g, void *frame) {
  const xla_frame *f = frame;
  for (xla_extension *e = f->extensions; e; e = e->next) {
    if (e->kind != XLA_METADATA) continue;
    xla_metadata *m = ((xla_metadata_extension *)e)->metadata;
    m->version.major = XLA_VERSION_MAJOR, m->version.minor = XLA_VERSION_MINOR, m->traits = 0;
    return 0;
  }
  char message[2048];
  DLTensor room[MOST_ARGUMENTS], given, *tensors[MOST_ARGUMENTS];
  int32_t updated = 0;
  for (int32_t i = g->inputs; i < g->arguments; i++) updated += g->argument[i].role == RICCI_INOUT;
  if (g->arguments > MOST_ARGUMENTS || f->arguments.count != g->inputs + updated || f->results.count != g->arguments - g->inputs) {
    snprintf(message, sizeof message, "%s: %lld arguments and %lld results, expected %d and %d, at most %d together", g->name, (long long)f->arguments.count,
             (long long)f->results.count, (int)(g->inputs + updated), (int)(g->arguments - g->inputs), MOST_ARGUMENTS);
    return xla_error(f, RICCI_COUNT, message);
  }
  ricci_call call = {.bytes = sizeof call, .count = g->arguments, .arguments = tensors, .message_bytes = sizeof message, .message = message};
  if (g->device) {
    xla_stream_request request = {sizeof request, 0, f->context, 0};
    void *error = f->api->find_stream(&request);
    if (error) return error;
    call.stream = request.stream;
  }
  int64_t next = g->inputs; /* of the arguments that are updated */
  int32_t code = RICCI_OK;
  for (int32_t i = 0; i < g->arguments && !code; i++) {
    tensors[i] = i < g->inputs ? xla_tensor(g, &room[i], &f->arguments, i) : xla_tensor(g, &room[i], &f->results, i - g->inputs);
    if (tensors[i] && g->argument[i].role == RICCI_INOUT) code = xla_copy(g, &call, i, tensors[i], xla_tensor(g, &given, &f->arguments, next++));
  }
  if (!code) code = ricci_make_call(g, &call);
  return code ? xla_error(f, code, message) : 0;
}
