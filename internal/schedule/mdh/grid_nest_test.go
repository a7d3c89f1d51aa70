package mdh

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
)

const (
	gridProduct = "func product { in A: float32[64, 64] in B: float32[64, 64] out C: float32[64, 64]\n for i in 0:64, j in 0:64, k in 0:64 reduce + { C[i, j] = A[i, k] * B[k, j] } }"
	gridTall    = "func product { in A: float32[1024, 64] in B: float32[64, 64] out C: float32[1024, 64]\n for i in 0:1024, j in 0:64, k in 0:64 reduce + { C[i, j] = A[i, k] * B[k, j] } }"
	gridGather  = "func gather { size N = dim 0 of A or zero in A: float32[N] in I: int32[64, 64] out C: float32[64, 64]\n for i in 0:64, j in 0:64, k in 0:64 reduce + { C[i, j] = A![int64(I[i, j])] } }"
)

// TestGridPhases says of parameters on models with groups and items which tree they make, which of them have no effect, or which
// one has no tree: beginning from 4×4 blocks of 16×16 items, each of which has a result.
func TestGridPhases(t *testing.T) {
	for _, test := range []struct {
		name, model, f string
		change         func(k *gridRows)
		want           string // the tree, or a part of the message
		idle           string
	}{
		{"blocks and threads", "cuda", gridProduct, func(*gridRows) {}, `
band S0.i tile 16 groups | S0.j tile 16 groups | S0.i items 16 | S0.j items 16
  accumulate S0 register
    band S0.k`, ""},
		{"j on y, i on x", "cuda", gridProduct, func(k *gridRows) { k.turn("BLK"); k.turn("THR") }, `
band S0.j tile 16 groups | S0.i tile 16 groups | S0.j items 16 | S0.i items 16
  accumulate S0 register
    band S0.k`, ""},
		{"threads outside of blocks", "opencl", gridProduct, func(k *gridRows) { k.order("WI i", "WG i", "WI j", "WG j", "LCL k") }, `
band S0.i tile 16 groups | S0.j tile 16 groups | S0.i items 16 | S0.j items 16
  accumulate S0 register
    band S0.k`, ""},
		{"chunks outside of items", "opencl", gridProduct, func(k *gridRows) {
			k.parts("GLB k", 4)
			k.parts("LCL k", 16)
			k.order("WG i", "WG j", "GLB k", "WI i", "WI j", "LCL k")
			k.results("PM", "GLB k", "WI i", "WI j", "LCL k")
		}, `
band S0.i tile 16 groups | S0.j tile 16 groups
  accumulate S0 register
    band S0.k tile 16 | S0.i items 16 | S0.j items 16 | S0.k`, ""},
		{"chunks around the launch", "cuda", gridProduct, func(k *gridRows) {
			k.parts("DEV k", 4)
			k.parts("SHR k", 16)
			k.order("DEV k", "BLK i", "BLK j", "THR i", "THR j", "SHR k")
		}, `
accumulate S0 output
  band S0.k tile 16 | S0.i tile 16 groups | S0.j tile 16 groups | S0.i items 16 | S0.j items 16
    accumulate S0 register
      band S0.k`, ""},
		{"copies of a block", "cuda", gridProduct, func(k *gridRows) {
			k.parts("DEV k", 4)
			k.parts("SHR k", 16)
			k.order("BLK i", "BLK j", "THR i", "THR j", "DEV k", "SHR k")
			k.results("RM", "DEV k", "SHR k")
			k.copied(0, 2, "SHR k")
			k.copied(1, 2, "SHR k")
		}, `
band S0.i tile 16 groups | S0.j tile 16 groups | S0.i items 16 | S0.j items 16
  accumulate S0 register
    band S0.k tile 16
      place A local
        place B local
          band S0.k`, ""},
		{"a copy that goes back", "cuda", gridProduct, func(k *gridRows) {
			k.parts("DEV k", 4)
			k.parts("SHR k", 16)
			k.order("BLK i", "BLK j", "THR i", "THR j", "DEV k", "SHR k")
			k.copied(0, 3, "DEV k")
			k.copied(0, 2, "SHR k")
		}, "place A register", "copies of A to a slower memory"},
		{"items reduce", "opencl", gridProduct, func(k *gridRows) {
			k.parts("WI j", 1)
			k.parts("WG j", 64)
			k.parts("WI k", 32)
			k.parts("LCL k", 2)
			k.order("WG i", "WG j", "WI i", "WI k", "LCL k")
			k.results("LM", "WI k")
		}, `
band S0.i tile 16 groups | S0.j groups
  accumulate S0 local
    band S0.k tile 2 items 32 | S0.i items 16
      accumulate S0 register
        band S0.k`, ""},
		{"warps reduce in registers", "cuda+wrp", gridProduct, func(k *gridRows) {
			k.parts("THR i", 1)
			k.parts("BLK i", 64)
			k.parts("THR j", 1)
			k.parts("WRP j", 16)
			k.parts("THR k", 32)
			k.parts("SHR k", 2)
			k.order("BLK i", "BLK j", "WRP j", "THR k", "SHR k")
			k.results("RM", "THR k", "SHR k")
			k.axis("THR k", 1)
		}, `
band S0.i groups | S0.j tile 16 groups
  accumulate S0 local shuffle 32
    band S0.j items 16 | S0.k tile 2 items 32
      accumulate S0 register
        band S0.k`, ""},
		{"groups reduce", "opencl", gridProduct, func(k *gridRows) {
			k.parts("WG k", 4)
			k.parts("LCL k", 16)
			k.order("WG k", "WG i", "WG j", "WI i", "WI j", "LCL k")
		}, `
accumulate S0 workspace items 64
  band S0.k tile 16 groups | S0.i tile 16 groups | S0.j tile 16 groups | S0.i items 16 | S0.j items 16
    accumulate S0 register
      band S0.k`, ""},
		{"items further in", "opencl", gridProduct, func(k *gridRows) { k.order("WG i", "WG j", "WI i", "LCL k", "WI j") }, `
band S0.i tile 16 groups | S0.j tile 16 groups | S0.i items 16
  accumulate S0 register
    band S0.k | S0.j`, "cores in S2 of S0 has no effect at (2,2): the item walks them"},
		{"results in the memory of the group", "opencl", gridProduct, func(k *gridRows) { k.results("LM", "LCL k") }, `
band S0.i tile 16 groups | S0.j tile 16 groups | S0.i items 16 | S0.j items 16
  accumulate S0 private
    band S0.k`, "LM in R3 of S0 has no effect at (4,3): what is in an item is in its own memory"},
		{"no items", "opencl", gridProduct, func(k *gridRows) {
			k.parts("WI i", 1)
			k.parts("GLB i", 16)
			k.parts("WI j", 1)
			k.parts("GLB j", 16)
			k.order("WG i", "WG j", "GLB i", "GLB j", "LCL k")
		}, `
band S0.i tile 16 groups | S0.j tile 16 groups | S0.i | S0.j
  accumulate S0 register
    band S0.k`, ""},
		{"no groups", "opencl", gridProduct, func(k *gridRows) {
			k.parts("WG i", 1)
			k.parts("GLB i", 4)
			k.parts("WG j", 1)
			k.parts("GLB j", 4)
			k.order("WI i", "WI j", "GLB i", "GLB j", "LCL k")
		}, `
band S0.1 groups | S0.i tile 4 items 16 | S0.j tile 4 items 16 | S0.i | S0.j
  accumulate S0 register
    band S0.k`, ""},

		{"a block of copies is too large for all items", "opencl", gridTall, func(k *gridRows) {
			k.parts("WI i", 64)
			k.parts("GLB i", 4)
			k.order("WG i", "WG j", "GLB i", "WI i", "WI j", "LCL k")
			k.orderOf(Scalar, "WG i", "WG j", "WI i", "WI j", "LCL k", "GLB i")
			k.copied(0, 2, "LCL k")
		}, "parameter D3 at level (4,3): the copies up to A, for all items, take 65536 bytes of the memory of a group, which has 32768", ""},
		{"parts of results are too many", "opencl", gridTall, func(k *gridRows) {
			k.parts("WI i", 1)
			k.parts("PRV i", 256)
			k.parts("WI j", 1)
			k.parts("PRV j", 16)
			k.parts("WI k", 16)
			k.parts("LCL k", 4)
			k.order("WG i", "WG j", "WI k", "LCL k", "PRV i", "PRV j")
		}, "parameter R3 at level (2,3): with the parts of results that items have it takes 262144 bytes of the memory of a group, which has 32768", ""},
		{"tests of subscripts, in chunks", "opencl", gridGather, func(k *gridRows) {
			k.parts("GLB k", 4)
			k.parts("LCL k", 16)
			k.order("WG i", "WG j", "GLB k", "WI i", "WI j", "LCL k")
			k.results("PM", "GLB k", "LCL k")
		}, "parameter S1 at level (3,3): S0 tests subscripts of what may be empty, and in a loop between groups and items these wait", ""},
		{"tests of subscripts, items reduce", "opencl", gridGather, func(k *gridRows) {
			k.parts("WI i", 1)
			k.parts("WG i", 64)
			k.parts("WI k", 16)
			k.parts("LCL k", 4)
			k.order("WG i", "WG j", "WI j", "WI k", "LCL k")
		}, "S0 tests subscripts of what may be empty, and here all items of a group wait for its results", ""},
		{"tests of subscripts, copies", "opencl", gridGather, func(k *gridRows) {
			k.copied(1, 2, "LCL k")
		}, "parameter D3 at level (4,3): S0 tests subscripts of what may be empty, and the items of a group wait for what they copy together", ""},
		{"tests of subscripts", "opencl", gridGather, func(*gridRows) {}, "band S0.i tile 16 groups", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := parseFunc(t, test.f)
			k := newGridRows(t, ComputationOf(f, 0), machine.Named(test.model))
			test.change(k)
			p := &Plan{Groups: []*Group{Single(0, k.k)}}
			tree, err := Make(f, p)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				_, got, _ = strings.Cut(schedule.Print(tree), "\n")
				got = "\n" + strings.TrimSpace(got)
				verifyGrid(t, f, k.k, tree)
			}
			if test.want == "" || test.want[0] == '\n' && got != test.want || !strings.Contains(got, test.want) {
				t.Errorf("%s\n%s", cmp.Diff(test.want, got), k.k.Table("S0"))
			}
			if err == nil {
				if idle := strings.Join(p.Idle(f), "\n"); (test.idle == "") != (idle == "") || !strings.Contains(idle, test.idle) {
					t.Errorf("idle: %s, want %s", idle, test.idle)
				}
			}
		})
	}
}

// gridRows calls the levels of a configuration by the names of layers and dimensions: "THR i".
type gridRows struct {
	t *testing.T
	c *Computation
	k *Configuration
}

func newGridRows(t *testing.T, c *Computation, m *machine.Machine) *gridRows {
	k := &gridRows{t, c, New(c, m)}
	memories := m.Memories()
	group, item, near := m.Layers[memories].Name, m.Layers[len(m.Layers)-1].Name, m.Layers[memories-2].Name
	for _, d := range []string{" i", " j"} {
		k.parts(group+d, 4)
		k.parts(item+d, 16)
	}
	k.parts(near+" k", 64)
	k.turn(group)
	k.turn(item)
	k.order(group+" i", group+" j", item+" i", item+" j", near+" k")
	k.results(m.RegionName(memories), near+" k")
	return k
}

func (k *gridRows) level(name string) Level {
	layer, dim, _ := strings.Cut(name, " ")
	for at, r := range k.k.Rows {
		if l := k.k.LevelOf(at); k.k.Model.Layer(r.Assign[Scalar].Layer).Name == layer && k.c.Dims[l.Dim-1].Name() == dim {
			return l
		}
	}
	k.t.Fatalf("there is no level %s", name)
	return Level{}
}

func (k *gridRows) parts(name string, n int64) { k.k.Row(k.level(name)).Parts = n }

// turn exchanges x and y of a layer.
func (k *gridRows) turn(layer string) {
	a, b := k.k.Row(k.level(layer+" i")), k.k.Row(k.level(layer+" j"))
	a.Assign, b.Assign = b.Assign, a.Assign
}

// axis gives a level an axis of its layer, x first.
func (k *gridRows) axis(name string, axis int) {
	own := k.k.Row(k.level(name))
	for at := range k.k.Rows {
		if r := &k.k.Rows[at]; r.Assign[Scalar].Layer == own.Assign[Scalar].Layer && r.Assign[Scalar].Dim == axis {
			r.Assign, own.Assign = own.Assign, r.Assign
			return
		}
	}
}

// order has some levels first, in all phases.
func (k *gridRows) order(names ...string) {
	for p := Decompose; p <= Recompose; p++ {
		k.orderOf(p, names...)
	}
}

func (k *gridRows) orderOf(p Phase, names ...string) {
	var list []Level
	for _, name := range names {
		list = append(list, k.level(name))
	}
	for _, l := range k.k.Ordered(Scalar) {
		if !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	for at, l := range list {
		k.k.Row(l).Order[p] = at
	}
}

func (k *gridRows) results(region string, names ...string) {
	for _, name := range names {
		k.k.Row(k.level(name)).Out[0].Region = k.k.Model.Region(region)
	}
}

func (k *gridRows) copied(input, region int, names ...string) {
	for _, name := range names {
		k.k.Row(k.level(name)).In[input].Region = region
	}
}

const gridRowsOf = `func rows { in X: float32[12, 40] temp m: float32[12] temp e: float32[12, 40] temp s: float32[12] out Y: float32[12, 40]
for i in 0:12, j in 0:40 reduce max { m[i] = X[i, j] }
for i in 0:12, j in 0:40 { e[i, j] = X[i, j] - m[i] }
for i in 0:12, j in 0:40 reduce + { s[i] = e[i, j] }
for i in 0:12, j in 0:40 { Y[i, j] = e[i, j] / s[i] } }`

// TestGridGroups lets statements share groups: rows of which each is that of a group, or of several.
func TestGridGroups(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(k []*gridRows, g *Group)
		want   string // the tree, or a part of the message
	}{
		{"a row in a group", func([]*gridRows, *Group) {}, `
band S0.i S1.i S2.i S3.i groups
  sequence
    filter S0
      accumulate S0 local
        band S0.j tile 2 items 20
          accumulate S0 register
            band S0.j
    filter S1
      band S1.j tile 2 items 20 | S1.j
    filter S2
      accumulate S2 local
        band S2.j tile 2 items 20
          accumulate S2 register
            band S2.j
    filter S3
      band S3.j tile 2 items 20 | S3.j`},
		{"other items", func(k []*gridRows, _ *Group) {
			k[1].parts("WI j", 10)
			k[1].parts("LCL j", 4)
		}, "the group of S0 S1 S2 S3: the items of S1 are [10], those of S0 [20], and a launch has as many in all of its statements"},
		{"e in the memory of the group", func(_ []*gridRows, g *Group) { g.Placed = []Placed{{Name: "e"}} }, "groups\n  place e private\n    sequence"},
		{"shared items", func(k []*gridRows, g *Group) {
			g.Shared = 2
			for _, k := range k {
				k.parts("WG i", 3)
				k.parts("WI i", 4)
				k.parts("WI j", 1)
				k.parts("LCL j", 40)
				k.order("WG i", "WI i", "LCL j")
			}
		}, `
band S0.i S1.i S2.i S3.i tile 4 groups | S0.i S1.i S2.i S3.i items 4
  sequence
    filter S0
      accumulate S0 register
        band S0.j
    filter S1
      band S1.j
    filter S2
      accumulate S2 register
        band S2.j
    filter S3
      band S3.j`},
		{"items combine for all", func(k []*gridRows, g *Group) {
			g.Shared = 2
		}, "the group of S0 S1 S2 S3: its statements share the loop over j, around which the groups or items of S0 combine what they reduce"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := parseFunc(t, gridRowsOf)
			g := &Group{Shared: 1}
			var rows []*gridRows
			for s := range f.Body {
				c := ComputationOf(f, s)
				k := &gridRows{t, c, New(c, machine.Named("opencl"))}
				k.parts("WG i", 12)
				k.parts("WI j", 20)
				k.parts("LCL j", 2)
				k.order("WG i", "WI j", "LCL j")
				if c.Op != nil {
					k.results("LM", "WI j")
					k.results("PM", "LCL j")
				}
				rows, g.Members = append(rows, k), append(g.Members, Member{s, k.k})
			}
			test.change(rows, g)
			tree, err := Make(f, &Plan{Groups: []*Group{g}})
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				_, got, _ = strings.Cut(schedule.Print(tree), "\n")
				got = "\n" + strings.TrimSpace(got)
				verifyGrid(t, f, rows[0].k, tree)
				args, err := eintest.Arguments(1, f, nil)
				if err != nil {
					t.Fatal(err)
				}
				s := scheduletest.Subject{F: f, G: f, Args: args}
				results, err := s.Loops(t, tree)
				s.Matches(t, results, err, got)
			}
			if test.want[0] == '\n' && got != test.want || !strings.Contains(got, test.want) {
				t.Error(cmp.Diff(test.want, got))
			}
		})
	}
}
