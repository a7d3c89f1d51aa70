package mdh

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// stepLibrary are the computations that random compositions apply; applied has their
// meaning.
const stepLibrary = `map<N>(f) := out_view<int64>(y: (i) -> (i)) o md_hom<N>(f, (++)) o inp_view<int64>(x: (i) -> (i))
double := map((x) -> 2 * x)
next<N> := out_view<int64>(y: (i) -> (i)) o md_hom<N>((x) -> x[1] - 3 * x[2], (++)) o inp_view<int64>(x: (i) -> (i), (i) -> (i + 1))
sum<N> := out_view<int64>(y: (i) -> ()) o md_hom<N>(id, (+)) o inp_view<int64>(x: (i) -> (i))
scale<N> := out_view<int64>(y: (i) -> (i)) o md_hom<N>(*, (++)) o inp_view<int64, int64>(s: (i) -> (), x: (i) -> (i))
add<N> := out_view<int64>(z: (i) -> (i)) o md_hom<N>(+, (++)) o inp_view<int64, int64>(x: (i) -> (i), y: (i) -> (i))
axpy<N> := out_view<int64>(y: (i) -> (i)) o md_hom<N>((a, x, y) -> a * x - y, (++)) o inp_view<int64, int64, int64>(a: (i) -> (), x: (i) -> (i), y: (i) -> (i))
plus<N> := out_view<int64>(y: (i) -> (i)) o md_hom<N>(+, (++)) o inp_view<int64, int64>(x: (i) -> (i), y: (i) -> (i))
both<N> := (x: int64[N], y: int64[N]) -> (y) where y := plus(x, y); y := plus(x, y)
odd<N> := out_view<int64>(y: (i) -> (2 * i + 1) fill ⊥) o md_hom<N>(id, (++)) o inp_view<int64>(x: (i) -> (i))
pick<N> := out_view<int64>(y: (i) -> (i)) o md_hom<N>(id, (++)) o inp_view<int64[2 * N]>(x: (i) -> (2 * i + 1))
`

func applied(name string, args ...[]int64) []int64 {
	x := args[0]
	each := func(f func(i int) int64) []int64 {
		list := make([]int64, len(args[len(args)-1]))
		for i := range list {
			list[i] = f(i)
		}
		return list
	}
	switch name {
	case "double":
		return each(func(i int) int64 { return 2 * x[i] })
	case "next":
		return each(func(i int) int64 { return x[i] - 3*x[min(i+1, len(x)-1)] })[:len(x)-1]
	case "sum":
		total := int64(0)
		for _, v := range x {
			total += v
		}
		return []int64{total}
	case "scale":
		return each(func(i int) int64 { return x[0] * args[1][i] })
	case "add":
		return each(func(i int) int64 { return x[i] + args[1][i] })
	case "both":
		return each(func(i int) int64 { return 2*x[i] + args[1][i] })
	case "axpy":
		return each(func(i int) int64 { return x[0]*args[1][i] - args[2][i] })
	}
	return slices.Clone(x) // pick(odd(x))
}

// A composing draws a composition and computes its buffers by applied. The extent of a
// vector is N and more; -1 is a scalar.
type composing struct {
	*rapid.T
	n       int
	names   []string
	extra   map[string]int
	values  map[string][]int64
	steps   []string
	outputs []string
}

// vector picks a buffer, with as many elements as another if there is one.
func (c *composing) vector(extra int, of func(int) bool) string {
	var list []string
	for _, name := range c.names {
		if e := c.extra[name]; e >= 0 && (extra < 0 || e == extra) && of(e) {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return rapid.SampledFrom(list).Draw(c.T, "buffer")
}

func (c *composing) make(name string, extra int, value []int64) {
	if !slices.Contains(c.names, name) {
		c.names = append(c.names, name)
	}
	if !slices.Contains(c.outputs, name) {
		c.outputs = append(c.outputs, name)
	}
	c.extra[name], c.values[name] = extra, value
}

func (c *composing) step(number int) {
	result := fmt.Sprintf("r%d", number)
	anyExtent := func(int) bool { return true }
	x := c.vector(-1, anyExtent)
	extra := c.extra[x]
	y := c.vector(extra, anyExtent)
	var scalars []string
	for _, name := range c.names {
		if c.extra[name] < 0 {
			scalars = append(scalars, name)
		}
	}
	s := rapid.SampledFrom(scalars).Draw(c.T, "scalar")
	kind := rapid.SampledFrom([]string{"double", "next", "sum", "scale", "add", "axpy", "both", "update", "nested", "pick"}).Draw(c.T, "kind")
	args := map[string][]string{"double": {x}, "sum": {x}, "scale": {s, x}, "add": {x, y}, "both": {x, y}, "axpy": {s, x, y}}[kind]
	switch kind {
	case "next":
		if x = c.vector(-1, func(e int) bool { return e > 0 }); x == "" {
			return
		}
		args, extra = []string{x}, c.extra[x]-1
	case "sum":
		extra = -1
	case "both":
		result = y
	case "update":
		kind, args, result = "axpy", []string{s, x, y}, y
	case "nested":
		c.steps = append(c.steps, fmt.Sprintf("%s := add(double(%s), scale(sum(%s), %s))", result, x, y, y))
		c.make(result, extra, applied("add", applied("double", c.values[x]), applied("scale", applied("sum", c.values[y]), c.values[y])))
		return
	case "pick":
		c.steps = append(c.steps, fmt.Sprintf("%s := pick(odd(%s))", result, x))
		c.make(result, extra, applied("pick", c.values[x]))
		return
	}
	var values [][]int64
	for _, name := range args {
		values = append(values, c.values[name])
	}
	c.steps = append(c.steps, fmt.Sprintf("%s := %s(%s)", result, kind, strings.Join(args, ", ")))
	c.make(result, extra, applied(kind, values...))
}

// inputs draws arguments and declares them.
func (c *composing) inputs() (args map[string]*tensor.Tensor, declared []string) {
	args = map[string]*tensor.Tensor{}
	for _, in := range []struct {
		name  string
		extra int
	}{{"a", 2}, {"b", 2}, {"c", 1}, {"k", -1}} {
		text, elements := in.name+": int64", 1
		var shape []int
		if in.extra >= 0 {
			elements = c.n + in.extra
			text, shape = fmt.Sprintf("%s[N + %d]", text, in.extra), []int{elements}
		}
		x, err := tensor.New(tensor.Int64, shape...)
		if err != nil {
			c.Fatal(err)
		}
		for i := range elements {
			v := int64(rapid.IntRange(-3, 3).Draw(c.T, "input"))
			c.values[in.name] = append(c.values[in.name], v)
			x.SetInt(v, []int{i}[:len(shape)]...)
		}
		c.names, c.extra[in.name], args[in.name] = append(c.names, in.name), in.extra, x
		declared = append(declared, text)
	}
	return args, declared
}

// TestRandomCompositions compares random compositions with what their steps mean.
func TestRandomCompositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &composing{T: t, n: rapid.IntRange(1, 4).Draw(t, "N"), extra: map[string]int{}, values: map[string][]int64{}}
		args, inputs := c.inputs()
		for number := range rapid.IntRange(1, 6).Draw(t, "steps") {
			c.step(number)
		}
		if len(c.steps) == 0 {
			return
		}
		text := stepLibrary + fmt.Sprintf("f<N> := (%s) -> (%s) where %s\n", strings.Join(inputs, ", "), strings.Join(c.outputs, ", "), strings.Join(c.steps, ";\n  "))
		unit, diagnostics := Compile(source.NewFile("random.mdh", text), lang.Options{})
		if diagnostics.HasErrors() {
			t.Fatalf("%v\n%s", diagnostics.Err(), text)
		}
		f := unit.Def("f").Func
		if err := ein.Verify(f); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		got, err := ein.Evaluate(f, args, ein.EvalOptions{Sizes: map[string]int64{"N": int64(c.n)}})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, name := range c.outputs {
			for i, want := range c.values[name] {
				at := []int{i}
				if c.extra[name] < 0 {
					at = nil
				}
				if v := got[name].Int(at...); v != want {
					t.Fatalf("%s%v is %d, expected %d\n%s", name, at, v, want, text)
				}
			}
		}
	})
}
