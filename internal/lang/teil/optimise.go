package teil

import (
	"maps"
	"slices"
)

// A Rewriting is what the equations made of a program.
type Rewriting struct {
	Result *Typing
}

// Optimise rewrites a program unless it is direct.
func (t *Typing) Optimise() *Rewriting {
	r := &Rewriting{Result: t.clone()}
	r.Result.lift(t.Source.Direct != nil)
	return r
}

// clone returns a copy whose program can be changed. Its conditions are those of the
// original: rewriting adds none.
func (t *Typing) clone() *Typing {
	c := *t
	program, context := *t.Program, *t.Context
	program.Allocs, program.Statements = slices.Clone(program.Allocs), slices.Clone(program.Statements)
	context.Shapes = maps.Clone(context.Shapes)
	context.Conditions = slices.Clone(context.Conditions)
	c.Program, c.Context, c.Elements = &program, &context, maps.Clone(t.Elements)
	return &c
}
