package ein

import (
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Complement is the integer with all bits of x changed, which notations write ~x.
func Complement(x Expr, pos source.Span) Expr {
	return &Binary{Pos: pos, Op: BitXor, X: x, Y: allOnes(x.Type())}
}

// allOnes is the integer with all bits of a type.
func allOnes(t tensor.DType) Expr {
	if t.Kind() == tensor.KindUint {
		return Largest(t)
	}
	return IntConst(t, -1)
}

// Places makes the count of a shift one of the type of what is shifted. A count that is no place of a bit stays none: negative
// numbers are large ones without their signs, and large ones become the number of bits.
func Places(count Expr, to tensor.DType) Expr {
	pos := count.Span()
	if from := count.Type(); from.Size() > to.Size() {
		wide := map[int]tensor.DType{2: tensor.Uint16, 4: tensor.Uint32, 8: tensor.Uint64}[from.Size()]
		if from != wide {
			count = &Cast{Pos: pos, To: wide, X: count}
		}
		count = &Binary{Pos: pos, Op: Min, X: count, Y: IntConst(wide, int64(8*to.Size()))}
	}
	if count.Type() == to {
		return count
	}
	return &Cast{Pos: pos, To: to, X: count}
}
