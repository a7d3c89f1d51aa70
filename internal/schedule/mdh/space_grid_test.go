package mdh

import (
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestGridSpace draws points of the spaces of devices: nearly all are schedules, which compute what the program means.
func TestGridSpace(t *testing.T) {
	for _, text := range append([]string{
		"func product { in A: float32[16, 40] in B: float32[40, 24] out C: float32[16, 24]\n for i in 0:16, j in 0:24, k in 0:40 reduce + { C[i, j] = A[i, k] * B[k, j] } }",
		"func sum { in A: float32[1000] out s: float32[]\n for i in 0:1000 reduce + { s[] = A[i] } }",
		"func rows { in A: float32[7, 90] temp m: float32[7] out Y: float32[7, 90]\n for i in 0:7, j in 0:90 reduce max { m[i] = A[i, j] }\n for i in 0:7, j in 0:90 { Y[i, j] = A[i, j] - m[i] } }",
		"func sizes { size N = dim 0 of X in X: float32[N, 12] out Y: float32[N]\n for i in 0:N, j in 0:12 reduce + { Y[i] = X[i, j] } }",
	}, papersPrograms...) {
		f := parseFunc(t, text)
		for _, name := range []string{"opencl", "cuda", "cuda+wrp"} {
			t.Run(f.Name+"/"+name, func(t *testing.T) { gridSpaceOf(t, f, machine.Named(name)) })
		}
	}
}

func gridSpaceOf(t *testing.T, f *ein.Func, m *machine.Machine) {
	processor, err := m.Scheduled()
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSpace(f, processor, SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	points, err := space.New(s.Groups...)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	made, total := 0, sweep.Draws(t, 4, 200)
	for range total {
		point := points.Random(random)
		tree, err := s.Tree(point)
		if err != nil {
			t.Logf("%v %v: %v", points.Names(), point, err)
			continue
		}
		made++
		if _, err := s.Nearest(tree); err != nil {
			t.Error(err)
		}
		if len(f.Sizes) > 0 {
			kernel, err := lower.Lower(f, tree, lower.Options{})
			if err == nil {
				err = loop.Verify(kernel)
			}
			if err != nil {
				t.Errorf("%v\n%s", err, schedule.Print(tree))
			}
			continue
		}
		args, err := eintest.Arguments(1, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		subject := scheduletest.Subject{F: f, G: f, Args: args}
		got, err := subject.Loops(t, tree)
		subject.Matches(t, got, err, schedule.Print(tree))
	}
	if t.Logf("%d of %d are schedules; %s points", made, total, points.Count()); made < total*3/4 {
		t.Errorf("%d of %d points are schedules", made, total)
	}
}

// TestNearestOnGrid: a space has a point for the trees that it makes, and for the paper's.
func TestNearestOnGrid(t *testing.T) {
	f := parseFunc(t, "func product { in A: float32[64, 64] in B: float32[64, 64] out C: float32[64, 64]\n for i in 0:64, j in 0:64, k in 0:64 reduce + { C[i, j] = A[i, k] * B[k, j] } }")
	processor, err := machine.Named("cuda").Scheduled()
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSpace(f, processor, SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"domain S0[i, j, k]\nband S0.i tile 16 groups | S0.j tile 32 groups\n  band S0.i tile 2 items 8 | S0.j tile 4 items 8\n    accumulate S0 register\n      band S0.k tile 8\n        place A local\n          place B local\n            band S0.k | S0.i unroll | S0.j unroll\n",
		"domain S0[i, j, k]\nband S0.i tile 16 groups | S0.j tile 16 groups\n  accumulate S0 register\n    band S0.k tile 16\n      place A local\n        place B local\n          band S0.k | S0.i items 8 | S0.j items 8\n",
		"domain S0[i, j, k]\nband S0.i groups | S0.j groups\n  accumulate S0 local\n    band S0.k items 32\n",
	} {
		tree, err := schedule.Parse(text)
		if err == nil {
			err = schedule.Check(f, tree)
		}
		if err != nil {
			t.Fatal(err)
		}
		point, err := s.Nearest(tree)
		if err != nil {
			t.Fatal(err)
		}
		if made, err := s.Tree(point); err != nil || !Same(f, tree, made) {
			t.Errorf("%v: %v\n%s\nwanted\n%s", point, err, schedule.Print(made), text)
		}
	}
}
