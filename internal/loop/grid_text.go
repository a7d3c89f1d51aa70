package loop

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/tensor"
)

// The text form of grids
//
//	grid groups b = N / 16, c = 4 items i = 16, j = 16 width 32 local tile, other {
//	  barrier
//	  barrier global
//	  shuffle v float32 = x + y xor 16
//	}

func (p *printer) grid(s *Grid) {
	var groups, items, local []string
	for _, a := range s.Groups {
		count := p.expr(a.Count, 0)
		groups = append(groups, p.variable(a.Var)+" = "+count)
	}
	for _, a := range s.Items {
		items = append(items, fmt.Sprintf("%s = %d", p.variable(a.Var), a.Count))
	}
	head := "grid groups " + strings.Join(groups, ", ") + " items " + strings.Join(items, ", ")
	if s.Width != 0 {
		head += fmt.Sprintf(" width %d", s.Width)
	}
	for _, b := range s.Local {
		local = append(local, p.buffer(b))
	}
	if len(local) > 0 {
		head += " local " + strings.Join(local, ", ")
	}
	p.nested(head, s.Body)
	p.line("}")
}

func (p *printer) barrier(s *Barrier) {
	if s.Global {
		p.line("barrier global")
	} else {
		p.line("barrier")
	}
}

func (p *printer) shuffle(s *Shuffle) {
	value := p.expr(s.X, 0)
	p.line("shuffle %s %s = %s %s %d", p.variable(s.Var), s.Var.Type, value, shuffleNames[s.Kind], s.By)
}

// grid reads a grid behind its first word.
func (p *parser) grid() *Grid {
	s := &Grid{}
	p.expect("groups")
	p.list(func() {
		v := p.axis()
		s.Groups = append(s.Groups, GroupAxis{Var: v, Count: p.expr()})
	})
	p.expect("items")
	p.list(func() {
		v := p.axis()
		s.Items = append(s.Items, ItemAxis{Var: v, Count: p.integer()})
	})
	if p.Accept("width") {
		s.Width = p.integer()
	}
	if p.Accept("local") {
		p.list(func() { s.Local = append(s.Local, p.buffer()) })
	}
	p.expect("{")
	s.Body = p.block()
	return s
}

// list reads one thing or more, with commas between.
func (p *parser) list(one func()) {
	for one(); p.Accept(","); {
		one()
	}
}

func (p *parser) axis() *Var {
	v := p.declareVar()
	v.Type = Scalar(tensor.Int64)
	p.expect("=")
	return v
}

func (p *parser) shuffle() *Shuffle {
	s := &Shuffle{Var: p.declareVar()}
	s.Var.Type = p.typ()
	p.expect("=")
	s.X = p.expr()
	for kind, name := range shuffleNames {
		if p.Accept(name) {
			s.Kind, s.By = ShuffleKind(kind), p.integer()
			return s
		}
	}
	p.Fail("", "%s", "a kind of shuffle: "+strings.Join(shuffleNames[:], ", "))
	return nil
}

// headText is the first line of a statement for messages: what it does itself, without what is inside of it.
func headText(s Stmt) string {
	if s == nil {
		return "nothing"
	}
	p := newPrinter()
	p.stmt(s)
	line, _, _ := strings.Cut(p.out.String(), "\n")
	return briefly(strings.TrimSuffix(strings.TrimSpace(line), " {"))
}
