package field

import "slices"

// open is Store.Open with variables that depend on nothing but the term in which the sum is looked into, and do not occur
// in it: rewriting the same sum twice makes the same terms. They must not leave that term.
func (n *normaliser) open(sum, within *Term) ([]Index, *Term) {
	return n.openBelow(sum, lowest(within))
}

// lowest is the lowest number that an opened variable has in a term. Those of Fresh are above 0, those of open below.
func lowest(t *Term) int {
	low := 0
	for _, i := range t.free {
		if i.Class == Opened {
			low = min(low, i.Number)
		}
	}
	return low
}

func (n *normaliser) openBelow(sum *Term, low int) ([]Index, *Term) {
	names := map[Index]Index{}
	variables := make([]Index, len(sum.Indices))
	for m, v := range sum.Indices {
		variables[m] = Index{Opened, low - 1 - m, v.Range}
		names[v] = variables[m]
	}
	return variables, n.Rename(sum.Args[0], names)
}

// close is Store.Sum with the variables in an order that depends on the body only, of those of few variables: sums that
// differ in it are one term.
func (n *normaliser) close(variables []Index, body *Term) *Term {
	if len(variables) == 0 {
		return body
	}
	if body.Op == Sum {
		inner, below := n.openBelow(body, min(lowest(body), lowestOf(variables)))
		variables, body = append(slices.Clone(variables), inner...), below
	}
	best := n.Sum(variables, body)
	if best.Op != Sum || len(variables) > 3 {
		return best
	}
	permutations(variables, func(order []Index) {
		if other := n.Sum(order, body); compare(other.Args[0], best.Args[0]) < 0 {
			best = other
		}
	})
	return best
}

func lowestOf(variables []Index) int {
	low := 0
	for _, v := range variables {
		low = min(low, v.Number)
	}
	return low
}

// permutations calls visit with every order of a list of up to three.
func permutations(list []Index, visit func([]Index)) {
	if len(list) < 2 {
		return
	}
	for first := range list {
		rest := slices.Delete(slices.Clone(list), first, first+1)
		visit(append([]Index{list[first]}, rest...))
		if len(rest) == 2 {
			visit([]Index{list[first], rest[1], rest[0]})
		}
	}
}
