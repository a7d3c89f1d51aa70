package teil

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/teil/coqtest"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/lang/teil/teiltest"
)

// disagreement compares the checker with the oracle on every statement of the
// programs; it returns the first on which they differ.
func disagreement(programs []*syntax.Program, verdicts []coqtest.Verdict) (statement string, got, want []int) {
	for n, p := range programs {
		context := NewContext()
		for name, shape := range teiltest.ContextOf(p) {
			context.Shapes[name] = literalShape(shape)
		}
		for k, s := range p.Statements {
			if got, want := context.literalType(s.Value), verdicts[n].Types[k]; (got == nil) != (want == nil) || !slices.Equal(got, want) {
				return syntax.PrintStatement(s), got, want
			}
		}
	}
	return "", nil, nil
}

func literalShape(sizes []int) Shape {
	s := Shape{}
	for _, n := range sizes {
		s = append(s, affine.Const(int64(n)))
	}
	return s
}

// literalType returns the type of an expression; nil if it has none.
func (c *Context) literalType(e syntax.Expr) []int {
	shape, refusal := c.Type(e)
	if refusal != nil {
		return nil
	}
	sizes := []int{}
	for _, n := range shape {
		size, _ := n.IsConst()
		sizes = append(sizes, int(size))
	}
	return sizes
}

// TestTypesOfProofs compares the checker's type of every statement, and its verdict on
// every program, with those of the checker that is extracted from the proofs.
func TestTypesOfProofs(t *testing.T) {
	oracle := coqtest.Build(t)
	count := 6000
	if testing.Short() {
		count = 3000
	}
	programs, memories := coqtest.Draw(count)
	verdicts, err := oracle.Judge(programs, memories)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for n, p := range programs {
		if typing, diagnostics := checkRandom(t, p); (typing != nil) != verdicts[n].OK {
			t.Errorf("the proofs say %v, the checker %v\n%s", verdicts[n].OK, diagnostics.List, syntax.PrintProgram(p))
		}
		if !verdicts[n].OK {
			refused++
		}
	}
	if refused < count/5 || refused > count/2 {
		t.Errorf("%d of %d programs are ill-typed", refused, count)
	}
	if statement, got, want := disagreement(programs, verdicts); statement != "" {
		t.Fatalf("%s: by the proofs %s, by the checker %s", statement, typeText(want), typeText(got))
	}

	drawn := map[string]bool{}
	for _, p := range programs {
		for _, s := range p.Statements {
			syntax.Walk(s.Value, func(e syntax.Expr) {
				if o, ok := e.(*syntax.Operation); ok {
					drawn[o.Op.Name], drawn[o.Op.Rule] = true, true
				}
			})
		}
	}
	for _, op := range append(primitives(), pairs.Operations()...) {
		if !drawn[op.Name] && !drawn[op.Rule] {
			t.Errorf("no program has %s", op.Name)
		}
	}
}

// primitives returns the operations on integers.
func primitives() []*syntax.Op {
	return slices.DeleteFunc(syntax.Operations(), func(op *syntax.Op) bool { return op.Builtin != nil || op.Cast.IsFloat() })
}

// TestRulesOfProofs compares every rule with the proofs on operands of all small shapes and
// all small arguments; then it breaks rules, and each time there must be a difference.
func TestRulesOfProofs(t *testing.T) {
	oracle := coqtest.Build(t)
	var programs []*syntax.Program
	var memories []teiltest.Memory[int64]
	for _, op := range append(primitives(), pairs.Operations()...) {
		p := judgements(op)
		programs, memories = append(programs, p), append(memories, teiltest.InitialMemory(p, 0))
	}
	verdicts, err := oracle.Judge(programs, memories)
	if err != nil {
		t.Fatal(err)
	}
	if statement, got, want := disagreement(programs, verdicts); statement != "" {
		t.Fatalf("%s: by the proofs %s, by the checker %s", statement, typeText(want), typeText(got))
	}
	original := maps.Clone(rules)
	for name, broken := range brokenRules {
		rules[name.rule] = broken(original[name.rule])
		statement, got, want := disagreement(programs, verdicts)
		rules[name.rule] = original[name.rule]
		if statement == "" {
			t.Errorf("%s: no judgement tells", name)
		} else {
			t.Logf("%s: %s: by the proofs %s, by the checker %s", name, statement, typeText(want), typeText(got))
		}
	}
}

// pairs is a fold of two components.
var pairs = &syntax.Fold{
	Names:  []syntax.Name{{Name: "left"}, {Name: "right"}},
	Left:   []syntax.Scalar{{Name: syntax.Name{Name: "a"}}, {Name: syntax.Name{Name: "b"}}},
	Right:  []syntax.Name{{Name: "c"}, {Name: "d"}},
	Bodies: []syntax.Expr{&syntax.Var{Name: "a"}, &syntax.Var{Name: "d"}},
}

// judgements applies an operation to all operands of small shapes, with all small arguments.
func judgements(op *syntax.Op) *syntax.Program {
	p := &syntax.Program{}
	if op.Fold != nil {
		p.Folds = []*syntax.Fold{op.Fold}
	}
	var names []syntax.Expr
	for n, shape := range [][]int{{}, {1}, {2}, {3}, {1, 2}, {2, 2}, {3, 2}, {2, 2, 3}, {2, 3, 2}, {3, 2, 2}, {1, 2, 3, 2}} {
		a := &syntax.Alloc{Name: syntax.Name{Name: fmt.Sprintf("x%d", n)}, Type: &syntax.Name{Name: "int64"}}
		for _, size := range shape {
			a.Dims = append(a.Dims, syntax.Literal(size))
		}
		p.Allocs, names = append(p.Allocs, a), append(names, &syntax.Var{Name: a.Name.Name})
	}
	args := []int{0, 1, 2, 3, 4, 5}
	for _, a := range tuples(args, len(op.Parameters)) {
		for _, operands := range tuples(names, op.Operands) {
			e := &syntax.Operation{Op: op, Operands: operands}
			for _, n := range a {
				e.Args = append(e.Args, syntax.Literal(n))
			}
			p.Statements = append(p.Statements, &syntax.Statement{Targets: []syntax.Name{p.Allocs[0].Name}, Value: e})
		}
	}
	return p
}

// tuples returns all lists of n of the items.
func tuples[T any](items []T, n int) [][]T {
	if n == 0 {
		return [][]T{nil}
	}
	var list [][]T
	for _, rest := range tuples(items, n-1) {
		for _, x := range items {
			list = append(list, append(slices.Clone(rest), x))
		}
	}
	return list
}

func typeText(shape []int) string {
	if shape == nil {
		return "no type"
	}
	return fmt.Sprint(shape)
}

type rule = func(*judgement) (Shape, *Refusal)

type brokenRule struct{ rule, how string }

// accepting replaces a refusal by a shape.
func accepting(shape func(j *judgement) Shape) func(rule) rule {
	return func(r rule) rule {
		return func(j *judgement) (Shape, *Refusal) {
			s, refusal := r(j)
			if refusal != nil && j.positions(len(j.e.Args)) == nil {
				return shape(j), nil
			}
			return s, refusal
		}
	}
}

// changing changes the shape that a rule gives.
func changing(change func(j *judgement, s Shape) Shape) func(rule) rule {
	return func(r rule) rule {
		return func(j *judgement) (Shape, *Refusal) {
			s, refusal := r(j)
			if refusal == nil {
				s = change(j, s)
			}
			return s, refusal
		}
	}
}

// seeing lets a rule see another operation, or operands of other shapes.
func seeing(change func(j *judgement)) func(rule) rule {
	return func(r rule) rule {
		return func(j *judgement) (Shape, *Refusal) {
			c, e := *j, *j.e
			e.Args, c.operands = slices.Clone(e.Args), slices.Clone(j.operands)
			c.e = &e
			change(&c)
			return r(&c)
		}
	}
}

// roomier lets a rule see its dimension larger by one.
func roomier(j *judgement) {
	if j.positions(1) == nil {
		i := j.e.Position(0)
		j.operands[0] = j.operands[0].replaced(i, j.operands[0].at(i).AddConst(1))
	}
}

// atLeast lets a rule see argument k as n where it is less.
func atLeast(k, n int) func(*judgement) {
	return func(j *judgement) {
		if m, ok := j.e.Args[k].Value.IsConst(); ok && m < int64(n) {
			j.e.Args[k] = syntax.Literal(n)
		}
	}
}

// ascending lets a rule see two positions in ascending order.
func ascending(j *judgement) {
	if j.e.Position(0) > j.e.Position(1) {
		j.e.Args[0], j.e.Args[1] = j.e.Args[1], j.e.Args[0]
	}
}

// lastPlace lets a rule see the last place for one behind it.
func lastPlace(j *judgement) {
	if rank := len(j.operands[0]); j.e.Position(0) > rank {
		j.e.Args[0] = syntax.Literal(rank)
	}
}

func constant(n affine.Expr) int64 {
	v, _ := n.IsConst()
	return v
}

// argument returns argument k.
func (j *judgement) argument(k int) affine.Expr { return j.e.Args[k].Value }

// ofDimension changes the size of the dimension that is the first argument.
func ofDimension(change func(j *judgement, n affine.Expr) affine.Expr) func(rule) rule {
	return changing(func(j *judgement, s Shape) Shape {
		i := j.e.Position(0)
		return s.replaced(i, change(j, s.at(i)))
	})
}

// ignoring lets a rule see the first operand's shape for operand k's.
func ignoring(k int) func(rule) rule {
	return seeing(func(j *judgement) { j.operands[k] = j.operands[0] })
}

var brokenRules = map[brokenRule]func(rule) rule{
	{"T-Diag", "sizes are not compared"}:      accepting(func(j *judgement) Shape { return j.operands[0].without(j.e.Position(1)) }),
	{"T-Diag", "the wrong dimension stays"}:   changing(func(j *judgement, s Shape) Shape { return j.operands[0].without(j.e.Position(0)) }),
	{"T-Contr", "sizes are not compared"}:     accepting(func(j *judgement) Shape { return j.operands[0].without(j.e.Position(0), j.e.Position(1)) }),
	{"T-Diag", "descending positions"}:        seeing(ascending),
	{"T-Contr", "descending positions"}:       seeing(ascending),
	{"T-Contr", "the second dimension stays"}: changing(func(j *judgement, s Shape) Shape { return j.operands[0].without(j.e.Position(0)) }),
	{"T-Transp", "descending positions"}:      seeing(ascending),
	{"T-Proj", "slice n + 1"}:                 seeing(roomier),
	{"T-Proj", "slice 0"}:                     seeing(atLeast(1, 1)),
	{"T-Proj", "position k + 1"}:              seeing(lastPlace),
	{"T-Proj", "position 0"}:                  seeing(atLeast(0, 1)),
	{"T-Shift", "one place more"}:             seeing(roomier),
	{"T-Shift", "no places"}:                  seeing(atLeast(2, 1)),
	{"T-Shift", "the offset does not count"}:  seeing(func(j *judgement) { j.e.Args[1] = syntax.Literal(0) }),
	{"T-Window", "one place more"}:            seeing(roomier),
	{"T-Window", "an empty window"}:           seeing(atLeast(1, 1)),
	{"T-Window", "the window comes first"}:    changing(func(j *judgement, s Shape) Shape { return s.swapped(j.e.Position(0), j.e.Position(0)+1) }),
	{"T-Window", "one place too few"}:         ofDimension(func(_ *judgement, n affine.Expr) affine.Expr { return n.AddConst(-1) }),
	{"T-Stride", "one place more"}:            seeing(roomier),
	{"T-Stride", "a step of 0"}:               seeing(atLeast(1, 1)),
	{"T-Stride", "rounded down"}: ofDimension(func(j *judgement, _ affine.Expr) affine.Expr {
		return affine.Div(j.operands[0].at(j.e.Position(0)), j.argument(1))
	}),
	{"T-Flip", "position k + 1"}:       seeing(lastPlace),
	{"T-Pad", "nothing behind"}:        ofDimension(func(j *judgement, n affine.Expr) affine.Expr { return n.Sub(j.argument(2)) }),
	{"T-Pad", "position k + 1"}:        seeing(lastPlace),
	{"T-Clamp", "one place more"}:      seeing(roomier),
	{"T-Mirror", "nothing behind"}:     ofDimension(func(j *judgement, n affine.Expr) affine.Expr { return n.Sub(j.argument(2)) }),
	{"T-Wrap", "nothing before"}:       ofDimension(func(j *judgement, n affine.Expr) affine.Expr { return n.Sub(j.argument(1)) }),
	{"T-Wrap", "position k + 1"}:       seeing(lastPlace),
	{"T-Repeat", "a count of 0"}:       seeing(atLeast(1, 1)),
	{"T-Repeat", "one time more"}:      ofDimension(func(j *judgement, n affine.Expr) affine.Expr { return n.Add(j.operands[0].at(j.e.Position(0))) }),
	{"T-Repeat", "position k + 1"}:     seeing(lastPlace),
	{"T-Step", "one place more"}:       seeing(roomier),
	{"T-Step", "no places"}:            seeing(atLeast(2, 1)),
	{"T-Step", "a step of 1 at least"}: seeing(atLeast(1, 1)),
	{"T-Step", "as many as a stride takes"}: ofDimension(func(j *judgement, n affine.Expr) affine.Expr {
		return affine.Div(j.operands[0].at(j.e.Position(0)).AddConst(-1), affine.MaxOf(affine.Const(1), j.argument(1))).AddConst(1)
	}),
	{"T-Replace", "one place more"}:          seeing(roomier),
	{"T-Replace", "a step of 0"}:             seeing(atLeast(2, 1)),
	{"T-Replace", "the step does not count"}: seeing(func(j *judgement) { j.e.Args[2] = syntax.Literal(min(1, int(constant(j.argument(2))))) }),
	{"T-Replace", "the shape of the part"}:   changing(func(j *judgement, _ Shape) Shape { return j.operands[1] }),
	{"T-Replace", "other dimensions"}:        accepting(func(j *judgement) Shape { return j.operands[0] }),
	{"T-Iota", "no places"}:                  seeing(atLeast(0, 1)),
	{"T-Iota", "the number n, too"}:          changing(func(_ *judgement, s Shape) Shape { return s.replaced(1, s.at(1).AddConst(1)) }),
	{"T-Size", "a vector"}:                   changing(func(*judgement, Shape) Shape { return literalShape([]int{1}) }),
	{"T-Fold", "shapes are not compared"}:    ignoring(1),
	{"T-Fold", "position k + 1"}:             seeing(lastPlace),
	{"T-Gather", "position k + 1"}: func(r rule) rule {
		return func(j *judgement) (Shape, *Refusal) {
			if k := len(j.operands[1]); k > 0 && j.e.Position(0) == k+1 {
				return append(slices.Clone(j.operands[0]), j.operands[1].without(k)...), nil
			}
			return r(j)
		}
	},
	{"T-Gather", "no dimension goes"}: changing(func(j *judgement, _ Shape) Shape { return append(slices.Clone(j.operands[0]), j.operands[1]...) }),
	{"T-Gather", "the subscripts come last"}: changing(func(j *judgement, _ Shape) Shape {
		return append(j.operands[1].without(j.e.Position(0)), j.operands[0]...)
	}),
	{"T-Expa", "no places"}:                     seeing(atLeast(1, 1)),
	{"T-Expa", "position 0"}:                    seeing(atLeast(0, 1)),
	{"T-Sub", "shapes are not compared"}:        ignoring(1),
	{"T-Compare", "shapes are not compared"}:    ignoring(1),
	{"T-Select", "the last is not compared"}:    ignoring(2),
	{"T-RedMax", "position k + 1"}:              seeing(lastPlace),
	{"T-Red*", "no dimension goes"}:             changing(func(j *judgement, _ Shape) Shape { return j.operands[0] }),
	{"T-Mul", "a scalar gives its shape"}:       changing(func(j *judgement, _ Shape) Shape { return j.operands[0] }),
	{"T-Red+", "the first dimension goes"}:      changing(func(j *judgement, s Shape) Shape { return j.operands[0].without(1) }),
	{"T-Transp", "nothing is exchanged"}:        changing(func(j *judgement, s Shape) Shape { return j.operands[0] }),
	{"T-Expa", "one place later"}:               changing(laterPlace),
	{"T-Prod", "the second factor comes first"}: changing(func(j *judgement, s Shape) Shape { return append(slices.Clone(j.operands[1]), j.operands[0]...) }),
	{"T-Mul", "a scalar may come second"}: func(r rule) rule {
		return func(j *judgement) (Shape, *Refusal) {
			if len(j.operands[1]) == 0 {
				return j.operands[0], nil
			}
			return r(j)
		}
	},
	{"T-Add", "ranks are not compared"}: func(r rule) rule {
		return func(j *judgement) (Shape, *Refusal) {
			if len(j.operands[0]) != len(j.operands[1]) {
				return j.operands[0], nil
			}
			return r(j)
		}
	},
}

// laterPlace moves the dimension that expa makes.
func laterPlace(j *judgement, s Shape) Shape {
	i := j.e.Position(0)
	if i >= len(s) {
		return s
	}
	return s.swapped(i, i+1)
}
