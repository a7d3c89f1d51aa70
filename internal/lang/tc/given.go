package tc

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How an output that is read too early is noticed
//
// y(i) = 2*t(i) and then t(i) = x(i) + 1 make t an in-out argument, since an output that is read before
// it is written has the value that the caller gives. A temporary would be refused. Where the later
// statement replaces all of t, and what it writes comes of inputs alone, the two were
// probably meant in the other order: a step of a simulation computes a state from one that was given.
// old(t)(i) says that the given value is meant.

// warnReadEarly warns of outputs that are read first and then computed from inputs.
func (d *def) warnReadEarly() {
	for _, t := range d.order {
		if t.Role != ein.InOut || t.broken {
			continue
		}
		reader, writer := d.firstUses(t)
		if reader == nil || writer == nil || writer.updatesTarget(t) || writer.writesPart() || readsOld(reader.syntax, t.Name) || d.comesOfGiven(writer) {
			continue
		}
		at := slices.IndexFunc(reader.reads(), func(r read) bool { return r.symbol == t })
		diag := d.diags.Warnf(source.CodeReadEarly, reader.reads()[at].pos, "%s is read here before it is computed: it is what the caller gives", t.Name).
			WithNote(writer.syntax.Pos, "%s is computed here, from inputs", t.Name)
		if t.rank == 0 {
			diag.WithHelp("put that statement first; where the value before is meant, take it as an input of its own")
		} else {
			diag.WithHelp("put that statement first; where the value that the caller gives is meant, write old(%s)(…)", t.Name)
		}
	}
}

// firstUses are the statement that reads a tensor first, without writing it, and the first that writes it after that.
func (d *def) firstUses(t *symbol) (reader, writer *statement) {
	for _, s := range d.statements {
		switch {
		case s.failed:
			return nil, nil
		case s.writes(t):
			return reader, s
		case reader == nil && slices.ContainsFunc(s.reads(), func(r read) bool { return r.symbol == t }):
			reader = s
		}
	}
	return reader, nil
}

// updatesTarget reports whether a statement continues from the old value of what it writes.
func (s *statement) updatesTarget(t *symbol) bool {
	return s.updates(slices.Index(s.targets, t)) || slices.ContainsFunc(s.reads(), func(r read) bool { return r.symbol == t })
}

// writesPart reports whether a range is given to an index on the left.
func (s *statement) writesPart() bool {
	return slices.ContainsFunc(s.indices, func(i *index) bool { return i.target && i.explicit != nil })
}

// comesOfGiven reports whether what a statement writes depends on a tensor that the caller gives to be updated.
func (d *def) comesOfGiven(writer *statement) bool {
	needed := map[*symbol]bool{}
	at := slices.Index(d.statements, writer)
	for n := at; n >= 0; n-- {
		s := d.statements[n]
		if n < at && !slices.ContainsFunc(s.targets, func(t *symbol) bool { return needed[t] }) {
			continue
		}
		for _, r := range s.reads() {
			if r.Role == ein.InOut && !d.writtenBefore(r.symbol, s) {
				return true
			}
			needed[r.symbol] = true
		}
	}
	return false
}

// writtenBefore reports whether a statement before another writes a tensor.
func (d *def) writtenBefore(t *symbol, s *statement) bool {
	return slices.ContainsFunc(d.statements[:slices.Index(d.statements, s)], func(before *statement) bool { return before.writes(t) })
}

// hasOldValue reports whether a tensor has a value before a statement that is not the one of other statements:
// the statement writes it, or it is what the caller gives.
func (s *statement) hasOldValue(t *symbol) bool {
	return s.writes(t) || t.Role == ein.InOut && !s.def.writtenBefore(t, s)
}

// readsOld reports whether a statement reads a tensor as old(t)(…).
func readsOld(s *syntax.Stmt, name string) bool {
	found := false
	var visit func(e syntax.Expr)
	visit = func(e syntax.Expr) {
		if a, ok := e.(*syntax.Apply); ok && a.Old && a.Func.Name == name {
			found = true
		}
		for _, x := range operands(e) {
			visit(x)
		}
	}
	visit(s.Value)
	for _, clause := range s.Where {
		if c, ok := clause.(*syntax.LetClause); ok {
			visit(c.Value)
		}
	}
	return found
}
