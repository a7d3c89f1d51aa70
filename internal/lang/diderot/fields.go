package diderot

import (
	"fmt"
	"io"
	"strings"

	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/passes"
)

// techniques are the names of what can be left out to measure what it is worth.
var techniques = map[string]field.Technique{"sharing": field.Sharing, "epsilon": field.Epsilons, "binding": field.SumBinding}

// fields writes what each probe of a program becomes: the operator of all of it, that in normal form, and
// how many samples and operations it takes.
func fields(w io.Writer, file *source.File, options lang.Options, how lang.FieldOptions) (*strand.Program, error) {
	program, _, diagnostics := checked(file, options)
	if err := diagnostics.Err(); err != nil {
		return nil, err
	}
	l := newLowering(program, Numbers{Double: options.Double, LongInt: options.LongInt})
	for _, name := range how.Without {
		l.techniques.Without |= techniques[name]
	}
	if err := l.whole(program); err != nil {
		return nil, err
	}
	for k, p := range l.probed {
		if k > 0 {
			fmt.Fprintln(w)
		}
		span := p.expr.Span()
		at := file.Position(span.Start)
		fmt.Fprintf(w, "%s  (%s:%d:%d)\n", strings.Join(strings.Fields(span.Text()), " "), file.Name, at.Line, at.Column)
		fmt.Fprintf(w, "  fused    %s\n  normal   %s\n", p.fused, p.normal)
		numbers := 0
		for _, s := range p.expansion.Samples() {
			numbers += len(s.Wanted)
		}
		fmt.Fprintf(w, "  becomes  %d samples with %d numbers, %d operations\n", len(p.expansion.Samples()), numbers, p.expansion.Shared)
		if how.Sizes {
			p.counters.Points = append([]field.Size{sourceSize(p.expr)}, p.counters.Points...)
			for line := range strings.Lines(p.counters.Table(p.expansion)) {
				fmt.Fprint(w, "  ", line)
			}
		}
	}
	passes.Run(l.p)
	return l.p, nil
}

// sourceSize counts the nodes of an expression as it was written, those of the fields, images and functions that it names
// included: each as often as it is named, and once.
func sourceSize(e typed.Expr) field.Size {
	trees := map[any]float64{}
	var count func(e typed.Expr) float64
	all := func(list []typed.Expr) (n float64) {
		for _, e := range list {
			if e != nil {
				n += count(e)
			}
		}
		return n
	}
	count = func(e typed.Expr) float64 {
		if n, known := trees[e]; known {
			return n
		}
		n := 1 + all(typed.Operands(e))
		switch e := e.(type) {
		case *typed.Ref:
			if v := e.Variable; isSymbol(v.Type) && v.Value != nil {
				n += count(v.Value)
			}
		case *typed.Call:
			typed.WalkStmts(e.Function.Body, func(s typed.Stmt) { n += all(typed.Expressions(s)) })
		}
		trees[e] = n
		return n
	}
	tree := count(e)
	return field.Size{Point: "source", Tree: tree, Distinct: len(trees)}
}
