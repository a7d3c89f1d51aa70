package tune

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// startTuner starts a process that tunes.
func startTuner(t *testing.T, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), tuner+"="+dir)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return command, bufio.NewScanner(out)
}

// A tuner is killed half way; another one goes on, while a third works at the same
// time.
func TestKilledAndTwoAtOnce(t *testing.T) {
	needsCompiler(t)
	dir := t.TempDir()
	killed, lines := startTuner(t, dir)
	if !lines.Scan() || lines.Text() != "generation 1" {
		t.Fatalf("the tuner wrote %q", lines.Text())
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // it was killed
	other, lines := startTuner(t, dir)
	outcome := runTest(t, t.Context(), testOptions(dir, 3))
	if outcome.Earlier < 4 {
		t.Errorf("only %d trials of the killed process are known", outcome.Earlier)
	}
	last := ""
	for lines.Scan() {
		last = lines.Text()
	}
	if err := other.Wait(); err != nil || !strings.HasPrefix(last, "outcome mm(K=36 M=40 N=48)") {
		t.Errorf("the other tuner: %v, %q", err, last)
	}
}

// TestTwoOnOneDevice: processes that tune and one that runs kernels share a device and a cache. One of those that tune is killed at drawn moments, and begun
// again; results are right all the time, no process stays, and all trials are known in the end.
func TestTwoOnOneDevice(t *testing.T) {
	if !sweep.Long(t) {
		t.Skip("it takes a minute (RICCI_LONG=1)")
	}
	t.Setenv(tunedDevice, "opencl:0")
	driver, _ := devices.Named("opencl:0")
	if _, err := driver.Open(t.Context(), device.Settings{}); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	def, _, err := matmul()
	if err != nil {
		t.Fatal(err)
	}
	args := map[string]*tensor.Tensor{"A": tensor.Must(tensor.New(tensor.Float32, 40, 36)), "B": tensor.Must(tensor.New(tensor.Float32, 36, 48))}
	tensor.FillRandom(args["A"], 1)
	tensor.FillRandom(args["B"], 2)
	want, err := def.Evaluate(t.Context(), args, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, lines := startTuner(t, dir)
	drawn := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		command, _ := startTuner(t, dir)
		kill := time.Now().Add(time.Duration(drawn.IntN(4000)) * time.Millisecond)
		for time.Now().Before(kill) {
			fresh, _, err := matmul()
			if err != nil {
				t.Fatal(err)
			}
			out, err := fresh.RunWith(t.Context(), args, nil, ricci.Options{CacheDir: dir, Device: "opencl:0"})
			if err != nil {
				t.Fatal(err)
			}
			for name, got := range out {
				if ok, where := tensor.AllClose(got, want[name], 1e-4, 1e-4); !ok {
					t.Errorf("%s differs at %v", name, where)
				}
			}
		}
		children := descendants(command.Process.Pid)
		if err := command.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = command.Wait() // it was killed
		for _, pid := range children {
			for wait := 0; alive(pid); wait++ {
				if wait == 100 {
					t.Fatalf("process %d is still there", pid)
				}
				time.Sleep(100 * time.Millisecond)
			}
		}
	}
	last := ""
	for lines.Scan() {
		last = lines.Text()
	}
	if err := other.Wait(); err != nil || !strings.HasPrefix(last, "outcome mm(") {
		t.Errorf("the other tuner: %v, %q", err, last)
	}
	outcome := runTest(t, t.Context(), testOptions(dir, 11))
	if outcome.Earlier+outcome.Evaluated < 10 || len(outcome.Warnings) > 0 {
		t.Errorf("%d trials are known, %d were measured, with warnings %v", outcome.Earlier, outcome.Evaluated, outcome.Warnings)
	}
	if aside, _ := filepath.Glob(filepath.Join(dir, "*damaged*")); len(aside) > 0 {
		t.Errorf("the database was damaged: %v", aside)
	}
}

// descendants returns the processes below one that still are there (on Linux).
func descendants(pid int) (list []int) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // none elsewhere
	for _, path := range threads {
		text, _ := os.ReadFile(path)
		for _, word := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				list = append(append(list, child), descendants(child)...)
			}
		}
	}
	return list
}

// TestKilledAnywhere kills a tuner at several moments: what was recorded is known to the
// next one, and neither processes nor files remain.
func TestKilledAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("TestKilledAndTwoAtOnce kills one")
	}
	needsCompiler(t)
	dir := t.TempDir()
	left := func() []string {
		list, _ := filepath.Glob(filepath.Join(dir, "tmp", "ricci-tune-*")) // the pattern is good
		return list
	}
	known := 0
	for _, delay := range []time.Duration{50, 300, 600, 900, 1300} {
		command, lines := startTuner(t, dir)
		time.Sleep(delay * time.Millisecond)
		children := descendants(command.Process.Pid)
		if err := command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // a worker that lived would hold the pipe of its messages, not this one
		}
		_ = command.Wait() // it was killed
		for _, pid := range children {
			for wait := 0; alive(pid); wait++ {
				if wait == 100 {
					t.Fatalf("after %s, process %d is still there", delay*time.Millisecond, pid)
				}
				time.Sleep(100 * time.Millisecond)
			}
		}
		o := testOptions(dir, 1)
		o.Seed = 1 // another search, which counts its own candidates
		outcome := runTest(t, t.Context(), o)
		if outcome.Earlier < known {
			t.Errorf("%d trials are known, and there were %d", outcome.Earlier, known)
		}
		// A run measures one more point, unless those before it left none that is worth it.
		known = outcome.Earlier + outcome.Evaluated
		if outcome.Evaluated != 1 && !(outcome.Exhausted() && known > 0) {
			t.Errorf("the next run: %+v", outcome)
		}
		if list := left(); len(list) > 0 {
			t.Errorf("left behind: %v", list)
		}
	}
}

// alive reports whether a process is there and has not ended.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(text), ") ")
	return err == nil && !strings.HasPrefix(state, "Z")
}
