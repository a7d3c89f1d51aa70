package machine_test

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
)

// TestGridOf: what the models of the paper have for groups and items.
func TestGridOf(t *testing.T) {
	want := map[string]machine.Grid{
		"opencl":   {Local: 32 << 10, Items: 1024},
		"cuda":     {Local: 48 << 10, Private: 1020, Items: 1024, Along: [3]int64{0, 0, 64}, Groups: [3]int64{1<<31 - 1, 65535, 65535}},
		"cuda+wrp": {Local: 48 << 10, Private: 1020, Items: 1024, Width: 32, Groups: [3]int64{1<<31 - 1, 65535, 65535}},
	}
	for name, of := range map[string]struct{ cores, local int64 }{"a100": {108, 163 << 10}, "h100": {132, 227 << 10}} {
		g := want["cuda+wrp"]
		g.Cores, g.Local = of.cores, of.local
		want[name] = g
	}
	want["opencl-processor"] = want["opencl"]
	for _, name := range machine.Names() {
		m := machine.Named(name)
		g, ok := m.Grid()
		if w, runs := want[name]; ok != runs || g != w && runs {
			t.Errorf("%s: %+v (%t), want %+v", name, g, ok, w)
		}
		if of, _ := machine.OfGrid(g).Grid(); ok && of != g {
			t.Errorf("%s: a machine for %+v has %+v", name, g, of)
		}
		p, err := m.Scheduled()
		switch {
		case ok && (err != nil || p.Grid == nil || *p.Grid != g || p.VectorBytes != 16 || p.L2 < g.Local):
			t.Errorf("%s: %+v (%v)", name, p, err)
		case !ok && (err == nil) != m.Trees, err == nil && !ok && p.Grid != nil:
			t.Errorf("%s is no machine with threads: %v", name, err)
		}
	}
	for _, text := range []string{
		"machine m\nmemory A\nmemory B\n  copied yes\n  private-to G\ncore G\n",
		"machine m\nmemory A\nmemory B\n  copied yes\n  private-to I\ncore G\ncore I\n",
		"machine m\nmemory A\nmemory B\n  private-to G\ncore G\ncore I\n",
	} {
		m, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := m.Grid(); ok {
			t.Errorf("it has no memory of groups:\n%s", text)
		}
	}
	m, err := parse("machine m\nmemory A\nmemory B\n  copied yes\n  private-to G\n  capacity 1 KiB\ncore G\ncore W\ncore I\n")
	if err != nil {
		t.Fatal(err)
	}
	g, ok := m.Grid()
	if !ok || g != (machine.Grid{Local: 1024, Items: 64}) {
		t.Errorf("%+v", g)
	}
}
