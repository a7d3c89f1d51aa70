package guard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// Check lowers a function and judges it. The error is an internal one.
func Check(f *ein.Func) (report *Report, err error) {
	defer source.RecoverInternal("guard", &err)
	report = &Report{Name: f.Name}
	l, err := lower(f)
	var obstacle *inexpressible
	if errors.As(err, &obstacle) {
		report.Verdict = NotExpressible
		report.Obstacle = &Obstacle{Construct: obstacle.construct.name, Detail: obstacle.detail, Needs: obstacle.construct.needs, Pos: obstacle.pos}
		return report, nil
	} else if err != nil {
		return nil, err
	}
	report.Program = l.readable()
	if report.Refusal = l.judge(f.Requires); report.Refusal != nil {
		report.Verdict = Refused
		return report, nil
	}
	report.Conditions = l.needed(f.Requires)
	for _, s := range f.Sizes {
		if s.MayBeZero && slices.ContainsFunc(l.program.Allocs, func(a *syntax.Alloc) bool {
			return slices.ContainsFunc(a.Dims, func(d syntax.Size) bool { return d.Value.Uses(s.Name) })
		}) {
			report.MayBeZero = append(report.MayBeZero, s.Name)
		}
	}
	l.program = equated(l.program, report.Conditions)
	report.Program = l.readable()
	return report, nil
}

// needed returns the conditions without which the verdict would not be safe. Of several
// of which one is enough the last stays.
func (l *lowering) needed(conditions []*ein.Condition) []*ein.Condition {
	kept := slices.Clone(conditions)
	for n := 0; n < len(kept); {
		without := slices.Delete(slices.Clone(kept), n, n+1)
		if l.judge(without) == nil {
			kept = without
		} else {
			n++
		}
	}
	return kept
}

// judge applies the typing rules to the statements, then looks at the obligations. What
// is not decided by sizes of at least 1 and the conditions that a call tests is refused.
func (l *lowering) judge(conditions []*ein.Condition) *Refusal {
	facts := sizeFacts(l.f, conditions)
	context := &teil.Context{Shapes: map[string]teil.Shape{}, Facts: facts}
	for _, a := range l.program.Allocs {
		shape := make(teil.Shape, len(a.Dims))
		for k, d := range a.Dims {
			shape[k] = d.Value
			if least := d.Value.AddConst(-1); !facts.Proves(least) && !facts.ProvesWhere(least, nil, nil) {
				return &Refusal{Rule: "OK-Prog", Pos: a.Pos, Message: fmt.Sprintf("dimension %d of %s has size %s, which is not at least 1 for all sizes", k+1, a.Name.Name, d.Value), Sizes: []affine.Expr{d.Value}}
			}
		}
		context.Shapes[a.Name.Name] = shape
	}
	for _, s := range l.program.Statements {
		if r := check(context, s); r != nil {
			return r
		}
	}
	for _, o := range l.obligations {
		if r := o.judge(facts); r != nil {
			return r
		}
	}
	for _, isPlace := range l.places {
		if !isPlace(facts) {
			return &Refusal{Rule: "T-Gather", Pos: l.f.Pos, Message: "a subscript is no place for all sizes"}
		}
	}
	return nil
}

// check is OK-Stmt: the expression has the shape of what it is assigned to.
func check(context *teil.Context, s *syntax.Statement) *Refusal {
	name := s.Targets[0].Name
	shape, refusal := context.Type(s.Value)
	if refusal != nil {
		return &Refusal{Rule: refusal.Rule, Pos: refusal.Expr.Span(), Message: refusal.Message, Help: refusal.Help, Sizes: refusal.Sizes}
	}
	if len(context.Conditions) > 0 {
		c := context.Conditions[0]
		return &Refusal{Rule: strings.SplitN(c.Reason, ":", 2)[0], Pos: c.Pos, Message: fmt.Sprintf("%s, which is not tested before a call: %s", c.Reason, affine.Inequality(c.Expr)), Sizes: []affine.Expr{c.Expr}}
	}
	want := context.Shapes[name]
	for k := range min(len(shape), len(want)) {
		if !same(context.Facts, shape[k], want[k]) {
			return &Refusal{Rule: "OK-Stmt", Pos: s.Pos, Message: fmt.Sprintf("%s has the shape %s, the expression %s: dimension %d is %s and %s", name, want, shape, k+1, want[k], shape[k]), Sizes: []affine.Expr{want[k], shape[k]}}
		}
	}
	if len(shape) != len(want) {
		return &Refusal{Rule: "OK-Stmt", Pos: s.Pos, Message: fmt.Sprintf("%s has the shape %s, the expression %s", name, want, shape)}
	}
	return nil
}

// An obligation is what the typing rules cannot see because a dimension of TeIL brings
// its own size: that the range of an index is the dimension which it runs along.
type obligation struct {
	pos       source.Span
	what      string // reads or writes which dimension
	got, want affine.Expr
}

// judge is the rule "extent".
func (o *obligation) judge(facts *affine.Facts) *Refusal {
	if same(facts, o.got, o.want) {
		return nil
	}
	return &Refusal{
		Rule: "extent", Pos: o.pos, Sizes: []affine.Expr{o.got, o.want},
		Message: fmt.Sprintf("%s %s, where the declaration says %s", o.what, o.got, o.want),
		Help:    "give the index the range of the dimension, or the dimension the size of the range",
	}
}

func same(facts *affine.Facts, x, y affine.Expr) bool {
	return x.Equal(y) || facts.Proves(x.Sub(y)) && facts.Proves(y.Sub(x))
}
