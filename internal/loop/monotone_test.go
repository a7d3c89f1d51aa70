package loop_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
)

// rowMajor writes loops over an array whose sizes are not known and the subscript
// in row-major order; last is the end of the innermost loop.
func rowMajor(rank int, last string) (head, body string) {
	sizes := []string{"N", "M", "P", "Q", "R"}[:rank]
	head = "buffer T float32[= " + strings.Join(sizes, " * ") + "] argument\nparams T"
	index := "i0"
	for i, size := range sizes {
		head = "var " + size + " int64\n" + head + fmt.Sprintf(", %s \"size %s\" nonnegative", size, size)
		end := size
		if i == rank-1 {
			end = last
		}
		body += fmt.Sprintf("for i%d = 0 .. %s step 1 { ", i, strings.ReplaceAll(end, "LAST", size))
		if i > 0 {
			index = fmt.Sprintf("(%s) * %s + i%d", index, size, i)
		}
	}
	return head, body + "store T[" + index + "] = float32(0) " + strings.Repeat("} ", rank)
}

// TestRowMajorOfOpenSizes: subscripts in row-major order are in bounds, and those of
// a loop that goes one too far are not.
func TestRowMajorOfOpenSizes(t *testing.T) {
	for rank := 2; rank <= 5; rank++ {
		head, body := rowMajor(rank, "LAST")
		if err := loop.Verify(parse(t, head, body)); err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
		head, body = rowMajor(rank, "LAST + 1")
		if err := loop.Verify(parse(t, head, body)); !errors.Is(err, loop.ErrUnproved) {
			t.Errorf("rank %d, one too far: %v", rank, err)
		}
	}
}

const convolutionHead = `
	var H int64
	var W int64
	var K int64
	var L int64
	var G int64
	buffer I float32[= G * H * W] argument readonly
	buffer O float32[= G * (H - K + 1) * (W - L + 1)] argument
	params I, O, G "size G" nonnegative, H "size H" nonnegative, W "size W" nonnegative, K "size K" nonnegative, L "size L" nonnegative
	require H - K
	require W - L`

// TestConvolutionOfOpenSizes has subscripts with extents that are differences.
func TestConvolutionOfOpenSizes(t *testing.T) {
	loops := `for g = 0 .. G step 1 { for h = 0 .. %s step 1 { for w = 0 .. %s step 1 { for r = 0 .. K step 1 { for s = 0 .. L step 1 { %s } } } } }`
	dense := func(load, store string) string {
		return fmt.Sprintf(loops, "H - K + 1", "W - L + 1", "store O["+store+"] = I["+load+"]")
	}
	strided := func(load string) string {
		return fmt.Sprintf(loops, "(H - K) / 2 + 1", "(W - L) / 2 + 1", "store O[0] = I["+load+"]")
	}
	const load, store = "(g * H + h + r) * W + w + s", "(g * (H - K + 1) + h) * (W - L + 1) + w"
	const skip = "(g * H + 2 * h + r) * W + 2 * w + s"
	for body, ok := range map[string]bool{
		dense(load, store):          true,
		dense(load+" + 1", store):   false,
		dense(load+" - 1", store):   false,
		dense(load, store+" + 1"):   false,
		dense(load, store+" - 1"):   false,
		strided(skip):               true,
		strided(skip + " + 1"):      false,
		strided(skip + " - 1"):      false,
		strided(skip + " + W"):      false,
		strided(load):               true,
		dense(skip, store):          false,
		dense("g + h + w", "h + w"): true,
	} {
		if err := loop.Verify(parse(t, convolutionHead, body)); ok != (err == nil) || err != nil && !errors.Is(err, loop.ErrUnproved) {
			t.Errorf("%s\n%v", body, err)
		}
	}
}
