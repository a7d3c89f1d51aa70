package opencl

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/device/devicetest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target"
	target_opencl "github.com/ricci-lang/ricci/internal/target/opencl"
)

// How Oclgrind is asked
//
// Oclgrind interprets kernels and reports data races, accesses out of bounds and divergent barriers. It is a driver of its own, which
// a process has to be told of before it begins; so the test runs itself, and reads what Oclgrind wrote about each case.

// oclgrind is its driver, where Debian installs it.
const oclgrind = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"

// child is the variable that says that this is the process under Oclgrind.
const child = "RICCI_UNDER_OCLGRIND"

const tiles = `kernel "tiles" workspace 0 {
  buffer A float32[64] argument readonly
  buffer B float32[64] argument readonly
  buffer C float32[64] argument
  buffer As float32[16] local
  buffer Bs float32[16] local
  buffer sum float32[1] register
  params A, B, C
  grid groups a = 2, b = 2 items i = 4, j = 4 local As, Bs {
    alloc sum {
      store sum[0] = float32(0)
      for k = 0 .. 8 step 4 {
        store As[i * 4 + j] = A[(a * 4 + i) * 8 + k + j]
        store Bs[i * 4 + j] = B[(k + i) * 8 + b * 4 + j]
        barrier
        for kk = 0 .. 4 step 1 {
          store sum[0] = sum[0] + As[i * 4 + kk] * Bs[kk * 4 + j]
        }
        barrier
      }
      store C[(a * 4 + i) * 8 + b * 4 + j] = sum[0]
    }
  }
}
`

// mutants are changes of the text of tiles, and what has to be said of them.
var mutants = []struct{ name, old, new, want string }{
	{"as it is", "", "", ""},
	{"without the first barrier", "      barrier(CLK_LOCAL_MEM_FENCE);\n      for", "      for", "data race"},
	{"without the second barrier", "      barrier(CLK_LOCAL_MEM_FENCE);\n    }\n", "    }\n", "data race"},
	{"a barrier for some items", "      barrier(CLK_LOCAL_MEM_FENCE);\n      for", "      if (j < 2) barrier(CLK_LOCAL_MEM_FENCE);\n      for", "divergence"},
	{"a bound one too far", "kk < 4;", "kk < 5;", "Invalid read of size 4 at local"},
	{"a wrong place", "As[i * 4 + j] = A", "As[j] = A", "data race"},
	{"a store behind the end", "C[(a * 4 + i) * 8 + b * 4 + j] =", "C[(a * 4 + i) * 8 + b * 4 + j + 1] =", "Invalid write of size 4 at global"},
}

// drawnMutants are mutants of kernels that schedules make. The evaluator of loops notices all of them.
func drawnMutants(t *testing.T) (list []looptest.Mutant, words [][]loop.Word) {
	t.Helper()
	pairs, err := scheduletest.Kernels()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pairs {
		f, _, err := p.Lower()
		if err != nil {
			t.Fatal(err)
		}
		if lacks(f) {
			continue
		}
		mutants, err := looptest.Mutants(f)
		if err != nil {
			t.Fatal(err)
		}
		slips, err := looptest.Slips(f)
		if err != nil {
			t.Fatal(err)
		}
		moves, err := looptest.Moves(f)
		if err != nil {
			t.Fatal(err)
		}
		for n, m := range slices.Concat(mutants, slips, moves) {
			if n%18 != 0 && !sweep.Long(t) || !shows(p, m.F) {
				continue
			}
			args, _, err := p.Words(f)
			if err != nil {
				t.Fatal(err)
			}
			m.Name = p.Program + ": " + m.Name
			list, words = append(list, m), append(words, args)
		}
	}
	return list, words
}

// shows reports whether Oclgrind can see a fault. OpenCL's copies arrive at once: what is faulty because they run ahead is not then. Memory that
// nobody has written is zero (its check for that crashes), and behind the end of an argument is what there is room for in the pool of the device: neither
// has to come to light.
func shows(p scheduletest.Pair, f *loop.Func) bool {
	noticed := func(f *loop.Func) error { return errors.Join(p.Judge(f, 0), p.Judge(f, 1)) }
	err := noticed(f)
	if err != nil && looptest.ArriveAtOnce(f) {
		err = noticed(f)
	}
	return err != nil && !errors.Is(err, loop.ErrUndefined) && !behindArgument.MatchString(err.Error())
}

// behindArgument is what the evaluator says of an argument and of parts of results in device memory; what is in local memory has other names.
var behindArgument = regexp.MustCompile(`\b[A-Za-z](_accs)?\[-?\d+\] is out of bounds`)

// unlike says that results differ, which is as good as a report.
const unlike = "results are not those of the evaluator"

// TestOclgrind: Oclgrind finds nothing wrong in the texts of programs of grids that have no races, and what is wrong in mutants.
func TestOclgrind(t *testing.T) {
	if os.Getenv(child) != "" {
		underOclgrind(t)
		return
	}
	if _, err := os.Stat(oclgrind); err != nil {
		t.Skip("no Oclgrind (apt-get install oclgrind): ", err)
	}
	vendors := t.TempDir()
	if err := os.WriteFile(filepath.Join(vendors, "oclgrind.icd"), []byte(oclgrind+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOclgrind$", "-test.v")
	options := ""
	if sweep.Long(t) { // what LLVM makes of some sums it does not know
		options = "-cl-opt-disable"
	}
	command.Env = append(os.Environ(), child+"=1", "OCLGRIND_BUILD_OPTIONS="+options, "OCL_ICD_VENDORS="+vendors, "OCLGRIND_DATA_RACES=1", "OCLGRIND_UNIFORM_WRITES=1", "OCLGRIND_CHECK_API=1", "OCLGRIND_MAX_ERRORS=1000000")
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	_, reports, _ := strings.Cut(string(output), begins)
	list := strings.Split(reports, begins)
	faults, _ := drawnMutants(t)
	byHand, err := scheduletest.Worked()
	if err != nil {
		t.Fatal(err)
	}
	right := len(mutants) + drawnGrids(t) + len(byHand)
	if cases := right + len(faults); len(list) != cases {
		t.Fatalf("%d reports of %d cases\n%s", len(list), cases, output)
	}
	for i, report := range list {
		name, report, _ := strings.Cut(report, "\n")
		report, _, _ = strings.Cut(report, ends)
		report = warnings.ReplaceAllString(report, "")
		want := ""
		if i < len(mutants) {
			want = mutants[i].want
		}
		report = strings.TrimSpace(report)
		if i >= right {
			if report == "" {
				t.Errorf("%s: neither Oclgrind nor the results say anything", name)
			}
			continue
		}
		if want == "" && report != "" || !strings.Contains(strings.ToLower(report), strings.ToLower(want)) {
			t.Errorf("%s: Oclgrind says %q; expected %q", name, report, want)
		}
	}
}

// What stands around a report.
const (
	begins = "\n=== case "
	ends   = "\n=== end"
)

// warnings are counted by the compiler even where it is told to warn of nothing.
var warnings = regexp.MustCompile(`(?m)^\d+ warnings? generated\.$`)

// Half of what is drawn are programs of loops, the others functions under schedules.
func drawnGrids(t *testing.T) int { return 2 * sweep.Draws(t, 6, 200) }

// underOclgrind runs the cases.
func underOclgrind(t *testing.T) {
	d := opened(t)
	if !strings.Contains(d.session.found.version, "Oclgrind") {
		t.Fatalf("the first device is %s", d.session.found)
	}
	f, err := loop.Parse(source.NewFile("tiles.loop", tiles))
	if err != nil {
		t.Fatal(err)
	}
	one := func(name string, words []loop.Word, f *loop.Func, change func(string) string) {
		m, err := (target_opencl.Target{}).Print(f, target.Options{Numerics: numerics.Strict})
		if err != nil {
			t.Fatal(err)
		}
		text := change(m.Code)
		fmt.Fprintf(os.Stderr, "%s%s\n", begins, name)
		if text == m.Code {
			compareWith(t, d, words, f, text)
		} else if _, err := run(t.Context(), d, f, text, words); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
		fmt.Fprintln(os.Stderr, ends)
	}
	for _, m := range mutants {
		one(m.name, looptest.Arguments(rand.New(rand.NewPCG(1, 1)), f), f, func(text string) string {
			changed := strings.Replace(text, m.old, m.new, 1)
			if m.old != "" && changed == text {
				t.Errorf("%s: there is no %q in\n%s", m.name, m.old, text)
			}
			return changed
		})
	}
	as := func(text string) string { return text }
	for n, drawn := 0, 0; drawn < drawnGrids(t)/2; n++ {
		r := rand.New(rand.NewPCG(uint64(n), 13))
		f := looptest.Grids(r, fmt.Sprintf("grids%d", n))
		words := looptest.Arguments(r, f)
		if fault, err := loop.Evaluate(f, devicetest.Clone(words)); err != nil || fault != nil || lacks(f) {
			continue
		}
		drawn++
		one(f.Name, words, f, as)
	}
	// Oclgrind's functions have bits of their own; that results are right PoCL says (TestPairs).
	eachPair(t, drawnGrids(t)/2, func(_ scheduletest.Pair, f *loop.Func, words []loop.Word, text string) {
		fmt.Fprintf(os.Stderr, "%s%s\n", begins, f.Name)
		if _, err := run(t.Context(), d, f, text, words); err != nil {
			t.Errorf("%s: %v\n%s", f.Name, err, text)
		}
		fmt.Fprintln(os.Stderr, ends)
	})
	faults, args := drawnMutants(t)
	for n, m := range faults {
		text, err := (target_opencl.Target{}).Print(m.F, target.Options{Numerics: numerics.Strict})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(os.Stderr, "%s%s\n", begins, m.Name)
		want := devicetest.Clone(args[n])
		if fault, err := loop.Evaluate(m.Right, want); err != nil || fault != nil {
			t.Fatal(m.Name, err, fault)
		}
		_, err = run(t.Context(), d, m.F, text.Code, args[n])
		switch {
		case err != nil && strings.Contains(err.Error(), "CL_BUILD_PROGRAM_FAILURE"):
			t.Errorf("%s is no program: %v", m.Name, err)
		case err != nil || !sameBytes(args[n], want):
			fmt.Fprintln(os.Stderr, unlike, err)
		}
		fmt.Fprintln(os.Stderr, ends)
	}
}

// sameBytes reports whether arguments are the same.
func sameBytes(a, b []loop.Word) bool {
	return slices.EqualFunc(a, b, func(x, y loop.Word) bool { return bytes.Equal(x.Bytes, y.Bytes) })
}
