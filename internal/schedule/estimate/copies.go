package estimate

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// The costs of copying a block, in cycles.
const (
	perVectorCopied = 2.0
	perRowCopied    = 4.0
)

// place adds the copy of a block, and of a temporary leaves the traffic of what is copied only.
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
	temporary, share := w.tensors[t].Role == ein.Temp, 1.0
	if temporary {
		share = w.exchanged(t)
	}
	w.placed[t] = 1 + w.fastest(n, t)
	w.loops = append(w.loops, enclosing{boundary: true})
	u := w.node(n.Child)
	w.loops = w.loops[:len(w.loops)-1]
	w.placed[t] = 0
	var kept []reference
	bytes := 0.0
	for k := range u.references {
		if r := &u.references[k]; r.access.tensor == t {
			bytes = max(bytes, r.access.lines(w.blocks[r.statement], 1, true))
		}
	}
	for l := range w.speeds.layers { // which keeps the block
		if temporary && bytes < w.speeds.layers[l].bytes {
			u.misses[l*len(w.tensors)+t] = 0
		}
	}
	for k := range u.references {
		r := u.references[k]
		switch {
		case r.access.tensor != t:
			kept = append(kept, r)
		case share > 0 && !repeated(kept, &r):
			w.copies(&u, &r, share)
			r.weight *= share
			kept = append(kept, r)
		}
	}
	u.references = kept
	u.buffers += bytes
	return u
}

// exchanged is which part of the block of a temporary is copied: all of it if it is used
// elsewhere, else the edges that are computed in one block and read in another.
func (w *walker) exchanged(t int) float64 {
	share := 0.0
	for s := range w.statements {
		for _, a := range w.statements[s].all {
			if a.tensor == t && !slices.Contains(w.active, s) {
				return 1
			}
		}
	}
	for d := range w.tensors[t].Dims {
		first, last, reaches := math.Inf(1), math.Inf(-1), 0.0
		for _, s := range w.active {
			for k := range w.statements[s].writes {
				if a := &w.statements[s].writes[k]; a.tensor == t {
					low, high, _ := w.position(s, a, d)
					first, last = min(first, low), max(last, high)
				}
			}
		}
		for _, s := range w.active {
			for k := range w.statements[s].reads {
				a := &w.statements[s].reads[k]
				if a.tensor != t {
					continue
				}
				low, high, size := w.position(s, a, d)
				reaches = max(reaches, (beyond(first, low)+beyond(high, last))/size)
			}
		}
		share += reaches
	}
	return min(1, share)
}

// beyond is how far one position is behind another, if at all; both may be infinite.
func beyond(x, y float64) float64 {
	if x > y {
		return x - y
	}
	return 0
}

// position is where an access is along a dimension, from the beginning of a block, and the
// size of the blocks; no finite one if it is not an index, but uses one that is cut.
func (w *walker) position(s int, a *access, d int) (low, high, size float64) {
	i, ok := a.dims[d].coefficientOf()
	if !ok {
		for k, c := range a.dims[d].coefficients {
			if c != 0 && w.counts[s][k] > 1 {
				return math.Inf(-1), math.Inf(1), 1
			}
		}
		return 0, 0, 1
	}
	if w.counts[s][i] <= 1 { // there is one block
		return 0, 0, 1
	}
	shift := 0.0
	for _, e := range w.loops {
		if e.member == nil {
			continue
		}
		if l, ok := e.member.IndexOf(s); ok && l.Index == w.statements[s].c.Indices[i].Name {
			shift = float64(l.Shift)
		}
	}
	return a.dims[d].low - shift, a.dims[d].high - shift, w.blocks[s][i]
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

// copies adds the copying of a block, or of a share of it.
func (w *walker) copies(u *usage, r *reference, share float64) {
	b := w.blocks[r.statement]
	elements := r.access.lines(b, r.access.bytes, true)
	row := 1.0
	if last := len(r.access.dims) - 1; last >= 0 && r.access.dims[last].stride == 1 {
		row = r.access.dims[last].span(b)
	}
	rows := share * elements / row
	u.work.packing += rows * (perRowCopied + perVectorCopied*math.Ceil(row*r.access.bytes/float64(w.speeds.vector)))
	for l := range w.speeds.layers {
		u.misses[l*len(w.tensors)+r.access.tensor] += share * r.access.lines(b, w.speeds.line, false)
	}
}
