/* The layouts of records that others pass, by the public headers of DLPack 1 (dlpack.h), tvm-ffi 0.1 (c_api.h, c_env_api.h) and XLA's
 * foreign function interface 0.1 to 0.4 (c_api.h), for pointers of 8 bytes. The text of package abi stands in front. */
#include <stddef.h>

#define AT(type, member, offset) _Static_assert(offsetof(type, member) == offset, #type "." #member)
#define BYTES(type, bytes) _Static_assert(sizeof(type) == bytes, #type)
#define IS(value, number) _Static_assert(value == number, #value)

/* DLTensor, the same in all versions of DLPack, and in DLManagedTensorVersioned. */
BYTES(DLTensor, 48);
AT(DLTensor, data, 0);
AT(DLTensor, device.device_type, 8);
AT(DLTensor, device.device_id, 12);
AT(DLTensor, ndim, 16);
AT(DLTensor, dtype.code, 20);
AT(DLTensor, dtype.bits, 21);
AT(DLTensor, dtype.lanes, 22);
AT(DLTensor, shape, 24);
AT(DLTensor, strides, 32);
AT(DLTensor, byte_offset, 40);

/* TVMFFIAny: type_index, zero_padding, and 8 bytes. */
BYTES(tvm_any, 16);
AT(tvm_any, kind, 0);
AT(tvm_any, unused, 4);
AT(tvm_any, integer, 8);
AT(tvm_any, real, 8);
AT(tvm_any, pointer, 8);
/* TVMFFIObject: combined_ref_count, type_index, padding, deleter. */
BYTES(tvm_object, 24);
AT(tvm_object, uses, 0);
AT(tvm_object, kind, 8);
AT(tvm_object, deleter, 16);
/* TVMFFITypeIndex. */
IS(TVM_NONE, 0);
IS(TVM_INT, 1);
IS(TVM_BOOL, 2);
IS(TVM_FLOAT, 3);
IS(TVM_DLTENSOR, 7);
IS(TVM_MOVED, 10);
IS(TVM_TENSOR, 70);
/* TVMFFISafeCallType, but for the function's table in the place of the handle. */
_Static_assert(_Generic(&ricci_tvm_call, int (*)(const ricci_function *, const void *, int32_t, void *): 1), "the function");

/* XLA_FFI_Extension_Base, XLA_FFI_Api_Version, XLA_FFI_Metadata, XLA_FFI_Metadata_Extension. */
AT(xla_extension, kind, 8);
AT(xla_extension, next, 16);
BYTES(xla_version, 24);
AT(xla_version, extensions, 8);
AT(xla_version, major, 16);
AT(xla_version, minor, 20);
AT(xla_metadata, version, 8);
AT(xla_metadata, traits, 32);
AT(xla_metadata_extension, metadata, 24);
/* XLA_FFI_Buffer. */
AT(xla_buffer, type, 16);
AT(xla_buffer, data, 24);
AT(xla_buffer, rank, 32);
AT(xla_buffer, extents, 40);
/* XLA_FFI_Args and XLA_FFI_Rets, which lie in the frame. */
BYTES(xla_list, 40);
AT(xla_list, count, 16);
AT(xla_list, kinds, 24);
AT(xla_list, values, 32);
/* XLA_FFI_CallFrame. */
AT(xla_frame, extensions, 8);
AT(xla_frame, api, 16);
AT(xla_frame, context, 24);
AT(xla_frame, stage, 32);
AT(xla_frame, arguments, 40);
AT(xla_frame, results, 80);
/* XLA_FFI_Api, as far as it is used, and XLA_FFI_Error_Create_Args. */
AT(xla_api, version, 16);
AT(xla_api, internal, 40);
AT(xla_api, make_error, 48);
AT(xla_api, find_stream, 80);
BYTES(xla_stream_request, 32);
AT(xla_stream_request, context, 16);
AT(xla_stream_request, stream, 24);
BYTES(xla_error_request, 32);
AT(xla_error_request, message, 16);
AT(xla_error_request, code, 24);
/* XLA_FFI_Extension_Metadata, XLA_FFI_ArgType_BUFFER and XLA_FFI_RetType_BUFFER. */
IS(XLA_METADATA, 1);
IS(XLA_BUFFER, 1);
