package database

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/tune/tuned"
)

// child is the environment variable that makes the test binary a process that
// writes trials until it is killed.
const child = "RICCI_TEST_DATABASE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(child); dir != "" {
		if err := writeForEver(dir); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func writeForEver(dir string) error {
	ctx := context.Background()
	db, err := Open(ctx, dir)
	if err != nil {
		return err
	}
	s, err := db.Begin(ctx, "f", configuration(1), Session{Version: "v", Space: "a"})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		if err := s.Record(ctx, Trial{Point: fmt.Sprintf("%d,%d", os.Getpid(), i), Status: OK, Seconds: 1}); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

func configuration(n int64) *tuned.Configuration {
	return &tuned.Configuration{Program: "p", Target: "c", Sizes: map[string]int64{"n0": n}}
}

func openTest(t *testing.T, dir string) *DB {
	t.Helper()
	db, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func begin(t *testing.T, db *DB, c *tuned.Configuration, s Session, trials ...Trial) *Session {
	t.Helper()
	session, err := db.Begin(t.Context(), "f", c, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range trials {
		if err := session.Record(t.Context(), trial); err != nil {
			t.Fatal(err)
		}
	}
	return session
}

func TestEarlier(t *testing.T) {
	db := openTest(t, t.TempDir())
	mine := Session{Version: "v1", Space: "a"}
	begin(t, db, configuration(1), mine, Trial{Point: "1", Status: OK, Seconds: 3}, Trial{Point: "2", Status: "crashed", Message: "SIGSEGV"})
	begin(t, db, configuration(2), mine, Trial{Point: "3", Status: OK, Seconds: 1})
	begin(t, db, configuration(1), Session{Version: "v2", Space: "a"}, Trial{Point: "4", Status: OK, Seconds: 1})
	begin(t, db, configuration(1), Session{Version: "v1", Space: "b"}, Trial{Point: "5", Status: OK, Seconds: 1, Tree: "t"})
	begin(t, db, configuration(1), mine, Trial{Point: "1", Status: OK, Seconds: 2, Samples: 4, Median: 2.5})
	again := begin(t, db, configuration(1), mine)
	got, err := again.Earlier(t.Context())
	want := []Trial{{Point: "2", Status: "crashed", Message: "SIGSEGV"}, {Point: "1", Status: OK, Seconds: 2, Samples: 4, Median: 2.5}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%s %v", d, err)
	}
	if err := again.End(t.Context(), "done"); err != nil {
		t.Error(err)
	}
	neighbours, err := begin(t, db, configuration(7), mine).Neighbours(t.Context(), configuration(7))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, n := range neighbours {
		found[fmt.Sprintf("%d %s %s", n.Configuration.Sizes["n0"], n.Space, n.Point)] = n.Seconds
	}
	if d := cmp.Diff(map[string]float64{"1 a 4": 1, "1 b 5": 1, "2 a 3": 1}, found); d != "" {
		t.Error(d)
	}
	if n, err := db.Clear(t.Context()); n != 6 || err != nil {
		t.Errorf("cleared %d, %v", n, err)
	}
	if neighbours, err := begin(t, db, configuration(1), mine).Neighbours(t.Context(), configuration(1)); len(neighbours) > 0 || err != nil {
		t.Errorf("after clearing: %v, %v", neighbours, err)
	}
}

// TestResume: a session goes on with those of its strategy and seed right before it that
// were interrupted or killed, and what was known before them is what they knew.
func TestResume(t *testing.T) {
	db := openTest(t, t.TempDir())
	mine, other := Session{Version: "v", Space: "a", Seed: 1}, Session{Version: "v", Space: "a", Seed: 2}
	next := 0
	points := func(list []Trial, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, trial := range list {
			text += trial.Point
		}
		return text
	}
	for _, step := range []struct {
		session         Session
		outcome         string // "" for a session that was killed
		resumes, before string
	}{
		{mine, "done", "", ""}, {mine, "stopped", "", "a"}, {mine, "", "b", "a"}, {mine, "done", "bc", "a"}, {mine, "", "", "abcd"},
		{other, "stopped", "", "abcde"}, {mine, "done", "", "abcdef"}, {other, "stopped", "", "abcdefg"}, {other, "done", "h", "abcdefg"},
	} {
		s := begin(t, db, configuration(1), step.session)
		begin(t, db, configuration(2), step.session) // has nothing to do with it
		if got := points(s.Resume(t.Context(), "stopped")); got != step.resumes {
			t.Errorf("session %d resumes %q, expected %q", next, got, step.resumes)
		}
		if got := points(s.Earlier(t.Context())); got != step.before {
			t.Errorf("session %d knows %q, expected %q", next, got, step.before)
		}
		if err := s.Record(t.Context(), Trial{Point: string(rune('a' + next)), Status: OK, Seconds: 1}); err != nil {
			t.Fatal(err)
		}
		if step.outcome != "" {
			if err := s.End(t.Context(), step.outcome); err != nil {
				t.Fatal(err)
			}
		}
		next++
	}
}

// Several processes write at once and are killed; every trial that they announced
// is there.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	type process struct {
		command *exec.Cmd
		out     *bufio.Reader
	}
	var processes []process
	for range 2 {
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), child+"="+dir)
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		processes = append(processes, process{command, bufio.NewReader(out)})
	}
	announced := map[string]bool{}
	for _, p := range processes {
		for i := range 20 {
			line, err := p.out.ReadString('\n')
			if err != nil || strings.TrimSpace(line) != fmt.Sprint(i) {
				t.Fatalf("the process wrote %q, %v", line, err)
			}
			announced[fmt.Sprintf("%d,%d", p.command.Process.Pid, i)] = true
		}
	}
	for _, p := range processes {
		if err := p.command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = p.command.Wait() // it was killed
	}
	db := openTest(t, dir)
	trials, err := begin(t, db, configuration(1), Session{Version: "v", Space: "a"}).Earlier(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range trials {
		delete(announced, trial.Point)
	}
	if len(announced) > 0 {
		t.Errorf("lost: %v", announced)
	}
}

// A file of another version, or no database at all, is set aside.
func TestOtherFile(t *testing.T) {
	for _, name := range []string{"nonsense", "version"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, FileName)
			if name == "nonsense" {
				if err := os.WriteFile(path, []byte(strings.Repeat("nonsense ", 2000)), 0o644); err != nil {
					t.Fatal(err)
				}
			} else {
				db, err := Open(t.Context(), dir)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := db.sql.Exec("PRAGMA user_version = 99"); err != nil {
					t.Fatal(err)
				}
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
			}
			again := openTest(t, dir)
			begin(t, again, configuration(1), Session{}, Trial{Point: "1", Status: OK})
			aside, err := filepath.Glob(path + ".2*")
			if err != nil || !slices.Contains(aside, again.SetAside) {
				t.Errorf("set aside are %v, and %q is said to be: %v", aside, again.SetAside, err)
			}
		})
	}
}

// Where no file can be made the error says what to look at.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, FileName), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "RICCI_CACHE names another one") {
		t.Errorf("got %v", err)
	}
}

// TestMadeAtOnce opens a new database many times at once.
func TestMadeAtOnce(t *testing.T) {
	for range 20 {
		dir, done := t.TempDir(), make(chan error)
		const processes = 8
		for range processes {
			go func() {
				db, err := Open(t.Context(), dir)
				if err == nil {
					err = db.Close()
				}
				done <- err
			}()
		}
		for range processes {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
}
