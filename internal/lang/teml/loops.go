package teml

import (
	"errors"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
)

// A loop is an element of the paper's domain L, Equations (2) and (3): a nest of loops
// around assignments. Package transform has the nests and their transformations.
type loop struct {
	nest *transform.Nest
	// pending is set for a transformation that could not be applied while the functions
	// of the program were looked for: the other nests that it takes. The run that builds
	// the loops of a function, with its sizes, decides.
	pending []*transform.Nest
	waiting string // the text of that transformation, or of one further on
}

func (loop) kind() string { return "a loop" }

// String writes the nest without what its statements are; (*interpreter).written has that.
func (l loop) String() string { return l.nest.Title() }

// A loopMaker builds nests. Each assignment is a statement of a function: of the one
// that is being scheduled, where there is one, else of a function of all assignments
// so far.
type loopMaker struct {
	all      *ein.Func
	lowering *lowering
	number   map[*assignment]int // of all
	def      *scheduled          // nil while the program is compiled
	failed   []error             // of transformations of nests of all
}

// assigned notes an assignment, so that loops can be built around it.
func (m *loopMaker) assigned(a *assignment) {
	for _, b := range append(slices.Clone(a.before), a) {
		m.number[b] = len(m.all.Body)
		m.all.Body = append(m.all.Body, m.lowering.comprehension(b, false))
		for _, r := range append(slices.Clone(b.inputs(false)), b.targets()...) {
			t := m.lowering.tensor(r)
			if !slices.Contains(m.all.Tensors, t) {
				t.Role = ein.Input
				m.all.Tensors = append(m.all.Tensors, t)
			}
		}
		for _, r := range b.targets() {
			m.lowering.tensor(r).Role = ein.Output
		}
	}
}

// build is E_l⟦build(t)⟧, Equation (19).
func build(in *interpreter, e *syntax.Call, _ *syntax.Name) value {
	v := in.eval(e.Args[0], nil)
	if l, ok := in.buildExternal(v, e); ok {
		return l
	}
	if len(e.Args) > 1 {
		in.fail(source.CodeTeMLCount, e.Args[1].Span(), "build has 2 arguments, expected build(t)").
			help("an assignment is one nest; the number is for scripts of other notations, where several statements assign one tensor")
	}
	t, ok := v.(*Tree)
	if !ok {
		in.wrongKind(v, anAssignment, e.Args[0].Span())
	}
	if t.isLeaf() && t.real != nil { // the tensor itself: its last assignment
		for _, a := range slices.Backward(in.assignments) {
			if a.writes(t.real) && a.fill == nil {
				t = a.tree
				break
			}
		}
	}
	if t.isAssignment() && t.assignment == nil {
		in.fail(source.CodeTeMLBuild, e.Args[0].Span(), "the assignment has no name").help("give it one: t = …, l = build(t)")
	}
	if !t.isAssignment() {
		what := "an expression that is not stored"
		if t.isLeaf() {
			what = "a tensor that nothing assigns"
		}
		in.fail(source.CodeTeMLBuild, e.Args[0].Span(), "%s is %s, expected an assignment", e.Args[0].Span().Text(), what).
			note(t.pos, "defined here").help("eq and op assign; veq and vop make expressions that are not stored")
	}
	return loop{nest: in.nestOf(t.assignment)}
}

// nestOf builds the nest of an assignment.
func (in *interpreter) nestOf(a *assignment) *transform.Nest {
	m := in.loops
	if m.def != nil {
		if s := slices.Index(m.def.ordinals, slices.Index(in.assignments, a)); s >= 0 {
			return transform.Build(m.def.f, s)
		}
	}
	return transform.Build(m.all, m.number[a])
}

// defaultLoops are the nests of Ricci's default schedule for the function, a list.
// While functions are looked for, they are those of build.
func defaultLoops(in *interpreter, e *syntax.Call, _ *syntax.Name) value {
	f := in.loops.all
	var nests []*transform.Nest
	if d := in.loops.def; d != nil {
		m := d.machine
		if m == nil {
			m = machine.Host()
		}
		tree, err := standard.Default(d.f, m)
		if err != nil {
			in.report(withoutCopy(err, in.at(e.Pos)), e.Pos)
		}
		nests = transform.Of(d.f, tree)
	} else {
		for s := range f.Body {
			nests = append(nests, transform.Build(f, s))
		}
	}
	loops := make(list, len(nests))
	for n, nest := range nests {
		loops[n] = loop{nest: nest}
	}
	return loops
}

// withoutCopy says of a function that has no default schedule, since a statement overwrites what it
// reads elsewhere, that it is the script that keeps Ricci from copying that first.
func withoutCopy(err error, pos source.Span) error {
	var list source.ErrorList
	if !errors.As(err, &list) || list[0].Code != source.ScheduleIllegal {
		return err
	}
	d := *list[0]
	what := strings.TrimPrefix(d.Message, "the schedule breaks a dependence: ")
	d.Message = "default() has no loops for a statement that overwrites what it reads elsewhere: " + what
	d.Notes = append([]source.Note{{Span: d.Span, Message: "this statement"}}, d.Notes...)
	d.Span = pos
	return source.ErrorList{d.WithHelp("Ricci's own schedule copies what is overwritten first, and a script sees the def as it is written: build(…) the loops of its statements in an order that keeps what they read, or run without the script")}
}

// depth is the number of loops in the chain at the top of a nest.
func depth(in *interpreter, e *syntax.Call, _ *syntax.Name) value {
	return whole(expect[loop](in, e.Args[0], nil).nest.Depth())
}

// report adds the diagnostics of an error of package transform or schedule, and ends
// the statement.
func (in *interpreter) report(err error, pos source.Span) {
	var list source.ErrorList
	if !errors.As(err, &list) {
		in.diagnostics.Errorf(source.TransformMisfit, in.at(pos), "%v", err)
		panic(bailout{})
	}
	in.diagnostics.List = append(in.diagnostics.List, list...)
	panic(bailout{})
}
