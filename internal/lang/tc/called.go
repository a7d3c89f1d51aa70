package tc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How a call inside of an expression is written instead
//
// C(i) = 1 + g(A(i)) calls g for a whole tensor, or for parts, in a statement of its
// own, and reads elements of the result. Which of the subscripts choose parts and
// which choose elements of the result follows from the ranks alone: of A with two
// dimensions g takes the rows where it has a parameter of one.

// callInStatement writes the statements for a call that stands in an expression, and
// what stands for the call then.
func (t *typer) callInStatement(e *syntax.Apply, callee *defState) (statements, element string) {
	w := &callWriter{typer: t, taken: map[string]bool{}}
	w.noteTaken()
	results := []string{w.free("t")}
	rank := -1
	if callee != nil {
		for len(results) < callee.results() {
			results = append(results, w.free("u"))
		}
		rank = callee.resultRank()
	}
	arguments := make([]string, len(e.Args))
	for n, arg := range e.Args {
		want := -1
		if callee != nil {
			want = callee.inputRank(n)
		}
		arguments[n] = w.argument(arg, want)
	}
	if callee == nil {
		rank = w.joinedRank(e)
	}
	targets := results
	if w.over != nil {
		targets = nil
		for _, name := range results {
			targets = append(targets, name+"("+strings.Join(w.over, ",")+")")
		}
	}
	left := targets[0]
	if len(targets) > 1 {
		left = "(" + strings.Join(targets, ", ") + ")"
	}
	w.before = append(w.before, fmt.Sprintf("%s = %s(%s)", left, e.Func.Name, strings.Join(arguments, ", ")))
	subscripts := append(slices.Clone(w.over), w.ofResult(rank)...)
	element = results[0]
	if len(subscripts) > 0 {
		element += "(" + strings.Join(subscripts, ",") + ")"
	}
	return strings.Join(w.before, ", then "), element
}

// A callWriter collects what a call needs before it.
type callWriter struct {
	*typer
	taken    map[string]bool
	before   []string // statements
	over     []string // indices for whose values the def is computed
	elements []string // subscripts of the first argument that choose elements of the result
	found    bool     // elements are known
}

// noteTaken notes the names of the def and of the statement.
func (w *callWriter) noteTaken() {
	s := w.statement
	for _, name := range s.def.names() {
		w.taken[name] = true
	}
	for name := range s.byName {
		w.taken[name] = true
	}
	for name := range s.lets {
		w.taken[name] = true
	}
}

// free returns a name that nothing has, and takes it.
func (w *callWriter) free(name string) string {
	for w.taken[name] {
		name += "_"
	}
	w.taken[name] = true
	return name
}

// joinedRank is the rank of what concat joins, which it keeps; -1 where that is not known.
func (w *callWriter) joinedRank(e *syntax.Apply) int {
	if w.found {
		return len(w.elements)
	}
	for _, arg := range e.Args {
		if name, ok := nameOf(arg); ok && w.statement.def.symbols[name] != nil {
			return w.statement.def.symbols[name].rank
		}
	}
	return -1
}

// argument writes an argument for a parameter of a rank, which may be unknown.
func (w *callWriter) argument(arg syntax.Expr, want int) string {
	text := inLine(arg.Span().Text())
	if _, isName := nameOf(arg); isName {
		return text
	}
	apply, isApply := arg.(*syntax.Apply)
	of := (*symbol)(nil)
	if isApply {
		of = w.statement.def.symbols[apply.Func.Name]
	}
	switch {
	case of != nil && want >= 0 && of.rank == want+len(apply.Args) && !apply.Old:
		return w.part(apply, len(apply.Args))
	case of != nil && of.rank == len(apply.Args) && !apply.Old:
		parts := 0
		if want >= 0 {
			parts = of.rank - want
		}
		if parts < 0 || want < 0 && of.rank == 0 {
			return text
		}
		return w.part(apply, parts)
	case isApply && w.statement.def.compiler.named(apply.Func.Name) != nil:
		return text // a call of a call
	case want < 0 || want == 0 && len(w.indicesOf(arg)) == 0:
		return text
	}
	// An expression is a tensor of its own.
	name, indices := w.free("u"), w.indicesOf(arg)
	w.before = append(w.before, fmt.Sprintf("%s(%s) = %s", name, strings.Join(indices, ","), text))
	parts := max(0, len(indices)-want)
	w.split(indices, parts)
	if parts > 0 {
		name += "(" + strings.Join(indices[:parts], ",") + ")"
	}
	return name
}

// part writes an access as the part that its leading subscripts choose.
func (w *callWriter) part(apply *syntax.Apply, parts int) string {
	subscripts := make([]string, len(apply.Args))
	for k, sub := range apply.Args {
		subscripts[k] = inLine(sub.Span().Text())
	}
	w.split(subscripts, parts)
	if parts == 0 {
		return apply.Func.Name
	}
	return apply.Func.Name + "(" + strings.Join(subscripts[:parts], ",") + ")"
}

// split takes subscripts apart: the first choose parts, and the others elements.
func (w *callWriter) split(subscripts []string, parts int) {
	for _, text := range subscripts[:parts] {
		if w.statement.byName[text] != nil && !slices.Contains(w.over, text) {
			w.over = append(w.over, text)
		}
	}
	if !w.found {
		w.elements, w.found = subscripts[parts:], true
	}
}

// indicesOf lists the indices of an expression, each once.
func (w *callWriter) indicesOf(e syntax.Expr) []string {
	var list []string
	eachName(e, func(name string, _ source.Span, apply bool) {
		if !apply && w.statement.byName[name] != nil && !slices.Contains(list, name) {
			list = append(list, name)
		}
	})
	return list
}

// ofResult writes the subscripts of an element of a result: those of the argument, those
// of the left side, or letters.
func (w *callWriter) ofResult(rank int) []string {
	if rank < 0 || len(w.elements) == rank && w.found {
		return w.elements
	}
	var left []string
	for _, i := range w.statement.syntax.Targets[0].Indices {
		if !slices.Contains(w.over, i.Name) {
			left = append(left, i.Name)
		}
	}
	if len(left) >= rank {
		return left[:rank]
	}
	list := make([]string, rank)
	for k := range list {
		list[k] = indexLetter(k)
	}
	return list
}

func rankOf(t *syntax.TypeExpr) int {
	if t == nil {
		return -1
	}
	return len(t.Dims)
}

// outputRank is the rank of the first output of a def, by its type or the statement that
// writes it; -1 where neither says so.
func outputRank(def *syntax.Def) int {
	if len(def.Outputs) == 0 {
		return -1
	}
	if rank := rankOf(def.Outputs[0].Type); rank >= 0 {
		return rank
	}
	for _, stmt := range def.Body {
		for _, target := range stmt.Targets {
			if call, isApply := stmt.Value.(*syntax.Apply); target.Name.Name == def.Outputs[0].Name.Name && (target.Listed || !isApply || call == nil) {
				return len(target.Indices)
			}
		}
	}
	return -1
}
