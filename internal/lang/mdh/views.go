package mdh

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A buffer is one of a view; a buffer of records is one tensor for each field.
type buffer struct {
	syntax   *syntax.Buffer // nil for one of a composition, which has a label and pos
	label    string
	pos      source.Span
	element  elementType
	rank     int
	accesses [][]affine.Expr // the results of each index function
	extents  []affine.Expr
	declared []syntax.Expr // the extents as they are written, or nil
	tensors  []*ein.Tensor
	updates  bool // an output that is an input as well
}

func (b *buffer) name() string {
	if b.syntax == nil {
		return b.label
	}
	return b.syntax.Name.Name
}

func (b *buffer) place() source.Span {
	if b.syntax == nil {
		return b.pos
	}
	return b.syntax.Pos
}

// An elementType is a scalar type, or a record.
type elementType struct {
	scalar tensor.DType
	record *recordType
}

// scalars lists the types of which an element is made.
func (t elementType) scalars() []tensor.DType {
	if t.record != nil {
		return t.record.types
	}
	return []tensor.DType{t.scalar}
}

func (t elementType) String() string {
	if t.record != nil {
		return t.record.name
	}
	return t.scalar.String()
}

// views declares the buffers and computes their extents.
func (c *instance) views() {
	c.output = c.view(c.syntax.Out, "out_view", true)
	c.inputs = c.view(c.syntax.Inp, "inp_view", false)
	names := map[string]source.Span{}
	for n, b := range c.inputs {
		if !c.isShared(b, c.inputs[:n]) {
			c.declareTensors(b, names, ein.Input)
		}
	}
	for _, b := range c.output {
		if !c.isUpdated(b) {
			c.declareTensors(b, names, ein.Output)
		}
	}
	if len(c.syntax.Out.Buffers) == 0 {
		c.errorf(source.CodeMDHCount, c.syntax.Out.Pos, "out_view has no buffers").WithHelp("name at least one output: out_view<float32>(y: (i) -> (i))")
	}
}

func (c *instance) view(v *syntax.View, word string, isOutput bool) []*buffer {
	if len(v.Types) != len(v.Buffers) {
		stop(c.errorf(source.CodeMDHCount, v.Pos, "%s has %s and %s", word, plural(len(v.Types), "type"), plural(len(v.Buffers), "buffer")).
			WithHelp("each buffer has one type: %s<float32, int32>(x: …, y: …)", word))
	}
	var list []*buffer
	for n, s := range v.Buffers {
		b := &buffer{syntax: s, rank: len(s.Accesses[0].Results)}
		var ok bool
		if b.element, ok = c.elementType(v.Types[n].Name); !ok {
			continue
		}
		if !isOutput && (s.Fill != nil || s.Bottom != nil) {
			c.errorf(source.CodeMDHUndefined, s.Pos, "the input %s has a fill", s.Name.Name).WithHelp("only outputs have cells that nothing writes")
		}
		if c.accesses(b, isOutput) && c.extents(b, v.Types[n], isOutput) {
			list = append(list, b)
		}
	}
	return list
}

// elementType looks up the type of a buffer.
func (c *instance) elementType(n syntax.Name) (elementType, bool) {
	if t, ok := c.types[n.Name]; ok {
		return elementType{scalar: t}, true
	}
	if r := c.structs[n.Name]; r != nil {
		return elementType{record: r}, true
	}
	if r := c.records[n.Name]; r != nil {
		return elementType{record: r}, true
	}
	if t, ok := scalarType(n.Name); ok {
		return elementType{scalar: t}, true
	}
	d := c.errorf(source.CodeMDHName, n.Pos, "%s is no type", n.Name)
	var known []string
	for name := range c.types {
		known = append(known, name)
	}
	for name := range c.records {
		known = append(known, name)
	}
	switch near := source.Suggest(n.Name, known); {
	case near != "":
		d.WithHelp("did you mean %s?", near)
	case typeElsewhere(n.Name) != tensor.Invalid:
		d.WithHelp("%s", typeHelp(n.Name))
	default:
		d.WithHelp("%s; types of a computation are declared: %s<T in {float32, float64} | …>", typeHelp(n.Name), c.syntax.Name.Name)
	}
	return elementType{}, false
}

// accesses evaluates the index functions of a buffer.
func (c *instance) accesses(b *buffer, isOutput bool) bool {
	good := true
	for _, f := range b.syntax.Accesses {
		if len(f.Params) != len(c.dims) {
			c.errorf(source.CodeMDHCount, f.Pos, "the index function has %s, md_hom has %s", indexCount(len(f.Params)), plural(len(c.dims), "dimension")).
				WithHelp("an index function takes all indices of md_hom, also those that it ignores")
			good = false
			continue
		}
		if len(f.Results) != b.rank {
			c.errorf(source.CodeMDHCount, f.Pos, "the index function has %s, the first one of %s has %d", plural(len(f.Results), "result"), b.syntax.Name.Name, b.rank).
				WithHelp("all index functions of a buffer give as many subscripts as it has dimensions")
			good = false
		}
	}
	if !good {
		return false
	}
	c.eachChoice(isOutput, func() {
		for _, f := range b.syntax.Accesses {
			good = c.access(b, f, isOutput) && good
		}
	})
	return good
}

// access evaluates an index function.
func (c *instance) access(b *buffer, f *syntax.IndexFunction, isOutput bool) bool {
	indices, ok := c.indexParams(f.Params, isOutput)
	var results []affine.Expr
	for d, e := range f.Results {
		r, known := c.static(e, indices)
		o := &obligation{buffer: b, access: len(b.accesses), dim: d}
		ok = ok && known && (!isOutput || c.isWithoutTables(r, e)) && c.notNegative(r, e, o, isOutput)
		results = append(results, r)
	}
	b.accesses = append(b.accesses, results)
	return ok
}

func indexCount(n int) string {
	if n == 1 {
		return "1 index"
	}
	return fmt.Sprintf("%d indices", n)
}

// indexParams maps the names of an index function to what they stand for. In an output
// the index of a pw is 0.
func (c *instance) indexParams(params []syntax.Name, isOutput bool) (map[string]affine.Expr, bool) {
	indices, ok := map[string]affine.Expr{}, true
	for n, p := range params {
		if p.Name == "_" {
			continue
		}
		if p.Name == "0" {
			if n, isNumber := c.dims[n].result().IsConst(); !isOutput || !isNumber || n != 0 || c.dims[n].values != nil && c.dims[n].syntax.Kind != "pw" {
				c.errorf(source.CodeMDHIndex, p.Pos, "this index is not always 0").WithHelp("only in an output, and of a dimension that pw folds; give it a name")
				ok = false
			}
			continue
		}
		if _, twice := indices[p.Name]; twice {
			c.errorf(source.CodeMDHTwice, p.Pos, "the index %s is named twice", p.Name).WithHelp("give each dimension a name of its own; _ stands for one that is ignored")
			ok = false
		}
		if s := c.sizes[p.Name]; s != nil {
			c.errorf(source.CodeMDHTwice, p.Pos, "the index %s has the name of a size", p.Name).WithNote(s.Pos, "the size").WithHelp("names are case sensitive: i is another name than I")
			ok = false
		}
		if isOutput {
			indices[p.Name] = c.dims[n].result()
		} else {
			indices[p.Name] = c.dims[n].argument()
		}
	}
	return indices, ok
}

// notNegative proves that a subscript is never negative. Where it may be, that of an output becomes
// a condition or is refused, and that of an input waits for the conditions of the scalar function.
func (c *instance) notNegative(e affine.Expr, at syntax.Expr, o *obligation, isOutput bool) bool {
	lo, _, ok := c.facts.Extremes(e, c.box())
	switch {
	case !ok:
		c.errorf(source.CodeMDHIndex, at.Span(), "no bounds are known for the subscript %s of %s", e, o.buffer.syntax.Name.Name).
			WithHelp("use each index once, and only products of an index and sizes")
		return false
	case !isOutput && !c.facts.Proves(lo):
		o.least, o.otherwise = e, func() bool { return c.leastIsNotNegative(e, lo, at, o.buffer) }
		c.waiting = append(c.waiting, o)
		return true
	}
	return c.leastIsNotNegative(e, lo, at, o.buffer)
}

// leastIsNotNegative refuses a subscript whose least value is negative, or makes it a condition where
// that depends on the sizes.
func (c *instance) leastIsNotNegative(e, lo affine.Expr, at syntax.Expr, b *buffer) bool {
	verdict := c.facts.Sign(lo)
	if verdict != affine.Always && c.neverBeyondOne(lo) {
		verdict = affine.Never // true for sizes of 1 only, which nobody means
	}
	switch verdict {
	case affine.Always:
		return true
	case affine.Never:
		d := c.errorf(source.CodeMDHNegative, at.Span(), "the subscript %s of %s is negative: its least value is %s", e, b.syntax.Name.Name, lo)
		if point := c.pointWhere(e, func(v int64) bool { return v < 0 }); point != "" {
			d.WithNote(source.Span{}, "%s", point)
		}
		d.WithHelp("add %s to the subscript; the extent of %s follows", lo.Scale(-1), b.syntax.Name.Name)
		return false
	}
	c.require(lo, at.Span(), fmt.Sprintf("the subscript %s of %s is not negative", e, b.syntax.Name.Name))
	c.facts.Assume(lo)
	return true
}

// neverBeyondOne reports whether e is negative for all sizes from 2.
func (c *instance) neverBeyondOne(e affine.Expr) bool {
	larger := c.facts.Clone()
	for _, s := range c.fn.Sizes {
		larger.AtLeast(s.Name, 2)
	}
	return larger.Sign(e) == affine.Never
}

// extents computes the extents of a buffer, one more than the greatest subscript
// (Definitions 8 and 10), and compares the declared ones.
func (c *instance) extents(b *buffer, declared *syntax.BufferType, isOutput bool) bool {
	for d := range b.rank {
		var extent affine.Expr
		for n, results := range b.accesses {
			_, hi, ok := c.facts.Extremes(results[d], c.box())
			if !ok {
				return false // reported with the lower bound
			}
			if hi = c.shortened(hi.AddConst(1)); n == 0 {
				extent = hi
			} else {
				extent = c.facts.Larger(extent, hi)
			}
		}
		if !c.fits(extent, b.syntax.Pos) {
			return false
		}
		b.extents = append(b.extents, extent)
	}
	if !declared.HasExtents {
		return true
	}
	if b.declared = declared.Extents; len(declared.Extents) != b.rank {
		c.errorf(source.CodeMDHCount, declared.Pos, "%s is declared with %s, its index functions give %d", b.syntax.Name.Name, plural(len(declared.Extents), "extent"), b.rank).
			WithHelp("declare one extent for each subscript")
		return false
	}
	good := true
	for d, e := range declared.Extents {
		given, ok := c.static(e, nil)
		if reached := b.extents[d]; ok && !isOutput && !c.facts.Proves(given.Sub(reached)) {
			c.waitForExtent(b, d, given, e)
		} else {
			good = good && ok && c.largeEnough(b, d, b.extents[d], given, e)
		}
		b.extents[d] = given
	}
	return good
}

// waitForExtent leaves it to the conditions of the scalar function that a dimension is read within its
// declared extent.
func (c *instance) waitForExtent(b *buffer, d int, given affine.Expr, at syntax.Expr) {
	for n, results := range b.accesses {
		_, hi, _ := c.facts.Extremes(results[d], c.box())
		if c.facts.Proves(given.AddConst(-1).Sub(hi)) {
			continue
		}
		reached := hi.AddConst(1)
		c.waiting = append(c.waiting, &obligation{buffer: b, access: n, dim: d, least: given.AddConst(-1).Sub(results[d]),
			otherwise: func() bool { return c.largeEnough(b, d, reached, given, at) }})
	}
}

func (c *instance) largeEnough(b *buffer, d int, reached, given affine.Expr, at syntax.Expr) bool {
	room := given.Sub(reached)
	switch c.facts.Sign(room) {
	case affine.Always:
	case affine.Never:
		c.errorf(source.CodeMDHExtent, at.Span(), "dimension %d of %s is declared as %s, its index functions reach %s elements", d, b.syntax.Name.Name, given, reached).
			WithHelp("declare %s, or leave the extents out: they are computed", reached)
		return false
	default:
		c.require(room, at.Span(), fmt.Sprintf("the index functions of %s reach %s elements of dimension %d", b.syntax.Name.Name, reached, d))
		c.facts.Assume(room)
	}
	return true
}

func (c *instance) declareTensors(b *buffer, names map[string]source.Span, role ein.Role) {
	name := b.syntax.Name.Name
	fields := []string{name}
	if b.element.record != nil {
		fields = nil
		for _, f := range b.element.record.fields {
			fields = append(fields, name+"_"+f)
		}
	}
	for n, t := range b.element.scalars() {
		if first, twice := names[fields[n]]; twice || c.sizes[fields[n]] != nil {
			if !twice {
				first = c.sizes[fields[n]].Pos
			}
			c.errorf(source.CodeMDHTwice, b.syntax.Name.Pos, "%s is declared already", fields[n]).WithNote(first, "the first %s", fields[n]).
				WithHelp("give the buffer another name; a buffer of records becomes one tensor BUFFER_FIELD for each field")
		}
		names[fields[n]] = b.syntax.Name.Pos
		tensor := &ein.Tensor{Pos: b.syntax.Name.Pos, Name: fields[n], Type: t, Role: role}
		for _, e := range b.extents {
			tensor.Dims = append(tensor.Dims, ein.Dim{Extent: e})
		}
		b.tensors = append(b.tensors, tensor)
		c.fn.Tensors = append(c.fn.Tensors, tensor)
	}
}
