package bench

import (
	"fmt"
	"strings"
)

// A contraction is O[o] = Σ X[x]·Y[y] with an index per letter. For a BLAS it
// becomes a matrix product between transpositions: the indices of X that are
// summed go in front, those of Y too, and the product's dimensions go where the
// output wants them.
type contraction struct {
	o, x, y string
	extents map[byte]int64
}

// text is the shim for a BLAS. Transpositions are plain loops over the target.
func (c contraction) text(p precision) string {
	var summed, left, right string
	for _, i := range []byte(c.x) {
		if strings.IndexByte(c.o, i) < 0 {
			summed += string(i)
		} else {
			left += string(i)
		}
	}
	for _, i := range []byte(c.y) {
		if strings.IndexByte(summed, i) < 0 {
			right += string(i)
		}
	}
	var b strings.Builder
	b.WriteString(typeText(p.double) + cblasText)
	fmt.Fprintf(&b, "#include <stdlib.h>\nenum { M = %d, N = %d, K = %d };\nstatic T *x, *y, *o;\n", c.product(left), c.product(right), c.product(summed))
	b.WriteString("int setup(const i64 *args) {\n  x = malloc(sizeof(T) * K * M), y = malloc(sizeof(T) * K * N), o = malloc(sizeof(T) * M * N);\n  return x && y && o ? 0 : 1;\n}\n")
	b.WriteString("int run(const i64 *args) {\n  const T *a = P(0), *b = P(1), *c = o;\n")
	c.permute(&b, "x", "a", &c.x, summed+left)
	c.permute(&b, "y", "b", &c.y, summed+right)
	target := "P(2)"
	if left+right != c.o {
		target = "o"
	}
	fmt.Fprintf(&b, "  BLAS(gemm)(ROW, TRANSPOSED, PLAIN, M, N, K, 1, a, M, b, N, 0, %s, N);\n", target)
	from := left + right
	c.permute(&b, "P(2)", "c", &from, c.o)
	b.WriteString("  return 0;\n}\n")
	return b.String()
}

func (c contraction) product(indices string) int64 {
	n := int64(1)
	for _, i := range []byte(indices) {
		n *= c.extents[i]
	}
	return n
}

// permute copies an array into another order of its indices, unless they have it.
// The pointer then points to the copy.
func (c contraction) permute(b *strings.Builder, target, pointer string, from *string, to string) {
	if *from == to {
		return
	}
	stride := map[byte]int64{}
	n := int64(1)
	for k := len(*from) - 1; k >= 0; k-- {
		stride[(*from)[k]] = n
		n *= c.extents[(*from)[k]]
	}
	b.WriteString("#pragma omp parallel for num_threads(args[1])\n")
	index, at := "", "0"
	for _, i := range []byte(to) {
		fmt.Fprintf(b, "  for (i64 %c_ = 0; %[1]c_ < %d; %[1]c_++)\n", i, c.extents[i])
		index += fmt.Sprintf(" + %c_ * %d", i, stride[i])
		at = fmt.Sprintf("(%s) * %d + %c_", at, c.extents[i], i)
	}
	fmt.Fprintf(b, "    (%s)[%s] = %s[0%s];\n", target, at, pointer, index)
	if pointer != "c" {
		fmt.Fprintf(b, "  %s = %s;\n", pointer, target)
	}
	*from = to
}
