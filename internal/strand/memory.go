package strand

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/units"
)

// How memory is bounded
//
// Strands make strands, elements of sequences and texts, and no proof says how many. All of it is counted before it is made.
// What was made is what is held and what is garbage by now: where the count reaches Options.Memory, the world looks what is
// held (held), so that garbage does not count, and what still does not fit is a fault of the statement that wants it. After
// a look there is none until a sixteenth of the limit was made, so that looking costs little also where the limit is near.

const (
	// numberCost is that of an ein.Number, and of as much again until the garbage collector has run.
	numberCost = 2 * 16
	// strandCost is that of a strand without its values, of values without their numbers, and of a place in a list.
	strandCost = 2 * 256
	// textCost is that of a byte that is printed, in a buffer that grows, and of as much again.
	textCost = 6
)

// A budget counts bytes.
type budget struct {
	made int64 // no less than what is held
	look int64 // at this count it is looked what is held
}

// perStrand is what a strand takes, with its values at the start of a step and those that the step makes.
func (w *World) perStrand() int64 {
	return strandCost + 2*numberCost*int64(len(w.run.layout)) + 2*2*24*int64(len(w.run.kept))
}

// fits reports whether bytes can be taken besides what is held.
func (w *World) fits(bytes int64) bool {
	limit := w.options.Memory
	if limit <= 0 || w.memory.made+bytes <= max(w.memory.look, limit) {
		return true
	}
	w.memory.made = w.held()
	w.memory.look = w.memory.made + limit/16
	return w.memory.made+bytes <= limit
}

// reserve counts bytes that fit.
func (w *World) reserve(bytes int64) bool {
	if !w.fits(bytes) {
		return false
	}
	w.memory.made += bytes
	return true
}

// takes counts bytes that a statement wants, or is its fault.
func (r *runner) takes(bytes int64, pos source.Span, what string, args ...any) bool {
	if r.w.reserve(bytes) {
		return true
	}
	r.fail(source.StrandMemory, pos, r.w.memoryHelp(bytes), what+": %s", append(args, r.w.tooMuch(bytes))...)
	return false
}

// tooMuch says how much does not fit.
func (w *World) tooMuch(bytes int64) string {
	return "strands would take " + units.Bytes(w.memory.made+bytes) + ", and the limit is " + units.Bytes(w.options.Memory)
}

func (w *World) memoryHelp(bytes int64) string {
	return "allow more, --memory " + units.BytesUp(w.memory.made+bytes) + " (Options.Memory), or have an end to what grows"
}

// held is how many bytes are in use.
func (w *World) held() int64 {
	clear(w.run.appended) // which holds lists, too
	met, bytes := map[*ein.Number]bool{}, int64(0)
	list := func(list []ein.Number) {
		if cap(list) == 0 || met[&list[:1][0]] {
			return
		}
		met[&list[:1][0]] = true
		bytes += numberCost * int64(cap(list))
	}
	var one func(s *strand)
	one = func(s *strand) {
		bytes += w.perStrand()
		for _, v := range []*values{s.in, s.seen, s.out} {
			for k := 0; v != nil && k < len(v.sequences); k++ {
				list(v.sequences[k])
			}
		}
		for _, t := range s.printed {
			bytes += textCost * int64(len(t.data))
		}
		for _, b := range s.born {
			one(b)
		}
	}
	for _, s := range w.strands {
		one(s)
	}
	for _, l := range w.run.sequences {
		list(l)
	}
	for _, l := range w.run.holding {
		list(l)
	}
	return bytes
}

// MemoryFault is the fault of a strand, or of the world where n is -1, that wants bytes besides those that others hold for
// it; nil where they fit.
func (o *Outline) MemoryFault(bytes int64, pos source.Span, n, step int, what string, args ...any) *Fault {
	if o.w.fits(bytes) {
		return nil
	}
	f := NewFault(source.StrandMemory, pos, n, o.w.gridPlace(n), step, what+": %s", append(args, o.w.tooMuch(bytes))...)
	f.help("%s", o.w.memoryHelp(bytes))
	return f
}

// Fits returns the error of too many strands, where those who run them take some bytes for all, and the blocks of the
// world theirs.
func (o *Outline) Fits(bytes int64) error {
	for _, b := range []Block{o.w.program.GlobalStart, o.w.program.GlobalUpdate} {
		if sees, _, _ := seen(b); sees {
			bytes += int64(o.Count) * o.w.perStrand()
			break
		}
	}
	return o.w.crowded(o.Count, bytes)
}

// crowded is the error of too many first strands, nil where they fit.
func (w *World) crowded(count int, bytes int64) error {
	if w.fits(bytes) {
		return nil
	}
	d := problem(source.StrandMemory, w.program.Create.Pos, "%d strands are created: %s", count, w.tooMuch(bytes))
	return d.WithHelp("make the ranges smaller, or allow more: --memory %s (Options.Memory)", units.BytesUp(w.memory.made+bytes))
}
