package mdh

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How laws are tried
//
// Both sides of a law are written out over operands that are elements of arrays,
// and the reference evaluator computes them for random arrays: small whole numbers
// and quarters, so that sums and products of floats are exact and ties are common.
// Integers must be equal, floats up to rounding. A sample in which some result is
// infinite or not a number decides nothing. The arrays are the same in every run.

// samples is how many operands a law is tried with.
const samples = 512

// A law is two expressions over operands that must be equal.
type law struct {
	name        string
	operands    int
	left, right string // for messages, over a, b, c, d
	sides       func(x []value) (left, right value)
}

// A verdict is what the trial of a law found.
type verdict struct {
	broken    bool
	undecided bool
	example   string
}

// lawsOf tries the laws of the declared operators in ref. What is stated is not
// tried; the result of the trial is an error only where the law is needed.
func (c *instance) lawsOf(ref *syntax.OperatorRef, shape value) laws {
	all := laws{associative: true, commutative: true}
	if parts, ok := shape.(tuple); ok && len(ref.Parts) == len(parts) {
		for n, p := range ref.Parts {
			one := c.lawsOf(p, parts[n])
			all = laws{all.associative && one.associative, all.commutative && one.commutative, all.ordered || one.ordered}
		}
		return all
	}
	o := c.operators[ref.Name]
	if o == nil {
		return all
	}
	c.checkIdentity(ref, o, shape)
	if o.Ordered != nil {
		return laws{ordered: true}
	}
	combine := func(l, r value) value { return c.combine(ref, l, r) }
	stated := assumed(c, o.Assumed, "associative", "commutative")
	sign := o.Name.Name
	all.associative = stated["associative"] || c.holds(o, shape, law{"associative", 3,
		fmt.Sprintf("%s(%s(a, b), c)", sign, sign), fmt.Sprintf("%s(a, %s(b, c))", sign, sign),
		func(x []value) (value, value) {
			return combine(combine(x[0], x[1]), x[2]), combine(x[0], combine(x[1], x[2]))
		}})
	if c.onlyScanned(ref) {
		all.commutative = stated["commutative"]
		return all
	}
	all.commutative = stated["commutative"] || c.holds(o, shape, law{"commutative", 2,
		fmt.Sprintf("%s(a, b)", sign), fmt.Sprintf("%s(b, a)", sign),
		func(x []value) (value, value) { return combine(x[0], x[1]), combine(x[1], x[0]) }})
	return all
}

// onlyScanned reports whether an operator stands in ps only, where the order is
// kept.
func (c *instance) onlyScanned(ref *syntax.OperatorRef) bool {
	scans := 0
	for _, m := range c.dims {
		if m.syntax.Op != nil && m.syntax.Kind == "pw" {
			return false
		}
		if m.syntax.Op != nil {
			scans++
		}
	}
	return scans == 1
}

// assumed checks the words behind assume.
func assumed(c *instance, words []syntax.Name, known ...string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		ok := false
		for _, k := range known {
			ok = ok || w.Name == k
		}
		if !ok {
			c.errorf(source.CodeMDHName, w.Pos, "%s is no law that can be stated here", w.Name).WithHelp("write: assume %s", joinWords(known))
		}
		set[w.Name] = true
	}
	return set
}

// holds tries a law of an operator and reports where it fails.
func (c *instance) holds(o *syntax.Operator, shape value, l law) bool {
	v := c.try(shape, l)
	switch {
	case v.broken:
		c.errorf(source.CodeMDHLaw, o.Name.Pos, "the operator %s is not %s", o.Name.Name, l.name).
			WithNote(source.Span{}, "%s", v.example).
			WithHelp("mend it; or write 'ordered' behind it if it is meant to run from the first index to the last, 'assume %s' if the law holds for all values that occur", l.name)
	case v.undecided:
		c.errorf(source.CodeMDHUndecidable, o.Name.Pos, "it cannot be decided whether the operator %s is %s: no random values give a finite result", o.Name.Name, l.name).
			WithHelp("state it: assume %s", l.name)
	}
	return !v.broken && !v.undecided
}

// checkIdentity tries that the identity changes nothing.
func (c *instance) checkIdentity(ref *syntax.OperatorRef, o *syntax.Operator, shape value) {
	if o.Identity == nil {
		return
	}
	e, _ := c.identity(ref, shape)
	v := c.try(shape, law{"identity", 1, o.Name.Name + "(identity, a)", "a", func(x []value) (value, value) { return c.combine(ref, e, x[0]), x[0] }})
	if v.broken {
		c.errorf(source.CodeMDHLaw, o.Identity.Span(), "the identity of %s changes a value", o.Name.Name).WithNote(source.Span{}, "%s", v.example).
			WithHelp("give the value e for which %s(e, a) is always a, or none", o.Name.Name)
	}
}

// requireLaws reports an ordered operator beside another combined dimension. The
// laws of other operators were reported when they were tried.
func (c *instance) requireLaws(m *dimension) {
	if m.op.laws.ordered && c.syntax.Hom.Ordered == nil && len(c.combined()) > 1 {
		c.errorf(source.CodeMDHExchange, m.syntax.Pos, "%s is ordered, and there is another combined dimension", m.op.key).
			WithHelp("write md_hom<…>(…, (…), ordered): the last dimension is combined first")
	}
}

// combined lists the dimensions of pw and ps.
func (c *instance) combined() []*dimension {
	var list []*dimension
	for _, m := range c.dims {
		if m.syntax.Op != nil {
			list = append(list, m)
		}
	}
	return list
}

// try computes both sides of a law for random operands.
func (c *instance) try(shape value, l law) verdict {
	f := &ein.Func{Name: "law"}
	at := &ein.Index{Name: "n", Extent: affine.Const(samples)}
	args := map[string]*tensor.Tensor{}
	operands := make([]value, l.operands)
	random := rand.New(rand.NewPCG(1, 2))
	for k := range operands {
		var list []value
		for n, leaf := range leaves(shape) {
			t := &ein.Tensor{Name: fmt.Sprintf("%c%d", 'a'+k, n), Type: leaf.(scalar).Type(), Dims: []ein.Dim{{Extent: affine.Const(samples)}}}
			f.Tensors = append(f.Tensors, t)
			args[t.Name] = draw(t.Type, random)
			list = append(list, scalar{&ein.Access{Tensor: t, Subscripts: []ein.Expr{&ein.IndexRef{Index: at}}}})
		}
		operands[k] = rebuild(shape, &list)
	}
	comprehension := &ein.Comprehension{Indices: []*ein.Index{at}}
	f.Body = []*ein.Comprehension{comprehension}
	results := c.inOwnBinder(func() value {
		left, right := l.sides(operands)
		return tuple{left, right}
	})
	for n, e := range results {
		t := &ein.Tensor{Name: fmt.Sprintf("r%d", n), Type: e.Type(), Role: ein.Output, Dims: []ein.Dim{{Extent: affine.Const(samples)}}}
		f.Tensors = append(f.Tensors, t)
		comprehension.Writes = append(comprehension.Writes, &ein.Write{Tensor: t, Subscripts: []ein.Expr{&ein.IndexRef{Index: at}}})
		comprehension.Values = append(comprehension.Values, e)
	}
	outputs, err := ein.Evaluate(f, args, ein.EvalOptions{})
	if err != nil {
		panic(err)
	}
	return judge(l, args, outputs, len(results)/2)
}

// draw fills an array with numbers for which most arithmetic is exact.
func draw(t tensor.DType, random *rand.Rand) *tensor.Tensor {
	a, err := tensor.New(t, samples)
	if err != nil {
		panic(err)
	}
	for n := range samples {
		most := int64(4)
		if n%4 == 3 {
			most = 40
		}
		v := random.Int64N(2*most+1) - most
		switch t.Kind() {
		case tensor.KindFloat:
			scale := 1.0
			if n%2 == 1 {
				scale = 0.25
			}
			a.SetFloat(float64(v)*scale, n)
		case tensor.KindUint:
			a.SetInt(max(v, -v), n)
		case tensor.KindBool:
			a.SetInt(v&1, n)
		default:
			a.SetInt(v, n)
		}
	}
	return a
}

// judge compares the sides; the example is the sample with the smallest operands.
func judge(l law, args, outputs map[string]*tensor.Tensor, components int) verdict {
	v := verdict{undecided: true}
	smallest := math.Inf(1)
	for n := range samples {
		finite, same := true, true
		for k := range components {
			x, y := outputs[fmt.Sprintf("r%d", k)], outputs[fmt.Sprintf("r%d", components+k)]
			ok, isFinite := equalAt(x, y, n)
			same, finite = same && ok, finite && isFinite
		}
		if !finite {
			continue
		}
		v.undecided = false
		if size := magnitude(args, n); !same && size < smallest {
			smallest, v.broken = size, true
			v.example = describe(l, args, outputs, components, n)
		}
	}
	return v
}

func equalAt(x, y *tensor.Tensor, n int) (equal, finite bool) {
	if !x.DType().IsFloat() {
		return x.Bits(n) == y.Bits(n), true
	}
	a, b := x.Float(n), y.Float(n)
	if math.IsNaN(a) || math.IsNaN(b) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return true, false
	}
	tolerance := 1e-10
	if x.DType() == tensor.Float32 {
		tolerance = 1e-4
	}
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b)), true
}

func magnitude(args map[string]*tensor.Tensor, n int) (sum float64) {
	for _, t := range args {
		sum += math.Abs(numberOf(t, n))
	}
	return sum
}

// describe writes a sample: "for a = 1, b = 2: f(a, b) is 3, but f(b, a) is 4".
func describe(l law, args, outputs map[string]*tensor.Tensor, components, n int) string {
	operand := func(name string, from map[string]*tensor.Tensor, first int) string {
		parts := make([]string, components)
		for k := range parts {
			parts[k] = fmt.Sprint(numberOf(from[fmt.Sprintf("%s%d", name, first+k)], n))
		}
		if components == 1 {
			return parts[0]
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	operands := make([]string, l.operands)
	for k := range operands {
		name := string(rune('a' + k))
		operands[k] = name + " = " + operand(name, args, 0)
	}
	return fmt.Sprintf("for %s: %s is %s, but %s is %s", joinWords(operands), l.left, operand("r", outputs, 0), l.right, operand("r", outputs, components))
}

// numberOf is an element for people.
func numberOf(t *tensor.Tensor, n int) float64 {
	switch t.DType().Kind() {
	case tensor.KindFloat:
		return t.Float(n)
	case tensor.KindUint, tensor.KindBool:
		return float64(t.Uint(n))
	}
	return float64(t.Int(n))
}
