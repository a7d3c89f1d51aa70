/* What the code of a def and the code that all defs share know of each other. */

enum { RICCI_IN, RICCI_OUT, RICCI_INOUT };

/* An argument of a function. */
typedef struct {
  const char *name;
  const char *shape;      /* for people */
  uint8_t code, bits;     /* of DLPack */
  uint16_t role;
  int32_t rank;
  const int64_t *strides; /* in elements; 0: row-major */
} ricci_argument;

/* Where a size comes from: an extent of an argument, the value of a scalar (dimension -1), or the
 * caller (argument -1). The caller may also give what is an extent of an output. */
typedef struct {
  const char *name;
  int32_t argument, dimension;
} ricci_size;

struct ricci_function;

/* What a function needs while it runs. */
typedef struct {
  void **data; /* of the arguments: the addresses of the first elements */
  const int64_t *sizes;
  int64_t threads, guards;
  int64_t fault[2];
  const struct ricci_function *function;
  ricci_call *call;
  int32_t refused; /* what a device has refused, which the call was told */
  int32_t card;    /* the number of the device; -1: no argument tells it */
  /* Of the device, while the function runs there: */
  const void *loaded; /* its code */
  char *workspace, *record; /* memory for temporaries, and for what a test leaves that fails */
  int32_t entered, waits; /* a context is to be left again; memory is to be waited for before it is given back */
} ricci_run;

/* A device that is no processor, with memory of its own. Functions return 0 or what is wrong, which the call was told. */
typedef struct {
  int32_t kind; /* of DLPack */
  int32_t (*enter)(ricci_run *run);
  void (*leave)(ricci_run *run);
  void *(*take)(ricci_run *run, int64_t bytes); /* memory; NULL: there is none */
  int32_t (*copy)(ricci_run *run, void *to, const void *from, int64_t bytes);
  void (*give)(ricci_run *run, void *memory);
} ricci_device;

/* A function: everything of it but its code is data. */
typedef struct ricci_function {
  const char *name;
  int32_t arguments, inputs, sizes, threads;
  int32_t extent_count; /* of all arguments together */
  const ricci_argument *argument;
  const ricci_size *size;
  const int64_t *fixed; /* the extents of all arguments, one after the other, where none depends on sizes that are open */
  /* extents puts sizes in the place of extents from which they follow, tests them, and computes the extents where they are not
   * fixed; it returns 0 or a code of explain. */
  int (*extents)(int64_t *sizes, int64_t *extents);
  const char *(*explain)(int code);
  /* run returns 0, a negative code of explain, or 1 after a fault. */
  int (*run)(ricci_run *run);
  const char *const (*faults)[2]; /* the text of each, before and behind the subscript */
  const ricci_device *device;     /* where it runs; 0: on the processor */
  const void *code;               /* for the device */
} ricci_function;

int32_t ricci_make_call(const ricci_function *function, ricci_call *call);
int32_t ricci_find_shapes(const ricci_function *function, ricci_call *call, int64_t *extents);
int ricci_tvm_call(const ricci_function *function, const void *arguments, int32_t count, void *result);
void *ricci_xla_call(const ricci_function *function, void *frame);
int64_t ricci_threads(void);
void *ricci_temporaries(int64_t bytes); /* to be freed; NULL where there is no memory */
void ricci_parallel(void (*body)(void *, int64_t, int64_t), void *context, int64_t count, int64_t threads);
