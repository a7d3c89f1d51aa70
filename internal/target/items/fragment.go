package items

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How fragments are multiplied
//
// A helper for each shape packs what a lane has of both operands into words of 32 bits and hands them to the instruction, which a macro of
// the dialect is: who runs the text where there is no matrix unit defines it before.

// multiplyFragments prints a Fragments.
func (k *kernel) multiplyFragments(s *loop.Fragments) {
	if k.unit.dialect.Fragments == nil {
		k.unit.refuse("fragments of matrix units")
	}
	second := loop.Expr(&loop.Binary{Op: ein.Add, X: s.At, Y: loop.Int(s.Stride)})
	k.line("%s(&%[2]s[%[3]s], &%[2]s[%[4]s], &%[5]s[%[6]s], &%[7]s[%[8]s]);", k.unit.fragments(s), k.bufferName(s.Z), k.text(s.At), k.text(second), k.bufferName(s.X), k.text(s.XAt), k.bufferName(s.Y), k.text(s.YAt))
}

// fragments defines the helper of a product.
func (u *unit) fragments(s *loop.Fragments) string {
	x, y, shape := s.X.Type.Elem, s.Y.Type.Elem, s.Shape()
	macro, definition := u.dialect.Fragments(shape, x, y)
	if u.once(macro) {
		fmt.Fprintf(&u.helpers, "\n#ifndef %[1]s\n#define %[1]s%[2]s\n#endif\n", macro, definition)
	}
	sum := u.value(loop.Scalar(shape.Sum))
	words := append(u.inWords("x", x, len(shape.X.Lines)), u.inWords("y", y, len(shape.Y.Lines))...)
	name := fmt.Sprintf("r_fragments_%s_%s_%d", x, y, s.Depth)
	params := fmt.Sprintf("%[1]s *z, %[1]s *w, const %[2]s *x, const %[3]s *y", sum, nameOf(x), nameOf(y))
	return u.function(name, "void", params, fmt.Sprintf("  %s(z[0], z[1], w[0], w[1], %s);", macro, strings.Join(words, ", ")))
}

// inWords are expressions for the words of 32 bits that so many elements at a pointer fill.
func (u *unit) inWords(name string, d tensor.DType, elements int) (list []string) {
	if d == tensor.Float32 {
		for e := range elements {
			list = append(list, fmt.Sprintf("%s(%s[%d])", u.tf32(), name, e))
		}
		return list
	}
	bits := 8 * d.Size()
	for at := 0; at < elements; at += 32 / bits {
		var parts []string
		for n := range 32 / bits {
			part := fmt.Sprintf("(u32)(%s)%s[%d]", unsigned(storedType(d, 1).Elem), name, at+n)
			if n > 0 {
				part += fmt.Sprintf(" << %d", n*bits)
			}
			parts = append(parts, part)
		}
		list = append(list, strings.Join(parts, " | "))
	}
	return list
}

// tf32 rounds a float32 to 11 digits, the nearest, ties away from zero, and returns its bits.
func (u *unit) tf32() string {
	return u.function("r_tf32", "u32", "f32 x", `
  u32 b = `+u.bits("u32", "x")+`;
  return (b & 0x7f800000) == 0x7f800000 ? b : (b + 0x1000) & 0xffffe000;`)
}
