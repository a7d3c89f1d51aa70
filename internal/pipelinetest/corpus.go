package pipelinetest

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/examples"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A Sample is a function of a corpus, with the program that it stands in.
type Sample struct {
	Name       string
	File, Text string
	Func       *ein.Func
	Sizes      map[string]int64 // nil: any that fit
	From       *Choices         // for what else is drawn
}

// Seed is a number for what else is drawn about a sample. It depends on the name alone, so that what is recorded of
// one sample stays when there are more.
func (s Sample) Seed() uint64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s.Name))
	return uint64(h.Sum32())
}

// Corpus calls yield with the functions of drawn programs, so many of each kind, and with those of the
// examples. They are the same every time.
func Corpus(each int, yield func(Sample)) error {
	const work = 2000 // points of a family
	text := func(name string, from *Choices, program string, sizes map[string]int64) {
		unit, diagnostics := notations.Of(".tc").Compile(source.NewFile("a.tc", program), lang.Options{})
		if !diagnostics.HasErrors() {
			yield(Sample{Name: name, File: "a.tc", Text: program, Func: unit.Program.Func("f"), Sizes: sizes, From: from})
		}
	}
	drawn := map[string]func(*Choices) (string, map[string]int64){
		"program":     func(c *Choices) (string, map[string]int64) { return DrawProgram(c).Text, nil },
		"convolution": func(c *Choices) (string, map[string]int64) { return DrawConvolution(c, work), nil },
		"family":      func(c *Choices) (string, map[string]int64) { return DrawFamily(c, work) },
		"contraction": func(c *Choices) (string, map[string]int64) { return DrawContraction(c, work) },
		"layers":      func(c *Choices) (string, map[string]int64) { return DrawLayers(c, work) },
		"sums":        func(c *Choices) (string, map[string]int64) { return DrawSums(c, work) },
	}
	for _, name := range slices.Sorted(maps.Keys(drawn)) {
		for seed := range each {
			from := Seeded(uint64(seed))
			program, sizes := drawn[name](from)
			text(fmt.Sprintf("%s%d", name, seed), from, program, sizes)
		}
	}
	for number, name := range Themes() {
		for seed := range 3 {
			from := Seeded(uint64(seed))
			program, sizes := DrawTheme(from, number)
			text(fmt.Sprintf("%s%d", name, seed), from, program, sizes)
		}
	}
	return examples.Each(func(file, program string) error {
		unit, _ := notations.Of(file).Compile(source.NewFile(file, program), lang.Options{})
		for _, f := range unit.Program.Funcs {
			sample := Sample{Name: file + " " + f.Name, File: file, Text: program, Func: f}
			sample.From = Seeded(sample.Seed())
			yield(sample)
		}
		return nil
	})
}

// DrawArguments draws sizes of a case that has none until they fit and the statements have no more
// than so many points, a few times, and makes arguments; ok is false where none fit.
func (c *Case) DrawArguments(from *Choices, most float64) (ok bool) {
	given := c.Sizes != nil
	for range 8 {
		if !given {
			c.Sizes = map[string]int64{}
			for _, s := range c.Func.Sizes {
				c.Sizes[s.Name] = int64(Pick(from, from.Between(1, 4), from.Between(3, 9), from.Between(5, 40)))
			}
		}
		if c.isSmall(most) && c.makeArguments() {
			return true
		}
	}
	return false
}

// isSmall reports whether the statements of a case have few points.
func (c *Case) isSmall(most float64) bool {
	special, err := c.Func.Specialise(c.Sizes, nil)
	if err != nil {
		return false
	}
	points := 0.0
	for _, statement := range special.Body {
		all := 1.0
		for _, i := range statement.Indices {
			n, constant := i.Extent.IsConst()
			if !constant {
				return false
			}
			all *= float64(n)
		}
		points += all
	}
	return points <= most
}

// makeArguments makes arguments for the sizes of a case, if its function accepts them.
func (c *Case) makeArguments() bool {
	shapes, err := c.Func.Shapes(c.Sizes)
	if err != nil {
		return false
	}
	scalars := map[string]int64{}
	for _, s := range c.Func.Sizes {
		if s.Tensor != nil && s.Dim == ein.ScalarValue {
			scalars[s.Tensor.Name] = c.Sizes[s.Name]
		}
	}
	if sizes, err := c.Func.Bind(shapes, scalars); err != nil || !maps.Equal(sizes, c.Sizes) {
		return false
	}
	c.Args = map[string]*tensor.Tensor{}
	for k, x := range c.Func.ByRole(ein.Input, ein.InOut) {
		a, err := tensor.New(x.Type, ints(shapes[x.Name])...)
		if err != nil || a.Len() > 1<<16 {
			return false
		}
		tensor.FillRandom(a, uint64(k)+1)
		if value, ok := scalars[x.Name]; ok {
			a.SetInt(value)
		}
		c.Args[x.Name] = a
	}
	return true
}
