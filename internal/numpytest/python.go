// Package numpytest writes functions of ein as NumPy programs: a second opinion on what they mean,
// which shares no code with the evaluator.
package numpytest

import (
	_ "embed"
	"fmt"
	"math"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A statement over n indices becomes expressions over arrays of n dimensions: an index is an
// arange along its dimension, an access a subscript by arrays, a reduction a reduce of NumPy along
// a dimension, from the innermost index outwards. User-defined operators are folded step by step.
// What NumPy has no counterpart for, such as bfloat16 and the special functions, is refused.

//go:embed prelude.py
var prelude string

// A writer writes one function.
type writer struct {
	sizes map[string]int64
	c     *ein.Comprehension
	names map[*ein.Local]string
	lets  int // so far
	err   error
}

// Prelude is the text that stands before all functions.
func Prelude() string { return prelude }

// Function writes f, with these sizes, as a function of Python from arrays to arrays.
func Function(name string, f *ein.Func, sizes map[string]int64) (string, error) {
	w := &writer{sizes: sizes, names: map[*ein.Local]string{}}
	var b strings.Builder
	fmt.Fprintf(&b, "def %s(t):\n", name)
	for _, t := range f.Tensors {
		if dtype := w.dtype(t.Type); t.Role == ein.Output || t.Role == ein.Temp {
			fmt.Fprintf(&b, "    t[%q] = np.zeros(%s, dtype=%s)\n", t.Name, w.shape(t), dtype)
		}
	}
	for _, c := range f.Body {
		w.statement(&b, c)
	}
	b.WriteString("    return {")
	for _, t := range f.Outputs() {
		fmt.Fprintf(&b, "%q: t[%q], ", t.Name, t.Name)
	}
	b.WriteString("}\n")
	return b.String(), w.err
}

func (w *writer) fail(format string, args ...any) string {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
	return ""
}

func (w *writer) size(e affine.Expr) int64 {
	n, err := e.Eval(w.sizes)
	if err != nil {
		w.fail("%w", err)
	}
	return n
}

func (w *writer) shape(t *ein.Tensor) string {
	var list strings.Builder
	for _, d := range t.Dims {
		fmt.Fprintf(&list, "%d, ", w.size(d.Extent))
	}
	return "(" + list.String() + ")"
}

// lows are the first coordinates of a tensor.
func (w *writer) lows(t *ein.Tensor) string {
	var list strings.Builder
	for _, d := range t.Dims {
		fmt.Fprintf(&list, "%d, ", w.size(d.Min))
	}
	return "(" + list.String() + ")"
}

func (w *writer) dtype(d tensor.DType) string {
	switch d {
	case tensor.Bool:
		return "np.bool_"
	case tensor.BFloat16:
		return w.fail("NumPy has no bfloat16")
	}
	return "np." + d.String()
}

// statement writes a comprehension: all values, then their combination, then the writes.
func (w *writer) statement(b *strings.Builder, c *ein.Comprehension) {
	w.c = c
	var shape strings.Builder
	for k, i := range c.Indices {
		low, extent := w.size(i.Min), w.size(i.Extent)
		fmt.Fprintf(b, "    i%d = axis(%d, %d, %d, %d)\n", k, k, len(c.Indices), low, extent)
		fmt.Fprintf(&shape, "%d, ", max(extent, 0))
	}
	b.WriteString("    v = [")
	for _, v := range c.Values {
		fmt.Fprintf(b, "np.broadcast_to(np.asarray(%s, dtype=%s), (%s)), ", w.expr(v), w.dtype(v.Type()), shape.String())
	}
	b.WriteString("]\n")
	for k := len(c.Indices) - 1; k >= 0; k-- {
		if combine := c.Indices[k].Combine; combine.Kind != ein.Concat {
			fmt.Fprintf(b, "    v = %s(v, %d, %s, %s)\n", w.combiner(combine), k, w.operator(combine.Op), w.identity(combine.Op))
		}
	}
	for k, write := range c.Writes {
		fmt.Fprintf(b, "    s%d = (%s)\n", k, w.list(write.Subscripts))
		if c.Accumulate != nil {
			fmt.Fprintf(b, "    o%d = read(t[%q], %s, *s%d)\n", k, write.Tensor.Name, w.lows(write.Tensor), k)
		}
	}
	if c.Accumulate != nil {
		b.WriteString("    v = step(" + w.operator(c.Accumulate) + ", [")
		for k, v := range c.Values {
			fmt.Fprintf(b, "cast(o%d, %s), ", k, w.dtype(v.Type()))
		}
		b.WriteString("], v)\n")
	}
	for k, write := range c.Writes {
		fmt.Fprintf(b, "    write(t[%q], %s, v[%d], *s%d)\n", write.Tensor.Name, w.lows(write.Tensor), k, k)
	}
}

// reductions are those that NumPy has.
var reductions = map[ein.OperatorKind]string{ein.SumOp: "sums", ein.ProductOp: "products", ein.MinOp: "smallest", ein.MaxOp: "largest"}

func (w *writer) combiner(c ein.Combine) string {
	if c.Kind == ein.Scan {
		return "scan"
	}
	if name := reductions[c.Op.Kind]; name != "" && c.Op.Left[0].DType != tensor.Bool {
		return name
	}
	return "fold"
}

// operator writes a function from the components of two tuples to one.
func (w *writer) operator(o *ein.Operator) string {
	var parameters strings.Builder
	for k, l := range append(append([]*ein.Local{}, o.Left...), o.Right...) {
		w.names[l] = fmt.Sprintf("p%d", k)
		parameters.WriteString(w.names[l] + ", ")
	}
	return "lambda " + strings.TrimSuffix(parameters.String(), ", ") + ": (" + w.list(o.Body) + ")"
}

func (w *writer) identity(o *ein.Operator) string {
	if o.Identity == nil {
		return "None"
	}
	return "(" + w.list(o.Identity) + ")"
}

// list writes expressions, each with a comma behind.
func (w *writer) list(exprs []ein.Expr) string {
	var b strings.Builder
	for _, e := range exprs {
		b.WriteString(w.expr(e) + ", ")
	}
	return b.String()
}

var infix = map[ein.BinaryOp]string{
	ein.Add: "np.add", ein.Sub: "np.subtract", ein.Mul: "np.multiply", ein.Div: "divide", ein.Mod: "modulo", ein.Min: "smaller", ein.Max: "larger",
	ein.Lt: "np.less", ein.Le: "np.less_equal", ein.Gt: "np.greater", ein.Ge: "np.greater_equal", ein.Eq: "np.equal", ein.Ne: "np.not_equal",
	ein.And: "np.logical_and", ein.Or: "np.logical_or",
	ein.BitAnd: "np.bitwise_and", ein.BitOr: "np.bitwise_or", ein.BitXor: "np.bitwise_xor", ein.Shl: "shifted_left", ein.Shr: "shifted_right",
}

// functions are the builtins that NumPy has, with its names.
var functions = map[string]string{
	"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2", "atanh": "arctanh",
	"cbrt": "cbrt", "ceil": "ceil", "copysign": "copysign", "cos": "cos", "cosh": "cosh", "exp": "exp", "exp2": "exp2", "expm1": "expm1",
	"fabs": "fabs", "fdivide": "divide", "floor": "floor", "fmax": "fmax", "fmin": "fmin", "fmod": "fmod", "hypot": "hypot", "log": "log",
	"log10": "log10", "log1p": "log1p", "log2": "log2", "nextafter": "nextafter", "pow": "power", "rint": "rint", "sin": "sin", "sinh": "sinh", "sqrt": "sqrt",
	"tan": "tan", "tanh": "tanh", "trunc": "trunc",
}

func (w *writer) expr(e ein.Expr) string {
	switch e := e.(type) {
	case *ein.Const:
		return w.constant(e)
	case *ein.SizeRef:
		return fmt.Sprintf("np.int64(%d)", w.size(e.Size))
	case *ein.IndexRef:
		for k, i := range w.c.Indices {
			if i == e.Index {
				return fmt.Sprintf("i%d", k)
			}
		}
		return w.fail("the index %s is not one of the statement", e.Index.Name)
	case *ein.LocalRef:
		return w.names[e.Local]
	case *ein.Let:
		value := w.expr(e.Value)
		w.lets++
		w.names[e.Var] = fmt.Sprintf("l%d", w.lets)
		return "(lambda " + w.names[e.Var] + ": " + w.expr(e.Body) + ")(" + value + ")"
	case *ein.Access:
		return fmt.Sprintf("read(t[%q], %s, %s)", e.Tensor.Name, w.lows(e.Tensor), strings.TrimSuffix(w.list(e.Subscripts), ", "))
	case *ein.Unary:
		return map[ein.UnaryOp]string{ein.Neg: "np.negative", ein.Not: "np.logical_not", ein.Popcount: "ones", ein.Clz: "leading"}[e.Op] + "(" + w.expr(e.X) + ")"
	case *ein.Binary:
		return infix[e.Op] + "(" + w.expr(e.X) + ", " + w.expr(e.Y) + ")"
	case *ein.Select:
		return "np.where(" + w.expr(e.Cond) + ", " + w.expr(e.Then) + ", " + w.expr(e.Else) + ")"
	case *ein.Cast:
		return "cast(" + w.expr(e.X) + ", " + w.dtype(e.To) + ")"
	case *ein.Call:
		name := functions[e.Func.Name]
		if name == "" {
			return w.fail("NumPy has no %s", e.Func.Name)
		}
		return "np." + name + "(" + strings.TrimSuffix(w.list(e.Args), ", ") + ")"
	}
	return w.fail("unknown expression %T", e)
}

func (w *writer) constant(e *ein.Const) string {
	d := w.dtype(e.DType)
	switch v := e.Float(); {
	case e.DType == tensor.Bool:
		return fmt.Sprintf("%s(%d)", d, e.Bits&1)
	case e.DType.Kind() == tensor.KindUint:
		return fmt.Sprintf("%s(%d)", d, e.Bits)
	case e.DType.IsInteger():
		return fmt.Sprintf("%s(%d)", d, e.Int())
	case math.IsInf(v, 0) || math.IsNaN(v):
		return fmt.Sprintf("%s(\"%g\")", d, v)
	default:
		return fmt.Sprintf("%s(float.fromhex(\"%x\"))", d, v)
	}
}
