package scratch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const childVariable = "RICCI_SCRATCH_TEST_CHILD"

// TestMain is also the program of a child that makes a directory and writes a file
// aside, says so, and waits to be killed.
func TestMain(m *testing.M) {
	path := os.Getenv(childVariable)
	if path == "" {
		os.Exit(m.Run())
	}
	if _, err := NewDir(filepath.Dir(path), "child"); err != nil {
		fmt.Println(err)
	}
	err := Replace(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		fmt.Println("working")
		time.Sleep(time.Hour)
		return err
	})
	fmt.Println(err)
}

// names lists a directory.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// startChild runs a child that works in the directory of path.
func startChild(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+path)
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, len("working"))
	if _, err := io.ReadFull(output, said); err != nil || string(said) != "working" {
		t.Fatalf("the child said %q: %v", said, err)
	}
	return child
}

// What a killed process has left is removed by the next one; what a living one
// makes is not, and neither is anything else.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c.npy")
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o640), os.Mkdir(filepath.Join(dir, "ricci-notes"), 0o755), os.WriteFile(filepath.Join(dir, ".d.npy.ricci-0.tmp"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	child := startChild(t, path)
	work, err := NewDir(dir, "mine")
	if err != nil {
		t.Fatal(err)
	}
	defer work.Close()
	if removed, err := Sweep(dir); err != nil || removed != 0 {
		t.Errorf("beside a living process: %d removed, %v", removed, err)
	}
	if err := Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".c.npy.ricci-0.tmp")); err != nil {
		t.Errorf("what a living process writes is gone: %v", err)
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	if content, err := os.ReadFile(path); err != nil || string(content) != "new" {
		t.Errorf("got %q, %v", content, err)
	}
	if removed, err := Sweep(dir); err != nil || removed != 1 {
		t.Errorf("after the end: %d removed, %v", removed, err)
	}
	if err := Write(path, []byte("newer")); err != nil {
		t.Fatal(err)
	}
	want := []string{".d.npy.ricci-0.tmp", "c.npy", filepath.Base(work.Path), "ricci-notes"}
	if got := names(t, dir); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("left: %q, expected %q", got, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is lost: %v %v", info, err)
	}
}

// An attacker puts links and pipes where Ricci will write aside; what they lead to
// stays as it is, and nothing waits.
func TestPlanted(t *testing.T) {
	dir, precious := t.TempDir(), filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(precious, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	aside := func(n int) string { return filepath.Join(dir, fmt.Sprintf(".c.npy.ricci-%d.tmp", n)) }
	if err := errors.Join(os.Symlink(precious, aside(0)), os.Link(precious, aside(1)), os.Mkdir(aside(2), 0o755)); err != nil {
		t.Skip(err)
	}
	makePipe(t, aside(3))
	path := filepath.Join(dir, "c.npy")
	if err := Write(path, []byte("mine")); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(precious); err != nil || string(content) != "precious" {
		t.Errorf("the file behind the links: %q, %v", content, err)
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, strings.Repeat("r", 255)), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(real, []byte("old"), 0o600), os.Symlink(real, link)); err != nil {
		t.Skip(err)
	}
	failure := errors.New("disk full")
	err := Replace(link, func(w io.Writer) error {
		_, _ = io.WriteString(w, "ne")
		return failure
	})
	if content, _ := os.ReadFile(real); !errors.Is(err, failure) || string(content) != "old" || len(names(t, dir)) != 2 {
		t.Errorf("a failure: %v, the file has %q, there are %q", err, content, names(t, dir))
	}
	if err := Write(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if content, _ := os.ReadFile(real); string(content) != "new" {
		t.Errorf("behind the link: %q", content)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if err := Write(dir, nil); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("a directory: %v", err)
	}
}
