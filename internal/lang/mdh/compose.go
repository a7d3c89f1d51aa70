package mdh

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How a composition is made
//
// A computation is a function from buffers to buffers, so computations compose. The
// steps of a composition are compiled as computations of their own, with all checks, and
// their functions copied one after the other into one function: the sizes of a step are
// replaced by the extents of the buffers to which it is applied, its inputs by these, its
// outputs by new buffers. What joins them are temporaries, and schedules see one program.
//
// The extents of a buffer are computed once, by the step that makes it (Definition 10), and
// those of an input are declared. At every use the extents that the step computes for its
// input (Definition 8) must be the same: where they differ for all sizes, both places are
// shown, and where that depends on the sizes, it is a condition of every call.

// chain is the state of a composition.
type chain struct {
	held       map[string]*held
	order      []*held // as they were declared
	tensors    map[string]source.Span
	named      []*ein.Tensor // the temporaries that the program names
	statements []*lang.Statement
	bottoms    []*ein.Comprehension // that write the cells without a value
	applied    int                  // counts the applications
}

// held is a buffer of a composition.
type held struct {
	name     string
	pos      source.Span
	made     string // says what gave it its extents
	element  elementType
	extents  []affine.Expr
	tensors  []*ein.Tensor
	isInput  bool
	isOutput bool
	isRead   bool
	// isUpdated is set when a step changes the buffer in place.
	isUpdated bool
}

// compose makes the function of a composition.
func (c *instance) compose() {
	k := c.syntax.Composition
	c.chain = &chain{held: map[string]*held{}, tensors: map[string]source.Span{}}
	for _, i := range k.Inputs {
		c.input(i)
	}
	var before []*held
	for n, s := range k.Steps {
		byPlace := n+1 < len(k.Steps) && k.Steps[n+1].InPlace == nil
		before = c.step(s, before, byPlace)
	}
	if k.IsChain {
		k = &syntax.Composition{Pos: k.Pos}
		for _, b := range before {
			k.Outputs = append(k.Outputs, syntax.Name{Pos: b.pos, Name: b.name})
		}
	}
	c.declareOutputs(k)
	c.dropBottoms()
	c.fn.FindOrigins()
	if len(c.fn.Body) > maxStatements {
		stop(c.errorf(source.CodeMDHTooLarge, c.syntax.Name.Pos, "%s makes %d statements, and may make %d", c.syntax.Name.Name, len(c.fn.Body), maxStatements).
			WithHelp("a step is replaced by the statements of its computation: apply some of them from the host"))
	}
}

// maxStatements bounds a function: in a chain of compositions that each apply the one
// before twice they are exponentially many.
const maxStatements = 1000

// input declares an input.
func (c *instance) input(i *syntax.Input) {
	element, ok := c.elementType(i.Type.Name)
	b := &held{name: i.Name.Name, pos: i.Pos, element: element, isInput: true, made: "it is declared"}
	for _, e := range i.Type.Extents {
		extent, known := c.static(e, nil)
		b.extents, ok = append(b.extents, extent), ok && known
	}
	if !ok {
		stop(nil)
	}
	c.hold(b, i.Name, ein.Input)
}

// hold declares a buffer and its tensors, which are as those of callee where there is one.
func (c *instance) hold(b *held, name syntax.Name, role ein.Role) {
	if first := c.chain.held[name.Name]; first != nil {
		stop(c.errorf(source.CodeMDHTwice, name.Pos, "the buffer %s is there already", name.Name).WithNote(first.pos, "the first %s", name.Name).
			WithHelp("a step makes new buffers: give this one another name"))
	}
	if s := c.sizes[name.Name]; s != nil {
		stop(c.errorf(source.CodeMDHTwice, name.Pos, "%s is a size", name.Name).WithNote(s.Pos, "the size").WithHelp("give the buffer another name"))
	}
	names := []string{name.Name}
	if b.element.record != nil {
		names = nil
		for _, f := range b.element.record.fields {
			names = append(names, name.Name+"_"+f)
		}
	}
	for n, t := range b.element.scalars() {
		if first, twice := c.chain.tensors[names[n]]; twice {
			stop(c.errorf(source.CodeMDHTwice, name.Pos, "%s is declared already", names[n]).WithNote(first, "the first %s", names[n]).
				WithHelp("give the buffer another name; a buffer of records becomes one tensor BUFFER_FIELD for each field"))
		}
		c.chain.tensors[names[n]] = name.Pos
		b.tensors = append(b.tensors, c.newTensor(name.Pos, names[n], &ein.Tensor{Type: t}, b.extents, role))
	}
	c.chain.held[name.Name] = b
	c.chain.order = append(c.chain.order, b)
}

func (c *instance) newTensor(pos source.Span, name string, like *ein.Tensor, extents []affine.Expr, role ein.Role) *ein.Tensor {
	t := &ein.Tensor{Pos: pos, Name: name, Type: like.Type, Role: role}
	for _, e := range extents {
		t.Dims = append(t.Dims, ein.Dim{Extent: e})
	}
	c.fn.Tensors = append(c.fn.Tensors, t)
	return t
}

// step compiles a step and copies it. In a chain its first inputs are what the step
// before it has made; its results have names unless the next one reads them by their places.
func (c *instance) step(s *syntax.Step, before []*held, byPlace bool) []*held {
	if s.InPlace != nil {
		return c.inPlace(s.InPlace)
	}
	c.chain.statements = append(c.chain.statements, &lang.Statement{Pos: s.Pos})
	if c.syntax.Composition.IsChain {
		return c.link(s.Apply, before, byPlace)
	}
	return c.application(s.Apply, s.Results)
}

// inPlace is a step out_view ∘ md_hom ∘ inp_view, which names its buffers.
func (c *instance) inPlace(k *syntax.Computation) []*held {
	named := *k
	named.Name, named.Types, named.Sizes = c.syntax.Name, c.syntax.Types, c.syntax.Sizes
	sub := c.newInstance(&named, c.fn.Name)
	sub.types, sub.structs, sub.used, sub.facts = c.types, c.structs, c.used, c.facts.Clone()
	one := sub.attempt(func() {
		sub.params = c.params
		sub.substituteFunctions()
		sub.declareSizes()
		sub.compute()
		sub.warnUnusedInputs()
	})
	if one == nil {
		stop(nil)
	}
	c.chain.statements = append(c.chain.statements, one.def.Statements...)
	use := c.newUse(one, k.Hom.Pos, "this step")
	for _, z := range one.def.Func.Sizes {
		use.env[z.Name] = affine.Symbol(z.Name)
	}
	for _, b := range one.inputs {
		if c.syntax.Composition.IsChain {
			c.chainInput(b, nil)
		}
		use.args = append(use.args, c.find(b.syntax.Name))
		use.places = append(use.places, b.syntax.Pos)
	}
	var results []syntax.Name
	for _, b := range one.outputs {
		results = append(results, b.syntax.Name)
	}
	return use.join(results)
}

// find looks up a buffer that a step reads.
func (c *instance) find(n syntax.Name) *held {
	if b := c.chain.held[n.Name]; b != nil {
		b.isRead = true
		return b
	}
	d := c.errorf(source.CodeMDHName, n.Pos, "there is no buffer %s here", n.Name)
	if near := source.Suggest(n.Name, slices.Collect(maps.Keys(c.chain.held))); near != "" {
		d.WithHelp("did you mean %s?", near)
	} else {
		d.WithHelp("a step reads the inputs of %s and what the steps before it have made; an input is declared in front: (%s: float32[…]) -> …", c.syntax.Name.Name, n.Name)
	}
	stop(d)
	return nil
}

// application copies the function of an application; without names its results get new ones.
func (c *instance) application(a *syntax.Apply, results []syntax.Name) []*held {
	args := make([]*held, len(a.Buffers))
	places := make([]source.Span, len(a.Buffers))
	for n, b := range a.Buffers {
		places[n] = b.Span()
		switch {
		case c.isNumber(b): // what it becomes hangs on the input
			continue
		case b.Apply == nil:
			args[n] = c.find(b.Name)
			continue
		}
		made := c.application(b.Apply, nil)
		if len(made) != 1 {
			stop(c.errorf(source.CodeMDHCount, b.Apply.Pos, "%s has %s, and stands for one buffer here", b.Apply.Name.Name, plural(len(made), "result")).
				WithHelp("name them in a step of its own: (x, y) := %s", shortText(b.Apply.Pos)))
		}
		args[n], made[0].isRead = made[0], true
	}
	callee := c.callee(a, args)
	use := c.newUse(callee, a.Pos, a.Name.Name)
	use.args, use.places = args, places
	use.count(results)
	use.stated(a)
	c.chain.applied++
	use.call.Prefix = fmt.Sprintf("%s$%d", a.Name.Name, c.chain.applied)
	use.numbers(a)
	return use.join(results)
}

// link copies the function of a term of a chain.
func (c *instance) link(a *syntax.Apply, before []*held, byPlace bool) []*held {
	args := slices.Clone(before)
	callee := c.callee(a, args)
	use := c.newUse(callee, a.Pos, a.Name.Name)
	use.args = args
	if len(before) > len(callee.inputs) {
		stop(c.errorf(source.CodeMDHCount, a.Pos, "%s reads %s, what stands behind it makes %d", a.Name.Name, plural(len(callee.inputs), "buffer"), len(before)).
			WithNote(callee.syntax.Name.Pos, "its inputs are %s", bufferNames(callee.inputs)).WithHelp("%s", compositionHelp))
	}
	use.stated(a)
	for _, b := range before {
		b.isRead = true
		use.places = append(use.places, a.Pos)
	}
	for n, in := range callee.inputs {
		if z := use.sizeOf(in); z != nil && n < len(before) {
			use.env[z.Name] = use.known(before[n], a.Pos, in)
		} else if z != nil {
			use.env[z.Name] = affine.Symbol(in.name()) // which is one of the chain
		}
	}
	use.bind()
	for _, in := range callee.inputs[len(before):] {
		b := c.chainInput(in, use.env)
		if b.isRead = true; use.sizeOf(in) != nil {
			use.known(b, a.Pos, in)
		}
		use.args, use.places = append(use.args, b), append(use.places, a.Pos)
	}
	var results []syntax.Name
	for _, b := range callee.outputs {
		if byPlace {
			break
		}
		results = append(results, syntax.Name{Pos: a.Name.Pos, Name: b.name()})
	}
	c.chain.applied++
	use.call.Prefix = fmt.Sprintf("%s$%d", a.Name.Name, c.chain.applied)
	return use.join(results)
}

const compositionHelp = "name the buffers: f<…> := (x: float32[N]) -> (y) where …"

// chainInput returns the buffer of a chain with the name of an input of a step. What no
// step before it has made is an input of the chain.
func (c *instance) chainInput(in *buffer, sizes map[string]affine.Expr) *held {
	if b := c.chain.held[in.name()]; b != nil {
		return b
	}
	b := &held{name: in.name(), pos: in.place(), element: in.element, isInput: true, made: "it is an input"}
	for _, e := range in.extents {
		b.extents = append(b.extents, e.Subst(sizes))
	}
	c.hold(b, syntax.Name{Pos: in.place(), Name: in.name()}, ein.Input)
	return b
}

// declareOutputs gives the outputs their role, in their order.
func (c *instance) declareOutputs(k *syntax.Composition) {
	var outputs []*ein.Tensor
	for _, n := range k.Outputs {
		b := c.outputNamed(n)
		if b == nil {
			continue
		}
		b.isOutput = true
		for _, t := range b.tensors {
			if t.Role = ein.Output; b.isInput {
				t.Role = ein.InOut
			}
			outputs = append(outputs, t)
		}
		c.output = append(c.output, b.buffer())
	}
	if len(k.Outputs) == 0 {
		c.errorf(source.CodeMDHCount, k.Pos, "the composition has no outputs").WithHelp("name what it computes: (…) -> (y) where …")
	}
	c.fn.Tensors = slices.Concat(c.fn.ByRole(ein.Input), outputs, c.fn.ByRole(ein.Temp))
	for _, b := range c.chain.order {
		switch {
		case b.isInput:
			c.inputs = append(c.inputs, b.buffer())
		case !b.isOutput:
			c.chain.named = append(c.chain.named, b.tensors...)
		}
		if b.isInput && b.isUpdated && !b.isOutput {
			c.errorf(source.CodeMDHTwice, b.pos, "the input %s is updated, and is no output", b.name).WithHelp("name it an output, (…) -> (%s), or give the result of the step another name", b.name)
		}
	}
}

// outputNamed finds the buffer that an output is; nil with an error.
func (c *instance) outputNamed(n syntax.Name) *held {
	b := c.chain.held[n.Name]
	switch {
	case b == nil:
		d := c.errorf(source.CodeMDHName, n.Pos, "no step makes the output %s", n.Name)
		if near := source.Suggest(n.Name, slices.Collect(maps.Keys(c.chain.held))); near != "" {
			d.WithHelp("did you mean %s?", near)
		} else {
			d.WithHelp("write a step for it: %s := …", n.Name)
		}
	case b.isInput && !b.isUpdated:
		c.errorf(source.CodeMDHTwice, n.Pos, "%s is an input and an output", n.Name).WithNote(b.pos, "the input").WithHelp("give the result another name; the caller may pass one array for both")
	case b.isOutput:
		c.errorf(source.CodeMDHTwice, n.Pos, "the output %s is named twice", n.Name).WithHelp("name each output once")
	default:
		return b
	}
	return nil
}

// buffer is what a composition that applies this one sees.
func (b *held) buffer() *buffer {
	return &buffer{label: b.name, pos: b.pos, element: b.element, extents: b.extents, tensors: b.tensors}
}

// warnUnread warns of buffers that nothing reads.
func (c *instance) warnUnread() {
	for _, b := range c.chain.order {
		switch {
		case b.isRead || b.isOutput:
		case b.isInput:
			c.diagnostics.Warnf(source.CodeMDHUnused, b.pos, "no step reads the input %s", b.name).WithHelp("remove it, or use it")
		default:
			c.diagnostics.Warnf(source.CodeMDHUnused, b.pos, "nothing reads %s, and it is no output", b.name).WithHelp("remove the step, or name the output: -> (%s)", b.name)
		}
	}
}
