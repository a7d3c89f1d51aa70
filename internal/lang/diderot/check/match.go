package check

import (
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
)

// A match binds the letters of a signature to what the arguments have.
type match struct {
	signature  *signature
	folder     *folder
	coerce     bool // the second pass: arguments may be coerced
	sizes      map[string]int
	lists      map[string][]int
	continuity map[string]int
	element    *typed.Type
	strand     *typed.Strand

	// Of lifted rows: whether an argument is a field, over how many dimensions, and the least continuity.
	field bool
	dim   int
	least int
}

func (c *checker) match(s *signature, args []typed.Expr, coerce bool) *match {
	m := &match{
		signature: s, folder: c.folder, coerce: coerce, sizes: map[string]int{}, lists: map[string][]int{}, continuity: map[string]int{},
		least: typed.Smooth, strand: c.strand(),
	}
	if len(args) != len(s.params) {
		return nil
	}
	for n, p := range s.params {
		if !m.argument(p, args[n]) {
			return nil
		}
	}
	// T may have become another type by a later argument.
	for n, p := range s.params {
		if (p.kind == elementPattern || p.kind == sequencePattern) && m.element != nil && !coercible(args[n].Type(), m.instance(p)) {
			return nil
		}
	}
	return m
}

// argument matches one argument, and reports whether it fits.
func (m *match) argument(p *pattern, e typed.Expr) bool {
	t := e.Type()
	switch p.kind {
	case boolPattern:
		return t.Kind == typed.Bool
	case intPattern:
		return t.Kind == typed.Int
	case stringPattern:
		return t.Kind == typed.String
	case constantPattern:
		if t.Kind != typed.Int {
			return false
		}
		v := m.folder.fold(e)
		return v != nil && v.Int <= mostPower && v.Int >= -mostPower
	case tensorPattern:
		return m.tensor(p, t)
	case fieldPattern:
		return t.Kind == typed.Field && m.size(size{letter: p.dim}, t.Dim) && m.shape(p.shape, t.Shape) && m.smooth(p.continuity, t.Continuity)
	case imagePattern:
		return t.Kind == typed.Image && m.size(size{letter: p.dim}, t.Dim) && m.shape(p.shape, t.Shape)
	case kernelPattern:
		return t.Kind == typed.Kernel && m.smooth(p.continuity, t.Continuity)
	case elementPattern:
		return m.elementType(t)
	case sequencePattern:
		return m.sequence(t)
	}
	return false
}

// mostPower is the largest exponent that is written out as products.
const mostPower = 255

// tensor matches a tensor, or where the row is lifted a field.
func (m *match) tensor(p *pattern, t *typed.Type) bool {
	switch {
	case t.Kind == typed.Tensor:
		return m.shape(p.shape, t.Shape)
	case t.Kind == typed.Int:
		return m.coerce && m.shape(p.shape, nil)
	case t.Kind == typed.Field && m.signature.row.Lifted:
		if m.field && m.dim != t.Dim {
			return false
		}
		m.field, m.dim, m.least = true, t.Dim, min(m.least, t.Continuity)
		return m.shape(p.shape, t.Shape)
	}
	return false
}

func (m *match) smooth(letter string, k int) bool {
	bound, ok := m.continuity[letter]
	m.continuity[letter] = k
	return !ok || bound == k
}

func (m *match) size(s size, n int) bool {
	if s.letter == "" {
		return s.number == n
	}
	bound, ok := m.sizes[s.letter]
	m.sizes[s.letter] = n
	return !ok || bound == n
}

// shape matches a list of sizes. A list letter takes what the others leave.
func (m *match) shape(sizes []size, shape []int) bool {
	// The positions of a line are numbers.
	if len(sizes) == 1 && sizes[0].letter == "n" && len(shape) == 0 {
		return m.size(sizes[0], 1)
	}
	at := slices.IndexFunc(sizes, size.isList)
	if at < 0 {
		return len(sizes) == len(shape) && m.each(sizes, shape)
	}
	behind := len(sizes) - at - 1
	if len(shape) < at+behind {
		return false
	}
	end := len(shape) - behind
	list := shape[at:end]
	bound, ok := m.lists[sizes[at].letter]
	m.lists[sizes[at].letter] = list
	return (!ok || slices.Equal(bound, list)) && m.each(sizes[:at], shape[:at]) && m.each(sizes[at+1:], shape[end:])
}

func (m *match) each(sizes []size, shape []int) bool {
	for n, s := range sizes {
		if !m.size(s, shape[n]) {
			return false
		}
	}
	return true
}

// elementType matches T: what is bound already, or what can be an element.
func (m *match) elementType(t *typed.Type) bool {
	if !isElement(t) {
		return false
	}
	return m.bind(t)
}

// bind binds T, where arguments may be coerced to the type that several have in common.
func (m *match) bind(t *typed.Type) bool {
	switch {
	case m.element == nil:
		m.element = t
	case !m.coerce:
		return m.element.Equal(t)
	default:
		m.element = join(m.element, t)
	}
	return m.element != nil
}

// sequence matches T[]: a sequence of any length, or one of fixed length that can be coerced to it.
func (m *match) sequence(t *typed.Type) bool {
	if t.Kind != typed.Sequence || !m.coerce && t.Length != typed.Dynamic {
		return false
	}
	return t.Element.Kind == typed.Nothing || m.bind(t.Element)
}

// instance is the type that a pattern stands for once its letters are bound; nil where a letter of elements is not.
func (m *match) instance(p *pattern) *typed.Type {
	switch p.kind {
	case boolPattern:
		return &typed.Type{Kind: typed.Bool}
	case intPattern, constantPattern:
		return &typed.Type{Kind: typed.Int}
	case stringPattern:
		return &typed.Type{Kind: typed.String}
	case tensorPattern:
		return typed.TensorOf(m.sizesOf(p.shape)...)
	case fieldPattern:
		return typed.FieldOf(m.smoothness(p), m.sizes[p.dim], m.sizesOf(p.shape)...)
	case imagePattern:
		return &typed.Type{Kind: typed.Image, Dim: m.sizes[p.dim], Shape: m.sizesOf(p.shape)}
	case kernelPattern:
		return &typed.Type{Kind: typed.Kernel, Continuity: m.smoothness(p)}
	case elementPattern:
		return m.element
	case strandPattern:
		return &typed.Type{Kind: typed.Reference, Strand: m.strand}
	case sequencePattern:
		element := m.instance(p.element)
		if element == nil {
			return nil
		}
		length := typed.Dynamic
		if p.length != (size{}) {
			length = m.number(p.length)
		}
		return typed.SequenceOf(element, length)
	}
	return nil
}

// result is the type of the whole. That of a lifted row is a field if an operand is one.
func (m *match) result() *typed.Type {
	p := m.signature.result
	if m.field && p.kind == tensorPattern {
		return typed.FieldOf(m.least, m.dim, m.sizesOf(p.shape)...)
	}
	return m.instance(p)
}

func (m *match) smoothness(p *pattern) int {
	k := typed.Smooth
	for letter := range strings.SplitSeq(p.continuity, "∧") {
		k = min(k, m.continuity[letter])
	}
	if k == typed.Smooth {
		return k
	}
	return k - p.less
}

func (m *match) number(s size) int {
	if s.letter == "" {
		return s.number
	}
	return m.sizes[s.letter]
}

// sizesOf are the sizes of a shape, without those that are 1.
func (m *match) sizesOf(sizes []size) []int {
	var shape []int
	for _, s := range sizes {
		switch n := m.number(s); {
		case s.isList():
			shape = append(shape, m.lists[s.letter]...)
		case n > 1:
			shape = append(shape, n)
		}
	}
	return shape
}
