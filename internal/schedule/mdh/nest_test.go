package mdh

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// phased is a product in blocks: 4 × 32 of i, 16 × 64 of k on two memory layers, all of j on the inner one.
func phased(t *testing.T) (*Computation, *Configuration) {
	c := ComputationOf(parseFunc(t, `func product { in A: float32[128, 1024] in B: float32[1024, 96] out C: float32[128, 96]
	for i in 0:128, j in 0:96, k in 0:1024 reduce + { C[i, j] = A[i, k] * B[k, j] } }`), 0)
	k := New(c, machine.Of(processor, 4))
	for level, parts := range map[Level]int64{{2, 1}: 4, {5, 1}: 32, {5, 2}: 96, {2, 3}: 16, {5, 3}: 64} {
		k.Row(level).Parts = parts
	}
	return c, k
}

// order puts levels first in a phase.
func (c *Configuration) order(p Phase, first ...Level) {
	at := 0
	for _, l := range append(first, c.Ordered(p)...) {
		if r := c.Row(l); at < len(first) || !contains(first, l) {
			r.Order[p] = at
			at++
		}
	}
}

// TestPhasesCopy: a copy is as large as the loops inside of it in the order of S1 make it.
func TestPhasesCopy(t *testing.T) {
	for size, declared := range map[string]string{"1024": "", "N": "size N = dim 0 of A "} {
		c := ComputationOf(parseFunc(t, "func f { "+declared+strings.ReplaceAll("in A: float32[N, 1024] out C: float32[N] for i in 0:N, k in 0:1024 reduce + { C[i] = A[i, k] } }", "N", size)), 0)
		k := New(c, machine.Of(processor, 4))
		i, kk := Level{2, 1}, Level{2, 2}
		if k.Row(i).Parts, k.Row(kk).Parts = 1024, 1024; size == "N" {
			k.Row(i).Parts = AnyParts
		}
		k.Row(kk).In[0].Region = 3
		k.order(Scalar, kk, i)
		want := map[string]string{"1024": "parameter D1 at level (2,2): the copies for what S1 has inside take 4194304 bytes with A", "N": "parameter D1 at level (2,2): the block of A that is copied in the order of S1 has no known size"}[size]
		if found := errorsOf(Validate(c, k, Options{})); !strings.Contains(found, want) {
			t.Errorf("found %q, expected %q", found, want)
		}
	}
}

// TestIdle: what has no effect on the tree is said.
func TestIdle(t *testing.T) {
	f := parseFunc(t, "func f { in A: float32[64, 64] out C: float32[64] for i in 0:64, k in 0:64 reduce + { C[i] = A[i, k] } }")
	c := ComputationOf(f, 0)
	m := machine.Of(processor, 4)
	i, ii, k, kk := Level{2, 1}, Level{5, 1}, Level{2, 2}, Level{5, 2}
	swap := func(c *Configuration, a, b Level, p Phase) {
		ra, rb := c.Row(a), c.Row(b)
		ra.Assign[p], rb.Assign[p] = rb.Assign[p], ra.Assign[p]
	}
	for want, change := range map[string]func(c *Configuration){
		"": func(*Configuration) {},
		"the regions of S0 in S3 have no effect: values pass through registers":           func(c *Configuration) { c.ScalarInputs[0].Region = 1 },
		"the regions of S0 in S3, S5 have no effect: values pass through registers":       func(c *Configuration) { c.ScalarInputs[0].Region, c.ScalarOutputs[0].Region = 4, 3 },
		"D2 of S0 has no effect at (2,1): copies are made by those that compute":          func(c *Configuration) { swap(c, i, Level{1, 1}, Decompose) },
		"R2 of S0 has no effect at (2,1): results are combined by those that compute":     func(c *Configuration) { swap(c, i, Level{1, 1}, Recompose) },
		"R3 of S0 has no effect at (2,2), (5,1), (5,2): what is inside is combined where": func(c *Configuration) { c.Row(i).Out[0].Region = m.Memories() },
		"D3 of S0 has copies of A that nobody reads before they are copied back":          func(c *Configuration) { c.Row(i).In[0].Region = 3 },
		"COR in S2 of S0 has no effect at (2,2): the thread walks them that gets there": func(c *Configuration) {
			for p := Decompose; p <= Recompose; p++ {
				swap(c, i, Level{1, 1}, p)
				swap(c, k, Level{1, 2}, p)
			}
			c.order(Scalar, i, ii, k)
		},
	} {
		plan := New(c, m)
		for _, l := range []Level{i, ii, k, kk} {
			plan.Row(l).Parts = 8
		}
		change(plan)
		if list := Validate(c, plan, Options{}); len(list) > 0 {
			t.Errorf("%s: %s", want, errorsOf(list))
		}
		p := &Plan{Groups: []*Group{Single(0, plan)}}
		if found := strings.Join(p.Idle(f), "; "); want == "" && found != "" || !strings.Contains(found, want) {
			t.Errorf("found %q, expected %q", found, want)
		}
	}
	scan := parseFunc(t, "func f { in A: float32[64] out C: float32[64] for k in 0:64 scan + { C[k] = A[k] } }")
	plan := New(ComputationOf(scan, 0), m)
	plan.Row(Level{2, 1}).Parts, plan.Row(Level{5, 1}).Parts = 8, 8
	plan.order(Scalar, Level{5, 1})
	if found := strings.Join((&Plan{Groups: []*Group{Single(0, plan)}}).Idle(scan), "; "); !strings.Contains(found, "S1 of S0 has no effect at (2,1), (5,1): what is combined in order is computed in the order of R1") {
		t.Errorf("found %q", found)
	}
}

func contains(list []Level, l Level) bool {
	for _, o := range list {
		if o == l {
			return true
		}
	}
	return false
}

// TestPhases: what the parameters of each phase change in the tree.
func TestPhases(t *testing.T) {
	i, ii, j, k, kk := Level{2, 1}, Level{5, 1}, Level{5, 2}, Level{2, 3}, Level{5, 3}
	f := parseFunc(t, `func product { in A: float32[128, 1024] in B: float32[1024, 96] out C: float32[128, 96]
	for i in 0:128, j in 0:96, k in 0:1024 reduce + { C[i, j] = A[i, k] * B[k, j] } }`)
	level := func(layer string) machine.Level {
		return machine.Level{Layer: machine.Of(processor, 4).Find(layer), Dim: 3}
	}
	for _, test := range []struct {
		name   string
		change func(c *Configuration)
		want   string // the tree, or what is wrong
	}{
		{"S1 has the blocks of k outside", func(c *Configuration) { c.order(Scalar, k, i, kk, j, ii) }, `
accumulate S0 output
  band S0.k tile 64 | S0.i tile 32 | S0.k | S0.j | S0.i`},
		{"R1 combines the blocks first", func(c *Configuration) { c.order(Recompose, i, ii, j, kk, k) }, `
band S0.i tile 32
  accumulate S0 private
    band S0.k tile 64 | S0.i | S0.j | S0.k partial 1`},
		{"R2 writes out what S2 does not", func(c *Configuration) {
			c.Row(k).Assign[Recompose], c.Row(Level{6, 3}).Assign[Recompose] = level("REG"), level("MM")
		}, `
band S0.i tile 32
  accumulate S0 private
    band S0.k tile 64 partial 1 | S0.i | S0.j | S0.k`},
		{"S2 shares the blocks of k among threads, below those of i", func(c *Configuration) {
			c.Row(k).Assign[Scalar], c.Row(Level{1, 3}).Assign[Scalar] = level("COR"), level("MM")
		}, `
band S0.i tile 32
  accumulate S0 workspace
    band S0.k tile 64 parallel | S0.i | S0.j | S0.k`},
		{"threads share what R1 combines first", func(c *Configuration) {
			c.Row(k).Assign[Scalar], c.Row(Level{1, 3}).Assign[Scalar] = level("COR"), level("MM")
			c.order(Recompose, i, ii, j, kk, k)
			c.order(Scalar, i, k, kk, ii, j)
		}, `
band S0.i tile 32
  accumulate S0 shared
    band S0.k tile 64 parallel partial 2 | S0.k partial 1 | S0.i | S0.j`},
		{"D1 has a copy inside of the blocks of k, S1 inside of those of i", func(c *Configuration) {
			c.order(Decompose, k, i)
			for _, l := range []Level{ii, j, kk} {
				c.Row(l).In[1].Region = 3
			}
		}, `
band S0.i tile 32
  accumulate S0 output
    band S0.k tile 64
      place B private
        band S0.i | S0.j | S0.k`},
		{"D1 has a copy inside of the blocks of k only", func(c *Configuration) {
			c.order(Decompose, k, i)
			for _, l := range []Level{i, ii, j, kk} {
				c.Row(l).In[1].Region = 3
			}
		}, `
place B private
  band S0.i tile 32
    accumulate S0 output
      band S0.k tile 64 | S0.i | S0.j | S0.k`},
		{"a copy that is copied back", func(c *Configuration) { c.Row(ii).In[1].Region = 3 }, `
band S0.i tile 32
  accumulate S0 output
    band S0.k tile 64 | S0.i | S0.j | S0.k`},
		{"R3 has registers where R1 has them, S1 has k outside", func(c *Configuration) {
			c.order(Scalar, i, k, ii, kk, j)
			for _, l := range []Level{kk, j} {
				c.Row(l).Out[0].Region = c.Model.Memories()
			}
			c.order(Recompose, i, k, ii, kk, j)
		}, `
band S0.i tile 32
  accumulate S0 output
    band S0.k tile 64 | S0.i
      accumulate S0 register
        band S0.k | S0.j`},
		{"lanes outside of other loops", func(c *Configuration) {
			c.Row(j).Parts, c.Row(Level{7, 2}).Parts = 6, 16
			c.order(Scalar, i, Level{7, 2}, j, ii, k, kk)
		}, `
band S0.i tile 32 | S0.j tile 16 | S0.i
  accumulate S0 output
    band S0.k tile 64 | S0.k | S0.j vector 16`},
		{"strided parts", func(c *Configuration) { c.order(Scalar, ii, i, j, kk, k) }, `
band S0.i | S0.i tile 32 | S0.j
  accumulate S0 private
    band S0.k | S0.k tile 64 partial 1`},
		{"more than a thread keeps", func(c *Configuration) {
			c.order(Scalar, k, kk, i, ii, j)
			c.order(Recompose, i, ii, j, kk, k)
		}, "parameter R1 at level (2,3): the partial results for what S1 has inside take"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, c := phased(t)
			test.change(c)
			tree, err := Make(f, &Plan{Groups: []*Group{Single(0, c)}})
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				_, got, _ = strings.Cut(schedule.Print(tree), "\n")
				got = "\n" + strings.TrimSpace(got)
			}
			if err == nil && got != test.want || err != nil && (test.want[0] == '\n' || !strings.Contains(got, test.want)) {
				t.Errorf("%s\n%s", cmp.Diff(test.want, got), c.Table("S0"))
			}
		})
	}
}
