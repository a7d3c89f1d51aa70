package ricci_test

import (
	"bytes"
	"context"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
)

// TestWorldMemory runs programs that make more and more: each ends at the statement that wants too much, before that is
// made.
func TestWorldMemory(t *testing.T) {
	const limit = 4 << 20
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // whatever the environment says
	for name, test := range map[string]struct{ state, update, create, place, want string }{
		"a sequence that doubles": {"output int[] x = {i};", "x = x @ x;", "0 .. 3", "4:10", "a sequence of 16384 elements is made: strands would take"},
		"a sequence that grows":   {"output int[] x = {i};", "foreach (int k in 0 .. 2000000000) { x = x @ k; }", "0 .. 3", "4:47", "elements is made"},
		"a range":                 {"output int[] x = {k | k in 0 .. 2000000000};", "stabilize;", "0 .. 3", "3:14", "strand 0 in step 0: a sequence of"},
		"vectors":                 {"output vec3[] x = {};", "foreach (int k in 0 .. 2000000000) { x = x @ [1.0, 2.0, 3.0]; }", "0 .. 3", "4:47", "strand 0 in step 1: a sequence of"},
		"first strands":           {"output int x = i;", "stabilize;", "0 .. 2000000000", "6:1", "2000000001 strands are created: strands would take"},
		"new strands":             {"output int x = i;", "new s(i); new s(i);", "0 .. 3", "4:20", "a strand is created: strands would take"},
		"prints":                  {"output int x = i;", "foreach (int k in 0 .. 2000000000) { print(k); }", "0 .. 3", "4:47", "bytes are printed"},
		"a long print":            {"output int[] x = {k | k in 0 .. 9999};", "print(x, x, x); print(\"\\n\");", "0 .. 3", "4:10", "bytes are printed"},
		"neighbours":              {"vec2 pos = [0.0, 0.0]; output int x = 0;", "foreach (s t in sphere(1.0)) { foreach (s u in sphere(1.0)) { x += 1; } }", "0 .. 5299", "4:", "strands may be near"},
	} {
		text := "#version 2.0\nstrand s(int i) {\n" + test.state + "\nupdate { " + test.update + " if (i < 0) { stabilize; } }\n}\ncreate_collection { s(i) | i in " + test.create + " }\n"
		p, err := ricci.Parse("grow.diderot", text)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, target := range []ricci.Target{ricci.Eval, ricci.C} {
			want := test.want
			if target == ricci.C {
				native := map[string]string{"first strands": want, "a sequence that doubles": "room is wanted for", "new strands": "strands would take", "prints": "room is wanted for", "a range": "room is wanted for"}
				if want = native[name]; want == "" {
					continue // one of each kind is enough
				}
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var out bytes.Buffer
			w, err := p.Strands().World(context.Background(), ricci.WorldInputs{}, ricci.WorldOptions{Print: &out, Options: ricci.Options{Target: target, Memory: limit, NoCache: true}})
			if err == nil {
				_, err = w.Run(context.Background(), 40)
			}
			if diagnostic(err) == "E0627" { // no compiler
				continue
			}
			runtime.ReadMemStats(&after)
			if held := int64(after.HeapSys) - int64(before.HeapSys); held > 4*limit {
				t.Errorf("%s: the heap has grown by %d bytes", name, held)
			}
			if diagnostic(err) != "E1413" || !strings.HasPrefix(err.Error(), "grow.diderot:"+test.place) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s, %s", name, err, test.place, want)
			}
		}
	}
}

// TestWorldMemoryOfGarbage: what nobody reads any more does not count, nor what others hold, too.
func TestWorldMemoryOfGarbage(t *testing.T) {
	for name, test := range map[string]struct {
		state, update string
		first, steps  int
	}{
		"sequences":        {"output int[] x = {};", "x = {k | k in 0 .. 1000};", 20, 100},
		"one for all":      {"output int[] x = {};", "x = g;", 20, 2},
		"strands that die": {"output int x = 0;", "new s(i); die;", 200, 60},
		"texts":            {"output int x = 0;", "print(\"some twenty characters\");", 200, 60},
	} {
		text := "#version 2.0\nint[] g = {k | k in 0 .. 999};\nstrand s(int i) {\n" + test.state + "\nupdate { " + test.update + " if (i < 0) { stabilize; } }\n}\ncreate_collection { s(i) | i in 1 .. " +
			map[int]string{20: "20", 200: "200"}[test.first] + " }\n"
		p, err := ricci.Parse("keep.diderot", text)
		if err != nil {
			t.Fatal(name, err)
		}
		w, err := p.Strands().World(context.Background(), ricci.WorldInputs{}, ricci.WorldOptions{Options: ricci.Options{Target: ricci.Eval, Memory: 2 << 20}})
		if err == nil {
			_, err = w.Run(context.Background(), test.steps)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
