package sketch

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
)

// How operands lie in local memory
//
// The items of a group copy what they read of an operand for some steps of a reduction, as many neighbours at once as one of them moves, and, where
// a machine has such copies, some steps ahead. The lanes of a sub-group read elements of a fragment at once: its rows are longer by as
// many elements as lets these lie in different banks.

// A staged is an operand that the items of a group copy to local memory, so many neighbours at once.
type staged struct {
	access *ein.Access
	tensor *ein.Tensor
	vector int // 0: one
}

// staged are the operands of a product: of each as many elements are copied at once as an item moves, or as its rows consist of.
func (x *subject) staged(a, b *ein.Access) (list []staged) {
	for _, o := range []*ein.Access{a, b} {
		if slices.ContainsFunc(list, func(s staged) bool { return s.tensor == o.Tensor }) {
			continue
		}
		vector, length := x.p.Whole(machine.ItemVector)/int64(o.Tensor.Type.Size()), sizeOf(o.Tensor.Dims[len(o.Tensor.Dims)-1])
		for length%vector != 0 {
			vector /= 2
		}
		if vector == 1 {
			vector = 0
		}
		list = append(list, staged{o, o.Tensor, int(vector)})
	}
	return list
}

// leastAhead is how many bytes are copied ahead at once, at least.
const leastAhead = 4

// turns are how many blocks in turns may be good of what is copied for so many steps of a range: one, or, where the machine has copies
// that run ahead, so many that some are on their way.
func (x *subject) turns(copied []staged, steps, extent int64) []int64 {
	list := []int64{0}
	small := slices.ContainsFunc(copied, func(o staged) bool { return int64(o.tensor.Type.Size()*max(1, o.vector)) < leastAhead })
	if x.p.Value(machine.ItemAhead) == 0 || small {
		return list
	}
	for _, stages := range []int64{2, 3} {
		if stages*steps <= extent {
			list = append(list, stages)
		}
	}
	return list
}

// mostPadding is how many pieces that an item moves rows are longer, at most.
const mostPadding = 4

// padding is by how many elements the rows of an operand are longer: by whole pieces that an item moves, the fewest with which the lanes that load
// a fragment meet least in banks.
func (f *fragmented) padding(o staged) (best int64) {
	if len(o.access.Subscripts) < 2 {
		return 0
	}
	piece, fewest := f.x.p.Whole(machine.ItemVector)/int64(o.tensor.Type.Size()), int64(0)
	for n := range int64(mostPadding + 1) {
		if meet := f.meetInBanks(o, n*piece); n == 0 || meet < fewest {
			best, fewest = n*piece, meet
		}
	}
	return best
}

// meetInBanks is how many words of one bank the lanes of a sub-group want that load what they have of a fragment, with rows that are
// so much longer.
func (f *fragmented) meetInBanks(o staged, longer int64) (most int64) {
	index, layout := f.n.results[f.row], f.shape.X
	if !ein.AnyDependsOn(o.access.Subscripts, index) {
		index, layout = f.n.results[f.column], f.shape.Y
	}
	line, along := f.apart(o.access, index, longer), f.apart(o.access, f.group, longer)
	word, banks := f.x.p.Whole(machine.BankBytes), f.x.p.Whole(machine.Banks)
	meet := map[int64][]int64{}
	for lane := range int64(ein.FragmentLanes) {
		row, term := layout.Of(lane, 0)
		at := (row*line + term*along) * int64(o.tensor.Type.Size()) / word
		if bank := at % banks; !slices.Contains(meet[bank], at) {
			meet[bank] = append(meet[bank], at)
			most = max(most, int64(len(meet[bank])))
		}
	}
	return most
}

// apart is how many elements neighbours along an index are apart in the block of an operand.
func (f *fragmented) apart(a *ein.Access, i *ein.Index, longer int64) (sum int64) {
	stride := int64(1)
	for d, sub := range slices.Backward(a.Subscripts) {
		e, _ := ein.AffineOf(sub)
		length := int64(1)
		for _, other := range f.n.c.Indices {
			k, _, _ := e.Linear(other.Name)
			if length += max(k, -k) * (f.within(other) - 1); other == i {
				sum += k * stride
			}
		}
		if stride *= length; d == len(a.Subscripts)-1 {
			stride += longer
		}
	}
	return sum
}

// within is how many values of an index a block has.
func (f *fragmented) within(i *ein.Index) int64 {
	switch k := slices.Index(f.n.results, i); {
	case i == f.group:
		return f.steps
	case k >= 0:
		return f.block(k)
	}
	return extentOf(i)
}
