package passes

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How what a register tile reads several times is held
//
// A tile of sums that is written out reads each vector of an operand for all its points. Compilers load it once,
// and then take it from memory again in every multiplication, where they count such an operand as free; on processors
// where it is not, products take 1.4 times as long. Loops with the mark `hold` (loop.For.Hold),
// which those have that the schedule gives it, load these vectors before the loops over the points, into registers that
// compilers leave alone (loop.Hold):
//
//	unrolled j = 0 .. 3 { store held[j] = hold(B[8j]) }; unrolled i = 0 .. 4 { unrolled j = 0 .. 3 { … A[i] · held[j] … } }

// leastHeld is how many bytes the shortest vector registers have.
const leastHeld = 16

func hold(p *pass) { p.f.Body = p.hold(p.f.Body) }

// hold makes the loops with the mark, in statements and all that is inside of them, hold what they read.
func (p *pass) hold(list []loop.Stmt) (held []loop.Stmt) {
	for _, s := range list {
		loop.ReplaceBodies(s, p.hold)
		if f, isLoop := s.(*loop.For); isLoop && f.Hold {
			f.Hold = false
			held = append(held, p.holdIn(f)...)
			continue
		}
		held = append(held, s)
	}
	return held
}

// A tile is loops that are written out, around what updates registers.
type tile struct {
	held  map[string]*holding // by the texts of what they read
	order []*holding
	bound map[*loop.Var]bool // what the statements name, loops apart
}

// A holding is a vector that several points of a tile read.
type holding struct {
	load   *loop.Load
	before *loop.For   // the outermost loop around it that does not matter to it: it is read before that
	along  []*loop.For // those inside of that one on which it depends
	buffer *loop.Buffer
}

// holdIn makes a nest of loops hold what several of its points read.
func (p *pass) holdIn(s *loop.For) []loop.Stmt {
	t := &tile{held: map[string]*holding{}, bound: map[*loop.Var]bool{}}
	if !t.find([]loop.Stmt{s}, nil) || len(t.order) == 0 {
		return []loop.Stmt{s}
	}
	for _, h := range t.order {
		room := int64(1)
		for _, f := range h.along {
			room *= f.Iterations()
		}
		h.buffer = p.fresh.Buffer(h.load.Buffer.Name+"_held", h.load.Type(), room, loop.Register)
	}
	sub := &loop.Substitution{Values: map[*loop.Var]loop.Expr{}, NewVar: loop.SameVar, Whole: func(e loop.Expr) loop.Expr {
		if h := t.held[loop.ExprText(e)]; h != nil {
			return &loop.Load{Buffer: h.buffer, Index: h.place(), Lanes: h.load.Lanes}
		}
		return nil
	}}
	body, ok := p.withHeld(t, sub, []loop.Stmt{s})
	if !ok {
		return []loop.Stmt{s}
	}
	for _, h := range slices.Backward(t.order) {
		body = []loop.Stmt{&loop.Alloc{Buffer: h.buffer, Body: body}}
	}
	return body
}

// find notes what the points of a tile share; ok is false where it does more than update registers.
func (t *tile) find(list []loop.Stmt, around []*loop.For) (ok bool) {
	for _, s := range list {
		switch s := s.(type) {
		case *loop.For:
			if !s.FromZero() || !t.find(s.Body, append(slices.Clip(around), s)) {
				return false
			}
			continue
		case *loop.Store:
			if s.Buffer.Region != loop.Register {
				return false
			}
		case *loop.Let:
			t.bound[s.Var] = true
		case *loop.Prefetch:
			continue
		default:
			return false
		}
		for _, e := range loop.StmtExprs(s) {
			t.note(e, around)
		}
	}
	return true
}

// note finds vectors in an expression that is computed at every point.
func (t *tile) note(e loop.Expr, around []*loop.For) {
	if condition := loop.ConditionOf(e); condition != nil {
		t.note(condition, around)
		return
	}
	load, isLoad := e.(*loop.Load)
	if !isLoad {
		for _, part := range loop.Children(e) {
			t.note(part, around)
		}
		return
	}
	text := loop.ExprText(load)
	if t.held[text] != nil || !isHeld(load) || loop.Mentions(load, t.bound) {
		return
	}
	free := slices.IndexFunc(around, func(f *loop.For) bool { return f.Iterations() > 1 && !mentions(load, f) })
	if free < 0 {
		return
	}
	h := &holding{load: load, before: around[free]}
	for _, f := range around[free:] {
		if mentions(load, f) {
			h.along = append(h.along, f)
		}
	}
	t.held[text], t.order = h, append(t.order, h)
}

// isHeld reports whether a load is that of a vector that lies in memory side by side.
func isHeld(e *loop.Load) bool {
	return e.Buffer.Region != loop.Register && e.Lanes > 1 && e.Index.Type().Lanes == 1 && e.Type().Elem != tensor.Bool && e.Lanes*e.Type().Elem.Size() >= leastHeld
}

// place is where a vector stands among those that are held.
func (h *holding) place() loop.Expr {
	at := loop.Expr(loop.Int(0))
	for k, f := range h.along {
		if k == 0 {
			at = &loop.VarRef{Var: f.Var}
			continue
		}
		before := &loop.Binary{Op: ein.Mul, X: at, Y: loop.Int(f.Iterations())}
		at = &loop.Binary{Op: ein.Add, X: before, Y: &loop.VarRef{Var: f.Var}}
	}
	return at
}

// loadHeld makes the loops that load what is held.
func (p *pass) loadHeld(h *holding) loop.Stmt {
	own := &loop.Substitution{Values: map[*loop.Var]loop.Expr{}, NewVar: func(*loop.Var) *loop.Var { return p.fresh.Var("n", loop.Scalar(tensor.Int64)) }}
	load := &loop.Store{Buffer: h.buffer, Index: h.place(), Value: &loop.Hold{X: h.load}}
	var s loop.Stmt = load
	for _, f := range slices.Backward(h.along) {
		s = &loop.For{Var: f.Var, Lo: f.Lo, Hi: f.Hi, Step: 1, Kind: loop.Unrolled, Body: []loop.Stmt{s}}
	}
	copied, ok := own.Stmts([]loop.Stmt{s})
	if !ok {
		return nil
	}
	return copied[0]
}

// withHeld copies the statements of a tile, which read what is held, and loads that before the loops where it belongs.
func (p *pass) withHeld(t *tile, sub *loop.Substitution, list []loop.Stmt) (out []loop.Stmt, ok bool) {
	for _, s := range list {
		f, isLoop := s.(*loop.For)
		if !isLoop {
			copied, ok := sub.Stmts([]loop.Stmt{s})
			if !ok {
				return nil, false
			}
			out = append(out, copied...)
			continue
		}
		for _, h := range t.order {
			if h.before != f {
				continue
			}
			first := p.loadHeld(h)
			if first == nil {
				return nil, false
			}
			out = append(out, first)
		}
		body, ok := p.withHeld(t, sub, f.Body)
		if !ok {
			return nil, false
		}
		out = append(out, &loop.For{Var: f.Var, Lo: f.Lo, Hi: f.Hi, Step: f.Step, Kind: f.Kind, Body: body})
	}
	return out, true
}
