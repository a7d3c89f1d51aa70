package space

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
)

// maxExpansions is how many nodes of a group may be looked at to count it: about a
// second of work.
const maxExpansions = 1 << 20

// maxLists is how many lists of values are remembered.
const maxLists = 1 << 16

// worthKeeping is from how many looks at nodes on a count is remembered.
const worthKeeping = 64

// A tree is the lazily expanded tree of a group.
type tree struct {
	group  Group
	first  int     // the number of its first parameter in the space
	uses   [][]int // by depth: the earlier parameters that Values looks at; nil if not declared
	live   [][]int // by depth: the earlier parameters that decide what follows
	counts map[string]*big.Int
	lists  map[string][]int64 // what Values gave, where its Uses are declared
	total  *big.Int
	looks  int // nodes looked at so far
}

func newTree(g Group, first int) (*tree, error) {
	t := &tree{group: g, first: first, counts: map[string]*big.Int{}, lists: map[string][]int64{}}
	if err := t.dependences(); err != nil {
		return nil, err
	}
	var err error
	if t.total, err = t.count(nil); err != nil {
		return nil, err
	}
	return t, nil
}

// dependences fills live from Uses.
func (t *tree) dependences() error {
	t.live, t.uses = make([][]int, len(t.group)+1), make([][]int, len(t.group))
	for d := len(t.group) - 1; d >= 0; d-- {
		p := t.group[d]
		needed := map[int]bool{}
		for _, e := range t.live[d+1] {
			needed[e] = e < d
		}
		for e := range d {
			needed[e] = needed[e] || p.Uses == nil || slices.Contains(p.Uses, t.group[e].Name)
		}
		for _, name := range p.Uses {
			if !slices.ContainsFunc(t.group[:d], func(q Parameter) bool { return q.Name == name }) {
				return fmt.Errorf("the parameter %s uses %s, which does not stand before it in its group", p.Name, name)
			}
		}
		if p.Uses != nil {
			t.uses[d] = []int{}
		}
		for e := range d {
			if slices.Contains(p.Uses, t.group[e].Name) {
				t.uses[d] = append(t.uses[d], e)
			}
			if needed[e] {
				t.live[d] = append(t.live[d], e)
			}
		}
	}
	return nil
}

// key identifies the subtree below prefix: subtrees with the same key are equal.
func (t *tree) key(prefix []int64) string { return chosen(prefix, t.live[len(prefix)]) }

// chosen is the text of a depth and of some of the choices.
func chosen(prefix []int64, which []int) string {
	key := binary.AppendUvarint(nil, uint64(len(prefix)))
	for _, e := range which {
		key = binary.AppendVarint(key, prefix[e])
	}
	return string(key)
}

// values lists the values below prefix, dead ends included.
func (t *tree) values(prefix []int64) ([]int64, error) {
	d := len(prefix)
	if t.uses[d] == nil {
		return t.list(prefix)
	}
	key := chosen(prefix, t.uses[d])
	if list, known := t.lists[key]; known {
		return list, nil
	}
	list, err := t.list(prefix)
	if err == nil && len(t.lists) < maxLists {
		t.lists[key] = list
	}
	return list, err
}

// list calls Values.
func (t *tree) list(prefix []int64) ([]int64, error) {
	d := len(prefix)
	if t.looks++; t.looks > maxExpansions && t.total == nil {
		return nil, fmt.Errorf("the group of the parameter %s is too large to count: say in Uses what the values of its parameters depend on, or split it", t.group[0].Name)
	}
	list := t.group[d].Values(prefix)
	if !slices.IsSorted(list) || hasNeighbours(list) {
		sorted := slices.Clone(list)
		slices.Sort(sorted)
		if hasNeighbours(sorted) {
			return nil, fmt.Errorf("the parameter %s lists a value twice after the choices %v", t.group[d].Name, prefix)
		}
	}
	return list, nil
}

// hasNeighbours reports whether two neighbours are equal.
func hasNeighbours(list []int64) bool {
	for i := 1; i < len(list); i++ {
		if list[i] == list[i-1] {
			return true
		}
	}
	return false
}

// shared reports whether all subtrees one below depth d are equal.
func (t *tree) shared(d int) bool { return !slices.Contains(t.live[d+1], d) }

var one = big.NewInt(1)

// count returns the number of paths below prefix.
func (t *tree) count(prefix []int64) (*big.Int, error) {
	d := len(prefix)
	if d == len(t.group) {
		return one, nil
	}
	if len(t.live[d]) < d || t.total != nil { // otherwise no path comes twice
		if n, known := t.counts[t.key(prefix)]; known {
			return n, nil
		}
	}
	before := t.looks
	list, err := t.values(prefix)
	if err != nil {
		return nil, err
	}
	if d+1 == len(t.group) {
		return big.NewInt(int64(len(list))), nil
	}
	total := new(big.Int)
	child := append(slices.Clone(prefix), 0)
	for _, v := range list {
		child[d] = v
		n, err := t.count(child)
		if err != nil {
			return nil, err
		}
		if t.shared(d) {
			total.Mul(n, big.NewInt(int64(len(list))))
			break
		}
		total.Add(total, n)
	}
	if t.looks-before >= worthKeeping || len(t.live[d]) < d {
		t.counts[t.key(prefix)] = total
	}
	return total, nil
}

// alive reports whether some path goes through prefix.
func (t *tree) alive(prefix []int64) bool {
	d := len(prefix)
	if d == len(t.group) {
		return true
	}
	if n, known := t.counts[t.key(prefix)]; known {
		return n.Sign() > 0
	}
	list, err := t.values(prefix)
	if err != nil {
		return false
	}
	child := append(slices.Clone(prefix), 0)
	for _, v := range list {
		if child[d] = v; t.alive(child) {
			return true
		}
		if t.shared(d) {
			return false
		}
	}
	return false
}

// choices lists the values below prefix that lead somewhere.
func (t *tree) choices(prefix []int64) []int64 {
	d := len(prefix)
	list, err := t.values(prefix)
	if err != nil || len(list) == 0 || d+1 == len(t.group) {
		return list
	}
	child := append(slices.Clone(prefix), 0)
	if t.shared(d) {
		if child[d] = list[0]; !t.alive(child) {
			return nil
		}
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(v int64) bool {
		child[d] = v
		return !t.alive(child)
	})
}

// at returns path number n, 0 ≤ n < total.
func (t *tree) at(n *big.Int) ([]int64, error) {
	rest := new(big.Int).Set(n)
	var path []int64
	for d := range t.group {
		list, err := t.values(path)
		if err != nil {
			return nil, err
		}
		path = append(path, 0)
		found := false
		for _, v := range list {
			path[d] = v
			below, err := t.count(path)
			if err != nil {
				return nil, err
			}
			if t.shared(d) { // all children alike: divide
				q := new(big.Int)
				q.QuoRem(rest, below, rest)
				path[d], found = list[q.Int64()], true
				break
			}
			if rest.Cmp(below) < 0 {
				found = true
				break
			}
			rest.Sub(rest, below)
		}
		if !found {
			return nil, fmt.Errorf("the values of %s depend on more than its Uses names", t.group[d].Name)
		}
	}
	return path, nil
}

// index is the inverse of at.
func (t *tree) index(path []int64) (*big.Int, error) {
	n := new(big.Int)
	for d := range t.group {
		list, err := t.values(path[:d])
		if err != nil {
			return nil, err
		}
		at := slices.Index(list, path[d])
		if at < 0 {
			return nil, fmt.Errorf("%s cannot be %s here; it can be %s", t.group[d].Name, t.text(d, path[d]), t.texts(d, t.choices(path[:d])))
		}
		child := append(slices.Clone(path[:d]), 0)
		for _, v := range list[:at] {
			child[d] = v
			below, err := t.count(child)
			if err != nil {
				return nil, err
			}
			if t.shared(d) {
				n.Add(n, new(big.Int).Mul(below, big.NewInt(int64(at))))
				break
			}
			n.Add(n, below)
		}
		if child[d] = path[d]; !t.alive(child) {
			return nil, fmt.Errorf("%s = %s leads nowhere here; it can be %s", t.group[d].Name, t.text(d, path[d]), t.texts(d, t.choices(path[:d])))
		}
	}
	return n, nil
}
