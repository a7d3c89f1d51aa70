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
// every program, with those of the checker that is extracted from the proofs; then it
// breaks rules of the checker, and each time they must differ.
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

	original := maps.Clone(rules)
	for name, broken := range brokenRules {
		rules[name.rule] = broken(original[name.rule])
		statement, got, want := disagreement(programs, verdicts)
		rules[name.rule] = original[name.rule]
		if statement == "" {
			t.Errorf("%s: no program tells", name)
		} else {
			t.Logf("%s: %s: by the proofs %s, by the checker %s", name, statement, typeText(want), typeText(got))
		}
	}
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

// roomier lets a rule see its dimension larger by one.
func roomier(r rule) rule {
	return func(j *judgement) (Shape, *Refusal) {
		if j.positions(1) != nil {
			return r(j)
		}
		c := *j
		i := j.e.Position(0)
		c.operands = []Shape{j.operands[0].replaced(i, j.operands[0].at(i).AddConst(1))}
		return r(&c)
	}
}

var brokenRules = map[brokenRule]func(rule) rule{
	{"T-Diag", "sizes are not compared"}:        accepting(func(j *judgement) Shape { return j.operands[0].without(j.e.Position(1)) }),
	{"T-Diag", "the wrong dimension stays"}:     changing(func(j *judgement, s Shape) Shape { return j.operands[0].without(j.e.Position(0)) }),
	{"T-Contr", "sizes are not compared"}:       accepting(func(j *judgement) Shape { return j.operands[0].without(j.e.Position(0), j.e.Position(1)) }),
	{"T-Proj", "slice n + 1"}:                   roomier,
	{"T-Shift", "one place more"}:               roomier,
	{"T-Window", "one place more"}:              roomier,
	{"T-Stride", "one place more"}:              roomier,
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
