package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
)

// How it is found that a local is a value
//
// A temporary that one statement assigns needs no register if all its uses stand in the block of
// that statement, behind it: strand.Verify has shown that each use follows an assignment. A use
// behind the block is there where the other branch of an if ends the strand.

// onceIn lists the locals that are values in a block of the program, with expressions behind it.
func onceIn(b strand.Block, behind ...ein.Expr) map[*ein.Local]bool {
	w := &onceWalk{assigned: map[*ein.Local][]int{}, once: map[*ein.Local]bool{}}
	w.enter(func() {
		for _, s := range b {
			w.stmt(s)
		}
		w.uses(behind...)
	})
	return w.once
}

type onceWalk struct {
	assigned map[*ein.Local][]int // the blocks around the assignment
	once     map[*ein.Local]bool
	around   []int // numbers of blocks
	blocks   int
}

// enter runs what looks at a block of its own.
func (w *onceWalk) enter(look func()) {
	w.blocks++
	w.around = append(w.around, w.blocks)
	look()
	w.around = w.around[:len(w.around)-1]
}

func (w *onceWalk) block(b strand.Block) {
	w.enter(func() {
		for _, s := range b {
			w.stmt(s)
		}
	})
}

func (w *onceWalk) assign(locals ...*ein.Local) {
	for _, l := range locals {
		_, again := w.assigned[l]
		w.once[l] = !again
		w.assigned[l] = slices.Clone(w.around)
	}
}

func (w *onceWalk) uses(list ...ein.Expr) {
	for _, e := range list {
		ein.Walk(e, func(e ein.Expr) bool {
			if ref, ok := e.(*ein.LocalRef); ok {
				w.use(ref.Local)
			}
			return true
		})
	}
}

func (w *onceWalk) use(l *ein.Local) {
	at, known := w.assigned[l]
	if !known {
		return
	}
	if len(at) > len(w.around) || !slices.Equal(at, w.around[:len(at)]) {
		w.once[l] = false
	}
}

func (w *onceWalk) stmt(s strand.Stmt) {
	exprs, locals := reads(s)
	w.uses(exprs...)
	for _, l := range locals {
		w.use(l)
	}
	switch s := s.(type) {
	case *strand.If:
		w.block(s.Then)
		w.block(s.Else)
	case *strand.ForRange:
		w.loop(s.Variable, s.Body)
	case *strand.ForEach:
		w.loop(s.Variable, s.Body)
	default:
		w.assign(assigns(s)...)
	}
}

// loop has the variable belong to the body.
func (w *onceWalk) loop(v *strand.Variable, body strand.Block) {
	w.enter(func() {
		w.assign(v.Parts...)
		w.block(body)
	})
}
