package typed

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Write writes a program for people: declarations with their types, coercions as calls, operators by what they mean.
func Write(w io.Writer, p *Program) error {
	d := &printer{w: w}
	for _, f := range p.Functions {
		d.line("function %s %s(%s)", f.Result, f.Name, parameters(f.Params))
		d.block(f.Body)
	}
	for _, v := range p.Variables {
		d.variable(v)
	}
	d.part("initialize", p.Initialize)
	if s := p.Strand; s != nil {
		d.line("strand %s(%s)", s.Name, parameters(s.Params))
		d.depth++
		for _, v := range s.State {
			d.variable(v)
		}
		d.part("initialize", s.Initialize)
		d.part("start", s.Start)
		d.part("update", s.Update)
		d.part("stabilize", s.Stabilize)
		d.depth--
	}
	d.part("start", p.Start)
	d.part("update", p.Update)
	if c := p.Create; c != nil {
		kind := "array"
		if c.Collection {
			kind = "collection"
		}
		var iterators []string
		for _, e := range c.Iterators {
			iterators = append(iterators, each(e))
		}
		d.line("create %s (%s) for %s", kind, list(c.Args), strings.Join(iterators, ", "))
	}
	if p.Uses != (Uses{}) {
		d.line("uses %+v", p.Uses)
	}
	return d.err
}

type printer struct {
	w     io.Writer
	depth int
	err   error
}

func (d *printer) line(format string, args ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.w, strings.Repeat("  ", d.depth)+format+"\n", args...)
	}
}

func (d *printer) part(name string, b *Block) {
	if b != nil {
		d.line("%s", name)
		d.block(b)
	}
}

func parameters(list []*Variable) string {
	var words []string
	for _, v := range list {
		words = append(words, v.Type.String()+" "+v.Name)
	}
	return strings.Join(words, ", ")
}

func (d *printer) variable(v *Variable) {
	text := v.Type.String() + " " + v.Name
	switch {
	case v.Role == Const || v.Role == Input:
		text = v.Role.String() + " " + text
	case v.Output:
		text = "output " + text
	}
	if v.Value != nil {
		text += " = " + Text(v.Value)
	}
	if v.Constant != nil {
		text += " is " + v.Constant.text(v.Type)
	}
	if v.Seen {
		text += " (seen)"
	}
	d.line("%s", text)
}

// text writes a constant of a type.
func (v *Value) text(t *Type) string {
	switch t.Kind {
	case Bool:
		return strconv.FormatBool(v.Bool)
	case Int:
		return strconv.FormatInt(v.Int, 10)
	case String:
		return strconv.Quote(v.Text)
	case Tensor:
		if len(t.Shape) > 0 {
			return "[" + v.parts(TensorOf(t.Shape[1:]...)) + "]"
		}
		if v.Exact != nil {
			return v.Exact.RatString()
		}
		return strconv.FormatFloat(v.Real, 'g', -1, 64)
	}
	return "{" + v.parts(t.Element) + "}"
}

func (v *Value) parts(t *Type) string {
	var words []string
	for _, e := range v.Elements {
		words = append(words, e.text(t))
	}
	return strings.Join(words, ", ")
}

func (d *printer) block(b *Block) {
	d.depth++
	for _, s := range b.Stmts {
		d.stmt(s)
	}
	d.depth--
}

func (d *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Block:
		d.line("block")
		d.block(s)
	case *Declare:
		d.variable(s.Variable)
	case *Assign:
		d.line("%s = %s", s.To.Name, Text(s.Value))
	case *If:
		d.line("if %s", Text(s.Cond))
		d.block(s.Then)
		if len(s.Else.Stmts) > 0 {
			d.line("else")
			d.block(s.Else)
		}
	case *Foreach:
		d.line("foreach %s %s", s.Each.Variable.Type, each(s.Each))
		d.block(s.Body)
	case *Print:
		d.line("print(%s)", list(s.Args))
	case *New:
		d.line("new (%s)", list(s.Args))
	case *Leave:
		if s.All {
			d.line("%s all", s.Exit)
		} else {
			d.line("%s", s.Exit)
		}
	case *Return:
		d.line("return %s", Text(s.Value))
	}
}
