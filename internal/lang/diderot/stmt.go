package diderot

import (
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// lowered returns the statements of a block, which may be nil.
func (l *lowering) lowered(b *typed.Block) strand.Block {
	return l.into(func() {
		if b != nil {
			l.stmts(b.Stmts)
		}
	})
}

func (l *lowering) stmts(list []typed.Stmt) {
	for _, s := range list {
		l.stmt(s)
	}
}

func (l *lowering) stmt(s typed.Stmt) {
	switch s := s.(type) {
	case *typed.Block:
		l.stmts(s.Stmts)
	case *typed.Declare:
		l.declareLocal(s)
	case *typed.Assign:
		l.set(s.Pos, l.variables[s.To], l.expr(s.Value))
	case *typed.If:
		cond := l.expr(s.Cond)
		l.choice(s.Pos, cond.parts[0], l.lowered(s.Then), l.lowered(s.Else))
	case *typed.Foreach:
		l.foreach(s.Pos, s.Each, s.Body.Stmts, func() { l.stmts(s.Body.Stmts) })
	case *typed.Print:
		l.print(s)
	case *typed.New:
		n := &strand.New{Pos: s.Pos}
		for _, a := range s.Args {
			n.Arguments = append(n.Arguments, l.expr(a).parts...)
		}
		l.emit(n)
	case *typed.Leave:
		kind := map[typed.Exit]strand.ExitKind{typed.Continue: strand.Continue, typed.Stabilize: strand.Stabilize, typed.Die: strand.Die}[s.Exit]
		if s.All {
			l.emit(&strand.AllExit{Pos: s.Pos, Kind: kind})
		} else {
			l.emit(&strand.Exit{Pos: s.Pos, Kind: kind})
		}
	default:
		panic(source.Internalf("diderot", s.Span(), "a statement is a %T", s))
	}
}

// declareLocal begins the life of a variable of a block.
func (l *lowering) declareLocal(s *typed.Declare) {
	v := s.Variable
	if !v.Type.IsValue() && v.Type.Kind != typed.Reference && v.Type.Kind != typed.Sequence {
		l.values[v] = l.captured(v.Pos, l.expr(v.Value))
		return
	}
	x := value{}
	if v.Value != nil {
		x = l.expr(v.Value)
	}
	local := l.temp(v.Pos, v.Name, typeOf(v.Type))
	l.know(v, local)
	switch {
	case v.Value != nil:
		l.set(s.Pos, local, x)
	case l.flagged:
		l.set(s.Pos, local, l.zero(local.Type))
	}
}

// know notes what a variable of the text is.
func (l *lowering) know(v *typed.Variable, is *strand.Variable) {
	for _, p := range is.Parts {
		l.changing[p] = v.Assigned
	}
	l.variables[v], l.values[v] = is, of(is)
}

// foreach runs a body, which stmts become, for the elements of a sequence. Elements that are computed on the way are those
// before the loop, so where the statements change what these depend on, all are computed first.
func (l *lowering) foreach(pos source.Span, each *typed.Each, stmts []typed.Stmt, body func()) {
	v := each.Variable
	s := l.listOf(l.expr(each.In))
	if s.domain != nil && typed.Reads(each.In, typed.Targets(stmts)) {
		s = &list{element: s.element, items: []strand.Item{{Sequence: l.sequence(pos, v.Name, s)}}}
	}
	l.each(pos, v.Name, s, func(element value) {
		element = l.as(pos, v.Type, element)
		l.values[v] = element
		switch {
		case v.Assigned:
			local, _ := l.keep(pos, v.Name, element)
			l.know(v, local)
		case element.from == nil:
			l.values[v] = l.bind(pos, v.Name, element)
		}
		body()
	})
}

// print lowers a message: texts that are known, and variables.
func (l *lowering) print(s *typed.Print) {
	m := &strand.Message{Pos: s.Pos}
	for _, a := range s.Args {
		if text, ok := a.(*typed.Literal); ok && text.T.Kind == typed.String {
			m.Parts = append(m.Parts, strand.MessagePart{Text: text.Value.Text})
			continue
		}
		x := l.expr(a)
		v := x.from
		switch {
		case v != nil:
		case x.list != nil:
			v = l.sequence(a.Span(), "shown", x.list)
		default:
			v, _ = l.keep(a.Span(), "shown", x)
		}
		m.Parts = append(m.Parts, strand.MessagePart{Variable: v})
	}
	l.emit(m)
}
