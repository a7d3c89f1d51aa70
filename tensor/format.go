package tensor

import (
	"errors"
	"fmt"
	"io"
	"slices"
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
// visited, so that printing a huge tensor is cheap; of one on a device, no more
// than these are copied to the host.
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
	text, err := formatTensor(t, o)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}

// String returns t as NumPy's str prints an array, or in angle brackets why a device does not give
// the elements.
func (t *Tensor) String() string {
	text, err := formatTensor(t, DefaultFormat())
	if err != nil {
		return fmt.Sprintf("<%s %v: %v>", t.dtype, t.shape, err)
	}
	return text
}

func formatTensor(t *Tensor, o FormatOptions) (string, error) {
	if t.Len() == 0 {
		return "[]", nil
	}
	p := &arrayPrinter{tensor: t, shape: t.shape, options: o, summarise: t.Len() > o.Threshold}
	if t.foreign {
		host, err := p.endsOnHost()
		if err != nil {
			return "", err
		}
		defer host.Close()
		p.tensor = host
	}
	if t.Rank() == 0 {
		return scalarText(p.tensor, 0), nil
	}
	p.element = formatter(p.tensor, p.shown(nil, 0, 0), o)
	return p.array(0, 0, " ", o.LineWidth), nil
}

type arrayPrinter struct {
	tensor    *Tensor // its dimensions may lack what is not shown
	shape     []int   // with what is not shown
	options   FormatOptions
	summarise bool
	element   func(offset int) string
}

// ends returns the number of leading and trailing entries of a dimension that
// are shown; cut says that some in between are not.
func (p *arrayPrinter) ends(dim int) (lead, trail int, cut bool) {
	extent := p.shape[dim]
	if p.summarise && 2*p.options.EdgeItems < extent {
		return p.options.EdgeItems, p.options.EdgeItems, true
	}
	return extent, 0, false
}

// endsOnHost returns a copy on the host of what is shown: the ends of every dimension that is cut,
// side by side.
func (p *arrayPrinter) endsOnHost() (*Tensor, error) {
	shape := slices.Clone(p.shape)
	for dim := range shape {
		if lead, trail, cut := p.ends(dim); cut {
			shape[dim] = max(0, lead) + max(0, trail)
		}
	}
	host, err := New(p.tensor.dtype, shape...)
	if err != nil {
		return nil, err
	}
	if err := p.copyEnds(host, p.tensor, 0); err != nil {
		_ = host.Close()
		return nil, err
	}
	return host, nil
}

// copyEnds copies to a tensor that has both ends of every dimension from dim on that is cut.
func (p *arrayPrinter) copyEnds(to, from *Tensor, dim int) error {
	if dim == p.tensor.Rank() {
		return to.CopyFrom(from)
	}
	toExtent, extent := to.shape[dim], from.shape[dim]
	if toExtent == extent {
		return p.copyEnds(to, from, dim+1)
	}
	half := toExtent / 2
	for _, begin := range [][2]int{{0, 0}, {half, extent - half}} {
		part, err := to.Slice(dim, begin[0], begin[0]+half, 1)
		if err != nil {
			return err
		}
		source, err := from.Slice(dim, begin[1], begin[1]+half, 1)
		if err == nil {
			err = p.copyEnds(part, source, dim+1)
			err = errors.Join(err, source.Close())
		}
		if err = errors.Join(err, part.Close()); err != nil {
			return err
		}
	}
	return nil
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
