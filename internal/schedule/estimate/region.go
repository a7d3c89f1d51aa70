package estimate

import "github.com/ricci-lang/ricci/internal/schedule"

// A layer keeps all of what is touched between two uses below the first of these
// parts of its capacity, and nothing of it above the second.
const (
	surelyFits = 0.6
	nevermore  = 1.4
)

// fits returns for every layer which part of what a subtree touches is still there
// when the next iteration begins.
func (w *walker) fits(u *usage) []float64 {
	var bytes [2]float64
	pressed := 0.0 // in the first layer
	for k := range u.references {
		r := &u.references[k]
		if repeated(u.references[:k], r) {
			continue
		}
		b, placed := w.blocks[r.statement], w.placed[r.access.tensor]
		n := r.access.lines(b, lineBytes, placed) * lineBytes
		bytes[0] += n
		bytes[1] += r.access.lines(b, pageBytes, placed) * pageBytes
		pressed += n * r.access.pressure(b, placed)
	}
	list := make([]float64, len(w.speeds.layers))
	for l := range w.speeds.layers {
		layer := &w.speeds.layers[l]
		size := bytes[kind(layer)] + u.buffers
		if l == 0 {
			size = pressed + u.buffers
		}
		if !layer.private {
			size *= float64(w.threads)
		}
		list[l] = min(1, max(0, (nevermore-size/layer.bytes)/(nevermore-surelyFits)))
	}
	return list
}

// kind tells lines and pages apart.
func kind(l *layer) int {
	if l.line == lineBytes {
		return 0
	}
	return 1
}

// reuse lowers the misses of a node to what its region has, as far as what its parts
// touch stays in the layer. Of parallel loops every thread loads for itself what
// does not depend on them.
func (w *walker) reuse(u *usage, fits []float64, parallel []schedule.Loop) {
	for k, line := range [...]float64{lineBytes, pageBytes} {
		w.region(u.references, line, w.regions[k])
	}
	copies := float64(u.threads)
	for l := range w.speeds.layers {
		layer := &w.speeds.layers[l]
		row := u.misses[l*len(w.tensors) : (l+1)*len(w.tensors)]
		for t := range row {
			n := w.regions[kind(layer)][t]
			if len(parallel) > 0 && layer.private && !w.moves(t, u.references, parallel) {
				n *= copies
			}
			row[t] = fits[l]*min(row[t], n) + (1-fits[l])*row[t]
		}
	}
}

// region sums up the lines that references move, by tensor.
func (w *walker) region(references []reference, line float64, into []float64) {
	clear(into)
	for k := range references {
		r := &references[k]
		if !repeated(references[:k], r) {
			n := r.access.lines(w.blocks[r.statement], line, w.placed[r.access.tensor])
			into[r.access.tensor] += r.weight * min(n, w.most[r.access.tensor]/line+1)
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
