package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// Inputs collects what the world of a program is given.
type Inputs struct {
	program   *strand.Program
	directory string
	given     strand.Given
	described map[string]*described // images that were given
	opened    map[string]*tensor.Image
	open      func(path string) (*tensor.Image, error)
	// Compute calls a function by which an image is made; nil is the evaluator.
	Compute func(f *ein.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error)
}

// A described image is what a proxy is compared with.
type described struct {
	sizes []int // of the spatial axes, the fastest first
	dtype tensor.DType
}

// NewInputs begins with nothing. Files that the program names are looked for in the current directory,
// then in that of the program. open reads the file of an image or a sequence.
func NewInputs(p *strand.Program, directory string, open func(path string) (*tensor.Image, error)) *Inputs {
	return &Inputs{
		program: p, directory: directory, open: open, opened: map[string]*tensor.Image{}, described: map[string]*described{},
		given: strand.Given{Inputs: map[string]strand.Value{}, Images: map[string]*strand.ImageData{}},
	}
}

// Variable returns the input of a name, which is no image.
func (n *Inputs) Variable(name string) (*strand.Variable, bool) {
	v := n.program.Variable(name)
	return v, v != nil && v.Role == strand.Input
}

// Image returns the image of a name that may be given.
func (n *Inputs) Image(name string) (*strand.Image, bool) {
	for _, i := range n.program.Images {
		if i.Name == name && i.Input {
			return i, true
		}
	}
	return nil, false
}

// Names lists what may be given, in the order of the program.
func (n *Inputs) Names() []string {
	var names []string
	for _, v := range n.program.ByRole(strand.Input) {
		names = append(names, v.Name)
	}
	for _, i := range n.program.Images {
		if i.Input {
			names = append(names, i.Name)
		}
	}
	return names
}

// Unknown is the error about a name that no input has.
func (n *Inputs) Unknown(name string) *source.Diagnostic {
	d := problem(source.StrandValue, source.Span{}, "the program has no input %s", name)
	names := n.Names()
	switch near := source.Suggest(name, names); {
	case near != "":
		d.Help = "did you mean " + near + "?"
	case len(names) == 0:
		d.Help = "it has no inputs at all"
	default:
		d.Help = "its inputs are " + strings.Join(names, ", ")
	}
	return d
}

func problem(code source.Code, pos source.Span, format string, args ...any) *source.Diagnostic {
	return &source.Diagnostic{Code: code, Span: pos, Message: fmt.Sprintf(format, args...)}
}

// Set gives an input an array.
func (n *Inputs) Set(name string, t *tensor.Tensor) error {
	if _, is := n.Image(name); is {
		return n.SetImage(name, tensor.NewImage(t))
	}
	v, is := n.Variable(name)
	if !is {
		return n.Unknown(name)
	}
	value, err := Value(v, t)
	if err == nil {
		n.given.Inputs[name] = value
	}
	return err
}

// SetText gives an input of strings its value.
func (n *Inputs) SetText(name, text string) error {
	v, is := n.Variable(name)
	switch {
	case !is:
		return n.Unknown(name)
	case v.Type.Elem != strand.String || !v.Type.IsScalar():
		return problem(source.StrandValue, v.Pos, "the input %s is %s, found a text", name, v.Type)
	}
	n.given.Inputs[name] = strand.Value{Text: text}
	return nil
}

// SetImage gives an image.
func (n *Inputs) SetImage(name string, m *tensor.Image) error {
	i, is := n.Image(name)
	if !is {
		return n.Unknown(name)
	}
	data, about, err := image(i, m)
	if err == nil {
		n.given.Images[name], n.described[name] = data, about
	}
	return err
}

// SetFile gives an image, or a sequence, the content of a file.
func (n *Inputs) SetFile(name, path string) error {
	v, isValue := n.Variable(name)
	i, isImage := n.Image(name)
	if !isValue && !isImage {
		return n.Unknown(name)
	}
	m, err := n.read(path)
	if err == nil && isImage {
		return n.SetImage(name, m)
	}
	if err == nil {
		return n.Set(name, m.Tensor)
	}
	pos := source.Span{}
	if isImage {
		pos = i.Pos
	} else {
		pos = v.Pos
	}
	return problem(source.StrandInput, pos, "the file of %s cannot be read: %v", name, err)
}

// read opens a file once, whose elements several images may have.
func (n *Inputs) read(path string) (*tensor.Image, error) {
	if m := n.opened[path]; m != nil {
		return m, nil
	}
	m, err := n.open(path)
	if err == nil {
		n.opened[path] = m
	}
	return m, err
}

// named reads a file that the program names.
func (n *Inputs) named(path string) (*tensor.Image, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(path) && n.directory != "" {
		if beside := filepath.Join(n.directory, path); exists(beside) {
			path = beside
		}
	}
	return n.read(path)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Given completes what was given by the files that the program names, and compares images with their
// proxies.
func (n *Inputs) Given() (strand.Given, error) {
	var problems source.ErrorList
	for _, v := range slices.Concat(n.program.ByRole(strand.Input), n.program.ByRole(strand.Loaded)) {
		if _, is := n.given.Inputs[v.Name]; is || v.Default != nil {
			continue
		}
		if d := n.sequence(v); d != nil {
			problems = append(problems, d)
		}
	}
	for _, i := range n.program.Images {
		if d := n.image(i); d != nil {
			problems = append(problems, d)
		}
	}
	if len(problems) > 0 {
		return strand.Given{}, problems
	}
	return n.given, nil
}

// sequence reads the file of a variable.
func (n *Inputs) sequence(v *strand.Variable) *source.Diagnostic {
	if v.File == "" {
		return problem(source.StrandInput, v.Pos, "the input %s is not given, and has no default", v.Name).WithHelp("its type is %s", v.Type)
	}
	m, err := n.named(v.File)
	if err != nil {
		return problem(source.StrandInput, v.Pos, "the file of %s cannot be read: %v", v.Name, err)
	}
	value, err := Value(v, m.Tensor)
	if err != nil {
		return diagnostic(v.Pos, err)
	}
	n.given.Inputs[v.Name] = value
	return nil
}

// image reads the file of an image that is not given, or compares one that is given with it.
func (n *Inputs) image(i *strand.Image) *source.Diagnostic {
	about := n.described[i.Name]
	if i.Made != nil {
		return n.made(i)
	}
	if i.File == "" {
		if about == nil {
			return problem(source.StrandInput, i.Pos, "the image %s is not given, and has no default", i.Name).WithHelp("%s is declared: %d axes, and voxels of %d numbers", i, i.Dim, i.Components())
		}
		return nil
	}
	m, err := n.named(i.File)
	if err != nil {
		d := problem(source.StrandInput, i.Pos, "the file of the image %s cannot be read: %v", i.Name, err)
		if about != nil {
			d.Help = "a default says what sizes and samples another image must have; without one any image will do"
		}
		return d
	}
	data, proxy, err := image(i, m)
	if err != nil {
		return diagnostic(i.Pos, err)
	}
	if about == nil {
		n.given.Images[i.Name] = data
		return nil
	}
	return about.differs(i, proxy)
}

// differs says where an image is not like its proxy.
func (a *described) differs(i *strand.Image, proxy *described) *source.Diagnostic {
	switch {
	case !slices.Equal(a.sizes, proxy.sizes):
		return problem(source.StrandProxy, i.Pos, "the image %s has the sizes %v, its default %s has %v", i.Name, a.sizes, i.File, proxy.sizes).
			WithHelp("an image that is declared without a default may have any sizes")
	case a.dtype != proxy.dtype:
		return problem(source.StrandProxy, i.Pos, "the image %s has samples of type %s, its default %s has %s", i.Name, a.dtype, i.File, proxy.dtype).
			WithHelp("an image that is declared without a default may have samples of any type")
	}
	return nil
}

// diagnostic gives an error a place, which a diagnostic has.
func diagnostic(pos source.Span, err error) *source.Diagnostic {
	var d *source.Diagnostic
	if err == nil || errors.As(err, &d) {
		return d
	}
	return problem(source.StrandValue, pos, "%v", err)
}
