package estimate

import (
	"math"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// A layer forgets what is touched between two uses as that grows beyond its capacity:
// not at once, since it does not replace the oldest line first.
const (
	forgiving = 1.3 // times the capacity of which half is kept
	sharpness = 3
)

// kept returns which part of what is touched between two uses a layer still has, if
// it is so many times its capacity.
func kept(full float64) float64 { return 1 / (1 + math.Pow(full/forgiving, sharpness)) }

// fits returns for every layer which part of what a subtree touches is still there
// when the next iteration begins.
func (w *walker) fits(u *usage) []float64 {
	size, pressed := u.buffers, u.buffers // in the first layer
	for k := range u.references {
		r := &u.references[k]
		if repeated(u.references[:k], r) {
			continue
		}
		b, placed := w.blocks[r.statement], w.placed[r.access.tensor] > 0
		n := r.access.lines(b, w.speeds.line, placed) * w.speeds.line
		size += n
		pressed += n * r.access.pressure(b, placed, w.speeds.Processor)
	}
	list := make([]float64, len(w.speeds.layers))
	for l := range w.speeds.layers {
		layer := &w.speeds.layers[l]
		full := size / layer.bytes
		switch {
		case l == 0:
			full = pressed / layer.bytes
		case !layer.private:
			full *= float64(w.threads)
		}
		list[l] = kept(full)
	}
	return list
}

// reuse lowers the misses of a node to what its region has, as far as what its parts
// touch stays in the layer. Of parallel loops every thread loads for itself what
// does not depend on them.
func (w *walker) reuse(u *usage, fits []float64, parallel []schedule.Loop) {
	w.region(u.references, w.lines)
	copies := float64(u.threads)
	for l := range w.speeds.layers {
		layer := &w.speeds.layers[l]
		row := u.misses[l*len(w.tensors) : (l+1)*len(w.tensors)]
		for t := range row {
			n := w.lines[t]
			if len(parallel) > 0 && layer.private && !w.moves(t, u.references, parallel) {
				n *= copies
			}
			row[t] = fits[l]*min(row[t], n) + (1-fits[l])*row[t]
		}
	}
}

// region sums up the lines that references move, by tensor.
func (w *walker) region(references []reference, into []float64) {
	clear(into)
	for k := range references {
		r := &references[k]
		if !repeated(references[:k], r) {
			n := r.access.lines(w.blocks[r.statement], w.speeds.line, w.placed[r.access.tensor] > 0)
			into[r.access.tensor] += r.weight * min(n, w.most[r.access.tensor]/w.speeds.line+1)
		}
	}
}

// repeated reports whether a reference of another statement touches the same region.
func repeated(before []reference, r *reference) bool {
	for k := range before {
		b := &before[k]
		if b.access == r.access || b.access.tensor == r.access.tensor && b.statement != r.statement && b.weight >= r.weight {
			return true
		}
	}
	return false
}

// moves reports whether the threads of parallel loops touch different regions of a
// tensor.
func (w *walker) moves(t int, references []reference, parallel []schedule.Loop) bool {
	for k := range references {
		if references[k].access.tensor != t {
			continue
		}
		for _, l := range parallel {
			if i, ok := w.indexOf(l); ok && l.Statement == references[k].statement && references[k].access.depends(i) {
				return true
			}
		}
	}
	return false
}
