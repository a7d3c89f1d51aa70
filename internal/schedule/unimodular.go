package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How coordinates become values
//
// Skewing is a change of coordinates: the loops of a statement run over sums u = M·x of
// multiples of its indices x, and those of blocks over sums of the numbers of these. Every
// skew adds a multiple of one sum to another one, so that M is unimodular: whole values of u
// are whole values of x and the other way round, whatever the order and number of skews. A
// coordinate may so have its own index several times, or not at all.
//
// Where some of the sums are known only, their equations are solved for as many unknowns,
// those that have the same names; the others stay in the answer.

// largestFactor limits the entries of matrices, so that products of two fit in 64 bits.
const largestFactor = 1 << 30

// invert returns the inverse of a square matrix of whole numbers if that has whole numbers
// too: by Euclid's algorithm on the rows of each column.
func invert(m [][]int64) (inverse [][]int64, ok bool) {
	n := len(m)
	rows := make([][]int64, n) // of m and the unit matrix, side by side
	for r := range rows {
		rows[r] = append(slices.Clone(m[r]), make([]int64, n)...)
		rows[r][n+r] = 1
	}
	for c := range n {
		for {
			least := -1 // the row of the smallest entry from row c on
			for r := c; r < n; r++ {
				if size := abs(rows[r][c]); size > 0 && (least < 0 || size < abs(rows[least][c])) {
					least = r
				}
			}
			if least < 0 {
				return nil, false
			}
			rows[c], rows[least] = rows[least], rows[c]
			done := true
			for r := c + 1; r < n; r++ {
				if !subtract(rows[r], rows[c], rows[r][c]/rows[c][c]) {
					return nil, false
				}
				done = done && rows[r][c] == 0
			}
			if done {
				break
			}
		}
		if abs(rows[c][c]) != 1 {
			return nil, false
		}
		for r := range c {
			if !subtract(rows[r], rows[c], rows[r][c]*rows[c][c]) {
				return nil, false
			}
		}
	}
	for r, row := range rows {
		sign := row[r]
		for k := range row {
			row[k] *= sign
		}
		inverse = append(inverse, row[n:])
	}
	return inverse, true
}

// subtract takes a multiple of another row from one; ok is false where entries get too large.
func subtract(row, other []int64, times int64) (ok bool) {
	for k := range row {
		if row[k] -= times * other[k]; isTooLarge(row[k]) {
			return false
		}
	}
	return !isTooLarge(times)
}

func isTooLarge(factor int64) bool { return abs(factor) > largestFactor }

func abs(n int64) int64 { return max(n, -n) }

// solve expresses the unknowns with the numbers of some sums of a matrix by these sums and
// by the other unknowns: row k is that of unknown known[k], and has the factor of a sum at
// its number if that is known, else that of an unknown.
func solve(m [][]int64, known []int) (rows [][]int64, ok bool) {
	if slices.ContainsFunc(m, func(row []int64) bool { return slices.ContainsFunc(row, isTooLarge) }) {
		return nil, false
	}
	part := make([][]int64, len(known))
	for k, r := range known {
		for _, c := range known {
			part[k] = append(part[k], m[r][c])
		}
	}
	inverse, ok := invert(part)
	for k := range inverse {
		row := make([]int64, len(m))
		for e, factor := range inverse[k] {
			for c, other := range m[known[e]] {
				if slices.Contains(known, c) {
					continue
				}
				if row[c] -= factor * other; isTooLarge(row[c]) {
					return nil, false
				}
			}
			row[known[e]] = factor
		}
		rows = append(rows, row)
	}
	return rows, ok
}

// A Value is an index as a sum of multiples of coordinates, which have the names of the indices
// that their loops are over, and of other indices.
type Value struct{ Coordinates, Indices []Part }

// Values expresses the indices of a statement of which the coordinates are known by these
// and by the other indices; ok is false where they do not follow.
func (f Frames) Values(statement int, c *ein.Comprehension, known func(*ein.Index) bool) (values map[*ein.Index]Value, ok bool) {
	var numbers []int
	for k, i := range c.Indices {
		if known(i) {
			numbers = append(numbers, k)
		}
	}
	rows, ok := solve(f.matrix(statement, c), numbers)
	values = map[*ein.Index]Value{}
	for k, row := range rows {
		v := Value{}
		for e, factor := range row {
			switch i := c.Indices[e]; {
			case factor == 0:
			case slices.Contains(numbers, e):
				v.Coordinates = append(v.Coordinates, Part{i, factor})
			default:
				v.Indices = append(v.Indices, Part{i, factor})
			}
		}
		values[c.Indices[numbers[k]]] = v
	}
	return values, ok
}

// All is that all coordinates are known.
func All(*ein.Index) bool { return true }

// OfResults expresses indices of the results of a statement by coordinates that no reduced index is
// in: all of those that are cut into blocks further up, and of the others as many as it takes
// for values to follow; ok is false where none do.
func (f Frames) OfResults(statement int, c *ein.Comprehension, isCut func(*ein.Index) bool) (values map[*ein.Index]Value, ok bool) {
	var free, cut []*ein.Index
	for _, i := range c.ByKind(ein.Concat) {
		switch {
		case f.Of(statement, i).ByReduced() != nil:
		case isCut(i):
			cut = append(cut, i)
		case f.Involved(statement, c, i):
			free = append(free, i)
		}
	}
	for left := range 1 << len(free) { // out, a set of bits
		known := func(i *ein.Index) bool {
			k := slices.Index(free, i)
			return k >= 0 && left>>k&1 == 0 || slices.Contains(cut, i)
		}
		if values, ok = f.Values(statement, c, known); ok {
			return values, true
		}
	}
	return nil, false
}

// matrix has the coordinates over the indices of a statement as rows.
func (f Frames) matrix(statement int, c *ein.Comprehension) [][]int64 {
	m := make([][]int64, len(c.Indices))
	for k, i := range c.Indices {
		m[k] = make([]int64, len(c.Indices))
		m[k][k] = 1
		for _, p := range f.Of(statement, i).By {
			m[k][slices.Index(c.Indices, p.Index)] += p.Factor
		}
	}
	return m
}

// A Multiple is so many times a member's number: that of its loop, or that of its block.
type Multiple struct {
	Member *Member
	Factor int64
}

// Sum is what the loop over a member runs over: multiples of the numbers of blocks.
func (v Levels) Sum(m *Member) []Multiple {
	sum := []Multiple{{m, 1}}
	for _, s := range m.Skews {
		by := v.By(m, s)
		if k := slices.IndexFunc(sum, func(o Multiple) bool { return o.Member == by }); k >= 0 {
			sum[k].Factor += s.Factor
		} else {
			sum = append(sum, Multiple{by, s.Factor})
		}
	}
	return sum
}

// Number expresses the number of a member's block by the sums of those loops that are known,
// its own among them, and, where it does not follow from these, by the numbers of other
// members; ok is false where it does not follow from both.
func (v Levels) Number(m *Member, known func(*Member) bool) (sums, numbers []Multiple, ok bool) {
	if by, skewed := v.inverse[m]; skewed && !slices.ContainsFunc(by, func(o Multiple) bool { return !known(o.Member) }) {
		return by, nil, len(by) > 0
	}
	group, matrix, ok := v.group(m)
	if !ok || !known(m) {
		return nil, nil, false
	}
	var rows []int
	for k, member := range group {
		if known(member) {
			rows = append(rows, k)
		}
	}
	solved, ok := solve(matrix, rows)
	if !ok {
		return nil, nil, false
	}
	for k, factor := range solved[0] { // that of m
		switch {
		case factor == 0:
		case slices.Contains(rows, k):
			sums = append(sums, Multiple{group[k], factor})
		default:
			numbers = append(numbers, Multiple{group[k], factor})
		}
	}
	return sums, numbers, true
}

// group lists a member, first, and those by which it is skewed, and those by which these are,
// with their sums as the rows of a matrix.
func (v Levels) group(m *Member) (group []*Member, matrix [][]int64, ok bool) {
	group = []*Member{m}
	for k := 0; k < len(group); k++ {
		for _, o := range v.Sum(group[k]) {
			if o.Member == nil {
				return nil, nil, false
			}
			if !slices.Contains(group, o.Member) {
				group = append(group, o.Member)
			}
		}
	}
	matrix = make([][]int64, len(group))
	for k, member := range group {
		matrix[k] = make([]int64, len(group))
		for _, o := range v.Sum(member) {
			matrix[k][slices.Index(group, o.Member)] = o.Factor
		}
	}
	return group, matrix, true
}
