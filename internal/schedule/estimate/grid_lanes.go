package estimate

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How the addresses of a sub-group are counted
//
// The items of a sub-group are the first ones of the group: those with neighbouring numbers along the last axis, then along the
// one before. An item has another address than its neighbour by the stride of the access along the index, times the size of an
// item's block of it. The first address is taken to begin a transaction.

// A laneCounted is what one access of a sub-group takes.
type laneCounted struct {
	transactions float64
	wanted       float64 // bytes of different addresses
}

// offsets are the bytes at which the items of a sub-group have an access, by the bytes that its address moves with each index
// of the statement.
func (g *gridWalk) offsets(s int, step func(index int) float64) (list []float64) {
	width := g.subGroup()
	total := int64(1)
	for _, a := range g.axes {
		total *= a.count
	}
	for l := range min(width, total) {
		if !g.takesPart(l) {
			continue
		}
		at, rest := 0.0, l
		for k := len(g.axes) - 1; k >= 0; k-- {
			a := &g.axes[k]
			if i, ok := g.indexIn(a.member, s); ok {
				at += float64(rest%a.count) * float64(max(a.member.Tile, int64(a.member.Vector), 1)) * step(i)
			}
			rest /= a.count
		}
		list = append(list, at)
	}
	if len(list) == 0 {
		list = []float64{0}
	}
	return list
}

// onDevice counts an access to the memory of the device, by which each item gets so many bytes.
func (g *gridWalk) onDevice(s int, a *access, bytes float64) laneCounted {
	offsets := g.offsets(s, a.stepOnDevice)
	size := g.machine.Value(machine.Transaction)
	var touched []float64
	for _, at := range offsets {
		for sector := math.Floor(at / size); sector*size < at+bytes; sector++ {
			touched = append(touched, sector)
		}
	}
	return laneCounted{transactions: float64(distinct(touched)), wanted: float64(distinct(offsets)) * bytes}
}

// inBanks counts an access to local memory by addresses in bytes: a bank delivers one word after the other, each to all who want it.
func (g *gridWalk) inBanks(offsets []float64, bytes float64) float64 {
	word, banks := g.machine.Value(machine.BankBytes), g.machine.Value(machine.Banks)
	var words []float64
	for _, at := range offsets {
		for k := math.Floor(at / word); k*word < at+bytes; k++ {
			words = append(words, k)
		}
	}
	slices.Sort(words)
	full, most := map[float64]float64{}, 1.0
	for _, k := range slices.Compact(words) {
		bank := math.Mod(k, banks)
		full[bank]++
		most = max(most, full[bank])
	}
	return most
}

// distinct counts different numbers.
func distinct(list []float64) int {
	sorted := slices.Sorted(slices.Values(list))
	return len(slices.Compact(sorted))
}

// A localBlock is a block of a tensor in local memory.
type localBlock struct {
	strides []float64 // by dimension, in elements
	room    []float64
	bytes   float64
	numbers [][]float64      // by dimension and index: of what is gathered, by how many elements it moves; nil: nothing is
	row     float64          // from one row to the next
	swizzle schedule.Swizzle // how what is in the rows is exchanged
}

// bank counts an access to a block by addresses in bytes before anything is exchanged.
func (g *gridWalk) bank(b *localBlock, a *access, offsets []float64, bytes float64) float64 {
	if b.swizzle.Units == 0 {
		return g.inBanks(offsets, bytes)
	}
	var places []float64
	for _, at := range offsets {
		for element := math.Floor(at / a.bytes); element*a.bytes < at+bytes; element++ {
			places = append(places, float64(b.swizzle.Place(int64(element), int64(b.row)))*a.bytes)
		}
	}
	return g.inBanks(places, a.bytes)
}

// exchanged is how many instructions an address takes more, because what is in the rows is exchanged.
func (b *localBlock) exchanged() float64 {
	if b.swizzle.Units == 0 {
		return 0
	}
	return perSwizzle
}

// step is by how many bytes an address in the block moves with an index.
func (b *localBlock) step(a *access, index int) float64 {
	total := 0.0
	for d := range a.dims {
		along := a.dims[d].coefficients[index]
		if b.numbers != nil && b.numbers[d] != nil {
			along = b.numbers[d][index]
		}
		total += along * b.strides[d]
	}
	return total * a.bytes
}
