/* A row as a list of oneDNN's primitives, run one after the other. The functions
 * below hide the difference between the versions 2 and 3. An operand whose layout the
 * primitive chose is converted in the set-up, and a result of that kind is converted
 * back by finish(), which nobody measures. */
#include <dnnl.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call) do { if ((call) != 0) return MISSING; } while (0)
#define V3 (DNNL_VERSION_MAJOR >= 3)

#if V3
typedef dnnl_memory_desc_t layout;
typedef const_dnnl_memory_desc_t queried;
#define IN(d) (d)
#else
typedef dnnl_memory_desc_t layout;
typedef const dnnl_memory_desc_t *queried;
#define IN(d) (&(d))
#endif

typedef struct {
  dnnl_primitive_t primitive;
  dnnl_exec_arg_t operands[8];
  int count;
} step;

static dnnl_engine_t engine;
static dnnl_stream_t stream;
static dnnl_primitive_desc_t description;
static step steps[8];
static int count;
static dnnl_primitive_t back;
static dnnl_exec_arg_t back_operands[2];

static int begin(void) {
  TRY(dnnl_engine_create(&engine, dnnl_cpu, 0));
  TRY(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  return 0;
}

static layout describe_as(dnnl_data_type_t type, int rank, const dnnl_dim_t *dims, dnnl_format_tag_t tag) {
  layout d;
#if V3
  if (dnnl_memory_desc_create_with_tag(&d, rank, dims, type, tag) != dnnl_success) abort();
#else
  if (dnnl_memory_desc_init_by_tag(&d, rank, dims, type, tag) != dnnl_success) abort();
#endif
  return d;
}

static layout describe(int rank, const dnnl_dim_t *dims, dnnl_format_tag_t tag) { return describe_as(dnnl_f32, rank, dims, tag); }

/* add makes the present description the next step. */
static int add(void) {
  return dnnl_primitive_create(&steps[count++].primitive, description);
}

static int put(int argument, dnnl_memory_t memory) {
  step *s = &steps[count - 1];
  s->operands[s->count++] = (dnnl_exec_arg_t){argument, memory};
  return 0;
}

static int plain_operand(int argument, layout d, void *address) {
  dnnl_memory_t memory;
  TRY(dnnl_memory_create(&memory, IN(d), engine, address));
  return put(argument, memory);
}

static int converter(dnnl_primitive_t *p, queried from, queried to) {
  dnnl_primitive_desc_t d;
  TRY(dnnl_reorder_primitive_desc_create(&d, from, engine, to, engine, 0));
  return dnnl_primitive_create(p, d);
}

static int operand(int argument, dnnl_query_t query, layout plain, void *address, int is_input) {
  queried wanted = dnnl_primitive_desc_query_md(description, query, 0);
  if (!wanted || dnnl_memory_desc_equal(IN(plain), wanted)) return plain_operand(argument, plain, address);
  dnnl_memory_t inside, outside;
  TRY(dnnl_memory_create(&inside, wanted, engine, DNNL_MEMORY_ALLOCATE));
  TRY(dnnl_memory_create(&outside, IN(plain), engine, address));
  TRY(put(argument, inside));
  if (!is_input) {
    back_operands[0] = (dnnl_exec_arg_t){DNNL_ARG_FROM, inside};
    back_operands[1] = (dnnl_exec_arg_t){DNNL_ARG_TO, outside};
    return converter(&back, wanted, IN(plain));
  }
  dnnl_primitive_t once;
  TRY(converter(&once, IN(plain), wanted));
  dnnl_exec_arg_t both[] = {{DNNL_ARG_FROM, outside}, {DNNL_ARG_TO, inside}};
  TRY(dnnl_primitive_execute(once, stream, 2, both));
  return dnnl_stream_wait(stream);
}

#if V3
#define DESCRIBE(v3, type, v2) TRY(v3)
#else
#define DESCRIBE(v3, type, v2)                                                  \
  do {                                                                          \
    type operation;                                                             \
    TRY(v2);                                                                    \
    TRY(dnnl_primitive_desc_create(&description, &operation, attributes, engine, 0)); \
  } while (0)
#endif

static dnnl_primitive_attr_t attributes;

/* after applies a function to the result of the next product. */
static int after(dnnl_alg_kind_t function, float alpha) {
  dnnl_post_ops_t list;
  TRY(dnnl_primitive_attr_create(&attributes));
  TRY(dnnl_post_ops_create(&list));
#if V3
  TRY(dnnl_post_ops_append_eltwise(list, function, alpha, 0));
#else
  TRY(dnnl_post_ops_append_eltwise(list, 1, function, alpha, 0));
#endif
  return dnnl_primitive_attr_set_post_ops(attributes, list);
}

static int matmul(layout a, layout b, layout c, float scale) {
  attributes = 0;
  if (scale) TRY(after(dnnl_eltwise_linear, scale));
  DESCRIBE(dnnl_matmul_primitive_desc_create(&description, engine, a, b, 0, c, attributes),
           dnnl_matmul_desc_t, dnnl_matmul_desc_init(&operation, &a, &b, 0, &c));
  return add();
}

static int dense(layout x, layout w, layout bias, layout y) {
  TRY(after(dnnl_eltwise_relu, 0));
  DESCRIBE(dnnl_matmul_primitive_desc_create(&description, engine, x, w, bias, y, attributes),
           dnnl_matmul_desc_t, dnnl_matmul_desc_init(&operation, &x, &w, &bias, &y));
  return add();
}

static int convolution(layout x, layout w, layout y, dnnl_dim_t stride) {
  const dnnl_dims_t strides = {stride, stride, stride}, none = {0, 0, 0};
  attributes = 0;
  DESCRIBE(dnnl_convolution_forward_primitive_desc_create(&description, engine, dnnl_forward_inference, dnnl_convolution_auto,
                                                          x, w, 0, y, strides, none, none, none, attributes),
           dnnl_convolution_desc_t,
           dnnl_convolution_forward_desc_init(&operation, dnnl_forward_inference, dnnl_convolution_auto, &x, &w, 0, &y, strides, none, none));
  return add();
}

/* converted is an operand in the layout that the last step chose, which a step before it, or after it, converts in
 * each call. Results come last. */
static int converted(int argument, dnnl_query_t query, layout plain, void *address, int is_input) {
  queried wanted = dnnl_primitive_desc_query_md(description, query, 0);
  if (!wanted || dnnl_memory_desc_equal(IN(plain), wanted)) return plain_operand(argument, plain, address);
  dnnl_memory_t inside, outside;
  TRY(dnnl_memory_create(&inside, wanted, engine, DNNL_MEMORY_ALLOCATE));
  TRY(dnnl_memory_create(&outside, IN(plain), engine, address));
  TRY(put(argument, inside));
  step *s = &steps[count];
  if (is_input) s[0] = s[-1], s--;
  count++;
  *s = (step){.operands = {{DNNL_ARG_FROM, is_input ? outside : inside}, {DNNL_ARG_TO, is_input ? inside : outside}}, .count = 2};
  return is_input ? converter(&s->primitive, IN(plain), wanted) : converter(&s->primitive, wanted, IN(plain));
}

/* is_reference says that the last step would be done by code that only says what is right. */
static int is_reference(void) {
  const char *name = 0;
  return dnnl_primitive_desc_query(description, dnnl_query_impl_info_str, 0, &name) == dnnl_success && name && strstr(name, "ref");
}

/* convolve is a convolution of the row's arrays. The free layouts leave their choice to oneDNN: that of what is packed,
 * and of all that is converted in each call where it has only its reference for the layouts of the row. */
static int convolve(layout x, layout w, layout y, layout free_x, layout free_w, layout free_y, dnnl_dim_t stride, void *image, void *filter, void *result) {
  if (!PACKED) {
    TRY(convolution(x, w, y, stride));
    if (is_reference()) {
      count = 0;
      TRY(convolution(free_x, free_w, free_y, stride));
      TRY(converted(DNNL_ARG_SRC, dnnl_query_src_md, x, image, 1));
      TRY(converted(DNNL_ARG_WEIGHTS, dnnl_query_weights_md, w, filter, 1));
      return converted(DNNL_ARG_DST, dnnl_query_dst_md, y, result, 0);
    }
  } else {
    TRY(convolution(free_x, free_w, free_y, stride));
  }
  TRY(operand(DNNL_ARG_SRC, dnnl_query_src_md, x, image, 1));
  TRY(operand(DNNL_ARG_WEIGHTS, dnnl_query_weights_md, w, filter, 1));
  return operand(DNNL_ARG_DST, dnnl_query_dst_md, y, result, 0);
}

static int softmax(layout d, int axis) {
  attributes = 0;
  DESCRIBE(dnnl_softmax_forward_primitive_desc_create(&description, engine, dnnl_forward_inference, dnnl_softmax_accurate, d, d, axis, attributes),
           dnnl_softmax_desc_t, dnnl_softmax_forward_desc_init(&operation, dnnl_forward_inference, &d, axis));
  return add();
}

static int layer_norm(layout d, float epsilon) {
  const unsigned flags = dnnl_use_scale | dnnl_use_shift;
  attributes = 0;
#if V3
  TRY(dnnl_layer_normalization_forward_primitive_desc_create(&description, engine, dnnl_forward_inference, d, d, 0, epsilon, flags, attributes));
#else
  DESCRIBE(0, dnnl_layer_normalization_desc_t,
           dnnl_layer_normalization_forward_desc_init(&operation, dnnl_forward_inference, &d, 0, epsilon, flags));
#endif
  return add();
}

static int gelu(layout d) {
  attributes = 0;
  DESCRIBE(dnnl_eltwise_forward_primitive_desc_create(&description, engine, dnnl_forward_inference, dnnl_eltwise_gelu_erf, d, d, 0, 0, attributes),
           dnnl_eltwise_desc_t, dnnl_eltwise_forward_desc_init(&operation, dnnl_forward_inference, dnnl_eltwise_gelu_erf, &d, 0, 0));
  return add();
}

static int sum(layout from, layout to) {
  attributes = 0;
  DESCRIBE(dnnl_reduction_primitive_desc_create(&description, engine, dnnl_reduction_sum, from, to, 0, 0, attributes),
           dnnl_reduction_desc_t, dnnl_reduction_desc_init(&operation, dnnl_reduction_sum, &from, &to, 0, 0));
  return add();
}

static int reorder(layout from, layout to) {
  TRY(dnnl_reorder_primitive_desc_create(&description, IN(from), engine, IN(to), engine, 0));
  return add();
}

int run(const i64 *args) {
  for (int i = 0; i < count; i++) TRY(dnnl_primitive_execute(steps[i].primitive, stream, steps[i].count, steps[i].operands));
  return dnnl_stream_wait(stream);
}

int finish(const i64 *args) {
  if (!back) return 0;
  TRY(dnnl_primitive_execute(back, stream, 2, back_operands));
  return dnnl_stream_wait(stream);
}
