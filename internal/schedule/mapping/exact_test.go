package mapping

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

const product = `func f {
  in A: float32[%d, %d]
  in B: float32[%d, %d]
  out C: float32[%d, %d]
  for i in 0:%d, j in 0:%d, k in 0:%d reduce + { C[i, j] = A[i, k] * B[k, j] }
}`

// TestExact: each dimension has blocks of just the size that is asked for, and no more copies of a
// statement are written out than unroll allows.
func TestExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SliceOfN(rapid.Int64Range(1, 80), 3, 3).Draw(t, "sizes")
		f, err := ein.ParseFunc("test", fmt.Sprintf(product, n[0], n[2], n[2], n[1], n[0], n[1], n[0], n[1], n[2]))
		if err != nil {
			t.Fatal(err)
		}
		o := Default()
		o.Given = map[string]bool{"tile": true}
		o.Tile = rapid.SliceOfN(rapid.Int64Range(0, 40), 1, 3).Draw(t, "tile")
		o.Unroll = rapid.Int64Range(1, 40).Draw(t, "unroll")
		o.Shared, o.Private = rapid.Bool().Draw(t, "shared"), rapid.Bool().Draw(t, "private")
		if rapid.Bool().Draw(t, "few tasks") {
			o.Blocks = rapid.SliceOfN(rapid.Int64Range(1, 9), 1, 2).Draw(t, "blocks")
		}
		m := &machine.Processor{VectorBytes: rapid.SampledFrom([]int{16, 32, 64}).Draw(t, "vectors"), VectorRegisters: 16, L1: 32 << 10, L2: 1 << 20, L3: 8 << 20, Cores: 2}
		made, err := Explain(f, m, o)
		if err != nil {
			t.Fatalf("%s: %v", o, err)
		}
		text := schedule.Print(made.Tree)
		for _, r := range made.Idle {
			if strings.Contains(r.Text, "do not fit") {
				t.Fatalf("%s: %s", o, r.Text)
			}
		}
		blocks, copies := map[string]map[int64]bool{"i": {}, "j": {}, "k": {}}, int64(1)
		size := map[string]int64{"i": n[0], "j": n[1], "k": n[2]}
		eachMember(made.Tree.Root, func(m *schedule.Member) {
			name := m.Loops[0].Index
			step := max(m.Tile, int64(m.Vector), 1)
			blocks[name][step] = true
			if m.Unroll {
				copies *= (size[name] + step - 1) / step
			}
			size[name] = min(size[name], step)
		})
		for d, name := range []string{"i", "j", "k"} {
			if d < len(o.Tile) && o.Tile[d] > 0 && o.Tile[d] < n[d] && !blocks[name][o.Tile[d]] {
				t.Fatalf("%s, sizes %v: %s has blocks of %v\n%s", o, n, name, blocks[name], text)
			}
		}
		if copies > o.Unroll {
			t.Fatalf("%s, sizes %v: %d copies\n%s", o, n, copies, text)
		}
	})
}

// TestPresets: all that TC ships have a tree, and they are not all the same.
func TestPresets(t *testing.T) {
	f, err := ein.ParseFunc("test", fmt.Sprintf(product, 128, 64, 64, 128, 128, 128, 128, 128, 64))
	if err != nil {
		t.Fatal(err)
	}
	m := &machine.Processor{VectorBytes: 32, VectorRegisters: 16, L1: 32 << 10, L2: 1 << 20, L3: 8 << 20, Cores: 2}
	trees := map[string]string{}
	for _, name := range Presets() {
		o, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		made, err := Explain(f, m, o)
		if err != nil || len(made.Idle) > 0 || len(made.Says) < 4 {
			t.Errorf("%s: %v, idle %v, says %q", name, err, made.Idle, made.Says)
		}
		trees[schedule.Print(made.Tree)] = name
	}
	if len(trees) < 6 {
		t.Errorf("%d schedules for %d presets", len(trees), len(Presets()))
	}
}

func eachMember(n schedule.Node, visit func(*schedule.Member)) {
	if b, ok := n.(*schedule.Band); ok {
		for _, m := range b.Members {
			visit(m)
		}
	}
	for _, child := range schedule.Children(n) {
		eachMember(child, visit)
	}
}

// TestAllOptions: every name that the paper, the C++ interface, its protobuf and the Python wrapper have is
// read, and does something or is named in a remark.
func TestAllOptions(t *testing.T) {
	names := map[string]bool{}
	for name := range aliases {
		names[name] = true
	}
	for name := range ignored {
		names[name] = true
	}
	plain := Default().String()
	for name := range names {
		option := aliases[name]
		if option == "" {
			option = name
		}
		value, known := map[string]string{"fuse": "Min", "tile": "3, 5", "unroll": "7", "threads": "[2]", "blocks": "{6}", "shared": "True", "private": "false", "fix": "false"}[option]
		if !known {
			value = "1"
		}
		o, err := Parse(fmt.Sprintf("options = tc.Options('default')\noptions.%s(%s)", name, value), nil)
		if err != nil || (o.String() == plain) != (len(o.Idle) == 1) || known == (len(o.Idle) == 1) {
			t.Errorf("%s: %v, %s, remarks %v", name, err, o, o.Idle)
		}
	}
	if len(names) < 40 {
		t.Errorf("%d names", len(names))
	}
}
