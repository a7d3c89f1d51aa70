package diderot

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// emit adds a statement to the block that is written.
func (l *lowering) emit(s strand.Stmt) { *l.block = append(*l.block, s) }

// into returns the block that f writes.
func (l *lowering) into(f func()) strand.Block {
	outer := l.block
	var b strand.Block
	l.block = &b
	f()
	l.block = outer
	return b
}

// choice runs one of two blocks, of which one may be all there is.
func (l *lowering) choice(pos source.Span, cond ein.Expr, yes, no strand.Block) {
	if c, ok := cond.(*ein.Const); ok {
		*l.block = append(*l.block, choose(c, yes, no)...)
		return
	}
	l.emit(&strand.If{Pos: pos, Cond: cond, Then: yes, Else: no})
}

// unique returns a name that no variable has: the given one, or one with a number behind it.
func (l *lowering) unique(name string) string {
	free := name
	for n := 2; l.names[free]; n++ {
		free = fmt.Sprintf("%s_%d", name, n)
	}
	l.names[free] = true
	return free
}

// temp declares a variable of the block.
func (l *lowering) temp(pos source.Span, name string, t strand.Type) *strand.Variable {
	return l.p.Declare(pos, strand.Temporary, l.unique(name), t)
}

// assign sets one scalar.
func (l *lowering) assign(pos source.Span, to *ein.Local, e ein.Expr) {
	l.emit(&strand.Assign{Pos: pos, To: to, Value: e})
}

// set assigns a value to a variable.
func (l *lowering) set(pos source.Span, v *strand.Variable, x value) {
	if v.Type.Dynamic {
		l.emit(&strand.Build{Pos: pos, To: v, Items: l.items(pos, x)})
		return
	}
	// Parts are assigned one after the other, and a later one may read what an earlier one has set.
	parts := append([]ein.Expr{}, x.parts...)
	for k := range parts {
		for _, before := range v.Parts[:k] {
			if reads(parts[k], before) {
				copied := l.temp(pos, v.Name+"'", strand.Type{Elem: x.typ.Elem})
				l.assign(pos, copied.Parts[0], parts[k])
				parts[k] = &ein.LocalRef{Local: copied.Parts[0]}
				break
			}
		}
	}
	for k, to := range v.Parts {
		if r, ok := parts[k].(*ein.LocalRef); !ok || r.Local != to {
			l.assign(pos, to, parts[k])
		}
	}
}

func reads(e ein.Expr, l *ein.Local) bool {
	return ein.Contains(e, func(e ein.Expr) bool {
		r, ok := e.(*ein.LocalRef)
		return ok && r.Local == l
	})
}

// keep stores a value in a variable of its own, and returns the value that this has.
func (l *lowering) keep(pos source.Span, name string, x value) (*strand.Variable, value) {
	v := l.temp(pos, name, x.typ)
	l.set(pos, v, x)
	return v, of(v)
}

// name gives a scalar a name, unless it has one or is a literal.
func (l *lowering) name(pos source.Span, name string, t strand.Type, e ein.Expr) ein.Expr {
	if isAtom(e) {
		return e
	}
	v := l.temp(pos, name, strand.Type{Elem: t.Elem})
	l.assign(pos, v.Parts[0], e)
	return &ein.LocalRef{Pos: pos, Local: v.Parts[0]}
}

// bind gives all scalars of a value names, so that they are computed once.
func (l *lowering) bind(pos source.Span, name string, x value) value {
	if x.list != nil || x.isSymbol() {
		return x
	}
	parts := make([]ein.Expr, len(x.parts))
	for k, e := range x.parts {
		parts[k] = l.name(pos, name, x.typ, e)
	}
	x.parts = parts
	return x
}

// isAtom reports whether an expression costs nothing.
func isAtom(e ein.Expr) bool {
	switch e.(type) {
	case *ein.Const, *ein.LocalRef:
		return true
	}
	return false
}
