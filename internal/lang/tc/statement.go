package tc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// reductions is the table of the operators of assignments.
var reductions = map[string]ein.OperatorKind{
	"+": ein.SumOp, "*": ein.ProductOp, "min": ein.MinOp, "max": ein.MaxOp, "argmin": ein.ArgMinOp, "argmax": ein.ArgMaxOp,
	"&": ein.BitAndOp, "|": ein.BitOrOp, "^": ein.BitXorOp,
}

// solveStatements takes the statements in order. One that needs the shape of a
// tensor that only a later statement decides waits for it.
func (d *def) solveStatements() {
	for _, s := range d.statements {
		s.prepare()
	}
	d.requireTypes()
	d.warnShares()
	pending := d.statements
	for final := false; len(pending) > 0; {
		var waiting []*statement
		for _, s := range pending {
			if !s.failed && !s.attempt(final) && !s.failed {
				waiting = append(waiting, s)
				continue
			}
			if s.failed {
				s.breakTargets()
			}
		}
		final = len(waiting) == len(pending)
		pending = waiting
	}
}

// breakTargets silences errors that would follow from the one reported.
func (s *statement) breakTargets() {
	for _, t := range s.targets {
		t.broken = t.broken || !t.shaped
	}
}

// prepare does what does not depend on shapes: types, and what the operator
// demands.
func (s *statement) prepare() {
	if s.failed || s.kind == defCall || s.kind == concatenation {
		return
	}
	for _, r := range s.reads() {
		if r.broken {
			s.failed = true
			return
		}
	}
	v := s.typeValue(true)
	if s.failed {
		return
	}
	reduced := s.reduced()
	switch {
	case s.syntax.Assign.Op == "" && len(reduced) > 0:
		s.reducedWithoutOperator(reduced[0])
	case s.kind == argReduction:
		s.checkArg(v)
		s.warnPositionOrder()
	default:
		s.checkStore(s.targets[0], v)
	}
	if !s.failed {
		s.smallSum()
		s.halfSum()
		s.smallArithmetic()
		s.roundedQuotients()
		s.warnDivisors()
	}
}

// reduced lists the indices that are not on the left.
func (s *statement) reduced() []*index {
	var list []*index
	for _, i := range s.indices {
		if !i.target {
			list = append(list, i)
		}
	}
	return list
}

func (s *statement) reducedWithoutOperator(i *index) {
	diag := s.errorf(source.CodeReducedAssign, i.pos, "%s is not an index of %s, and = does not say how to combine its values", i.Name, s.syntax.Targets[0].Name.Name)
	diag.WithNote(s.syntax.AssignPos, "the assignment is here")
	if best := nearest(i.Name, s.def.names()); best != "" && len(i.Name) > 2 {
		diag.WithHelp("did you mean %s? To sum over %s write +=!", best, i.Name)
		return
	}
	diag.WithHelp("write +=! (or *=!, min=!, max=!) to reduce over %s, or add %s to the left side", i.Name, i.Name)
}

// checkStore requires that the value may be stored without a cast.
func (s *statement) checkStore(t *symbol, v valueType) {
	if s.storedLiteral(s.syntax.Value, t); s.failed {
		return
	}
	if t.broken || storable(v, t.Type) {
		if t.Type == tensor.Bool && (s.syntax.Assign.Op == "+" || s.syntax.Assign.Op == "*") {
			s.errorf(source.CodeNarrowing, s.syntax.AssignPos, "%s does not combine bools, and %s is bool", s.syntax.Assign, t.Name).
				WithHelp("max=! is or, min=! is and")
		}
		return
	}
	value := s.syntax.Value
	cast := castAround(value, t.Type)
	if v.weak == strong && widens(v, t.Type) && s.roomFor(value, v.dtype, t.Type) == t.Type { // wraps before a cast around it
		cast = s.widen(value, value, t.Type)
	}
	s.errorf(source.CodeNarrowing, value.Span(), "%s is %s and does not take %s without a cast", t.Name, t.Type, v.describe()).
		WithNote(t.Pos, "%s is declared here", t.Name).
		WithHelp("%s %s %s", s.targetText(0), s.syntax.Assign, cast)
}

// targetsText is the text of all targets for people.
func (s *statement) targetsText() string {
	var texts []string
	for n := range s.syntax.Targets {
		texts = append(texts, s.targetText(n))
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// targetText is the text of a target for messages.
func (s *statement) targetText(n int) string { return inLine(s.syntax.Targets[n].Pos.Text()) }

// attempt solves the statement. It returns false when it has to wait for a shape;
// in the final attempt that is an error.
func (s *statement) attempt(final bool) bool {
	for _, r := range s.reads() {
		if r.broken {
			s.failed = true
			return false
		}
		if !r.shaped && !s.shapes(r.symbol) {
			if final {
				s.noShape(r)
			}
			return false
		}
	}
	switch s.kind {
	case defCall:
		done := s.attemptCall()
		s.noteCallUses()
		return done
	case concatenation:
		done := s.attemptConcat()
		s.noteCallUses()
		return done
	}
	return s.attemptComprehension(final)
}

// shapes reports whether the statement may itself decide the shape of a tensor
// that it reads: a target of which only elements are needed, without a boundary
// function.
func (s *statement) shapes(t *symbol) bool {
	if s.kind != comprehension || s.targets[0] != t {
		return false
	}
	free := true
	check := func(e syntax.Expr) { free = free && !needsShape(e, t.Name, false) }
	check(s.syntax.Value)
	for _, clause := range s.syntax.Where {
		switch c := clause.(type) {
		case *syntax.RangeClause:
			check(c.Lo)
			check(c.Hi)
		case *syntax.LetClause:
			check(c.Value)
		case *syntax.ExistsClause:
			check(c.Value)
		}
	}
	return free
}

func needsShape(e syntax.Expr, name string, moved bool) bool {
	switch e := e.(type) {
	case *syntax.SizeAccess:
		return e.Tensor.Name == name
	case *syntax.Apply:
		if e.Func.Name == lengthName && len(e.Args) == 1 {
			if of, ok := nameOf(e.Args[0]); ok && of == name {
				return true
			}
		}
		_, isBoundary := boundaryFunctions[e.Func.Name]
		if e.Func.Name == name {
			return moved || slices.ContainsFunc(e.Args, func(x syntax.Expr) bool { return needsShape(x, name, false) })
		}
		moved = moved || isBoundary
	}
	for _, x := range operands(e) {
		if needsShape(x, name, moved) {
			return true
		}
	}
	return false
}

func (s *statement) attemptComprehension(final bool) bool {
	p := newProver(s.def)
	l, values := s.lower()
	if s.failed {
		return false
	}
	if !s.findShifts(p) {
		return false
	}
	constraints := l.constraints(true, p)
	if !s.inferRanges(l, constraints, p) {
		if final && !s.failed {
			s.reportUnresolved(l, constraints)
		}
		return false
	}
	for n := range s.targets {
		s.shapeTarget(n, p)
	}
	for _, c := range append(constraints, l.constraints(false, p)...) {
		if !c.solved && !s.failed {
			s.proveAccess(c, p)
		}
	}
	if s.failed {
		return false
	}
	l.finishGuards(p)
	l.checkIntRanges(p)
	l.checkExact(p)
	s.requirePositions(p)
	l.requireNonEmpty(p)
	l.warnUnproved(p)
	l.warnRecurrences(p)
	s.warnApart()
	s.warnAfresh(p)
	s.warnNarrowed(p)
	l.warnDecided(p)
	s.warnPairs()
	s.warnZeros()
	l.warnFactorial(p)
	l.noteUses(p)
	l.noteSize(p)
	s.scalarStored()
	s.build(values, p)
	p.commit(s.def)
	return true
}

// lower makes the values of the statement and collects the accesses, those of
// exists clauses last.
func (s *statement) lower() (*lowering, []ein.Expr) {
	s.budget = budgetNodes
	for _, l := range s.lets {
		l.shared, l.expanded, l.product, l.sizes, l.scalars, l.static = nil, false, nil, nil, nil, nil
	}
	l := &lowering{statement: s}
	t := s.valueType()
	var value ein.Expr
	if t == tensor.Int64 && s.sumsIndices() {
		value = l.wideSum(s.syntax.Value)
	} else {
		value = l.value(s.syntax.Value, t)
	}
	value = l.bind(value)
	l.exists = true
	for _, clause := range s.syntax.Where {
		if c, ok := clause.(*syntax.ExistsClause); ok {
			l.value(c.Value, s.def.settled(s.types[c.Value]))
		}
	}
	return l, []ein.Expr{value}
}

// valueType is the type in which the value is computed: that of the target that
// stores it.
func (s *statement) valueType() tensor.DType {
	if s.kind == argReduction && !s.hasValueTarget() {
		return s.def.settled(arithmetic(s.types[s.syntax.Value]))
	}
	return s.targets[0].Type
}

// build completes the comprehension with the ranges and the operators.
func (s *statement) build(values []ein.Expr, p *prover) {
	for _, i := range s.indices {
		i.Min, i.Extent = i.min, i.end.Sub(i.min)
	}
	if s.kind == argReduction {
		s.buildArg(values[0])
		return
	}
	t := s.targets[0]
	c := &ein.Comprehension{Pos: s.syntax.Pos, Writes: []*ein.Write{s.write(t.Tensor, 0)}, Values: values}
	var op *ein.Operator
	if kind, ok := reductions[s.syntax.Assign.Op]; ok {
		switch {
		case t.Type == tensor.Bool && kind == ein.MaxOp:
			kind = ein.OrOp
		case t.Type == tensor.Bool && kind == ein.MinOp:
			kind = ein.AndOp
		case kind >= ein.BitAndOp && kind <= ein.BitXorOp && !t.Type.IsInteger():
			s.bitReduction()
			kind = ein.SumOp
		}
		op = ein.BuiltinOperator(kind, t.Type.Compute())
	}
	s.combine(c, op)
	s.lowered = []*ein.Comprehension{c}
}

// combine gives the comprehension its indices and, for an update, the operator
// that joins the old value.
func (s *statement) combine(c *ein.Comprehension, op *ein.Operator) {
	for _, i := range s.indices {
		switch {
		case i.scan:
			i.Combine = ein.Combine{Kind: ein.Scan, Op: op}
		case i.target:
			i.Combine = ein.Combine{Kind: ein.Concat}
		default:
			i.Combine = ein.Combine{Kind: ein.Reduce, Op: op}
		}
		c.Indices = append(c.Indices, i.Index)
	}
	if !s.syntax.Assign.Initialise {
		c.Accumulate = op
	}
}

func (s *statement) write(t *ein.Tensor, target int) *ein.Write {
	w := &ein.Write{Pos: s.syntax.Targets[target].Pos, Tensor: t}
	for k, ident := range s.syntax.Targets[target].Indices {
		var at ein.Expr = &ein.IndexRef{Pos: ident.Pos, Index: s.byName[ident.Name].Index}
		if shift := s.shifts[target][k]; t == s.targets[target].Tensor && !shift.Equal(affine.Const(0)) {
			at = withSize(ein.Add, at, shift, ident.Pos)
		}
		w.Subscripts = append(w.Subscripts, at)
	}
	return w
}

// shapeTarget gives a target its shape, or compares the ranges with the one it
// has.
func (s *statement) shapeTarget(n int, p *prover) {
	t := s.targets[n]
	ranges := make([]ein.Dim, len(s.syntax.Targets[n].Indices))
	for k := range ranges {
		ranges[k] = s.targetRange(n, k)
	}
	if !t.shaped {
		if s.hasPieces(t) {
			for k, own := range ranges {
				if s.byName[s.syntax.Targets[n].Indices[k].Name].explicit == nil {
					continue // it writes all that there is
				}
				if ranges[k] = s.hull(t, k, own, p); !ranges[k].Min.Equal(own.Min) || !ranges[k].Extent.Equal(own.Extent) {
					t.pieces = true
				}
			}
		}
		t.Dims, t.shaped, t.shapedAt = ranges, true, s.syntax.Targets[n].Pos
		return
	}
	for k := range ranges {
		s.agree(n, k, ranges[k], p)
	}
}

// agree requires that a range is the whole dimension, or a part of it where the
// where clause or a shift says so and the tensor has values elsewhere.
func (s *statement) agree(n, k int, r ein.Dim, p *prover) {
	t := s.targets[n]
	i := s.byName[s.syntax.Targets[n].Indices[k].Name]
	if s.def.aliasSize(t, k, r) {
		return
	}
	dim := t.Dims[k]
	end, dimEnd := r.Min.Add(r.Extent), dim.Min.Add(dim.Extent)
	text := s.targetText(n)
	part := i.explicit != nil || s.syntax.Targets[n].Shifted(k)
	if part && t.first == s && s.hasPieces(t) && !p.equal(r, dim) {
		t.pieces = true
	}
	if part && (t.first != s || t.Role == ein.InOut || t.pieces) {
		reason := fmt.Sprintf("%s writes dimension %d of %s at %s:%s, and it is %s:%s", text, k, t.Name, r.Min, end, dim.Min, dimEnd)
		if p.require(r.Min.Sub(dim.Min), i.where(), reason) == affine.Never || p.require(dimEnd.Sub(end), i.where(), reason) == affine.Never {
			s.disagree(n, k, r)
		}
		return
	}
	reason := fmt.Sprintf("%s ranges over %s:%s in dimension %d, and %s is %s:%s there", text, r.Min, end, k, t.Name, dim.Min, dimEnd)
	low := p.requireEqual(r.Min, dim.Min, i.where(), reason)
	high := p.requireEqual(end, dimEnd, i.where(), reason)
	if low == affine.Never || high == affine.Never {
		s.disagree(n, k, r)
	}
}

func (s *statement) disagree(n, k int, r ein.Dim) {
	t, i := s.targets[n], s.byName[s.syntax.Targets[n].Indices[k].Name]
	dim := t.Dims[k]
	if i.explicit != nil && i.explicit.Pos == s.syntax.Targets[n].Indices[k].Pos { // B(0) = 1
		s.errorf(source.CodeShapesDisagree, i.explicit.Pos, "%s is written at %s, but dimension %d of %s is %s:%s", t.Name, r.Min, k, t.Name, dim.Min, dim.Min.Add(dim.Extent)).
			WithNote(t.shapedAt, "%s gets its shape here", t.Name).WithHelp("write a point inside; the last is %s", dim.Min.Add(dim.Extent).AddConst(-1))
		return
	}
	own := ein.Dim{Min: i.min, Extent: r.Extent} // of the index, which r may be a shift of
	diag := s.errorf(source.CodeShapesDisagree, s.syntax.Targets[n].Indices[k].Pos, "%s ranges over %s:%s, but dimension %d of %s is %s:%s",
		oneLine(s.syntax.Targets[n].Indices[k].Pos.Text()), r.Min, r.Min.Add(r.Extent), k, t.Name, dim.Min, dim.Min.Add(dim.Extent)).
		WithNote(t.shapedAt, "%s gets its shape here", t.Name)
	noteBounds(diag, i.origin)
	if i.explicit != nil && t.first == s {
		diag.WithHelp("no statement writes the rest of %s; give it a value there, or initialise all of it before this statement", t.Name)
		return
	}
	if s.readsTarget() {
		diag.WithHelp("this statement reads what %s held before it, since all values are computed before any is written; a running sum, product, minimum or maximum is a scan, %s scan(%s) +=! …; otherwise write a part: where %s in %s:%s",
			t.Name, s.targetText(n), i.Name, i.Name, own.Min, own.Min.Add(own.Extent))
		return
	}
	lo, end, ok := s.partOf(i, ein.Dim{Min: dim.Min.Sub(s.shifts[n][k]), Extent: dim.Extent})
	if t.declared {
		help := fmt.Sprintf("leave the shape of %s out of its declaration, or say what the accesses out of bounds are: pad(…, 0)", t.Name)
		if ok || t.first == s {
			help = fmt.Sprintf("leave the shape of %s out of its declaration, say what the accesses out of bounds are: pad(…, 0), or write the part that fits, where %s in %s:%s, and the rest in other statements",
				t.Name, i.Name, lo, end)
		}
		diag.WithHelp("%s", help)
		return
	}
	if ok && len(s.targets) == 1 {
		diag.WithHelp("give this statement the part of %s that it can write: where %s in %s:%s", t.Name, i.Name, lo, end)
		return
	}
	if i.explicit == nil && s.joinsPiece(t, k) {
		diag.WithHelp("write the whole of %s, or a part that lies inside; where %s is made of pieces and reaches further, say the range of each: where %s in %s:%s",
			t.Name, t.Name, i.Name, own.Min, own.Min.Add(own.Extent))
		return
	}
	diag.WithHelp("write the whole of %s, or a part that lies inside", t.Name)
}

// joinsPiece reports whether the statement that shapes a tensor writes a piece of
// dimension k, so that this one would widen it with a range.
func (s *statement) joinsPiece(t *symbol, k int) bool {
	if t.declared || t.first == nil || t.first == s {
		return false
	}
	_, _, ok := t.first.piece(t, k, newProver(s.def))
	return ok
}

// requireNonEmpty demands elements in tensors whose subscripts are moved: there
// is no nearest element of nothing.
func (l *lowering) requireNonEmpty(p *prover) {
	for _, s := range l.sites {
		if s.mode != clamped && s.mode != mirrored && s.mode != wrapped {
			continue
		}
		for k, dim := range s.access.Tensor.Dims {
			reason := fmt.Sprintf("%s needs an element in dimension %d of %s", oneLine(s.span.Text()), k, s.target.Name)
			if p.require(dim.Extent.AddConst(-1), s.span, reason) == affine.Never {
				l.errorf(source.CodeEmptyRange, s.span, "%s has no elements", s.target.Name)
			}
		}
	}
}

// aliasSize lets the range decide a size that only the declaration of the output
// names, so that a caller need not give it.
func (d *def) aliasSize(t *symbol, k int, r ein.Dim) bool {
	if !d.decidesSize(t, k, r) {
		return false
	}
	name, _ := t.Dims[k].Extent.IsSymbol()
	z, extent := d.sizes[name], r.Extent
	z.alias = &extent
	replace := map[string]affine.Expr{name: extent}
	for _, s := range d.order {
		for n := range s.Dims {
			s.Dims[n].Extent = s.Dims[n].Extent.Subst(replace)
		}
	}
	for n, s := range d.fn.Sizes {
		if s.Name == name {
			d.fn.Sizes = append(d.fn.Sizes[:n], d.fn.Sizes[n+1:]...)
			break
		}
	}
	return true
}

// decidesSize reports whether a range may decide the size of a dimension. That of an array which the
// caller gives, with its old values, is known by that.
func (d *def) decidesSize(t *symbol, k int, r ein.Dim) bool {
	name, ok := t.Dims[k].Extent.IsSymbol()
	if !ok || d.sizes[name] == nil {
		return false
	}
	z := d.sizes[name]
	given := slices.ContainsFunc(d.order, func(s *symbol) bool {
		return s.Role == ein.InOut && slices.ContainsFunc(s.Dims, func(dim ein.Dim) bool { return dim.Extent.Uses(name) })
	})
	min, isConst := r.Min.IsConst()
	return z.outputOnly && !z.used && !given && z.alias == nil && !r.Extent.Uses(name) && isConst && min == 0
}

// markSizes notes that the sizes of an expression are used.
func (d *def) markSizes(e affine.Expr) {
	set := map[string]bool{}
	e.Symbols(set)
	for name := range set {
		if z := d.sizes[name]; z != nil {
			z.used = true
		}
	}
}

func (d *def) boundSize(facts *affine.Facts, z *ein.Size) {
	switch {
	case z.Dim != ein.ScalarValue && z.MayBeZero:
		facts.AtLeast(z.Name, 0)
	case z.Dim != ein.ScalarValue:
		facts.AtLeast(z.Name, 1)
	case z.Tensor != nil && z.Tensor.Type.Kind() == tensor.KindUint:
		facts.AtLeast(z.Name, 0)
	}
}

// warnOnce warns, unless an earlier attempt at the statement has done so.
func (d *def) warnOnce(s *statement, code source.Code, span source.Span, format string, args ...any) *source.Diagnostic {
	for _, known := range d.diags.List {
		if known.Code == code && known.Span == span {
			return &source.Diagnostic{}
		}
	}
	return d.diags.Warnf(code, span, format, args...)
}
