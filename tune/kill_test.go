package tune

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
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
