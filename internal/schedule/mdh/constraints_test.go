package mdh

import (
	"errors"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestViolations breaks every constraint once: the message names the parameter, the
// level and the reason.
func TestViolations(t *testing.T) {
	f := parseFunc(t, square)
	c := ComputationOf(f, 0)
	// i on 16 cores in blocks of 64, lanes along j, k inside of the accumulators.
	valid := func(m *machine.Machine) *Configuration {
		k := New(c, m)
		memory := k.memoryLayer()
		core, lanes := 1, k.Layers
		if m.Name != machine.HostName {
			core, lanes = 1, memory
		}
		k.Row(Level{core, 1}).Parts, k.Row(Level{memory, 1}).Parts = 16, 64
		k.Row(Level{memory, 2}).Parts = 64
		k.Row(Level{lanes, 2}).Parts *= 16
		k.Row(Level{memory, 3}).Parts = 1024
		for layer := memory; layer <= k.Layers; layer++ {
			for d := 3; d >= 1 && (layer > memory || d == 3); d-- {
				k.Row(Level{layer, d}).Out[0].Region = m.Memories()
			}
		}
		return k
	}
	host, cuda, warps, opencl := machine.Of(processor, 4), machine.Named("cuda"), machine.Named("cuda+wrp"), machine.Named("opencl")
	inner := host.Memories() // L1's partition layer
	strict := *host          // what the words of machines say beyond that
	strict.Constraints = append([]machine.Constraint{
		{Kind: machine.Fused, Parameter: "S1", Reason: "the three phases are one nest of loops"},
		{Kind: machine.Nested, Parameter: "D1", Reason: "from large blocks to small ones"},
		{Kind: machine.Adjacent, Parameter: "D1", Layers: []string{"COR"}, Reason: "the parallel loops are one loop"},
		{Kind: machine.ReduceAlone, Parameter: "D2", Layers: []string{"COR"}, Reason: "results are combined in one step"},
		{Kind: machine.Innermost, Parameter: "D1", Layers: []string{"SIMD"}, Reason: "nothing is inside of lanes"},
		{Kind: machine.Falling, Parameter: "D3", Reason: "copies go to faster memories"},
	}, host.Constraints...)
	at := func(layer, dim int) Level { return Level{layer, dim} }
	swap := func(k *Configuration, p Phase, a, b Level) {
		ra, rb := k.Row(a), k.Row(b)
		ra.Order[p], rb.Order[p] = rb.Order[p], ra.Order[p]
	}
	all := func(k *Configuration, a, b Level) {
		for p := Decompose; p <= Recompose; p++ {
			swap(k, p, a, b)
		}
	}
	for _, test := range []struct {
		name  string
		model *machine.Machine
		spoil func(k *Configuration)
		want  string
	}{
		{"nothing", host, func(*Configuration) {}, ""},
		{"parts missing", host, func(k *Configuration) { k.Row(at(inner, 3)).Parts = 1023 }, "parameter 0 at level (1,3): 1 parts of 1023 do not cover the block of 1024 of k: expected 2"},
		{"parts empty", host, func(k *Configuration) { k.Row(at(1, 1)).Parts = 17 }, "parameter 0 at level (1,1): 17 parts of 64 cover the block of 1024 of i more than once: expected 16"},
		{"parts open", host, func(k *Configuration) { k.Row(at(1, 1)).Parts = AnyParts }, "parameter 0 at level (1,1): the number of parts must be given"},
		{"parts of nothing", host, func(k *Configuration) {
			k.Row(at(inner, 1)).Parts, k.Row(at(k.Layers, 1)).Size = 16, 4
		}, "parameter 0 at level (7,1): parts of 4, and nothing is inside"},
		{"parts too large", host, func(k *Configuration) { k.Row(at(1, 1)).Size = 1<<63 - 1 }, "more than once: expected 1"},
		{"no permutation", host, func(k *Configuration) { k.Row(at(1, 1)).Order[Scalar] = 4 }, "parameter S1 at level (2,2): its position is that of (1,1)"},
		{"no bijection", host, func(k *Configuration) { k.Row(at(1, 1)).Assign[Recompose] = k.Row(at(2, 2)).Assign[Recompose] }, "parameter R2 at level (2,2): MM,1 is assigned to (1,1) already"},
		{"no region", host, func(k *Configuration) { k.Row(at(1, 1)).In[0].Region = 9 }, "parameter D3 at level (1,1): region 9 for A"},
		{"no layout", host, func(k *Configuration) { k.ScalarOutputs[0].Layout = []int{1, 1} }, "parameter S6: [1,1] is no layout of C"},
		{"phases", &strict, func(k *Configuration) { swap(k, Scalar, at(1, 1), at(2, 1)) }, "parameter S1 at level (1,1): the order differs from D1"},
		{"strided", &strict, func(k *Configuration) { all(k, at(1, 1), at(inner, 1)) }, "parameter D1 at level (1,1): its parts are larger"},
		{"cores apart", &strict, func(k *Configuration) {
			k.Row(at(1, 2)).Parts, k.Row(at(inner, 2)).Parts = 4, 16
			k.Row(at(2, 3)).Parts, k.Row(at(inner, 3)).Parts = 4, 256
			all(k, at(1, 2), at(2, 3))
		}, "parameter D1 at level (1,2): another loop stands between those of COR"},
		{"reduced and not", &strict, func(k *Configuration) { k.Row(at(1, 3)).Parts, k.Row(at(inner, 3)).Parts = 4, 256 }, "parameter D2 at level (1,3): k and another dimension are on COR"},
		{"two lanes", host, func(k *Configuration) { k.Row(at(k.Layers, 3)).Parts, k.Row(at(inner, 3)).Parts = 16, 64 }, "a second dimension on SIMD"},
		{"three lanes", host, func(k *Configuration) { k.Row(at(k.Layers, 2)).Parts, k.Row(at(inner, 2)).Parts = 3, 342 }, "parameter 0 at level (7,2): 3 parts on SIMD: a vector has a power of two"},
		{"loop in lanes", &strict, func(k *Configuration) { all(k, at(k.Layers, 2), at(inner, 3)) }, "parameter D1 at level (7,2): the loop over level (5,3) is inside of that of SIMD"},
		{"written out", host, func(k *Configuration) { k.Row(at(6, 3)).Parts, k.Row(at(inner, 3)).Parts = 512, 2 }, "512 parts on REG, at most 256"},
		{"shared copy", host, func(k *Configuration) { k.Row(at(1, 1)).In[1].Region = 3 }, "parameter D3 at level (1,1): B is in L2 outside of the loops of COR"},
		{"copy back", &strict, func(k *Configuration) { k.Row(at(inner, 1)).In[0].Region = 3 }, "parameter D3 at level (5,2): A goes from L2 back to MM"},
		{"copy too large", host, func(k *Configuration) {
			for layer := inner; layer <= k.Layers; layer++ {
				for d := 1; d <= 3; d++ {
					k.Row(at(layer, d)).In[1].Region = 3
				}
			}
		}, "parameter D3 at level (5,1): 4194304 bytes of L2"},
		{"too many registers", host, func(k *Configuration) {
			for layer := inner; layer <= k.Layers; layer++ {
				for d := 1; d <= 3; d++ {
					k.Row(at(layer, d)).Out[0].Region = k.Model.Memories()
				}
			}
		}, "parameter R3 at level (5,1): 262144 bytes of partial results in RM"},
		{"threads", cuda, func(k *Configuration) {
			k.Row(at(2, 1)).Parts, k.Row(at(4, 1)).Parts = 64, 1
			k.Row(at(2, 2)).Parts, k.Row(at(4, 2)).Parts = 32, 32
		}, "2048 parts on THR, at most 1024"},
		{"blocks combine", cuda, func(k *Configuration) {
			k.Row(at(1, 3)).Parts, k.Row(at(4, 3)).Parts = 2, 512
			k.Row(at(1, 3)).Out[0].Region = 2
		}, "parameter R3 at level (1,3): C is combined in SM, expected DM: blocks combine in device memory"},
		{"threads combine", cuda, func(k *Configuration) {
			k.Row(at(2, 3)).Parts, k.Row(at(4, 3)).Parts = 2, 512
			k.Row(at(2, 3)).Out[0].Region = 3
		}, "parameter R3 at level (2,3): C is combined in RM, expected DM or SM"},
		{"results in registers", cuda, func(k *Configuration) { k.Row(at(4, 1)).Out[0].Region = 3 }, "parameter R3 at level (4,1): 262144 bytes of partial results in RM: a thread has 255 registers"},
		{"results in shared memory", warps, func(k *Configuration) { k.Row(at(5, 1)).Out[0].Region = 2 }, "parameter R3 at level (5,1): 262144 bytes of partial results in SM: a block has 49.2 kB"},
		{"results of work items", opencl, func(k *Configuration) { // of all in a group
			k.Row(at(2, 1)).Parts, k.Row(at(4, 1)).Parts = 64, 1
			k.Row(at(4, 2)).Out[0].Region = 2
		}, "parameter R3 at level (4,2): 262144 bytes of partial results in LM: a work-group has 32.8 kB"},
		{"z of a block", cuda, func(k *Configuration) {
			k.Row(at(2, 3)).Parts, k.Row(at(4, 3)).Parts = 128, 8
			k.Row(at(2, 3)).Out[0].Region = 1
		}, "128 parts on THR,z, at most 64"},
		{"warp", warps, func(k *Configuration) { k.Row(at(3, 1)).Parts, k.Row(at(5, 1)).Parts = 64, 1 }, "64 parts on THR, at most 32: a warp has 32 lanes"},
		{"work items", opencl, func(k *Configuration) {
			k.Row(at(2, 1)).Parts, k.Row(at(4, 1)).Parts = 64, 1
			k.Row(at(2, 2)).Parts, k.Row(at(4, 2)).Parts = 32, 32
		}, "2048 parts on WI, at most 1024"},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := valid(test.model)
			test.spoil(k)
			found := errorsOf(Validate(c, k, Options{}))
			if test.want == "" && found != "" || !strings.Contains(found, test.want) {
				t.Errorf("found %q, expected %q\n%s", found, test.want, k.Table("S0"))
			}
		})
	}
}

// TestBlockSizes: a block is as large as its parts are said to be, not as the parts inside of
// them would make it.
func TestBlockSizes(t *testing.T) {
	c := ComputationOf(parseFunc(t, "func f { in X: float32[1000] out A: float32[1000] for i in 0:1000 { A[i] = X[i] } }"), 0)
	k := New(c, machine.Of(processor, 4))
	k.Row(Level{2, 1}).Parts, k.Row(Level{2, 1}).Size = 16, 65
	k.Row(Level{4, 1}).Parts, k.Row(Level{5, 1}).Parts = 10, 7
	if found := errorsOf(Validate(c, k, Options{})); found != "" {
		t.Fatal(found)
	}
	b := (&validator{c: c, k: k}).blocks()
	for _, step := range []struct {
		enter int
		want  int64
	}{{0, 1000}, {2, 65}, {4, 7}, {5, 1}} {
		if step.enter > 0 {
			b.enter(Level{step.enter, 1})
		}
		if got := b.size(0); got != step.want {
			t.Errorf("inside of layer %d the block has %d points, expected %d", step.enter, got, step.want)
		}
	}
}

// TestOpenParts: inside of the parts of a dimension of unknown size the others cover their
// blocks as well.
func TestOpenParts(t *testing.T) {
	c := ComputationOf(parseFunc(t, "func f { size N = dim 0 of X in X: float32[N] out A: float32[N] for i in 0:N { A[i] = X[i] } }"), 0)
	m := machine.Of(processor, 4)
	inner := m.Memories()
	for _, test := range []struct {
		parts, size int64
		want        string
	}{
		{64, 0, ""}, {64, 50, "14 parts of 4 cover the block of 50 of i more than once: expected 13"}, {64, 53, ""}, {64, 60, "1 parts of 56 do not cover the block of 60 of i: expected 2"},
	} {
		k := New(c, m)
		k.Row(Level{1, 1}).Parts, k.Row(Level{1, 1}).Size = AnyParts, test.size
		k.Row(Level{inner, 1}).Parts, k.Row(Level{inner + 1, 1}).Parts = test.parts/4, 4
		if test.size > 0 {
			k.Row(Level{inner, 1}).Parts = 14
		}
		if found := errorsOf(Validate(c, k, Options{})); test.want == "" && found != "" || !strings.Contains(found, test.want) {
			t.Errorf("%d: found %q, expected %q", test.size, found, test.want)
		}
	}
}

// TestModels checks the shapes of the models against Example 11, and that levels read
// back.
func TestModels(t *testing.T) {
	want := map[string][2]int{
		"artificial": {2, 1}, "openmp": {3, 1}, "openmp+l3": {4, 1}, "openmp+l3+simd": {4, 2}, "cuda": {3, 2},
		"cuda+wrp": {3, 3}, "a100": {3, 3}, "h100": {3, 3}, "opencl": {3, 2}, "opencl-processor": {3, 2}, "multi-gpu": {4, 3}, "multi-node-multi-gpu": {5, 4},
	}
	for _, m := range append(machine.Models(), machine.Of(processor, 4)) {
		if n, listed := want[m.Name]; listed && (m.Memories() != n[0] || m.Cores() != n[1]) {
			t.Errorf("%s has %d memory and %d core layers, expected %v", m.Name, m.Memories(), m.Cores(), n)
		}
		for layer := range m.Layers {
			for dim := 1; dim <= 5; dim++ {
				l := machine.Level{Layer: layer + 1, Dim: dim}
				if again, ok := m.ParseLevel(m.LevelName(l)); !ok || again != l {
					t.Errorf("%s: %s reads back as %v", m.Name, m.LevelName(l), again)
				}
			}
		}
		for _, c := range m.Constraints {
			for _, name := range c.Layers {
				if m.Find(name) == 0 {
					t.Errorf("%s: a constraint is on %s, which it has not", m.Name, name)
				}
			}
			for _, name := range c.Regions {
				if m.Region(name) == 0 {
					t.Errorf("%s: a constraint is on %s, which it has not", m.Name, name)
				}
			}
			if checks[c.Kind] == nil {
				t.Errorf("%s: nothing tests the constraint %v", m.Name, c)
			}
		}
	}
	if len(want) != len(machine.Models()) {
		t.Errorf("%d models, expected %d", len(machine.Models()), len(want))
	}
}

func FuzzParsePlan(f *testing.F) {
	fn := parseFunc(f, square)
	c := ComputationOf(fn, 0)
	k := Plain(c, machine.Of(processor, 4))
	f.Add(k.Table("S0"))
	f.Add(k.Expression(c))
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := ParsePlan(text, hostModels); err == nil {
			again, err := ParsePlan(p.String(), hostModels)
			if err != nil || again.String() != p.String() {
				t.Fatalf("%v\n%s", err, p)
			}
			var internal *source.InternalError
			if _, err := Make(fn, p); errors.As(err, &internal) {
				t.Fatalf("%v\n%s", err, p)
			}
		}
	})
}
