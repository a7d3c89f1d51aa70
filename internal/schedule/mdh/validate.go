package mdh

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// A Violation is a constraint that a configuration breaks.
type Violation struct {
	Parameter string // of Table 1
	Level     Level  // zero where the parameter belongs to no level
	Message   string
}

// Error names parameter and level.
func (v Violation) Error() string {
	if v.Level == (Level{}) {
		return fmt.Sprintf("parameter %s: %s", v.Parameter, v.Message)
	}
	return fmt.Sprintf("parameter %s at level %s: %s", v.Parameter, v.Level, v.Message)
}

// An InvalidError says that the configuration of a statement breaks constraints.
type InvalidError struct {
	Statement  string // such as "S0"
	Model      string
	Violations []Violation // one at least
}

// Error names the statement, and parameter and level of each violation, in a line of its own where
// there are several.
func (e *InvalidError) Error() string {
	text := "the configuration of " + e.Statement + " is not valid"
	if e.Model != machine.HostName {
		text += " for the model " + e.Model
	}
	if len(e.Violations) == 1 {
		return text + ": " + e.Violations[0].Error()
	}
	for _, v := range e.Violations {
		text += "\n  " + v.Error()
	}
	return text
}

// Unwrap returns the violations.
func (e *InvalidError) Unwrap() []error {
	errs := make([]error, len(e.Violations))
	for i, v := range e.Violations {
		errs[i] = v
	}
	return errs
}

// Line returns the number of the line of a text, which was parsed, that the first violation is about:
// the row of the level, or the heading of the configuration; 0 where there is none.
func (e *InvalidError) Line(text string) int {
	return lineOf(text, e.Statement, e.Violations[0].Level)
}

// lineOf finds the row of a level in the configuration of a statement, or its heading; 0 where there
// is none.
func lineOf(text, statement string, level Level) (line int) {
	number := 0
	for l := range strings.Lines(text) {
		number++
		switch words := strings.Fields(l); {
		case len(words) < 2 || words[0][0] == '#':
		case words[0] == "mdh" || words[0] == "lowlevel":
			if line > 0 {
				return line
			}
			if words[1] == statement {
				line = number
			}
		case line > 0 && (words[0] == level.String() || slices.Contains(words, "p"+level.String())): // of a table, of an expression
			return number
		}
	}
	return line
}

// Options of Validate.
type Options struct {
	// Exact asks for the paper's constraint that parts divide sizes.
	Exact bool
}

// Validate returns the constraints that a configuration of a computation breaks: first
// the algorithmic ones and, where those hold, the ones of its model.
func Validate(c *Computation, k *Configuration, options Options) []Violation {
	v := &validator{c: c, k: k, exact: options.Exact}
	v.shape()
	if len(v.found) == 0 {
		v.parts()
		v.permutations()
		v.places()
	}
	if len(v.found) == 0 && c.Ordered {
		v.inOrder()
	}
	if len(v.found) == 0 {
		v.model()
	}
	return v.found
}

type validator struct {
	c     *Computation
	k     *Configuration
	exact bool
	found []Violation
}

func (v *validator) add(parameter string, l Level, format string, args ...any) {
	v.found = append(v.found, Violation{parameter, l, fmt.Sprintf(format, args...)})
}

// shape checks that the configuration is one of the computation at all.
func (v *validator) shape() {
	c, k := v.c, v.k
	switch {
	case k.Layers != len(k.Model.Layers):
		v.add("0", Level{}, "the model %s has %d layers, and %d are partitioned", k.Model.Name, len(k.Model.Layers), k.Layers)
	case k.Dims != len(c.Dims):
		v.add("0", Level{}, "%s has %d dimensions, and %d are partitioned", c.Name, len(c.Dims), k.Dims)
	case len(k.Rows) != k.Layers*k.Dims:
		v.add("0", Level{}, "%d levels are given, expected %d layers × %d dimensions", len(k.Rows), k.Layers, k.Dims)
	}
	names := func(parameter string, buffers []*Buffer, given []string) {
		for i := 0; i < max(len(buffers), len(given)); i++ {
			if i >= len(buffers) || i >= len(given) || buffers[i].Name() != given[i] {
				want := make([]string, len(buffers))
				for b := range buffers {
					want[b] = buffers[b].Name()
				}
				v.add(parameter, Level{}, "the buffers of %s are %v, found %v", c.Name, want, given)
				return
			}
		}
	}
	names("D3", c.Inputs, k.Inputs)
	names("R3", c.Outputs, k.Outputs)
	if len(k.ScalarInputs) != len(k.Inputs) || len(k.ScalarOutputs) != len(k.Outputs) {
		v.add("S3", Level{}, "expected a region for each buffer of the scalar function")
	}
	for d, dim := range c.Dims {
		if d < len(k.Names) && k.Names[d] != "" && k.Names[d] != dim.Name() {
			v.add("D1", Level{1, d + 1}, "dimension %d of %s is %s, found %s", d+1, c.Name, dim.Name(), k.Names[d])
		}
		if d < len(k.Operators) && k.Operators[d] != "" && k.Operators[d] != dim.Operator() {
			v.add("R1", Level{1, d + 1}, "%s is combined with %s, found %s", dim.Name(), dim.Operator(), k.Operators[d])
		}
	}
	for at, r := range k.Rows {
		if len(r.In) != len(k.Inputs) || len(r.Out) != len(k.Outputs) {
			v.add("D3", k.LevelOf(at), "expected a region for each of %d inputs and %d outputs", len(k.Inputs), len(k.Outputs))
		}
	}
}

// parts checks parameter 0: the parts of every dimension cover it, and none is empty.
func (v *validator) parts() {
	for d, dim := range v.c.Dims {
		block, outer := max(1, dim.N), 0 // of unknown size inside of the outer layers
		for layer := 1; layer <= v.k.Layers; layer++ {
			l := Level{layer, d + 1}
			switch p := v.k.Row(l).Parts; {
			case v.k.Row(l).Size < 0:
				v.add("0", l, "parts of %d", v.k.Row(l).Size)
				return
			case v.exact && v.k.Row(l).Size > 0:
				v.add("0", l, "the size of parts is that of the parts inside")
				return
			case layer == v.k.Layers && v.k.Tile(l) > 1:
				v.add("0", l, "parts of %d, and nothing is inside: those of the last layer are points", v.k.Tile(l))
				return
			case p < 0:
				v.add("0", l, "%d parts", p)
				return
			case p == AnyParts && dim.N >= 0:
				v.add("0", l, "the number of parts must be given, since the size of %s is known: %d", dim.Name(), dim.N)
				return
			case p == AnyParts && v.outerParts(l):
				v.add("0", l, "as many parts as %s needs can be on its outermost layer only", dim.Name())
				return
			case p == AnyParts:
				block, outer = v.k.Tile(l), layer
			}
		}
		if dim.N < 0 && outer == 0 {
			v.add("0", Level{1, d + 1}, "the size %s of %s is not known, so its outermost layer has * parts", dim.Index.Extent, dim.Name())
			continue
		}
		v.coverage(d, outer+1, block)
	}
}

// outerParts reports whether an outer layer of the dimension has more than one part.
func (v *validator) outerParts(l Level) bool {
	for layer := 1; layer < l.Layer; layer++ {
		if v.k.Row(Level{layer, l.Dim}).Parts != 1 {
			return true
		}
	}
	return false
}

// coverage walks the layers of a dimension from one on, outside of which there are blocks
// of n: a level cuts the block of the levels outside into pieces of its tile. Only lanes may
// be more than it takes, since vectors have the lengths that they have; the rest of them is
// idle. Where the levels outside have come to single points, nothing is left for lanes, nor
// in a dimension of one point.
func (v *validator) coverage(d, from int, n int64) {
	block := n
	for layer := from; layer <= v.k.Layers; layer++ {
		l := Level{layer, d + 1}
		tile, parts := v.k.Tile(l), v.k.Row(l).Parts
		need := 1 + (block-1)/tile
		switch {
		case parts < need:
			v.add("0", l, "%d parts of %d do not cover the block of %d of %s: expected %d (Π #PRT must reach the size %d)", parts, tile, block, v.c.Dims[d].Name(), need, n)
			return
		case parts > need && (v.exact || tile != 1 || !v.onLanes(l) || block == 1):
			v.add("0", l, "%d parts of %d cover the block of %d of %s more than once: expected %d", parts, tile, block, v.c.Dims[d].Name(), need)
			return
		case v.exact && block%tile != 0:
			v.add("0", l, "parts of %d do not divide the block of %d of %s", tile, block, v.c.Dims[d].Name())
			return
		}
		block = min(block, tile)
	}
}

// onLanes reports whether a level is assigned to vector lanes; it may be assigned to nothing
// that there is.
func (v *validator) onLanes(l Level) bool {
	layer := v.k.Row(l).Assign[Decompose].Layer
	return layer >= 1 && layer <= v.k.Layers && v.k.kind(l) == lanesLoop
}

// permutations checks the parameters 1 and 2 of each phase.
func (v *validator) permutations() {
	for p := Decompose; p <= Recompose; p++ {
		taken := map[int]Level{}
		held := map[[2]int]Level{}
		for at, r := range v.k.Rows {
			l := v.k.LevelOf(at)
			if other, twice := taken[r.Order[p]]; twice {
				v.add(orderNames[p], l, "its position is that of %s; the order is a permutation of the levels", other)
			}
			if r.Order[p] < 0 || r.Order[p] >= len(v.k.Rows) {
				v.add(orderNames[p], l, "position %d of %d levels", r.Order[p]+1, len(v.k.Rows))
			}
			taken[r.Order[p]] = l
			a := r.Assign[p]
			if a.Layer < 1 || a.Layer > v.k.Layers || a.Dim < 1 || a.Dim > v.k.Dims {
				v.add(assignNames[p], l, "%s is no level of the model %s in %d dimensions", v.k.Model.LevelName(a), v.k.Model.Name, v.k.Dims)
			}
			key := [2]int{a.Layer, a.Dim}
			if other, twice := held[key]; twice {
				v.add(assignNames[p], l, "%s is assigned to %s already; the assignment is a bijection", v.k.Model.LevelName(a), other)
			}
			held[key] = l
		}
	}
}

// places checks the ranges of regions and layouts.
func (v *validator) places() {
	for at, r := range v.k.Rows {
		for b, p := range r.In {
			v.place("D3", "D4", v.k.LevelOf(at), v.c.Inputs[b], p)
		}
		for b, p := range r.Out {
			v.place("R3", "R4", v.k.LevelOf(at), v.c.Outputs[b], p)
		}
	}
	for b, p := range v.k.ScalarInputs {
		v.place("S3", "S4", Level{}, v.c.Inputs[b], p)
	}
	for b, p := range v.k.ScalarOutputs {
		v.place("S5", "S6", Level{}, v.c.Outputs[b], p)
	}
}

func (v *validator) place(region, layout string, l Level, b *Buffer, p Place) {
	if p.Region < 1 || p.Region > v.k.Model.Memories() {
		v.add(region, l, "region %d for %s; the model %s has %d", p.Region, b.Name(), v.k.Model.Name, v.k.Model.Memories())
	}
	sorted := slices.Sorted(slices.Values(p.Layout))
	if !slices.Equal(sorted, rowMajor(b.Rank())) {
		v.add(layout, l, "%s is no layout of %s: expected a permutation of %s", layoutText(p.Layout), b.Name(), layoutText(rowMajor(b.Rank())))
	}
}

// inOrder checks a computation whose reduced dimensions cannot all be exchanged: in the
// re-composition they come in the order of the program, and in each the inner layers
// are combined before the outer ones, so that neighbours are combined in order.
func (v *validator) inOrder() {
	for d, dim := range v.c.Dims {
		layers := 0
		for layer := 1; layer <= v.k.Layers && dim.Reduced() && !dim.Index.Combine.Op.Associative; layer++ {
			l := Level{layer, d + 1}
			if v.k.Row(l).Parts != 1 {
				layers++
			}
			if layers > 1 {
				v.add("0", l, "the operator %s is not associative, so %s has one layer of parts", dim.Operator(), dim.Name())
				return
			}
		}
	}
	runs, run := v.c.runs(), 0
	layers := make([]int, len(v.c.Dims)) // the last one of each dimension
	for _, l := range v.k.Active(Recompose) {
		dim := v.c.Dims[l.Dim-1]
		if !dim.Reduced() {
			continue
		}
		fold := dim.Index.Combine.Kind == ein.Reduce && dim.Index.Combine.Op.Commutative
		if runs[l.Dim-1] < run || l.Layer < layers[l.Dim-1] && !fold {
			v.add("R1", l, "%s is combined in order: the levels of its reduced dimensions come in the order of the program, but for neighbours with one operator that commutes, and outer layers first", v.c.Name)
			return
		}
		run, layers[l.Dim-1] = runs[l.Dim-1], l.Layer
	}
}

// runs numbers the runs of reduced dimensions that may change places (schedule.OrderRuns), by dimension.
func (c *Computation) runs() []int {
	numbers := make([]int, len(c.Dims))
	for n, run := range schedule.OrderRuns(c.of) {
		for _, i := range run {
			numbers[c.dim(i)] = n
		}
	}
	return numbers
}
