// Package lower makes loops of programs of strands: each runs from its creation to its end, or, where strands
// notice each other, from one super-step to the next.
package lower

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/ordering"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// One kernel runs strands: blocks of them in parallel, and in a block packets of Options.Lanes
// strands, one to a lane. It creates them, or takes up what an earlier call has left, runs
// super-steps until all lanes have ended or a limit is reached, and writes states and how each
// strand ended. Strands see of each other only what was before the call (query.go), so neither blocks, packets
// nor threads change a bit. A call runs the strands of one status: the other lanes of their packets compute
// nothing that is kept, and packets without one are left out.
//
// What is the same for all strands (constants, inputs, globals, numbers of images) is read before
// the loops, and expressions of it have one lane. A local that one statement assigns is a variable
// of the loop program, where all its uses see that; others are Register buffers of length 1.
//
// On a device with groups of items (Options.Items) a packet is one strand, and each is that of an item.
//
// With one lane statements are what they say. With more a condition that lanes may disagree on
// makes a mask, and both sides run under it, each if any lane wants it: assignments of registers
// are masked, those of variables need not be. How a strand ends is a number in a register (end):
// an exit sets it, what follows runs where it is 0.
//
// Blocks of the world are no part of it. Where they run between super-steps, a call is one super-step,
// and reads anew what is the same for all strands: globals, and how many strands there are (Count).
//
// A probe outside of an image sets end to Failed, and notes the statement and the position; it
// reads a place inside of the image instead, so that nothing else depends on it. Who called finds
// the failed strands by their status. The test is one of integers, and loop.Verify proves by it
// that every load is in the image.

// The values of the status of a strand.
const (
	Running = iota
	Continued
	Stabilized
	Died
	Failed
	Full    // it wants more room in the list that Which says, and is what it was before the call
	Waiting // it is to be created
)

// Options say for what a program is lowered.
type Options struct {
	// Images are the sizes of the images by name, the fastest axis first; they are compiled in.
	Images map[string][]int
	// Sequences are how many scalars the sequences of the world have whose length is open.
	Sequences map[string]int
	// Exact has samples computed in float64 and in the order of strand.Evaluate.
	Exact bool
	// Items has each strand run by an item of a grid, of which a group has Block; packets have one lane.
	Items bool
	ordering.Order
}

// A Kernel is the loop program and what its parameters are.
type Kernel struct {
	Loop      *loop.Func
	Arguments []Argument // by the parameters of Loop
	// Faults are the statements at which a strand may fail, by number.
	Faults []strand.Stmt
	Lists  []List
	// Messages are the statements that print, by number.
	Messages []*strand.Message
}

// A Kind says what an argument is.
type Kind uint8

// The kinds of arguments. The first ones are numbers.
const (
	Count      Kind = iota // how many strands there are
	Fresh                  // 1: strands are created first; 2: from parameters that they have; 0: they have states
	From                   // how many steps they have run
	Limit                  // how many steps they run at most, with those before
	Wanted                 // the status of the strands that run
	Room                   // elements of a slot of List
	Size                   // elements of its columns
	Scalars                // of Sequence, which blocks of the world change
	Cells                  // how many there are
	Reals                  // the values of Locals, of the type of reals
	Integers               // the values of Locals, of the grid, and where strands count them how many are in each set, int64
	Pixels                 // an image: the samples of its first component, then of the next ones
	Elements               // of a sequence of the world: Sequence
	Taps                   // coefficients of kernels: Table
	Shared                 // a state as it was at the start of the step, a number for each strand and one more: Locals has one
	CellPlaces             // for each axis where cells begin, and their size: float64
	CellCounts             // for each axis how many there are, int64
	CellFirst              // for each cell, and one more, where its strands begin in CellList, int64
	CellList               // numbers of strands by cells, int64, and one more
	Component              // a parameter or state, a number for each strand: Locals has one
	Column                 // of List: Axis; one more element than Size
	Lengths                // of List, for each strand, and one more
	Status                 // how each strand has ended, of uint8
	Ended                  // in which step, of int64
	Which                  // number of the fault, of int32
	Position               // a number of its place: Axis
	Noted                  // an integer of it: Axis
)

// An Argument is a number or an array.
type Argument struct {
	Kind     Kind
	Name     string // of the buffer
	Type     tensor.DType
	Locals   []*ein.Local
	Image    *strand.Image
	Sequence *strand.Variable
	Axis     int
	List     int
	Table    []float64
}

// PerStrand reports whether an array has an element for each strand, or slots of a list, of which there are as many.
func (a Argument) PerStrand() bool {
	return a.Kind >= Component || a.Kind == Shared || a.Kind == CellList
}

// IsNumber reports whether an argument is no array.
func (a Argument) IsNumber() bool { return a.Kind <= Cells }

// Refused is the error for a program that is not lowered, but runs in strand.World.
type Refused struct {
	Pos  source.Span
	What string
}

// Error says what is not lowered.
func (r *Refused) Error() string { return r.What + " has no native form yet" }

// Lower makes the kernel of a program that strand.Verify accepts.
func Lower(p *strand.Program, o Options) (k *Kernel, err error) {
	defer source.RecoverInternal("strand/lower", &err)
	if err := Check(p); err != nil {
		return nil, err
	}
	if o.Lanes < 1 || o.Block < 1 || o.Block%o.Lanes != 0 || o.Items && o.Lanes > 1 {
		return nil, source.Internalf("strand/lower", p.Pos, "blocks of %d strands in packets of %d", o.Block, o.Lanes)
	}
	p = withoutEigen(p)
	f := &loop.Func{Name: p.Name}
	g := &generator{p: p, o: o, kernel: &Kernel{Loop: f}, f: f, fresh: loop.FreshFor(f), lanes: o.Lanes,
		uniform: map[*ein.Local]loop.Expr{}, before: map[*ein.Local]loop.Expr{}, values: map[*ein.Local]loop.Expr{}, registers: map[*ein.Local]*loop.Buffer{},
		states: map[*ein.Local]*loop.Buffer{}, images: map[*strand.Image]*loop.Buffer{}, tables: map[tableKey]int{}, arrays: map[*strand.Variable]*loop.Buffer{}}
	g.program()
	return g.kernel, loop.Verify(f)
}

// Check refuses what is not lowered; the error is a *Refused.
func Check(p *strand.Program) error {
	known := assignedIn(p.Create.Before)
	for _, l := range assignedIn(p.Create.Body) {
		if slices.Contains(known, l) {
			return &Refused{p.Pos, "a creation whose loops change the variable " + l.Name}
		}
	}
	var refused error
	for _, b := range strandBlocks(p) {
		strand.Walk(b, func(s strand.Stmt) {
			if err := checkStmt(p, s); err != nil && refused == nil {
				refused = err
			}
		})
	}
	return refused
}

func checkStmt(p *strand.Program, s strand.Stmt) error {
	switch s.(type) {
	case *strand.ForEach, *strand.Element, *strand.Length, *strand.Count, *strand.Build, *strand.Query, *strand.Get, *strand.New, *strand.Message:
	case *strand.Assign, *strand.If, *strand.ForRange, *strand.Exit, *strand.Sample, *strand.Eigen:
	default:
		return &Refused{p.Pos, fmt.Sprintf("a statement (%T)", s)}
	}
	return nil
}

// withoutEigen is a program whose eigen systems are assignments.
func withoutEigen(p *strand.Program) *strand.Program {
	c := *p
	for _, b := range []*strand.Block{&c.Create.Body, &c.Begin, &c.Start, &c.Update, &c.Stabilize} {
		*b = expanded(*b, p.Real)
	}
	return &c
}

func expanded(b strand.Block, real tensor.DType) (list strand.Block) {
	for _, s := range b {
		switch s := s.(type) {
		case *strand.Eigen:
			for _, a := range s.Steps(real) {
				list = append(list, a)
			}
			continue
		case *strand.If:
			c := *s
			c.Then, c.Else = expanded(s.Then, real), expanded(s.Else, real)
			list = append(list, &c)
			continue
		case *strand.ForRange:
			c := *s
			c.Body = expanded(s.Body, real)
			list = append(list, &c)
			continue
		case *strand.ForEach:
			c := *s
			c.Body = expanded(s.Body, real)
			list = append(list, &c)
			continue
		}
		list = append(list, s)
	}
	return list
}
