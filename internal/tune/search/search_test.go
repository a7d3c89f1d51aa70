package search

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/space"
)

// A problem is a space with a cost; NaN is a failing point.
type problem struct {
	name  string
	space *space.Space
	cost  func(space.Point) float64
}

func upTo(n int64) func([]int64) []int64 {
	return func([]int64) []int64 {
		list := make([]int64, n)
		for i := range list {
			list[i] = int64(i)
		}
		return list
	}
}

// box is a space of independent parameters.
func box(t *testing.T, dims int, n int64) *space.Space {
	var groups []space.Group
	for d := range dims {
		groups = append(groups, space.Group{{Name: string(rune('a' + d)), Values: upTo(n)}})
	}
	return newSpace(t, groups...)
}

func newSpace(t *testing.T, groups ...space.Group) *space.Space {
	t.Helper()
	s, err := space.New(groups...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tiles is a space of two-level tiles of three dimensions, as of a contraction.
func tiles(t *testing.T) *space.Space {
	divisors := func(n int64) []int64 {
		var list []int64
		for d := int64(1); d <= n; d++ {
			if n%d == 0 {
				list = append(list, d)
			}
		}
		return list
	}
	var groups []space.Group
	for _, d := range []string{"i", "j", "k"} {
		groups = append(groups, space.Group{
			{Name: d + "2", Values: func([]int64) []int64 { return divisors(960) }, Uses: []string{}},
			{Name: d + "1", Values: func(prefix []int64) []int64 { return divisors(prefix[0]) }, Uses: []string{d + "2"}},
		})
	}
	return newSpace(t, groups...)
}

func problems(t *testing.T) []problem {
	return []problem{
		{"separable", box(t, 8, 30), func(p space.Point) float64 {
			sum := 1.0
			for d, v := range p {
				sum += math.Abs(float64(v) - float64(3*d+4))
			}
			return sum
		}},
		{"rugged", box(t, 6, 64), func(p space.Point) float64 { // Rastrigin's function
			sum := 1.0
			for d, v := range p {
				x := (float64(v) - float64(20+4*d)) / 8
				sum += x*x + 4*(1-math.Cos(2*math.Pi*x))
			}
			return sum
		}},
		{"failing", box(t, 6, 40), func(p space.Point) float64 {
			sum := 1.0
			for d, v := range p {
				if (v+int64(d))%5 == 0 {
					return math.NaN()
				}
				sum += math.Pow(float64(v-int64(30-3*d)), 2)
			}
			return sum
		}},
		{"constrained", tiles(t), func(p space.Point) float64 {
			inner := func(d int) float64 { return float64(p[2*d+1]) }
			outer := func(d int) float64 { return float64(p[2*d]) }
			registers := inner(0) * inner(1)
			cost := 1 + (inner(0)+inner(1))/registers + 10/inner(2) + 960/outer(0)/50
			if registers > 24 {
				cost += registers / 24
			}
			if bytes := outer(0)*outer(2) + outer(1)*outer(2); bytes > 8000 {
				cost *= 1 + math.Log(bytes/8000)
			}
			return cost
		}},
	}
}

// search runs a strategy for so many different points, in batches, and returns the
// best cost and the sequence of keys.
func search(t *testing.T, name string, p problem, seed uint64, budget, batch int) (float64, []string) {
	t.Helper()
	s, err := Named(name, p.space, seed, nil)
	if err != nil {
		t.Fatal(err)
	}
	best, known := math.Inf(1), map[string]float64{}
	var order []string
	report := func(q space.Point, c float64) { s.Report(q, c, math.IsNaN(c)) }
	for idle := 0; len(known) < budget && idle < 10000; {
		var points []space.Point
		for len(points) < batch {
			q, ok := s.Next()
			if !ok {
				break
			}
			if c, seen := known[p.space.Key(q)]; seen {
				report(q, c)
				if idle++; idle == 10000 {
					break
				}
				continue
			}
			if !p.space.Contains(q) {
				t.Fatalf("%s proposes %v, which is not in the space", name, q)
			}
			points = append(points, q)
		}
		if len(points) == 0 {
			break
		}
		for _, q := range points {
			c := p.cost(q)
			known[p.space.Key(q)] = c
			order = append(order, p.space.Key(q))
			report(q, c)
			if c < best {
				best = c
			}
		}
	}
	return best, order
}

// TestBetterThanRandom: every strategy beats random search on what it is for. The
// seeds are fixed, so that the outcome is.
func TestBetterThanRandom(t *testing.T) {
	const runs, budget, batch = 11, 300, 8
	good := map[string][]string{
		"separable":   {"bandit", "annealing", "evolution", "pattern", "genetic"},
		"rugged":      {"bandit", "annealing", "evolution", "pattern", "genetic"},
		"failing":     {"bandit", "annealing", "evolution", "pattern", "genetic"},
		"constrained": {"bandit", "annealing", "evolution", "pattern", "genetic"},
	}
	for _, p := range problems(t) {
		t.Run(p.name, func(t *testing.T) {
			base := make([]float64, runs)
			for i := range base {
				base[i], _ = search(t, "random", p, uint64(i), budget, batch)
			}
			for _, name := range good[p.name] {
				found, wins := make([]float64, runs), 0
				for i := range found {
					if found[i], _ = search(t, name, p, uint64(i), budget, batch); found[i] < base[i] {
						wins++
					}
				}
				t.Logf("%-10s median %.3g, random %.3g, better in %d of %d", name, median(found), median(base), wins, runs)
				if median(found) >= median(base) || wins*10 < runs*7 {
					t.Errorf("%s: median %.3g, random %.3g, better in %d of %d runs", name, median(found), median(base), wins, runs)
				}
			}
		})
	}
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// TestReproducible: the same seed and the same costs give the same sequence, another
// seed another one.
func TestReproducible(t *testing.T) {
	for _, name := range Names() {
		p := problems(t)[2]
		_, a := search(t, name, p, 7, 150, 4)
		_, b := search(t, name, p, 7, 150, 4)
		_, c := search(t, name, p, 8, 150, 4)
		if !slices.Equal(a, b) {
			t.Errorf("%s: two runs with one seed differ", name)
		}
		if name != "exhaustive" && slices.Equal(a, c) {
			t.Errorf("%s: the seed has no influence", name)
		}
	}
}

// TestComplete: strategies without repetition visit a small space once each; the
// others find its best point.
func TestComplete(t *testing.T) {
	small := problem{space: box(t, 3, 5), cost: func(p space.Point) float64 { return math.Abs(float64(25*p[0]+5*p[1]+p[2]) - 77.2) }}
	for _, name := range Names() {
		best, order := search(t, name, small, 3, 125, 8)
		slices.Sort(order)
		if n := len(slices.Compact(order)); n != 125 && (name == "random" || name == "exhaustive") {
			t.Errorf("%s visits %d of 125 points", name, n)
		}
		if math.Abs(best-0.2) > 1e-9 {
			t.Errorf("%s finds %g in a space of 125 points", name, best)
		}
	}
}

// TestOnePoint: a space of one point is searched without trouble.
func TestOnePoint(t *testing.T) {
	only := problem{space: box(t, 2, 1), cost: func(space.Point) float64 { return 1 }}
	for _, name := range Names() {
		if best, _ := search(t, name, only, 1, 1, 4); best != 1 {
			t.Errorf("%s does not find the only point", name)
		}
	}
}

// TestAllFail: nothing works, and no strategy minds.
func TestAllFail(t *testing.T) {
	hopeless := problem{space: box(t, 4, 20), cost: func(space.Point) float64 { return math.NaN() }}
	for _, name := range Names() {
		if _, order := search(t, name, hopeless, 1, 300, 8); len(order) < 300 {
			t.Errorf("%s stops after %d failures", name, len(order))
		}
	}
}

// TestSeeds: seeds come first and are repaired; earlier results guide the search.
func TestSeeds(t *testing.T) {
	p := problems(t)[0]
	for _, name := range Names() {
		s, err := Named(name, p.space, 1, []space.Point{{1, 2, 3, 4, 5, 6, 7, 8}, {99, -5}})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"1,2,3,4,5,6,7,8", "29,0,0,0,0,0,0,0"} {
			if q, ok := s.Next(); !ok || p.space.Key(q) != want {
				t.Errorf("%s begins with %v, want %s", name, q, want)
			}
		}
		for i := range 3 {
			s.Report(p.space.Repair(space.Point{int64(i)}), 1, false)
		}
		if q, ok := s.Next(); !ok || !p.space.Contains(q) {
			t.Errorf("%s proposes %v after what it did not ask for", name, q)
		}
	}
	if _, err := Named("simplex", p.space, 1, nil); err == nil || !strings.Contains(err.Error(), "bandit, exhaustive") {
		t.Errorf("an unknown strategy gives %v", err)
	}
}
