package cache

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func open(t testing.TB, dir string) *Cache {
	t.Helper()
	c, err := Open(dir, func(n string) { t.Errorf("notice: %s", n) })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func testKey(n int) Key { return NewKey("test").AddInt(int64(n)).Key() }

func entryPath(c *Cache, key Key) string { return filepath.Join(c.Dir(), entryName(key.String())) }

// contents of object n: long enough that a write takes several pages.
func contents(n int) []byte {
	return bytes.Repeat([]byte(fmt.Sprintf("object %d. ", n)), 2000)
}

func put(t testing.TB, c *Cache, n int) *Entry {
	t.Helper()
	meta, _ := json.Marshal(map[string]int{"n": n})
	e, err := c.Put(testKey(n), Entry{Kind: "test", Name: fmt.Sprint(n), Meta: meta}, contents(n))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func checkGet(t testing.TB, c *Cache, n int) bool {
	t.Helper()
	e, ok := c.Get(testKey(n))
	if !ok {
		return false
	}
	if !bytes.Equal(e.Data, contents(n)) || string(e.Meta) != fmt.Sprintf(`{"n":%d}`, n) {
		t.Errorf("entry %d is wrong: %s", n, e.Meta)
	}
	return true
}

func TestPutGet(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	if checkGet(t, c, 1) {
		t.Error("found what nobody put")
	}
	put(t, c, 1)
	if !checkGet(t, open(t, dir), 1) {
		t.Error("not found by another process")
	}
	put(t, c, 1)
	put(t, c, 2)
	list, err := c.List()
	if err != nil || len(list) != 2 {
		t.Errorf("list: %v %v", list, err)
	}
	if size, err := c.Size(); err != nil || size != int64(len(contents(1))+len(contents(2))) {
		t.Errorf("size %d %v", size, err)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "tmp")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	removed, err := c.Clear()
	if err != nil || removed.Entries != 2 || removed.Objects != 2 || checkGet(t, c, 1) {
		t.Errorf("clear: %+v %v", removed, err)
	}
	put(t, c, 1)
	if !checkGet(t, c, 1) {
		t.Error("not usable after clear")
	}
}

func TestDamage(t *testing.T) {
	damages := map[string]func([]byte) []byte{
		"truncated": func(b []byte) []byte { return b[:len(b)/2] },
		"empty":     func([]byte) []byte { return nil },
		"flipped":   func(b []byte) []byte { b[len(b)-3] ^= 1; return b },
		"longer":    func(b []byte) []byte { return append(b, 'x') },
	}
	for name, damage := range damages {
		for _, what := range []string{"entry", "object"} {
			t.Run(name+" "+what, func(t *testing.T) {
				c := open(t, t.TempDir())
				put(t, c, 1)
				e := put(t, c, 2)
				path := e.Path
				if what == "entry" {
					path = entryPath(c, testKey(2))
				}
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, damage(bytes.Clone(data)), 0o644); err != nil {
					t.Fatal(err)
				}
				if checkGet(t, c, 2) {
					t.Error("a damaged entry was returned")
				}
				put(t, c, 2)
				if !checkGet(t, c, 2) || !checkGet(t, c, 1) {
					t.Error("not replaced")
				}
				if err := os.WriteFile(path, damage(bytes.Clone(data)), 0o644); err != nil {
					t.Fatal(err)
				}
				if removed, err := c.Verify(); err != nil || removed.Entries != 1 {
					t.Errorf("verify: %+v %v", removed, err)
				}
			})
		}
	}
}

// An entry that cannot be read at the moment is a miss, and serves again later.
func TestUnreadable(t *testing.T) {
	c := open(t, t.TempDir())
	object := put(t, c, 1).Path
	for _, path := range []string{object, entryPath(c, testKey(1))} {
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, path); err != nil { // a link to itself
			t.Skip(err)
		}
		if checkGet(t, c, 1) {
			t.Error("found what cannot be read")
		}
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("removed: %v", err)
		}
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
		if !checkGet(t, c, 1) {
			t.Error("the entry is lost")
		}
	}
}

func TestPrune(t *testing.T) {
	c := open(t, t.TempDir())
	for n := range 5 {
		put(t, c, n)
		used := time.Now().Add(-time.Duration(n) * 24 * time.Hour)
		if err := os.Chtimes(entryPath(c, testKey(n)), used, used); err != nil {
			t.Fatal(err)
		}
	}
	name := objectName(strings.Repeat("ab", 32))
	if err := c.write(name, []byte("nobody's")); err != nil {
		t.Fatal(err)
	}
	orphan := filepath.Join(c.Dir(), name)
	if removed, err := c.Prune(PruneOptions{OlderThan: 60 * time.Hour}); err != nil || removed.Entries != 2 || removed.Objects != 2 {
		t.Errorf("by age: %+v %v", removed, err)
	}
	if removed, err := c.Prune(PruneOptions{MaxBytes: int64(len(contents(0)) * 2)}); err != nil || removed.Entries != 1 {
		t.Errorf("by size: %+v %v", removed, err)
	}
	if !checkGet(t, c, 0) || !checkGet(t, c, 1) || checkGet(t, c, 2) {
		t.Error("the wrong ones were removed")
	}
	if _, err := os.Stat(orphan); err != nil {
		t.Error("a fresh object was removed: its entry may be on the way")
	}
	old := time.Now().Add(-2 * orphanAge)
	if err := os.Chtimes(orphan, old, old); err != nil {
		t.Fatal(err)
	}
	if removed, err := c.Prune(PruneOptions{}); err != nil || removed.Objects != 1 || removed.Entries != 0 {
		t.Errorf("orphans: %+v %v", removed, err)
	}
	for prefix, part := range map[string]func() (string, error){"put-": c.TempDir, "reproducer-": c.ReproducerDir} {
		dir, err := part()
		if err != nil {
			t.Fatal(err)
		}
		for name, age := range map[string]time.Duration{prefix + "old": TrimAge + time.Hour, prefix + "new": 0} {
			path, changed := filepath.Join(dir, name), time.Now().Add(-age)
			if err := errors.Join(os.WriteFile(path, nil, 0o644), os.Chtimes(path, changed, changed)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Prune(PruneOptions{}); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != prefix+"new" {
			t.Errorf("left in %s: %v %v", dir, left, err)
		}
	}
	// Using an entry renews it.
	checkGet(t, c, 1)
	if e, ok := c.Get(testKey(1)); !ok || time.Since(e.Used) > touchInterval {
		t.Errorf("last use is %v", e.Used)
	}
}

// Two entries with one object: it stays as long as one of them does.
func TestSharedObject(t *testing.T) {
	c := open(t, t.TempDir())
	first, err := c.Put(testKey(0), Entry{}, contents(9))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Link(testKey(1), Entry{Meta: json.RawMessage(`1`)}, first); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour * 100)
	if err := os.Chtimes(entryPath(c, testKey(0)), old, old); err != nil {
		t.Fatal(err)
	}
	removed, err := c.Prune(PruneOptions{OlderThan: time.Hour})
	if err != nil || removed.Entries != 1 || removed.Objects != 0 {
		t.Errorf("%+v %v", removed, err)
	}
	if _, ok := c.Get(testKey(1)); !ok {
		t.Error("the other entry lost its object")
	}
}

func TestPlaces(t *testing.T) {
	home := t.TempDir()
	t.Setenv(Variable, "")
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", "")
	if c := open(t, ""); !strings.HasPrefix(c.Dir(), home) {
		t.Errorf("the default is %s", c.Dir())
	}
	t.Setenv(Variable, filepath.Join(home, "elsewhere"))
	if c := open(t, ""); c.Dir() != filepath.Join(home, "elsewhere") {
		t.Errorf("%s is ignored: %s", Variable, c.Dir())
	}
	t.Setenv(Variable, "")
	t.Setenv("HOME", "")
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	notices := 0
	c, err := Open("", func(string) { notices++ })
	if err != nil || notices != 1 || !strings.HasPrefix(c.Dir(), temp) {
		t.Fatalf("without HOME: %v, %d notices, %v", c, notices, err)
	}
	if err := os.Chmod(c.Dir(), 0o777); err != nil {
		t.Fatal(err)
	}
	again, err := Open("", nil)
	if err != nil || again.Dir() == c.Dir() {
		t.Errorf("a directory that others can write is trusted: %v %v", again, err)
	}
	file := filepath.Join(home, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(file, "below"), nil); err == nil {
		t.Error("a directory below a file was accepted")
	}
}

func TestReadOnly(t *testing.T) {
	if asNobody(t) {
		return
	}
	dir := t.TempDir()
	c := open(t, dir)
	put(t, c, 1)
	for _, d := range []string{"entries", "objects", "tmp", "."} {
		_ = os.Chmod(filepath.Join(dir, d), 0o555)
		defer os.Chmod(filepath.Join(dir, d), 0o755)
	}
	if !checkGet(t, open(t, dir), 1) {
		t.Error("a read-only cache does not serve")
	}
	if _, err := c.Put(testKey(2), Entry{}, contents(2)); err == nil {
		t.Error("a write into a read-only cache succeeded")
	}
}

func TestConcurrent(t *testing.T) {
	c := open(t, t.TempDir())
	var group sync.WaitGroup
	for g := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			for round := range 20 {
				n := (g + round) % 5
				if !checkGet(t, c, n) {
					put(t, c, n)
				}
				if g == 0 && round%7 == 0 {
					if _, err := c.Prune(PruneOptions{MaxBytes: 1 << 20}); err != nil {
						t.Error(err)
					}
				}
			}
		}()
	}
	group.Wait()
}

const childVariable = "RICCI_CACHE_TEST_CHILD"

// TestMain is also the program of the children that TestKill kills: they write
// entries as fast as they can.
func TestMain(m *testing.M) {
	dir := os.Getenv(childVariable)
	if dir == "" {
		os.Exit(m.Run())
	}
	c, err := Open(dir, nil)
	if err != nil {
		os.Exit(1)
	}
	for n := 0; ; n = (n + 1) % 20 {
		if _, err := c.Put(testKey(n), Entry{Meta: json.RawMessage(`{"n":` + strconv.Itoa(n) + `}`)}, contents(n)); err != nil {
			os.Exit(1)
		}
		if n == 0 {
			fmt.Println("working")
		}
	}
}

func TestKill(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	rounds := 25
	if testing.Short() {
		rounds = 8
	}
	stop := make(chan struct{})
	var reader sync.WaitGroup
	reader.Add(1)
	go func() {
		defer reader.Done()
		for n := 0; ; n = (n + 1) % 20 {
			select {
			case <-stop:
				return
			default:
				checkGet(t, c, n)
			}
		}
	}()
	for round := range rounds {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childVariable+"="+dir)
		output, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		// It is killed at some moment after its first write.
		if _, err := output.Read(make([]byte, 1)); err != nil {
			t.Fatalf("the child died by itself: %v", err)
		}
		time.Sleep(time.Duration(round) * time.Millisecond)
		_ = child.Process.Kill()
		_ = child.Wait()
		if removed, err := c.Verify(); err != nil || removed.Entries != 0 {
			t.Errorf("round %d: %+v %v", round, removed, err)
		}
	}
	close(stop)
	reader.Wait()
	found := 0
	for n := range 20 {
		if checkGet(t, c, n) {
			found++
		}
	}
	if found == 0 {
		t.Error("the children wrote nothing")
	}
}
