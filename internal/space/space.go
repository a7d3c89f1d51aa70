package space

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// A space is a chain of trees, one for each group (Rasch et al., ATF). A node of a
// tree is a list of choices for the first parameters of the group; its children are
// the values of the next one. Nothing is materialised: a node is expanded by calling
// Values. What makes large spaces cheap is counting: the number of paths below a
// node is remembered under the choices that still matter below it (Parameter.Uses),
// so a chain of divisors that has 10¹² paths has some hundred different subtrees.
// With the counts a number is turned into a path by descending, and back. The number
// of a point is the mixed-radix number of its paths, the first group being the most
// significant.
//
// Every operation yields valid points only. Those that start from arbitrary values
// (crossover, coordinates, points of another space) repair: on the way down a value
// that is not offered is replaced by the nearest one that leads somewhere.

// A Space is a set of points. It is not for concurrent use.
type Space struct {
	trees []*tree
	names []string
	count *big.Int
}

// A Point has one value for each parameter, the groups in order.
type Point []int64

// New returns the product of the groups. It is an error if there is no point, or if
// a group is too large to be counted.
func New(groups ...Group) (*Space, error) {
	s := &Space{count: big.NewInt(1)}
	seen := map[string]bool{}
	for _, g := range groups {
		if len(g) == 0 {
			continue
		}
		for _, p := range g {
			if seen[p.Name] {
				return nil, fmt.Errorf("two parameters are called %s", p.Name)
			}
			seen[p.Name] = true
			s.names = append(s.names, p.Name)
		}
		t, err := newTree(g, len(s.names)-len(g))
		if err != nil {
			return nil, err
		}
		if t.total.Sign() == 0 {
			return nil, fmt.Errorf("the space is empty: no choice of %s is valid", strings.Join(s.names[t.first:], ", "))
		}
		s.trees = append(s.trees, t)
		s.count.Mul(s.count, t.total)
	}
	return s, nil
}

// Count returns the number of points.
func (s *Space) Count() *big.Int { return new(big.Int).Set(s.count) }

// Names returns the names of the parameters, in the order of a point's values.
func (s *Space) Names() []string { return append([]string(nil), s.names...) }

// At returns point number n, 0 ≤ n < Count.
func (s *Space) At(n *big.Int) Point {
	if n.Sign() < 0 || n.Cmp(s.count) >= 0 {
		panic(source.Internalf("tune", source.Span{}, "point %s of a space of %s", n, s.count))
	}
	p := make(Point, len(s.names))
	rest := new(big.Int).Set(n)
	for k := len(s.trees) - 1; k >= 0; k-- {
		t, digit := s.trees[k], new(big.Int)
		rest.QuoRem(rest, t.total, digit)
		path, err := t.at(digit)
		if err != nil {
			panic(source.Internalf("tune", source.Span{}, "point %s: %w", n, err))
		}
		copy(p[t.first:], path)
	}
	return p
}

// Index returns the number of a point. The error of an invalid point names the
// parameter and what it could be.
func (s *Space) Index(p Point) (*big.Int, error) {
	if len(p) != len(s.names) {
		return nil, fmt.Errorf("a point of this space has %d values, found %d", len(s.names), len(p))
	}
	n := new(big.Int)
	for _, t := range s.trees {
		digit, err := t.index(p[t.first : t.first+len(t.group)])
		if err != nil {
			return nil, err
		}
		n.Add(n.Mul(n, t.total), digit)
	}
	return n, nil
}

// Contains reports whether p is a point of the space.
func (s *Space) Contains(p Point) bool {
	_, err := s.Index(p)
	return err == nil
}

// Random returns a point, all being equally likely.
func (s *Space) Random(rng *rand.Rand) Point { return s.At(below(rng, s.count)) }

// below returns a random number in [0, n).
func below(rng *rand.Rand, n *big.Int) *big.Int {
	if n.IsUint64() {
		return new(big.Int).SetUint64(rng.Uint64N(n.Uint64()))
	}
	words := make([]byte, (n.BitLen()+7)/8)
	for r := new(big.Int); ; {
		for i := range words {
			words[i] = byte(rng.Uint32())
		}
		if extra := len(words)*8 - n.BitLen(); extra > 0 {
			words[0] >>= extra
		}
		if r.SetBytes(words).Cmp(n) < 0 {
			return r
		}
	}
}
