package teil

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// A Context is Γ, the shapes of the names, with what is known about the sizes. An
// expression that is well-typed only for some sizes leaves Conditions behind.
type Context struct {
	Shapes     map[string]Shape
	Facts      *affine.Facts
	Conditions []Condition
}

// A Condition is Expr ≥ 0, which a rule needs and the facts do not decide.
type Condition struct {
	Pos    source.Span
	Expr   affine.Expr
	Reason string
}

// NewContext returns a context without names, in which the given sizes are at
// least 1.
func NewContext(sizes ...string) *Context {
	c := &Context{Shapes: map[string]Shape{}, Facts: affine.NewFacts()}
	for _, s := range sizes {
		c.Facts.AtLeast(s, 1)
	}
	return c
}

// A Refusal says which rule an expression breaks, and how: the positions and sizes
// that the message names.
type Refusal struct {
	Code      source.Code
	Rule      string
	Expr      syntax.Expr
	Message   string // without the rule
	Help      string
	Positions []int
	Sizes     []affine.Expr
}

// Error returns the message, with the rule in front.
func (r *Refusal) Error() string { return r.Rule + ": " + r.Message }

// Type computes the shape of an expression without infix signs (Lemma 4.1: the
// rules determine it), or says which rule refuses it.
func (c *Context) Type(e syntax.Expr) (Shape, *Refusal) {
	switch e := e.(type) {
	case *syntax.Number:
		return Shape{}, nil // T-Const
	case *syntax.Var:
		if s, ok := c.Shapes[e.Name]; ok {
			return s, nil
		}
		return nil, &Refusal{Code: source.CodeTeILName, Rule: "T-Var", Expr: e, Message: fmt.Sprintf("no tensor %s is allocated", e.Name), Help: c.suggest(e.Name)}
	case *syntax.Operation:
		j := &judgement{Context: c, e: e}
		for _, o := range e.Operands {
			s, refusal := c.Type(o)
			if refusal != nil {
				return nil, refusal
			}
			j.operands = append(j.operands, s)
		}
		shape, refusal := rules[e.Op.Rule](j)
		if refusal == nil {
			refusal = j.fits(shape)
		}
		return shape, refusal
	}
	return nil, &Refusal{Code: source.CodeTeILApply, Rule: "T-Apply", Expr: e, Message: "an operator is not applied to a tensor"}
}

func (c *Context) suggest(name string) string {
	var names []string
	for n := range c.Shapes {
		names = append(names, n)
	}
	if near := source.Suggest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return "allocate it: alloc " + name + " : [...]"
}

// A judgement is the use of a rule: an operation, and the shapes that its premises
// give to the operands.
type judgement struct {
	*Context
	e        *syntax.Operation
	operands []Shape
}

// rules is Figure 8, and the rules in its style for the operations beyond it. The
// keys are the column Rule of the table of operations.
var rules = map[string]func(j *judgement) (Shape, *Refusal){
	"T-Add": sameShapes, "T-Sub": sameShapes, "T-Div": sameShapes, "T-Min": sameShapes, "T-Max": sameShapes,
	"T-Neg": sameShapes, "T-Fun": sameShapes, "T-Cast": sameShapes, "T-Mod": sameShapes, "T-Compare": sameShapes,
	"T-And": sameShapes, "T-Or": sameShapes, "T-Not": sameShapes, "T-Bits": sameShapes, "T-Abs": sameShapes, "T-Select": sameShapes,
	"T-Mul": mul,
	"T-Prod": func(j *judgement) (Shape, *Refusal) {
		return append(append(Shape{}, j.operands[0]...), j.operands[1]...), nil
	},
	"T-Gather": gather,
	"T-Red+":   reduce, "T-Red*": reduce, "T-RedMin": reduce, "T-RedMax": reduce,
	"T-Fold":   foldDimension,
	"T-Contr":  contract,
	"T-Transp": transpose,
	"T-Diag":   diagonal,
	"T-Expa":   expand,
	"T-Proj":   project,
	"T-Shift":  shift,
	"T-Window": window,
	"T-Stride": stride,
	"T-Flip":   flip,
	"T-Pad":    pad,
	"T-Clamp":  pad, "T-Mirror": pad, "T-Wrap": pad,
	"T-Repeat":  repeat,
	"T-Step":    step,
	"T-Replace": replacement,
	"T-Iota":    numbers,
	"T-Size":    func(*judgement) (Shape, *Refusal) { return Shape{}, nil },
}

func (j *judgement) refuse(positions []int, sizes []affine.Expr, help, format string, args ...any) *Refusal {
	return &Refusal{Code: source.CodeTeILType, Rule: j.e.Op.Rule, Expr: j.e, Message: fmt.Sprintf(format, args...), Help: help, Positions: positions, Sizes: sizes}
}

// equal reports whether two sizes are the same number for all sizes that the facts
// allow.
func (c *Context) equal(m, n affine.Expr) bool {
	d := m.Sub(n)
	return m.Equal(n) || c.Facts.Proves(d) && c.Facts.Proves(d.Scale(-1))
}

func (c *Context) sameShape(s, t Shape) bool {
	for k := range min(len(s), len(t)) {
		if !c.equal(s[k], t[k]) {
			return false
		}
	}
	return len(s) == len(t)
}

// fits checks that the sizes of a result are numbers of 64 bits, as those of allocations are.
func (j *judgement) fits(s Shape) *Refusal {
	for k, n := range s {
		if !n.Fits() {
			return j.refuse([]int{k + 1}, []affine.Expr{n}, "a dimension has at most 2^63 - 1 places", "the size of dimension %d of the result does not fit in 64 bits", k+1)
		}
	}
	return nil
}

// require demands e ≥ 0: it is proved, refused, or becomes a condition. What does not fit
// in 64 bits cannot be tested and is refused.
func (c *Context) require(e affine.Expr, pos source.Span, reason string) (possible bool) {
	switch sign := c.Facts.Sign(e); {
	case !e.Fits() || sign == affine.Never:
		return false
	case sign != affine.Always:
		c.Conditions = append(c.Conditions, Condition{Pos: pos, Expr: e, Reason: reason})
		c.Facts.Assume(e) // a call that reaches the program has tested it
	}
	return true
}

// positions checks that arguments are dimensions of the operand, the first
// ones of a pair before the second.
func (j *judgement) positions(count int) *Refusal {
	rank := len(j.operands[0])
	var list []int
	for k := range count {
		i := j.e.Position(k)
		list = append(list, i)
		if i < 1 || i > rank {
			return j.refuse([]int{i}, j.operands[0], dimensionsHelp(rank), "position %d is no dimension of a tensor of shape %s", i, j.operands[0])
		}
	}
	if count == 2 && list[0] >= list[1] {
		help := fmt.Sprintf("write %s %d %d", j.e.Op.Name, list[1], list[0])
		if list[0] == list[1] {
			help = "a dimension is paired with another one"
		}
		return j.refuse(list, nil, help, "positions %d and %d are not in ascending order", list[0], list[1])
	}
	return nil
}

func dimensionsHelp(rank int) string {
	switch rank {
	case 0:
		return "the operand is a scalar, it has no dimensions"
	case 1:
		return "the only dimension is 1"
	}
	return fmt.Sprintf("its dimensions are 1 to %d", rank)
}

// sameShapes is T-Add: ι and ι give ι.
func sameShapes(j *judgement) (Shape, *Refusal) {
	s := j.operands[0]
	for _, t := range j.operands[1:] {
		if !j.sameShape(s, t) {
			return nil, j.differ(s, t)
		}
	}
	return s, nil
}

// differ says in what two shapes are different.
func (j *judgement) differ(s, t Shape) *Refusal {
	help := "nothing is broadcast: repeat a tensor with expa, or exchange dimensions with transp"
	if len(s) != len(t) {
		if k := slices.IndexFunc(j.operands, func(o Shape) bool { return len(o) == 0 }); k >= 0 {
			help = "nothing is broadcast: repeat the scalar: " + syntax.PrintExpr(repeated(j.e.Operands[k], slices.Concat(s, t), j.e.Pos))
		}
		return j.refuse(nil, nil, help, "the operands have the shapes %s and %s", s, t)
	}
	for k := range s {
		if !j.equal(s[k], t[k]) {
			return j.refuse([]int{k + 1}, []affine.Expr{s[k], t[k]}, help, "the operands have the shapes %s and %s: dimension %d is %s and %s", s, t, k+1, s[k], t[k])
		}
	}
	return j.refuse(nil, nil, help, "the operands have different shapes")
}

// mul is T-Mul, as T-Add, or T-SMul: [] and ι give ι.
func mul(j *judgement) (Shape, *Refusal) {
	s, t := j.operands[0], j.operands[1]
	if len(s) == 0 || j.sameShape(s, t) {
		return t, nil
	}
	r := j.differ(s, t)
	if len(t) == 0 {
		r.Help = "the scalar comes first: mul s e (T-SMul)"
	}
	return nil, r
}

// reduce is T-Red+: dimension i disappears.
func reduce(j *judgement) (Shape, *Refusal) {
	if r := j.positions(1); r != nil {
		return nil, r
	}
	return j.operands[0].without(j.e.Position(0)), nil
}

// transpose is T-Transp: dimensions i0 < i1 are exchanged.
func transpose(j *judgement) (Shape, *Refusal) {
	if r := j.positions(2); r != nil {
		return nil, r
	}
	return j.operands[0].swapped(j.e.Position(0), j.e.Position(1)), nil
}

// pairs names the first dimensions of the operand that have one size.
func (j *judgement) pairs() string {
	for i, m := range j.operands[0] {
		for k, n := range j.operands[0][i+1:] {
			if j.equal(m, n) {
				return fmt.Sprintf(", as those of dimensions %d and %d are", i+1, i+k+2)
			}
		}
	}
	return ""
}

// pair checks that two dimensions have one size.
func (j *judgement) pair() (i0, i1 int, r *Refusal) {
	if r := j.positions(2); r != nil {
		return 0, 0, r
	}
	i0, i1 = j.e.Position(0), j.e.Position(1)
	m, n := j.operands[0].at(i0), j.operands[0].at(i1)
	if !j.equal(m, n) {
		return 0, 0, j.refuse([]int{i0, i1}, []affine.Expr{m, n}, fmt.Sprintf("the operand has the shape %s; the two sizes must be the same%s", j.operands[0], j.pairs()),
			"dimensions %d and %d have sizes %s and %s", i0, i1, m, n)
	}
	return i0, i1, nil
}

// diagonal is T-Diag: two dimensions of one size become one, at the first place.
func diagonal(j *judgement) (Shape, *Refusal) {
	_, i1, r := j.pair()
	if r != nil {
		return nil, r
	}
	return j.operands[0].without(i1), nil
}

// contract is the rule of Equation (6): T-Diag, then T-Red+.
func contract(j *judgement) (Shape, *Refusal) {
	i0, i1, r := j.pair()
	if r != nil {
		return nil, r
	}
	return j.operands[0].without(i0, i1), nil
}

// expand is T-Expa: a dimension of size n ≥ 1 comes to stand at i ≤ k + 1.
func expand(j *judgement) (Shape, *Refusal) {
	i, n, rank := j.e.Position(0), j.e.Args[1].Value, len(j.operands[0])
	if i < 1 || i > rank+1 {
		return nil, j.refuse([]int{i}, j.operands[0], fmt.Sprintf("the new dimension stands at 1 to %d", rank+1), "position %d is no place for a new dimension of a tensor of shape %s", i, j.operands[0])
	}
	if !j.require(n.AddConst(-1), j.e.Args[1].Pos, fmt.Sprintf("T-Expa: the size %s is at least 1", n)) {
		return nil, j.refuse([]int{i}, []affine.Expr{n}, "there are no empty dimensions", "the new dimension has size %s", n)
	}
	return j.operands[0].inserted(i, n), nil
}

// project is T-Proj: slice 1 ≤ m ≤ n of a dimension of size n.
func project(j *judgement) (Shape, *Refusal) {
	if r := j.positions(1); r != nil {
		return nil, r
	}
	i, m := j.e.Position(0), j.e.Args[1].Value
	n := j.operands[0].at(i)
	if !j.require(m.AddConst(-1), j.e.Args[1].Pos, fmt.Sprintf("T-Proj: the slice %s is at least 1", m)) ||
		!j.require(n.Sub(m), j.e.Args[1].Pos, fmt.Sprintf("T-Proj: dimension %d of size %s has the slice %s", i, n, m)) {
		return nil, j.refuse([]int{i}, []affine.Expr{m, n}, "slices count from 1", "dimension %d of size %s has no slice %s", i, n, m)
	}
	return j.operands[0].without(i), nil
}

// shift is T-Shift: n places behind the first o, with o + n ≤ N.
func shift(j *judgement) (Shape, *Refusal) {
	if r := j.positions(1); r != nil {
		return nil, r
	}
	i, o, n := j.e.Position(0), j.e.Args[1].Value, j.e.Args[2].Value
	size := j.operands[0].at(i)
	switch {
	case !j.require(o, j.e.Args[1].Pos, fmt.Sprintf("T-Shift: the offset %s is not negative", o)):
		return nil, j.refuse([]int{i}, []affine.Expr{o, size}, "to reach places before the first, start with a larger tensor", "the offset %s is negative", o)
	case !j.require(n.AddConst(-1), j.e.Args[2].Pos, fmt.Sprintf("T-Shift: the size %s is at least 1", n)):
		return nil, j.refuse([]int{i}, []affine.Expr{n, size}, "there are no empty dimensions", "the shifted dimension has size %s", n)
	case !j.require(size.Sub(o).Sub(n), j.e.Pos, fmt.Sprintf("T-Shift: dimension %d of size %s has %s places behind the first %s", i, size, n, o)):
		return nil, j.refuse([]int{i}, []affine.Expr{o, n, size}, fmt.Sprintf("offset and size are together at most %s", size), "dimension %d of size %s has not %s places behind the first %s", i, size, n, o)
	}
	return j.operands[0].replaced(i, n), nil
}

// window is T-Window: N becomes N − n + 1 and n, with 1 ≤ n ≤ N.
func window(j *judgement) (Shape, *Refusal) {
	if r := j.positions(1); r != nil {
		return nil, r
	}
	i, n := j.e.Position(0), j.e.Args[1].Value
	size := j.operands[0].at(i)
	if !j.require(n.AddConst(-1), j.e.Args[1].Pos, fmt.Sprintf("T-Window: the window of %s has at least one place", n)) ||
		!j.require(size.Sub(n), j.e.Args[1].Pos, fmt.Sprintf("T-Window: dimension %d of size %s has room for a window of %s", i, size, n)) {
		return nil, j.refuse([]int{i}, []affine.Expr{n, size}, fmt.Sprintf("a window has 1 to %s places", size), "dimension %d of size %s has no room for a window of %s", i, size, n)
	}
	return j.operands[0].replaced(i, size.Sub(n).AddConst(1)).inserted(i+1, n), nil
}

// stride is T-Stride: N becomes ⌈N/s⌉ = ⌊(N − 1)/s⌋ + 1, with s ≥ 1.
func stride(j *judgement) (Shape, *Refusal) {
	if r := j.positions(1); r != nil {
		return nil, r
	}
	i, s := j.e.Position(0), j.e.Args[1].Value
	if !j.require(s.AddConst(-1), j.e.Args[1].Pos, fmt.Sprintf("T-Stride: the step %s is at least 1", s)) {
		return nil, j.refuse([]int{i}, []affine.Expr{s}, "a step of 1 takes every place", "the step %s is not positive", s)
	}
	return j.operands[0].replaced(i, affine.Div(j.operands[0].at(i).AddConst(-1), s).AddConst(1)), nil
}

// flip is T-Flip: a dimension keeps its size.
func flip(j *judgement) (Shape, *Refusal) {
	if r := j.positions(1); r != nil {
		return nil, r
	}
	return j.operands[0], nil
}

// pad is T-Pad, T-Clamp, T-Mirror and T-Wrap: N becomes l + N + h.
func pad(j *judgement) (Shape, *Refusal) {
	if r := j.positions(1); r != nil {
		return nil, r
	}
	i, l, h := j.e.Position(0), j.e.Args[1].Value, j.e.Args[2].Value
	for k, n := range []affine.Expr{l, h} {
		if !j.require(n, j.e.Args[k+1].Pos, fmt.Sprintf("%s: the number %s of new places is not negative", j.e.Op.Rule, n)) {
			return nil, j.refuse([]int{i}, []affine.Expr{n}, "shift leaves places out", "dimension %d gets %s new places", i, n)
		}
	}
	return j.operands[0].replaced(i, l.Add(j.operands[0].at(i)).Add(h)), nil
}

// numbers is T-Iota: the numbers of n ≥ 1 places.
func numbers(j *judgement) (Shape, *Refusal) {
	n := j.e.Args[0].Value
	if !j.require(n.AddConst(-1), j.e.Args[0].Pos, fmt.Sprintf("T-Iota: the size %s is at least 1", n)) {
		return nil, j.refuse(nil, []affine.Expr{n}, "there are no empty dimensions", "the dimension has size %s", n)
	}
	return Shape{n}, nil
}
