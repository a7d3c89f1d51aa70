package bench

import (
	_ "embed" // for the C text
	"fmt"
)

// onednnPrelude is what all shims for oneDNN share.
//
//go:embed shims/onednn.c
var onednnPrelude string

// onednnShim is a shim that builds its steps by a body of C, whose `run` is the
// same for all. PACKED lets oneDNN choose the layouts of constants.
func onednnShim(packed bool, macros, body string) string {
	return typeText(false) + fmt.Sprintf("enum { MISSING = %d, PACKED = %d };\n", statusMissing, flag(packed)) + macros + onednnPrelude + body
}

// onednnMatmul multiplies matrices.
const onednnMatmul = `
enum { RANK = BATCH > 1 ? 3 : 2, SKIP = 3 - RANK };
int setup(const i64 *args) {
  const dnnl_dims_t a3 = {BATCH, M, K}, b3 = {STRIDE_B ? BATCH : 1, K, N}, c3 = {BATCH, M, N};
  const dnnl_format_tag_t plain = RANK == 3 ? dnnl_abc : dnnl_ab, swapped = RANK == 3 ? dnnl_acb : dnnl_ba;
  TRY(begin());
  layout a = describe(RANK, a3 + SKIP, TA ? swapped : plain), b = describe(RANK, b3 + SKIP, TB ? swapped : plain);
  layout any = PACKED ? describe(RANK, b3 + SKIP, dnnl_format_tag_any) : b, c = describe(RANK, c3 + SKIP, plain);
  TRY(matmul(a, any, c, 0));
  TRY(operand(DNNL_ARG_SRC, dnnl_query_src_md, a, P(0), 1));
  TRY(operand(DNNL_ARG_WEIGHTS, dnnl_query_weights_md, b, P(1), 1));
  TRY(operand(DNNL_ARG_DST, dnnl_query_dst_md, c, P(2), 0));
  return 0;
}
`

// onednnNarrowMatmul multiplies matrices of narrow elements, whose types are macros.
const onednnNarrowMatmul = `
int setup(const i64 *args) {
  const dnnl_dims_t a2 = {M, K}, b2 = {K, N}, c2 = {M, N};
  TRY(begin());
  layout a = describe_as(TYPE_A, 2, a2, dnnl_ab), b = describe_as(TYPE_B, 2, b2, dnnl_ab), c = describe_as(TYPE_C, 2, c2, dnnl_ab);
  TRY(matmul(a, PACKED ? describe_as(TYPE_B, 2, b2, dnnl_format_tag_any) : b, c, 0));
  TRY(operand(DNNL_ARG_SRC, dnnl_query_src_md, a, P(0), 1));
  TRY(operand(DNNL_ARG_WEIGHTS, dnnl_query_weights_md, b, P(1), 1));
  TRY(operand(DNNL_ARG_DST, dnnl_query_dst_md, c, P(2), 0));
  return 0;
}
`

// A convolution has arguments X(N,C,H,W), V(F,C,KH,KW) and Y(N,F,H,W), all of them with a
// number of groups G in front of the channels when there are any.
type convolution struct {
	n, g, c, f, h, w, kh, kw, stride int64
	// last says that the channels are innermost: X(N,H,W,C), V(F,KH,KW,C), Y(N,H,W,F).
	last bool
}

func (v convolution) outputs() (h, w int64) {
	return (v.h-v.kh)/v.stride + 1, (v.w-v.kw)/v.stride + 1
}

func (v convolution) texts() map[string]string {
	return map[string]string{
		onednn:     onednnShim(false, v.macros(), onednnConvolution),
		onednnPack: onednnShim(true, v.macros(), onednnConvolution),
	}
}

func (v convolution) macros() string {
	h, w := v.outputs()
	layout := "dnnl_abcd"
	if v.last {
		layout = "dnnl_acdb"
	}
	return fmt.Sprintf("enum { N = %d, G = %d, C = %d, F = %d, H = %d, W = %d, KH = %d, KW = %d, STEP = %d, OH = %d, OW = %d };\n#define LAYOUT "+layout+"\n",
		v.n, max(v.g, 1), v.c, v.f, v.h, v.w, v.kh, v.kw, v.stride, h, w)
}

const onednnConvolution = `
int setup(const i64 *args) {
  const dnnl_dims_t x = {N, G * C, H, W}, v = {F, C, KH, KW}, grouped = {G, F, C, KH, KW}, y = {N, G * F, OH, OW};
  const dnnl_format_tag_t any = dnnl_format_tag_any;
  TRY(begin());
  layout weights = G > 1 ? describe(5, grouped, dnnl_abcde) : describe(4, v, LAYOUT);
  layout weights_any = G > 1 ? describe(5, grouped, any) : describe(4, v, any);
  return convolve(describe(4, x, LAYOUT), weights, describe(4, y, LAYOUT), describe(4, x, any), weights_any, describe(4, y, any), STEP, P(0), P(1), P(2));
}
`

// onednnNarrowConvolution is one of narrow elements, whose types are macros. With LAST the
// channels are innermost, those of the results in the filter, too.
const onednnNarrowConvolution = `
int setup(const i64 *args) {
  const dnnl_dims_t x = {N, C, H, W}, v = {F, C, KH, KW}, y = {N, F, OH, OW};
  const dnnl_format_tag_t image = LAST ? dnnl_acdb : dnnl_abcd, filter = LAST ? dnnl_cdba : dnnl_abcd, any = dnnl_format_tag_any;
  TRY(begin());
  layout from = describe_as(TYPE_X, 4, x, image), weights = describe_as(TYPE_V, 4, v, filter), to = describe_as(TYPE_Y, 4, y, image);
  layout from_any = describe_as(TYPE_X, 4, x, any), weights_any = describe_as(TYPE_V, 4, v, any), to_any = describe_as(TYPE_Y, 4, y, any);
  TRY(convolution(PACKED ? from_any : from, PACKED ? weights_any : weights, PACKED ? to_any : to, STEP));
  TRY(operand(DNNL_ARG_SRC, dnnl_query_src_md, from, P(0), 1));
  TRY(operand(DNNL_ARG_WEIGHTS, dnnl_query_weights_md, weights, P(1), 1));
  TRY(operand(DNNL_ARG_DST, dnnl_query_dst_md, to, P(2), 0));
  return 0;
}
`

// The steps of rows over the lines of a matrix with M lines of N elements.

const onednnSoftmax = `
int setup(const i64 *args) {
  const dnnl_dims_t dims = {M, N};
  TRY(begin());
  layout d = describe(2, dims, dnnl_ab);
  TRY(softmax(d, 1));
  TRY(operand(DNNL_ARG_SRC, dnnl_query_src_md, d, P(0), 1));
  TRY(operand(DNNL_ARG_DST, dnnl_query_dst_md, d, P(1), 0));
  return 0;
}
`

const onednnLayerNorm = `
int setup(const i64 *args) {
  const dnnl_dims_t dims = {M, N}, line = {N};
  TRY(begin());
  layout d = describe(2, dims, dnnl_ab), s = describe(1, line, dnnl_a);
  TRY(layer_norm(d, 1e-5f));
  TRY(operand(DNNL_ARG_SRC, dnnl_query_src_md, d, P(0), 1));
  TRY(plain_operand(DNNL_ARG_SCALE, s, P(1)));
  TRY(plain_operand(DNNL_ARG_SHIFT, s, P(2)));
  TRY(operand(DNNL_ARG_DST, dnnl_query_dst_md, d, P(3), 0));
  if (GELU) {
    TRY(gelu(d));
    TRY(plain_operand(DNNL_ARG_SRC, d, P(3)));
    TRY(plain_operand(DNNL_ARG_DST, d, P(3)));
  }
  return 0;
}
`

const onednnSum = `
int setup(const i64 *args) {
  const dnnl_dims_t all = {N}, one = {1};
  TRY(begin());
  layout from = describe(1, all, dnnl_a), to = describe(1, one, dnnl_a);
  TRY(sum(from, to));
  TRY(plain_operand(DNNL_ARG_SRC, from, P(0)));
  TRY(plain_operand(DNNL_ARG_DST, to, P(1)));
  return 0;
}
`

const onednnTranspose = `
int setup(const i64 *args) {
  const dnnl_dims_t dims = {M, N};
  TRY(begin());
  layout from = describe(2, dims, dnnl_ab), to = describe(2, dims, dnnl_ba);
  TRY(reorder(from, to));
  TRY(plain_operand(DNNL_ARG_FROM, from, P(0)));
  TRY(plain_operand(DNNL_ARG_TO, to, P(1)));
  return 0;
}
`

// onednnAttention is the sequence of a product, a softmax and a product.
const onednnAttention = `
int setup(const i64 *args) {
  const dnnl_dims_t q = {B, N, D}, k = {B, D, N}, s = {B, N, N};
  static float *scores;
  TRY(begin());
  scores = malloc(sizeof(float) * B * N * N);
  layout lq = describe(3, q, dnnl_abc), lk = describe(3, k, dnnl_acb), ls = describe(3, s, dnnl_abc);
  TRY(matmul(lq, lk, ls, 0.125f));
  TRY(plain_operand(DNNL_ARG_SRC, lq, P(0)));
  TRY(plain_operand(DNNL_ARG_WEIGHTS, lk, P(1)));
  TRY(plain_operand(DNNL_ARG_DST, ls, scores));
  TRY(softmax(ls, 2));
  TRY(plain_operand(DNNL_ARG_SRC, ls, scores));
  TRY(plain_operand(DNNL_ARG_DST, ls, scores));
  TRY(matmul(ls, lq, lq, 0));
  TRY(plain_operand(DNNL_ARG_SRC, ls, scores));
  TRY(plain_operand(DNNL_ARG_WEIGHTS, lq, P(2)));
  TRY(plain_operand(DNNL_ARG_DST, lq, P(3)));
  return 0;
}
`

// onednnPerceptron is a product with bias and rectification for each layer, which oneDNN
// does in one step.
const onednnPerceptron = `
int setup(const i64 *args) {
  T *from = P(0);
  TRY(begin());
  for (int i = 0; i < LAYERS; i++) {
    const dnnl_dims_t x = {B, widths[i]}, w = {widths[i], widths[i + 1]}, b = {1, widths[i + 1]}, y = {B, widths[i + 1]};
    T *to = KEPT ? P(1 + 2 * LAYERS + i) : i == LAYERS - 1 ? P(1 + 2 * LAYERS) : malloc(sizeof(T) * B * widths[i + 1]);
    layout lx = describe(2, x, dnnl_ab), lw = describe(2, w, dnnl_ba), lb = describe(2, b, dnnl_ab), ly = describe(2, y, dnnl_ab);
    TRY(dense(lx, PACKED ? describe(2, w, dnnl_format_tag_any) : lw, lb, ly));
    TRY(plain_operand(DNNL_ARG_SRC, lx, from));
    TRY(operand(DNNL_ARG_WEIGHTS, dnnl_query_weights_md, lw, P(1 + 2 * i), 1));
    TRY(plain_operand(DNNL_ARG_BIAS, lb, P(2 + 2 * i)));
    TRY(plain_operand(DNNL_ARG_DST, ly, to));
    from = to;
  }
  return 0;
}
`
