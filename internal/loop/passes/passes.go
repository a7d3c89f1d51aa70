// Package passes changes finished loop programs by named rules that keep their meaning.
package passes

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/loop"
)

// How it works
//
// Package lower makes loops by the tree alone, from place to place. What is seen only where all of them stand, such as
// three loops over the channels of a picture that could be one, is left to the passes of Table, each in its file with
// an essay. A pass takes a finished program, changes it in place, and knows nothing but what the text form of loops
// says: what the schedule decides reaches it as a mark of a node (loop.For.Hold). So each can be tried on a text, and
// `show --stage loop --after NAME` prints what is there behind it.
//
// A pass may rely on what its row needs, and what it promises holds until the end. loop.Verify accepts the program, and
// loop.Evaluate computes the same, bit by bit, between any two: tests ask for all of that. A compilation
// verifies once, behind the last.

// A Pass is a row of the table.
type Pass struct {
	Name     string
	Doc      string
	Needs    []Property // of what it is given, beside that it is accepted by loop.Verify
	Promises []Property // of all programs from it on
	run      func(p *pass)
}

// A pass is a run of one.
type pass struct {
	f     *loop.Func
	fresh *loop.Fresh
}

// Table lists the passes in the order in which they run.
func Table() []Pass {
	return []Pass{
		{"hold", "loads what a register tile reads several times once, into registers that compilers leave alone, where loops ask for it",
			[]Property{NamedApart}, []Property{NothingHeld}, hold},
		{"weave", "makes one loop of those that write between the lanes of each other, so that whole vectors are stored",
			[]Property{NamedApart}, []Property{Woven}, weave},
		{"hoist", "reads vectors that stay the same before loops with tests, which compilers move nothing out of",
			[]Property{NamedApart, Woven, Untested}, []Property{Hoisted}, hoist},
		{"share-rows", "reads each row of a window once, for all points of a tile",
			[]Property{NamedApart, NothingHeld}, []Property{RowsShared}, shareRows},
		{"share-workspace", "gives temporaries that are never in use at once the same bytes",
			nil, []Property{Packed}, shareWorkspace},
	}
}

// Lowered is the name of what there is before the first pass.
const Lowered = "lower"

// Names lists the names of the passes, after Lowered.
func Names() []string {
	list := []string{Lowered}
	for _, p := range Table() {
		list = append(list, p.Name)
	}
	return list
}

// Run applies the passes to a program, up to and with the one of a name; all of them without. New names come from a
// source that knows those of the program; nil makes one.
func Run(f *loop.Func, fresh *loop.Fresh, last string) {
	if last == Lowered {
		return
	}
	for _, row := range Table() {
		if row.Run(f, fresh); row.Name == last {
			return
		}
	}
}

// Known reports whether a name is one of Names.
func Known(name string) bool { return slices.Contains(Names(), name) }

// Run applies one pass; fresh as in Run.
func (row Pass) Run(f *loop.Func, fresh *loop.Fresh) {
	if fresh == nil {
		fresh = loop.FreshFor(f)
	}
	row.run(&pass{f, fresh})
}
