package tc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/callee"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// statement is the state of the check of one statement.
type statement struct {
	def     *def
	syntax  *syntax.Stmt
	kind    statementKind
	targets []*symbol
	callee  *DefInfo
	group   *callee.Group // of an imported callee
	apply   *syntax.Apply // of a call or concat
	lets    map[string]*let
	failed  bool            // an error was reported; say nothing more
	trying  bool            // a suggestion is being tried
	shifts  [][]affine.Expr // of the targets: what is added to their indices
	below   []beginning     // what the last trial would have left out

	types   map[syntax.Expr]valueType
	wide    map[wideLet]bool // that wrapsBefore has seen
	orders  []order          // of the conditions around what wrapsBefore looks at
	indices []*index         // of the targets, then in the order of the right side
	byName  map[string]*index
	lowered []*ein.Comprehension
	read    []use // of the solved statement
	wrote   []use
	budget  int // nodes that may still be made
}

// An index of a statement. Its ein.Index is shared with the lowered expressions
// and receives its range when inference is done.
type index struct {
	*ein.Index
	pos      source.Span
	target   bool
	scan     bool
	inValue  source.Span // where its value is used, not only its position
	explicit *syntax.RangeClause
	resolved bool
	min, end affine.Expr // the range [min, end) when resolved
	origin   []bound     // what bounds it
	lesser   bool        // it runs over the lesser of several sizes, which is warned of
}

// A let is "x = exp" of a where clause.
type let struct {
	clause *syntax.LetClause
	used   bool
	active bool                      // being lowered: a use now would be a definition by itself
	shared map[tensor.DType]*binding // by the types in which the value is used: one, unless it is weak
	// expanded is set when the value must be computed where it is used.
	expanded                               bool
	product, sizes, scalars, static, phase *bool     // what exact.go and conditions.go ask; nil until then
	reach                                  *float64  // and reach.go
	rounded                                **rounded // and quotient.go
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if noun == "index" {
		return fmt.Sprint(n, " indices")
	}
	return fmt.Sprint(n, " ", noun, "s")
}

// errorf reports an error of the statement.
func (s *statement) errorf(code source.Code, span source.Span, format string, args ...any) *source.Diagnostic {
	s.failed = true
	return s.def.diags.Errorf(code, span, format, args...)
}

// checkForm checks what the form of the statement alone decides.
func (s *statement) checkForm() {
	stmt := s.syntax
	switch s.kind {
	case defCall, concatenation:
		s.checkCallForm()
	case comprehension:
		if len(stmt.Targets) > 1 {
			s.errorf(source.CodeArgTargets, stmt.Targets[1].Pos, "%s has one target, not %d", stmt.Assign, len(stmt.Targets)).
				WithHelp("several targets are for argmin=! and argmax=!, and for calls of defs with several results")
		}
	}
	for _, t := range stmt.Targets {
		seen := map[string]syntax.Ident{}
		for _, i := range t.Indices {
			if first, ok := seen[i.Name]; ok {
				s.errorf(source.CodeRepeatedIndex, i.Pos, "the index %s stands twice on the left", i.Name).
					WithNote(first.Pos, "it is already here").
					WithHelp("%s", s.diagonalHelp(i.Name))
			}
			seen[i.Name] = i
		}
	}
	for n, t := range s.targets {
		if slices.Contains(s.targets[:n], t) {
			s.errorf(source.CodeDuplicateName, stmt.Targets[n].Pos, "%s stands twice on the left", t.Name).
				WithHelp("give each target a name of its own")
		}
	}
	s.checkScan()
}

// checkTargetIndices requires names that can be indices, the same in all targets.
func (s *statement) checkTargetIndices() {
	d := s.def
	for n, t := range s.syntax.Targets {
		for at, i := range t.Indices {
			if z, ok := d.sizes[i.Name]; ok {
				s.errorf(source.CodeIndexName, i.Pos, "%s is a size and cannot be an index", i.Name).
					WithNote(z.Pos, "the size %s is declared here", i.Name).
					WithHelp("give the index another name on both sides, such as %s", s.freeIndex())
			} else if known, ok := d.symbols[i.Name]; ok {
				s.errorf(source.CodeIndexName, i.Pos, "%s is a tensor and cannot be an index", i.Name).
					WithNote(known.Pos, "%s is declared here", i.Name).
					WithHelp("give the index another name on both sides, such as %s", s.freeIndex())
			}
			if n > 0 && at < len(s.syntax.Targets[0].Indices) && !s.sameSubscript(n, at) {
				s.errorf(source.CodeArgTargets, i.Pos, "the targets have different indices").
					WithNote(s.syntax.Targets[0].Pos, "the first target is here").
					WithHelp("write the same list of indices for every target")
			}
		}
	}
}

// sameSubscript reports whether a target has the subscript of the first one.
func (s *statement) sameSubscript(n, k int) bool {
	t, first := s.syntax.Targets[n], s.syntax.Targets[0]
	shift, other := t.Point(k), first.Point(k)
	if shift == nil || other == nil {
		return t.Indices[k].Name == first.Indices[k].Name && shift == nil && other == nil
	}
	return strings.Join(strings.Fields(shift.Span().Text()), "") == strings.Join(strings.Fields(other.Span().Text()), "")
}

// diagonalHelp writes a statement whose index stands twice on the left with two indices.
func (s *statement) diagonalHelp(index string) string {
	other, repeated := s.freeIndex(), false
	target := s.syntax.Targets[0]
	if target.Points != nil {
		return "a statement writes every element of its target: use two indices, and choose with a condition"
	}
	list := make([]string, len(target.Indices))
	for k, i := range target.Indices {
		if list[k] = i.Name; i.Name == index {
			if repeated {
				list[k] = other
			}
			repeated = true
		}
	}
	where := other + " in 0:N"
	for _, e := range s.accessesWith(index) {
		where = "exists " + withSubscript(e, index, other)
		break
	}
	return fmt.Sprintf("a statement writes every element of its target: %s(%s) %s %s == %s ? %s : 0 where %s", target.Name.Name, strings.Join(list, ","),
		s.syntax.Assign, index, other, oneLine(s.syntax.Value.Span().Text()), where)
}

// accessesWith lists the accesses of the value in which an index is a whole subscript.
func (s *statement) accessesWith(index string) []*syntax.Apply {
	var list []*syntax.Apply
	syntax.Walk(s.syntax.Value, func(e syntax.Expr) bool {
		if a, ok := e.(*syntax.Apply); ok && s.def.symbols[a.Func.Name] != nil {
			if slices.ContainsFunc(a.Args, func(x syntax.Expr) bool { name, ok := nameOf(x); return ok && name == index }) {
				list = append(list, a)
			}
		}
		return true
	})
	return list
}

// withSubscript writes an access with another name for one of its subscripts.
func withSubscript(e *syntax.Apply, index, other string) string {
	list := make([]string, len(e.Args))
	for k, x := range e.Args {
		if list[k] = oneLine(x.Span().Text()); list[k] == index {
			list[k] = other
		}
	}
	return e.Func.Name + "(" + strings.Join(list, ",") + ")"
}

// freeIndex is a name for an index that the statement and the def do not use.
func (s *statement) freeIndex() string {
	taken := map[string]bool{}
	for _, name := range s.def.names() {
		taken[name] = true
	}
	note := func(name string, _ source.Span, _ bool) { taken[name] = true }
	eachName(s.syntax.Value, note)
	for _, i := range s.syntax.Targets[0].Indices {
		taken[i.Name] = true
	}
	for _, clause := range s.syntax.Where {
		switch c := clause.(type) {
		case *syntax.RangeClause:
			taken[c.Index.Name] = true
		case *syntax.LetClause:
			taken[c.Name.Name] = true
			eachName(c.Value, note)
		case *syntax.ExistsClause:
			eachName(c.Value, note)
		}
	}
	k := 0
	for taken[indexLetter(k)] {
		k++
	}
	return indexLetter(k)
}

func (s *statement) checkScan() {
	if len(s.syntax.Scan) == 0 {
		return
	}
	switch s.syntax.Assign.Op {
	case "", "argmin", "argmax":
		s.errorf(source.CodeScan, s.syntax.AssignPos, "a scan needs an operator that combines: %s does not", s.syntax.Assign).
			WithHelp("use +=!, *=!, min=! or max=!")
	}
	for _, i := range s.syntax.Scan {
		found := false
		for _, t := range s.syntax.Targets[0].Indices {
			found = found || t.Name == i.Name
		}
		if !found {
			s.errorf(source.CodeScan, i.Pos, "the scanned index %s is not an index of %s", i.Name, s.syntax.Targets[0].Name.Name).
				WithHelp("a scan keeps one value for every position: add %s to the left side", i.Name)
		}
	}
}

// declareLets notes the lets and checks the names of the where clauses.
func (s *statement) declareLets() {
	s.lets = map[string]*let{}
	d := s.def
	for _, clause := range s.syntax.Where {
		c, ok := clause.(*syntax.LetClause)
		if !ok {
			continue
		}
		if first, ok := s.lets[c.Name.Name]; ok {
			s.errorf(source.CodeDuplicateName, c.Name.Pos, "%s is bound twice", c.Name.Name).
				WithNote(first.clause.Name.Pos, "the first binding is here")
			continue
		}
		for _, t := range s.syntax.Targets {
			for _, i := range t.Indices {
				if i.Name == c.Name.Name {
					s.errorf(source.CodeIndexName, c.Name.Pos, "%s is an index of the left side and cannot be bound to a value", i.Name).
						WithNote(i.Pos, "the index is here")
				}
			}
		}
		if t, ok := d.symbols[c.Name.Name]; ok {
			d.diags.Warnf(source.CodeShadow, c.Name.Pos, "the let %s hides the tensor %s in this statement", c.Name.Name, t.Name).
				WithNote(t.Pos, "the tensor is declared here")
		} else if z, ok := d.sizes[c.Name.Name]; ok {
			d.diags.Warnf(source.CodeShadow, c.Name.Pos, "the let %s hides the size %s in this statement", c.Name.Name, z.Name).
				WithNote(z.Pos, "the size is declared here")
		}
		s.lets[c.Name.Name] = &let{clause: c}
	}
}

// collectIndices finds the indices: first those of the target, then those of the
// right side and of exists clauses in the order of their first occurrence.
func (s *statement) collectIndices() {
	s.byName = map[string]*index{}
	s.checkTargetIndices()
	if s.kind == defCall || s.kind == concatenation || s.failed {
		return
	}
	for _, i := range s.syntax.Targets[0].Indices {
		s.addIndex(i.Name, i.Pos).target = true
	}
	for _, i := range s.syntax.Scan {
		if found := s.byName[i.Name]; found != nil {
			found.scan = true
		}
	}
	s.findIndices(s.syntax.Value, map[string]bool{})
	for _, clause := range s.syntax.Where {
		if c, ok := clause.(*syntax.ExistsClause); ok {
			known := len(s.indices)
			s.findIndices(c.Value, map[string]bool{})
			s.onlyExists(s.indices[known:])
		}
	}
	for _, clause := range s.syntax.Where {
		switch c := clause.(type) {
		case *syntax.RangeClause:
			s.rangeClause(c)
		case *syntax.LetClause:
			if l := s.lets[c.Name.Name]; l != nil && !l.used && l.clause == c {
				s.def.diags.Warnf(source.CodeUnused, c.Name.Pos, "the let %s is not used", c.Name.Name)
			}
		case *syntax.EmptyClause:
			if i := s.whereIndex(c.Index); i != nil {
				i.MayBeEmpty = true
			}
		}
	}
	s.checkDeclared()
}

func (s *statement) addIndex(name string, pos source.Span) *index {
	if i, ok := s.byName[name]; ok {
		return i
	}
	i := &index{Index: &ein.Index{Pos: pos, Name: name}, pos: pos}
	s.byName[name] = i
	s.indices = append(s.indices, i)
	return i
}

// findIndices adds the names of e that are neither lets, tensors nor sizes.
func (s *statement) findIndices(e syntax.Expr, inside map[string]bool) {
	eachName(e, func(name string, pos source.Span, apply bool) {
		if apply {
			return
		}
		if l, ok := s.lets[name]; ok {
			if inside[name] {
				s.errorf(source.CodeLetCycle, pos, "the let %s is defined by itself", name).
					WithNote(l.clause.Name.Pos, "%s is bound here", name).
					WithHelp("a let is a name for one value: name what stands on its right side otherwise")
				return
			}
			if l.used {
				return
			}
			l.used = true
			inside[name] = true
			s.findIndices(l.clause.Value, inside)
			delete(inside, name)
			return
		}
		if s.def.symbols[name] != nil {
			return
		}
		if z := s.def.sizes[name]; z != nil {
			z.used = true
			return
		}
		s.addIndex(name, pos)
	})
}

// rangeClause attaches "i in lo:hi". An index that stands nowhere else repeats
// the reduction.
func (s *statement) rangeClause(c *syntax.RangeClause) {
	i := s.whereIndex(c.Index)
	if i == nil {
		return
	}
	if i.explicit != nil {
		s.errorf(source.CodeTwoRanges, c.Index.Pos, "%s has two ranges", c.Index.Name).
			WithNote(i.explicit.Pos, "the first range is here").
			WithHelp("give one range; its bounds may use min and max")
		return
	}
	i.explicit = c
	i.MayBeEmpty = i.MayBeEmpty || c.OrEmpty
}

// whereIndex finds the index of a clause, or adds it when nothing else uses the
// name; nil after an error.
func (s *statement) whereIndex(name syntax.Ident) *index {
	if i, ok := s.byName[name.Name]; ok {
		return i
	}
	kind, pos := "", source.Span{}
	if l, ok := s.lets[name.Name]; ok {
		kind, pos = "let", l.clause.Name.Pos
	} else if t, ok := s.def.symbols[name.Name]; ok {
		kind, pos = "tensor", t.Pos
	} else if z, ok := s.def.sizes[name.Name]; ok {
		kind, pos = "size", z.Pos
	}
	if kind != "" {
		s.errorf(source.CodeIndexName, name.Pos, "%s is a %s and cannot have a range", name.Name, kind).
			WithNote(pos, "%s is declared here", name.Name).
			WithHelp("a range is given to an index")
		return nil
	}
	i := s.addIndex(name.Name, name.Pos)
	s.def.diags.Warnf(source.CodeUnused, name.Pos, "the index %s is not used: the statement is repeated for each of its values", name.Name)
	return i
}
