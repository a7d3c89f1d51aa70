package tc

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How conditions are facts
//
// An access in a branch is evaluated only where the conditions around it have their values, so it has
// to be in bounds there only. The conditions are noted at the access while the value is lowered. What
// those say that compare indices and sizes is one system of inequalities for each way in which they
// can be met (ein.Alternatives); the access is proved in all of them. Such comparisons are computed
// in 64 bits, in which they cannot wrap around.
//
// A constraint of which a condition speaks does not narrow the ranges of the indices in it: with a range
// inferred from A(i-1), the condition of i > 0 ? A(i-1) : 0 would always hold.

// A pathCondition is a condition around an expression, with the value that it has there.
type pathCondition struct {
	cond  ein.Expr
	holds bool
	joins bool // it is the left operand of && or ||
}

// under lowers what is evaluated only where a condition has a value.
func (l *lowering) under(c pathCondition, lower func() ein.Expr) ein.Expr {
	outer := l.path
	l.path = append(outer[:len(outer):len(outer)], c)
	defer func() { l.path = outer }()
	return lower()
}

// conditional lowers a choice, of which branch lowers the branches.
func (l *lowering) conditional(e *syntax.Conditional, branch func(syntax.Expr) ein.Expr) ein.Expr {
	cond := l.condition(e.Cond)
	then := l.under(pathCondition{cond: cond, holds: true}, func() ein.Expr { return branch(e.Then) })
	other := l.under(pathCondition{cond: cond}, func() ein.Expr { return branch(e.Else) })
	return &ein.Select{Pos: e.Pos, Cond: cond, Then: then, Else: other}
}

// logical lowers && and ||. The second operand is evaluated only where the first does not decide, if it
// reads something that the first speaks about: i > 0 && A(i-1) > 0. Under pad it always is: what is not read needs no test.
func (l *lowering) logical(e *syntax.Binary, op ein.BinaryOp) ein.Expr {
	x, from := l.condition(e.X), len(l.sites)
	y := l.under(pathCondition{x, op == ein.And, true}, func() ein.Expr { return l.condition(e.Y) })
	reads := slices.ContainsFunc(l.sites[from:], func(s *site) bool { return len(s.access.Subscripts) > 0 })
	if !reads || l.mode != padded && !l.says(x, op == ein.And, ein.AffineOf).Known() {
		return &ein.Binary{Pos: e.Pos, Op: op, X: x, Y: y}
	}
	if op == ein.And {
		return &ein.Select{Pos: e.Pos, Cond: x, Then: y, Else: ein.IntConst(tensor.Bool, 0)}
	}
	return &ein.Select{Pos: e.Pos, Cond: x, Then: ein.IntConst(tensor.Bool, 1), Else: y}
}

// says is what a condition says of indices and sizes.
func (l *lowering) says(cond ein.Expr, holds bool, of func(ein.Expr) (affine.Expr, bool)) ein.Alternatives {
	return ein.Says(cond, holds, of, l.locals())
}

// locals has the values of the lets that are computed before the value.
func (l *lowering) locals() map[*ein.Local]ein.Expr {
	locals := map[*ein.Local]ein.Expr{}
	for _, b := range l.bindings {
		locals[b.local] = b.value
	}
	return locals
}

// isGuarded reports whether a condition around the present expression speaks about indices or sizes.
func (l *lowering) isGuarded() bool {
	return slices.ContainsFunc(l.path, func(c pathCondition) bool { return l.says(c.cond, c.holds, ein.AffineOf).Known() })
}

// where is what the conditions around an access say; a single empty alternative where that is nothing.
func (l *lowering) where(s *site, p *prover) (all ein.Alternatives, complete bool) {
	var list []ein.Alternatives
	for _, c := range slices.Backward(s.path) { // the nearest first
		list = append(list, l.says(c.cond, c.holds, p.provedAffine))
	}
	return ein.AllOf(list)
}

// spokenOf are the indices that the conditions around an access compare, also where nothing follows: the
// range that X(i-1) gives would make i > 0 hold for all i in i > 0 || A(i) ? X(i-1) : 0, too.
func (l *lowering) spokenOf(s *site, p *prover) map[string]bool {
	names := map[string]bool{}
	locals := l.locals()
	for _, c := range s.path {
		for _, difference := range ein.Compared(c.cond, p.provedAffine, locals) {
			difference.Symbols(names)
		}
	}
	maps.DeleteFunc(names, func(name string, _ bool) bool { return l.byName[name] == nil })
	return names
}

// mostChoices bounds the choices among subscripts that are made choices among accesses, one in the other.
const mostChoices = 4

// chosenSubscript finds a subscript that is one of two by a condition on indices: A(i > 0 ? i-1 : 0) is
// i > 0 ? A(i-1) : A(0), where the condition is a fact. A boundary function looks at the whole subscript.
func (l *lowering) chosenSubscript(args []syntax.Expr) (choice *syntax.Conditional, at int) {
	if l.mode != plain || len(l.path) > mostChoices {
		return nil, 0
	}
	for at, arg := range args {
		if e, ok := withoutParens(arg).(*syntax.Conditional); ok && l.isStaticCondition(e.Cond) {
			return e, at
		}
	}
	return nil, 0
}

// isStaticCondition reports whether a condition compares indices, sizes and integers only.
func (l *lowering) isStaticCondition(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Paren:
		return l.isStaticCondition(e.X)
	case *syntax.Unary:
		return e.Op == "!" && l.isStaticCondition(e.X)
	case *syntax.Binary:
		op := binaryOperators[e.Op]
		if op == ein.And || op == ein.Or {
			return l.isStaticCondition(e.X) && l.isStaticCondition(e.Y)
		}
		return op.IsComparison() && l.isStatic(e.X) && l.isStatic(e.Y)
	}
	return false
}

// isStatic reports whether an expression has the same integer value wherever the indices and sizes are
// the same. An integer scalar counts where it is a size anyway: a kernel is made for the values of sizes.
func (l *lowering) isStatic(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Number:
		t := l.types[e]
		return t.weak == weakInt && t.constant
	case *syntax.Name:
		return l.isStaticName(e)
	case *syntax.SizeAccess:
		return true
	case *syntax.Paren:
		return l.isStatic(e.X)
	case *syntax.Unary:
		return e.Op == "-" && l.isStatic(e.X)
	case *syntax.Binary:
		if _, _, ok := asArithmetic(e); ok {
			return l.isStatic(e.X)
		}
		return binaryOperators[e.Op] <= ein.Mod && l.isStatic(e.X) && l.isStatic(e.Y)
	case *syntax.Apply:
		if l.def.length(e) != nil {
			return true
		}
		name := e.Func.Name
		return l.def.length(e) != nil || l.isAbsolute(e) && l.isStatic(e.Args[0]) || (name == "min" || name == "max") && l.def.symbols[name] == nil && len(e.Args) == 2 && l.isStatic(e.Args[0]) && l.isStatic(e.Args[1])
	}
	return false
}

func (l *lowering) isStaticName(e *syntax.Name) bool {
	if found, ok := l.lets[e.Name]; ok {
		return once(&found.static, func() bool { return l.isStatic(found.clause.Value) })
	}
	if found, ok := l.def.symbols[e.Name]; ok {
		return found.size != nil || found.scalar != nil && found.Type.IsInteger() && found.Type != tensor.Uint64 && (found.value != nil || l.subscriptsUse(e.Name))
	}
	return l.def.sizes[e.Name] != nil || l.byName[e.Name] != nil
}

// subscriptsUse reports whether a subscript of the statement has a name in it.
func (l *lowering) subscriptsUse(name string) bool {
	found := false
	var visit func(e syntax.Expr, inside bool)
	visit = func(e syntax.Expr, inside bool) {
		if n, ok := e.(*syntax.Name); ok && inside && n.Name == name {
			found = true
		}
		if a, ok := e.(*syntax.Apply); ok {
			inside = inside || l.def.symbols[a.Func.Name] != nil
		}
		for _, x := range operands(e) {
			visit(x, inside)
		}
	}
	visit(l.syntax.Value, false)
	for _, clause := range l.syntax.Where {
		if c, ok := clause.(*syntax.LetClause); ok {
			visit(c.Value, false)
		}
	}
	return found
}

// provedAffine is affineOf without what has to become a condition first.
func (p *prover) provedAffine(e ein.Expr) (affine.Expr, bool) {
	trial := &prover{facts: p.facts.Clone(), inside: p.inside.Clone(), box: p.box}
	x, ok := trial.affineOf(e)
	return x, ok && len(trial.conditions) == 0
}

// provesWhere reports whether e ≥ 0 at all points at which a condition holds.
func (p *prover) provesWhere(e affine.Expr, where ein.Alternatives) bool {
	return !slices.ContainsFunc(where, func(facts []affine.Expr) bool { return !p.inside.ProvesWhere(e, facts, p.box) })
}

// narrowed restricts a box to the points at which facts hold; exact says that these are all that
// the facts say.
func (p *prover) narrowed(facts []affine.Expr) (box []affine.Range, exact bool) {
	box, exact = slices.Clone(p.box), true
	for _, f := range facts {
		found := false
		for k, r := range box {
			step, rest, linear := f.Linear(r.Symbol)
			if !linear || step == 0 || slices.ContainsFunc(box, func(other affine.Range) bool { return rest.Uses(other.Symbol) }) {
				continue
			}
			found = true
			end := r.Min.Add(r.Extent)
			if step > 0 { // step·i + rest ≥ 0
				r.Min = p.inside.Larger(r.Min, affine.Div(rest, affine.Const(step)).Scale(-1))
			} else {
				end = p.inside.Smaller(end, affine.Div(rest, affine.Const(-step)).AddConst(1))
			}
			box[k] = affine.Range{Symbol: r.Symbol, Min: r.Min, Extent: end.Sub(r.Min)}
			break
		}
		exact = exact && (found || !slices.ContainsFunc(box, func(r affine.Range) bool { return f.Uses(r.Symbol) }))
	}
	return box, exact
}

// proveUnder settles the constraint of an access that stands under conditions: they prove it, or it becomes
// a condition on the sizes where they say between which numbers the indices are, or it is tested while
// running. It returns false where the access is out of bounds.
func (s *statement) proveUnder(c *constraint, p *prover) bool {
	dim := c.site.access.Tensor.Dims[c.dim]
	if p.keeps(c) {
		return true
	}
	if s.proveBySign(c, dim, p) {
		return true
	}
	var needs []boundNeed
	for _, facts := range c.where {
		box, exact := p.narrowed(facts)
		lo, hi, ok := p.inside.Extremes(c.offset, box)
		if !ok || !exact || !c.complete {
			c.site.access.Checked, c.site.unproved = true, true
			return true
		}
		needs = append(needs, c.needs(dim, lo, hi)...)
	}
	for _, need := range needs {
		if !isSum(c.offset) && verdictOf(p.inside, need.least) == affine.Never { // of bounds that nothing may reach
			c.site.access.Checked, c.site.unproved = true, true
			return true
		}
		if p.requireUnder(p.inside, need.least, c.site.span, "where the condition around it holds, "+need.reason) == affine.Never {
			s.outOfBoundsWhere(c, need.reason)
			return false
		}
	}
	return true
}

// proveBySign proves an access under the condition that a scalar is not negative, or positive, as the dilation
// D in t - D*k >= 0 ? X(t - D*k) : 0.
func (s *statement) proveBySign(c *constraint, dim ein.Dim, p *prover) bool {
	used := map[string]bool{}
	c.offset.Symbols(used)
	for _, name := range slices.Sorted(maps.Keys(used)) {
		z := s.def.sizes[name]
		if z == nil || z.Dim != ein.ScalarValue {
			continue
		}
		for least := range int64(2) {
			fact := affine.Symbol(name).AddConst(-least)
			trial := &prover{facts: p.facts.Clone(), inside: p.inside.Clone(), box: p.box}
			trial.assume(fact)
			if !trial.keeps(c) {
				continue
			}
			what := fmt.Sprintf("%s reads dimension %d of %s, which is proved to be in bounds where the condition around it holds", oneLine(c.site.span.Text()), c.dim, c.site.target.Name)
			return p.require(fact, c.site.span, what) != affine.Never
		}
	}
	return false
}

// keeps reports whether a constraint holds at all points at which its access is evaluated.
func (p *prover) keeps(c *constraint) bool {
	return p.provesWhere(c.offset, c.where) && p.provesWhere(c.extent.AddConst(-1).Sub(c.offset), c.where)
}

// isSum reports whether an expression has no functions, so that its bounds over a box are its values at points.
func isSum(e affine.Expr) bool { return functionDepth(e) == 0 }

func (s *statement) outOfBoundsWhere(c *constraint, reason string) {
	diag := s.errorf(source.CodeOutOfBounds, c.site.span, "where the condition around it holds, %s", reason)
	for _, condition := range c.site.path {
		if pos := condition.cond.Span(); pos.IsValid() {
			value := map[bool]string{true: "true", false: "false"}[condition.holds]
			diag.WithNote(pos, "the access is evaluated where this is %s", value)
		}
	}
	s.noteRanges(diag, c)
	if s.writes(c.site.target) && len(s.syntax.Targets[0].Indices) > 0 {
		diag.WithHelp("%s", s.outsideOfTarget(c))
		return
	}
	diag.WithHelp("change the subscript, the condition or the range, or say what lies outside: pad(%s, 0)", inLine(c.site.span.Text()))
}

// usesIndices reports whether an expression depends on the point.
func usesIndices(e ein.Expr) bool {
	return ein.Contains(e, func(e ein.Expr) bool { _, isIndex := e.(*ein.IndexRef); return isIndex })
}
