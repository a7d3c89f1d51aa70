package tc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/callee"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How calls work
//
// Package callee copies the finished function of a def into its caller, in whatever
// notation it was written. What is TC's own stands here: arguments that are parts of
// tensors or begin elsewhere than at 0, scalars that are expressions, targets that get
// their shape from the call, and indices on the left.

// resolveCallee compiles a def that is called; nil when that fails. Of an imported one with
// instances for several types it is the first, until those of the arguments are known.
func (d *def) resolveCallee(named *defState, at *syntax.Apply) *DefInfo {
	if named.started && !named.done {
		names := []string{}
		for _, s := range d.compiler.stack {
			if len(names) > 0 || s == named {
				names = append(names, s.name())
			}
		}
		d.diags.Errorf(source.CodeRecursion, at.Func.Pos, "defs cannot call themselves: %s calls %s", strings.Join(names, " calls "), at.Func.Name).
			WithNote(named.pos(), "%s is defined here", at.Func.Name).
			WithHelp("write the steps one after the other, each into a tensor of its own, or repeat the call from the host")
		return nil
	}
	if caller := d.compiler.stack[len(d.compiler.stack)-1]; !slices.Contains(caller.calls, named) {
		caller.calls = append(caller.calls, named)
	}
	if named.imported != nil {
		return named.imported.Defs[0]
	}
	d.compiler.check(named)
	d.incomplete = d.incomplete || named.info == nil
	return named.info
}

// checkCallForm checks what calls and concat share.
func (s *statement) checkCallForm() {
	stmt := s.syntax
	name := s.apply.Func.Name
	if stmt.Assign.Op != "" {
		s.errorf(source.CodeCallForm, stmt.AssignPos, "the results of %s are assigned with =, not %s", name, stmt.Assign).
			WithHelp("t = %s, and then update with a statement of its own", inLine(s.apply.Pos.Text()))
	}
	for _, t := range stmt.Targets {
		if t.Listed && (s.kind == concatenation || len(t.Indices) == 0) {
			s.errorf(source.CodeCallForm, t.Pos, "the result of %s is a whole tensor and takes no indices", name).
				WithHelp("write %s = %s", t.Name.Name, inLine(s.apply.Pos.Text()))
		}
	}
	for _, t := range stmt.Targets {
		for k, i := range t.Indices {
			if t.Shifted(k) {
				s.errorf(source.CodeCallForm, i.Pos, "the index %s of the result of %s is shifted", i.Name, name).
					WithHelp("give the call a target with the plain index, t(%s) = %s, and shift in a statement of its own: %s = t(%[1]s)", i.Name, inLine(s.apply.Pos.Text()), inLine(t.Pos.Text()))
			}
		}
	}
	if len(stmt.Where) > 0 {
		s.errorf(source.CodeCallForm, stmt.Where[0].Span(), "a call has no where clause").WithHelp("remove the clause")
	}
	if len(stmt.Scan) > 0 {
		s.errorf(source.CodeCallForm, stmt.Scan[0].Pos, "a call has no scan")
	}
	if s.kind == concatenation {
		if len(stmt.Targets) > 1 {
			s.errorf(source.CodeConcat, stmt.Targets[1].Pos, "concat has one result")
		}
		return
	}
	if s.failed {
		return
	}
	if in := s.callee.Func.Inputs(); len(in) != len(s.apply.Args) {
		s.errorf(source.CodeCallArguments, s.apply.Pos, "%s takes %s, not %d", name, count(len(in), "argument"), len(s.apply.Args)).
			WithNote(s.callee.Pos, "%s", callee.Signature(s.callee)).
			WithHelp("write %s(%s), with your tensors and values for them", name, strings.Join(tensorNames(in), ", "))
	}
	if out := s.callee.Func.Outputs(); len(out) != len(stmt.Targets) {
		s.errorf(source.CodeCallResults, stmt.Targets[0].Pos, "%s has %s, not %d", name, count(len(out), "result"), len(stmt.Targets)).
			WithNote(s.callee.Pos, "%s", callee.Signature(s.callee)).
			WithHelp("write %s = %s", s.fittingTargets(out), inLine(s.apply.Pos.Text()))
	}
	s.checkCopied()
}

// fittingTargets writes as many targets as a def has results: those that there are, and
// new names for the others.
func (s *statement) fittingTargets(results []*ein.Tensor) string {
	taken := map[string]bool{}
	for _, name := range s.def.names() {
		taken[name] = true
	}
	var list []string
	for n, t := range results {
		if n < len(s.syntax.Targets) {
			list = append(list, s.targetText(n))
			continue
		}
		name := t.Name
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		list = append(list, name)
	}
	if len(list) == 1 {
		return list[0]
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// checkCopied counts the statements of the callee, before they are copied. Only the
// first call that is too much is reported.
func (s *statement) checkCopied() {
	d, before := s.def, s.def.copied
	d.copied += len(s.callee.Func.Body)
	switch {
	case before > callee.MaxCopied:
		s.failed = true
	case d.copied > callee.MaxCopied:
		s.errorf(source.CodeCallsTooMany, s.apply.Pos, "with this call the calls of %s make %d statements, and may make %d", d.syntax.Name.Name, d.copied, callee.MaxCopied).
			WithNote(s.callee.Pos, "%s makes %s, with those of the defs that it calls", s.callee.Name, count(len(s.callee.Func.Body), "statement")).
			WithHelp("a call is replaced by the statements of the def: call %s from the host as often as it is needed", s.callee.Name)
	}
}

func tensorNames(list []*ein.Tensor) []string {
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.Name
	}
	return names
}

// An inlining is one call being copied into its caller.
type inlining struct {
	*callee.Call
	statement *statement
	lowering  *lowering
	p         *prover
	before    []*ein.Comprehension // computes scalar arguments
	over      []*overIndex         // the indices of the left side
}

// attemptCall copies the callee into the statement.
func (s *statement) attemptCall() bool {
	d := s.def
	d.calls++
	in := &inlining{Call: callee.New(s.callee, s.apply.Pos, d.calls), statement: s, p: newProver(d)}
	in.Prover, in.Report = in.p, s.errorf
	if s.group != nil {
		if types := s.argumentTypes(); s.group.Choose(types) == nil && s.group.Pick(types, s.apply.Pos, s.errorf) == nil {
			return false
		}
	}
	s.budget = budgetNodes
	s.byName, s.types = map[string]*index{}, map[syntax.Expr]valueType{}
	in.lowering = &lowering{statement: s}
	in.overIndices()
	inputs := s.callee.Func.Inputs()
	for n, arg := range s.apply.Args {
		if in.argument(inputs[n], arg); s.failed {
			return false
		}
	}
	if in.requireOver(); s.failed {
		return false
	}
	in.resultSizes()
	if s.failed || !in.Show() {
		return false
	}
	copied := in.Copied()
	for n, t := range copied.Outputs() {
		in.result(t, n)
	}
	if s.failed || !in.Conditions(copied) {
		return false
	}
	in.Temporaries(copied, in.declare)
	s.lowered = append(in.before, in.Body(copied, func(name string) bool { return d.sizes[name] != nil })...)
	in.p.commit(d)
	return true
}

// argument binds an input of the callee.
func (in *inlining) argument(param *ein.Tensor, arg syntax.Expr) {
	s := in.statement
	name, isName := arg.(*syntax.Name)
	var found *symbol
	var lead []callee.Coordinate
	if isName {
		found = s.def.symbols[name.Name]
	}
	if len(param.Dims) == 0 {
		if !in.scalarSlice(param, arg) {
			in.scalarArgument(param, arg, found)
		}
		return
	}
	if e, of := in.isSlice(arg); of != nil {
		if found, lead = of, in.lead(e, of); s.failed {
			return
		}
	}
	switch {
	case found == nil:
		diag := s.errorf(source.CodeCallArguments, arg.Span(), "%s takes the tensor %s here, not %s", s.callee.Name, param.Name, oneLine(arg.Span().Text())).
			WithNote(param.Pos, "%s is declared here", param.Name)
		if isName {
			diag.WithHelp("%s", s.def.suggest(name.Name))
		} else {
			diag.WithHelp("compute it into a temporary first: t(i) = …")
		}
		return
	case len(found.Dims)-len(lead) != len(param.Dims):
		s.errorf(source.CodeCallArguments, arg.Span(), "%s has %s and %s of %s has %d", oneLine(arg.Span().Text()), count(len(found.Dims)-len(lead), "dimension"), param.Name, s.callee.Name, len(param.Dims)).
			WithNote(s.callee.Pos, "%s", callee.Signature(s.callee))
		return
	case found.Type != param.Type:
		s.errorf(source.CodeCallArguments, arg.Span(), "%s is %s and %s of %s is %s", found.Name, found.Type, param.Name, s.callee.Name, param.Type).
			WithNote(s.callee.Pos, "%s", callee.Signature(s.callee)).
			WithHelp("convert it in a statement before: t(i) = %s(%s(i))", param.Type, found.Name)
		return
	}
	if s.writes(found) {
		s.errorf(source.CodeCallArguments, arg.Span(), "%s is an argument and the result of the same call", found.Name).
			WithHelp("copy it first: t(i) = %s(i)", found.Name)
		return
	}
	s.warnShifted(found, arg.Span(), len(lead), -1)
	actual := &callee.Actual{Tensor: found.Tensor, Lead: lead}
	for k, dim := range param.Dims {
		own := found.Dims[k+len(lead)]
		actual.Shift = append(actual.Shift, own.Min)
		in.Dimension(callee.Dimension{Declared: dim.Extent, Actual: own.Extent, At: arg.Span(), What: fmt.Sprintf("dimension %d of %s", k+len(lead), found.Name)})
	}
	in.Bind(param, actual)
}

// writes reports whether a tensor is a target of the statement.
func (s *statement) writes(t *symbol) bool { return slices.Contains(s.targets, t) }

// scalarArgument binds a scalar input: a scalar of the caller directly, anything
// else through a temporary. Where the callee uses the value as a size the
// argument must be a size expression.
func (in *inlining) scalarArgument(param *ein.Tensor, arg syntax.Expr, found *symbol) {
	s := in.statement
	for _, z := range s.callee.Func.Sizes {
		if z.Tensor != param || z.Dim != ein.ScalarValue {
			continue
		}
		value, bad := in.lowering.sizeExpr(arg, in.p)
		if bad != nil {
			s.errorf(source.CodeCallArguments, bad.Span(), "%s of %s is used in subscripts or ranges there, so it may not depend on %s", param.Name, s.callee.Name, oneLine(bad.Span().Text())).
				WithNote(param.Pos, "%s is declared here", param.Name).
				WithHelp("such arguments are made of numbers, sizes (also A.0), integer scalar inputs and + - * / %% min max")
			return
		}
		in.SetSize(z.Name, value)
	}
	if !callee.Reads(s.callee, param) {
		return // the value is only needed as a size
	}
	if found != nil && found.Type == param.Type && len(found.Dims) == 0 && !s.writes(found) {
		in.Bind(param, &callee.Actual{Tensor: found.Tensor})
		return
	}
	t := &typer{statement: s, report: true, lets: map[string]valueType{}, depth: map[string]bool{}}
	v := t.expr(arg)
	eachName(arg, func(name string, pos source.Span, apply bool) {
		if !apply && !s.failed && s.def.symbols[name] == nil && s.def.sizes[name] == nil {
			s.errorf(source.CodeUnknownName, pos, "there is no tensor, scalar or size %s", name).WithHelp("%s", s.def.suggest(name))
		}
	})
	if s.failed {
		return
	}
	if !storable(v, param.Type) {
		s.errorf(source.CodeNarrowing, arg.Span(), "%s of %s is %s and does not take %s without a cast", param.Name, s.callee.Name, param.Type, v.describe()).
			WithHelp("%s(%s)", param.Type, inLine(arg.Span().Text()))
		return
	}
	s.roundedIn(arg, param.Type, map[*let]bool{})
	if s.smallIn(arg); widens(v, param.Type) {
		s.wrapsBefore(arg, "becomes "+param.Type.String(), param.Type)
	}
	in.computeScalar(param, arg)
}

func (in *inlining) computeScalar(param *ein.Tensor, arg syntax.Expr) {
	s := in.statement
	l := &lowering{statement: s}
	value := l.value(arg, param.Type)
	for _, c := range l.constraints(true, in.p) {
		if s.proveAccess(c, in.p); s.failed {
			return
		}
	}
	l.finishGuards(in.p)
	l.checkIntRanges(in.p)
	l.checkExact(in.p)
	temp := &ein.Tensor{Pos: arg.Span(), Name: in.Prefix + "_" + param.Name, Type: param.Type, Role: ein.Temp}
	in.declare(temp)
	in.Bind(param, &callee.Actual{Tensor: temp})
	in.before = append(in.before, &ein.Comprehension{
		Pos: arg.Span(), Writes: []*ein.Write{{Pos: arg.Span(), Tensor: temp}}, Values: []ein.Expr{value},
	})
}

// resultSizes finds the sizes of the callee: those that only its results have come from the
// shapes of the targets.
func (in *inlining) resultSizes() {
	s := in.statement
	var results []callee.Dimension
	for n, out := range s.callee.Func.Outputs() {
		for k, dim := range out.Dims {
			if t := s.targets[n]; t.shaped && k+len(in.over) < len(t.Dims) {
				results = append(results, callee.Dimension{Declared: dim.Extent, Actual: t.Dims[k+len(in.over)].Extent})
			}
		}
	}
	if unknown := in.Solve(results); len(unknown) > 0 {
		in.Undecided(unknown[0], "declare the shape of the target in the outputs")
	}
}
