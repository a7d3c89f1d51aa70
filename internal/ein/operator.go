package ein

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/tensor"
)

// An Operator combines two tuples of values: Body[k] is component k of the
// result over the parameters Left and Right. Identity is nil when there is none.
// The built-in ones carry their Kind, so that code generators may use
// instructions for them; Body is always there and defines them.
//
// The laws say what later rooms may use. Those of sums and products of floats are laws of real
// numbers: package rewrite takes them back where a mode of numerics does not allow them (laws.go
// there), and such an operator is printed with the word ordered.
type Operator struct {
	Name        string
	Kind        OperatorKind
	Left, Right []*Local
	Body        []Expr
	Identity    []Expr
	Associative bool
	Commutative bool
	// Distributive says that factors of the terms of a sum may be multiplied with it instead. That
	// is exact where integers wrap, and for floats the partial products are other ones.
	Distributive bool
	// Shortened says that factors of float32 of the terms of a sum may be rounded to 11 binary digits before they are multiplied
	// (tf32), which is exact of none but short numbers.
	Shortened bool
}

// Ordered reports whether folds have to run from the first index to the last, one value
// after the other.
func (o *Operator) Ordered() bool { return !o.Associative || !o.Commutative }

// OperatorKind names a built-in operator.
type OperatorKind uint8

// The built-in operators. ArgMin and ArgMax combine pairs (value, position); a
// tie goes to the smaller position, and a NaN loses against every number. Reductions
// and scans start from the identity; those by Min and Max of floats so ignore NaNs
// (expr.go: one on the right is ignored), whatever their order; an old value that is
// a NaN stays one, since it is on the left.
const (
	UserDefined OperatorKind = iota
	SumOp
	ProductOp
	MinOp
	MaxOp
	AndOp
	OrOp
	BitAndOp
	BitOrOp
	BitXorOp
	ArgMinOp
	ArgMaxOp
)

// Types returns the types of the components.
func (o *Operator) Types() []tensor.DType {
	types := make([]tensor.DType, len(o.Left))
	for i, l := range o.Left {
		types[i] = l.DType
	}
	return types
}

// LosesNaN reports whether the identity may turn a NaN into another value, as that of Min
// and Max does: then it matters that folds start from it. Arithmetic keeps NaNs.
func (o *Operator) LosesNaN() bool {
	if o.Identity == nil || o.Kind == ArgMinOp || o.Kind == ArgMaxOp || !slices.ContainsFunc(o.Types(), tensor.DType.IsFloat) {
		return false
	}
	chooses := false
	for _, body := range o.Body {
		Walk(body, func(e Expr) bool {
			switch e := e.(type) {
			case *Select, *Call, *Cast:
				chooses = true
			case *Binary:
				chooses = chooses || e.Op == Min || e.Op == Max
			}
			return !chooses
		})
	}
	return chooses
}

// NeutralToAll reports whether the identity changes no value on its right, infinities included. In a user's operator on
// floats that multiplies, (a, b) ∘ (c, d) = (a·c, c·b + d), 0·∞ of the identity (1, 0) and an infinite c is a NaN.
func (o *Operator) NeutralToAll() bool {
	if o.Kind != UserDefined || !slices.ContainsFunc(o.Types(), tensor.DType.IsFloat) {
		return true
	}
	neutral := true
	for _, body := range o.Body {
		Walk(body, func(e Expr) bool {
			switch e := e.(type) {
			case *Call:
				neutral = false
			case *Binary:
				neutral = neutral && !(e.Type().IsFloat() && (e.Op == Mul || e.Op == Div || e.Op == Mod))
			}
			return neutral
		})
	}
	return neutral
}

// WithIdentity returns an operator that has an identity: the operator itself, or one on tuples
// with a further component, which is 0 where there is no value yet. It is associative and
// commutative as far as the operator is.
func (o *Operator) WithIdentity() *Operator {
	if o.Identity != nil {
		return o
	}
	flag := tensor.Int32
	if o.Left[0].DType.Size() == 8 { // as many lanes as the others
		flag = tensor.Int64
	}
	some, other := &Local{Name: "some", DType: flag}, &Local{Name: "other", DType: flag}
	has := func(l *Local) Expr { return &Binary{Op: Ne, X: &LocalRef{Local: l}, Y: IntConst(flag, 0)} }
	w := &Operator{
		Name: o.Name, Associative: o.Associative, Commutative: o.Commutative,
		Left: append(slices.Clone(o.Left), some), Right: append(slices.Clone(o.Right), other),
	}
	for k, body := range o.Body {
		right := &Select{Cond: has(some), Then: body, Else: &LocalRef{Local: o.Right[k]}}
		w.Body = append(w.Body, &Select{Cond: has(other), Then: right, Else: &LocalRef{Local: o.Left[k]}})
		w.Identity = append(w.Identity, number(o.Left[k].DType, 0))
	}
	w.Body = append(w.Body, &Binary{Op: Max, X: &LocalRef{Local: some}, Y: &LocalRef{Local: other}})
	w.Identity = append(w.Identity, IntConst(flag, 0))
	return w
}

// builtinOperators is the table of the operators on one value.
var builtinOperators = map[OperatorKind]struct {
	name     string
	op       BinaryOp
	identity func(tensor.DType) Expr
}{
	SumOp:     {"+", Add, func(t tensor.DType) Expr { return number(t, 0) }},
	ProductOp: {"*", Mul, func(t tensor.DType) Expr { return number(t, 1) }},
	MinOp:     {"min", Min, func(t tensor.DType) Expr { return Largest(t) }},
	MaxOp:     {"max", Max, func(t tensor.DType) Expr { return Smallest(t) }},
	AndOp:     {"&&", And, func(t tensor.DType) Expr { return IntConst(tensor.Bool, 1) }},
	OrOp:      {"||", Or, func(t tensor.DType) Expr { return IntConst(tensor.Bool, 0) }},
	BitAndOp:  {"&", BitAnd, allOnes},
	BitOrOp:   {"|", BitOr, func(t tensor.DType) Expr { return number(t, 0) }},
	BitXorOp:  {"^", BitXor, func(t tensor.DType) Expr { return number(t, 0) }},
}

// Atomic is the operation by which devices update an element of memory at once for many who combine values with it. The operators are
// those of integers of 32 bits, of which no order can be seen.
func (o *Operator) Atomic() (op BinaryOp, ok bool) {
	switch o.Kind {
	case SumOp, MinOp, MaxOp, BitAndOp, BitOrOp, BitXorOp:
		d := o.Left[0].DType
		return builtinOperators[o.Kind].op, d == tensor.Int32 || d == tensor.Uint32
	}
	return 0, false
}

// BuiltinOperator returns the built-in operator on values of type t. For ArgMin
// and ArgMax t is the type of the value; the position is an int64 (ArgOperator has others).
func BuiltinOperator(kind OperatorKind, t tensor.DType) *Operator {
	if kind == ArgMinOp || kind == ArgMaxOp {
		return ArgOperator(kind, t, tensor.Int64)
	}
	row := builtinOperators[kind]
	a, b := &Local{Name: "a", DType: t}, &Local{Name: "b", DType: t}
	return &Operator{
		Name: row.name, Kind: kind, Left: []*Local{a}, Right: []*Local{b},
		Body:        []Expr{&Binary{Op: row.op, X: &LocalRef{Local: a}, Y: &LocalRef{Local: b}}},
		Identity:    []Expr{row.identity(t)},
		Associative: true, Commutative: true, Distributive: kind == SumOp && t.IsInteger(),
	}
}

// builtinOn returns the built-in operator on values of these types, of which ArgMin and ArgMax have two.
func builtinOn(kind OperatorKind, types []tensor.DType) *Operator {
	if (kind == ArgMinOp || kind == ArgMaxOp) && len(types) > 1 && types[1].Kind() == tensor.KindInt {
		return ArgOperator(kind, types[0], types[1])
	}
	return BuiltinOperator(kind, types[0])
}

// ArgOperator returns ArgMin or ArgMax for positions of a signed integer type: it orders pairs by value,
// NaN last, then by position; the identity is the last pair of that order.
func ArgOperator(kind OperatorKind, t, position tensor.DType) *Operator {
	v, i := &Local{Name: "v", DType: t}, &Local{Name: "i", DType: position}
	w, j := &Local{Name: "w", DType: t}, &Local{Name: "j", DType: position}
	ref := func(l *Local) Expr { return &LocalRef{Local: l} }
	binary := func(op BinaryOp, x, y Expr) Expr { return &Binary{Op: op, X: x, Y: y} }

	name, better, last := "argmin", Lt, Largest(t)
	if kind == ArgMaxOp {
		name, better, last = "argmax", Gt, Smallest(t)
	}
	wins := binary(better, ref(w), ref(v))
	same := binary(Eq, ref(w), ref(v))
	if t.IsFloat() {
		nan := func(l *Local) Expr { return binary(Ne, ref(l), ref(l)) }
		last = FloatConst(t, math.NaN())
		wins = binary(Or, wins, binary(And, nan(v), binary(Eq, ref(w), ref(w))))
		same = binary(Or, same, binary(And, nan(v), nan(w)))
	}
	right := binary(Or, wins, binary(And, same, binary(Lt, ref(j), ref(i))))
	return &Operator{
		Name: name, Kind: kind, Left: []*Local{v, i}, Right: []*Local{w, j},
		Body: []Expr{
			&Select{Cond: right, Then: ref(w), Else: ref(v)},
			&Select{Cond: right, Then: ref(j), Else: ref(i)},
		},
		Identity:    []Expr{last, Largest(position)},
		Associative: true, Commutative: true,
	}
}

func number(t tensor.DType, v int64) Expr {
	if t.IsFloat() {
		return FloatConst(t, float64(v))
	}
	return IntConst(t, v)
}

// Largest returns the greatest value of a type, +∞ for floats.
func Largest(t tensor.DType) Expr {
	bits := uint(t.Size() * 8)
	switch t.Kind() {
	case tensor.KindFloat:
		return FloatConst(t, math.Inf(1))
	case tensor.KindInt:
		return IntConst(t, int64(uint64(1)<<(bits-1)-1))
	case tensor.KindUint:
		return &Const{DType: t, Bits: ^uint64(0) >> (64 - bits)}
	}
	return IntConst(t, 1)
}

// Smallest returns the least value of a type, −∞ for floats.
func Smallest(t tensor.DType) Expr {
	bits := uint(t.Size() * 8)
	switch t.Kind() {
	case tensor.KindFloat:
		return FloatConst(t, math.Inf(-1))
	case tensor.KindInt:
		return IntConst(t, -1<<(bits-1))
	}
	return IntConst(t, 0)
}
