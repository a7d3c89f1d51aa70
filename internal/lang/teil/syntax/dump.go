package syntax

import (
	"fmt"
	"io"
	"strings"
)

// Dump writes the tree of a program, one node in a line.
func Dump(w io.Writer, p *Program) error {
	d := &dumper{w: w}
	d.line(0, "program "+p.Name.Name)
	for _, x := range p.Params {
		d.line(1, "param "+x.Name.Name+" = "+x.Value.Value.String())
	}
	for _, a := range p.Allocs {
		d.line(1, PrintAlloc(a))
	}
	for _, o := range p.Folds {
		d.line(1, PrintFold(o))
	}
	for _, s := range p.Statements {
		names := make([]string, len(s.Targets))
		for n, t := range s.Targets {
			names[n] = t.Name
		}
		d.line(1, "assign "+strings.Join(names, ", "))
		d.expr(2, s.Value)
	}
	return d.err
}

type dumper struct {
	w   io.Writer
	err error
}

func (d *dumper) line(depth int, text string) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.w, "%s%s\n", strings.Repeat("  ", depth), text)
	}
}

func (d *dumper) expr(depth int, e Expr) {
	text := ""
	switch e := e.(type) {
	case *Var:
		text = "var " + e.Name
	case *Number:
		text = "number " + e.Text
	case *Identity:
		text = "id " + e.Size.Value.String()
	case *Operation:
		text = e.Op.Name
		for _, a := range e.Args {
			text += " " + PrintSize(a)
		}
	case *Infix:
		text = "infix " + e.Op
	case *Apply:
		text = "apply"
	}
	d.line(depth, text)
	for _, c := range Children(e) {
		d.expr(depth+1, c)
	}
}
