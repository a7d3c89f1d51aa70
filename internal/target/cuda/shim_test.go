package cuda

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/device/library"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target"
)

// How CUDA C runs without a card
//
// The unchanged text is compiled by g++ behind testdata/shim.h, which has CUDA's words: a fibre for each thread, blocks one after the
// other, shuffles in lock step. Many programs make one library, each in a namespace. Behind each kernel stands a function that
// calls it with the words of a launch.

// A shimmed is a program in the library.
type shimmed struct {
	f     *loop.Func
	calls []library.Function // of its kernels
}

// compileShim compiles programs; without g++ the test is skipped. Change changes the texts.
func compileShim(t *testing.T, list []*loop.Func, change func(f *loop.Func, text string) string) []shimmed {
	t.Helper()
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no g++ (apt-get install g++): ", err)
	}
	dir := t.TempDir()
	header, err := os.ReadFile("testdata/shim.h")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.Write(header)
	for n, f := range list {
		m, err := (Target{}).Print(f, target.Options{Name: fmt.Sprintf("k%d", n), Numerics: numerics.Strict})
		if err != nil {
			t.Fatalf("%v\n%s", err, loop.Print(f))
		}
		fmt.Fprintf(&b, "namespace n%d {\n%s\n%s}\n", n, change(f, m.Code), wrappers(f, m.Symbol))
	}
	path := filepath.Join(dir, "kernels.cpp")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	object := filepath.Join(dir, "kernels.so")
	// As NVIDIA's compilers do by default: denormals are kept, and no value is more precise than its type.
	command := exec.CommandContext(t.Context(), compiler, "-shared", "-fPIC", "-O1", "-w", "-ffp-contract=off", "-fno-strict-aliasing", "-o", object, path)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, output, b.String())
	}
	l, err := library.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	var programs []shimmed
	for n, f := range list {
		one := shimmed{f: f}
		for i := range max(1, len(loop.Grids(f))) {
			call, err := l.Function("call_" + loop.GridSymbol(fmt.Sprintf("k%d", n), i))
			if err != nil {
				t.Fatal(err)
			}
			one.calls = append(one.calls, call)
		}
		programs = append(programs, one)
	}
	return programs
}

// wrappers are functions that call the kernels of a program: with the addresses of the workspace, the faults and the buffers, and with numbers.
func wrappers(f *loop.Func, symbol string) string {
	vars := loop.HostVars(f)
	if len(vars) == 0 {
		vars = [][]*loop.Var{nil}
	}
	var b strings.Builder
	for i, around := range vars {
		name := loop.GridSymbol(symbol, i)
		list := []string{"(u8 *)words_" + name + "[0]", "(i32 *)words_" + name + "[1]"}
		types := []string{"typedef unsigned char u8", "typedef int i32"}
		for _, p := range f.Params {
			word := fmt.Sprintf("words_%s[%d]", name, len(list))
			if p.Buffer != nil {
				word = fmt.Sprintf("(decltype(shim_argument<%d>(%s)))%s", len(list), name, word)
			}
			list = append(list, word)
		}
		for range around {
			list = append(list, fmt.Sprintf("words_%s[%d]", name, len(list)))
		}
		fmt.Fprintf(&b, "%s;\nstatic const int64_t *words_%s;\n", strings.Join(types, ";\n"), name)
		fmt.Fprintf(&b, "static void run_%s(void) { %s(%s); }\n", name, name, strings.Join(list, ", "))
		fmt.Fprintf(&b, "extern \"C\" int call_%[1]s(const int64_t *words, const int64_t *groups, const int64_t *items, int64_t dynamic) { words_%[1]s = words; return shim_launch(run_%[1]s, groups, items, dynamic); }\n", name)
	}
	return b.String()
}

// run runs a program on words, which it changes; diverged says that its threads have.
func (s shimmed) run(t *testing.T, words []loop.Word) (fault *loop.Fault, diverged bool) {
	t.Helper()
	workspace, record := make([]int64, s.f.Workspace/8+16), make([]int64, 2)
	base := (int64(looptest.Address(workspace)) + 63) / 64 * 64
	block, numbers := []int64{base, int64(looptest.Address(record))}, make([]int64, len(words))
	for i, p := range s.f.Params {
		numbers[i] = words[i].Value
		if p.Buffer != nil {
			numbers[i] = int64(looptest.Address(words[i].Bytes)) - p.Buffer.Low*int64(p.Buffer.Type.Elem.Size())
		}
	}
	block = append(block, numbers...)
	launch := func(l loop.Launch) error {
		args := append(append([]int64{}, block...), l.Values...)
		groups, items, dynamic := []int64{1, 1, 1}, []int64{1, 1, 1}, int64(0)
		if grids := loop.Grids(s.f); len(grids) > 0 {
			dynamic = grids[l.Number].DynamicBytes()
			d := l.Dimensions(grids[l.Number])
			groups = d[:]
		}
		if grids := loop.Grids(s.f); len(grids) > 0 {
			for i, a := range grids[l.Number].Items {
				items[len(grids[l.Number].Items)-1-i] = a.Count
			}
		}
		result := s.calls[l.Number].Call(uintptr(looptest.Address(args)), uintptr(looptest.Address(groups)), uintptr(looptest.Address(items)), uintptr(dynamic))
		diverged = diverged || int32(result) != 0
		runtime.KeepAlive(args)
		runtime.KeepAlive(groups)
		runtime.KeepAlive(items)
		return nil
	}
	if len(loop.Grids(s.f)) == 0 {
		_ = launch(loop.Launch{})
	} else if err := loop.Launches(t.Context(), s.f, numbers, launch); err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(words)
	runtime.KeepAlive(workspace)
	if site := int32(record[0]); site != 0 {
		fault = &loop.Fault{Site: int(site) - 1, Value: record[1]}
	}
	return fault, diverged
}

func clone(words []loop.Word) []loop.Word {
	list := append([]loop.Word(nil), words...)
	for i := range list {
		list[i].Bytes = bytes.Clone(list[i].Bytes)
	}
	return list
}

// compare runs a program and evaluates it; the error says what differs.
func compare(t *testing.T, one shimmed, words []loop.Word) error {
	t.Helper()
	want := clone(words)
	fault, err := loop.Evaluate(one.f, want)
	if err != nil {
		t.Fatalf("%v\n%s", err, loop.Print(one.f))
	}
	got := clone(words)
	gotFault, diverged := one.run(t, got)
	switch {
	case diverged:
		return fmt.Errorf("threads diverged")
	case (fault == nil) != (gotFault == nil):
		return fmt.Errorf("the fault is %v, and should be %v", gotFault, fault)
	case fault != nil:
		return nil // which threads ran is not determined
	}
	for i, p := range one.f.Params {
		if p.Buffer != nil && !looptest.Same(p.Buffer.Type.Elem, got[i].Bytes, want[i].Bytes) {
			return fmt.Errorf("buffer %s differs\n got %v\nwant %v", p.Buffer.Name, got[i].Bytes, want[i].Bytes)
		}
	}
	return nil
}

// TestRandomPrograms compares random programs of loops and of grids, and drawn functions under drawn legal schedules with groups,
// with the evaluator, bit for bit.
func TestRandomPrograms(t *testing.T) {
	seed := 0
	for unit := range sweep.Draws(t, 1, 60) {
		var list []*loop.Func
		var words [][]loop.Word
		for n := range 6 {
			r := rand.New(rand.NewPCG(uint64(unit), uint64(n)))
			draw := looptest.Grids
			if n%3 == 0 {
				draw = looptest.WithWhile
			}
			if f := draw(r, fmt.Sprintf("p%d", n)); expressible(f) {
				list, words = append(list, f), append(words, looptest.Arguments(r, f))
			}
		}
		add := func(p scheduletest.Pair) {
			f, proved, err := p.Lower()
			if err != nil {
				t.Fatal(err)
			}
			if proved && expressible(f) {
				args, _, err := p.Words(f)
				if err != nil {
					t.Fatal(err)
				}
				list, words = append(list, f), append(words, args)
			}
		}
		for ; len(list) < 18; seed++ {
			if p, ok := scheduletest.PairOf(seed); ok && p.HasItems() {
				add(p)
			}
		}
		for n := range 4 {
			p, ok, err := scheduletest.FragmentsOf(4*unit + n)
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				add(p)
			}
		}
		if unit == 0 {
			byHand, err := scheduletest.Worked()
			if err != nil {
				t.Fatal(err)
			}
			fragments, err := scheduletest.Fragments()
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range append(byHand, fragments...) {
				add(p)
			}
		}
		for i, one := range compileShim(t, list, func(_ *loop.Func, text string) string { return text }) {
			if err := compare(t, one, words[i]); err != nil {
				m, _ := (Target{}).Print(one.f, target.Options{Numerics: numerics.Strict})
				t.Errorf("%v\n%s\n%s", err, loop.Print(one.f), m.Code)
			}
		}
	}
}

func expressible(f *loop.Func) bool { return target.Check(Target{}, f) == nil }

const folded = `kernel "folded" workspace 0 {
  buffer X float32[128] argument readonly
  buffer S float32[2] argument
  buffer part float32[2] local
  params X, S
  grid groups b = 2 items i = 64 width 32 local part {
    let x float32 = X[b * 64 + i]
    shuffle x1 float32 = x down 16
    let s1 float32 = x + x1
    shuffle x2 float32 = s1 down 8
    let s2 float32 = s1 + x2
    shuffle x3 float32 = s2 down 4
    let s3 float32 = s2 + x3
    shuffle x4 float32 = s3 down 2
    let s4 float32 = s3 + x4
    shuffle x5 float32 = s4 xor 1
    if i % 32 == 0 {
      store part[i / 32] = s4 + x5
    }
    barrier
    if i == 0 {
      store S[b] = part[0] + part[1]
    }
  }
}
`

// TestMutants: what is wrong in a text shows in its results, or as divergence.
func TestMutants(t *testing.T) {
	f, err := loop.Parse(source.NewFile("folded.loop", folded))
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Verify(f); err != nil {
		t.Fatal(err)
	}
	mutants := []struct{ name, old, new string }{
		{"as it is", "", ""},
		{"another item", "s1, 8, 32", "s1, 7, 32"},
		{"up for down", "__shfl_down_sync(r_sub_group(32), x, 16", "__shfl_up_sync(r_sub_group(32), x, 16"},
		{"half a sub-group", "s3, 2, 32", "s3, 2, 2"},
		{"without the barrier", "  __syncthreads();\n", ""},
		{"a barrier for some", "  __syncthreads();\n", "  if (i < 40) __syncthreads();\n"},
	}
	list := make([]*loop.Func, len(mutants))
	for i := range list {
		list[i] = f
	}
	next := 0
	programs := compileShim(t, list, func(_ *loop.Func, text string) string {
		m := mutants[next]
		next++
		changed := strings.Replace(text, m.old, m.new, 1)
		if m.old != "" && changed == text {
			t.Errorf("%s: there is no %q in\n%s", m.name, m.old, text)
		}
		return changed
	})
	words := looptest.Arguments(rand.New(rand.NewPCG(1, 2)), f)
	for i, m := range mutants {
		if err := compare(t, programs[i], words); (err == nil) != (m.old == "") {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}
