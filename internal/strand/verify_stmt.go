package strand

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

func (v *verifier) stmts(b Block) {
	for _, s := range b {
		v.stmt(s)
	}
}

// expr checks an expression of a type, and that all it reads has a value.
func (v *verifier) expr(e ein.Expr, t tensor.DType, pos source.Span) {
	if !v.check(e != nil, pos, "an expression is missing") {
		return
	}
	scope := map[*ein.Local]bool{} // of what it reads: a program may have thousands of locals
	ein.Walk(e, func(part ein.Expr) bool {
		if r, is := part.(*ein.LocalRef); is {
			if _, owned := v.owner[r.Local]; owned && (v.assigned.has(r.Local) || v.ended) {
				scope[r.Local] = true
			}
		}
		return true
	})
	if err := ein.VerifyExpr(v.p.Name+" in "+v.block.name, e, scope); err != nil {
		v.problems = append(v.problems, err)
		return
	}
	v.check(e.Type() == t, pos, "a %s stands where a %s belongs: %s", e.Type(), t, ein.PrintExpr(e))
}

// mayAssign checks that the block may assign a variable.
func (v *verifier) mayAssign(x *Variable, pos source.Span) bool {
	if !v.check(x != nil && v.declared[x], pos, "an undeclared variable is assigned in %s", v.block.name) {
		return false
	}
	allowed := false
	switch x.Role {
	case Temporary:
		allowed = true
	case Const:
		allowed = v.block.place&assignsConst != 0
	case Global, Input, Loaded:
		allowed = v.block.place&inWorld != 0 && v.block.name != "create"
	case State:
		allowed = v.block.place&inStrand != 0
	}
	return v.check(allowed, pos, "the %s %s is assigned in %s", x.Role, x.Name, v.block.name)
}

// set checks an assignment of one scalar of a type.
func (v *verifier) set(l *ein.Local, t tensor.DType, pos source.Span) {
	if v.mayAssign(v.owner[l], pos) {
		v.check(l.DType == t, pos, "%s is a %s and is set to a %s", l.Name, l.DType, t)
		v.assigned.add(l)
	}
}

// target checks an assignment of a whole value.
func (v *verifier) target(x *Variable, t Type, pos source.Span) {
	if v.mayAssign(x, pos) {
		v.check(x.Type.Elem == t.Elem && x.Type.Width() == t.Width() && x.Type.Dynamic == t.Dynamic, pos, "%s is %s and is set to a %s", x.Name, x.Type, t)
		v.assign(x)
	}
}

// value checks that a variable has a value.
func (v *verifier) value(x *Variable, pos source.Span) bool {
	return v.check(x != nil && v.declared[x], pos, "an undeclared variable is read") &&
		v.check(v.has(x), pos, "%s is read in %s where it may have no value", x.Name, v.block.name)
}

func (v *verifier) sequence(x *Variable, pos source.Span) bool {
	return v.value(x, pos) && v.check(x.Type.IsSequence(), pos, "%s is no sequence", x.Name)
}

func (v *verifier) may(p place, pos source.Span, what string) {
	v.check(v.block.place&p != 0, pos, "%s in %s", what, v.block.name)
}

func (v *verifier) stmt(s Stmt) {
	switch s := s.(type) {
	case *Assign:
		if x, ok := v.owner[s.To]; v.check(ok && x != nil, s.Pos, "what is no part of a variable is assigned") {
			v.expr(s.Value, s.To.DType, s.Pos)
			v.text(x.Type, s.Value, s.Pos)
			v.set(s.To, s.To.DType, s.Pos)
		}
	case *If:
		v.choice(s)
	case *ForRange:
		v.expr(s.Low, v.p.DType(Int), s.Pos)
		v.expr(s.High, v.p.DType(Int), s.Pos)
		v.loop(s.Variable, Type{Elem: Int}, s.Body, s.Pos)
	case *ForEach:
		if v.sequence(s.Sequence, s.Pos) {
			v.loop(s.Variable, s.Sequence.Type.Element(), s.Body, s.Pos)
		}
	case *Build:
		v.build(s)
	case *Length:
		v.sequence(s.Sequence, s.Pos)
		v.set(s.To, v.p.DType(Int), s.Pos)
	case *Element:
		v.expr(s.At, v.p.DType(Int), s.Pos)
		if v.sequence(s.Sequence, s.Pos) {
			v.target(s.To, s.Sequence.Type.Element(), s.Pos)
		}
	case *Message:
		for _, part := range s.Parts {
			if part.Variable != nil && v.value(part.Variable, s.Pos) {
				v.check(part.Variable.Type.Elem != Ref, s.Pos, "the strand %s is printed", part.Variable.Name)
			}
		}
	case *Sample:
		v.sample(s)
	case *Eigen:
		v.eigen(s)
	default:
		v.effect(s)
	}
}

// effect checks the statements about strands.
func (v *verifier) effect(s Stmt) {
	switch s := s.(type) {
	case *New:
		v.may(ends, s.Pos, "a strand is created")
		v.arguments(s.Arguments, s.Pos)
	case *Exit:
		v.may(ends, s.Pos, s.Kind.String()+" stands")
		v.check(s.Kind <= Die, s.Pos, "unknown exit")
		v.ended = true
	case *AllExit:
		v.may(seesAll, s.Pos, "all strands end")
		v.check(s.Kind == Stabilize || s.Kind == Die, s.Pos, "all strands %s", s.Kind)
	case *Count:
		v.may(inStep|seesAll, s.Pos, "strands are counted")
		v.set(s.To, v.p.DType(Int), s.Pos)
	case *Query:
		v.query(s)
	case *Get:
		v.check(v.block.place&inStep != 0 || v.folds > 0, s.Pos, "a state of a strand is read in %s", v.block.name)
		if v.value(s.Strand, s.Pos) && v.check(s.State != nil && v.declared[s.State] && s.State.Role == State, s.Pos, "what is read is no state") {
			v.check(s.Strand.Type.IsScalar() && s.Strand.Type.Elem == Ref, s.Pos, "%s is no strand", s.Strand.Name)
			v.target(s.To, s.State.Type, s.Pos)
		}
	case *Reduce:
		v.reduce(s)
	default:
		v.check(false, v.p.Pos, "a statement is a %T", s)
	}
}

// branch checks a block that may run, and returns what has got a value in it.
func (v *verifier) branch(b Block) (gained []any, ended bool) {
	wasEnded, before := v.ended, v.assigned.mark()
	v.stmts(b)
	gained, ended = v.assigned.back(before), v.ended
	v.ended = wasEnded
	return gained, ended
}

func (v *verifier) choice(s *If) {
	v.expr(s.Cond, tensor.Bool, s.Pos)
	yes, yesEnds := v.branch(s.Then)
	no, noEnds := v.branch(s.Else)
	inBoth := map[any]bool{}
	for _, key := range yes {
		if inBoth[key] = true; noEnds {
			v.assigned.add(key)
		}
	}
	for _, key := range no {
		if inBoth[key] || yesEnds {
			v.assigned.add(key)
		}
	}
	v.ended = v.ended || yesEnds && noEnds
}

// loop checks a body that may run any number of times.
func (v *verifier) loop(x *Variable, t Type, body Block, pos source.Span) {
	before := v.assigned.mark()
	v.target(x, t, pos)
	v.loops++
	v.branch(body)
	v.loops--
	v.assigned.back(before)
}

func (v *verifier) build(s *Build) {
	if !v.check(s.To != nil && s.To.Type.Dynamic, s.Pos, "what is built is no dynamic sequence") {
		return
	}
	t := s.To.Type.Element()
	for _, item := range s.Items {
		if item.Sequence != nil {
			if v.sequence(item.Sequence, s.Pos) {
				e := item.Sequence.Type.Element()
				v.check(e.Elem == t.Elem && e.Width() == t.Width(), s.Pos, "elements of %s are added to %s", item.Sequence.Name, s.To.Name)
			}
			continue
		}
		if v.check(len(item.Parts) == t.Width(), s.Pos, "an element of %s has %d parts", s.To.Name, len(item.Parts)) {
			for _, e := range item.Parts {
				v.expr(e, v.p.DType(t.Elem), s.Pos)
			}
		}
	}
	v.target(s.To, s.To.Type, s.Pos)
}

func (v *verifier) query(s *Query) {
	v.may(inStep, s.Pos, "strands are looked for")
	v.expr(s.Radius, v.p.Real, s.Pos)
	pos := v.p.Variable("pos")
	if !v.check(pos != nil && pos.Role == State && pos.Type.Elem == Real && len(pos.Parts) >= 1 && len(pos.Parts) <= 3, s.Pos, "strands have no state pos of one to three reals") {
		return
	}
	if s.Center != nil && v.check(len(s.Center) == len(pos.Parts), s.Pos, "a center has %d parts", len(s.Center)) {
		for _, e := range s.Center {
			v.expr(e, v.p.Real, s.Pos)
		}
	}
	v.target(s.To, Type{Elem: Ref, Dynamic: true}, s.Pos)
}

func (v *verifier) reduce(s *Reduce) {
	v.may(seesAll, s.Pos, "a set of strands is folded")
	v.check(v.loops == 0, s.Pos, "a set of strands is folded in a loop")
	before := v.assigned.mark()
	v.target(s.Strand, Type{Elem: Ref}, s.Pos)
	v.folds++
	v.stmts(s.Body)
	v.folds--
	t := s.To.DType
	v.expr(s.Value, t, s.Pos)
	allowed := []tensor.DType{v.p.Int, v.p.Real}
	switch s.Fold {
	case FoldMean, FoldVariance:
		allowed = allowed[1:]
	case FoldAll, FoldExists:
		allowed = []tensor.DType{tensor.Bool}
	}
	v.check(slices.Contains(allowed, t), s.Pos, "a %s is folded by %s", t, s.Fold)
	v.assigned.back(before)
	v.set(s.To, t, s.Pos)
}

func (v *verifier) sample(s *Sample) {
	i, k := s.Image, s.Kernel
	if !v.check(slices.Contains(v.p.Images, i) && slices.Contains(v.p.Kernels, k), s.Pos, "a probe of an undeclared image or kernel") {
		return
	}
	v.check(len(s.At) == i.Dim, s.Pos, "%s is probed at %d coordinates", i.Name, len(s.At))
	for _, l := range s.Reads() {
		v.expr(&ein.LocalRef{Local: l}, v.p.Real, s.Pos)
	}
	outside := 0
	if s.Border == Constant {
		outside = i.Components()
	}
	v.check(s.Border <= Constant && len(s.Outside) == outside, s.Pos, "%s with the border %s has %d components outside", i.Name, s.Border, len(s.Outside))
	v.check(len(s.Wanted) > 0, s.Pos, "a probe of %s wants nothing", i.Name)
	for _, c := range s.Wanted {
		v.check(c.Voxel >= 0 && c.Voxel < i.Components(), s.Pos, "%s has no component %d", i.Name, c.Voxel)
		v.check(len(c.Orders) == i.Dim && slices.Min(c.Orders) >= 0 && slices.Max(c.Orders) < 16, s.Pos, "a derivative of %s has the orders %s", i.Name, fmt.Sprint(c.Orders))
		v.set(c.To, v.p.Real, s.Pos)
	}
}

func (v *verifier) eigen(s *Eigen) {
	if !v.check(s.Dim == 2 || s.Dim == 3, s.Pos, "eigenvalues of a matrix of %d rows", s.Dim) {
		return
	}
	v.check(len(s.Of) == s.Dim*(s.Dim+1)/2, s.Pos, "the upper triangle of %d rows has %d entries", s.Dim, len(s.Of))
	for _, e := range s.Of {
		v.expr(e, v.p.Real, s.Pos)
	}
	values, vectors := len(s.Values), len(s.Vectors)
	v.check((values == s.Dim || values == 0) && (vectors == s.Dim*s.Dim || vectors == 0) && values+vectors > 0, s.Pos,
		"%d eigenvalues and %d parts of eigenvectors of %d rows", values, vectors, s.Dim)
	for _, l := range slices.Concat(s.Values, s.Vectors) {
		v.set(l, v.p.Real, s.Pos)
	}
}
