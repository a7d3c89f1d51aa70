package loop

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Verify checks that a program is well formed: types, scopes, single assignment,
// the rules of the regions, and that every access is in the bounds of its buffer
// wherever it is evaluated. A failure is a defect of the pass that made the
// program, so the error is a *source.InternalError.
func Verify(f *Func) (err error) {
	defer source.RecoverInternal("loop verifier", &err)
	v := &verifier{f: f, prover: newProver(), scope: map[*Var]bool{}, assigned: map[*Var]bool{}, live: map[*Buffer]int{}, listed: map[*Buffer]bool{}}
	v.header()
	if len(Grids(f)) > 0 {
		v.onHost(f.Body)
	}
	v.block(f.Body)
	return nil
}

// ErrUnproved is in the error of a program that is well formed, but has an access
// that the verifier cannot prove to be in bounds.
var ErrUnproved = errors.New("the access is not proved to be in bounds")

type verifier struct {
	f        *Func
	prover   *prover
	scope    map[*Var]bool
	assigned map[*Var]bool
	listed   map[*Buffer]bool
	live     map[*Buffer]int          // the depth of Parallel loops at which it was made
	parallel int                      // Parallel loops around the present statement
	own      []*Buffer                // of Region Thread around the present statement
	turn     *Turn                    // of the Parallel loop around, which stands in its body
	dead     int                      // conditions around that are known to be false; the prover has the others
	inGrid   *Grid                    // around the present statement
	updated  map[*Buffer]ein.BinaryOp // by atomic updates of that
}

func (v *verifier) fail(format string, args ...any) {
	panic(source.Internalf("loop verifier", source.Span{}, "%s: %s", v.f.Name, fmt.Sprintf(format, args...)))
}

func (v *verifier) require(ok bool, format string, args ...any) {
	if !ok {
		v.fail(format, args...)
	}
}

// header declares parameters and buffers.
func (v *verifier) header() {
	for _, b := range v.f.Buffers {
		v.require(!v.listed[b], "buffer %s is listed twice", b.Name)
		v.listed[b] = true
		v.require(b.Type.Elem != tensor.Invalid && isLanes(b.Type.Lanes), "buffer %s has type %s", b.Name, b.Type)
		v.require(b.Region == Argument || !b.ReadOnly, "buffer %s is read-only and not an argument", b.Name)
	}
	for _, p := range v.f.Params {
		if p.Var == nil {
			v.require(p.Buffer != nil && v.listed[p.Buffer] && p.Buffer.Region == Argument, "a parameter is neither a variable nor a listed argument buffer")
			v.live[p.Buffer] = 0
			continue
		}
		v.require(p.Var.Type == Scalar(tensor.Int64), "parameter %s has type %s, not int64", p.Var.Name, p.Var.Type)
		v.assign(p.Var)
		v.prover.forms[p.Var] = v.prover.parameter(p)
		if p.NonNegative {
			v.prover.extents = append(v.prover.extents, v.prover.forms[p.Var])
		}
	}
	for _, e := range v.f.Requires {
		v.require(v.expr(e) == Scalar(tensor.Int64), "a requirement is not an int64")
		f := v.prover.form(e)
		v.assume(f)
		v.prover.extents = append(v.prover.extents, f)
		v.prover.name(f)
	}
	for _, b := range v.f.Buffers {
		v.buffer(b)
	}
	v.parts()
	v.notices()
	v.shared()
}

// parts checks where the parts of the threads begin.
func (v *verifier) parts() {
	f := v.f
	v.require(f.Own >= 0 && f.Own%64 == 0 && f.Workspace%64 == 0 || f.Own == 0, "a thread has %d bytes behind a workspace of %d", f.Own, f.Workspace)
	v.require(f.Own == 0 || (f.OwnStart == nil) == (f.DynamicWorkspace == nil), "it is not known where the parts of the threads begin")
	if f.OwnStart != nil {
		v.require(v.expr(f.OwnStart) == Scalar(tensor.Int64), "the parts of the threads do not begin at an int64")
	}
}

// shared checks that buffers that share bytes of the workspace are never in use at once.
func (v *verifier) shared() {
	lives := LiveRanges(v.f)
	list := slices.DeleteFunc(slices.Clone(v.f.Buffers), func(b *Buffer) bool { return !b.hasPlace() })
	for n, a := range list {
		for _, b := range list[:n] {
			apart := a.Offset+a.Bytes() <= b.Offset || b.Offset+b.Bytes() <= a.Offset
			v.require(apart || !lives[a].overlaps(lives[b]), "%s and %s share bytes of the workspace, and are in use at once", a.Name, b.Name)
		}
	}
}

// notices checks that the caller finds what it looks at.
func (v *verifier) notices() {
	for _, n := range v.f.Notices {
		b := n.Buffer
		v.require(b != nil && v.listed[b] && b.Region == Workspace && b.OffsetExpr == nil && b.LengthExpr == nil && b.Length == 1 && b.Type == Scalar(tensor.Int32),
			"a notice is no int32 at a known place of the workspace")
	}
}

// buffer checks where a buffer lives.
func (v *verifier) buffer(b *Buffer) {
	for _, e := range []Expr{b.LengthExpr, b.OffsetExpr} {
		if e != nil {
			v.require(v.expr(e) == Scalar(tensor.Int64), "the length or offset of %s is not an int64", b.Name)
		}
	}
	v.require(b.LengthExpr != nil || b.Length >= 0, "buffer %s has length %d", b.Name, b.Length)
	if b.LengthExpr != nil {
		v.prover.assume(v.prover.form(b.LengthExpr)) // a length is not negative, which says something about the sizes
	}
	switch b.Region {
	case Argument:
		_, ok := v.live[b]
		v.require(ok, "argument buffer %s is not a parameter", b.Name)
	case Workspace:
		v.live[b] = 0
		if b.OffsetExpr != nil || v.f.DynamicWorkspace != nil || b.LengthExpr != nil {
			return
		}
		end := b.Offset + b.Length*int64(b.Type.Lanes*b.Type.Elem.Size())
		v.require(b.Offset >= 0 && b.Offset%64 == 0 && end <= v.f.Workspace, "buffer %s takes bytes [%d, %d) of a workspace of %d", b.Name, b.Offset, end, v.f.Workspace)
	case Thread:
		v.require(b.LengthExpr == nil && b.OffsetExpr == nil, "buffer %s of a thread has no fixed length or place", b.Name)
		end := b.Offset + b.Bytes()
		v.require(b.Offset >= OwnHead && b.Offset%64 == 0 && end <= v.f.Own, "buffer %s takes bytes [%d, %d) of %d that a thread has", b.Name, b.Offset, end, v.f.Own)
	default:
		v.require(b.LengthExpr == nil, "buffer %s is on the stack and has no fixed length", b.Name)
	}
}

func isLanes(n int) bool { return n >= 1 && n&(n-1) == 0 }

func (v *verifier) assign(x *Var) {
	v.require(x != nil && !v.assigned[x], "a variable is assigned twice")
	v.assigned[x], v.scope[x] = true, true
}

// block checks statements; what they declare ends with the block.
func (v *verifier) block(body []Stmt) {
	var undo []func()
	for _, s := range body {
		undo = append(undo, v.stmt(s)...)
	}
	for i := len(undo) - 1; i >= 0; i-- {
		undo[i]()
	}
}

// under runs body with facts and choices that hold in it.
func (v *verifier) under(facts []affineForm, choices [][]facts, body func()) {
	for _, f := range facts {
		defer v.assume(f)()
	}
	outer := v.prover.choices
	v.prover.choices = append(outer[:len(outer):len(outer)], choices...)
	body()
	v.prover.choices = outer
}

// where runs body with what holds where a condition has a truth value.
func (v *verifier) where(cond Expr, truth bool, body func()) {
	v.under(v.prover.guards(cond, truth), v.prover.disjunctionsOf(cond, truth), body)
}

// assume adds a fact and returns the function that takes it back.
func (v *verifier) assume(f affineForm) func() {
	if c, ok := f.isConstant(); ok && c < 0 {
		v.dead++
		return func() { v.dead-- }
	}
	return v.prover.assume(f)
}

// unreachable reports whether the conditions around contradict each other, or the
// ranges of the loops.
func (v *verifier) unreachable() bool {
	return v.dead > 0 || slices.ContainsFunc(v.prover.assumed, func(f affineForm) bool { return f.scale(-1).plus(-1).eliminates() })
}

// stmt checks a statement and returns what has to be undone after the block.
func (v *verifier) stmt(s Stmt) []func() {
	v.prover.forget()
	if v.inGrid != nil {
		v.inside(s)
	}
	switch s := s.(type) {
	case *For:
		v.loop(s)
	case *While:
		v.require(v.expr(s.Cond) == Scalar(tensor.Bool), "the condition of a while is not a scalar bool")
		v.where(s.Cond, true, func() { v.block(s.Body) })
	case *If:
		v.require(v.expr(s.Cond) == Scalar(tensor.Bool), "the condition of an if is not a scalar bool")
		v.where(s.Cond, true, func() { v.block(s.Then) })
		v.where(s.Cond, false, func() { v.block(s.Else) })
	case *Let:
		return []func(){v.let(s)}
	case *Alloc:
		v.alloc(s)
	case *Turn:
		v.require(v.turn == s, "a turn that is not one of the statements of a parallel loop, or not the only one")
		v.block(s.Body)
	case *Store:
		v.store(s)
	case *EndRow:
		v.endRow(s)
	case *Transpose:
		v.require(s.Dst != s.Src && s.Dst.Type == s.Src.Type && s.Dst.Type.Lanes == 1, "a transposition from %s of %s to %s of %s", s.Src.Name, s.Src.Type, s.Dst.Name, s.Dst.Type)
		v.require(!s.Stream || s.Dst.Region == Argument || s.Dst.Region == Workspace, "a transposition to %s cannot stream", s.Dst.Name)
		v.loop(s.Loops())
	case *Multiply:
		v.multiply(s)
	case *Check:
		v.require(v.expr(s.Cond) == Scalar(tensor.Bool), "the condition of a check is not a scalar bool")
		t := v.expr(s.Value)
		v.require(t.Lanes == 1 && t.Elem.IsInteger(), "a check reports a value of type %s", t)
		v.require(s.Site >= 0 && s.Site < len(v.f.Sites), "a check names site %d of %d", s.Site, len(v.f.Sites))
		if s.Notes {
			v.require(v.inGrid != nil, "a note of what fails outside of a grid, where nobody waits")
			return nil
		}
		var undo []func()
		for _, fact := range v.prover.guards(s.Cond, true) {
			undo = append(undo, v.assume(fact))
		}
		outer := v.prover.choices
		v.prover.choices = append(outer[:len(outer):len(outer)], v.prover.disjunctionsOf(s.Cond, true)...)
		return append(undo, func() { v.prover.choices = outer })
	case *Prefetch:
		v.require(s.Buffer.Type.Lanes == 1 && !(s.Write && s.Buffer.ReadOnly), "a prefetch of %s", s.Buffer.Name)
		v.require(s.Ahead == 0 || s.Ahead > 0 && (s.Buffer.Region == Argument || s.Buffer.Region == Workspace), "a prefetch of %s %d elements ahead", s.Buffer.Name, s.Ahead)
		v.require(s.Beyond == nil || v.expr(s.Beyond) == Scalar(tensor.Int64) && (s.Buffer.Region == Argument || s.Buffer.Region == Workspace), "a prefetch of %s beyond a place", s.Buffer.Name)
		v.require(s.Step == 0 || s.Step > 0 && s.Ahead > 0 && !s.Write, "a prefetch of %s in steps of %d", s.Buffer.Name, s.Step)
		v.require(!s.Write || !s.Second, "a prefetch of %s, to write it, into the second cache", s.Buffer.Name)
		v.access(s.Buffer, s.Index, nil, 1, "prefetch of")
	case *Grid:
		v.grid(s)
	case *Barrier:
		v.require(v.inGrid != nil, "a barrier outside of a grid")
	case *Shuffle:
		v.require(v.inGrid != nil, "a shuffle outside of a grid")
		return []func(){v.shuffle(s)}
	case *Fragments:
		v.require(v.inGrid != nil, "fragments outside of a grid")
		v.multiplyFragments(s)
	case *Copy:
		v.copied(s)
	case *Commit, *Wait:
		v.waits(s)
	case *Atomic:
		v.atomic(s)
	case *Comment:
	default:
		v.fail("unknown statement %T", s)
	}
	return nil
}

// loop checks a For. Its variable is Lo + Step·k, where k is an atom.
func (v *verifier) loop(s *For) {
	index := Scalar(tensor.Int64)
	v.require(v.expr(s.Lo) == index && v.expr(s.Hi) == index && s.Var != nil && s.Var.Type == index, "a loop does not run over int64")
	v.require(s.Step >= 1 && (s.Kind != Parallel || s.Step == 1), "the loop over %s has step %d", s.Var.Name, s.Step)
	_, isConstLo := s.Lo.(*Const)
	_, isConstHi := s.Hi.(*Const)
	v.require(s.Kind != Unrolled || isConstLo && isConstHi, "the unrolled loop over %s has bounds that are not constants", s.Var.Name)
	v.assign(s.Var)
	lo, hi := v.prover.form(s.Lo), v.prover.form(s.Hi)
	room := hi.sub(lo).plus(-1)
	_, most := room.rangeOf()
	if most != math.MaxInt64 {
		most = max(0, floorDivide(most, s.Step))
	}
	rooms, facts := reached(room), []affineForm{room}
	number := func(x *Var) affineForm {
		k := v.prover.atom(x.Name, atomVariable, affineForm{}, affineForm{}, 0, most)
		var ends []affineForm
		for _, r := range rooms {
			end := r.sub(atomForm(k).scale(s.Step)).reduced()
			follows := slices.DeleteFunc(v.prover.resolved(end), func(f affineForm) bool { return len(f.terms) < 2 }) // the interval says these
			ends = append(append(ends, end), follows...)
		}
		k.facts = distinct(append(k.facts, ends...))
		if s.Step == 1 {
			k.ends = []affineForm{room.plus(1)}
		}
		if len(rooms) > 1 { // these say most, and are tried first where they are assumed
			facts = append(facts, ends...)
		}
		return lo.add(atomForm(k).scale(s.Step))
	}
	v.prover.forms[s.Var] = number(s.Var)
	around := v.turn
	v.turn = nil
	if s.Kind == Parallel {
		v.turn = TurnOf(s)
		v.parallel++
		defer func() { v.parallel-- }()
	}
	v.require(!s.Hold || s.FromZero(), "a loop holds what it reads, and is not written out from 0 on")
	if s.Next != nil {
		v.require(v.turn != nil && s.Next.Type == index, "a loop without turns has a next iteration, or it is no int64")
		v.assign(s.Next)
		v.prover.forms[s.Next] = number(s.Next)
		defer delete(v.scope, s.Next)
	}
	v.under(facts, nil, func() { v.block(s.Body) })
	delete(v.scope, s.Var)
	v.turn = around
}

func (v *verifier) let(s *Let) func() {
	t := v.expr(s.Value)
	v.require(s.Var != nil && s.Var.Type == t, "a value of type %s is named by a variable of another type", t)
	v.assign(s.Var)
	if t.Elem == tensor.Bool {
		v.prover.bools[s.Var] = s.Value
	} else if t.Elem.IsInteger() {
		v.prover.forms[s.Var] = v.prover.form(s.Value)
	}
	return func() { delete(v.scope, s.Var) }
}

func (v *verifier) alloc(s *Alloc) {
	b := s.Buffer
	v.require(v.listed[b] && (b.Region == Private || b.Region == Register || b.Region == Thread), "an alloc of a buffer that is not private or not listed")
	_, isLive := v.live[b]
	v.require(!isLive, "buffer %s is allocated inside its own alloc", b.Name)
	if b.Region == Thread {
		for _, other := range v.own {
			v.require(b.Offset >= other.end() || b.end() <= other.Offset, "%s and %s share bytes of a thread, and are in use at once", b.Name, other.Name)
		}
		v.own = append(v.own, b)
		defer func() { v.own = v.own[:len(v.own)-1] }()
	}
	v.live[b] = v.parallel
	v.block(s.Body)
	delete(v.live, b)
}

func (v *verifier) store(s *Store) {
	b := s.Buffer
	value := v.expr(s.Value)
	v.require(b != nil && !b.ReadOnly, "a store to a read-only buffer")
	v.require(value.Elem == b.Type.Elem.Compute(), "a store of %s in buffer %s of %s", value, b.Name, b.Type)
	v.access(b, s.Index, s.Mask, value.Lanes, "store to")
	shared := b.Region == Argument || b.Region == Workspace
	v.require(!s.Stream || shared && (s.Mask == nil || s.Row != nil) && value.Lanes > 1 && b.Type.Lanes == 1 && s.Index.Type().Lanes == 1, "a store to %s cannot stream", b.Name)
	v.require(!s.Kept || b.Region == Register && s.Mask == nil, "a store to %s keeps no value in a register", b.Name)
	if s.Row != nil {
		v.require(s.Stream, "a store of a row to %s does not stream", b.Name)
		v.row(b, s.Row, s.Mask, value.Lanes)
	}
	depth := v.live[b]
	v.require(depth == v.parallel || b.Region == Argument || b.Region == Workspace || b.Region == Local, "threads of a parallel loop share the private buffer %s and write it", b.Name)
}

// access checks the subscript of a load or store of n lanes.
func (v *verifier) access(b *Buffer, index, mask Expr, n int, what string) {
	_, isLive := v.live[b]
	v.require(isLive, "%s buffer %s outside its alloc", what, b.Name)
	if s, ok := index.(*Swizzle); ok {
		index = v.swizzled(b, s, n)
	}
	t := v.expr(index)
	v.require(t.Elem == tensor.Int64 && (t.Lanes == 1 || t.Lanes == n && b.Type.Lanes == 1), "%s %s: a subscript of type %s for %d lanes", what, b.Name, t, n)
	v.require(isLanes(n) && (b.Type.Lanes == 1 || b.Type.Lanes == n), "%s %s of %s: %d lanes", what, b.Name, b.Type, n)
	var guards []affineForm
	var choices [][]facts
	if mask != nil {
		v.require(v.expr(mask) == Type{tensor.Bool, n}, "%s %s: a mask of type %s for %d lanes", what, b.Name, mask.Type(), n)
		outer := v.prover.masks
		v.prover.masks = map[string]bool{}
		v.prover.collectMasks(mask)
		defer func() { v.prover.masks = outer }()
		guards, choices = v.prover.guards(mask, true), v.prover.disjunctionsOf(mask, true)
	}
	first := v.prover.form(index)
	last := first
	if t.Lanes == 1 && b.Type.Lanes == 1 {
		if mask == nil { // a number leaves the other terms their common divisor
			last = first.plus(int64(n) - 1)
		} else {
			first = first.add(v.prover.lane(n))
			last = first
		}
	}
	length := constantForm(b.Length)
	if b.LengthExpr != nil {
		length = v.prover.form(b.LengthExpr)
	}
	v.under(guards, choices, func() {
		inside := v.holds(func() bool { return v.prover.proves(first.plus(-b.Low)) }) && v.holds(func() bool { return v.prover.proves(length.plus(b.Low - 1).sub(last)) })
		if !inside {
			panic(source.Internalf("loop verifier", source.Span{}, "%s: %s %s[%s]: %w: the subscript is in %s, and must be in [%d, %s)",
				v.f.Name, what, b.Name, briefly(ExprText(index)), ErrUnproved, intervalText(first, last), b.Low, lengthText(b)))
		}
	})
}

// lengthText is the end of the subscripts of a buffer.
func lengthText(b *Buffer) string {
	if b.LengthExpr == nil {
		return fmt.Sprint(b.Low + b.Length)
	}
	return briefly(ExprText(b.LengthExpr))
}

// briefly leaves out the middle of a subscript that nobody would read: with sizes
// that are not known, products of extents are multiplied out.
func briefly(text string) string {
	const most, end = 120, 40
	if len(text) <= most {
		return text
	}
	return text[:most-end] + " … " + text[len(text)-end:]
}

func intervalText(first, last affineForm) string {
	lo, _ := first.rangeOf()
	_, hi := last.rangeOf()
	text := func(v int64) string {
		switch v {
		case math.MinInt64:
			return "-∞"
		case math.MaxInt64:
			return "∞"
		}
		return fmt.Sprint(v)
	}
	return "[" + text(lo) + ", " + text(hi) + "]"
}

// expr checks an expression and returns its type.
func (v *verifier) expr(e Expr) Type {
	switch e := e.(type) {
	case *Const:
		v.require(e.Elem != tensor.Invalid && !e.Elem.IsHalf(), "a constant of type %s", e.Elem)
	case *VarRef:
		v.require(v.scope[e.Var], "a variable is used outside its scope")
	case *Load:
		v.require(e.Buffer != nil, "a load from nowhere")
		v.access(e.Buffer, e.Index, e.Mask, e.Lanes, "load from")
	case *Unary:
		t := v.expr(e.X)
		v.require((e.Op == ein.Not) == (t.Elem == tensor.Bool), "a unary operator on %s", t)
		v.require(e.Op == ein.Not || e.Op == ein.Neg || t.Elem.IsInteger(), "a number of bits of %s", t)
	case *Binary:
		v.binary(e)
	case *MulAdd:
		t := v.expr(e.X)
		v.require(v.expr(e.Y) == t && v.expr(e.Z) == t && t.Elem != tensor.Bool, "a multiply-add of different types")
	case *Call:
		v.require(e.Func != nil && len(e.Args) == e.Func.Arity, "a call with a wrong number of arguments")
		for _, a := range e.Args {
			v.require(v.expr(a) == e.Args[0].Type() && a.Type().Elem.IsFloat(), "a call of %s with %s", e.Func.Name, a.Type())
		}
	case *Select:
		v.selection(e)
	case *Cast:
		v.expr(e.X)
		v.require(e.To != tensor.Invalid && !e.To.IsHalf(), "a cast to %s", e.To)
		v.require(e.By == tensor.Invalid || e.isBetween(), "a cast of %s to %s by %s", e.X.Type(), e.To, e.By)
	case *Broadcast:
		v.require(v.expr(e.X).Lanes == 1 && isLanes(e.Lanes), "a broadcast of %s to %d lanes", e.X.Type(), e.Lanes)
	case *Ramp:
		v.require(v.expr(e.Base) == Scalar(tensor.Int64) && isLanes(e.Lanes), "a ramp of %s with %d lanes", e.Base.Type(), e.Lanes)
	case *Shift:
		v.shift(e)
	case *Lane:
		v.lane(e)
	case *Hold:
		v.hold(e)
	case *Lead:
		v.lead(e)
	case *Swizzle:
		v.fail("a swizzle that is no subscript")
	case *Dot:
		v.dot(e)
	case *Distances:
		v.distances(e)
	case *Fold:
		t := v.expr(e.X)
		v.require(foldable(e.Op, t.Elem), "a fold of %s by operator %d", t, e.Op)
	default:
		v.fail("unknown expression %T", e)
	}
	return e.Type()
}

func (v *verifier) binary(e *Binary) {
	x, y := v.expr(e.X), v.expr(e.Y)
	v.require(x == y, "operands of type %s and %s", x, y)
	logical := e.Op == ein.And || e.Op == ein.Or
	v.require(!logical || x.Elem == tensor.Bool, "a logical operator on %s", x)
	v.require(x.Elem != tensor.Bool || e.Op >= ein.Min, "arithmetic on bools")
	v.require(!e.Op.IsBitwise() || x.Elem.IsInteger(), "an operator on the bits of %s", x)
}

// selection checks both branches, each under its condition.
func (v *verifier) selection(e *Select) {
	cond := v.expr(e.Cond)
	var yes, no Type
	if cond.Lanes > 1 { // both branches are evaluated
		yes, no = v.expr(e.Then), v.expr(e.Else)
	} else {
		v.where(e.Cond, true, func() { yes = v.expr(e.Then) })
		v.where(e.Cond, false, func() { no = v.expr(e.Else) })
	}
	v.require(cond.Elem == tensor.Bool && yes == no && (cond.Lanes == 1 || cond.Lanes == yes.Lanes), "a select of %s by %s: %s and %s", yes, cond, yes, no)
}

func foldable(op ein.BinaryOp, d tensor.DType) bool {
	switch op {
	case ein.And, ein.Or:
		return d == tensor.Bool
	case ein.Add, ein.Mul:
		return d != tensor.Bool
	case ein.BitAnd, ein.BitOr, ein.BitXor:
		return d.IsInteger()
	}
	return op == ein.Min || op == ein.Max
}
