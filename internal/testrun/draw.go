package testrun

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/testblock"
	"github.com/ricci-lang/ricci/tensor"
)

// draw makes every variable. Its type and the names of its dimensions come from
// the block, or from the parameter that it is passed for; dimensions that one
// call gives the same name are equal.
func (e *expression) draw(b *testblock.Block, p testblock.Property, seed uint64) error {
	d := &drawing{
		e: e, block: b, extents: map[string]int{}, declared: map[string]use{}, same: map[string]string{},
		random: rand.New(rand.NewPCG(seed, 1)),
	}
	// What is passed directly has the type of the parameter; the operands of an
	// argument such as A + B most likely have, too.
	for _, names := range []func(syntax.Expr) []string{variable, operands} {
		if err := d.calls(p, names); err != nil {
			return err
		}
	}
	for _, name := range p.Variables() {
		if err := d.variable(name, seed); err != nil {
			return err
		}
		seed = seed*6364136223846793005 + 1442695040888963407
	}
	return nil
}

type drawing struct {
	e        *expression
	block    *testblock.Block
	declared map[string]use
	same     map[string]string // union-find over "variable/dim" and "call/size"
	extents  map[string]int    // of the representatives
	random   *rand.Rand
}

// A use is a variable that is passed for a parameter in a call.
type use struct {
	ricci.Param
	def   *ricci.Def
	scope string // of the sizes of the call
}

// calls learns from every call; names returns the variables that have the shape
// of an argument.
func (d *drawing) calls(p testblock.Property, names func(syntax.Expr) []string) (err error) {
	for i, side := range []syntax.Expr{p.Left, p.Right} {
		calls := 0
		syntax.Walk(side, func(x syntax.Expr) bool {
			if call, ok := x.(*syntax.Apply); ok && err == nil {
				err = d.call(call, fmt.Sprintf("%d.%d.", i, calls), names)
				calls++
			}
			return true
		})
	}
	return err
}

// variable returns the variable that x is, if it is one.
func variable(x syntax.Expr) []string {
	if name, ok := x.(*syntax.Name); ok {
		return []string{name.Name}
	}
	return nil
}

// operands returns the variables of element-wise arithmetic.
func operands(x syntax.Expr) []string {
	switch x := x.(type) {
	case *syntax.Name:
		return variable(x)
	case *syntax.Paren:
		return operands(x.X)
	case *syntax.Unary:
		return operands(x.X)
	case *syntax.Binary:
		return append(operands(x.X), operands(x.Y)...)
	}
	return nil
}

// call learns from one call which dimensions are equal.
func (d *drawing) call(call *syntax.Apply, scope string, names func(syntax.Expr) []string) error {
	def, err := d.e.callee(call)
	if err != nil {
		return err
	}
	for i, p := range def.Inputs() {
		for _, name := range names(call.Args[i]) {
			d.passed(name, use{p, def, scope})
		}
	}
	return nil
}

// passed notes that a variable is passed for a parameter, or combined with what is.
func (d *drawing) passed(name string, p use) {
	scope := p.scope
	if _, known := d.declared[name]; !known {
		d.declared[name] = p
	}
	for k, dim := range p.Dims {
		d.join(dimension(name, k), scope+dim)
		if n, err := strconv.Atoi(dim); err == nil {
			d.fix(scope+dim, n)
		}
		if p.def.Name() != d.block.Def {
			continue
		}
		for _, s := range d.block.Sizes {
			if s.Name == dim {
				d.fix(scope+dim, int(s.Value))
			}
		}
	}
}

func dimension(variable string, dim int) string { return fmt.Sprintf("%s/%d", variable, dim) }

func (d *drawing) find(x string) string {
	for {
		next, ok := d.same[x]
		if !ok {
			return x
		}
		x = next
	}
}

func (d *drawing) join(x, y string) {
	x, y = d.find(x), d.find(y)
	if x == y {
		return
	}
	if n, ok := d.extents[x]; ok {
		d.extents[y] = n
	}
	d.same[x] = y
}

func (d *drawing) fix(x string, n int) { d.extents[d.find(x)] = n }

func (d *drawing) extent(x string) int {
	root := d.find(x)
	if _, known := d.extents[root]; !known {
		d.extents[root] = 1 + d.random.IntN(largestSize)
	}
	return d.extents[root]
}

// variable draws one variable.
func (d *drawing) variable(name string, seed uint64) error {
	p, declared := d.declared[name]
	dtype, shape := p.DType, make([]int, len(p.Dims))
	for k := range shape {
		shape[k] = d.extent(dimension(name, k))
	}
	var given testblock.Value = &testblock.Random{}
	for _, in := range d.block.Inputs {
		if in.Name != name {
			continue
		}
		given = in.Value
		if in.Type != nil {
			declared, dtype, shape = true, in.Type.DType, d.written(in.Type)
		}
	}
	if !declared {
		return fmt.Errorf("the type of %s is not known; declare it: in %s : float32(4, 4) = random", name, name)
	}
	t, spec, err := d.e.r.value(given, dtype)
	if err != nil {
		return err
	}
	if t == nil {
		if t, err = tensor.New(dtype, shape...); err != nil {
			return err
		}
		if !spec.Own {
			spec.Seed = seed
		}
		if err := d.fill(t, spec, p); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	d.e.variables[name] = t
	return nil
}

// fill draws the elements of a variable; subscripts lie in the dimension, of which
// the call decides the extent.
func (d *drawing) fill(t *tensor.Tensor, spec argument.Spec, p use) error {
	if p.def == nil {
		return spec.Fill(t)
	}
	sizes := map[string]int64{}
	for _, in := range p.def.Inputs() {
		for _, dim := range in.Dims {
			if affine.IsWord(dim) {
				sizes[dim] = int64(d.extent(p.scope + dim))
			}
		}
	}
	return spec.FillFor(t, p.def, p.Name, sizes)
}

// written returns the shape of a type of the block; a name is a size.
func (d *drawing) written(t *testblock.Type) []int {
	shape := make([]int, len(t.Dims))
	for i, dim := range t.Dims {
		shape[i] = int(dim.Value)
		if dim.Name == "" {
			continue
		}
		shape[i] = d.extent("size " + dim.Name)
		for _, s := range d.block.Sizes {
			if s.Name == dim.Name {
				shape[i] = int(s.Value)
			}
		}
	}
	return shape
}
