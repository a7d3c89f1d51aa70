package teiltest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
)

// Options say what random programs are made of.
type Options struct {
	// Without lists operations that are not drawn. Functions of floats never are.
	Without    []string
	Element    string // of all tensors, called as its conversion; "int64" if empty
	Statements int    // at most; 4 if 0
	Depth      int    // of expressions, at most; 5 if 0
}

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x7e11)) }

// Program draws a well-typed program. Equal seeds give equal programs.
func Program(seed uint64, options Options) *syntax.Program {
	if options.Element == "" {
		options.Element = "int64"
	}
	if options.Statements == 0 {
		options.Statements = 4
	}
	if options.Depth == 0 {
		options.Depth = 5
	}
	g := &generator{Rand: newRandom(seed), options: options, program: &syntax.Program{}, context: Context{}}
	marks := []syntax.Mark{syntax.In, syntax.In, syntax.Out, syntax.InOut, syntax.Unmarked}
	for n, mark := range append([]syntax.Mark{syntax.In, syntax.Out}, marks[:1+g.IntN(len(marks))]...) {
		g.allocate(fmt.Sprintf("x%d", n), mark)
	}
	for n := range g.IntN(3) {
		g.fold(n)
	}
	for range 1 + g.IntN(options.Statements) {
		g.statement(g.program.Allocs[g.IntN(len(g.program.Allocs))])
	}
	for _, a := range g.program.Allocs { // every output is assigned
		if !slices.ContainsFunc(g.program.Statements, func(s *syntax.Statement) bool { return s.Targets[0].Name == a.Name.Name }) {
			g.statement(a)
		}
	}
	return g.program
}

type generator struct {
	*rand.Rand
	options Options
	program *syntax.Program
	context Context
}

const (
	maxRank     = 4
	maxElements = 120
)

func (g *generator) allocate(name string, mark syntax.Mark) {
	a := &syntax.Alloc{Name: syntax.Name{Name: name}, Type: &syntax.Name{Name: g.options.Element}, Mark: mark}
	shape := []int{}
	for range g.IntN(4) {
		n := 1 + g.IntN(4)
		shape = append(shape, n)
		a.Dims = append(a.Dims, syntax.Literal(n))
	}
	g.program.Allocs = append(g.program.Allocs, a)
	g.context[name] = shape
}

// statement assigns to a tensor, unless it is an input.
func (g *generator) statement(a *syntax.Alloc) {
	if a.Mark == syntax.In {
		return
	}
	shape, depth := g.context[a.Name.Name], g.IntN(g.options.Depth+1)
	var value syntax.Expr
	if len(shape) > 0 && g.IntN(6) == 0 && !slices.Contains(g.options.Without, "replace") {
		value = g.update(&syntax.Var{Name: a.Name.Name}, shape, depth)
	} else {
		value = g.expr(shape, depth)
	}
	g.program.Statements = append(g.program.Statements, &syntax.Statement{Targets: []syntax.Name{a.Name}, Value: value})
}

// expr draws an expression of a shape.
func (g *generator) expr(s []int, depth int) syntax.Expr {
	if depth <= 0 {
		return g.leaf(s)
	}
	for range 20 {
		if e := g.operation(s, depth-1); e != nil {
			return e
		}
	}
	return g.leaf(s)
}

// leaf draws a name of the shape, or makes one fit by slices and repetitions.
func (g *generator) leaf(s []int) syntax.Expr {
	if len(s) == 0 && g.IntN(3) == 0 {
		return &syntax.Number{Text: fmt.Sprint(g.IntN(7) - 3)}
	}
	var fitting []string
	for _, a := range g.program.Allocs {
		if slices.Equal(g.context[a.Name.Name], s) {
			fitting = append(fitting, a.Name.Name)
		}
	}
	if len(fitting) > 0 {
		return &syntax.Var{Name: fitting[g.IntN(len(fitting))]}
	}
	a := g.program.Allocs[g.IntN(len(g.program.Allocs))]
	var e syntax.Expr = &syntax.Var{Name: a.Name.Name}
	have := g.context[a.Name.Name]
	for i := len(have); i >= 1; i-- {
		if i > len(s) || have[i-1] != s[i-1] {
			e = syntax.Operate("proj", []int{i, 1 + g.IntN(have[i-1])}, e)
			have = without(have, i)
		}
	}
	for i := range s {
		if i >= len(have) || have[i] != s[i] {
			e = syntax.Operate("expa", []int{i + 1, s[i]}, e)
			have = with(have, i+1, s[i])
		}
	}
	return e
}

// fits reports whether a shape is small enough for an operand.
func fits(s []int) bool {
	elements := 1
	for _, n := range s {
		elements *= n
	}
	return len(s) <= maxRank && elements <= maxElements
}

var drawn = []string{
	"add", "add", "sub", "div", "mod", "min", "max", "mul", "mul", "neg", "abs", "prod", "prod", "red+", "red+", "red*", "redmin", "redmax", "contr", "contr", "contr",
	"gather", "gather", "fold", "fold", "transp", "transp", "diag", "expa", "proj", "shift", "window", "stride", "flip", "pad", "clamp", "mirror", "wrap", "repeat", "step", "replace", "iota", "size", "select", "bool", "convert",
	"bitand", "bitor", "bitxor", "shl", "shr", "bitnot", "popcount", "clz",
}

// narrow are types that keep less of an int64.
var narrow = []string{"bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64"}

// operation draws an operation whose result has the shape; nil where it cannot.
func (g *generator) operation(s []int, depth int) syntax.Expr {
	name := drawn[g.IntN(len(drawn))]
	if slices.Contains(g.options.Without, name) {
		return nil
	}
	rank := len(s)
	unary := func(operand []int, args ...int) syntax.Expr {
		if !fits(operand) {
			return nil
		}
		return syntax.Operate(name, args, g.expr(operand, depth))
	}
	dimension := 0
	if rank > 0 {
		dimension = 1 + g.IntN(rank)
	}
	place, n := 1+g.IntN(rank+1), 1+g.IntN(4)
	switch name {
	case "neg", "abs":
		return unary(s)
	case "mul":
		if g.IntN(2) == 0 {
			return syntax.Operate(name, nil, g.expr([]int{}, depth), g.expr(s, depth))
		}
	case "prod":
		at := g.IntN(rank + 1)
		return syntax.Operate(name, nil, g.expr(s[:at:at], depth), g.expr(s[at:], depth))
	case "gather":
		return g.gather(s, depth, n)
	case "fold":
		return g.folded(s, depth, place, n)
	case "red+", "red*", "redmin", "redmax":
		if operand := with(s, place, n); name == "red+" && fits(operand) && g.IntN(4) == 0 {
			return syntax.Operate(name, []int{place}, g.summed(s, operand, place, depth))
		}
		return unary(with(s, place, n), place)
	case "contr":
		second := place + 1 + g.IntN(rank+2-place)
		return unary(with(with(s, place, n), second, n), place, second)
	case "proj":
		return unary(with(s, place, n), place, 1+g.IntN(n))
	case "select":
		return syntax.Operate(name, nil, g.condition(s, depth), g.expr(s, depth), g.expr(s, depth))
	case "bool":
		return g.converted(g.condition(s, depth))
	case "convert":
		return g.narrowed(s, depth)
	case "size":
		if rank > 0 {
			return nil
		}
		return g.converted(syntax.Operate(name, []int{n}))
	case "div":
		if strings.HasPrefix(g.options.Element, "float") {
			return syntax.Operate(name, nil, g.expr(s, depth), g.positive(s, depth))
		}
	case "bitand", "bitor", "bitxor", "shl", "shr", "bitnot", "popcount", "clz":
		switch op, _ := syntax.Lookup(name); {
		case g.options.Element != "int64":
			return nil
		case op.Operands == 1:
			return unary(s)
		}
	case "replace":
		if rank == 0 {
			return nil
		}
		return g.replacement(s, dimension, depth)
	case "add", "sub", "mod", "min", "max":
	default:
		if rank == 0 {
			return nil
		}
		return g.reindex(name, s, dimension, n, unary)
	}
	return syntax.Operate(name, nil, g.expr(s, depth), g.expr(s, depth))
}

// narrowed draws an expression whose values went through a narrow type; nil where the type of
// the program has other values than int64.
func (g *generator) narrowed(s []int, depth int) syntax.Expr {
	if g.options.Element != "int64" {
		return nil
	}
	return g.converted(syntax.Operate(narrow[g.IntN(len(narrow))], nil, g.typed(s, depth)))
}

// positive draws an expression that is at least a half: a square and a number.
func (g *generator) positive(s []int, depth int) syntax.Expr {
	var least syntax.Expr = &syntax.Number{Text: []string{"0.5", "1", "3.25"}[g.IntN(3)]}
	for i, n := range s {
		least = syntax.Operate("expa", []int{i + 1, n}, least)
	}
	e := g.expr(s, depth-1)
	return syntax.Operate("add", nil, syntax.Operate("mul", nil, e, e), least)
}

// condition draws an expression of truth values.
func (g *generator) condition(s []int, depth int) syntax.Expr {
	comparisons := []string{"lt", "le", "gt", "ge", "eq", "ne"}
	switch n := g.IntN(10); {
	case n < 6 || depth <= 0:
		return syntax.Operate(comparisons[g.IntN(len(comparisons))], nil, g.typed(s, depth-1), g.expr(s, depth-1))
	case n < 8:
		return syntax.Operate("not", nil, g.condition(s, depth-1))
	}
	return syntax.Operate([]string{"and", "or"}[g.IntN(2)], nil, g.condition(s, depth-1), g.condition(s, depth-1))
}

// typed draws an expression that is not made of numbers alone.
func (g *generator) typed(s []int, depth int) syntax.Expr {
	e := g.expr(s, depth)
	if elementOf(e, g.options.Element) == untyped {
		return g.converted(e)
	}
	return e
}

// converted converts to the type of the program.
func (g *generator) converted(e syntax.Expr) syntax.Expr {
	return syntax.Operate(g.options.Element, nil, e)
}

// reindex draws an operation on a dimension that the result has.
func (g *generator) reindex(name string, s []int, i, n int, unary func(operand []int, args ...int) syntax.Expr) syntax.Expr {
	rank, size := len(s), s[i-1]
	switch name {
	case "transp":
		if i == rank {
			return nil
		}
		j := i + 1 + g.IntN(rank-i)
		return g.turned(unary(swapped(s, i, j), i, j), 2, i, j)
	case "diag":
		j := i + 1 + g.IntN(rank+1-i)
		return g.turned(unary(with(s, j, size), i, j), 1, i, j)
	case "expa":
		return unary(without(s, i), i, size)
	case "shift":
		o := g.IntN(3)
		return unary(replaced(s, i, o+size+g.IntN(2)), i, o, size)
	case "window":
		if i == rank {
			return nil
		}
		return unary(replaced(without(s, i+1), i, size+s[i]-1), i, s[i])
	case "flip":
		return unary(s, i)
	case "step":
		d := g.IntN(4)
		return unary(replaced(s, i, (size-1)*d+1+g.IntN(2)), i, d, size)
	case "repeat":
		divisors := slices.DeleteFunc([]int{1, 2, 3, 4}, func(d int) bool { return size%d != 0 })
		d := divisors[g.IntN(len(divisors))]
		return unary(replaced(s, i, size/d), i, d)
	case "pad", "clamp", "mirror", "wrap":
		l := g.IntN(size)
		h := g.IntN(size - l)
		return unary(replaced(s, i, size-l-h), i, l, h)
	case "iota":
		if rank > 1 {
			return nil
		}
		return g.converted(syntax.Operate(name, []int{size}))
	}
	return unary(replaced(s, i, (size-1)*n+1+g.IntN(n)), i, n) // stride
}

// part draws a part of a dimension: how many places, the first one and the step.
func (g *generator) part(size int) (n, first, step int) {
	n, step = 1+g.IntN(size), 1
	if n > 1 {
		step += g.IntN((size - 1) / (n - 1))
	}
	return n, g.IntN(size - (n-1)*step), step
}

// update draws a replacement of a part of a tensor, or of what it is in several dimensions.
func (g *generator) update(whole syntax.Expr, s []int, depth int) syntax.Expr {
	i := 1 + g.IntN(len(s))
	n, first, step := g.part(s[i-1])
	s = replaced(s, i, n)
	var part syntax.Expr = syntax.Operate("stride", []int{i, step}, syntax.Operate("shift", []int{i, first, (n-1)*step + 1}, whole))
	if g.IntN(2) == 0 {
		part = g.update(part, s, depth)
	} else {
		part = g.expr(s, depth)
	}
	return syntax.Operate("replace", []int{i, first, step}, whole, part)
}

// turned sometimes transposes the operand of an operation so often, which then changes nothing by an equation.
func (g *generator) turned(e syntax.Expr, times, i, j int) syntax.Expr {
	o, ok := e.(*syntax.Operation)
	if !ok || g.IntN(6) > 0 {
		return e
	}
	operand := o.Operands[0]
	for range times {
		operand = syntax.Operate("transp", []int{i, j}, operand)
	}
	return o.WithOperands(operand)
}

// summed draws what a sum along a place is computed of with fewer operations: a multiple, or a sum of which
// one part is the same at all of them.
func (g *generator) summed(s, operand []int, place, depth int) syntax.Expr {
	if g.IntN(2) == 0 {
		return syntax.Operate("mul", nil, g.expr([]int{}, depth), g.expr(operand, depth))
	}
	same := syntax.Operate("expa", []int{place, operand[place-1]}, g.expr(s, depth))
	return syntax.Operate("add", nil, same, g.expr(operand, depth))
}

// replacement draws a replacement of a part.
func (g *generator) replacement(s []int, i, depth int) syntax.Expr {
	n, first, step := g.part(s[i-1])
	whole := g.leaf(s)
	if g.IntN(2) == 0 {
		whole = g.expr(s, depth)
	}
	return syntax.Operate("replace", []int{i, first, step}, whole, g.expr(replaced(s, i, n), depth))
}

// Spoil changes one thing of a well-typed program; in most cases that makes it
// ill-typed. The program is not changed.
func Spoil(seed uint64, p *syntax.Program) *syntax.Program {
	random := newRandom(seed)
	c := *p
	if random.IntN(8) == 0 {
		c.Allocs = slices.Clone(p.Allocs)
		spoilAllocations(random, &c)
		return &c
	}
	c.Statements = slices.Clone(p.Statements)
	n := random.IntN(len(c.Statements))
	s := *c.Statements[n]
	if random.IntN(8) == 0 { // besides the statement, as every output is assigned
		s.Targets = []syntax.Name{spoiledName(random, p, syntax.Out, syntax.InOut, syntax.Unmarked)}
		c.Statements = append(c.Statements, &s)
		return &c
	}
	c.Statements[n] = &s
	count := 0
	syntax.Walk(s.Value, func(syntax.Expr) { count++ })
	for element := p.Allocs[0].Type.Name; ; {
		chosen, at := random.IntN(count), 0
		value := syntax.Map(s.Value, func(e syntax.Expr) syntax.Expr {
			if at++; at-1 == chosen {
				return spoiled(random, p, e)
			}
			return e
		})
		if t := elementOf(value, element); t == element || t == untyped {
			s.Value = value
			return &c
		}
	}
}

// untyped is the type of what is made of numbers alone.
const untyped = "number"

// elementOf returns the type of an expression over tensors of one type. It is empty where
// operands have types that do not fit, where arithmetic would be that of another type, and
// where a number would be read as one.
func elementOf(e syntax.Expr, tensors string) string {
	var o *syntax.Operation
	switch e := e.(type) {
	case *syntax.Var:
		return tensors
	case *syntax.Number:
		return untyped
	case *syntax.Operation:
		o = e
	}
	if o.Op.Class == syntax.Generator {
		return "int64"
	}
	var types []string
	for _, c := range o.Operands {
		types = append(types, elementOf(c, tensors))
	}
	if o.Op.HasOwnFirst() {
		if o.Op.Name == "select" && types[0] != "bool" || o.Op.Name == "gather" && types[0] != "int64" {
			return ""
		}
		types = types[1:]
	}
	common := types[0]
	for _, t := range types[1:] {
		switch {
		case common == untyped:
			common = t
		case t != common && t != untyped:
			return ""
		}
	}
	number := common == tensors || common == untyped
	switch rule := o.Op.Rule; {
	case rule == "T-Cast" && common != "" && (common != untyped || o.Op.Name == tensors):
		return o.Op.Name
	case rule == "T-Compare" && common == tensors:
		return "bool"
	case (rule == "T-And" || rule == "T-Or" || rule == "T-Not") && common == "bool",
		rule != "T-Cast" && rule != "T-Compare" && (number || o.Op.Class == syntax.Folding || o.Op.Class == syntax.Reindex || o.Op.Class == syntax.Gathering):
		return common
	}
	return ""
}

// spoilAllocations allocates a name twice, or with another size, which may be zero.
func spoilAllocations(random *rand.Rand, p *syntax.Program) {
	n := random.IntN(len(p.Allocs))
	a := *p.Allocs[n]
	if random.IntN(3) == 0 || len(a.Dims) == 0 {
		p.Allocs = append(p.Allocs, &a)
		return
	}
	a.Dims = slices.Clone(a.Dims)
	a.Dims[random.IntN(len(a.Dims))] = syntax.Literal(random.IntN(5))
	p.Allocs[n] = &a
}

// spoiledName is the name of an allocation with one of the marks, or of none.
func spoiledName(random *rand.Rand, p *syntax.Program, marks ...syntax.Mark) syntax.Name {
	list := []syntax.Name{{Name: "nothing"}}
	for _, a := range p.Allocs {
		if slices.Contains(marks, a.Mark) {
			list = append(list, a.Name)
		}
	}
	return list[random.IntN(len(list))]
}

func spoiled(random *rand.Rand, p *syntax.Program, e syntax.Expr) syntax.Expr {
	o, ok := e.(*syntax.Operation)
	if !ok || random.IntN(4) == 0 {
		return &syntax.Var{Name: spoiledName(random, p, syntax.In, syntax.Out, syntax.InOut, syntax.Unmarked).Name}
	}
	switch {
	case len(o.Args) > 0 && random.IntN(4) > 0:
		c := *o
		c.Args = slices.Clone(o.Args)
		k := random.IntN(len(c.Args))
		c.Args[k] = syntax.Literal(max(0, argument(o, k)-2+random.IntN(5)))
		return &c
	case len(o.Operands) > 1:
		c := slices.Clone(o.Operands)
		last := len(c) - 1
		c[last-1], c[last] = c[last], c[last-1]
		return o.WithOperands(c...)
	case len(o.Operands) == 0:
		return &syntax.Number{Text: "0"}
	}
	return o.Operands[0]
}

// Contraction draws a program with one statement: sums, contractions, diagonals and
// slices, in any order, of an outer product of a few tensors.
func Contraction(seed uint64) *syntax.Program {
	g := &generator{Rand: newRandom(seed), options: Options{Element: "int64"}, program: &syntax.Program{}, context: Context{}}
	n := 1 + g.IntN(3) // one size for most dimensions, so that many pairs can be contracted
	var e syntax.Expr
	shape := []int{}
	for k := range 2 + g.IntN(3) {
		a := &syntax.Alloc{Name: syntax.Name{Name: fmt.Sprintf("x%d", k)}, Type: &syntax.Name{Name: "int64"}, Mark: syntax.In}
		dims := []int{}
		for range 1 + g.IntN(2) {
			size := n
			if g.IntN(5) == 0 {
				size = 1 + g.IntN(3)
			}
			dims = append(dims, size)
			a.Dims = append(a.Dims, syntax.Literal(size))
		}
		g.program.Allocs = append(g.program.Allocs, a)
		x := &syntax.Var{Name: a.Name.Name}
		switch {
		case e == nil:
			e, shape = x, dims
		case g.IntN(2) == 0:
			e, shape = syntax.Operate("prod", nil, e, x), slices.Concat(shape, dims)
		default:
			e, shape = syntax.Operate("prod", nil, x, e), slices.Concat(dims, shape)
		}
	}
	for len(shape) > 3 || len(shape) > 1 && g.IntN(2) == 0 {
		e, shape = g.remove(e, shape)
	}
	out := &syntax.Alloc{Name: syntax.Name{Name: "y"}, Type: &syntax.Name{Name: "int64"}, Mark: syntax.Out}
	for _, size := range shape {
		out.Dims = append(out.Dims, syntax.Literal(size))
	}
	g.program.Allocs = append(g.program.Allocs, out)
	g.program.Statements = []*syntax.Statement{{Targets: []syntax.Name{out.Name}, Value: e}}
	return g.program
}

// remove applies an operation that removes dimensions.
func (g *generator) remove(e syntax.Expr, shape []int) (syntax.Expr, []int) {
	i := 1 + g.IntN(len(shape))
	j := 1 + g.IntN(len(shape))
	if i < j && shape[i-1] == shape[j-1] {
		switch g.IntN(4) {
		case 0:
			return syntax.Operate("diag", []int{i, j}, e), without(shape, j)
		case 1:
			return syntax.Operate("red+", []int{i}, syntax.Operate("diag", []int{i, j}, e)), without(without(shape, j), i)
		}
		return syntax.Operate("contr", []int{i, j}, e), without(without(shape, j), i)
	}
	if g.IntN(4) == 0 {
		return syntax.Operate("proj", []int{i, 1 + g.IntN(shape[i-1])}, e), without(shape, i)
	}
	return syntax.Operate("red+", []int{i}, e), without(shape, i)
}
