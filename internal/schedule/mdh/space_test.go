package mdh

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/space"
)

const square = `
func matmul {
  in A: float32[1024, 1024]
  in B: float32[1024, 1024]
  out C: float32[1024, 1024]
  for i in 0:1024, j in 0:1024, k in 0:1024 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`

// nearestTo returns the default schedule of a function, the space of that, and the schedule in
// it that is nearest to the default.
func nearestTo(t *testing.T, text string) (tree, near *schedule.Tree, points *space.Space) {
	t.Helper()
	f := parseFunc(t, text)
	tree, err := standard.Default(f, processor)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSpace(f, processor, SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if points, err = space.New(s.Groups...); err != nil {
		t.Fatal(err)
	}
	point, err := s.Nearest(tree)
	if err != nil {
		t.Fatal(err)
	}
	if !points.Contains(point) {
		t.Errorf("%v is no point", point)
	}
	if near, err = s.Tree(point); err != nil {
		t.Fatal(err)
	}
	return tree, near, points
}

// TestSpaceHasDefault finds the default schedule of a matrix product in the space: the
// same loops, register tile and copies.
func TestSpaceHasDefault(t *testing.T) {
	tree, near, points := nearestTo(t, square)
	t.Logf("%s points of %v", points.Count(), points.Names())
	if normal(near) != normal(tree) {
		t.Errorf("%s\nnearest:\n%s", schedule.Print(tree), schedule.Print(near))
	}
	for _, want := range []string{"tile 64", "place B private", "unroll", "vector 16 unroll", "parallel"} {
		if !strings.Contains(schedule.Print(near), want) {
			t.Errorf("no %q in\n%s", want, schedule.Print(near))
		}
	}
}

// TestSpaceCores draws points for each choice of who is walked by cores: threads have work.
func TestSpaceCores(t *testing.T) {
	f := parseFunc(t, square)
	s, err := NewSpace(f, processor, SpaceOptions{AllCores: true})
	if err != nil {
		t.Fatal(err)
	}
	points, err := space.New(s.Groups...)
	if err != nil {
		t.Fatal(err)
	}
	cores, random := slices.Index(points.Names(), "cores"), rand.New(rand.NewPCG(1, 2))
	drawn, parallel := map[int64]int{}, map[int64]int{}
	for range 400 {
		point := points.Random(random)
		tree, err := s.Tree(point)
		if err != nil {
			t.Fatal(err)
		}
		if drawn[point[cores]]++; strings.Contains(schedule.Print(tree), "parallel") {
			parallel[point[cores]]++
		}
	}
	for _, choice := range []int64{1, 2, 3} {
		if parallel[choice] < drawn[choice]/2 || drawn[choice] < 20 {
			t.Errorf("of %d points with cores %d only %d have a parallel loop", drawn[choice], choice, parallel[choice])
		}
	}
	if parallel[0] > 0 {
		t.Errorf("%d points with one thread have a parallel loop", parallel[0])
	}
}

// TestSpaceApart draws points some of which have sums apart in their register tiles, in registers; all are trees.
func TestSpaceApart(t *testing.T) {
	f := parseFunc(t, square)
	s, err := NewSpace(f, processor, SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	points, err := space.New(s.Groups...)
	if err != nil {
		t.Fatal(err)
	}
	at, random, asked := slices.Index(points.Names(), "apart"), rand.New(rand.NewPCG(1, 2)), 0
	for range 60 {
		point := points.Random(random)
		tree, err := s.Tree(point)
		if err != nil {
			t.Fatal(err)
		}
		text := schedule.Print(tree)
		kept := strings.Contains(text, "S0.k unroll partial 1")
		if !kept { // there is nothing else to add where one loop is all that is inside of the accumulators
			continue
		}
		if asked++; point[at] != 3 || !strings.Contains(text, "accumulate S0 register") {
			t.Errorf("apart is %d\n%s", point[at], text)
		}
		if near, err := s.Nearest(tree); err == nil && near[at] != 3 {
			t.Errorf("apart is %d, found %v in\n%s", point[at], near, text)
		}
	}
	if asked < 5 {
		t.Errorf("%d trees have sums apart", asked)
	}
}

// TestScanSpace finds the default schedules of scans in their spaces, which have many points.
func TestScanSpace(t *testing.T) {
	for _, text := range []string{
		"func f { in X: float32[10000000] out A: float32[10000000] for i in 0:10000000 scan + { A[i] = X[i] } }",
		"func f { in X: int32[64, 1000] out A: int32[64, 1000] for n in 0:64, i in 0:1000 scan + { A[n, i] = X[n, i] } }",
		"func f { in X: int32[64, 1000] out A: int32[64, 1000] for n in 0:64 scan *, i in 0:1000 { A[n, i] = X[n, i] } }",
	} {
		tree, near, points := nearestTo(t, text)
		if count := points.Count(); count.IsInt64() && count.Int64() < 1000 {
			t.Errorf("%s points", count)
		}
		if !strings.Contains(text, "scan *") && normal(near) != normal(tree) { // whose carries are in registers inside of the lanes
			t.Errorf("%s\nnearest:\n%s", schedule.Print(tree), schedule.Print(near))
		}
	}
}

// TestNearestDivisor compares with the definition.
func TestNearestDivisor(t *testing.T) {
	for n := int64(1); n <= 60; n++ {
		for size := int64(1); size <= n; size++ {
			for unit := int64(1); unit <= size; unit++ {
				want := size
				for away := int64(0); away <= n; away++ {
					fits := func(m int64) bool { return m > 0 && m%unit == 0 && n%m == 0 && size/2 <= m && m <= 2*size }
					if fits(size - away) {
						want = size - away
						break
					}
					if fits(size + away) {
						want = size + away
						break
					}
				}
				if found := nearestDivisor(n, size, unit); found != want {
					t.Fatalf("%d divides %d, a multiple of %d near %d: expected %d", found, n, unit, size, want)
				}
			}
		}
	}
}

// TestSpacePoints makes trees of random points of the spaces of random functions: all
// are valid, accepted, and compute what the function means.
func TestSpacePoints(t *testing.T) {
	illegal, trees := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		f := scheduletest.Draw(t, eintest.Options{NoHalf: true})
		processor := scheduletest.Machine(t)
		s, err := NewSpace(f.G, processor, SpaceOptions{AllCores: rapid.Bool().Draw(t, "cores"), PartialLayers: rapid.Bool().Draw(t, "partial")})
		if err != nil {
			t.Fatal(err)
		}
		points, err := space.New(s.Groups...)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		point := points.Random(random)
		p, err := s.Plan(point)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Validate(f.G); err != nil && len(p.Groups) > 0 {
			t.Fatalf("%v\n%s\n%s\n%s", err, points.Text(point), f.G, p)
		}
		tree, err := s.Tree(point)
		var list source.ErrorList
		if errors.As(err, &list) && list[0].Code == source.ScheduleIllegal {
			illegal++
			return
		}
		if err != nil {
			t.Fatalf("%v\n%s\n%s\n%s\n%s", err, points.Text(point), f.G, p, schedule.Print(tree))
		}
		trees++
		got, err := f.Loops(t, tree)
		f.Matches(t, got, err, points.Text(point)+"\n"+schedule.Print(tree))
	})
	t.Logf("%d trees, %d break dependences", trees, illegal)
}
