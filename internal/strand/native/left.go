package native

import (
	"context"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/tensor"
)

// bear creates the strands that strands have created in a step, behind the others and in the order of their creators, of which
// those behind the first that has failed do not count. It returns the creators.
func (w *World) bear(ctx context.Context, failed, step int) (creators []int, err error) {
	born := slices.IndexFunc(w.kernel.Lists, func(l lower.List) bool { return l.Born })
	if born < 0 {
		return nil, nil
	}
	_, lengths := w.columnsOf(born)
	old := w.outline.Count
	for n, count := range lengths[:old] {
		for range count {
			if failed < 0 || n <= failed {
				creators = append(creators, n)
			}
		}
	}
	if len(creators) > 0 {
		if err := w.enlarge(old+len(creators), w.name(creators[0]), step); err != nil {
			return nil, err
		}
		w.give(born, creators)
		w.outline.Count += len(creators)
		w.baptize(len(creators))
		if err := w.runAll(ctx, call{wanted: lower.Waiting, fresh: 2, from: step, limit: step}); err != nil {
			return nil, err
		}
	}
	_, lengths = w.columnsOf(born)
	clear(lengths)
	return creators, nil
}

// give gives new strands their parameters.
func (w *World) give(born int, creators []int) {
	old := w.outline.Count
	status := data[uint8](w.only(lower.Status))
	columns, _ := w.columnsOf(born)
	var to []*tensor.Tensor
	for _, v := range w.program.ByRole(strand.Parameter) {
		for _, l := range v.Parts {
			to = append(to, w.component(l))
		}
	}
	nth := 0 // of a creator's
	for k, n := range creators {
		if nth++; k == 0 || creators[k-1] != n {
			nth = 0
		}
		status[old+k] = lower.Waiting
		for c, t := range to {
			t.SetBitsAt(old+k, columns[c].BitsAt(n*w.rooms[born]+nth))
		}
	}
}

// enlarge gives arrays room for some strands, of which one has created the first new one, and then some.
func (w *World) enlarge(count, creator, step int) error {
	if count <= w.capacity {
		return nil
	}
	old := w.capacity
	w.capacity = max(count, 2*w.capacity)
	more := float64(old) / float64(w.capacity) * float64(w.bytes()) // what there is until all is copied
	at := w.madeAt(lower.List{Born: true})
	if f := w.outline.MemoryFault(w.bytes()+int64(more), at, creator, step, "there are %d strands", count); f != nil {
		w.capacity = old
		return f
	}
	for k, a := range w.kernel.Arguments {
		if a.IsNumber() || !a.PerStrand() {
			continue
		}
		t, err := w.newArray(a, w.array(k))
		if err != nil {
			return err
		}
		w.put(k, t)
	}
	w.sizeLists()
	return nil
}

// print writes what strands have printed in steps up to one, those of a step in the order of strands; creators are those of the
// last strands.
func (w *World) print(last int, creators []int) {
	words := slices.IndexFunc(w.kernel.Lists, func(l lower.List) bool { return l.Printed == lower.IntegerWords })
	if words < 0 {
		return
	}
	reals := slices.IndexFunc(w.kernel.Lists, func(l lower.List) bool { return l.Printed == lower.RealWords })
	p := &printed{world: w, integers: w.sequence(words), reals: w.sequence(reals), next: map[int]int{}}
	old := w.outline.Count - len(creators)
	for k := len(creators) - 1; k >= 0; k-- {
		p.next[creators[k]] = old + k
	}
	_, counts := w.columnsOf(words)
	for n, count := range counts[:old] {
		if count > 0 {
			p.strand(n)
		}
	}
	slices.SortStableFunc(p.texts, func(a, b text) int { return a.step - b.step })
	for _, t := range p.texts {
		if t.step <= last {
			w.outline.Write(t.data)
		}
	}
	clear(counts)
	_, counts = w.columnsOf(reals)
	clear(counts)
}

// A text is a message that was printed.
type text struct {
	step int
	data []byte
}

// printed makes texts of words.
type printed struct {
	world           *World
	integers, reals func(n int) []ein.Number
	next            map[int]int // the next new strand of a creator
	texts           []text
}

// strand adds the texts of a strand, and of those that it has created.
func (p *printed) strand(n int) {
	integers, reals := p.integers(n), p.reals(n)
	take := func(from *[]ein.Number, count int) []ein.Number {
		list := (*from)[:count]
		*from = (*from)[count:]
		return list
	}
	for len(integers) > 0 {
		head := take(&integers, 2)
		if head[0].Int == lower.NewText {
			if born, is := p.next[n]; is { // else it stands behind one that has failed, and nothing of the step is written
				p.next[n]++
				p.strand(born)
			}
			continue
		}
		m := p.world.kernel.Messages[head[0].Int]
		data := p.world.outline.Message(m, func(v *strand.Variable) []ein.Number {
			count := len(v.Parts)
			if v.Type.Dynamic {
				count = int(take(&integers, 1)[0].Int) * v.Type.Element().Width()
			}
			if v.Type.Elem == strand.Real {
				return take(&reals, count)
			}
			return take(&integers, count)
		})
		p.texts = append(p.texts, text{int(head[1].Int), data})
	}
}
