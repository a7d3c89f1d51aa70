/* Functions that Ricci has compiled, as C programs call them: on DLPack's tensors.
 * docs/serve.md says what each result means, and where such functions come from. */
#ifndef RICCI_H
#define RICCI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The tensors of DLPack, where its own header was not included before. */
#ifndef DLPACK_DLPACK_H_
#ifndef RICCI_DLPACK
#define RICCI_DLPACK

typedef struct {
  int32_t device_type; /* 1: memory of the processor; 2: of a card of CUDA */
  int32_t device_id;
} DLDevice;

typedef struct {
  uint8_t code; /* 0 int, 1 uint, 2 float, 4 bfloat, 6 bool */
  uint8_t bits;
  uint16_t lanes; /* 1 */
} DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; /* in elements; NULL: row-major */
  uint64_t byte_offset;
} DLTensor;

#endif
#endif

#define RICCI_ABI 1

/* Of ricci_call.flags. */
#define RICCI_READ_ONLY 1

/* What a function returns. */
enum {
  RICCI_OK = 0,
  RICCI_COUNT = 1,     /* the number of arguments, or bytes */
  RICCI_NULL = 2,      /* a tensor, its shape or its data is missing */
  RICCI_DEVICE = 3,    /* it is in the memory of another device */
  RICCI_TYPE = 4,      /* of its elements */
  RICCI_RANK = 5,      /* the number of its dimensions */
  RICCI_SHAPE = 6,     /* an extent */
  RICCI_STRIDES = 7,   /* its elements lie otherwise than the function takes them */
  RICCI_ALIGNMENT = 8, /* its address is no multiple of the size of its elements */
  RICCI_READ_ONLY_OUTPUT = 9,
  RICCI_OVERLAP = 10,  /* two outputs share memory */
  RICCI_SIZES = 11,    /* the sizes, or the value of a scalar, break a condition of the program */
  RICCI_MEMORY = 12,   /* there is none for temporaries */
  RICCI_BOUNDS = 13,   /* a subscript that depends on data is out of bounds */
  RICCI_DRIVER = 14    /* there is no driver of the device, or it has refused something */
};

/* A call. Who makes one sets what it has to say and leaves the rest 0.
 *
 * A function on a device (the member device of its descriptor is not 1) takes tensors in its memory, all of one device; a scalar
 * may lie in memory of the processor, and has to where a size is its value. The call is queued in the stream, and what it takes is
 * to stay until that is done; only a function that tests subscripts waits. */
typedef struct ricci_call {
  uint32_t bytes;             /* sizeof(ricci_call) */
  int32_t count;              /* of the arguments */
  DLTensor *const *arguments; /* inputs, then outputs, in the order of the descriptor */
  const uint8_t *flags;       /* of each argument: RICCI_READ_ONLY or 0; NULL: none */
  const int64_t *sizes;       /* those that no argument tells, in the order of the descriptor */
  void *stream;               /* of the device, such as a CUstream; NULL: its default one, or the processor */
  int32_t threads;            /* at most so many; 0: as many as there are cores */
  uint32_t message_bytes;     /* how many bytes message has */
  char *message;              /* receives what is wrong, for people; may be NULL */
  int32_t argument;           /* out: which argument is at fault, or -1 */
  int32_t dimension;          /* out: which of its dimensions, or -1 */
  int64_t guards;             /* out: how many guarded sums were computed as they are written */
} ricci_call;

/* The functions of a library: for each def NAME
 *
 *   int32_t ricci_call_NAME(ricci_call *call);
 *   int32_t ricci_shapes_NAME(ricci_call *call, int64_t *extents);
 *   const char *ricci_describe_NAME(void);
 */
typedef int32_t ricci_function_call(ricci_call *call);
typedef int32_t ricci_function_shapes(ricci_call *call, int64_t *extents);
typedef const char *ricci_function_describe(void);

#ifdef __cplusplus
}
#endif

#endif
