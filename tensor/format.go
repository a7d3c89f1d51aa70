package tensor

import (
	"io"
	"strings"
)

// How it works
//
// The text is what NumPy's str(array) prints with its default options. It is
// made in two passes, as the width of a column depends on all that it shows:
// formatter (format_element.go) looks at the elements that will be printed and
// returns the function that prints one of them; the arrayPrinter then walks the
// dimensions, the last one in lines broken at the line width, the others in
// nested brackets with one more empty line per dimension. Of an array of more
// than Threshold elements only EdgeItems at both ends of a dimension are
// visited, so that printing a huge tensor is cheap.
//
// The rule for scientific notation is that of NumPy 1.x to 2.2; later releases
// switch to it earlier for float16 and float32.

// FormatOptions says how a tensor is printed; DefaultFormat returns NumPy's.
type FormatOptions struct {
	Precision int  // the most digits after the decimal point
	Threshold int  // the number of elements above which an array is summarised
	EdgeItems int  // the elements shown at both ends of a summarised dimension
	LineWidth int  // the number of characters per line
	Suppress  bool // never scientific notation for small or mixed numbers
}

// DefaultFormat returns the options with which NumPy starts.
func DefaultFormat() FormatOptions {
	return FormatOptions{Precision: 8, Threshold: 1000, EdgeItems: 3, LineWidth: 75}
}

// Format writes t as NumPy's str prints an array, without a final newline.
func Format(w io.Writer, t *Tensor, o FormatOptions) error {
	_, err := io.WriteString(w, formatTensor(t, o))
	return err
}

// String returns t as NumPy's str prints an array.
func (t *Tensor) String() string { return formatTensor(t, DefaultFormat()) }

func formatTensor(t *Tensor, o FormatOptions) string {
	switch {
	case t.Len() == 0:
		return "[]"
	case t.Rank() == 0:
		return scalarText(t, 0)
	}
	p := &arrayPrinter{tensor: t, options: o, summarise: t.Len() > o.Threshold}
	p.element = formatter(t, p.shown(nil, 0, 0), o)
	return p.array(0, 0, " ", o.LineWidth)
}

type arrayPrinter struct {
	tensor    *Tensor
	options   FormatOptions
	summarise bool
	element   func(offset int) string
}

// ends returns the number of leading and trailing entries of a dimension that
// are shown; cut says that some in between are not.
func (p *arrayPrinter) ends(dim int) (lead, trail int, cut bool) {
	extent := p.tensor.shape[dim]
	if p.summarise && 2*p.options.EdgeItems < extent {
		return p.options.EdgeItems, p.options.EdgeItems, true
	}
	return extent, 0, false
}

// entries calls visit with the offset of every shown entry of a dimension, and
// gap between the two ends of one that is cut.
func (p *arrayPrinter) entries(dim, offset int, visit func(offset int), gap func()) {
	lead, trail, cut := p.ends(dim)
	extent, stride := p.tensor.shape[dim], p.tensor.strides[dim]
	for i := range lead {
		visit(offset + i*stride)
	}
	if cut {
		gap()
	}
	for i := extent - trail; i < extent; i++ {
		visit(offset + i*stride)
	}
}

// shown appends the offsets of all elements that are printed.
func (p *arrayPrinter) shown(list []int, dim, offset int) []int {
	if dim == p.tensor.Rank() {
		return append(list, offset)
	}
	p.entries(dim, offset, func(o int) { list = p.shown(list, dim+1, o) }, func() {})
	return list
}

// array returns the text of a sub-array from dimension dim on; following lines
// start with indent.
func (p *arrayPrinter) array(dim, offset int, indent string, width int) string {
	if dim == p.tensor.Rank()-1 {
		return p.line(dim, offset, indent, width)
	}
	separator := strings.Repeat("\n", p.tensor.Rank()-1-dim) + indent
	var parts []string
	p.entries(dim, offset,
		func(o int) { parts = append(parts, p.array(dim+1, o, indent+" ", width-1)) },
		func() { parts = append(parts, "...") })
	return "[" + strings.Join(parts, separator) + "]"
}

// line returns the text of a row, broken where the next word and the bracket
// would not fit.
func (p *arrayPrinter) line(dim, offset int, indent string, width int) string {
	var done strings.Builder
	current := indent
	word := func(text string) {
		if len(current)+len(text) > width-len("]") && len(current) > len(indent) {
			done.WriteString(strings.TrimRight(current, " ") + "\n")
			current = indent
		}
		current += text + " "
	}
	p.entries(dim, offset, func(o int) { word(p.element(o)) }, func() { word("...") })
	text := done.String() + strings.TrimSuffix(current, " ")
	return "[" + text[len(indent):] + "]"
}
