package ricci

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/teil/guard"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// A Guard is what the guard finds about a def: a second opinion, independent of the
// front end, on whether it stays in bounds.
type Guard struct {
	Verdict GuardVerdict `json:"verdict"`
	// Program is the def in TeIL, empty when it cannot be expressed.
	Program string `json:"program,omitempty"`
	// Conditions are those among the def's conditions that the verdict rests on.
	Conditions []Condition `json:"conditions,omitempty"`
	// MayBeZero names sizes for which the verdict also holds if they are 0, while sizes in
	// a file of TeIL are at least 1.
	MayBeZero []string `json:"may_be_zero,omitempty"`
	// Rule is the typing rule that is broken, Construct what cannot be expressed.
	Rule      string `json:"rule,omitempty"`
	Construct string `json:"construct,omitempty"`
	// Problem says the same for people, at the place in the program; nil when safe.
	Problem *Diagnostic `json:"-"`
}

// GuardVerdict is the result of the guard.
type GuardVerdict string

// The verdicts of the guard.
const (
	GuardSafe           GuardVerdict = "safe"
	GuardRefused        GuardVerdict = "refused"
	GuardNotExpressible GuardVerdict = "not expressible"
)

// Guard lowers the def to TeIL and judges it by the typing rules of that language.
func (d *Def) Guard() (*Guard, error) {
	report, err := guard.Check(d.info.Func)
	if err != nil {
		return nil, err
	}
	g := &Guard{Verdict: GuardVerdict(report.Verdict.String())}
	if report.Program != nil {
		g.Program = syntax.PrintProgram(report.Program)
	}
	g.Conditions, g.MayBeZero = d.conditions(report.Conditions), report.MayBeZero
	var problems source.Diagnostics
	switch {
	case report.Refusal != nil:
		r := report.Refusal
		g.Rule = r.Rule
		g.Problem = problems.Errorf(source.CodeGuardRefused, r.Pos, "%s: %s", r.Rule, r.Message).WithHelp("%s", r.Help)
	case report.Obstacle != nil:
		o := report.Obstacle
		g.Construct = o.Construct
		g.Problem = problems.Warnf(source.CodeGuardInexpressible, o.Pos, "TeIL cannot express %s", strings.TrimSpace(o.Construct+" "+o.Detail)).WithHelp("it would need %s", o.Needs)
	}
	return g, nil
}
