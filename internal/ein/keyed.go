package ein

import "github.com/ricci-lang/ricci/tensor"

// A Keyed is an equality without which the terms of a reduction are the identity, between a key
// of what is reduced and one of the results, Bin. The terms depend on the indices Found through Bin
// alone, so that they need not be computed for each of these, but once for each value of the keys.
type Keyed struct {
	Guard    *Binary
	Key, Bin Expr
	Found    []*Index // of results
	Shared   []*Index // the other indices of Bin
}

// Keyed lists the equalities of keys in a comprehension whose reductions are all by an operator; none
// where some index is determined, for which there is a shorter way.
func (c *Comprehension) Keyed(op *Operator) (list []*Keyed) {
	guards := c.Guards(op)
	for _, g := range guards {
		e, ok := g.Expr.(*Binary)
		if !ok || !(e.Op == Eq && g.Holds || e.Op == Ne && !g.Holds) || !e.X.Type().IsInteger() {
			continue
		}
		for _, sides := range [][2]Expr{{e.X, e.Y}, {e.Y, e.X}} {
			if k := (&Keyed{Guard: e, Key: sides[0], Bin: sides[1]}); k.findIndices(c) {
				list = append(list, k)
			}
		}
	}
	for _, i := range c.Indices {
		if len(list) > 0 && c.Determined(op, i) != nil {
			return nil
		}
	}
	return list
}

// findIndices tells the indices apart; ok is false where the comprehension depends on those of
// the bins in another way, or there are none.
func (k *Keyed) findIndices(c *Comprehension) (ok bool) {
	key, keyReads, plainKey := usesOf(k.Key)
	bin, binReads, plainBin := usesOf(k.Bin)
	if !plainKey || !plainBin || !keyReads || !binReads {
		return false
	}
	elsewhere := map[*Index]bool{}
	for _, v := range k.Values(c, IntConst(tensor.Bool, 1)) {
		used, _, _ := usesOf(v)
		for i := range used {
			elsewhere[i] = true
		}
	}
	reduces := false
	for _, i := range c.Indices {
		reduces = reduces || key[i] && i.Combine.Kind == Reduce
		switch {
		case !bin[i]:
		case i.Combine.Kind != Concat:
			return false
		case key[i] || elsewhere[i]:
			k.Shared = append(k.Shared, i)
		default:
			k.Found = append(k.Found, i)
		}
	}
	return reduces && len(k.Found) > 0
}

// usesOf returns the indices of an expression; plain is false where it has local names.
func usesOf(e Expr) (used map[*Index]bool, reads, plain bool) {
	used, plain = map[*Index]bool{}, true
	Walk(e, func(e Expr) bool {
		switch e := e.(type) {
		case *IndexRef:
			used[e.Index] = true
		case *LocalRef:
			plain = false
		case *Access:
			reads = true
		}
		return true
	})
	return used, reads, plain
}

// Values are those of the comprehension with another expression for the equality.
func (k *Keyed) Values(c *Comprehension, replaced Expr) []Expr {
	list := make([]Expr, len(c.Values))
	for n, v := range c.Values {
		list[n] = Map(v, func(e Expr) Expr {
			if SameExpr(e, k.Guard) {
				return replaced
			}
			return e
		})
	}
	return list
}
