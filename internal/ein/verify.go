package ein

import (
	"errors"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Verify checks everything that the documentation of the types in this package
// promises and that can be checked without sizes. It runs after every pass: a
// violation is a bug of the pass before, so the errors are InternalErrors.
func Verify(f *Func) (err error) {
	defer source.RecoverInternal("verify", &err)
	v := &verifier{f: f, sizes: map[string]bool{}, tensors: map[*Tensor]bool{}, written: map[*Tensor]bool{}, operators: map[*Operator]bool{}}
	v.declarations()
	for _, c := range f.Body {
		v.comprehension(c)
	}
	for _, t := range f.ByRole(Output) {
		v.check(v.written[t], t.Pos, "the output %s is never written", t.Name)
	}
	return errors.Join(v.problems...)
}

type verifier struct {
	f         *Func
	sizes     map[string]bool
	tensors   map[*Tensor]bool
	written   map[*Tensor]bool
	operators map[*Operator]bool // already checked
	indices   map[*Index]bool    // of the current comprehension
	locals    map[*Local]bool    // in scope
	problems  []error
}

func (v *verifier) check(ok bool, span source.Span, format string, args ...any) bool {
	if !ok {
		v.problems = append(v.problems, source.Internalf("verify", span, "%s: "+format, append([]any{v.f.Name}, args...)...))
	}
	return ok
}

// validName reports whether the text form can write the name.
func validName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r == '`' || r < ' ' || r == '\uFFFD' })
}

func (v *verifier) declarations() {
	v.check(validName(v.f.Name), v.f.Pos, "%q is no name of a function", v.f.Name)
	for _, s := range v.f.Sizes {
		v.check(affine.IsWord(s.Name) && validName(s.Name), s.Pos, "%q is no name of a size", s.Name)
		v.check(!v.sizes[s.Name], s.Pos, "the size %s is declared twice", s.Name)
		v.sizes[s.Name] = true
	}
	names := map[string]bool{}
	for _, t := range v.f.Tensors {
		v.check(validName(t.Name), t.Pos, "%q is no name of a tensor", t.Name)
		v.check(!names[t.Name], t.Pos, "the tensor %s is declared twice", t.Name)
		v.check(t.Type > tensor.Invalid && t.Type <= tensor.Float64, t.Pos, "the tensor %s has no element type", t.Name)
		v.check(t.Role <= Temp, t.Pos, "the tensor %s has no role", t.Name)
		v.check(!t.Notice || t.Role == Temp && len(t.Dims) == 0 && t.Type == tensor.Int32, t.Pos, "the notice %s is no temporary scalar of type int32", t.Name)
		names[t.Name], v.tensors[t] = true, true
		for _, d := range t.Dims {
			v.extent(d.Min, t.Pos, "tensor "+t.Name)
			v.extent(d.Extent, t.Pos, "tensor "+t.Name)
		}
	}
	for _, s := range v.f.Sizes {
		v.origin(s)
	}
	for _, r := range v.f.Requires {
		v.extent(r.Expr, r.Pos, "condition of "+r.Reason)
	}
}

func (v *verifier) origin(s *Size) {
	switch {
	case s.Tensor == nil:
	case !v.tensors[s.Tensor]:
		v.check(false, s.Pos, "the size %s comes from the undeclared tensor %s", s.Name, s.Tensor.Name)
	case s.Dim == ScalarValue:
		v.check(len(s.Tensor.Dims) == 0 && s.Tensor.Type.IsInteger(), s.Pos, "the size %s is the value of %s, which is no integer scalar", s.Name, s.Tensor.Name)
		v.check(s.Tensor.Role == Input || s.Tensor.Role == InOut, s.Pos, "the size %s is the value of %s, which is no input", s.Name, s.Tensor.Name)
	default:
		v.check(s.Dim >= 0 && s.Dim < len(s.Tensor.Dims), s.Pos, "the size %s is dimension %d of %s, which has %d", s.Name, s.Dim, s.Tensor.Name, len(s.Tensor.Dims))
		v.check(s.Tensor.Role != Temp, s.Pos, "the size %s comes from the temporary %s", s.Name, s.Tensor.Name)
	}
}

// extent checks that an expression uses declared sizes only.
func (v *verifier) extent(e affine.Expr, span source.Span, where string) {
	used := map[string]bool{}
	e.Symbols(used)
	for _, name := range sortedKeys(used) {
		v.check(v.sizes[name], span, "%s uses %s, which is no size", where, name)
	}
}

func (v *verifier) comprehension(c *Comprehension) {
	v.indices, v.locals = map[*Index]bool{}, map[*Local]bool{}
	if !v.check(len(c.Writes) == len(c.Values) && len(c.Values) > 0, c.Pos, "a comprehension has %d writes and %d values", len(c.Writes), len(c.Values)) {
		return
	}
	names := map[string]bool{}
	for _, i := range c.Indices {
		v.check(validName(i.Name) && affine.IsWord(i.Name), i.Pos, "%q is no name of an index", i.Name)
		v.check(!names[i.Name], i.Pos, "the index %s is declared twice", i.Name)
		v.check(!v.sizes[i.Name], i.Pos, "the index %s has the name of a size", i.Name)
		v.extent(i.Min, i.Pos, "index "+i.Name)
		v.extent(i.Extent, i.Pos, "index "+i.Name)
		names[i.Name], v.indices[i] = true, true
	}
	for n, value := range c.Values {
		if !v.expr(value) {
			return
		}
		v.write(c, c.Writes[n], value.Type())
	}
	for _, i := range c.Indices {
		v.combine(c, i)
	}
	if c.Accumulate != nil {
		v.operatorOf(c, c.Accumulate, c.Pos)
	}
	v.order(c)
}

// order checks the reads of what the function itself computes, then records the
// writes: all values of a comprehension are read before any is written.
func (v *verifier) order(c *Comprehension) {
	for _, a := range c.Accesses() {
		v.readable(a.Tensor, a.Pos)
	}
	here := map[*Tensor]bool{}
	for _, w := range c.Writes {
		for _, s := range w.Subscripts {
			Walk(s, func(e Expr) bool {
				_, reads := e.(*Access)
				return v.check(!reads, w.Pos, "a subscript of the written %s reads a tensor", w.Tensor.Name)
			})
		}
		if c.Accumulate != nil {
			v.readable(w.Tensor, w.Pos)
		}
		v.check(!here[w.Tensor], w.Pos, "one comprehension writes %s twice", w.Tensor.Name)
		here[w.Tensor] = true
	}
	for t := range here {
		v.written[t] = true
	}
}

func (v *verifier) readable(t *Tensor, span source.Span) {
	v.check(t.Role == Input || t.Role == InOut || v.written[t], span, "reads %s before it is written", t.Name)
}

func (v *verifier) write(c *Comprehension, w *Write, value tensor.DType) {
	t := w.Tensor
	if !v.check(v.tensors[t], w.Pos, "writes an undeclared tensor") {
		return
	}
	v.check(t.Role != Input, w.Pos, "writes the input %s", t.Name)
	v.check(value == t.Type.Compute(), w.Pos, "writes a %s to %s, which holds %s", value, t.Name, t.Type)
	if !v.subscripts(t, w.Subscripts, w.Pos) {
		return
	}
	used := map[string]bool{}
	for _, s := range w.Subscripts {
		e, ok := AffineWhere(s, v.positive)
		if !v.check(ok, w.Pos, "a subscript of the written %s is not affine", t.Name) {
			return
		}
		e.Symbols(used)
	}
	v.injective(c, w)
	for _, i := range c.Indices {
		n, constant := i.Extent.IsConst()
		switch {
		case i.Combine.Kind == Reduce:
			v.check(!used[i.Name], w.Pos, "the reduced index %s is a subscript of the written %s", i.Name, t.Name)
		case constant && n <= 1:
		default:
			v.check(used[i.Name], w.Pos, "the points along %s write the same elements of %s", i.Name, t.Name)
		}
	}
}

func (v *verifier) subscripts(t *Tensor, subscripts []Expr, span source.Span) bool {
	ok := v.check(len(subscripts) == len(t.Dims), span, "%s has %d dimensions and %d subscripts", t.Name, len(t.Dims), len(subscripts))
	for _, s := range subscripts {
		if !v.expr(s) {
			return false
		}
		ok = v.check(s.Type() == tensor.Int64, span, "a subscript of %s is a %s", t.Name, s.Type()) && ok
	}
	return ok
}

func (v *verifier) combine(c *Comprehension, i *Index) {
	switch i.Combine.Kind {
	case Concat:
		v.check(i.Combine.Op == nil, i.Pos, "the concatenated index %s has an operator", i.Name)
	case Reduce, Scan:
		if v.check(i.Combine.Op != nil, i.Pos, "the index %s has no operator", i.Name) {
			v.operatorOf(c, i.Combine.Op, i.Pos)
		}
	default:
		v.check(false, i.Pos, "the index %s has no kind of combination", i.Name)
	}
}

// operatorOf checks an operator, and that it combines the values of c.
func (v *verifier) operatorOf(c *Comprehension, o *Operator, span source.Span) {
	if !v.operators[o] {
		v.operators[o] = true
		v.operator(o, span)
	}
	types := o.Types()
	if !v.check(len(types) == len(c.Values), span, "the operator %s combines %d values, the comprehension has %d", o.Name, len(types), len(c.Values)) {
		return
	}
	for n, t := range types {
		v.check(c.Values[n].Type() == t, span, "the operator %s takes a %s, value %d is a %s", o.Name, t, n, c.Values[n].Type())
	}
}
