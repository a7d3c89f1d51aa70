package bench

import "fmt"

// onednnText is what all shims for oneDNN share. A tensor is an address in the
// row's layout; with packing the primitive chooses the layout, and the reorder is
// done once, in the set-up.
func onednnText(double bool) string {
	if double {
		// oneDNN computes no f64.
		return "int setup(const i64 *args) { return 77; }\nint run(const i64 *args) { return 77; }\n#define ABSENT 1\n"
	}
	return fmt.Sprintf("enum { MISSING = %d };\n", statusMissing) + `
#include <dnnl.h>
#if DNNL_VERSION_MAJOR >= 3
typedef dnnl_memory_desc_t layout;
#define IN(d) (d)
#define make_layout(d, rank, dims, type, tag) dnnl_memory_desc_create_with_tag(d, rank, dims, type, tag)
#define same_layout(a, b) dnnl_memory_desc_equal(a, b)
typedef const_dnnl_memory_desc_t queried;
#else
typedef dnnl_memory_desc_t layout;
#define IN(d) (&(d))
#define make_layout(d, rank, dims, type, tag) dnnl_memory_desc_init_by_tag(d, rank, dims, type, tag)
#define same_layout(a, b) dnnl_memory_desc_equal(a, b)
typedef const dnnl_memory_desc_t *queried;
#endif
#define TRY(call) do { if ((call) != dnnl_success) return MISSING; } while (0)
static dnnl_engine_t engine;
static dnnl_stream_t stream;
static dnnl_primitive_t primitive;
static dnnl_primitive_desc_t description;
static dnnl_exec_arg_t operands[8];
static int count;

static int begin(void) {
  TRY(dnnl_engine_create(&engine, dnnl_cpu, 0));
  TRY(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  return 0;
}

/* operand adds memory at an address; where the primitive wants another layout the
 * data goes there now, or the result stays there. */
static int operand(int argument, dnnl_query_t query, layout plain, void *address, int is_input) {
  dnnl_memory_t memory;
  queried wanted = dnnl_primitive_desc_query_md(description, query, 0);
  if (same_layout(IN(plain), wanted)) {
    TRY(dnnl_memory_create(&memory, IN(plain), engine, address));
  } else {
    TRY(dnnl_memory_create(&memory, wanted, engine, DNNL_MEMORY_ALLOCATE));
    if (is_input) {
      dnnl_memory_t from;
      dnnl_primitive_desc_t how;
      dnnl_primitive_t reorder;
      TRY(dnnl_memory_create(&from, IN(plain), engine, address));
      TRY(dnnl_reorder_primitive_desc_create(&how, IN(plain), engine, wanted, engine, 0));
      TRY(dnnl_primitive_create(&reorder, how));
      dnnl_exec_arg_t both[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, memory}};
      TRY(dnnl_primitive_execute(reorder, stream, 2, both));
      TRY(dnnl_stream_wait(stream));
    }
  }
  operands[count++] = (dnnl_exec_arg_t){argument, memory};
  return 0;
}

static int execute(void) {
  TRY(dnnl_primitive_execute(primitive, stream, count, operands));
  TRY(dnnl_stream_wait(stream));
  return 0;
}
#if DNNL_VERSION_MAJOR >= 3
#define DESCRIBE_V3(call) TRY(call)
#define DESCRIBE_V2(type, init)
#else
#define DESCRIBE_V3(call)
#define DESCRIBE_V2(type, init) do { type operation; TRY(init); TRY(dnnl_primitive_desc_create(&description, &operation, 0, engine, 0)); } while (0)
#endif
`
}

// onednnMatmul multiplies matrices; packed lets oneDNN choose the layout of the
// second factor, as for weights.
func onednnMatmul(packed bool) string {
	return fmt.Sprintf(`
#ifndef ABSENT
enum { PACKED = %d, RANK = BATCH > 1 ? 3 : 2, SKIP = 3 - RANK };
int setup(const i64 *args) {
  if (begin()) return MISSING;
  const dnnl_dims_t a3 = {BATCH, M, K}, b3 = {STRIDE_B ? BATCH : 1, K, N}, c3 = {BATCH, M, N};
  const dnnl_format_tag_t plain = RANK == 3 ? dnnl_abc : dnnl_ab, swapped = RANK == 3 ? dnnl_acb : dnnl_ba;
  layout a, b, any, c;
  TRY(make_layout(&a, RANK, a3 + SKIP, dnnl_f32, TA ? swapped : plain));
  TRY(make_layout(&b, RANK, b3 + SKIP, dnnl_f32, TB ? swapped : plain));
  TRY(make_layout(&any, RANK, b3 + SKIP, dnnl_f32, PACKED ? dnnl_format_tag_any : TB ? swapped : plain));
  TRY(make_layout(&c, RANK, c3 + SKIP, dnnl_f32, plain));
  DESCRIBE_V3(dnnl_matmul_primitive_desc_create(&description, engine, a, any, 0, c, 0));
  DESCRIBE_V2(dnnl_matmul_desc_t, dnnl_matmul_desc_init(&operation, &a, &any, 0, &c));
  TRY(dnnl_primitive_create(&primitive, description));
  if (operand(DNNL_ARG_SRC, dnnl_query_src_md, a, P(0), 1)) return MISSING;
  if (operand(DNNL_ARG_WEIGHTS, dnnl_query_weights_md, b, P(1), 1)) return MISSING;
  return operand(DNNL_ARG_DST, dnnl_query_dst_md, c, P(2), 0);
}
int run(const i64 *args) { return execute(); }
#endif
`, flag(packed))
}
