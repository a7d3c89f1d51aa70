package loop

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How blocks are swizzled
//
// Items that read a column of a block in local memory read one bank, one after the other, where rows are as long as there are banks, or a
// multiple. A block that is swizzled has the units of each row, of some elements that are moved at once, in another order: unit x lies where
// unit x ^ y would, y counts rows. So a column goes through all banks, and nothing is longer for it. In
//
//	A_local[swizzle(at, 4, 8, 64)]
//
// element `at` of rows of 64 elements lies 8 units of 4 elements further or less far, by the row. Elements of aligned blocks of 4 · 8 are
// exchanged with one another, and what a unit has stays side by side. So a subscript is in bounds where `at` is, if the buffer consists of such
// blocks, and a vector of neighbours in one unit is one wherever it lies: Verify looks at `at`. Who stores and who loads have to say the same:
// one without the other is a program that reads another element.

// A Swizzle is where element X of a buffer in local memory lies: X ^ (X / Every mod Units) · Unit. It stands right in a subscript. Of a
// vector each lane has its own place.
type Swizzle struct {
	X     Expr  // of int64
	Unit  int64 // elements that stay side by side, a power of two
	Units int64 // that are exchanged, a power of two
	Every int64 // elements in which the order is the same: rows, or several; a multiple of Unit · Units
}

func (*Swizzle) expr() {}

// Type returns the type of the value.
func (e *Swizzle) Type() Type { return e.X.Type() }

// Place is where an element lies; what is before the first one stays there.
func (e *Swizzle) Place(x int64) int64 {
	if x < 0 {
		return x
	}
	return x ^ x/e.Every%e.Units*e.Unit
}

// MostSwizzled is the most elements in which units may be exchanged.
const MostSwizzled = 1 << 16

// isSound reports whether the numbers of a swizzle make it an exchange of units.
func (e *Swizzle) isSound() bool {
	powers := e.Unit > 0 && e.Units > 1 && e.Unit <= MostSwizzled && e.Units <= MostSwizzled/e.Unit && e.Unit&(e.Unit-1) == 0 && e.Units&(e.Units-1) == 0
	return powers && e.Every > 0 && e.Every%(e.Unit*e.Units) == 0
}

// text is that of the place of an element.
func (e *Swizzle) text(x string) string {
	return fmt.Sprintf("swizzle(%s, %d, %d, %d)", x, e.Unit, e.Units, e.Every)
}

// swizzled checks a Swizzle in the subscript of an access of n lanes, and returns which element it is about.
func (v *verifier) swizzled(b *Buffer, e *Swizzle, n int) Expr {
	t := v.expr(e.X)
	v.require(b.Region == Local && b.Type.Lanes == 1, "%s is swizzled, and no array of numbers in local memory", b.Name)
	v.require(t.Elem == tensor.Int64 && e.isSound(), "%s is swizzled by units of %d, %d of them, every %d elements", b.Name, e.Unit, e.Units, e.Every)
	v.require(b.Length%(e.Unit*e.Units) == 0, "%s of %d elements does not consist of swizzled blocks of %d", b.Name, b.Length, e.Unit*e.Units)
	if t.Lanes == 1 && n > 1 {
		v.require(int64(n) <= e.Unit && v.prover.form(e.X).isMultiple(int64(n)), "%d lanes of %s from %s on are not in one unit of %d", n, b.Name, briefly(ExprText(e.X)), e.Unit)
	}
	return e.X
}

// isMultiple reports whether a form is a multiple of a number, whatever its atoms are.
func (f affineForm) isMultiple(n int64) bool {
	for _, t := range f.terms {
		if t.coefficient%n != 0 {
			return false
		}
	}
	return !f.overflow && f.constant%n == 0
}

// IsMultiple reports whether what an int64 is made of shows that it is a multiple of a number.
func IsMultiple(e Expr, n int64) bool {
	switch e := e.(type) {
	case *Const:
		return int64(e.Bits)%n == 0
	case *Binary:
		switch e.Op {
		case ein.Add, ein.Sub:
			return IsMultiple(e.X, n) && IsMultiple(e.Y, n)
		case ein.Mul:
			return IsMultiple(e.X, n) || IsMultiple(e.Y, n)
		}
	}
	return false
}

func (ev *evaluator) swizzle(e *Swizzle) []uint64 {
	x := ev.expr(e.X)
	result := ev.lanes(len(x))
	for l := range result {
		result[l] = uint64(e.Place(int64(x[l])))
	}
	return result
}

// swizzle reads a Swizzle behind its first parenthesis.
func (p *parser) swizzle() *Swizzle {
	e := &Swizzle{X: p.expr()}
	for _, n := range []*int64{&e.Unit, &e.Units, &e.Every} {
		p.expect(",")
		*n = p.integer()
	}
	return e
}
