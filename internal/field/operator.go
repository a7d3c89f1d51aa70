package field

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Kind is the kind of a parameter.
type Kind uint8

// The kinds of parameters.
const (
	TensorParam Kind = iota
	FieldParam
	ImageParam
	KernelParam
)

var kindNames = [...]string{"tensor", "field", "image", "kernel"}

func (k Kind) String() string { return kindNames[k] }

// Smooth is the continuity of what can be differentiated without end.
const Smooth = 1 << 20

// A Param is what an operator is of. A store has one for each name and type, so parameters are equal as pointers.
type Param struct {
	Name string
	Type
	Fixed bool // never replaced by an expression: the position of a probe

	id int
}

// A Type is what a parameter or an operator denotes: a tensor, a field over a space of Dim dimensions that can be
// differentiated K times, an image with such a grid, or a kernel of K continuous derivatives.
type Type struct {
	Kind   Kind
	Dim, K int
	Shape  []int
}

// TensorOf is the type of tensors of a shape.
func TensorOf(shape ...int) Type { return Type{Kind: TensorParam, Shape: shape} }

// FieldOf is the type field#k(dim)[shape].
func FieldOf(k, dim int, shape ...int) Type {
	return Type{Kind: FieldParam, Dim: dim, K: k, Shape: shape}
}

// ImageOf is the type image(dim)[shape].
func ImageOf(dim int, shape ...int) Type { return Type{Kind: ImageParam, Dim: dim, Shape: shape} }

// KernelOf is the type kernel#k.
func KernelOf(k int) Type { return Type{Kind: KernelParam, K: k} }

// String writes the type as programs do: field#2(3)[3].
func (t Type) String() string {
	text := t.Kind.String()
	if (t.Kind == FieldParam || t.Kind == KernelParam) && t.K < Smooth {
		text += fmt.Sprintf("#%d", t.K)
	}
	if t.Kind == FieldParam || t.Kind == ImageParam {
		text += fmt.Sprintf("(%d)", t.Dim)
	}
	if t.Kind != KernelParam {
		text += strings.ReplaceAll(fmt.Sprint(t.Shape), " ", ",")
	}
	return text
}

// Equal reports whether two types are the same.
func (t Type) Equal(u Type) bool {
	return t.Kind == u.Kind && t.Dim == u.Dim && t.K == u.K && slices.Equal(t.Shape, u.Shape)
}

func (p *Param) compare(q *Param) int {
	if p == nil || q == nil || p == q {
		return cmp.Compare(btoi(p != nil), btoi(q != nil))
	}
	return cmp.Or(strings.Compare(p.Name, q.Name), cmp.Compare(p.id, q.id))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Param returns the parameter of a name and type.
func (s *Store) Param(name string, t Type) *Param { return s.param(name, t, false) }

// FixedParam returns a parameter that fusion leaves alone.
func (s *Store) FixedParam(name string, t Type) *Param { return s.param(name, t, true) }

func (s *Store) param(name string, t Type, fixed bool) *Param {
	key := fmt.Sprint(name, t, fixed)
	if p, ok := s.params[key]; ok {
		return p
	}
	p := &Param{Name: name, Type: t, Fixed: fixed, id: len(s.params)}
	s.params[key] = p
	return p
}

// An Operator is λ Params ⟨ Body ⟩_σ: a tensor or field of shape Shape, whose component at the indices of σ is Body.
type Operator struct {
	Params []*Param
	Shape  []int // σ; index n of it is Axis(n, Shape[n])
	Body   *Term
	// Alike are axes that can be exchanged: Normalise notes those that the operator has as it was written, and Expand computes
	// one component of those that are equal by it. Laws may make expressions of them that look different.
	Alike [][2]int
}

// alike finds the axes whose exchange leaves an operator what it is.
func (s *Store) alike(o *Operator) (list [][2]int) {
	for n, size := range o.Shape {
		for m := range n {
			i, j := Axis(m, size), Axis(n, size)
			if o.Shape[m] == size && s.Rename(o.Body, map[Index]Index{i: j, j: i}) == o.Body {
				list = append(list, [2]int{m, n})
			}
		}
	}
	return list
}

// first is the first of the components that are equal to one: along axes that can be exchanged, indices stand in order.
func (o *Operator) first(component []int) []int {
	sorted := slices.Clone(component)
	for range o.Alike { // as often as it takes, at most
		for _, p := range o.Alike {
			if sorted[p[0]] > sorted[p[1]] {
				sorted[p[0]], sorted[p[1]] = sorted[p[1]], sorted[p[0]]
			}
		}
	}
	return sorted
}

// Axes returns the indices of an operator of a shape, numbered from first on.
func Axes(first int, shape []int) []Index {
	axes := make([]Index, len(shape))
	for n, size := range shape {
		axes[n] = Axis(first+n, size)
	}
	return axes
}

// Operator returns λ … ⟨body⟩ with the parameters that occur in it, in the order of their names.
func (s *Store) Operator(shape []int, body *Term) *Operator {
	seen, params := map[*Term]bool{}, map[*Param]bool{}
	var walk func(*Term)
	walk = func(t *Term) {
		if seen[t] {
			return
		}
		seen[t] = true
		if t.Param != nil {
			params[t.Param] = true
		}
		if t.Kernel != nil {
			params[t.Kernel] = true
		}
		for _, a := range t.Args {
			walk(a)
		}
	}
	walk(body)
	o := &Operator{Shape: shape, Body: body}
	for p := range params {
		o.Params = append(o.Params, p)
	}
	slices.SortFunc(o.Params, (*Param).compare)
	return o
}

// Variable returns the operator that is its parameter: λ F ⟨F[α]⟩_α. Of an image or a kernel it has no body.
func (s *Store) Variable(p *Param) *Operator {
	o := &Operator{Params: []*Param{p}, Shape: p.Shape}
	if p.Kind <= FieldParam {
		o.Body = s.Component(p, Axes(0, p.Shape)...)
	}
	return o
}
