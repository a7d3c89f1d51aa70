package bench

// The peers of studies: what libraries are told to compute, at the sizes of a row.

func dotPeers(s map[string]int64) map[string]string {
	return map[string]string{cblas: blasShim(single, enumAs(s, "N", "K"), blasDot)}
}

func reducePeers(s map[string]int64) map[string]string {
	return map[string]string{onednn: onednnShim(false, enumAll(s), onednnSum)}
}

func matvecPeers(s map[string]int64) map[string]string {
	return map[string]string{cblas: blasShim(single, enumAs(s, "M", "I", "K", "K"), blasMatVec)}
}

func matmulPeers(s map[string]int64) map[string]string {
	return gemm{m: s["I"], n: s["J"], k: s["K"]}.texts()
}

// matmulTPeers are products of two matrices that are stored transposed with a result that is, too: the plain
// product of the second and the first.
func matmulTPeers(s map[string]int64) map[string]string {
	return gemm{m: s["J"], n: s["I"], k: s["K"], swapped: true}.texts()
}

func bmatmulPeers(s map[string]int64) map[string]string {
	return gemm{batch: s["B"], m: s["I"], n: s["J"], k: s["K"]}.texts()
}

func ccsdtPeers(x, y string) func(map[string]int64) map[string]string {
	return func(s map[string]int64) map[string]string {
		extents := map[byte]int64{}
		for name, n := range s {
			extents[name[0]-'A'+'a'] = n
		}
		return map[string]string{cblas: contraction{o: "abcdef", x: x, y: y, extents: extents}.text(single)}
	}
}

// conv2dPeers are convolutions with one channel.
func conv2dPeers(s map[string]int64) map[string]string {
	return convolution{n: 1, c: 1, f: 1, h: s["P"] + s["R"] - 1, w: s["Q"] + s["S"] - 1, kh: s["R"], kw: s["S"], stride: 1}.texts()
}

// layer is a convolution of MDH, whose sizes are those of the result, and of the image where it may be larger than
// what is read.
func layer(s map[string]int64, stride int64) convolution {
	v := convolution{n: s["N"], c: s["C"], f: s["K"], h: s["H"], w: s["W"], kh: s["R"], kw: s["S"], stride: stride, last: true}
	if v.h == 0 {
		v.h, v.w = stride*(s["P"]-1)+v.kh, stride*(s["Q"]-1)+v.kw
	}
	return v
}

func mccPeers(s map[string]int64) map[string]string        { return layer(s, 1).texts() }
func mccStridedPeers(s map[string]int64) map[string]string { return layer(s, 2).texts() }

func capsuleMacros(stride int64) func(map[string]int64) string {
	return func(s map[string]int64) string {
		return layer(s, stride).macros() + enumAs(s, "MI", "MI", "MJ", "MJ", "MK", "MK")
	}
}

// jacobi3dPeers are convolutions with a filter that has zeros but for its star, as in the paper.
func jacobi3dPeers(s map[string]int64) map[string]string {
	return map[string]string{onednn: onednnShim(false, enumAll(s), onednnJacobi3D), onednnPack: onednnShim(true, enumAll(s), onednnJacobi3D)}
}

const onednnJacobi3D = `
static float star[27];
int setup(const i64 *args) {
  const dnnl_dims_t x = {1, 1, N1 + 2, N2 + 2, N3 + 2}, v = {1, 1, 3, 3, 3}, y = {1, 1, N1, N2, N3};
  const dnnl_format_tag_t any = dnnl_format_tag_any;
  star[4] = star[10] = star[12] = star[14] = star[16] = star[22] = 0.1f;
  star[13] = 0.4f;
  TRY(begin());
  return convolve(describe(5, x, dnnl_abcde), describe(5, v, dnnl_abcde), describe(5, y, dnnl_abcde),
                  describe(5, x, any), describe(5, v, any), describe(5, y, any), 1, P(0), star, P(1));
}
`
