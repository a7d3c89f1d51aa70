package compile

import (
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/source"
)

// A Def is what is compiled: what a front end has made of one function, and the text that it is from.
type Def struct {
	*lang.Def
	Files     []*source.File // of the program
	Extension string         // of the program's file
	// Imports reads once more what the program imports; nil where nothing can be imported.
	Imports func() lang.Options
}

// A Signature says for which arguments to compile: everything about the
// arguments but their elements.
type Signature struct {
	Shapes  map[string][]int // of inputs and in-outs; those of outputs have to agree
	Strides map[string][]int // in elements; absent means dense and row-major
	Sizes   map[string]int64 // that no input determines, and values of scalars that are sizes
}

// Bind computes the value of every size, and tests what the def assumes of them.
func (d *Def) Bind(s Signature) (map[string]int64, error) {
	shapes := map[string][]int64{}
	for name, shape := range s.Shapes {
		shapes[name] = Int64s(shape)
	}
	return d.Func.Bind(shapes, s.Sizes)
}

// SignatureForSizes returns the signature of dense arguments for given sizes,
// which are all those of the def.
func (d *Def) SignatureForSizes(sizes map[string]int64) (Signature, error) {
	s := Signature{Shapes: map[string][]int{}, Sizes: sizes}
	if err := d.requireSizes(sizes, nil); err != nil {
		return s, err
	}
	shapes, err := d.Func.Shapes(sizes)
	if err != nil {
		return s, err
	}
	for _, t := range d.Func.ByRole(ein.Input, ein.InOut) {
		s.Shapes[t.Name] = Ints(shapes[t.Name])
	}
	return s, nil
}

// CheckSizes checks what the def assumes about its sizes as far as the given ones
// decide it: the errors are those of a call.
func (d *Def) CheckSizes(sizes map[string]int64) error {
	known := d.SizeNames()
	for name := range sizes {
		if !slices.Contains(known, name) {
			return d.unknownSize(name)
		}
	}
	return d.Func.CheckSizes(sizes)
}

// requireSizes reports unknown, missing and impossible sizes.
func (d *Def) requireSizes(sizes map[string]int64, dynamic map[string]bool) error {
	if err := d.CheckSizes(sizes); err != nil {
		return err
	}
	var problems source.ErrorList
	for _, s := range d.Func.Sizes {
		if _, given := sizes[s.Name]; !given && !dynamic[s.Name] {
			e := &source.Diagnostic{Code: source.UnknownSize, Span: s.Pos, Message: "the size " + s.Name + " of " + d.Name + " was not given"}
			problems = append(problems, e.WithHelp("give its value: -s %s=…", s.Name))
		}
	}
	if problems != nil {
		return problems
	}
	return nil
}

// SizeNames lists the sizes.
func (d *Def) SizeNames() []string {
	names := make([]string, len(d.Func.Sizes))
	for i, s := range d.Func.Sizes {
		names[i] = s.Name
	}
	return names
}

func (d *Def) unknownSize(name string) error {
	e := &source.Diagnostic{Code: source.UnknownArgument, Span: d.Pos, Message: d.Name + " has no size named " + name}
	return source.ErrorList{e.WithHelp("%s", HelpWithNames(name, "the sizes are ", d.SizeNames()))}
}

// HelpWithNames suggests what a mistyped name was meant to be.
func HelpWithNames(name, introduction string, names []string) string {
	if near := source.Suggest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return introduction + strings.Join(names, ", ")
}

// Ints and Int64s convert lists of extents and strides.
func Ints(list []int64) []int {
	converted := make([]int, len(list))
	for i, n := range list {
		converted[i] = int(n)
	}
	return converted
}

// Int64s is the inverse of Ints.
func Int64s(list []int) []int64 {
	converted := make([]int64, len(list))
	for i, n := range list {
		converted[i] = int64(n)
	}
	return converted
}
