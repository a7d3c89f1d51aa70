package mdh

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/schedule/system"
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
// De-composition always inverts a concatenation, so its operators are all ++.

// phaseNames are the headings of the phases.
var phaseNames = [...]string{"de-composition", "scalar", "re-composition"}

// ExpressionHeading is the word with which a low-level expression begins.
const ExpressionHeading = "lowlevel"

// Expression writes a configuration of a computation as a low-level expression.
func (k *Configuration) Expression(c *Computation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s on %s\n", ExpressionHeading, c.Name, k.Model.Name)
	for p := Decompose; p <= Recompose; p++ {
		fmt.Fprintln(&b, phaseNames[p])
		if p == Scalar {
			fmt.Fprintf(&b, "  f  %s -> %s\n", k.placesText(k.Inputs, k.ScalarInputs), k.placesText(k.Outputs, k.ScalarOutputs))
		}
		for _, l := range k.Ordered(p) {
			r, dim := k.Row(l), c.Dims[l.Dim-1]
			operator := map[Phase]string{Decompose: "++ ", Scalar: "", Recompose: dim.Operator() + " "}[p]
			line := fmt.Sprintf("  %s%s  (%s)  p%s in %s", operator, dim.Name(), k.Model.LevelName(r.Assign[p]), l, partsText(r.Parts))
			switch p {
			case Decompose:
				line += "  " + k.placesText(k.Inputs, r.In)
			case Recompose:
				line += "  " + k.placesText(k.Outputs, r.Out)
			}
			fmt.Fprintln(&b, strings.TrimRight(line, " "))
		}
	}
	return b.String()
}

func (k *Configuration) placesText(names []string, places []Place) string {
	words := make([]string, len(places))
	for i, p := range places {
		words[i] = names[i] + ":" + k.Model.RegionName(p.Region) + layoutText(p.Layout)
	}
	return strings.Join(words, " ")
}

// ParseExpression reads the text of a low-level expression. models is as for ParsePlan.
func ParseExpression(text string, models func(statement int) *system.Model) (*Member, error) {
	r := &reader{models: models}
	for line := range strings.Lines(text) {
		r.lines = append(r.lines, strings.TrimSpace(line))
	}
	if !r.skip() || !strings.HasPrefix(r.lines[r.next], ExpressionHeading+" ") {
		return nil, r.fail("lowlevel S0 on MODEL")
	}
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
		for r.skip() && !slices.Contains(phaseNames[:], r.lines[r.next]) {
			o, err := r.operator(m.Configuration)
			if err != nil {
				return nil, err
			}
			if operators[p] = append(operators[p], o); len(operators[p]) > maxLevels {
				return nil, r.fail("fewer levels")
			}
		}
	}
	return m, m.Configuration.fill(operators)
}

// An operator is a line of a phase.
type operator struct {
	level  Level
	parts  int64
	tag    system.Level
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
				return fmt.Errorf("line %d: %w", r.next+1, err)
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
	const form = "OPERATOR INDEX (LEVEL) p(layer,dim) in PARTS [BUFFER:REGION[LAYOUT] …]"
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
	o.tag = tag
	if _, err := fmt.Sscanf(words[at], "p(%d,%d)", &o.level.Layer, &o.level.Dim); err != nil || "p"+o.level.String() != words[at] || o.level.Layer < 1 || o.level.Dim < 1 || o.level.Dim > maxLevels || o.level.Layer > len(k.Model.Layers) {
		return o, r.fail(form)
	}
	if n, err := strconv.ParseInt(words[at+2], 10, 64); err == nil && n > 0 {
		o.parts = n
	} else if words[at+2] != "*" {
		return o, r.fail(form)
	}
	for _, word := range words[at+3:] {
		p, err := k.readPlaced(word)
		if err != nil {
			return o, fmt.Errorf("line %d: %w", r.next+1, err)
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
	count := k.Layers * k.Dims
	k.Rows = make([]Row, count)
	for p := Decompose; p <= Recompose; p++ {
		seen := make([]bool, count)
		if len(operators[p]) != count {
			return fmt.Errorf("%s has %d operators, expected one for each of %d layers and %d dimensions", phaseNames[p], len(operators[p]), k.Layers, k.Dims)
		}
		for position, o := range operators[p] {
			at := (o.level.Layer-1)*k.Dims + o.level.Dim - 1
			if o.level.Dim > k.Dims || seen[at] {
				return fmt.Errorf("%s: level %s is there twice", phaseNames[p], o.level)
			}
			seen[at] = true
			r := &k.Rows[at]
			if p > Decompose && r.Parts != o.parts {
				return fmt.Errorf("%s: level %s has %s parts, and %s in the de-composition", phaseNames[p], o.level, partsText(o.parts), partsText(r.Parts))
			}
			r.Parts, r.Order[p], r.Assign[p] = o.parts, position, o.tag
			names, places := []string(nil), (*[]Place)(nil)
			switch p {
			case Decompose:
				names, places = k.Inputs, &r.In
			case Recompose:
				names, places = k.Outputs, &r.Out
			}
			for i, b := range o.places {
				if i >= len(names) || names[i] != b.name {
					return fmt.Errorf("%s: level %s has the buffer %s, expected %v", phaseNames[p], o.level, b.name, names)
				}
				*places = append(*places, b.Place)
			}
			if len(o.places) != len(names) {
				return fmt.Errorf("%s: level %s has %d buffers, expected %v", phaseNames[p], o.level, len(o.places), names)
			}
		}
	}
	return nil
}
