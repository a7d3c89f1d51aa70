package check

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// index is t[i, :] of a tensor or field, or s[i] of a sequence, which version 1.0 also writes s{i}.
func (c *checker) index(e *syntax.Index) typed.Expr {
	x := c.expr(e.X, nil)
	switch t := x.Type(); t.Kind {
	case typed.Sequence:
		return c.subscript(e, x)
	case typed.Tensor, typed.Field:
		return c.slice(e, x)
	case typed.Nothing:
		for _, i := range e.Indices {
			if _, all := i.(*syntax.All); !all {
				c.expr(i, nil)
			}
		}
	default:
		d := c.errorf(source.CodeDiderotShape, e.Pos, "%v has no components", t)
		if t.Kind == typed.Image {
			d.WithHelp("samples of an image are read through a field: (tent ⊛ img)(x)")
		} else {
			d.WithHelp("tensors, fields and sequences have components")
		}
	}
	return nothing(e.Pos)
}

func (c *checker) subscript(e *syntax.Index, x typed.Expr) typed.Expr {
	t := x.Type()
	if len(e.Indices) != 1 {
		c.errorf(source.CodeDiderotShape, e.Pos, "a sequence has one subscript, not %d", len(e.Indices)).WithHelp("write s[i][j] for a component of an element")
		return nothing(e.Pos)
	}
	if _, all := e.Indices[0].(*syntax.All); all {
		c.errorf(source.CodeDiderotShape, e.Indices[0].Span(), "a colon stands only among the indices of a tensor").WithHelp("the whole sequence is its name alone")
		return nothing(e.Pos)
	}
	at := c.value(e.Indices[0], &typed.Type{Kind: typed.Int}, "a subscript")
	if at.Type().Kind == typed.Nothing {
		return nothing(e.Pos)
	}
	if t.Element.Kind == typed.Nothing {
		c.errorf(source.CodeDiderotShape, e.Pos, "{} has no elements")
		return nothing(e.Pos)
	}
	if v := c.folder.fold(at); v != nil && (v.Int < 0 || t.Length != typed.Dynamic && v.Int >= int64(t.Length)) {
		c.outside(e.Indices[0], v.Int, t.Length, "element", "a sequence")
		return nothing(e.Pos)
	}
	return &typed.Subscript{Node: typed.Node{Pos: e.Pos, T: t.Element}, X: x, At: at}
}

// outside reports a component that is not there.
func (c *checker) outside(e syntax.Expr, n int64, size int, part, whole string) {
	d := c.errorf(source.CodeDiderotShape, e.Span(), "there is no %s %d", part, n)
	if size >= 0 {
		d.WithHelp("the %ss of %s of %d are 0 to %d", part, whole, size, size-1)
	} else {
		d.WithHelp("the first %s of %s is 0", part, whole)
	}
}

// slice takes constant components along some axes.
func (c *checker) slice(e *syntax.Index, x typed.Expr) typed.Expr {
	t := x.Type()
	if e.Brackets == "{}" {
		c.errorf(source.CodeDiderotShape, e.Pos, "%v is no sequence", t).WithHelp("a component of a tensor is t[0]")
		return nothing(e.Pos)
	}
	if len(e.Indices) != len(t.Shape) {
		c.errorf(source.CodeDiderotShape, e.Pos, "%v has %s, not %d", t, plural(len(t.Shape), "axis"), len(e.Indices)).WithHelp("%s", indicesHelp(t))
		return nothing(e.Pos)
	}
	var at, shape []int
	ok := true
	for n, i := range e.Indices {
		if _, all := i.(*syntax.All); all {
			at, shape = append(at, -1), append(shape, t.Shape[n])
			continue
		}
		before := len(c.diagnostics.List)
		k, known := c.integer(i, "the index of a tensor")
		if list := c.diagnostics.List; !known && len(list) > before && t.Kind == typed.Tensor && list[len(list)-1].Code == source.CodeDiderotConstant {
			list[len(list)-1].Help = "elements of a sequence may be chosen when the program runs: real[3] s = {v[0], v[1], v[2]}"
		}
		if known && (k < 0 || k >= int64(t.Shape[n])) {
			c.outside(i, k, t.Shape[n], "component", "an axis")
			known = false
		}
		ok = ok && known
		at = append(at, int(k))
	}
	if !ok {
		return nothing(e.Pos)
	}
	result := *t
	result.Shape = slices.Clip(shape)
	return &typed.Slice{Node: typed.Node{Pos: e.Pos, T: &result}, X: x, At: at}
}

func indicesHelp(t *typed.Type) string {
	switch len(t.Shape) {
	case 0:
		if t.Kind == typed.Field {
			return "a scalar field is probed at a position: F(x)"
		}
		return "a number has no components"
	case 1:
		return "write t[0]"
	}
	text := "write an index for each axis, or a colon where it stays: t[0"
	for range len(t.Shape) - 1 {
		text += ",:"
	}
	return text + "]"
}

// tensor is [a, b], of numbers, tensors of one shape, or fields.
func (c *checker) tensor(e *syntax.Tensor) typed.Expr {
	elements := c.arguments(e.Elements, typed.Real())
	if containsNothing(elements) {
		return nothing(e.Pos)
	}
	for n, x := range elements {
		switch x.Type().Kind {
		case typed.Int:
			elements[n] = coerce(x, typed.Real())
		case typed.Tensor, typed.Field:
		default:
			c.errorf(source.CodeDiderotType, x.Span(), "a component of a tensor cannot be of type %v", x.Type()).WithHelp("%s", componentHelp(x.Type()))
			return nothing(e.Pos)
		}
	}
	if len(elements) < 2 {
		c.errorf(source.CodeDiderotShape, e.Pos, "the size of an axis of a tensor is at least 2, not %d", len(elements)).WithHelp("a number stands without brackets")
		return nothing(e.Pos)
	}
	t := c.common(elements, e.Pos, "tensor")
	if t == nil {
		return nothing(e.Pos)
	}
	for n, x := range elements {
		elements[n] = coerce(x, t)
	}
	result := *t
	result.Shape = append([]int{len(elements)}, t.Shape...)
	if result.Components() > largestTensor {
		c.errorf(source.CodeDiderotShape, e.Pos, "a tensor has at most %d components, not %d", largestTensor, result.Components()).WithHelp("a sequence holds more")
		return nothing(e.Pos)
	}
	return &typed.Construct{Node: typed.Node{Pos: e.Pos, T: &result}, Elements: elements}
}

func componentHelp(t *typed.Type) string {
	if t.Kind == typed.Sequence {
		return "{a, b} is a sequence, [a, b] a tensor of numbers"
	}
	return "components are numbers, tensors of one shape, or fields"
}

// plural counts in words: "1 argument", "2 axes".
func plural(n int, word string) string {
	switch {
	case n == 1:
		return "1 " + word
	case word == "axis":
		word = "axe"
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// identity is identity[3].
func (c *checker) identity(e *syntax.Identity) typed.Expr {
	n, ok := c.integer(e.Size, "the size of identity")
	if !ok {
		return nothing(e.Pos)
	}
	if n < 2 || n*n > largestTensor {
		c.errorf(source.CodeDiderotShape, e.Size.Span(), "an identity matrix has 2 to 256 rows, not %d", n).WithHelp("the identity of numbers is 1.0")
		return nothing(e.Pos)
	}
	row := typed.Candidates("identity", typed.Named)[0]
	return &typed.Apply{Node: typed.Node{Pos: e.Pos, T: typed.TensorOf(int(n), int(n))}, Row: row, Numbers: []int{int(n)}}
}
