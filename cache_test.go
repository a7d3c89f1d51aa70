package ricci_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/tensor"
)

// plant replaces every object of a cache by a library that makes a file when it is loaded,
// with entries that fit, as somebody does who can write to the cache.
func plant(t *testing.T, dir, marker string) {
	t.Helper()
	evil := filepath.Join(t.TempDir(), "evil.so")
	text := fmt.Sprintf("#include <stdio.h>\n__attribute__((constructor)) static void f(void) { FILE *x = fopen(%q, \"w\"); if (x) fclose(x); }\n", marker)
	command := exec.Command("gcc", "-shared", "-fPIC", "-o", evil, "-x", "c", "-")
	command.Stdin = strings.NewReader(text)
	if out, err := command.CombinedOutput(); err != nil {
		t.Skipf("no gcc to make the library with: %v\n%s", err, out)
	}
	object, err := os.ReadFile(evil)
	if err != nil {
		t.Fatal(err)
	}
	sum := func(b []byte) string { s := sha256.Sum256(b); return hex.EncodeToString(s[:]) }
	hash := sum(object)
	path := filepath.Join(dir, "objects", hash[:2], hash+".so")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, object, 0o600)); err != nil {
		t.Fatal(err)
	}
	planted := 0
	err = filepath.WalkDir(filepath.Join(dir, "entries"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_, record, _ := strings.Cut(string(content), "\n")
		entry := map[string]any{}
		if err := json.Unmarshal([]byte(record), &entry); err != nil {
			return err
		}
		entry["object"], entry["bytes"] = hash, len(object)
		changed, err := json.Marshal(entry)
		planted++
		return errors.Join(err, os.WriteFile(path, []byte(sum(changed)+"\n"+string(changed)), 0o600))
	})
	if err != nil || planted == 0 {
		t.Fatalf("%d entries planted: %v", planted, err)
	}
}

// A library that somebody else could have put into the cache is never executed.
func TestPlantedLibrary(t *testing.T) {
	const nobody = 65534
	for _, place := range []struct {
		name   string
		change func(dir string) error
		loads  bool // the control: in a place that is the user's own it is
		root   bool
	}{
		{"own", func(string) error { return nil }, true, false},
		{"open to all", func(dir string) error { return os.Chmod(dir, 0o777) }, false, false},
		{"open to the group", func(dir string) error { return os.Chmod(dir, 0o770) }, false, false},
		{"open above", func(dir string) error { return os.Chmod(filepath.Dir(dir), 0o777) }, false, false},
		{"another owner", func(dir string) error { return os.Chown(dir, nobody, nobody) }, false, true},
		{"files of another owner", func(dir string) error {
			return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				return os.Chown(path, nobody, nobody)
			})
		}, false, true},
		{"files open to all", func(dir string) error {
			return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || filepath.Base(path) == "CACHEDIR.TAG" {
					return err
				}
				return os.Chmod(path, 0o666)
			})
		}, false, false},
	} {
		t.Run(place.name, func(t *testing.T) {
			if place.root && os.Geteuid() != 0 {
				t.Skip("only root can give files away")
			}
			t.Setenv("TMPDIR", t.TempDir())
			dir, marker := filepath.Join(t.TempDir(), "cache"), filepath.Join(t.TempDir(), "executed")
			options := ricci.Options{Target: ricci.C, CacheDir: dir}
			x, err := tensor.New(tensor.Float32, 3)
			if err != nil {
				t.Fatal(err)
			}
			run := func() error {
				k, err := parse(t, "def f(float(N) A) -> (B) { B(i) = 2 * A(i) }").CompileFor(t.Context(), map[string]*tensor.Tensor{"A": x}, options)
				if err == nil {
					err = k.Close()
				}
				return err
			}
			if err := run(); err != nil {
				skipWithoutCompiler(t, err)
				t.Fatal(err)
			}
			plant(t, dir, marker)
			if err := place.change(dir); err != nil {
				t.Fatal(err)
			}
			if err := run(); err != nil && !place.loads {
				t.Error(err)
			}
			if _, err := os.Stat(marker); (err == nil) != place.loads {
				t.Errorf("executed: %v, expected %v", err == nil, place.loads)
			}
		})
	}
}

// A cache is cleared again and again while kernels are compiled: all of them work.
func TestClearBesideCompiles(t *testing.T) {
	dir := t.TempDir()
	c, err := cache.At(dir)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var clearing, compiling sync.WaitGroup
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
	for n := range 4 {
		compiling.Go(func() {
			options := ricci.Options{Target: ricci.C, CacheDir: dir, Notice: func(m string) { t.Errorf("notice: %s", m) }}
			d := parse(t, fmt.Sprintf("def f(float(N) A) -> (B) { B(i) = %d * A(i) }", n))
			x := random(t, tensor.Float32, 1, 3)
			k, err := d.CompileFor(t.Context(), map[string]*tensor.Tensor{"A": x}, options)
			if err != nil {
				t.Errorf("compile: %v", err)
				return
			}
			results, err := k.RunNamed(t.Context(), map[string]*tensor.Tensor{"A": x})
			if err != nil || results["B"].Float(1) != float64(float32(n)*float32(x.Float(1))) {
				t.Errorf("run: %v", err)
			}
		})
	}
	compiling.Wait()
	close(stop)
	clearing.Wait()
}
