package rewrite

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How sums are guarded
//
// A sum of products may be computed with fewer operations: by contractions of parts of its factors
// (minimise.go), or with factors behind the sum (factors.go). Partial products are others then, and
// may overflow where no term of the text does. What overflowed once stays infinite or
// becomes a NaN, through products and sums, up to the result. So the results tell whether the sum has to
// be computed as it is written:
//
//	F[o]  = Σ …                          with fewer operations
//	bad   = max o  F[o] − F[o] == 0 ? 0 : 1
//	P[o]  = Σ i  bad != 0 ? terms : 0    no loop runs where bad is 0
//	O[o] ⊕= bad != 0 ? P[o] : F[o]
//
// bad is a notice (ein.Tensor), which the user gets to see. All this takes some passes over the results, which is much where a result has few terms.

const (
	guardPasses = 3    // over the results, each of which reads and writes an element
	guardShare  = 0.05 // of the operations
	smallKernel = 3e6  // points: 100 µs or less, in which a guard may cost any share
)

// guardCosts is how many points take as long as the guard of a sum.
func guardCosts(c *ein.Comprehension) float64 {
	return guardPasses * elementPoints * points(c.ByKind(ein.Concat))
}

// guarded returns the statements that compute what whole says by a sum with fewer operations, of the given
// value and indices, which share those of the results with it.
func guarded(f *ein.Func, whole *ein.Comprehension, indices []*ein.Index, value ein.Expr) []*ein.Comprehension {
	kept, name, of := whole.ByKind(ein.Concat), whole.Writes[0].Tensor.Name, whole.Values[0].Type()
	sum := temporaryOver(f, whole, name+"_parts", of, kept)
	parted := &ein.Comprehension{Pos: whole.Pos, Indices: indices, Writes: []*ein.Write{writeOf(sum)}, Values: []ein.Expr{value}}

	bad := temporaryOver(f, whole, name+"_overflow", tensor.Int32, nil)
	bad.Tensor.Notice = true
	over, env := reduced(kept, ein.BuiltinOperator(ein.MaxOp, tensor.Int32))
	isFinite := binary(ein.Eq, binary(ein.Sub, sum, sum), ein.FloatConst(of, 0))
	flag := &ein.Select{Pos: whole.Pos, Cond: isFinite, Then: ein.IntConst(tensor.Int32, 0), Else: ein.IntConst(tensor.Int32, 1)}
	tested := &ein.Comprehension{Pos: whole.Pos, Indices: over, Writes: []*ein.Write{writeOf(bad)}, Values: substituteAll([]ein.Expr{flag}, env)}

	isBad := binary(ein.Ne, bad, ein.IntConst(tensor.Int32, 0))
	plain := temporaryOver(f, whole, name+"_written", of, kept)
	again := &ein.Comprehension{
		Pos: whole.Pos, Indices: whole.Indices, Writes: []*ein.Write{writeOf(plain)},
		Values: []ein.Expr{&ein.Select{Pos: whole.Pos, Cond: isBad, Then: whole.Values[0], Else: ein.FloatConst(of, 0)}},
	}
	result := &ein.Comprehension{
		Pos: whole.Pos, Indices: kept, Writes: whole.Writes, Accumulate: whole.Accumulate,
		Values: []ein.Expr{&ein.Select{Pos: whole.Pos, Cond: isBad, Then: plain, Else: sum}},
	}
	return []*ein.Comprehension{owned(parted), owned(tested), owned(again), owned(result)}
}

// remark says in the function that a sum has fewer operations without a guard.
func remark(f *ein.Func, c *ein.Comprehension, pass string) {
	f.Remarks = append(f.Remarks, fmt.Sprintf("the sum %s is regrouped without a guard (%s): a guard would cost more than %.0f %% and the text as written more than %d times as much; partial products may overflow where those of the text do not (docs/numerics.md)",
		c.Writes[0].Tensor.Name, pass, 100*guardShare, minimiseGain))
}
