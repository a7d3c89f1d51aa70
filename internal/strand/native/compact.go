package native

import "github.com/ricci-lang/ricci/internal/strand/lower"

// Strands keep their places in arrays until many of them are dead: then the others move together, in their order, which changes
// nothing that they see. Their numbers, by which faults name them, are remembered from then on.

// fewDead is how many dead strands are no reason to move others.
const fewDead = 4096

// compact moves strands together behind a step, if more than a quarter of them is dead.
func (w *World) compact() {
	count, dead := w.outline.Count, w.counts[lower.Died]
	if dead <= w.few || dead <= count/4 {
		return
	}
	status := data[uint8](w.only(lower.Status))
	var kept []int
	to := make([]int, count)
	for n := range to {
		if to[n] = -1; status[n] != lower.Died {
			to[n] = len(kept)
			kept = append(kept, n)
		}
	}
	for k, a := range w.kernel.Arguments {
		width := a.Type.Size()
		switch a.Kind {
		case lower.Component, lower.Status, lower.Ended, lower.Lengths:
		case lower.Column:
			if width *= w.rooms[a.List]; !w.kernel.Lists[a.List].Strands {
				continue
			}
		default:
			continue
		}
		bytes := raw(w.array(k))
		for n, from := range kept {
			copy(bytes[n*width:(n+1)*width], bytes[from*width:])
		}
	}
	names := make([]int, len(kept))
	for n, from := range kept {
		names[n] = w.name(from)
	}
	if w.names == nil {
		w.created = count
	}
	w.names, w.outline.Count = names, len(kept)
	w.outline.Moved(to)
	w.count()
}

// name is the number of a strand at a place.
func (w *World) name(n int) int {
	if w.names == nil || n < 0 {
		return n
	}
	return w.names[n]
}

// baptize names new strands, which are behind the others.
func (w *World) baptize(count int) {
	for range count {
		if w.names == nil {
			return
		}
		w.names = append(w.names, w.created)
		w.created++
	}
}
