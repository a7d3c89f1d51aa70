package sketch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// product is the text of a product of square matrices of float32.
func product(n int) string {
	return strings.ReplaceAll(`func f {
  in A: float32[N, N]
  in B: float32[N, N]
  out C: float32[N, N]
  for i in 0:N, j in 0:N, k in 0:N reduce + { C[i, j] = A[i, k] * B[k, j] }
}`, "N", fmt.Sprint(n))
}

// TestVariants: all variants of a launch are legal, and none of them changes it.
func TestVariants(t *testing.T) {
	p := processor(t, "a100")
	s, err := newSketcher(function(t, product(200)), p)
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, c := range s.windows[0][0][:20] {
		before := schedule.Print(s.tree([]*Candidate{c}))
		for _, v := range variants() {
			for _, n := range v.make(p, c.Node) {
				made++
				tree := s.tree([]*Candidate{{First: c.First, Last: c.Last, Node: n}})
				if err := schedule.Check(s.f, tree); err != nil {
					t.Errorf("%v\n%s", err, schedule.Print(tree))
				}
			}
		}
		if after := schedule.Print(s.tree([]*Candidate{c})); after != before {
			t.Errorf("a launch has changed\n%s\n%s", before, after)
		}
	}
	if made < 100 {
		t.Errorf("%d variants of 20 launches", made)
	}
}

// TestStrips: groups of products that the last cache has no room for come in strips, those of others in the usual order.
func TestStrips(t *testing.T) {
	for n, want := range map[int]bool{512: false, 16384: true} {
		c, err := Choose(function(t, product(n)), processor(t, "a100"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := has(c.Tree.Root, func(m *schedule.Member) bool { return m.Strips > 0 }); got != want {
			t.Errorf("%d: in strips: %t\n%s", n, got, schedule.Print(c.Tree))
		}
	}
}

// TestSwizzled: where local memory is what a product waits for, and addresses cost little, the units of rows are exchanged, and no rows
// are longer; less meets in banks then. Elsewhere they are not.
func TestSwizzled(t *testing.T) {
	p := processor(t, "cuda+wrp")
	isSwizzled := func(n schedule.Node) bool {
		return slices.ContainsFunc(placesOf(n), func(p *schedule.Place) bool { return p.Swizzle.Units > 0 && p.Pad == 0 })
	}
	for _, test := range []struct {
		p    *machine.Processor
		want bool
	}{{p, false}, {p.WithValue(machine.Issue, 16).WithValue(machine.ItemLanes, 1024), true}} {
		s, err := newSketcher(function(t, product(2048)), test.p)
		if err != nil {
			t.Fatal(err)
		}
		if c := s.windows[0][0][0]; isSwizzled(c.Node) != test.want {
			t.Errorf("swizzled: %t\n%s", !test.want, schedule.Print(s.tree([]*Candidate{c})))
		}
	}
}
