package estimate

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// The costs of copying a block, in cycles.
const (
	perVectorCopied = 2.0
	perRowCopied    = 4.0
)

// place adds the copy of an input or output, or takes away the traffic of a temporary.
func (w *walker) place(n *schedule.Place) usage {
	t := -1
	for i, tensor := range w.tensors {
		if tensor.Name == n.Tensor {
			t = i
		}
	}
	if t < 0 {
		w.err = errUnknownTensor(n.Tensor, w.f.Name)
		return w.nothing()
	}
	w.placed[t] = 1 + w.fastest(n, t)
	w.loops = append(w.loops, enclosing{boundary: true})
	u := w.node(n.Child)
	w.loops = w.loops[:len(w.loops)-1]
	w.placed[t] = 0
	var kept []reference
	bytes := 0.0
	for k := range u.references {
		r := &u.references[k]
		if r.access.tensor != t {
			kept = append(kept, *r)
			continue
		}
		bytes = max(bytes, r.access.lines(w.blocks[r.statement], 1, true))
		if w.tensors[t].Role != ein.Temp && !repeated(kept, r) {
			kept = append(kept, *r)
			w.copies(&u, r)
		}
	}
	u.references = kept
	u.buffers += bytes
	if w.tensors[t].Role == ein.Temp { // nothing of it reaches memory
		for l := range w.speeds.layers {
			if bytes < w.speeds.layers[l].bytes {
				u.misses[l*len(w.tensors)+t] = 0
			}
		}
	}
	return u
}

// fastest returns the dimension along which the elements of a placed block are
// neighbours, as the lowering chooses it: that of vectors, or one of a reduction.
func (w *walker) fastest(n *schedule.Place, t int) int {
	dims := len(w.tensors[t].Dims)
	if len(n.Layout) == dims && dims > 0 {
		return n.Layout[dims-1] - 1
	}
	reduced := -1
	for _, s := range w.active {
		st := &w.statements[s]
		for _, a := range st.all {
			if a.tensor != t {
				continue
			}
			for d := range a.dims {
				for i, c := range a.dims[d].coefficients {
					if (c > 1 || a.dims[d].isIndex()) && c > 0 && schedule.VectorBelow(s, st.c.Indices[i].Name, n.Child) > 0 {
						return d
					}
				}
				i, ok := a.dims[d].coefficientOf()
				if ok && st.reduced[i] {
					reduced = d
				}
			}
		}
	}
	if reduced >= 0 && w.tensors[t].Role == ein.Input {
		return reduced
	}
	return dims - 1
}

// copies adds the copying of a block of an input.
func (w *walker) copies(u *usage, r *reference) {
	b := w.blocks[r.statement]
	elements := r.access.lines(b, r.access.bytes, true)
	row := 1.0
	if last := len(r.access.dims) - 1; last >= 0 && r.access.dims[last].stride == 1 {
		row = r.access.dims[last].span(b)
	}
	rows := elements / row
	u.work.packing += rows * (perRowCopied + perVectorCopied*math.Ceil(row*r.access.bytes/float64(w.speeds.vector)))
	for l := range w.speeds.layers {
		u.misses[l*len(w.tensors)+r.access.tensor] += r.access.lines(b, lineBytes, false)
	}
}
