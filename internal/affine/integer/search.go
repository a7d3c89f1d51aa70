package integer

import "math"

// How a box is searched
//
// Eliminating variables may take more rows than there is time for although the variables
// have few values: systems of blocks in blocks are such. Then values are tried. Every row
// bounds each of its variables by the bounds of the others; when none does any more, the
// range of the variable with the fewest values is cut in two, and both halves are searched.

// An interval has the values of a variable that are left; the ends of int64 are no bounds.
type interval struct{ least, most int64 }

func (i interval) isBounded() bool { return i.least > math.MinInt64 && i.most < math.MaxInt64 }

// searchLimit bounds the number of rows that one search looks at.
const searchLimit = 400_000

// search looks for a solution in the box that the rows put around them; where they put
// none, it ends with errLimit.
func (w *work) search(p problem) ([]int64, bool) {
	w.steps = searchLimit
	box := make([]interval, p.variables)
	for v := range box {
		box[v] = interval{math.MinInt64, math.MaxInt64}
	}
	rows := p.least
	for _, r := range p.equal {
		rows = append(rows, r, row{make([]int64, p.variables), 0}.combined(0, r, -1))
	}
	return w.searchIn(rows, box)
}

// searchIn looks for a solution in a box, which it changes.
func (w *work) searchIn(rows []row, box []interval) ([]int64, bool) {
	if !w.narrow(rows, box) {
		return nil, false
	}
	widest := func(i interval) int64 { return add(i.most, -i.least) }
	chosen, free := -1, false
	for v, i := range box {
		switch {
		case !i.isBounded():
			free = free || occurs(rows, v)
		case i.least < i.most && (chosen < 0 || widest(i) < widest(box[chosen])):
			chosen = v
		}
	}
	if chosen < 0 {
		if free {
			panic(errLimit)
		}
		values := make([]int64, len(box))
		for v, i := range box {
			if i.isBounded() {
				values[v] = i.least
			}
		}
		return values, true
	}
	half := box[chosen].least + widest(box[chosen])/2
	for _, part := range []interval{{box[chosen].least, half}, {half + 1, box[chosen].most}} {
		inner := append([]interval(nil), box...)
		inner[chosen] = part
		if values, ok := w.searchIn(rows, inner); ok {
			return values, true
		}
	}
	return nil, false
}

func occurs(rows []row, v int) bool {
	for _, r := range rows {
		if r.coefficients[v] != 0 {
			return true
		}
	}
	return false
}

// narrow takes values from a box that the rows exclude, and reports whether any are left.
func (w *work) narrow(rows []row, box []interval) bool {
	for changed := true; changed; {
		changed = false
		for _, r := range rows {
			w.spend(0)
			tighter, ok := r.narrow(box)
			if !ok {
				return false
			}
			changed = changed || tighter
		}
	}
	return true
}

// narrow takes values from a box that the row excludes, and reports whether there were some,
// and whether any are left.
func (r row) narrow(box []interval) (changed, ok bool) {
	most, free := r.constant, -1 // of the sum without the variable that has no bound, of which there may be one
	for v, c := range r.coefficients {
		switch end, bounded := box[v].end(c); {
		case c == 0:
		case bounded:
			most = add(most, multiply(c, end))
		case free >= 0:
			return false, true
		default:
			free = v
		}
	}
	if free < 0 && most < 0 {
		return false, false
	}
	for v, c := range r.coefficients {
		if c == 0 || free >= 0 && v != free {
			continue
		}
		others := most
		if v != free {
			end, _ := box[v].end(c)
			others = add(most, -multiply(c, end))
		}
		// c·x + others ≥ 0
		if c > 0 {
			if least := ceilDiv(-others, c); least > box[v].least {
				box[v].least, changed = least, true
			}
		} else if bound := floorDiv(others, -c); bound < box[v].most {
			box[v].most, changed = bound, true
		}
		if box[v].least > box[v].most {
			return true, false
		}
	}
	return changed, true
}

// end is the value at which c times a variable is largest, if there is one.
func (i interval) end(c int64) (value int64, bounded bool) {
	if c > 0 {
		return i.most, i.most < math.MaxInt64
	}
	return i.least, i.least > math.MinInt64
}
