package check

import (
	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// sequence is {a, b}.
func (c *checker) sequence(e *syntax.Sequence, want *typed.Type) typed.Expr {
	if want != nil && want.Kind == typed.Sequence {
		want = want.Element
	} else {
		want = nil
	}
	elements := c.arguments(e.Elements, want)
	if containsNothing(elements) {
		return nothing(e.Pos)
	}
	t := c.common(elements, e.Pos, "sequence")
	if t == nil {
		return nothing(e.Pos)
	}
	if t.Kind != typed.Nothing && !isElement(t) {
		c.errorf(source.CodeDiderotSequence, elements[0].Span(), "a sequence cannot have elements of type %v", t).WithHelp("%s", elementHelp(t))
		return nothing(e.Pos)
	}
	for n, x := range elements {
		elements[n] = coerce(x, t)
	}
	return &typed.Sequenced{Node: typed.Node{Pos: e.Pos, T: typed.SequenceOf(t, len(elements))}, Elements: elements}
}

func elementHelp(t *typed.Type) string {
	switch {
	case t.IsDynamic():
		return "elements are sequences of fixed length at most, real[3][]; join sequences by @"
	case t.Kind == typed.Field:
		return "a field of several components is [F, G]"
	}
	return "elements are values, and sequences of fixed length of values"
}

// common is the type that all elements have or can be coerced to; Nothing if there are none.
func (c *checker) common(elements []typed.Expr, pos source.Span, what string) *typed.Type {
	t := &typed.Type{}
	for n, x := range elements {
		if n == 0 {
			t = x.Type()
			continue
		}
		both := join(t, x.Type())
		if both == nil {
			c.errorf(source.CodeDiderotSequence, x.Span(), "the elements of a %s are of one type, but one is %v and this is %v", what, t, x.Type()).
				WithNote(elements[0].Span(), "the first element").WithHelp("%s", mixedHelp(t, x.Type()))
			return nil
		}
		t = both
	}
	return t
}

func mixedHelp(a, b *typed.Type) string {
	if isField(a) != isField(b) {
		return "probe the field, F(x), or make both fields: 1.0 + 0.0*F is one"
	}
	return "ints become real numbers beside others; nothing else is converted"
}

// each makes an iterator. Whoever asks checks what may be iterated over.
func (c *checker) each(i *syntax.Iterator, sets bool) *typed.Each {
	in := c.domain(i.In, sets)
	element := &typed.Type{}
	switch t := in.Type(); t.Kind {
	case typed.Sequence:
		element = t.Element
	case typed.Set:
		element = &typed.Type{Kind: typed.Reference, Strand: t.Strand}
	case typed.Nothing:
	default:
		d := c.errorf(source.CodeDiderotSequence, i.In.Span(), "what is iterated over is a sequence, not of type %v", t)
		if t.Kind == typed.Int {
			d.WithHelp("the numbers from 0 to n - 1 are 0..n-1")
		} else {
			d.WithHelp("a range is a..b, a sequence {a, b}")
		}
	}
	return &typed.Each{Pos: i.Pos, Variable: &typed.Variable{Pos: i.Name.Pos, Name: i.Name.Name, Role: typed.Iterator, Type: element}, In: in}
}

// comprehension is { e | x in s }.
func (c *checker) comprehension(e *syntax.Comprehension) typed.Expr {
	each, body := c.iterated(e.Iterator, e.Body, true)
	t := body.Type()
	if t.Kind == typed.Nothing || each.Variable.Type.Kind == typed.Nothing {
		return nothing(e.Pos)
	}
	if !isElement(t) {
		c.errorf(source.CodeDiderotSequence, e.Body.Span(), "a sequence cannot have elements of type %v", t).WithHelp("%s", elementHelp(t))
		return nothing(e.Pos)
	}
	if each.In.Type().Kind == typed.Set {
		c.errorf(source.CodeDiderotSet, e.Iterator.In.Span(), "a set of strands makes no sequence").WithHelp("fold it: sum{ t.x | t in %s.all }", each.In.Type().Strand.Name)
		return nothing(e.Pos)
	}
	return &typed.Comprehension{Node: typed.Node{Pos: e.Pos, T: typed.SequenceOf(t, typed.Dynamic)}, Body: body, Each: each}
}

// iterated checks the body of a comprehension or reduction, where its variable is known.
func (c *checker) iterated(i *syntax.Iterator, e syntax.Expr, sets bool) (each *typed.Each, body typed.Expr) {
	each = c.each(i, sets)
	folding, over := c.folding, each.In.Type().Kind == typed.Set
	c.inScope(func() {
		c.declare(each.Variable)
		c.used[each.Variable] = true
		c.iterating++
		c.folding = folding || over
		body = c.expr(e, nil)
		c.folding = folding
		c.iterating--
	})
	return each, body
}

// reduction is sum{ e | x in s }.
func (c *checker) reduction(e *syntax.Reduce) typed.Expr {
	each, body := c.iterated(e.Iterator, e.Body, true)
	rows := typed.Candidates(e.Op.Name, typed.Fold)
	if len(rows) == 0 {
		var names []string
		for _, row := range typed.Rows() {
			if row.Form == typed.Fold {
				names = append(names, row.Name)
			}
		}
		c.errorf(source.CodeDiderotName, e.Op.Pos, "there is no reduction %s%s", e.Op.Name, source.DidYouMean(e.Op.Name, names)).
			WithHelp("reductions are all, exists, max, min, product, sum, mean and variance")
		return nothing(e.Pos)
	}
	if body.Type().Kind == typed.Nothing || each.Variable.Type.Kind == typed.Nothing {
		return nothing(e.Pos)
	}
	if each.In.Type().Kind == typed.Set {
		c.program.Uses.Reductions = true
	}
	return c.reduced(e.Op.Name, e.Pos, e.Op.Pos, body, each)
}

// reduced makes a reduction. What is folded is not coerced.
func (c *checker) reduced(name string, pos, sign source.Span, body typed.Expr, each *typed.Each) typed.Expr {
	for _, row := range typed.Candidates(name, typed.Fold) {
		if m := c.match(signatures[row], []typed.Expr{body}, false); m != nil {
			return &typed.Reduce{Node: typed.Node{Pos: pos, T: m.result()}, Row: row, Body: body, Each: each}
		}
	}
	c.unresolved(name, typed.Fold, pos, sign, []typed.Expr{body})
	return nothing(pos)
}

// foldOf is sum(s), which is sum{ x | x in s }.
func (c *checker) foldOf(name *syntax.Ref, pos source.Span, s typed.Expr) typed.Expr {
	element := s.Type().Element
	if element.Kind == typed.Nothing {
		c.errorf(source.CodeDiderotSequence, s.Span(), "the type of the elements of {} is not known here").WithHelp("declare a variable: real[] s = {}")
		return nothing(pos)
	}
	v := &typed.Variable{Pos: s.Span(), Name: "x", Role: typed.Iterator, Type: element}
	body := &typed.Ref{Node: typed.Node{Pos: s.Span(), T: element}, Variable: v}
	return c.reduced(name.Name, pos, name.Pos, body, &typed.Each{Pos: s.Span(), Variable: v, In: s})
}

// notSequence reports a reduction of what is no sequence.
func (c *checker) notSequence(name *syntax.Ref, pos source.Span, args []typed.Expr) typed.Expr {
	if !containsNothing(args) {
		var types []string
		for _, a := range args {
			types = append(types, a.Type().String())
		}
		c.errorf(source.CodeDiderotOperands, pos, "%s is that of one sequence, and does not take %s", name.Name, listed(types)).
			WithHelp("write %s(s), or %s{ e | x in s }", name.Name, name.Name)
	}
	return nothing(pos)
}
