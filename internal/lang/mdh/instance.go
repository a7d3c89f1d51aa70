package mdh

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// An instance is a computation for one choice of types.
type instance struct {
	*compiler
	syntax  *syntax.Computation
	types   map[string]tensor.DType
	structs map[string]*recordType // of type parameters that are records
	params  map[string]*argument   // the functions that are given
	fn      *ein.Func
	sizes   map[string]*ein.Size
	used    map[string]bool // the sizes that something uses
	dims    []*dimension
	inputs  []*buffer
	output  []*buffer
	lookups []*lookup // of tables
	facts   *affine.Facts
	binder  *binder
	waiting []*obligation
	outcome []*result            // what the scalar function gives
	active  []string             // the functions being written out
	nodes   int                  // how many nodes the expressions have, for the limit
	chain   *chain               // of a composition
	copies  []*ein.Comprehension // from temporaries, behind everything else
	bottoms []int                // the statements that write the cells without a value
	// warnings are those of the defs that the steps of a composition apply.
	warnings []*source.Diagnostic
}

// A dimension is one of md_hom: its index, range and combine operator.
type dimension struct {
	syntax *syntax.Combine
	index  *ein.Index
	op     *operator // nil for ++
	// values are those of the index where it is written out, keys what they are in outputs;
	// at and key are those at hand.
	values, keys []int64
	at, key      int64
	image        *affine.Expr // what the index is in outputs, where that is an expression of it
	blocks       *blocks      // where points with one image are not those of one loop
	down         *syntax.Combine
	downImage    *affine.Expr // what the index is in inputs
	mustBeListed bool         // because of its image
}

// bailout ends an instance after an error that leaves nothing to go on with.
type bailout struct{}

func (c *instance) errorf(code source.Code, span source.Span, format string, args ...any) *source.Diagnostic {
	return c.diagnostics.Errorf(code, span, format, args...)
}

// stop ends the instance after a diagnostic.
func stop(*source.Diagnostic) { panic(bailout{}) }

// newInstance begins one.
func (k *compiler) newInstance(computation *syntax.Computation, name string) *instance {
	return &instance{
		compiler: k, syntax: computation, types: map[string]tensor.DType{}, structs: map[string]*recordType{}, sizes: map[string]*ein.Size{}, used: map[string]bool{},
		facts: affine.NewFacts(), fn: &ein.Func{Pos: computation.Pos, Name: name}, binder: &binder{},
	}
}

// instance compiles one; the result is nil when there are errors.
func (k *compiler) instance(computation *syntax.Computation, name string, choice []syntax.Name, functions []*argument) *compiled {
	c := k.newInstance(computation, name)
	return c.attempt(func() {
		c.giveFunctions(functions)
		c.chooseTypes(choice)
		c.declareSizes()
		if computation.Composition != nil {
			c.compose()
		} else {
			c.compute()
		}
		c.warnUnused()
	})
}

// attempt runs what makes the function of an instance; the result is nil when it
// reports errors.
func (c *instance) attempt(make func()) (result *compiled) {
	errors := count(c.diagnostics)
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bailout); !ok {
				panic(r)
			}
			result = nil
		}
	}()
	if make(); count(c.diagnostics) > errors {
		return nil
	}
	def := c.def()
	def.Warnings = c.warnings
	return &compiled{syntax: c.syntax, def: def, inputs: c.inputs, outputs: c.output, bottoms: c.bottoms}
}

// compute makes the function of out_view ∘ md_hom ∘ inp_view.
func (c *instance) compute() {
	errors := count(c.diagnostics)
	c.declareDimensions()
	c.views()
	if count(c.diagnostics) > errors {
		stop(nil)
	}
	c.outcome = c.scalarResults()
	c.settle()
	c.resolveOperators()
	c.checkMix()
	c.checkDown()
	c.guardBlocks()
	c.fn.FindOrigins()
	c.lower()
	c.advise()
}

// count returns the number of errors.
func count(d *source.Diagnostics) (n int) {
	for _, one := range d.List {
		if one.Severity == source.Error {
			n++
		}
	}
	return n
}

func (c *instance) def() *lang.Def {
	d := &lang.Def{Name: c.fn.Name, Pos: c.syntax.Pos, Func: c.fn, Tensors: append(c.fn.Inputs(), c.fn.Outputs()...)}
	if c.chain != nil {
		d.Tensors, d.Statements = append(d.Tensors, c.chain.named...), c.chain.statements
		return d
	}
	d.Statements = []*lang.Statement{c.statement()}
	return d
}

// statement describes the index space.
func (c *instance) statement() *lang.Statement {
	s := &lang.Statement{Pos: c.syntax.Hom.Pos}
	for _, m := range c.loops() {
		i := m.index
		s.Indices = append(s.Indices, lang.Index{Pos: i.Pos, Name: i.Name, Min: i.Min, Extent: i.Extent, Combine: i.Combine.Kind})
	}
	return s
}

// chooseTypes gives the type parameters their types.
func (c *instance) chooseTypes(choice []syntax.Name) {
	if len(choices(c.syntax)) >= maxInstances {
		stop(c.errorf(source.CodeMDHTooLarge, c.syntax.Name.Pos, "%s has %d or more choices of types", c.syntax.Name.Name, maxInstances).
			WithHelp("list fewer types"))
	}
	for n, p := range c.syntax.Types {
		if c.isParameter(p.Name.Name) {
			c.errorf(source.CodeMDHTwice, p.Name.Pos, "the type parameter %s is declared twice", p.Name.Name).WithHelp("give one of them another name")
		}
		if r := c.records[choice[n].Name]; r != nil {
			c.structs[p.Name.Name] = r
			continue
		}
		t, ok := scalarType(choice[n].Name)
		if !ok {
			stop(c.errorf(source.CodeMDHType, choice[n].Pos, "%s is no scalar type", choice[n].Name).WithHelp("%s", typeHelp(choice[n].Name)))
		}
		c.types[p.Name.Name] = t
	}
}

// isParameter reports whether a type parameter has a name.
func (c *instance) isParameter(name string) bool {
	return c.types[name] != tensor.Invalid || c.structs[name] != nil
}

func (c *instance) declareSizes() {
	for _, s := range c.syntax.Sizes {
		switch {
		case c.sizes[s.Name] != nil || c.isParameter(s.Name):
			c.errorf(source.CodeMDHTwice, s.Pos, "%s is a parameter of %s already", s.Name, c.syntax.Name.Name).WithHelp("give the size another name")
			continue
		case !affine.IsWord(s.Name) || predeclared(s.Name) != "":
			c.errorf(source.CodeMDHTwice, s.Pos, "%s means something else and cannot be a size", s.Name).WithHelp("give the size another name")
			continue
		}
		size := &ein.Size{Pos: s.Pos, Name: s.Name}
		c.sizes[s.Name] = size
		c.fn.Sizes = append(c.fn.Sizes, size)
		c.facts.AtLeast(s.Name, 1)
	}
}

// declareDimensions makes the indices of md_hom, which have the names of the first
// index function that names them all, those of the outputs coming first.
func (c *instance) declareDimensions() {
	h := c.syntax.Hom
	if len(h.Combine) != len(h.Sizes) {
		stop(c.errorf(source.CodeMDHCount, h.Pos, "md_hom has %s and %s", plural(len(h.Sizes), "size"), plural(len(h.Combine), "combine operator")).
			WithHelp("each size has one operator: ++ keeps the dimension, pw(+) sums over it, ps(+) keeps all prefix sums"))
	}
	names := c.indexNames(len(h.Sizes))
	for n, e := range h.Sizes {
		extent, set, ok := c.indexSet(e)
		if !ok {
			continue
		}
		i := &ein.Index{Pos: e.Span(), Name: names[n], Extent: extent}
		m := &dimension{syntax: h.Combine[n], index: i, values: set}
		switch m.syntax.Kind {
		case "pw":
			i.Combine.Kind = ein.Reduce
		case "ps":
			i.Combine.Kind = ein.Scan
		}
		c.dims = append(c.dims, m)
		c.requirePositive(extent, e.Span())
	}
	if len(c.dims) != len(h.Sizes) {
		stop(nil)
	}
	c.downOperators()
	c.images()
	c.writeOut()
	c.keys()
}

// requirePositive makes a condition of an extent that is no plain size: index sets
// are not empty.
func (c *instance) requirePositive(extent affine.Expr, span source.Span) {
	e := extent.AddConst(-1)
	switch c.facts.Sign(e) {
	case affine.Always:
	case affine.Never:
		stop(c.errorf(source.CodeMDHExtent, span, "the size %s of md_hom is never at least 1", extent).WithHelp("an index set has at least one element"))
	default:
		c.facts.Assume(e)
		c.require(e, span, fmt.Sprintf("md_hom ranges over %s", extent))
	}
}

// require adds a condition that every call tests.
func (c *instance) require(e affine.Expr, span source.Span, reason string) {
	c.fn.Requires = append(c.fn.Requires, &ein.Condition{Pos: span, Expr: e, Reason: reason})
}

func (c *instance) indexNames(d int) []string {
	var lists [][]syntax.Name
	for _, v := range []*syntax.View{c.syntax.Out, c.syntax.Inp} {
		for _, b := range v.Buffers {
			for _, a := range b.Accesses {
				lists = append(lists, a.Params)
			}
		}
	}
	if f := c.scalarFunction(); f != nil {
		lists = append(lists, f.Indices)
	}
	names, taken := make([]string, d), map[string]bool{}
	for n := range names {
		for _, list := range lists {
			if n < len(list) && usableIndex(list[n].Name) && !taken[list[n].Name] && c.sizes[list[n].Name] == nil {
				names[n] = list[n].Name
				break
			}
		}
		for k := n + 1; names[n] == ""; k++ {
			if name := fmt.Sprintf("i%d", k); !taken[name] && c.sizes[name] == nil {
				names[n] = name
			}
		}
		taken[names[n]] = true
	}
	return names
}

// usableIndex reports whether a name can stand in affine expressions; _ is for an
// index that an index function ignores.
func usableIndex(name string) bool { return name != "_" && affine.IsWord(name) }

// box is the index space of md_hom.
func (c *instance) box() []affine.Range {
	var list []affine.Range
	for _, m := range c.loops() {
		list = append(list, affine.Range{Symbol: m.index.Name, Extent: m.index.Extent})
	}
	for _, m := range c.dims {
		if m.blocks != nil { // its loops are others
			list = append(list, affine.Range{Symbol: m.index.Name, Extent: m.index.Extent})
		}
	}
	for _, l := range c.lookups {
		list = append(list, l.box())
	}
	return list
}

func (c *instance) warnUnused() {
	for _, s := range c.fn.Sizes {
		if !c.used[s.Name] {
			c.diagnostics.Warnf(source.CodeMDHUnused, s.Pos, "the size %s is not used", s.Name).WithHelp("remove it from the parameters of %s", c.syntax.Name.Name)
		}
	}
	if c.chain != nil {
		c.warnUnread()
		return
	}
	c.warnUnusedInputs()
}

func (c *instance) warnUnusedInputs() {
	read := map[*ein.Tensor]bool{}
	for _, k := range c.fn.Body {
		for _, a := range k.Accesses() {
			read[a.Tensor] = true
		}
	}
	for _, b := range c.inputs {
		any := false
		for _, t := range b.tensors {
			any = any || read[t]
		}
		if !any {
			c.diagnostics.Warnf(source.CodeMDHUnused, b.syntax.Name.Pos, "the scalar function does not use the buffer %s", b.syntax.Name.Name).
				WithHelp("remove it from inp_view, or use it")
		}
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func joinWords(words []string) string { return strings.Join(words, ", ") }
