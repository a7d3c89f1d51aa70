package judge

// mostElements is how many elements a sample has at most.
const mostElements = 1 << 16

// lineElements is how many a sample along a line has.
const lineElements = 1 << 12

// mix is a step of splitmix64 (Steele, Lea and Flood 2014): a function from numbers to numbers
// that look drawn.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// sample draws positions of different elements of a shape: the corners first, then such that every
// other one lies near a face. Any beginning of it is a sample, too.
func sample(shape []int, seed uint64) []int64 {
	total := int64(1)
	for _, n := range shape {
		total *= int64(n)
	}
	wanted := min(total, mostElements)
	positions, seen := make([]int64, 0, wanted), map[int64]bool{}
	add := func(at int64) {
		if !seen[at] && int64(len(positions)) < wanted {
			seen[at] = true
			positions = append(positions, at)
		}
	}
	if total > 0 {
		corners(shape, add)
	}
	state := mix(seed)
	for tries := int64(0); int64(len(positions)) < wanted && tries < 4*wanted; tries++ {
		at := int64(0)
		for _, n := range shape {
			state = mix(state)
			at = at*int64(n) + coordinate(state, int64(n), tries%2 == 0)
		}
		add(at)
	}
	for at := mix(state) % uint64(max(total, 1)); int64(len(positions)) < wanted; at = (at + 1) % uint64(total) {
		add(int64(at))
	}
	return positions
}

// line draws positions that differ in one dimension only, those at its ends first.
func line(shape []int, along int, seed uint64) []int64 {
	index, state := make([]int64, len(shape)), mix(seed+1)
	for d, n := range shape {
		state = mix(state)
		index[d] = coordinate(state, int64(n), true)
	}
	var positions []int64
	seen := map[int64]bool{}
	n := int64(shape[along])
	for k := int64(0); int64(len(positions)) < min(n, lineElements); k++ {
		state = mix(state)
		at := coordinate(state, n, k < 32)
		if k < 2 {
			at = k * (n - 1)
		}
		for seen[at] {
			at = (at + 1) % n
		}
		seen[at], index[along] = true, at
		position := int64(0)
		for d, extent := range shape {
			position = position*int64(extent) + index[d]
		}
		positions = append(positions, position)
	}
	return positions
}

// coordinate draws an index below n; near a face it often is one of the first or of the last.
func coordinate(random uint64, n int64, nearFace bool) int64 {
	const edge = 16
	choice, rest := random%8, int64(random>>3)
	switch {
	case nearFace && choice == 0:
		return rest % min(n, edge)
	case nearFace && choice < 4:
		return n - 1 - rest%min(n, edge)
	}
	return rest % n
}

// corners adds the corners of the first six dimensions that have more than one.
func corners(shape []int, add func(int64)) {
	for corner := range 1 << 6 {
		at, bit := int64(0), 0
		for _, n := range shape {
			at *= int64(n)
			if n > 1 && bit < 6 {
				at += int64(corner>>bit&1) * int64(n-1)
				bit++
			}
		}
		add(at)
	}
}

// indexOf turns a row-major position into an index.
func indexOf(at int64, shape []int) []int {
	index := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		index[d] = int(at % int64(shape[d]))
		at /= int64(shape[d])
	}
	return index
}
