package items

import (
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// Floats of 16 bits are numbers of 32 bits where they are computed with; loads widen them and stores round to the nearest, ties to
// even. Bits are moved, so that no device needs types for them, and the results are those of the evaluator: denormals are
// kept, and NaNs become quiet.

// fromHalf defines the helper that widens.
func (u *unit) fromHalf(d tensor.DType) string {
	body := "  return " + u.bits("f32", "(u32)x << 16") + ";"
	if d == tensor.Float16 {
		body = `
  u32 b = (u32)(x & 0x7fff) << 13;
  f32 r;
  if ((x & 0x7c00) == 0x7c00) r = ` + u.bits("f32", "b | 0x7f800000") + `;
  else r = ` + u.bits("f32", "b") + ` * 0x1p112f;
  return ` + u.bits("f32", u.bits("u32", "r")+" | (u32)(x & 0x8000) << 16") + `;`
		if u.dialect.FromFloat16 != "" {
			body = u.dialect.FromFloat16
		}
	}
	return u.helper("from_"+d.String(), loop.Scalar(tensor.Uint16), loop.Scalar(tensor.Float32), "u16 x", body)
}

// toHalf defines the helper that rounds: large values by an addition to the bits, those that become denormal by an addition of 2^-1 to
// the value's magnitude.
func (u *unit) toHalf(d tensor.DType) string {
	body := `
  u32 b = ` + u.bits("u32", "x") + `;
  if (x != x) return (u16)(b >> 16 | 0x40);
  return (u16)((b + 0x7fff + (b >> 16 & 1)) >> 16);`
	if d == tensor.Float16 {
		body = `
  u32 b = ` + u.bits("u32", "x") + `;
  u32 sign = b >> 16 & 0x8000, size = b & 0x7fffffff;
  if (size > 0x7f800000) return (u16)(sign | 0x7e00);
  if (size >= 0x477ff000) return (u16)(sign | 0x7c00);
  if (size < 0x38800000) return (u16)(sign | (` + u.bits("u32", u.bits("f32", "size")+" + 0x1p-1f") + ` - 0x3f000000));
  return (u16)(sign | ((size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13));`
	}
	return u.helper("to_"+d.String(), loop.Scalar(tensor.Float32), loop.Scalar(tensor.Uint16), "f32 x", body)
}

// bits reinterprets an expression.
func (u *unit) bits(as, x string) string { return u.dialect.Bits[as] + "(" + x + ")" }
