package space

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func divisors(n int64) []int64 {
	var list []int64
	for d := int64(1); d*d <= n; d++ {
		if n%d == 0 {
			list = append(list, d)
			if d*d < n {
				list = append(list, n/d)
			}
		}
	}
	slices.Sort(list)
	return list
}

// chain is a chain of divisors: every parameter divides the one before it.
func chain(name string, n int64, length int, uses bool) Group {
	var g Group
	for d := range length {
		p := Parameter{Name: name + string(rune('0'+d)), Values: func(prefix []int64) []int64 {
			if len(prefix) == 0 {
				return divisors(n)
			}
			return divisors(prefix[len(prefix)-1])
		}}
		if uses && d > 0 {
			p.Uses = []string{g[d-1].Name}
		}
		g = append(g, p)
	}
	return g
}

// drawGroup makes a random group whose values depend on random earlier parameters,
// with dead ends.
func drawGroup(t *rapid.T, name string) Group {
	var g Group
	for d := range rapid.IntRange(1, 4).Draw(t, "length") {
		seed := rapid.Uint64().Draw(t, "seed")
		width := rapid.IntRange(1, 4).Draw(t, "width")
		var used []int
		for e := range d {
			if rapid.Bool().Draw(t, "uses") {
				used = append(used, e)
			}
		}
		p := Parameter{Name: name + string(rune('0'+d)), Values: func(prefix []int64) []int64 {
			h := seed
			for _, e := range used {
				h = h*6364136223846793005 + uint64(prefix[e]) + 1442695040888963407
			}
			rng := rand.New(rand.NewPCG(h, 1))
			list := make([]int64, rng.IntN(width+1))
			for i := range list {
				list[i] = int64(i*3) - int64(rng.IntN(3))
			}
			return list
		}}
		if rapid.Bool().Draw(t, "declared") {
			p.Uses = []string{}
			for _, e := range used {
				p.Uses = append(p.Uses, g[e].Name)
			}
		}
		g = append(g, p)
	}
	return g
}

// bruteForce lists the points of a product of groups in order.
func bruteForce(groups []Group) []Point {
	points := []Point{{}}
	for _, g := range groups {
		paths := [][]int64{{}}
		for _, p := range g {
			var next [][]int64
			for _, path := range paths {
				for _, v := range p.Values(path) {
					next = append(next, append(slices.Clone(path), v))
				}
			}
			paths = next
		}
		var next []Point
		for _, p := range points {
			for _, path := range paths {
				next = append(next, append(slices.Clone(p), path...))
			}
		}
		points = next
	}
	return points
}

// TestBruteForce compares every operation with the list of all points.
func TestBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var groups []Group
		for i := range rapid.IntRange(1, 3).Draw(t, "groups") {
			groups = append(groups, drawGroup(t, string(rune('a'+i))))
		}
		want := bruteForce(groups)
		s, err := New(groups...)
		if len(want) == 0 {
			if err == nil || !strings.Contains(err.Error(), "empty") {
				t.Fatalf("an empty space gives %v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if s.Count().Int64() != int64(len(want)) {
			t.Fatalf("count %s, want %d", s.Count(), len(want))
		}
		for i, w := range want {
			n := big.NewInt(int64(i))
			p := s.At(n)
			if !slices.Equal(p, w) {
				t.Fatalf("point %d is %v, want %v", i, p, w)
			}
			if back, err := s.Index(p); err != nil || back.Cmp(n) != 0 {
				t.Fatalf("the number of %v is %v, %v", p, back, err)
			}
			if parsed, err := s.Parse(s.Key(p)); err != nil || !slices.Equal(parsed, p) {
				t.Fatalf("%q is read as %v, %v", s.Key(p), parsed, err)
			}
			if q := s.FromCoordinates(s.Coordinates(p)); !slices.Equal(q, p) {
				t.Fatalf("the coordinates of %v lead to %v", p, q)
			}
			if q := s.Repair(p); !slices.Equal(q, p) {
				t.Fatalf("the valid %v is repaired to %v", p, q)
			}
		}
		member := func(what string, p Point) {
			if !slices.ContainsFunc(want, func(w Point) bool { return slices.Equal(w, p) }) {
				t.Fatalf("%s made %v, which is not in the space", what, p)
			}
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "rng"), 0))
		a, b, c := s.Random(rng), s.Random(rng), s.Random(rng)
		member("random", a)
		member("crossover", s.Crossover(rng, a, b, c))
		member("mutation", s.Mutate(a, 0.3, rng))
		n := s.Neighbour(a, rng)
		member("neighbour", n)
		if len(want) > 1 && slices.Equal(n, a) && !lonely(want, a) {
			t.Fatalf("%v is its own neighbour", a)
		}
		wild := make(Point, len(a))
		for i := range wild {
			wild[i] = rapid.Int64().Draw(t, "wild")
		}
		member("repair", s.Repair(wild))
		if slices.Equal(s.Repair(wild), wild) != s.Contains(wild) {
			t.Fatalf("%v: contained %v", wild, s.Contains(wild))
		}
	})
}

// lonely reports whether no parameter of p has an alternative after those before it.
func lonely(all []Point, p Point) bool {
	for d := range p {
		for _, q := range all {
			if slices.Equal(q[:d], p[:d]) && q[d] != p[d] {
				return false
			}
		}
	}
	return true
}

// TestLarge opens spaces that nobody could list.
func TestLarge(t *testing.T) {
	start := time.Now()
	s, err := New(chain("i", 1<<20, 6, true), chain("j", 3*5*7<<14, 6, true), chain("k", 4096, 5, true))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s points, opened in %v", s.Count(), time.Since(start))
	if s.Count().Cmp(new(big.Int).Exp(big.NewInt(10), big.NewInt(12), nil)) < 0 {
		t.Fatalf("only %s points", s.Count())
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		p := s.Random(rng)
		n, err := s.Index(p)
		if err != nil || !slices.Equal(s.At(n), p) {
			t.Fatalf("%v has the number %v, %v", p, n, err)
		}
		q := s.Neighbour(p, rng)
		if !s.Contains(q) || slices.Equal(p, q) {
			t.Fatalf("%v has the neighbour %v", p, q)
		}
	}
	expansions := 0
	for _, tr := range s.trees {
		expansions += len(tr.counts)
	}
	if expansions > 2000 {
		t.Errorf("%d counts are kept", expansions)
	}
}

// TestChainCount compares with the closed form: for 2^e a chain of L divisors has
// as many points as there are non-increasing sequences in [0, e].
func TestChainCount(t *testing.T) {
	for _, uses := range []bool{true, false} {
		s, err := New(chain("i", 1024, 4, uses))
		if err != nil {
			t.Fatal(err)
		}
		if want := new(big.Int).Binomial(14, 4); s.Count().Cmp(want) != 0 {
			t.Errorf("uses %v: %s points, want %s", uses, s.Count(), want)
		}
	}
}

// TestErrors: what New and Index refuse says why.
func TestErrors(t *testing.T) {
	few := func(list ...int64) func([]int64) []int64 { return func([]int64) []int64 { return list } }
	var wide Group
	for d := range 40 {
		wide = append(wide, Parameter{Name: string(rune('a' + d)), Values: few(1, 2, 3)})
	}
	for _, c := range []struct {
		groups []Group
		want   string
	}{
		{[]Group{{{Name: "a", Values: few()}}}, "empty"},
		{[]Group{{{Name: "a", Values: few(1, 2, 1)}}}, "twice"},
		{[]Group{{{Name: "a", Values: few(1)}}, {{Name: "a", Values: few(1)}}}, "two parameters"},
		{[]Group{{{Name: "a", Values: few(1), Uses: []string{"b"}}, {Name: "b", Values: few(1)}}}, "does not stand before"},
		{[]Group{wide}, "too large to count"},
	} {
		if _, err := New(c.groups...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
	s, err := New(chain("tile", 64, 2, true))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"16":    "2 values",
		"16,3":  "tile1 cannot be 3 here; it can be 1, 2, 4, 8, 16",
		"3,1":   "tile0 cannot be 3",
		"a,1":   "integers",
		"8,4,2": "2 values",
	} {
		if _, err := s.Parse(key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want an error with %q", key, err, want)
		}
	}
}

// TestNeighbourReaches walks between any two points of a constrained space.
func TestNeighbourReaches(t *testing.T) {
	s, err := New(chain("i", 12, 2, true), Group{{Name: "flag", Values: func([]int64) []int64 { return []int64{0, 1} }}})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	seen := map[string]bool{}
	for p := s.At(new(big.Int)); len(seen) < int(s.Count().Int64()); p = s.Neighbour(p, rng) {
		seen[s.Key(p)] = true
	}
}
