package mdh

import "github.com/ricci-lang/ricci/internal/lang/advice"

// advise warns of what is computed to the letter and hardly meant.
func (c *instance) advise() {
	words := &advice.Notation{
		Wide:        "convert what it is made of: TYPE(x)",
		Wraps:       "where wrapping is meant, say so by converting back: TYPE(WIDE(x) + WIDE(y))",
		Whole:       "divide the sum in a computation of its own, or convert to a float",
		Once:        "add it in a computation of its own, which reads the result of this one",
		Meant:       "put the value in parentheses where this is meant",
		Parentheses: true,
	}
	for _, k := range c.fn.Body {
		if !c.imports.IsForeign(k.Pos.File) { // its own notation has warned of that
			words.Of(k, c.diagnostics)
		}
	}
}
