package c

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// sanitised are flags by which what C leaves undefined ends the program.
var sanitised = []string{"-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all", "-fsanitize-undefined-trap-on-error", "-fno-sanitize=alignment"}

// A scalarRule is an operation of one or two numbers, whose value the evaluator knows.
type scalarRule struct {
	name     string
	from, to tensor.DType
	ein      func(x, y ein.Expr) ein.Expr
	loop     func(x, y loop.Expr) loop.Expr
}

// conversionRules are the conversions between all types but 16-bit floats, which half_test.go has, the operations on integers, and
// remainders of floats.
func conversionRules() []scalarRule {
	var list []scalarRule
	types := []tensor.DType{tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64, tensor.Float32, tensor.Float64}
	for _, from := range types {
		for _, to := range types {
			if from != to {
				list = append(list, scalarRule{fmt.Sprintf("%s to %s", from, to), from, to,
					func(x, _ ein.Expr) ein.Expr { return &ein.Cast{To: to, X: x} },
					func(x, _ loop.Expr) loop.Expr { return &loop.Cast{To: to, X: x} }})
			}
			if to.IsInteger() && to.Size() == 1 && from.Size() >= 4 { // vectors by way of 16 bits
				list = append(list, scalarRule{fmt.Sprintf("%s to %s by int16", from, to), from, to,
					func(x, _ ein.Expr) ein.Expr { return &ein.Cast{To: to, X: x} },
					func(x, _ loop.Expr) loop.Expr {
						c := &loop.Cast{To: to, X: x}
						if x.Type().Lanes > 1 {
							c.By = tensor.Int16
						}
						return c
					}})
			}
		}
		for _, op := range []ein.BinaryOp{ein.Add, ein.Sub, ein.Mul, ein.Div, ein.Mod} {
			if from.IsInteger() || op == ein.Mod {
				list = append(list, scalarRule{fmt.Sprintf("%s %s", from, "+-*/%"[op:op+1]), from, from,
					func(x, y ein.Expr) ein.Expr { return &ein.Binary{Op: op, X: x, Y: y} }, operation(op)})
			}
		}
		if from.IsInteger() {
			list = append(list, bitRules(from)...)
		}
	}
	return list
}

// bitRules are the operators on bits, and shifts by counts that are known, in range or not.
func bitRules(d tensor.DType) []scalarRule {
	var list []scalarRule
	for _, op := range []ein.UnaryOp{ein.Popcount, ein.Clz} {
		list = append(list, scalarRule{fmt.Sprintf("%s %s", d, op), d, d,
			func(x, _ ein.Expr) ein.Expr { return &ein.Unary{Op: op, X: x} },
			func(x, _ loop.Expr) loop.Expr { return &loop.Unary{Op: op, X: x} }})
	}
	for op := ein.BitAnd; op <= ein.Shr; op++ {
		list = append(list, scalarRule{fmt.Sprintf("%s %s", d, op), d, d,
			func(x, y ein.Expr) ein.Expr { return &ein.Binary{Op: op, X: x, Y: y} }, operation(op)})
	}
	for _, count := range []int64{0, 1, int64(8*d.Size() - 1), int64(8 * d.Size())} {
		for _, op := range []ein.BinaryOp{ein.Shl, ein.Shr} {
			places := ein.IntConst(d, count)
			list = append(list, scalarRule{fmt.Sprintf("%s %s %d", d, op, count), d, d,
				func(x, _ ein.Expr) ein.Expr { return &ein.Binary{Op: op, X: x, Y: places} },
				func(x, _ loop.Expr) loop.Expr {
					var y loop.Expr = &loop.Const{Elem: d, Bits: places.Bits}
					if lanes := x.Type().Lanes; lanes > 1 {
						y = &loop.Broadcast{X: y, Lanes: lanes}
					}
					return &loop.Binary{Op: op, X: x, Y: y}
				}})
		}
	}
	return list
}

// hostileBits are numbers of a type, as the evaluators of expressions have them.
func hostileBits(d tensor.DType) []ein.Number {
	var list []ein.Number
	if d.IsFloat() {
		for _, v := range slices.Concat(hostileNumbers, []float64{0.5, -0.5, 0.99999, 1.5, 2.5, 127.5, 128, -128.5, -129, 255.99, 256, 32767.5, 65536, 1 << 24, 1<<24 + 2,
			2147483647, 2147483648, -2147483649, 4294967295, 4294967296, 0x1p53, 0x1p63, -0x1p63, 0x1.fffffep62, 0x1p64, 0x1.fffffep63, 1e300, -1e300}) {
			list = append(list, ein.Number{Float: rounded(d, v)})
		}
		return list
	}
	for _, v := range []int64{0, 1, -1, 2, -2, 3, 7, 8, 15, 16, 31, 32, 63, -7, 10, 100, 127, -128, 128, 255, 32767, -32768, 65535, 1<<24 + 1, math.MaxInt32, math.MinInt32, math.MaxUint32,
		1<<53 + 1, math.MaxInt64, math.MinInt64, math.MaxInt64 - 511, 1<<62 + 1<<38} {
		bits := uint(64 - 8*d.Size())
		if d.Kind() == tensor.KindUint {
			v = int64(uint64(v) << bits >> bits)
		} else {
			v = v << bits >> bits
		}
		list = append(list, ein.Number{Int: v})
	}
	return list
}

// TestConversions: conversions, operations on integers and remainders have the evaluator's values for hostile numbers, as scalars and
// as vectors, and nothing in them is undefined in C.
func TestConversions(t *testing.T) {
	for _, compiler := range compilers(t) {
		for _, level := range sweep.Some(t, runnableLevels(), 2) {
			u := newUnit(Options{VectorBytes: level.VectorBytes})
			for n, rule := range conversionRules() {
				for _, lanes := range []int{1, 16} {
					u.kernel(ruleKernel(rule, lanes), Symbol(fmt.Sprintf("rule%d_%d", n, lanes)), "")
				}
			}
			flags := (Target{}).Flags(level.Name)
			if level.Name == "plain" && level.VectorBytes == 16 {
				flags = append(flags, sanitised...)
			}
			lib := build(t, compiler, u.String(), flags...)
			for n, rule := range conversionRules() {
				x, y, want := ruleValues(t, rule)
				for _, lanes := range []int{1, 16} {
					got := make([]byte, len(want)*rule.to.Size())
					in, right := packed(rule.from, x), packed(rule.from, y)
					lib.call(t, Symbol(fmt.Sprintf("rule%d_%d", n, lanes)), append(make([]uint64, loop.HeaderWords), address(in), address(right), address(got)))
					checkRule(t, fmt.Sprintf("%s, %s x%d", rule.name, level.Name, lanes), rule, x, y, packed(rule.to, want), got)
				}
			}
		}
	}
}

const ruleSamples = 1024

// ruleKernel applies a rule to arrays.
func ruleKernel(rule scalarRule, lanes int) *loop.Func {
	n := &loop.Var{Name: "i", Type: loop.Scalar(tensor.Int64)}
	f := &loop.Func{Name: "rule"}
	for k, d := range []tensor.DType{rule.from, rule.from, rule.to} {
		buffer := &loop.Buffer{Name: fmt.Sprintf("A%d", k), Type: loop.Scalar(d), Length: ruleSamples, ReadOnly: k < 2}
		f.Buffers = append(f.Buffers, buffer)
		f.Params = append(f.Params, &loop.Param{Buffer: buffer})
	}
	load := func(k int) loop.Expr {
		return &loop.Load{Buffer: f.Buffers[k], Index: &loop.VarRef{Var: n}, Lanes: lanes}
	}
	f.Body = []loop.Stmt{&loop.For{Var: n, Lo: loop.Int(0), Hi: loop.Int(ruleSamples), Step: int64(lanes), Body: []loop.Stmt{
		&loop.Store{Buffer: f.Buffers[2], Index: &loop.VarRef{Var: n}, Value: rule.loop(load(0), load(1))},
	}}}
	return f
}

// ruleValues are pairs of operands, and the evaluator's values of them.
func ruleValues(t *testing.T, rule scalarRule) (x, y, want []ein.Number) {
	t.Helper()
	left, right := &ein.Local{Name: "l", DType: rule.from}, &ein.Local{Name: "r", DType: rule.from}
	evaluate, err := ein.CompileOperator(&ein.Operator{Name: "rule", Left: []*ein.Local{left}, Right: []*ein.Local{right},
		Body: []ein.Expr{rule.ein(&ein.LocalRef{Local: left}, &ein.LocalRef{Local: right})}})
	if err != nil {
		t.Fatal(err)
	}
	numbers := hostileBits(rule.from)
	for k := range ruleSamples {
		a, b := numbers[k%len(numbers)], numbers[k/len(numbers)%len(numbers)]
		value := make([]ein.Number, 1)
		evaluate([]ein.Number{a}, []ein.Number{b}, value)
		x, y, want = append(x, a), append(y, b), append(want, value[0])
	}
	return x, y, want
}

// packed stores numbers as they lie in memory.
func packed(d tensor.DType, list []ein.Number) []byte {
	var b []byte
	for _, n := range list {
		bits := uint64(n.Int)
		switch d {
		case tensor.Float32:
			bits = uint64(math.Float32bits(float32(n.Float)))
		case tensor.Float64:
			bits = math.Float64bits(n.Float)
		}
		for k := range d.Size() {
			b = append(b, byte(bits>>(8*k)))
		}
	}
	return b
}

func checkRule(t *testing.T, name string, rule scalarRule, x, y []ein.Number, want, got []byte) {
	t.Helper()
	size := rule.to.Size()
	for k := range x {
		w, g := want[k*size:(k+1)*size], got[k*size:(k+1)*size]
		if !sameElements(rule.to, w, g) {
			t.Errorf("%s of %v and %v: % x instead of % x", name, x[k], y[k], g, w)
			return
		}
	}
}
