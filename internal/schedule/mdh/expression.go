package mdh

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/source"
)

// The text of a low-level expression is Figure 19 (an instance: Figure 17) line by line.
// Each phase lists its operators from the outermost to the innermost: the operator,
// the dimension, the level of the machine that is its tag, the partition variable
// p(layer,dim) with the number of parts, and where its buffers are, in which layout.
//
//	lowlevel S0 on host
//	de-composition
//	  ++ i  (COR,0)  p(1,1) in 18  A:MM[1,2] B:MM[1,2]
//	  …
//	scalar
//	  f  A:RM[1,2] B:RM[1,2] -> C:RM[1,2]
//	  i  (COR,0)  p(1,1) in 18
//	  …
//	re-composition
//	  ++ i  (COR,0)  p(1,1) in 18  C:MM[1,2]
//
// De-composition always inverts a concatenation, so its operators are all ++. Levels with
// one part may be left out, as long as each dimension has a level: they are walked last,
// by what the others leave over, with all buffers where they are from the beginning. Marks
// (see Marks) stand in braces behind the buffers of the de-composition.

// phaseNames are the headings of the phases.
var phaseNames = [...]string{"de-composition", "scalar", "re-composition"}

// ExpressionHeading is the word with which a low-level expression begins.
const ExpressionHeading = "lowlevel"

// Expression writes a configuration of a computation as a low-level expression.
func (k *Configuration) Expression(c *Computation) string { return k.expression(c, false) }

// BriefExpression is Expression without the levels of one part, but for one in
// dimensions that have no other.
func (k *Configuration) BriefExpression(c *Computation) string { return k.expression(c, true) }

func (k *Configuration) expression(c *Computation, brief bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s on %s\n", ExpressionHeading, c.Name, k.Model.Name)
	for p := Decompose; p <= Recompose; p++ {
		fmt.Fprintln(&b, phaseNames[p])
		if p == Scalar {
			fmt.Fprintf(&b, "  f  %s -> %s\n", k.placesText(k.Inputs, k.ScalarInputs), k.placesText(k.Outputs, k.ScalarOutputs))
		}
		for _, l := range k.Ordered(p) {
			if brief && k.isIdle(l) {
				continue
			}
			r, dim := k.Row(l), c.Dims[l.Dim-1]
			operator := map[Phase]string{Decompose: "++ ", Scalar: "", Recompose: dim.Operator() + " "}[p]
			line := fmt.Sprintf("  %s%s  (%s)  p%s in %s", operator, dim.Name(), k.Model.LevelName(r.Assign[p]), l, r.partsText())
			switch p {
			case Decompose:
				line += "  " + k.placesText(k.Inputs, r.In)
				if marks := r.marksText(); marks != "" {
					line += " {" + marks + "}"
				}
			case Recompose:
				line += "  " + k.placesText(k.Outputs, r.Out)
			}
			fmt.Fprintln(&b, strings.TrimRight(line, " "))
		}
	}
	return b.String()
}

// isIdle reports whether a level has one part, and another level stands for its dimension:
// one with parts, or the outermost one.
func (k *Configuration) isIdle(l Level) bool {
	if k.Row(l).Parts != 1 {
		return false
	}
	return l.Layer > 1 || slices.ContainsFunc(k.Active(Decompose), func(o Level) bool { return o.Dim == l.Dim })
}

func (k *Configuration) placesText(names []string, places []Place) string {
	words := make([]string, len(places))
	for i, p := range places {
		words[i] = names[i] + ":" + k.Model.RegionName(p.Region) + layoutText(p.Layout)
	}
	return strings.Join(words, " ")
}

// expression reads a low-level expression.
func (r *reader) expression() (*Member, error) {
	m, err := r.heading()
	if err != nil {
		return nil, err
	}
	r.next++
	var operators [3][]operator
	for p := Decompose; p <= Recompose; p++ {
		if !r.skip() || r.lines[r.next] != phaseNames[p] {
			return nil, r.fail(phaseNames[p])
		}
		r.next++
		if p == Scalar {
			if err := r.scalarFunction(m.Configuration); err != nil {
				return nil, err
			}
		}
		for r.skip() && !slices.Contains(phaseNames[:], r.lines[r.next]) && !isHeading(r.lines[r.next]) {
			o, err := r.operator(m.Configuration)
			if err != nil {
				return nil, err
			}
			if operators[p] = append(operators[p], o); len(operators[p]) > maxLevels {
				return nil, r.fail("fewer levels")
			}
		}
	}
	if err := m.Configuration.fill(operators); err != nil {
		return nil, fmt.Errorf("the low-level expression of S%d: %w", m.Statement, err)
	}
	return m, nil
}

// An operator is a line of a phase.
type operator struct {
	line   int
	name   string // of the combine operator, "" in the scalar phase
	index  string
	level  Level
	row    Row // its parts
	tag    machine.Level
	places []placed
}

// A placed buffer is a place with the name of the buffer.
type placed struct {
	name string
	Place
}

// scalarFunction reads "f A:RM[1,2] -> C:RM[1]".
func (r *reader) scalarFunction(k *Configuration) error {
	if !r.skip() {
		return r.fail("f INPUT:REGION[LAYOUT] … -> OUTPUT:REGION[LAYOUT] …")
	}
	words := strings.Fields(r.lines[r.next])
	arrow := slices.Index(words, "->")
	if words[0] != "f" || arrow < 0 {
		return r.fail("f INPUT:REGION[LAYOUT] … -> OUTPUT:REGION[LAYOUT] …")
	}
	read := func(words []string, names *[]string, places *[]Place) error {
		for _, word := range words {
			p, err := k.readPlaced(word)
			if err != nil {
				return source.LineErrorf(r.next+1, "%w", err)
			}
			*names, *places = append(*names, p.name), append(*places, p.Place)
		}
		return nil
	}
	if err := read(words[1:arrow], &k.Inputs, &k.ScalarInputs); err != nil {
		return err
	}
	if err := read(words[arrow+1:], &k.Outputs, &k.ScalarOutputs); err != nil {
		return err
	}
	r.next++
	return nil
}

// readPlaced reads "A:MM[1,2]".
func (k *Configuration) readPlaced(word string) (placed, error) {
	at := strings.LastIndex(word, ":")
	bracket := strings.LastIndex(word, "[")
	if at < 1 || bracket < at {
		return placed{}, fmt.Errorf("found %q, expected BUFFER:REGION[LAYOUT]", word)
	}
	p, err := k.readPlace(word[at+1:bracket], word[bracket:])
	return placed{word[:at], p}, err
}

// operator reads one line of a phase.
func (r *reader) operator(k *Configuration) (operator, error) {
	const form = "OPERATOR INDEX (LEVEL) p(layer,dim) in PARTS [BUFFER:REGION[LAYOUT] …] [{MARK,…}]"
	var o operator
	words := strings.Fields(r.lines[r.next])
	at := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "p(") })
	if at < 2 || len(words) < at+3 || words[at+1] != "in" {
		return o, r.fail(form)
	}
	tag, ok := k.Model.ParseLevel(strings.Trim(words[at-1], "()"))
	if !ok {
		return o, r.fail("a level of " + k.Model.Name + " in parentheses")
	}
	o.tag, o.line = tag, r.next+1
	o.name, o.index = strings.Join(words[:at-2], " "), words[at-2]
	if _, err := fmt.Sscanf(words[at], "p(%d,%d)", &o.level.Layer, &o.level.Dim); err != nil || "p"+o.level.String() != words[at] || o.level.Layer < 1 || o.level.Dim < 1 || o.level.Dim > maxLevels || o.level.Layer > len(k.Model.Layers) {
		return o, r.fail(form)
	}
	if !o.row.readParts(words[at+2]) {
		return o, r.fail(form)
	}
	for _, word := range words[at+3:] {
		if inner, marked := strings.CutPrefix(word, "{"); marked {
			if err := o.row.readMarks(strings.TrimSuffix(inner, "}")); err != nil {
				return o, source.LineErrorf(r.next+1, "%w", err)
			}
			continue
		}
		p, err := k.readPlaced(word)
		if err != nil {
			return o, source.LineErrorf(r.next+1, "%w", err)
		}
		o.places = append(o.places, p)
	}
	r.next++
	return o, nil
}

// fill makes the rows of a configuration from the operators of its phases.
func (k *Configuration) fill(operators [3][]operator) error {
	k.Layers = len(k.Model.Layers)
	for _, o := range operators[Decompose] {
		k.Dims = max(k.Dims, o.level.Dim)
	}
	k.Rows, k.Names, k.Operators = make([]Row, k.Layers*k.Dims), make([]string, k.Dims), make([]string, k.Dims)
	for p := Decompose; p <= Recompose; p++ {
		seen := make([]bool, len(k.Rows))
		for position, o := range operators[p] {
			at := (o.level.Layer-1)*k.Dims + o.level.Dim - 1
			if o.level.Dim > k.Dims {
				return source.LineErrorf(o.line, "%s: level %s is not in the de-composition", phaseNames[p], o.level)
			}
			if seen[at] {
				return source.LineErrorf(o.line, "%s: level %s is there twice", phaseNames[p], o.level)
			}
			seen[at] = true
			if err := k.fillNames(p, o); err != nil {
				return source.LineErrorf(o.line, "%s: %w", phaseNames[p], err)
			}
			r := &k.Rows[at]
			if p == Decompose {
				r.Parts, r.Size, r.Pad, r.Marks = o.row.Parts, o.row.Size, o.row.Pad, o.row.Marks
			}
			r.Order[p], r.Assign[p] = position, o.tag
			if err := k.fillPlaces(r, p, o); err != nil {
				return err
			}
		}
		if err := k.fillIdle(p, seen, len(operators[p])); err != nil {
			return err
		}
		for _, o := range operators[p] {
			if r := k.Row(o.level); r.partsText() != o.row.partsText() {
				return source.LineErrorf(o.line, "%s: level %s has %s parts, and %s in the de-composition", phaseNames[p], o.level, o.row.partsText(), r.partsText())
			}
		}
	}
	return nil
}

// fillNames takes the index and the combine operator of a dimension, which are the same on all
// its layers. Data is taken apart by concatenation whatever the results are combined with.
func (k *Configuration) fillNames(p Phase, o operator) error {
	d := o.level.Dim - 1
	if k.Names[d] == "" {
		k.Names[d] = o.index
	}
	switch {
	case k.Names[d] != o.index:
		return fmt.Errorf("level %s is of %s, found %s", o.level, k.Names[d], o.index)
	case p == Decompose && o.name != "++" || p == Scalar && o.name != "":
		return fmt.Errorf("found the operator %q, expected %q", o.name, map[Phase]string{Decompose: "++"}[p])
	case p == Recompose && k.Operators[d] != "" && k.Operators[d] != o.name:
		return fmt.Errorf("level %s is combined with %s, found %s", o.level, k.Operators[d], o.name)
	case p == Recompose:
		k.Operators[d] = o.name
	}
	return nil
}

// fillPlaces takes the buffers of an operator.
func (k *Configuration) fillPlaces(r *Row, p Phase, o operator) error {
	names, places := []string(nil), (*[]Place)(nil)
	switch p {
	case Decompose:
		names, places = k.Inputs, &r.In
	case Recompose:
		names, places = k.Outputs, &r.Out
	}
	for i, b := range o.places {
		if i >= len(names) || names[i] != b.name {
			return source.LineErrorf(o.line, "%s: level %s has the buffer %s, expected %v", phaseNames[p], o.level, b.name, names)
		}
		*places = append(*places, b.Place)
	}
	if len(o.places) != len(names) {
		return source.LineErrorf(o.line, "%s: level %s has %d buffers, expected %v", phaseNames[p], o.level, len(o.places), names)
	}
	return nil
}

// fillIdle adds the levels that are left out of a phase behind the first others.
func (k *Configuration) fillIdle(p Phase, seen []bool, others int) error {
	taken := map[machine.Level]bool{}
	for at, there := range seen {
		if there {
			taken[k.Rows[at].Assign[p]] = true
		}
	}
	for at, there := range seen {
		if there {
			continue
		}
		l, r := k.LevelOf(at), &k.Rows[at]
		if p == Decompose {
			r.Parts = 1
		} else if r.Parts != 1 {
			return fmt.Errorf("%s: level %s is missing; it has %s parts in the de-composition, and only levels of one part may be left out", phaseNames[p], l, r.partsText())
		}
		r.Order[p], r.Assign[p] = others, k.leftOver(p, l, seen, taken)
		taken[r.Assign[p]] = true
		others++
		for _, q := range k.ScalarInputs {
			if p == Decompose {
				r.In = append(r.In, Place{1, rowMajor(len(q.Layout))})
			}
		}
		for _, q := range k.ScalarOutputs {
			if p == Recompose {
				r.Out = append(r.Out, Place{1, rowMajor(len(q.Layout))})
			}
		}
	}
	return nil
}

// leftOver is who walks a level that is left out: the layer of the machine that walks
// the same partition layer of other dimensions, or the first that is free.
func (k *Configuration) leftOver(p Phase, l Level, seen []bool, taken map[machine.Level]bool) machine.Level {
	for dim := 1; dim <= k.Dims; dim++ {
		at := (l.Layer-1)*k.Dims + dim - 1
		if own := (machine.Level{Layer: k.Rows[at].Assign[p].Layer, Dim: l.Dim}); seen[at] && !taken[own] {
			return own
		}
	}
	for _, layer := range partitionLayers(k.Model) {
		if own := (machine.Level{Layer: layer, Dim: l.Dim}); !taken[own] {
			return own
		}
	}
	return machine.Level{}
}
