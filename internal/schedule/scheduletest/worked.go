package scheduletest

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// worked has trees as somebody writes them who wants fast kernels: with tiles in registers and in local memory. Each has a line above with
// a function of programs.ein, and lists of sizes of which some do not fit.
//
//go:embed worked.trees
var worked string

// byFragments has trees by which matrix units of devices compute functions of fragmentFunctions.
//
//go:embed fragments.trees
var byFragments string

//go:embed fragments.ein
var fragmentFunctions string

// Worked are functions of float32 under trees that are written by hand.
func Worked() ([]Pair, error) { return pairsOf(worked) }

// Fragments are functions that matrix units compute, under trees that are written by hand.
func Fragments() ([]Pair, error) { return pairsOf(byFragments) }

// pairsOf are the functions and trees of a text, one for each list of sizes.
func pairsOf(text string) (list []Pair, err error) {
	for _, part := range strings.Split(text, "\n\n") {
		head, tree, _ := strings.Cut(part, "\n")
		name, sizes, _ := strings.Cut(head, " ")
		for n, text := range strings.Split(sizes, ", ") {
			p, err := workedPair(name, text, tree)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", head, err)
			}
			p.How = fmt.Sprintf("written by hand, sizes %d", n)
			list = append(list, p)
		}
	}
	return list, nil
}

func workedPair(name, sizes, tree string) (p Pair, err error) {
	p.Program, p.Sizes = name, map[string]int64{}
	for _, field := range strings.Fields(sizes) {
		size, value, _ := strings.Cut(field, "=")
		if p.Sizes[size], err = strconv.ParseInt(value, 10, 64); err != nil {
			return p, err
		}
	}
	for _, text := range append(functionsOf(fragmentFunctions), families...) {
		if strings.HasPrefix(text, "func "+name+" ") {
			text = literal.ReplaceAllString(strings.NewReplacer("{T}", "float32", "{F}", "float32", "{R}", "+", "{A}", "argmax").Replace(text), "${1}f32")
			if p.F, err = ein.ParseFunc("worked", text); err != nil {
				return p, err
			}
		}
	}
	if p.Tree, err = schedule.Parse(tree); err != nil {
		return p, err
	}
	if p.Args, err = eintest.Arguments(1, p.F, p.Sizes); err != nil {
		return p, err
	}
	if p.G, err = p.F.Specialise(p.Sizes, nil); err != nil {
		return p, err
	}
	return p, schedule.Check(p.G, p.Tree)
}

// FragmentFunctions are the functions of Fragments.
func FragmentFunctions() (list []*ein.Func, err error) {
	for _, text := range functionsOf(fragmentFunctions) {
		f, err := ein.ParseFunc("fragments", text)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}
