package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// loadImage gives an image the type that is wanted, which must be that of the file, or else that of the file.
func (c *checker) loadImage(l *typed.Load, want *typed.Type) typed.Expr {
	h := c.header(l.Path)
	if want == nil || want.Kind != typed.Image {
		if l.T = h.imageType(); l.T != nil && want == nil {
			return l
		}
		c.unknownImage(l, want)
		return nothing(l.Pos)
	}
	if h != nil && !h.fits(want) {
		d := c.errorf(source.CodeDiderotShape, l.Pos, "%v is expected, but %s", want, h)
		if t := h.imageType(); t != nil {
			d.WithHelp("declare it as %v, or load another file", t)
		} else {
			d.WithHelp("load another file")
		}
		return nothing(l.Pos)
	}
	return l
}

func (c *checker) unknownImage(l *typed.Load, want *typed.Type) {
	switch {
	case want == nil:
		c.errorf(source.CodeDiderotShape, l.Pos, "the type of the image is not known here").WithHelp("declare a variable: image(3)[] img = load_image(%q)", l.Path)
	case want.Kind != typed.Nothing:
		c.errorf(source.CodeDiderotType, l.Pos, "an image is loaded where %v is expected", want).Help = convertHelp(&typed.Type{Kind: typed.Image}, want)
	}
}

// header reads the header of a file, if that can be done.
func (c *checker) header(path string) *header {
	if c.options.Header == nil {
		return nil
	}
	h, err := c.options.Header(path)
	if err != nil {
		return nil
	}
	return (*header)(h)
}

// A header is what an image file says of its samples.
type header lang.ImageHeader

// fits reports whether an image of a type can be read from the file: its slowest axes are those of the space, and the
// others have its components.
func (h *header) fits(t *typed.Type) bool {
	first := len(h.Sizes) - t.Dim
	if first < 0 {
		return false
	}
	for n, is := range h.Spatial {
		if is != (n >= first) {
			return false
		}
	}
	components := 1
	for _, size := range h.Sizes[:first] {
		if size == 0 || components > t.Components()/size { // before the product can overflow
			return false
		}
		components *= size
	}
	return components == t.Components()
}

// dimension is that of the space, where the file says that its slowest axes are those; 0 where it does not.
func (h *header) dimension() int {
	d := 0
	for _, is := range h.Spatial {
		if d > 0 && !is {
			return 0
		}
		if is {
			d++
		}
	}
	return d
}

// imageType is the type of the image in the file, where that says which axes are those of the space.
func (h *header) imageType() *typed.Type {
	if h == nil || h.dimension() < 1 || h.dimension() > 3 {
		return nil
	}
	d := h.dimension()
	shape := slices.Clone(h.Sizes[:len(h.Sizes)-d])
	slices.Reverse(shape)
	t := &typed.Type{Kind: typed.Image, Dim: d, Shape: slices.DeleteFunc(shape, func(n int) bool { return n == 1 })}
	if !h.fits(t) || t.Components() > largestTensor {
		return nil
	}
	return t
}

// String says what the file has.
func (h *header) String() string {
	text := fmt.Sprintf("the axes of the file have the sizes %v, the fastest first", h.Sizes)
	if h.Spatial == nil {
		return text
	}
	if d := h.dimension(); d > 0 {
		return text + fmt.Sprintf(", of which %s of the space", lastAxes(d))
	}
	var axes []string
	for n, is := range h.Spatial {
		if is {
			axes = append(axes, strconv.Itoa(n+1))
		}
	}
	if len(axes) == 0 {
		return text + ", of which none is one of the space"
	}
	return text + ", and those of the space, " + strings.Join(axes, ", ") + ", are not the last ones"
}

func lastAxes(n int) string {
	if n == 1 {
		return "the last one is that"
	}
	return fmt.Sprintf("the last %d are those", n)
}

// load is load_image("f") or load_sequence("f"): what is wanted says its type, or the file.
func (c *checker) load(e *syntax.Load, want *typed.Type) typed.Expr {
	path := c.expr(e.Path, nil)
	if path.Type().Kind == typed.Nothing {
		return nothing(e.Pos)
	}
	if path.Type().Kind != typed.String {
		c.errorf(source.CodeDiderotType, e.Path.Span(), "the path of a file is a string, not of type %v", path.Type()).WithHelp("write it in double quotes")
		return nothing(e.Pos)
	}
	name := c.constant(path, "the path of a file")
	if name == nil {
		return nothing(e.Pos)
	}
	l := &typed.Load{Node: typed.Node{Pos: e.Pos, T: want}, Path: name.Text}
	if e.Kind == "image" {
		return c.loadImage(l, want)
	}
	if want != nil && isText(want) {
		c.errorf(source.CodeDiderotSequence, e.Pos, "no file holds %v", want).WithHelp("files hold numbers: sequences of real, int, bool, vectors and matrices are loaded")
		return nothing(e.Pos)
	}
	if want == nil || !want.IsDynamic() {
		d := c.errorf(source.CodeDiderotSequence, e.Pos, "what is loaded is a sequence of any length, whose type must be known")
		if want == nil {
			d.WithHelp("declare a variable: real[] s = load_sequence(%q)", l.Path)
		} else {
			d.WithHelp("here %v is expected: declare it without a length", want)
		}
		return nothing(e.Pos)
	}
	return l
}
