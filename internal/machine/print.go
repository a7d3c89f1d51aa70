package machine

import (
	"fmt"
	"slices"
	"strings"
)

// The text form of a machine
//
//	machine zen                       # what is behind # is a comment
//	programs trees                    # its programs are schedule trees
//	axes xyz                          # names of the dimensions of a level
//
//	memory L1                         # memories from slow to fast
//	  capacity 32 KiB (system)        # a fact, and who knows it
//	core COR                          # cores from the outermost to the innermost
//	  count 8
//	constraint parts-together layers THR at-most 1024 "a block has at most 1024 threads"
//
// The words of facts are the table layerKeys, those of constraints kindNames. ParseMachine reads what Text
// writes.

// kindNames are the words for kinds of constraints.
var kindNames = map[Kind]string{
	PartsTogether: "parts-together", PartsAlong: "parts-along", PowerOfTwo: "power-of-two", OneDimension: "one-dimension", CombineIn: "combine-in",
	Visible: "visible", Capacity: "capacity", Fused: "fused", Nested: "nested", Adjacent: "adjacent", Neighbours: "neighbours", SameUnits: "same-units", Innermost: "innermost",
	Falling: "falling", ReduceAlone: "reduce-alone", Trees: "trees",
}

// Text writes the machine so that ParseMachine reads it.
func (m *Machine) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "machine %s\n", m.Name)
	if m.Trees {
		b.WriteString("programs trees\n")
	}
	if m.Axes != "" {
		fmt.Fprintf(&b, "axes %s\n", m.Axes)
	}
	for i := range m.Layers {
		l := &m.Layers[i]
		kind, of := "memory", ofMemories
		if l.Core {
			kind, of = "core", ofCores
		}
		fmt.Fprintf(&b, "\n%s %s\n", kind, l.Name)
		for _, k := range layerKeys {
			if text := k.get(l); text != "" && k.of&of != 0 {
				for line := range strings.SplitSeq(text, "\n") {
					fmt.Fprintf(&b, "  %s %s%s\n", k.name, line, l.Origins[k.name].text())
				}
			}
		}
	}
	for i, c := range m.Constraints {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString(c.text() + "\n")
	}
	return b.String()
}

func (o Origin) text() string {
	if o == Given {
		return ""
	}
	return " (" + string(o) + ")"
}

func (c Constraint) text() string {
	words := []string{"constraint", kindNames[c.Kind]}
	for _, k := range constraintKeys {
		if text := k.get(&c); text != "" {
			words = append(words, k.name, text)
		}
	}
	return strings.Join(append(words, fmt.Sprintf("%q", c.Reason)), " ")
}

// A constraintKey is a word in the text of a constraint.
type constraintKey struct {
	name string
	get  func(*Constraint) string
	set  func(*Constraint, string) error
}

var constraintKeys = []constraintKey{
	{"of", func(c *Constraint) string { return c.Parameter }, func(c *Constraint, text string) error {
		if !slices.Contains(parameters, text) {
			return fmt.Errorf("expected a parameter of MDH's Table 1: %s", strings.Join(parameters, ", "))
		}
		c.Parameter = text
		return nil
	}},
	{"layers", func(c *Constraint) string { return strings.Join(c.Layers, ",") }, func(c *Constraint, text string) error { c.Layers = strings.Split(text, ","); return nil }},
	{"regions", func(c *Constraint) string { return strings.Join(c.Regions, ",") }, func(c *Constraint, text string) error { c.Regions = strings.Split(text, ","); return nil }},
	{"axis", func(c *Constraint) string { return number(int64(c.Axis)) }, func(c *Constraint, text string) error {
		var n int64
		err := setNumber(&n, text)
		c.Axis = int(n)
		return err
	}},
	{"at-most", func(c *Constraint) string { return number(c.Limit) }, func(c *Constraint, text string) error { return setNumber(&c.Limit, text) }},
}

// parameters are those of MDH's Table 1 that constraints restrict; 0 are the parts.
var parameters = []string{"0", "D1", "D2", "D3", "D4", "S1", "S2", "S3", "S4", "S5", "S6", "R1", "R2", "R3", "R4"}
