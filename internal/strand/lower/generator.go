package lower

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// A generator is the state of lowering a program.
type generator struct {
	p      *strand.Program
	o      Options
	kernel *Kernel
	f      *loop.Func
	fresh  *loop.Fresh
	lanes  int // of what differs from strand to strand

	uniform   map[*ein.Local]loop.Expr // what is the same for all strands
	before    map[*ein.Local]loop.Expr // what is, while they are created
	creating  bool
	members   map[strand.Set]loop.Expr    // how many strands a set has, where strands ask for that
	values    map[*ein.Local]loop.Expr    // of locals that one statement assigns
	registers map[*ein.Local]*loop.Buffer // of the other ones
	phases    []map[*ein.Local]bool       // for each block, which of the locals that it assigns are values
	once      map[*ein.Local]bool         // those of the present block
	states    map[*ein.Local]*loop.Buffer // where parameters and states lie between calls
	images    map[*strand.Image]*loop.Buffer
	arrays    map[*strand.Variable]*loop.Buffer // sequences of the world
	scalars   map[*strand.Variable]loop.Expr    // how many those have that blocks of the world change

	count                  loop.Expr                   // of strands
	first                  loop.Expr                   // strand of the packet
	index, slot            loop.Expr                   // of the lanes: the strand, and the number of what lanes have in flight
	valid                  loop.Expr                   // the lanes that have a strand to run; nil: all
	lists                  map[*strand.Variable]*list  // of sequences of strands
	kept, copies           map[*strand.Variable]*list  // of those that are states: between calls, and for others to see
	born, words, realWords *list                       // what strands create and print
	left                   []*list                     // those that there are
	now                    loop.Expr                   // the step, int64
	mayFill                bool                        // there are lists
	shared                 map[*ein.Local]*loop.Buffer // states for others to see
	cells                  loop.Expr
	cellAxes               []cellAxis
	cellFirst, cellList    *loop.Buffer

	taps         *loop.Buffer // the table of coefficients of kernels
	tables       map[tableKey]int
	coefficients []float64

	status, ended, which *loop.Buffer
	positions, numbers   []*loop.Buffer
	end, last            *loop.Buffer   // registers: how lanes end, and in which step
	site                 *loop.Buffer   // register: the sample at which a lane failed
	places, noted        []*loop.Buffer // registers: where, and with which numbers

	scope []*loop.Buffer // registers that the packet is to have besides

	out  []loop.Stmt
	mask loop.Expr // of the lanes that run; nil: all
}

func (g *generator) fail(format string, args ...any) {
	panic(source.Internalf("strand/lower", source.Span{}, g.p.Name+": "+format, args...))
}

func (g *generator) emit(s ...loop.Stmt) { g.out = append(g.out, s...) }

// block runs what emits statements, and returns them.
func (g *generator) block(emit func()) []loop.Stmt {
	outer := g.out
	g.out = nil
	emit()
	inner := g.out
	g.out = outer
	return inner
}

// under runs what emits statements for some lanes only.
func (g *generator) under(mask loop.Expr, emit func()) []loop.Stmt {
	outer := g.mask
	g.mask = mask
	inner := g.block(emit)
	g.mask = outer
	return inner
}

// let names a value.
func (g *generator) let(name string, e loop.Expr) loop.Expr {
	switch e.(type) {
	case *loop.VarRef, *loop.Const:
		return e
	}
	v := g.fresh.Var(strings.Trim(name, "'"), e.Type())
	g.emit(&loop.Let{Var: v, Value: e})
	return &loop.VarRef{Var: v}
}

// register makes a buffer for a value that changes, one for each lane.
func (g *generator) register(name string, d tensor.DType) *loop.Buffer {
	return g.fresh.Buffer(name, loop.Type{Elem: d, Lanes: g.lanes}, 1, loop.Register)
}

// load reads a register.
func (g *generator) load(b *loop.Buffer) loop.Expr {
	return &loop.Load{Buffer: b, Index: loop.Int(0), Lanes: b.Type.Lanes}
}

// store writes the lanes of a register that run.
func (g *generator) store(b *loop.Buffer, value loop.Expr) { g.storeWhere(b, value, g.mask) }

func (g *generator) storeWhere(b *loop.Buffer, value, mask loop.Expr) {
	if mask != nil {
		mask = loop.Wide(mask, b.Type.Lanes)
	}
	g.emit(&loop.Store{Buffer: b, Index: loop.Int(0), Value: loop.Wide(value, b.Type.Lanes), Mask: mask})
}

// allocate puts statements into the scope of buffers.
func allocate(buffers []*loop.Buffer, body []loop.Stmt) []loop.Stmt {
	for k := len(buffers) - 1; k >= 0; k-- {
		body = []loop.Stmt{&loop.Alloc{Buffer: buffers[k], Body: body}}
	}
	return body
}

// assign sets a local.
func (g *generator) assign(l *ein.Local, value loop.Expr) {
	if g.once[l] {
		g.values[l] = g.let(l.Name, value)
		return
	}
	b, known := g.registers[l]
	if !known {
		g.fail("%s has no place", l.Name)
	}
	g.store(b, value)
}

// read is the value of a local.
func (g *generator) read(l *ein.Local) loop.Expr {
	if e, ok := g.uniform[l]; ok {
		return e
	}
	if e, ok := g.before[l]; ok && g.creating {
		return e
	}
	if b, ok := g.registers[l]; ok && !g.once[l] {
		return g.load(b)
	}
	e, ok := g.values[l]
	if !ok {
		g.fail("%s has no value", l.Name)
	}
	return e
}

func binary(op ein.BinaryOp, x, y loop.Expr) loop.Expr {
	w := loop.EquallyWide(x, y)
	return &loop.Binary{Op: op, X: w[0], Y: w[1]}
}

// both is the conjunction of masks, of which each may be nil.
func both(x, y loop.Expr) loop.Expr {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return binary(ein.And, x, y)
}

func not(e loop.Expr) loop.Expr { return &loop.Unary{Op: ein.Not, X: e} }

// choose is a select of lanes or of all.
func choose(cond, yes, no loop.Expr) loop.Expr {
	lanes := max(cond.Type().Lanes, yes.Type().Lanes, no.Type().Lanes)
	return &loop.Select{Cond: cond, Then: loop.Wide(yes, lanes), Else: loop.Wide(no, lanes)}
}

// anyLane reports whether a condition holds for a lane.
func anyLane(e loop.Expr) loop.Expr {
	if e.Type().Lanes == 1 {
		return e
	}
	return &loop.Fold{Op: ein.Or, X: e}
}

// integer is a literal.
func integer(d tensor.DType, v int64) loop.Expr { return &loop.Const{Elem: d, Bits: uint64(v)} }

// real is a float literal, rounded to its type.
func real(d tensor.DType, v float64) loop.Expr {
	return &loop.Const{Elem: d, Bits: ein.FloatConst(d, v).Bits}
}

func cast(d tensor.DType, e loop.Expr) loop.Expr {
	if e.Type().Elem == d {
		return e
	}
	return &loop.Cast{To: d, X: e}
}
