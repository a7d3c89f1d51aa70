package tc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How argmin and argmax are lowered
//
// ein reduces pairs (value, position) with one int64 position. With one reduced
// index the position is its value. With several, the position is the number of
// the point in the order of the indices, and a statement for each position target
// splits it again, as one does that stores a position in a narrower type; the order is lexicographic, so ties go to the smallest
// position either way. Values that nobody asked for go to a temporary.

// hasValueTarget reports whether the first target takes the value.
func (s *statement) hasValueTarget() bool { return len(s.targets) == len(s.reduced())+1 }

// checkArg checks the targets of argmin and argmax.
func (s *statement) checkArg(v valueType) {
	reduced := s.reduced()
	op := s.syntax.Assign.Op
	n := len(reduced)
	switch {
	case n == 0:
		s.errorf(source.CodeArgTargets, s.syntax.AssignPos, "%s has no index to search: every index is on the left", op).
			WithHelp("%s", s.searchHelp())
	case len(s.targets) != n && len(s.targets) != n+1:
		s.errorf(source.CodeArgTargets, s.syntax.AssignPos, "%s over %s needs %s, or a value and %s", op, count(n, "index"),
			count(n, "position"), count(n, "position")).
			WithHelp("one position for each reduced index, in the order in which they first occur on the right; with the value first: (V(i), P(i)) %s=! D(i,k)", op)
	case !s.syntax.Assign.Initialise && !(n == 1 && s.hasValueTarget()):
		s.errorf(source.CodeArgTargets, s.syntax.AssignPos, "%s= continues from an old value, which needs a value target and one reduced index", op).
			WithHelp("write %s=! to search from scratch", op)
	}
	for _, i := range reduced {
		if i.MayBeEmpty {
			s.errorf(source.CodeArgTargets, i.pos, "the range of %s may be empty, and then there is no position", i.Name)
		}
	}
	if s.failed {
		return
	}
	for n, t := range s.targets {
		if n == 0 && s.hasValueTarget() && v.dtype == tensor.Bool && t.Type == tensor.Bool {
			s.errorf(source.CodeNarrowing, s.syntax.Value.Span(), "%s compares numbers, and bools as int32, but %s is bool", op, t.Name).
				WithNote(t.Pos, "%s is declared here", t.Name).WithHelp("declare it int32")
		} else if n == 0 && s.hasValueTarget() {
			s.checkStore(t, arithmetic(v))
		} else {
			s.checkPosition(n, t)
		}
	}
}

// searchHelp says how a statement without an index to search has one.
func (s *statement) searchHelp() string {
	if renamed, ok := s.otherIndices(); ok {
		return "an index has another name than its position: " + renamed
	}
	return fmt.Sprintf("leave the index that is searched out of the left side: %s %s %s", s.withoutLastIndex(), s.syntax.Assign, inLine(s.syntax.Value.Span().Text()))
}

// otherIndices writes a search whose positions have the names of indices, as in (m, r) argmax=! A(r), with other indices.
func (s *statement) otherIndices() (text string, ok bool) {
	span, moved := s.syntax.Value.Span(), 0
	text = span.Text()
	given, letters := map[string]string{}, strings.Split("i j k l m n o p q", " ")
	eachName(s.syntax.Value, func(name string, at source.Span, apply bool) {
		if apply || !slices.ContainsFunc(s.targets, func(t *symbol) bool { return t.Name == name }) {
			return
		}
		if given[name] == "" {
			given[name] = s.freeName(letters...)
			letters = append(slices.DeleteFunc(letters, func(l string) bool { return l == given[name] }), given[name]+"_")
		}
		start := at.Start - span.Start + moved
		text = text[:start] + given[name] + text[start+at.End-at.Start:]
		moved += len(given[name]) - (at.End - at.Start)
	})
	return fmt.Sprintf("%s %s %s", s.targetsText(), s.syntax.Assign, inLine(text)), len(given) > 0
}

// withoutLastIndex writes the targets without the last of their indices.
func (s *statement) withoutLastIndex() string {
	targets := make([]string, len(s.syntax.Targets))
	for n, t := range s.syntax.Targets {
		targets[n] = t.Name.Name
		if list := t.Indices; len(list) > 1 {
			names := make([]string, len(list)-1)
			for k := range names {
				names[k] = list[k].Name
			}
			targets[n] += "(" + strings.Join(names, ",") + ")"
		}
	}
	if len(targets) == 1 {
		return targets[0]
	}
	return "(" + strings.Join(targets, ", ") + ")"
}

// buildArg completes an arg reduction.
func (s *statement) buildArg(value ein.Expr) {
	pos, reduced := s.syntax.Pos, s.reduced()
	positions := s.targets
	var valueTensor *ein.Tensor
	if s.hasValueTarget() {
		valueTensor, positions = s.targets[0].Tensor, s.targets[1:]
	} else {
		valueTensor = s.hidden(s.targets[0].Name+"_value", value.Type())
	}
	first := len(s.targets) - len(positions)
	positionTensor := positions[0].Tensor
	whole := len(positions) == 1 && positionTensor.Type == tensor.Int64
	if !whole {
		positionTensor = s.hidden(positions[0].Name+"_point", tensor.Int64)
	}
	op := ein.BuiltinOperator(reductions[s.syntax.Assign.Op], value.Type())
	c := &ein.Comprehension{
		Pos:    pos,
		Writes: []*ein.Write{s.write(valueTensor, 0), s.write(positionTensor, first)},
		Values: []ein.Expr{value, pointNumber(reduced, pos)},
	}
	s.combine(c, op)
	s.lowered = []*ein.Comprehension{c}
	if !whole {
		for n, t := range positions {
			s.lowered = append(s.lowered, s.splitPoint(positionTensor, t.Tensor, reduced, n, first+n))
		}
	}
}

// hidden makes a temporary with the indices of the targets.
func (s *statement) hidden(name string, t tensor.DType) *ein.Tensor {
	temp := &symbol{Tensor: &ein.Tensor{Pos: s.syntax.Pos, Name: s.def.freshName(name), Type: t, Role: ein.Temp}, shaped: true, used: true, written: true}
	for _, i := range s.indices {
		if i.target {
			temp.Dims = append(temp.Dims, ein.Dim{Min: i.Min, Extent: i.Extent})
		}
	}
	s.def.addTemporary(temp)
	return temp.Tensor
}

// pointNumber is the position: the index itself, or the number of the point among
// all combinations of several indices.
func pointNumber(reduced []*index, pos source.Span) ein.Expr {
	if len(reduced) == 1 {
		return &ein.IndexRef{Pos: pos, Index: reduced[0].Index}
	}
	var number ein.Expr
	for _, i := range reduced {
		step := withSize(ein.Sub, &ein.IndexRef{Pos: pos, Index: i.Index}, i.Min, pos)
		if number != nil {
			step = &ein.Binary{Pos: pos, Op: ein.Add, X: withSize(ein.Mul, number, i.Extent, pos), Y: step}
		}
		number = step
	}
	return number
}

// splitPoint computes index number n of a point from its number.
func (s *statement) splitPoint(from, to *ein.Tensor, reduced []*index, n, target int) *ein.Comprehension {
	pos := s.syntax.Pos
	c := &ein.Comprehension{Pos: pos}
	read, write := &ein.Access{Pos: pos, Tensor: from}, &ein.Write{Pos: pos, Tensor: to}
	for _, i := range s.indices {
		if !i.target {
			continue
		}
		own := &ein.Index{Pos: i.pos, Name: i.Name, Min: i.Min, Extent: i.Extent, MayBeEmpty: i.MayBeEmpty}
		c.Indices = append(c.Indices, own)
		read.Subscripts = append(read.Subscripts, &ein.IndexRef{Pos: pos, Index: own})
	}
	// The indices of the target in its order, which is that of their first occurrence.
	for k, own := range c.Indices {
		var at ein.Expr = &ein.IndexRef{Pos: pos, Index: own}
		if shift := s.shifts[target][k]; !shift.Equal(affine.Const(0)) {
			at = withSize(ein.Add, at, shift, pos)
		}
		write.Subscripts = append(write.Subscripts, at)
	}
	below := affine.Const(1) // points that share the value of index n
	for _, i := range reduced[n+1:] {
		below = below.Mul(i.Extent)
	}
	value := ein.Expr(read)
	if len(reduced) > 1 {
		value = withSize(ein.Div, value, below, pos)
		if n > 0 {
			value = withSize(ein.Mod, value, reduced[n].Extent, pos)
		}
		value = withSize(ein.Add, value, reduced[n].Min, pos)
	}
	c.Writes, c.Values = []*ein.Write{write}, []ein.Expr{convert(value, to.Type, pos)}
	return c
}

// checkPosition requires an integer, and an int64 where the old position takes part.
func (s *statement) checkPosition(n int, t *symbol) {
	if t.Type == tensor.Int64 || t.broken || t.Type.IsInteger() && t.Type != tensor.Bool && s.syntax.Assign.Initialise {
		return
	}
	s.errorf(source.CodeNarrowing, s.syntax.Targets[n].Pos, "%s takes a position, which is an int64, and is declared %s", t.Name, t.Type).
		WithNote(t.Pos, "%s is declared here", t.Name).
		WithHelp("declare it int64, or write %s=! to search from scratch, which stores positions in integers of any type", s.syntax.Assign.Op)
}

// requirePositions demands that the positions fit in the types that are declared for them.
func (s *statement) requirePositions(p *prover) {
	if s.kind != argReduction {
		return
	}
	reduced := s.reduced()
	for n, t := range s.targets[len(s.targets)-len(reduced):] {
		if t.Type == tensor.Int64 {
			continue
		}
		i := reduced[n]
		needs := []affine.Expr{i.min.AddConst(-least(t.Type))}
		if t.Type != tensor.Uint64 {
			needs = append(needs, affine.Const(most(t.Type)).AddConst(1).Sub(i.end))
		}
		for _, need := range needs {
			if p.require(need, i.pos, fmt.Sprintf("the positions %s:%s of %s are stored in %s, which is %s", i.min, i.end, i.Name, t.Name, article(t.Type.String()))) == affine.Never {
				s.errorf(source.CodeNarrowing, t.Pos, "the positions %s:%s of %s are stored in %s, and %s does not hold them for any sizes", i.min, i.end, i.Name, t.Name, article(t.Type.String())).
					WithHelp("declare %s as int64", t.Name)
				return
			}
		}
	}
}

// least and most are the ends of an integer type, as far as int64 has them.
func least(t tensor.DType) int64 {
	if t.Kind() == tensor.KindUint {
		return 0
	}
	return -1 << (8*t.Size() - 1)
}

func most(t tensor.DType) int64 {
	bits := 8 * t.Size()
	if t.Kind() == tensor.KindInt || bits == 64 {
		bits--
	}
	return 1<<bits - 1
}

// withSize applies an operator to an int64 and a size expression, unless that
// changes nothing.
func withSize(op ein.BinaryOp, x ein.Expr, y affine.Expr, pos source.Span) ein.Expr {
	if n, ok := y.IsConst(); ok && (n == 0 && (op == ein.Add || op == ein.Sub) || n == 1 && (op == ein.Mul || op == ein.Div)) {
		return x
	}
	return &ein.Binary{Pos: pos, Op: op, X: x, Y: sizeRef(y, pos)}
}
