package tc

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// attemptConcat joins tensors along one dimension.
func (s *statement) attemptConcat() bool {
	d := s.def
	p := newProver(d)
	parts, axis := s.concatArguments()
	if s.failed {
		return false
	}
	for n, part := range parts {
		if slices.ContainsFunc(parts[:n], func(r read) bool { return r.symbol == part.symbol }) {
			continue
		}
		s.warnShifted(part.symbol, part.pos, 0, axis)
	}
	first := parts[0]
	dims := make([]ein.Dim, len(first.Dims))
	for k, dim := range first.Dims {
		dims[k].Extent = dim.Extent
	}
	for _, part := range parts[1:] {
		for k := range dims {
			if k == axis {
				dims[k].Extent = dims[k].Extent.Add(part.Dims[k].Extent)
				continue
			}
			reason := fmt.Sprintf("concat needs %s and %s to agree in dimension %d", first.Name, part.Name, k)
			if p.requireEqual(part.Dims[k].Extent, dims[k].Extent, part.pos, reason) == affine.Never {
				s.errorf(source.CodeConcat, part.pos, "%s has the extent %s in dimension %d, and %s has %s", part.Name, part.Dims[k].Extent, k, first.Name, dims[k].Extent).
					WithHelp("concat joins along dimension %d; all other dimensions must agree", axis)
			}
		}
	}
	if s.concatTarget(dims, p); s.failed {
		return false
	}
	offset := affine.Expr{}
	for _, part := range parts {
		s.lowered = append(s.lowered, s.concatPart(part, axis, offset))
		offset = offset.Add(part.Dims[axis].Extent)
	}
	p.commit(d)
	return true
}

// concatArguments checks the arguments and finds the dimension.
func (s *statement) concatArguments() (parts []read, axis int) {
	args := s.apply.Args
	axis = -1
	if n := len(args); n > 0 {
		if number, ok := parseAxis(args[n-1]); ok {
			axis, args = number, args[:n-1]
		}
	}
	for _, arg := range args {
		name, isName := nameOf(arg)
		found := s.def.symbols[name]
		if !isName || found == nil || len(found.Dims) == 0 {
			s.errorf(source.CodeConcat, arg.Span(), "concat joins tensors; %s is none", oneLine(arg.Span().Text())).
				WithHelp("write C = concat(A, B), or concat(A, B, 0) for dimension 0")
			return nil, 0
		}
		parts = append(parts, read{found, arg.Span()})
	}
	if len(parts) == 0 {
		s.errorf(source.CodeConcat, s.apply.Pos, "concat needs at least one tensor").WithHelp("write C = concat(A, B)")
		return nil, 0
	}
	first := parts[0]
	if axis < 0 {
		axis = len(first.Dims) - 1
	}
	if axis >= len(first.Dims) {
		s.errorf(source.CodeConcat, s.apply.Pos, "%s has %s; there is no dimension %d", first.Name, count(len(first.Dims), "dimension"), axis).
			WithHelp("dimensions count from 0")
	}
	for _, part := range parts[1:] {
		switch {
		case len(part.Dims) != len(first.Dims):
			s.errorf(source.CodeConcat, part.pos, "%s has %s and %s has %d", part.Name, count(len(part.Dims), "dimension"), first.Name, len(first.Dims))
		case part.Type != first.Type:
			s.errorf(source.CodeConcat, part.pos, "%s is %s and %s is %s", part.Name, part.Type, first.Name, first.Type).
				WithHelp("convert one of them in a statement before")
		}
	}
	return parts, axis
}

// concatTarget gives the target its shape and type, or compares them.
func (s *statement) concatTarget(dims []ein.Dim, p *prover) {
	t := s.targets[0]
	pos := s.syntax.Targets[0].Pos
	from := s.def.symbols[s.firstPart()]
	switch {
	case t.Type != from.Type:
		s.errorf(source.CodeConcat, pos, "%s is %s and %s is %s", t.Name, t.Type, from.Name, from.Type)
		return
	case t.first != s:
		s.errorf(source.CodeConcat, pos, "%s has a value already, and concat makes a new tensor", t.Name).WithHelp("give the result another name")
		return
	case t.rank >= 0 && t.rank != len(dims):
		s.errorf(source.CodeConcat, pos, "%s has %s and the tensors have %d", t.Name, count(t.rank, "dimension"), len(dims))
		return
	case !t.shaped:
		t.Dims, t.shaped, t.rank, t.shapedAt = dims, true, len(dims), pos
		return
	}
	for k, dim := range dims {
		if s.def.aliasSize(t, k, dim) {
			continue
		}
		reason := fmt.Sprintf("dimension %d of %s is written by concat, which makes %s", k, t.Name, dim.Extent)
		if p.requireEqual(t.Dims[k].Extent, dim.Extent, pos, reason) == affine.Never {
			s.errorf(source.CodeShapesDisagree, pos, "dimension %d of %s is %s, but concat makes %s", k, t.Name, t.Dims[k].Extent, dim.Extent).
				WithNote(t.shapedAt, "%s gets its shape here", t.Name)
		}
	}
}

func (s *statement) firstPart() string {
	name, _ := nameOf(s.apply.Args[0])
	return name
}

// concatPart copies one argument to its place.
func (s *statement) concatPart(part read, axis int, offset affine.Expr) *ein.Comprehension {
	target := s.targets[0]
	access := &ein.Access{Pos: part.pos, Tensor: part.Tensor}
	write := &ein.Write{Pos: s.syntax.Targets[0].Pos, Tensor: target.Tensor}
	c := &ein.Comprehension{Pos: s.syntax.Pos, Writes: []*ein.Write{write}}
	for k, dim := range part.Dims {
		name := fmt.Sprintf("i%d", k)
		for s.def.sizes[name] != nil {
			name += "_"
		}
		i := &ein.Index{Pos: part.pos, Name: name, Min: dim.Min, Extent: dim.Extent, MayBeEmpty: !s.def.facts.Proves(dim.Extent.AddConst(-1))}
		c.Indices = append(c.Indices, i)
		ref := &ein.IndexRef{Pos: part.pos, Index: i}
		access.Subscripts = append(access.Subscripts, ref)
		move := target.Dims[k].Min.Sub(dim.Min)
		if k == axis {
			move = move.Add(offset)
		}
		write.Subscripts = append(write.Subscripts, withSize(ein.Add, ref, move, part.pos))
	}
	c.Values = []ein.Expr{convert(access, part.Type.Compute(), part.pos)}
	return c
}
