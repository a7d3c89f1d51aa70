package tc

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// statementKind says which of the forms an assignment has.
type statementKind uint8

const (
	comprehension statementKind = iota
	argReduction
	defCall
	concatenation
)

// classify finds the form, the targets and the callee of a statement. Targets
// that are neither input nor output become temporaries.
func (d *def) classify(stmt *syntax.Stmt) {
	s := &statement{def: d, syntax: stmt, kind: comprehension}
	d.statements = append(d.statements, s)
	if apply, ok := stmt.Value.(*syntax.Apply); ok && d.isCall(stmt, apply) {
		s.kind, s.apply = concatenation, apply
		if named := d.compiler.named(apply.Func.Name); named != nil && !d.meansFunction(stmt, apply, named) {
			s.kind, s.group = defCall, named.imported
			s.callee = d.resolveCallee(named, apply)
			s.failed = s.callee == nil
		}
	}
	if s.kind == comprehension && (stmt.Assign.Op == "argmin" || stmt.Assign.Op == "argmax") {
		s.kind = argReduction
	}
	for _, t := range stmt.Targets {
		s.targets = append(s.targets, d.target(s, t))
	}
	s.checkForm()
	s.declareLets()
	if stmt.Type != nil {
		d.typedTarget(s)
	}
}

// meansFunction reports whether a statement uses a function of the language that has
// the name of a def: in that def, and where there are indices on the left, unless an
// argument is a whole tensor or a part of one, which only a def takes.
func (d *def) meansFunction(stmt *syntax.Stmt, apply *syntax.Apply, named *defState) bool {
	listed := slices.ContainsFunc(stmt.Targets, func(t *syntax.Target) bool { return t.Listed })
	if !functionOfLanguage(apply.Func.Name) || named.isOf(d) {
		return functionOfLanguage(apply.Func.Name)
	}
	return listed && apply.Func.Name != concatName && !slices.ContainsFunc(apply.Args, d.isPart)
}

// isPart reports whether an argument is a tensor with fewer subscripts than dimensions.
func (d *def) isPart(arg syntax.Expr) bool {
	name, subscripts := "", 0
	switch e := arg.(type) {
	case *syntax.Name:
		name = e.Name
	case *syntax.Apply:
		name, subscripts = e.Func.Name, len(e.Args)
	}
	found := d.symbols[name]
	return found != nil && found.rank > subscripts
}

// target finds or creates the tensor of a target.
func (d *def) target(s *statement, t *syntax.Target) *symbol {
	found, ok := d.symbols[t.Name.Name]
	if !ok {
		if z, isSize := d.sizes[t.Name.Name]; isSize {
			d.diags.Warnf(source.CodeShadow, t.Name.Pos, "the temporary %s hides the size %s", t.Name.Name, z.Name)
		}
		if found = d.declare(t.Name, ein.Temp); found == nil {
			s.failed = true
			return &symbol{Tensor: &ein.Tensor{Name: t.Name.Name}, broken: true}
		}
	}
	if found.Role == ein.Input {
		d.diags.Errorf(source.CodeWritesInput, t.Name.Pos, "%s is an input and cannot be assigned", found.Name).
			WithNote(found.Pos, "%s is declared here", found.Name).
			WithHelp("to update an array in place declare it as an output: reading an output before it is written makes it an in-out argument")
		s.failed = true
		return found
	}
	if s.kind == comprehension || s.kind == argReduction {
		switch {
		case found.rank < 0:
			found.rank = len(t.Indices)
		case found.rank != len(t.Indices):
			d.diags.Errorf(source.CodeRank, t.Pos, "%s has %s but is written with %s", found.Name,
				count(found.rank, "dimension"), count(len(t.Indices), "index")).
				WithNote(found.Pos, "%s is first used here", found.Name)
			s.failed = true
		}
	}
	return found
}

// typedTarget handles "float32 t(i) = …".
func (d *def) typedTarget(s *statement) {
	t := s.targets[0]
	if len(s.targets) > 1 {
		d.diags.Errorf(source.CodeTypedTarget, s.syntax.Type.Pos, "a type can only be given to a single target").
			WithHelp("declare the types of results among the outputs")
		s.failed = true
		return
	}
	if t.typed || t.written {
		d.diags.Errorf(source.CodeTypedTarget, s.syntax.Type.Pos, "%s has its type already", t.Name).
			WithNote(t.Pos, "%s is declared here", t.Name).
			WithHelp("give the type once, where %s is first written", t.Name)
		s.failed = true
		return
	}
	rank := t.rank
	d.giveType(t, s.syntax.Type, false)
	if len(s.syntax.Type.Dims) == 0 {
		t.shaped, t.declared, t.rank = false, false, rank
	} else if rank >= 0 && rank != t.rank {
		d.diags.Errorf(source.CodeRank, s.syntax.Type.Pos, "%s is declared with %s but has %s", t.Name, count(t.rank, "dimension"), count(rank, "index"))
		s.failed = true
	}
}

// reads lists the tensors that a statement reads, with the first place of each.
func (s *statement) reads() []read {
	var list []read
	seen := map[*symbol]bool{}
	visit := func(e syntax.Expr) {
		eachName(e, func(name string, pos source.Span, apply bool) {
			if _, isLet := s.lets[name]; isLet && !apply {
				return
			}
			if t, ok := s.def.symbols[name]; ok && !seen[t] {
				seen[t] = true
				list = append(list, read{t, pos})
			}
		})
	}
	visit(s.syntax.Value)
	for _, clause := range s.syntax.Where {
		switch c := clause.(type) {
		case *syntax.RangeClause:
			visit(c.Lo)
			visit(c.Hi)
		case *syntax.LetClause:
			visit(c.Value)
		case *syntax.ExistsClause:
			visit(c.Value)
		}
	}
	return list
}

type read struct {
	*symbol
	pos source.Span
}

// assignRoles walks the body in order and finds the outputs whose old value is
// needed, and the temporaries that are used before they have one.
func (d *def) assignRoles() {
	initialised := map[*symbol]bool{}
	for _, s := range d.statements {
		for _, r := range s.reads() {
			r.used = true
			if initialised[r.symbol] || r.Role == ein.Input {
				continue
			}
			if !d.continues(r.symbol) && !s.failed {
				diag := d.diags.Errorf(source.CodeReadFirst, r.pos, "the temporary %s is read before it has a value", r.Name).
					WithHelp("assign to %s in an earlier statement", r.Name)
				if s.writes(r.symbol) && len(s.syntax.Targets[0].Indices) > 0 {
					diag.WithNote(s.syntax.Pos, "a statement computes all values before it writes any, so this is no recurrence").
						WithHelp("assign to %s in an earlier statement; a running sum, product, minimum or maximum is a scan: %s scan(%s) +=! …",
							r.Name, s.targetText(0), s.syntax.Targets[0].Indices[len(s.syntax.Targets[0].Indices)-1].Name)
				}
				s.failed = true
			}
		}
		for i, t := range s.targets {
			if t.Role != ein.Input && !initialised[t] && s.updates(i) {
				d.updateFirst(s, t)
			}
			if t.first == nil && !s.updates(i) {
				t.first = s
			}
			initialised[t], t.written = true, true
			t.writers++
		}
	}
}

// continues makes an output an in-out argument.
func (d *def) continues(t *symbol) bool {
	if t.Role == ein.Output {
		t.Role = ein.InOut
	}
	return t.Role == ein.InOut || t.broken
}

// updates reports whether the statement needs the old value of target number i.
func (s *statement) updates(i int) bool {
	if s.kind == defCall {
		return s.callee != nil && i < len(s.callee.Func.Outputs()) && s.callee.Func.Outputs()[i].Role == ein.InOut
	}
	return !s.syntax.Assign.Initialise && s.syntax.Assign.Op != ""
}

func (d *def) updateFirst(s *statement, t *symbol) {
	if !d.continues(t) {
		d.diags.Errorf(source.CodeUpdateFirst, s.syntax.AssignPos, "the temporary %s has no value that %s could update", t.Name, s.syntax.Assign).
			WithHelp("start from the identity with %s!, or assign to %s in an earlier statement", s.syntax.Assign, t.Name)
		s.failed = true
		return
	}
	if s.kind != defCall {
		d.diags.Warnf(source.CodeUpdateWarning, s.syntax.AssignPos, "%s updates the value that the caller gives for %s: nothing has written it before", s.syntax.Assign, t.Name).
			WithHelp("%s! starts from the identity instead", s.syntax.Assign)
	}
}
