package standard

import (
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How a long contraction with a small result is scheduled: the reduction is split over the threads (split-K)
//
// Tasks made of its rows and columns would each read all of an operand, and be few or unequal. So
// the reduction is cut into chunks, one for a task, and their sums are combined in the order of
// the chunks, whose number does not depend on that of the threads. On two threads A^T A of 20000
// x 32 floats takes 0.62 of the time, and 8 x 8 x 100000, whose result is a single register tile,
// 0.54. Larger results are worth it where the tasks would be unequal or copy much: 100 x 100 x
// 5000 floats take 0.80 of the time, 112 x 128 x 3000 take 0.64, and of few rows, whose columns
// then are read from end to end, 16 x 1000 x 2048 take 0.73, 24 x 500 x 3000 take 0.56, 16 x 1000
// x 1024 take 0.78. Those of more bytes than mediumResult lose, 16 x 1000 x 2048 doubles would
// take 1.24. A chunk is long enough that its own result counts little: 48 x 64 x 2500 floats take
// 0.64 in 4 chunks instead of 16. Sums over several indices are cut along the first where tasks would be
// unequal or copy columns that lie across the vectors: Z[w,x] = Σ X[x,y,z]·Y[z,w,y], 50 x 90 with 70 x 60
// steps, takes 0.48 of the time, of such with 96 x 64 steps 32 x 150 take 0.22. Blocks of the reduction that are about as many are chunks.

const (
	mostChunks, fewestChunks = 16, 4
	leastChunk               = 625      // steps, for which a sum of a result may be read and written again
	smallResult              = 64 * 64  // elements, of which every chunk has its own
	mediumResult             = 64 << 10 // bytes of one that is cut where tasks would be unequal
	unequalShares            = 1.25     // of what equal ones would take
	leastLong                = 2048     // steps
	leastStreamed            = 960      // steps, of columns that are read as streams
)

// splitsReduction reports whether the reduction is to be cut into tasks. The sums of a chunk that
// has several blocks are kept beside the result.
func (k *contraction) splitsReduction() bool {
	steps := k.steps()
	if !k.parallel || k.group != nil || len(k.outer) > 0 || steps < leastStreamed || estimate(k.inner[0].Extent) < mostChunks || !k.mk.mayAccumulateInOutput(k.c) {
		return false
	}
	results := extentOf(k.c.ByKind(ein.Concat))
	if len(k.inner) > 1 {
		return results*k.operandBytes() <= mediumResult && steps >= leastLong && !k.placesResult(k.vector) && k.sharesUnequally()
	}
	if results <= smallResult && steps >= leastLong {
		return true
	}
	isMedium := results*k.operandBytes() <= mediumResult && (k.streamsColumns() || steps >= fewestChunks*leastChunk)
	return isMedium && !k.placesResult(k.vector) && k.sharesUnequally()
}

// sharesUnequally reports whether tasks made of rows and columns would end at different times, or
// copy much.
func (k *contraction) sharesUnequally() bool {
	trial := *k
	trial.block = maps.Clone(k.block)
	trial.chooseBlocks()
	pack := packAsLie
	if trial.packsAcross() {
		pack = packAcross * float64(k.lanes)
	} else if len(k.inner) > 1 && !trial.streamsColumns() {
		pack = 0
	}
	return trial.makespan(pack, k.tileOf(k.vector)) > unequalShares
}

// splitReductionTree assembles the loops.
func (k *contraction) splitReductionTree() schedule.Node {
	first := k.inner[0]
	steps := estimate(first.Extent)
	chunks := max(fewestChunks, min(k.steps()/leastChunk, mostChunks))
	chunk := (steps + chunks - 1) / chunks
	if most := k.longestBlock(); k.columnBlocks && (k.depth == 0 && chunk > most || k.depth > most) {
		k.depth = most
	}
	blocks := int64(1) // of a chunk
	switch most := k.depth; {
	case most == 0:
	case (steps+most-1)/most <= mostChunks && (steps+most-1)/most >= mostChunks/2:
		chunk = most
	default:
		blocks = (chunk + k.depth - 1) / k.depth
		k.depth = (chunk + blocks - 1) / blocks
		chunk = k.depth * blocks
	}
	n := k.blocked()
	if blocks > 1 {
		n = &schedule.Accumulate{Statement: k.s, Region: schedule.Private, Child: &schedule.Band{Members: []*schedule.Member{k.padded(first, k.depth)}, Child: n}}
	}
	var batch []*schedule.Member
	for _, i := range k.batch {
		batch = append(batch, k.member(i, 1))
	}
	n = wrap(batch, n)
	m := k.member(first, chunk)
	m.Parallel = true
	return &schedule.Accumulate{Statement: k.s, Region: schedule.Workspace, Child: &schedule.Band{Members: []*schedule.Member{m}, Child: n}}
}

// longestBlock is how many values of the first reduced index a block has at most, of which a task copies
// all columns, beside its sums.
func (k *contraction) longestBlock() int64 {
	size := k.operandBytes()
	columns, results := int64(1), int64(k.c.Values[0].Type().Compute().Size())
	for _, i := range slices.Concat(k.rows, k.columns) {
		n := roundUp(k.span(i), k.tileOf(i))
		if results = schedule.MultiplySizes(results, n); slices.Contains(k.columns, i) {
			columns = schedule.MultiplySizes(columns, n)
		}
	}
	return max(1, (machine.StackBytes-results)/schedule.MultiplySizes(schedule.MultiplySizes(columns, size), extentOf(k.inner[1:])))
}
