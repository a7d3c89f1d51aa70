package ricci

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/strand/lower"
)

// A StrandDeclaration is something that a program of strands declares: an input, const, global, field,
// image, kernel or function of the program, a parameter or an output of the strand.
type StrandDeclaration struct {
	Kind  string `json:"kind"`
	Type  string `json:"type"`
	Name  string `json:"name"`
	Value string `json:"value,omitempty"` // what it begins with, as it is written
	Doc   string `json:"doc,omitempty"`
}

// String writes the declaration in one line.
func (d StrandDeclaration) String() string {
	text := d.Kind + " " + d.Type + " " + d.Name
	if d.Kind == "field" { // which its type says
		text = d.Type + " " + d.Name
	}
	if d.Value != "" && d.Kind != "output" {
		text += " = " + d.Value
	}
	if d.Doc != "" {
		text += "  (" + d.Doc + ")"
	}
	return text
}

// Declarations lists what the program declares.
func (s *Strands) Declarations() []StrandDeclaration {
	var list []StrandDeclaration
	for _, d := range s.program.unit.Declared {
		list = append(list, StrandDeclaration{Kind: d.Kind, Type: d.Type, Name: d.Name, Value: d.Value, Doc: d.Doc})
	}
	return list
}

// A StrandManner is how strands run.
type StrandManner struct {
	// Collection says that strands may be created and die; otherwise they are an array.
	Collection bool `json:"collection"`
	// Steps says that strands notice each other, or are noticed by the program, so that they run in
	// super-steps; otherwise each runs to its end.
	Steps bool `json:"steps"`
	// Native says that a compiled kernel runs them; otherwise Why says what hinders it.
	Native bool   `json:"native"`
	Why    string `json:"why,omitempty"`
}

// String says it in words.
func (m StrandManner) String() string {
	words := []string{"an array of strands"}
	if m.Collection {
		words[0] = "a collection of strands"
	}
	if m.Steps {
		words = append(words, "which run in super-steps")
	} else {
		words = append(words, "each of which runs to its end")
	}
	if m.Native {
		return strings.Join(words, ", ") + ", natively"
	}
	return fmt.Sprintf("%s, by the evaluator: %s", strings.Join(words, ", "), m.Why)
}

// Manner says how the strands run.
func (s *Strands) Manner() StrandManner {
	m := StrandManner{Collection: s.lowered.Create.Collection, Steps: s.lowered.Uses().Communicates(), Native: true}
	if err := lower.Check(s.lowered); err != nil {
		m.Native, m.Why = false, err.Error()
	}
	return m
}

// String describes the strand in one line: its name, its parameters, and how strands run.
func (s *Strands) String() string {
	var params []string
	for _, d := range s.Declarations() {
		if d.Kind == "parameter" {
			params = append(params, d.Type+" "+d.Name)
		}
	}
	return fmt.Sprintf("strand %s(%s): %s", s.Name(), strings.Join(params, ", "), s.Manner())
}
