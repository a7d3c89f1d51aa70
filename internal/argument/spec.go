// Package argument makes the arguments of a call out of what people write on a
// command line or in a test block: files, generators and numbers.
package argument

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/testblock"
)

// How it works
//
// Some arguments have a shape of their own (files, literals); together with the
// sizes that are given they fix the sizes of the def. The others (random, iota,
// const) take the shape that the def declares for these sizes. Resolve does both
// steps and names every argument that it had to make up.

// A Spec says where the value of an argument comes from.
type Spec struct {
	Text string // as written
	Kind SpecKind
	Path string             // File: the path, with ":member" for archives
	List *testblock.Literal // List: the elements
	Seed uint64             // Random
	Own  bool               // Random: the seed was written
	V    float64            // Const
	I    int64              // Const: the exact value where IsInt
	// IsInt says that a Const was written as an integer, Unsigned that it is
	// beyond int64 and I has its bits.
	IsInt, Unsigned bool

	number string // Const: as written
}

var calledSpec = regexp.MustCompile(`^(random|const)\((.*)\)$`)

// SpecKind is the kind of a Spec.
type SpecKind int

// The kinds of specs.
const (
	File SpecKind = iota
	Random
	Iota
	Const
	List
)

// ParseSpec reads PATH, random, random:SEED, iota, const:V, a list of elements
// such as [[1, 2], [3, 4]], or a number, which is const of that number. random(SEED)
// and const(V), as tests in programs have them, are the same.
func ParseSpec(text string) (Spec, error) {
	s := Spec{Text: text}
	word, rest, colon := strings.Cut(text, ":")
	if called := calledSpec.FindStringSubmatch(text); called != nil {
		word, rest, colon = called[1], called[2], true
	}
	switch {
	case text == "":
		return s, fmt.Errorf("an empty value; write a path, random, random:SEED, iota, const:V, a list or a number")
	case strings.HasPrefix(strings.TrimSpace(text), "["):
		list, err := testblock.ParseLiteral(text)
		s.Kind, s.List = List, list
		return s, err
	case word == "random" && !colon:
		s.Kind = Random
		return s, nil
	case word == "random":
		seed, err := strconv.ParseUint(rest, 0, 64)
		if err != nil {
			return s, fmt.Errorf("%q is not a seed; write random:SEED with an integer", rest)
		}
		s.Kind, s.Seed, s.Own = Random, seed, true
		return s, nil
	case text == "iota":
		s.Kind = Iota
		return s, nil
	case word == "const" && colon:
		return s, s.constant(rest)
	}
	if s.constant(text) == nil {
		return s, nil
	}
	s.Kind, s.Path = File, text
	return s, nil
}

// constant reads the value of a Const.
func (s *Spec) constant(text string) error {
	s.Kind, s.number = Const, text
	switch text {
	case "true", "false":
		s.IsInt = true
		if text == "true" {
			s.I, s.V = 1, 1
		}
		return nil
	}
	if i, err := strconv.ParseInt(text, 0, 64); err == nil {
		s.I, s.V, s.IsInt = i, float64(i), true
		return nil
	}
	if u, err := strconv.ParseUint(text, 0, 64); err == nil { // above int64
		s.I, s.V, s.IsInt, s.Unsigned = int64(u), float64(u), true, true
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("%q is not a number", text)
	}
	s.V = v
	return nil
}
