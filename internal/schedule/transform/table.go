package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// A Transformation is a function from nests to a nest.
type Transformation struct {
	Name       string
	Nests      int // how many it is applied to
	Parameters []Parameter
	Equation   string // of the TeML paper, such as "(20)"; empty for what the paper has not
	Summary    string
	// Composed says that it is defined by others, in std.teml of package teml, which applies it.
	Composed bool
	apply    func(c *call) error // of a composed one only what it asks for
}

// A Parameter is an argument behind the nests.
type Parameter struct {
	Name     string
	Kind     Kind
	Optional bool // only the last ones
	Many     bool // the last one may come any number of times
}

// Kind says what an argument may be.
type Kind uint8

// The kinds.
const (
	Level  Kind = iota // of a loop, from 1
	Inside             // of a loop, or 0 for around all loops
	Number             // any other integer
	Name               // of a tensor, a region, a layer
)

var kindNames = [...]string{"a level", "a level or 0", "a number", "a name"}

// An Argument is an integer or a name.
type Argument struct {
	Int  int64
	Name string
}

// Int returns an integer argument.
func Int(n int64) Argument { return Argument{Int: n} }

// Ints returns integer arguments.
func Ints(list ...int64) []Argument {
	args := make([]Argument, len(list))
	for k, n := range list {
		args[k] = Int(n)
	}
	return args
}

// String returns the argument as it is written.
func (a Argument) String() string {
	if a.Name != "" {
		return a.Name
	}
	return fmt.Sprint(a.Int)
}

// Table lists the transformations: those of the paper in its order, then others.
func Table() []*Transformation {
	level := Parameter{Name: "r", Kind: Level}
	size, factor := Parameter{Name: "v", Kind: Number}, Parameter{Name: "f", Kind: Number}
	depth := Parameter{Name: "n", Kind: Number}
	place, tensor := Parameter{Name: "r", Kind: Inside}, Parameter{Name: "t", Kind: Name}
	return []*Transformation{
		{"stripmine", 1, []Parameter{level, size}, "(20)", "cut level r into a loop over blocks of v and a loop inside of them", false, stripmine},
		{"interchange", 1, []Parameter{{Name: "r1", Kind: Level}, {Name: "r2", Kind: Level}}, "(21)", "exchange the loops at levels r1 and r2", false, interchange},
		{"fuse_outer", 2, []Parameter{level}, "(22)", "share the outer r loops of two nests, the bodies one after the other", false, fuseOuter},
		{"fuse_inner", 1, []Parameter{level}, "(23)", "make one loop of the loops that stand side by side at level r", false, fuseInner},
		{"unroll", 1, []Parameter{level}, "(24)", "write out the iterations of level r", false, unroll},
		{"parallelize", 1, []Parameter{level}, "", "spread the iterations of level r over threads", false, parallelize},
		{"groups", 1, []Parameter{level}, "", "make the iterations of level r groups of a grid, on a device", false, groups},
		{"items", 1, []Parameter{level, {Name: "n", Kind: Number}}, "", "spread the iterations of level r over n items of each group", false, items},
		{"vectorize", 1, []Parameter{level, {Name: "lanes", Kind: Number, Optional: true}}, "", "compute the iterations of level r by vectors", false, vectorize},
		{"stripmine_n", 1, []Parameter{depth, size}, "(27)", "cut each of the first n levels into blocks of v", true, stripmineN},
		{"interchange_n", 1, []Parameter{level, depth}, "(28)", "move level r inwards by n levels", true, interchangeN},
		{"tile", 1, []Parameter{size, {Name: "v", Kind: Number, Optional: true, Many: true}}, "(29)", "cut all levels into blocks of v, with the loops over blocks outside; of several sizes each cuts one of the first levels", true, tile},
		{"permute", 1, []Parameter{level, {Name: "r", Kind: Level, Optional: true, Many: true}}, "", "bring the levels into this order, outermost first; those that are not named stay further in", true, permute},
		{"unroll_partial", 1, []Parameter{level, factor}, "", "write out blocks of f iterations of level r", true, blocks},
		{"unroll_jam", 1, []Parameter{level, factor}, "", "write out blocks of f iterations of level r inside of the innermost loop", true, blocks},
		{"promote", 1, []Parameter{place, tensor, {Name: "region", Kind: Name, Optional: true}}, "", "keep the block of t that is used inside of level r in a memory region: private, register or workspace", false, promote},
		{"pack", 1, []Parameter{place, tensor, {Name: "dimension", Kind: Number, Optional: true, Many: true}}, "", "copy the blocks of t that are used inside of level r, those of an input beforehand, with its dimensions in another order", false, pack},
		{"pad", 1, []Parameter{level}, "", "make the last block of level r as large as the others", false, pad},
		{"stream", 1, []Parameter{level}, "", "let what the vectors of level r write go past the caches", false, stream},
		{"ahead", 1, []Parameter{level, {Name: "n", Kind: Number}}, "", "let the vectors of level r ask for the memory that they reach n bytes later", false, ahead},
		{"prefetch", 1, []Parameter{{Name: "r1", Kind: Level}, {Name: "r2", Kind: Level}}, "", "let the vectors of level r2 ask for what they read and write in the next iteration of level r1", false, prefetch},
		{"skew", 1, []Parameter{{Name: "r1", Kind: Level}, {Name: "r2", Kind: Level}, factor}, "", "run level r2 over the sum of its iterator and f times that of level r1; interchanged, the two are a wavefront", false, skew},
		{"reverse", 1, []Parameter{level}, "", "run level r from its last iteration to the first", false, reverse},
		{"shift", 1, []Parameter{level, {Name: "n", Kind: Number}}, "", "add n to the iterator of level r, which says what it meets where the loop is fused", false, shift},
		{"fuse_union", 2, []Parameter{level}, "", "share the outer r loops of two nests whose ranges differ, each body running in its own range", false, fuseUnion},
		{"bind", 1, []Parameter{level, {Name: "layer", Kind: Name}}, "", "run level r on a core layer of the machine's model, which has COR (threads) and SIMD (lanes)", false, bind},
	}
}

// Lookup returns the transformation of that name.
func Lookup(name string) (*Transformation, bool) {
	for _, t := range Table() {
		if t.Name == name {
			return t, true
		}
	}
	return nil, false
}

// Names lists the transformations.
func Names() []string {
	var names []string
	for _, t := range Table() {
		names = append(names, t.Name)
	}
	return names
}

// Signature returns how the transformation is written, such as "stripmine(l, r, v)".
func (t *Transformation) Signature() string {
	words := []string{"l"}
	if t.Nests == 2 {
		words = []string{"l1", "l2"}
	}
	for _, p := range t.Parameters {
		name := p.Name
		if p.Optional {
			if name = "[" + name + "]"; p.Many {
				name += "…"
			}
		}
		words = append(words, name)
	}
	return fmt.Sprintf("%s(%s)", t.Name, strings.Join(words, ", "))
}

// String returns the step as TeML writes it, with l for its nests.
func (s *Step) String() string {
	nests := "l"
	if s.Transformation.Nests == 2 {
		nests = "l1, l2"
	}
	return s.Transformation.Name + "(" + nests + s.argumentsText()
}

// A call is the application of a transformation: copies of the nests, which it
// changes, and the arguments. The result is in list.
type call struct {
	f     *ein.Func
	list  []*node
	other []*node // of the second nest
	args  []Argument
	step  *Step
}

// Apply returns the transformed nest. An error is a diagnostic at the call that says
// which pattern failed.
func (t *Transformation) Apply(nests []*Nest, args []Argument, by Call) (*Nest, error) {
	if t.Composed {
		return nil, source.Internalf(stage, by.Pos, "%s is composed of others", t.Name)
	}
	c, err := t.attempt(nests, args, by)
	if err != nil {
		return nil, err
	}
	c.list = withoutAccumulators(c.list)
	distinct(c.list, nil)
	return &Nest{f: c.f, body: c.list, step: c.step, from: slices.Clone(nests)}, nil
}

// Step returns the nest that a composed transformation made of others as the result of one step.
func (t *Transformation) Step(made *Nest, nests []*Nest, args []Argument, by Call) *Nest {
	n := *made
	n.step, n.from, n.inside = &Step{t, slices.Clone(args), by}, slices.Clone(nests), made
	return &n
}

// Check reports what is wrong with the nests and arguments of a composed transformation.
func (t *Transformation) Check(nests []*Nest, args []Argument, by Call) error {
	_, err := t.attempt(nests, args, by)
	return err
}

// attempt applies the transformation to copies of the nests.
func (t *Transformation) attempt(nests []*Nest, args []Argument, by Call) (*call, error) {
	step := &Step{t, slices.Clone(args), by}
	c, err := t.call(nests, step)
	if err == nil {
		err = t.apply(c)
	}
	if err != nil {
		equation := ""
		if t.Equation != "" {
			equation = ", equation " + t.Equation
		}
		d := &source.Diagnostic{Code: source.TransformMisfit, Span: by.Pos, Message: fmt.Sprintf("%s%s: %v", step.Written(), equation, err)}
		return nil, source.ErrorList{d.WithHelp("%s: %s", t.Signature(), t.Summary)}
	}
	return c, nil
}

// call checks the arguments.
func (t *Transformation) call(nests []*Nest, step *Step) (*call, error) {
	args, required := step.Arguments, 0
	for _, p := range t.Parameters {
		if !p.Optional {
			required++
		}
	}
	switch {
	case len(nests) != t.Nests:
		return nil, fmt.Errorf("found %s, expected %d", count(len(nests), "loop nest"), t.Nests)
	case len(args) < required || len(args) > len(t.Parameters) && !t.Parameters[len(t.Parameters)-1].Many:
		return nil, fmt.Errorf("found %s behind the nests, expected %s", count(len(args), "argument"), t.Signature())
	}
	for k, a := range args {
		p := t.Parameters[min(k, len(t.Parameters)-1)]
		switch isName := a.Name != ""; {
		case isName != (p.Kind == Name):
			return nil, fmt.Errorf("found %s for %s, expected %s", a, p.Name, kindNames[p.Kind])
		case p.Kind == Level && a.Int < 1:
			return nil, fmt.Errorf("levels are counted from 1, and %s is %d", p.Name, a.Int)
		case p.Kind == Inside && a.Int < 0:
			return nil, fmt.Errorf("levels are counted from 1, 0 is outside of all, and %s is %d", p.Name, a.Int)
		}
	}
	c := &call{f: nests[0].f, list: clone(nests[0].body), args: args, step: step}
	if t.Nests == 2 {
		if nests[1].f != c.f {
			return nil, fmt.Errorf("the nests belong to different functions")
		}
		c.other = clone(nests[1].body)
	}
	return c, nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// level returns the loop at level r of a list.
func levelOf(list []*node, r int64) (*node, error) {
	levels := chain(list)
	if r <= int64(len(levels)) {
		return levels[r-1], nil
	}
	body := list
	if len(levels) > 0 {
		body = levels[len(levels)-1].body
	}
	return nil, fmt.Errorf("there is no level %d: the nest is a chain of %s, %s", r, count(len(levels), "loop"), belowText(body))
}

// belowText says what ends a chain.
func belowText(body []*node) string {
	for len(body) == 1 && body[0].between != nil {
		body = body[0].body
	}
	switch {
	case len(body) == 1 && body[0].withoutSingle().loop != nil:
		return fmt.Sprintf("below which the loop %s is written out (fuse_inner makes levels of the loops in its copies)", body[0].loop.name)
	case len(body) == 1:
		return "with one statement inside"
	}
	return fmt.Sprintf("below which %d loops or statements stand side by side", len(body))
}

// level returns the loop at the level that argument k says.
func (c *call) level(k int) (*node, error) { return levelOf(c.list, c.args[k].Int) }
