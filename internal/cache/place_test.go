package cache

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// snapshot lists the files below a directory with their contents.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, _ := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %q\n", path, content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// plant writes files, by their paths below dir.
func plant(t *testing.T, dir string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("precious"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// refused asks that a directory is no cache: At says so by an error with these words,
// Open takes a private one with a notice, and nothing in the directory changes.
func refused(t *testing.T, dir string, words ...string) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	before := snapshot(t, dir)
	var unfit *UnfitError
	_, err := At(dir)
	if !errors.As(err, &unfit) {
		t.Fatalf("At: %v", err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
	notices := ""
	c, err := Open(dir, func(n string) { notices += n })
	if err != nil {
		t.Fatal(err)
	}
	if c.Dir() == dir || !strings.Contains(notices, c.Dir()) || !strings.Contains(notices, unfit.Reason) {
		t.Errorf("Open: %s, notices %q", c.Dir(), notices)
	}
	if info, err := os.Stat(c.Dir()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the private cache: %v %v", info, err)
	}
	put(t, c, 1)
	if _, err := c.Clear(); err != nil {
		t.Error(err)
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("the directory has changed:\n%s\nbefore:\n%s", after, before)
	}
}

// Directories with somebody else's files, the names of a cache among them.
func TestForeignDirectories(t *testing.T) {
	for name, paths := range map[string][]string{
		"documents":   {"thesis.tex"},
		"same names":  {"objects/ab/thesis.so", "entries/x", "tmp/put-1", "tuned/a.txt", "notes/n"},
		"other cache": {"target.o"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			plant(t, dir, paths...)
			if name == "other cache" {
				if err := os.WriteFile(filepath.Join(dir, tagName), []byte(signature+"# made by cargo\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			refused(t, dir, "no CACHEDIR.TAG of Ricci", Variable)
		})
	}
	t.Run("link", func(t *testing.T) {
		dir := t.TempDir()
		plant(t, dir, "thesis.tex")
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(dir, link); err != nil {
			t.Skip(err)
		}
		refused(t, link, "thesis.tex")
	})
	t.Run("root", func(t *testing.T) {
		var unfit *UnfitError
		if _, err := At("/"); !errors.As(err, &unfit) {
			t.Errorf("/ is a cache: %v", err)
		}
	})
}

// In a cache only what Ricci made is removed.
func TestRemovesOnlyItsOwn(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	put(t, c, 1)
	hash := strings.Repeat("ab", 32)
	foreign := []string{"thesis.tex", "objects/ab/thesis.so", "objects/cd/" + hash + ".so", "objects/" + hash + ".so", "entries/ab/notes.txt",
		"tmp/thesis.tex", "tmp/ricci-thesis", "reproducers/thesis.tex", "notes/thesis", "tuned/thesis.tex", "entries/a/b/c"}
	plant(t, dir, foreign...)
	outside := t.TempDir()
	plant(t, outside, "ab/"+hash+".so", hash, "reproducer-1.c", "thesis.tex")
	for link, target := range map[string]string{"objects/ef": outside, "notes/" + hash: filepath.Join(outside, hash), "reproducers/reproducer-x": outside, "tmp/put-link": outside} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	before := snapshot(t, outside)
	for _, remove := range []func() (Removed, error){c.Clear, c.Verify, func() (Removed, error) {
		return c.Prune(PruneOptions{OlderThan: time.Nanosecond, MaxBytes: 1})
	}} {
		if _, err := remove(); err != nil {
			t.Error(err)
		}
	}
	for _, path := range foreign {
		if _, err := os.Lstat(filepath.Join(dir, path)); err != nil {
			t.Errorf("removed: %s", path)
		}
	}
	if after := snapshot(t, outside); after != before {
		t.Errorf("what links lead to has changed:\n%s\nbefore:\n%s", after, before)
	}
	if checkGet(t, c, 1) {
		t.Error("the entry was not removed")
	}
}

// A part of the cache that is a link leads nowhere.
func TestLinkedParts(t *testing.T) {
	evil := t.TempDir()
	other := open(t, filepath.Join(evil, "cache"))
	put(t, other, 1)
	dir := t.TempDir()
	c := open(t, dir)
	for _, part := range []string{"entries", "objects"} {
		if err := os.Symlink(filepath.Join(other.Dir(), part), filepath.Join(dir, part)); err != nil {
			t.Skip(err)
		}
	}
	if checkGet(t, c, 1) {
		t.Error("an object of another directory was found")
	}
	if _, err := c.Clear(); err == nil {
		t.Log("Clear says nothing of the links")
	}
	if !checkGet(t, other, 1) {
		t.Error("the other directory was cleared")
	}
}

// A writable place is not loaded from, whoever can write there.
func TestUnsafePlaces(t *testing.T) {
	if !hasModes {
		t.Skip("no modes here")
	}
	places := map[string]func(t *testing.T, dir string) (cache string, words []string){
		"everybody writes": func(t *testing.T, dir string) (string, []string) {
			return dir, []string{"everybody", "0777", "chmod go-w " + dir}
		},
		"the group writes": func(t *testing.T, dir string) (string, []string) {
			return dir, []string{"its group", "chmod go-w"}
		},
		"everybody writes above": func(t *testing.T, dir string) (string, []string) {
			return filepath.Join(dir, "below", "cache"), []string{dir + " can be written by everybody"}
		},
		"through a link": func(t *testing.T, dir string) (string, []string) {
			link := filepath.Join(t.TempDir(), "link")
			if err := errors.Join(os.Mkdir(filepath.Join(dir, "cache"), 0o755), os.Symlink(filepath.Join(dir, "cache"), link)); err != nil {
				t.Skip(err)
			}
			return link, []string{dir}
		},
	}
	modes := map[string]fs.FileMode{"the group writes": 0o775}
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, words := place(t, dir)
			put(t, open(t, path), 1) // while it was safe
			mode := modes[name]
			if mode == 0 {
				mode = 0o777
			}
			if err := os.Chmod(dir, mode); err != nil {
				t.Fatal(err)
			}
			refused(t, path, words...)
			if err := os.Chmod(dir, 0o755); err != nil { // as the message says
				t.Fatal(err)
			}
			if !checkGet(t, open(t, path), 1) {
				t.Error("not usable after the repair")
			}
		})
	}
	t.Run("sticky above", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o777|fs.ModeSticky); err != nil {
			t.Fatal(err)
		}
		put(t, open(t, filepath.Join(dir, "cache")), 1)
		refused(t, dir, "everybody")
	})
}

// Another user's directory, link, file or squatted private directory: none is believed.
func TestOtherOwners(t *testing.T) {
	if os.Geteuid() != 0 || !hasModes {
		t.Skip("only root can give files away")
	}
	const nobody = 65534
	dir := t.TempDir()
	c := open(t, dir)
	e := put(t, c, 1)
	t.Run("file", func(t *testing.T) {
		if err := os.Chown(e.Path, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		if checkGet(t, c, 1) {
			t.Error("another user's object was returned")
		}
		put(t, c, 1)
		if err := os.Chmod(e.Path, 0o666); err != nil {
			t.Fatal(err)
		}
		if checkGet(t, c, 1) {
			t.Error("an object that everybody can write was returned")
		}
	})
	t.Run("directory", func(t *testing.T) {
		put(t, c, 1)
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		refused(t, dir, "belongs to user 65534")
	})
	t.Run("above", func(t *testing.T) { refused(t, makeBelow(t, dir), "belongs to user 65534") })
	t.Run("link", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "link")
		if err := errors.Join(os.Symlink(t.TempDir(), link), os.Lchown(link, nobody, nobody)); err != nil {
			t.Skip(err)
		}
		refused(t, link, "belongs to user 65534")
	})
	t.Run("squatted", func(t *testing.T) {
		temp := t.TempDir()
		t.Setenv("TMPDIR", temp)
		squatted := filepath.Join(temp, fmt.Sprintf("ricci-%d", os.Getuid()))
		if err := errors.Join(os.Mkdir(squatted, 0o777), os.Chown(squatted, nobody, nobody)); err != nil {
			t.Fatal(err)
		}
		private, err := Open("/", nil)
		if err != nil || private.Dir() != squatted+"-1" {
			t.Errorf("%v %v", private, err)
		}
	})
}

func makeBelow(t *testing.T, dir string) string {
	t.Helper()
	below := filepath.Join(dir, "below")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	return below
}

// Processes that write are killed while another one clears: nothing is left of them,
// and nobody who lives loses what he is making.
func TestKillAndClear(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	stop := make(chan struct{})
	var clearing sync.WaitGroup
	clearing.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if _, err := c.Clear(); err != nil {
					t.Errorf("clear: %v", err)
				}
			}
		}
	})
	for round := range 5 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childVariable+"="+dir)
		output, err := child.StdoutPipe()
		if err == nil {
			err = child.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := output.Read(make([]byte, 1)); err != nil {
			t.Fatalf("the child died by itself: %v", err)
		}
		for n := range 20 { // this process lives, and loses nothing
			if _, err := c.Put(testKey(n), Entry{Meta: json.RawMessage(`{}`)}, contents(n)); err != nil {
				t.Errorf("put beside clear: %v", err)
			}
		}
		time.Sleep(time.Duration(3*round) * time.Millisecond)
		if child.ProcessState != nil {
			t.Error("clear has ended a writer")
		}
		_ = child.Process.Kill()
		_ = child.Wait()
	}
	close(stop)
	clearing.Wait()
	if _, err := c.Clear(); err != nil {
		t.Error(err)
	}
	left := strings.TrimSpace(strings.ReplaceAll(snapshot(t, dir), filepath.Join(dir, tagName)+fmt.Sprintf(" %q", signature+tagLine), ""))
	// A directory whose maker was killed before it had the lock goes when it is old (package scratch).
	left = regexp.MustCompile(`\S+/owner-to-be ""`).ReplaceAllString(left, "")
	if left = strings.TrimSpace(strings.ReplaceAll(left, filepath.Join(dir, "trimmed")+` ""`, "")); left != "" {
		t.Errorf("left behind:\n%s", left)
	}
	put(t, c, 1)
	if !checkGet(t, c, 1) {
		t.Error("not usable afterwards")
	}
}
