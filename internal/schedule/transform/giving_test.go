package transform

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestPlacesGiveWay asks for places that no stack has room for, or whose size is not known: they have
// no effect, and a warning says so. A place that keeps a dependence does not give way.
func TestPlacesGiveWay(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  size N = dim 0 of A
  in A: int32[N, N]
  in L: int32[9, 1000000]
  out B: int32[N, N]
  out C: int32[9, 1000000]
  for i in 0:N, j in 0:N { B[i, j] = A[j, i] * 2i32 }
  for k in 0:9, l in 0:1000000 { C[k, l] = L[k, l] + 1i32 }
}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		statement int
		tensor    string
		parallel  bool
		blocks    int64
		want      string
	}{
		{0, "A", false, 0, "the private block of A of promote(l, 1, A) has no effect: the size of the block of A is not known here"},
		{0, "B", true, 0, "the private block of B of promote(l, 1, B) has no effect: the size of the block of B is not known here"},
		{1, "L", true, 0, "the private block of L of promote(l, 1, L) has no effect: the block of L has 4000000 bytes"},
		{0, "A", true, 8, ""},
	} {
		nests := []*Nest{Build(f, 0), Build(f, 1)}
		step := func(name string, args ...Argument) {
			tr, _ := Lookup(name)
			n, err := tr.Apply(nests[test.statement:test.statement+1], args, Call{})
			if err != nil {
				t.Fatal(err)
			}
			nests[test.statement] = n
		}
		level := int64(1)
		if test.blocks > 0 {
			nests[test.statement] = inTiles(t, nests[test.statement], test.blocks)
			level = 2
		}
		if test.parallel {
			step("parallelize", Int(1))
		}
		step("promote", Int(level), Argument{Name: test.tensor})
		_, idle, err := Tree(f, nests, Options{Machine: small})
		switch {
		case err != nil:
			t.Errorf("%s: %v", test.tensor, err)
		case test.want == "" && len(idle) > 0, test.want != "" && (len(idle) != 1 || !strings.Contains(idle[0].Message, test.want)):
			t.Errorf("%s: %v, expected %q", test.tensor, idle, test.want)
		}
	}
}

// TestOtherPlacesStay asks for two places, for one of which there is room: it stays.
func TestOtherPlacesStay(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  in A: int32[9, 1000000]
  in B: int32[1000000]
  out C: int32[9, 1000000]
  for i in 0:9, j in 0:1000000 { C[i, j] = A[i, j] + B[j] }
}`)
	if err != nil {
		t.Fatal(err)
	}
	n := inTiles(t, Build(f, 0), 8)
	for _, place := range []struct {
		level  int64
		tensor string
	}{{3, "B"}, {1, "A"}} {
		tr, _ := Lookup("promote")
		if n, err = tr.Apply([]*Nest{n}, []Argument{Int(place.level), {Name: place.tensor}}, Call{}); err != nil {
			t.Fatal(err)
		}
	}
	tree, idle, err := Tree(f, []*Nest{n}, Options{Machine: small})
	if err != nil {
		t.Fatal(err)
	}
	if len(idle) != 1 || !strings.Contains(idle[0].Message, "the private block of A") || !strings.Contains(schedule.Print(tree), "place B private") {
		t.Errorf("%v\n%s", idle, schedule.Print(tree))
	}
}
