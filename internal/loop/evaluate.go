package loop

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How the evaluator works
//
// It runs a program over byte slices, one statement after the other, and looks
// after everything that a compiled kernel takes for granted: every access is
// checked against its buffer, private buffers start with garbage. It is the judge
// of the targets, so it is written for obviousness, not speed. Serial loops run in
// order, parallel ones backwards.
//
// A lane is 64 bits: an integer extended to 64 bits, a bool 0 or 1, a float as its
// float64 bits; float32 arithmetic is rounded after every operation. The lanes of a value
// are in room that the next statement takes for its own; variables have copies.

// A Word is the value of a Param: the memory of a buffer, or a number.
type Word struct {
	Bytes []byte
	Value int64
}

// A Fault is the failure of a Check.
type Fault struct {
	Site  int
	Value int64
}

// Evaluate runs f with one Word per Param. A failed Check gives a Fault and
// ends the run; an error is a defect of the program, such as an access out of the
// bounds of a buffer.
func Evaluate(f *Func, args []Word) (fault *Fault, err error) {
	return EvaluateWithin(context.Background(), f, args, nil)
}

// EvaluateWithin is Evaluate with the memory of the workspace, and until the context ends.
func EvaluateWithin(ctx context.Context, f *Func, args []Word, workspace []byte) (fault *Fault, err error) {
	return EvaluateBy(ctx, f, args, Evaluation{Workspace: workspace})
}

// EvaluateInOrder is EvaluateWithin with groups and items of grids in an order that is drawn by a seed.
func EvaluateInOrder(ctx context.Context, f *Func, args []Word, workspace []byte, seed uint64) (fault *Fault, err error) {
	return EvaluateBy(ctx, f, args, Evaluation{Workspace: workspace, Seed: seed})
}

// An Evaluation is a way to run a program.
type Evaluation struct {
	// Workspace is its memory, which may hold what an earlier run left there; nil: as much as one thread needs, made now.
	Workspace []byte
	// Seed draws the order of groups and items of grids. Programs without data races have the same results in all orders.
	Seed uint64
	// LeftZeros keeps the left one of two zeros in minima and maxima, as code does that is not compiled by strict numerics; otherwise
	// -0 is less than 0, as package ein says.
	LeftZeros bool
}

// EvaluateBy is Evaluate in a way of its own, until the context ends.
func EvaluateBy(ctx context.Context, f *Func, args []Word, how Evaluation) (fault *Fault, err error) {
	defer source.RecoverInternal("loop evaluator", &err)
	if len(args) != len(f.Params) {
		return nil, source.Internalf("loop evaluator", source.Span{}, "%d arguments for %d parameters", len(args), len(f.Params))
	}
	ev := &evaluator{f: f, context: ctx, vars: map[*Var][]uint64{}, memory: map[*Buffer]*memory{}, mostTurns: MostTurns, seed: how.Seed, leftZeros: how.LeftZeros}
	for i, p := range f.Params {
		if p.Var != nil {
			ev.vars[p.Var] = []uint64{uint64(args[i].Value)}
		}
	}
	for _, e := range f.Requires {
		if v := int64(ev.expr(e)[0]); v < 0 {
			ev.fail("the caller breaks the requirement %s >= 0, which is %d", ExprText(e), v)
		}
	}
	for i, p := range f.Params {
		if p.Buffer != nil {
			ev.bind(p.Buffer, args[i].Bytes)
		}
	}
	if err := ev.bindWorkspace(how.Workspace); err != nil {
		return nil, err
	}
	ev.block(f.Body)
	return ev.fault, ev.ended
}

type evaluator struct {
	f       *Func
	context context.Context
	steps   int   // statements, of which some ask whether the context has ended
	ended   error // the context has
	vars    map[*Var][]uint64
	memory  map[*Buffer]*memory
	fault   *Fault
	room    []uint64 // for lanes
	used    int      // of it, by the present statement

	mostTurns int  // of one While
	leftZeros bool // of two zeros minima and maxima are the left one

	launch func(*Grid) // runs grids; nil: the evaluator does
	seed   uint64      // of the order in grids
	item   *item       // that runs; nil outside of grids
	stmt   Stmt        // that runs, in grids
}

// lanes returns room for the lanes of a value, until the statement ends.
func (ev *evaluator) lanes(n int) []uint64 {
	if end := ev.used + n; end > len(ev.room) { // what is in the old room stays there
		ev.room = make([]uint64, max(1024, 2*end))
	}
	ev.used += n
	return ev.room[ev.used-n : ev.used : ev.used]
}

// lane is a value of one lane.
func (ev *evaluator) lane(v uint64) []uint64 {
	value := ev.lanes(1)
	value[0] = v
	return value
}

// memory is a buffer's elements; low and length count them without their lanes.
// The first byte belongs to element low.
type memory struct {
	bytes       []byte
	low, length int64
	watch       *watch // of memory that grids use; nil elsewhere
}

// WorkspaceBytes returns how much workspace a run on some threads needs; sizes are the values of
// the variables by the names of the sizes.
func (f *Func) WorkspaceBytes(sizes map[string]int64, threads int64) (int64, error) {
	if f.DynamicWorkspace == nil {
		return f.Workspace + threads*f.Own, nil
	}
	bytes, err := f.DynamicWorkspace.Eval(sizes)
	return bytes + threads*f.Own, err
}

// bindWorkspace makes the workspace and places its buffers.
func (ev *evaluator) bindWorkspace(workspace []byte) error {
	sizes := map[string]int64{}
	for _, p := range ev.f.Params {
		if name, ok := strings.CutPrefix(p.Origin, "size "); ok && p.Var != nil {
			sizes[name] = int64(ev.vars[p.Var][0])
		}
	}
	bytes, err := ev.f.WorkspaceBytes(sizes, 1)
	if err != nil {
		return err
	}
	if workspace == nil {
		workspace = make([]byte, bytes)
	} else if int64(len(workspace)) < bytes {
		ev.fail("the workspace has %d bytes, and %d are needed", len(workspace), bytes)
	}
	for _, b := range ev.f.Buffers {
		if b.Region != Workspace {
			continue
		}
		offset := b.Offset
		if b.OffsetExpr != nil {
			offset = int64(ev.expr(b.OffsetExpr)[0])
		}
		if offset < 0 || offset > bytes || offset%64 != 0 {
			ev.fail("buffer %s lies at byte %d of a workspace of %d bytes", b.Name, offset, bytes)
		}
		ev.bind(b, workspace[offset:])
	}
	return nil
}

func (ev *evaluator) fail(format string, args ...any) {
	panic(source.Internalf("loop evaluator", source.Span{}, "%s: %w", ev.f.Name, ev.inItem(fmt.Errorf(format, args...))))
}

// bind gives a buffer its memory; the slice must hold its length.
func (ev *evaluator) bind(b *Buffer, bytes []byte) {
	length := ev.length(b)
	size := length * b.elementBytes()
	if size < 0 || int64(len(bytes)) < size {
		ev.fail("buffer %s needs %d bytes and has %d", b.Name, size, len(bytes))
	}
	ev.memory[b] = &memory{bytes: bytes, low: b.Low, length: length}
	if ev.item != nil {
		ev.memory[b].watch = newWatch(b, length)
	}
}

// length is the number of elements of a buffer.
func (ev *evaluator) length(b *Buffer) int64 {
	if b.LengthExpr != nil {
		return int64(ev.expr(b.LengthExpr)[0])
	}
	return b.Length
}

// elementBytes is the size of an element with its lanes.
func (b *Buffer) elementBytes() int64 { return int64(b.Type.Lanes * b.Type.Elem.Size()) }

func (ev *evaluator) block(body []Stmt) {
	for _, s := range body {
		if ev.fault != nil || ev.isOver() {
			return
		}
		ev.run(s)
	}
}

// garbage is undefined memory for a buffer, which shows.
func garbage(b *Buffer) []byte {
	bytes := make([]byte, b.Bytes())
	for i := range bytes {
		bytes[i] = 0xa5
	}
	return bytes
}

// isOver reports whether the context has ended, which it asks now and then.
func (ev *evaluator) isOver() bool {
	const often = 1 << 12
	if ev.steps++; ev.steps%often == 0 && ev.ended == nil {
		ev.ended = ev.context.Err()
	}
	return ev.ended != nil
}

func (ev *evaluator) run(s Stmt) {
	ev.used, ev.stmt = 0, s
	switch s := s.(type) {
	case *For:
		lo, hi := int64(ev.expr(s.Lo)[0]), int64(ev.expr(s.Hi)[0])
		ev.loop(s, lo, hi)
	case *While:
		ev.while(s)
	case *If:
		if ev.expr(s.Cond)[0] != 0 {
			ev.block(s.Then)
		} else {
			ev.block(s.Else)
		}
	case *Let:
		ev.vars[s.Var] = append(ev.vars[s.Var][:0], ev.expr(s.Value)...)
	case *Alloc:
		ev.bind(s.Buffer, garbage(s.Buffer))
		ev.block(s.Body)
	case *Atomic:
		ev.atomic(s)
	case *Store:
		if s.Row != nil {
			ev.rowStore(s)
			return
		}
		ev.store(s)
	case *EndRow:
		ev.endRow(s)
	case *Transpose:
		ev.run(s.Loops())
	case *Multiply:
		for _, nest := range s.Loops() {
			ev.run(nest)
		}
	case *Check:
		if ev.expr(s.Cond)[0] == 0 {
			ev.failed(s, &Fault{Site: s.Site, Value: int64(ev.expr(s.Value)[0])})
		}
	case *Turn:
		ev.block(s.Body)
	case *Grid:
		if ev.launch != nil {
			ev.launch(s)
			return
		}
		ev.grid(s)
	case *Copy:
		ev.start(s)
	case *Commit:
		ev.commit()
	case *Wait:
		ev.wait(s)
	case *Comment, *Prefetch:
	default:
		ev.fail("unknown statement %T", s)
	}
}

// MostTurns is how many turns of one While are evaluated: no test has the patience for more, and
// those that never end are more often a mistake of what made the program.
const MostTurns = 1 << 26

// while runs the turns of a loop with a condition.
func (ev *evaluator) while(s *While) {
	for turn := 0; ; turn++ {
		if ev.used, ev.stmt = 0, s; ev.fault != nil || ev.isOver() || ev.expr(s.Cond)[0] == 0 {
			return
		}
		if turn == ev.mostTurns {
			ev.fail("a loop has run %d times, as long as the evaluator waits, and %s still holds", turn, briefly(ExprText(s.Cond)))
		}
		ev.block(s.Body)
	}
}

// loop runs the iterations of a loop, those of a parallel one from the last to the
// first, unless they have turns: a result that needs their order shows. A Check of an
// iteration that fails ends that iteration; the fault that counts is that of the first in
// the order.
func (ev *evaluator) loop(s *For, lo, hi int64) {
	at, next := make([]uint64, 1), make([]uint64, 1)
	ev.vars[s.Var] = at
	if s.Next != nil {
		ev.vars[s.Next] = next
	}
	run := func(i int64) {
		at[0], next[0] = uint64(i), uint64(min(i+1, hi-1))
		ev.block(s.Body)
	}
	if s.Kind != Parallel || hi <= lo || TurnOf(s) != nil {
		for i := lo; i < hi && ev.fault == nil && ev.ended == nil; i += s.Step {
			run(i)
		}
		return
	}
	var fault *Fault
	for n := (hi - lo - 1) / s.Step; n >= 0; n-- {
		run(lo + n*s.Step)
		if ev.fault != nil {
			fault, ev.fault = ev.fault, nil
		}
	}
	ev.fault = fault
}

// nowhere is the place of a lane whose mask is false.
const nowhere = ^uint64(0)

// places returns the element of the memory that each lane of an access means.
func (ev *evaluator) places(b *Buffer, index, mask Expr, lanes int) []uint64 {
	m, ok := ev.memory[b]
	if !ok {
		ev.fail("buffer %s is used outside its Alloc", b.Name)
	}
	subscripts := ev.expr(index)
	var masks []uint64
	if mask != nil {
		masks = ev.expr(mask)
	}
	places := ev.lanes(lanes)
	low, count := m.low*int64(b.Type.Lanes), m.length*int64(b.Type.Lanes)
	for l := range places {
		var at int64
		switch {
		case len(subscripts) > 1:
			at = int64(subscripts[l])
		case b.Type.Lanes > 1:
			at = int64(subscripts[0])*int64(b.Type.Lanes) + int64(l)
		default:
			at = int64(subscripts[0]) + int64(l)
		}
		if masks != nil && masks[l] == 0 {
			places[l] = nowhere
			continue
		}
		if at < low || at >= low+count {
			ev.fail("%s[%d] is out of bounds: the elements are [%d, %d)", b.Name, at, low, low+count)
		}
		places[l] = uint64(at - low)
	}
	return places
}

func (ev *evaluator) load(e *Load) []uint64 {
	places := ev.places(e.Buffer, e.Index, e.Mask, e.Lanes)
	m, d := ev.memory[e.Buffer], e.Buffer.Type.Elem
	result := ev.lanes(len(places))
	for l, at := range places {
		if result[l] = 0; at != nowhere {
			if m.watch != nil {
				ev.reads(e.Buffer, at)
			}
			result[l] = readElement(d, m.bytes[at*uint64(d.Size()):])
		}
	}
	return result
}

func (ev *evaluator) store(s *Store) {
	values := ev.expr(s.Value)
	if s.Buffer.ReadOnly {
		ev.fail("buffer %s is read-only", s.Buffer.Name)
	}
	places, d := ev.places(s.Buffer, s.Index, s.Mask, len(values)), s.Buffer.Type.Elem
	m := ev.memory[s.Buffer]
	for l, at := range places {
		if at != nowhere {
			if m.watch != nil {
				ev.writes(s.Buffer, at)
			}
			writeElement(d, m.bytes[at*uint64(d.Size()):], values[l])
		}
	}
}

// readElement returns the lane that an element in memory stands for.
func readElement(d tensor.DType, b []byte) uint64 {
	var bits uint64
	switch d.Size() {
	case 1:
		bits = uint64(b[0])
	case 2:
		bits = uint64(binary.NativeEndian.Uint16(b))
	case 4:
		bits = uint64(binary.NativeEndian.Uint32(b))
	case 8:
		bits = binary.NativeEndian.Uint64(b)
	}
	switch d {
	case tensor.Bool:
		return oneIf(bits != 0)
	case tensor.Float16:
		return math.Float64bits(float64(fromFloat16(uint16(bits))))
	case tensor.BFloat16:
		return math.Float64bits(float64(math.Float32frombits(uint32(bits) << 16)))
	case tensor.Float32:
		return math.Float64bits(float64(math.Float32frombits(uint32(bits))))
	}
	return wrap(d, bits)
}

// writeElement is the inverse of readElement, with rounding to 16-bit floats.
func writeElement(d tensor.DType, b []byte, lane uint64) {
	switch d {
	case tensor.Float16:
		lane = uint64(toFloat16(float32(math.Float64frombits(lane))))
	case tensor.BFloat16:
		lane = uint64(toBFloat16(float32(math.Float64frombits(lane))))
	case tensor.Float32:
		lane = uint64(math.Float32bits(float32(math.Float64frombits(lane))))
	}
	switch d.Size() {
	case 1:
		b[0] = byte(lane)
	case 2:
		binary.NativeEndian.PutUint16(b, uint16(lane))
	case 4:
		binary.NativeEndian.PutUint32(b, uint32(lane))
	case 8:
		binary.NativeEndian.PutUint64(b, lane)
	}
}

func oneIf(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
