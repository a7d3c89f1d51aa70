package ein

import "github.com/ricci-lang/ricci/internal/source"

// statement computes the size expressions in subscripts, terms and operators: they may have no value
// although all extents have one, as A*A*A in x[A*A*A * i] where i has a single value.
func (b *binder) statement(c *Comprehension) {
	for _, w := range c.Writes {
		b.sizesIn(w.Subscripts, w.Pos)
	}
	b.sizesIn(c.Values, c.Pos)
	b.operator(c.Accumulate, c.Pos)
	for _, i := range c.Indices {
		b.operator(i.Combine.Op, i.Pos)
	}
}

func (b *binder) operator(o *Operator, pos source.Span) {
	if o != nil {
		b.sizesIn(o.Body, pos)
		b.sizesIn(o.Identity, pos)
	}
}

// sizesIn computes the size expressions in a list; pos is where those are that have no place.
func (b *binder) sizesIn(list []Expr, pos source.Span) {
	for _, e := range list {
		at := pos
		Walk(e, func(e Expr) bool {
			switch e := e.(type) {
			case *Access:
				if e.Pos.IsValid() {
					at = e.Pos
				}
			case *SizeRef:
				span := at
				if e.Pos.IsValid() {
					span = e.Pos
				}
				b.eval(e.Size, span, "a size expression of the program")
			}
			return true
		})
	}
}
