package mdh

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/callee"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How imports work
//
// The declarations of files in MDH join those of the file that imports them. A def of another
// notation is a function from buffers to buffers like a compiled computation, and is applied by
// the steps of compositions in the same way; its buffers have scalars for elements. As a
// computation it has no index functions, so it is no term of md_hom.

// load parses a file and those of MDH that it imports, and joins them.
func load(file *source.File, imports *lang.Imports, diagnostics *source.Diagnostics, unit *lang.Unit) *syntax.File {
	parsed, found := syntax.Parse(file)
	diagnostics.List = append(diagnostics.List, found.List...)
	unit.Files = append(unit.Files, file)
	for _, i := range parsed.Imports {
		imports.Load(file, i.Path, i.Pos, func(file *source.File) {
			other := load(file, imports, diagnostics, unit)
			parsed.Records = append(parsed.Records, other.Records...)
			parsed.Constants = append(parsed.Constants, other.Constants...)
			parsed.Functions = append(parsed.Functions, other.Functions...)
			parsed.Operators = append(parsed.Operators, other.Operators...)
			parsed.Computations = append(parsed.Computations, other.Computations...)
		})
	}
	return parsed
}

// declareImported makes the defs of other notations known.
func (c *compiler) declareImported() {
	c.table = callee.NewTable(c.imports, func(name string) (source.Span, bool) {
		at, ok := c.declared[name]
		return at, ok
	}, c.diagnostics)
}

// imported is the def of another notation that an application names, as a computation; nil where it
// names none.
func (c *instance) imported(a *syntax.Apply, args []*held) *compiled {
	group := c.table.Lookup(a.Name.Name)
	if c.computations[a.Name.Name] != nil || group == nil {
		return nil
	}
	types := make([]tensor.DType, len(args))
	for n, b := range args {
		if b != nil && b.element.record == nil {
			types[n] = b.element.scalar
		}
	}
	def := group.Pick(types, a.Pos, c.errorf)
	if def == nil {
		stop(nil)
	}
	one := &compiled{syntax: &syntax.Computation{Pos: def.Pos, Name: syntax.Name{Pos: def.Pos, Name: def.Name}}, def: def}
	for _, t := range def.Func.ByRole(ein.Input, ein.InOut) {
		one.inputs = append(one.inputs, bufferOf(t))
	}
	for _, t := range def.Func.Outputs() {
		one.outputs = append(one.outputs, bufferOf(t))
	}
	return one
}

// bufferOf is a tensor as a buffer of scalars.
func bufferOf(t *ein.Tensor) *buffer {
	b := &buffer{label: t.Name, pos: t.Pos, element: elementType{scalar: t.Type}, rank: len(t.Dims), tensors: []*ein.Tensor{t}, extents: []affine.Expr{}}
	for _, dim := range t.Dims {
		b.extents = append(b.extents, dim.Extent)
	}
	return b
}
