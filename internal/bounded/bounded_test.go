package bounded

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// soon fails when a call takes long: what a test waits for would be waited for for ever.
func soon(t *testing.T, name string, call func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		t.Fatalf("%s: still waiting", name)
		return nil
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	full, empty := filepath.Join(dir, "full"), filepath.Join(dir, "empty")
	if err := errors.Join(os.WriteFile(full, []byte("0123456789"), 0o644), os.WriteFile(empty, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path  string
		limit int64
		want  string // the content, or what the error says
		fails bool
	}{
		{full, 10, "0123456789", false},
		{full, 9, "more than 9 B", true},
		{empty, 0, "", false},
		{dir, 10, "this is a directory", true},
		{filepath.Join(dir, "none"), 10, "open " + filepath.Join(dir, "none") + ": no such file", true},
	} {
		content, err := ReadFile(test.path, test.limit)
		if (err != nil) != test.fails || err != nil && !strings.Contains(err.Error(), test.want) || err == nil && string(content) != test.want {
			t.Errorf("%s, %d: %q, %v", test.path, test.limit, content, err)
		}
	}
	if _, err := ReadFile(filepath.Join(dir, "none"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// A file that somebody goes on writing to, and one that is huge at once.
func TestEndless(t *testing.T) {
	dir := t.TempDir()
	growing, huge := filepath.Join(dir, "growing"), filepath.Join(dir, "huge")
	file, err := os.Create(growing)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for block := make([]byte, 1<<16); ; {
			select {
			case <-stop:
				return
			default:
			}
			if info, err := file.Stat(); err != nil || info.Size() > 64<<20 {
				_ = file.Truncate(1 << 20) // a disk is not endless
			}
			_, _ = file.Write(block)
		}
	})
	limited := func(path string) {
		err := soon(t, path, func() error {
			_, err := ReadFile(path, 1<<20)
			return err
		})
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), "more than 1.05 MB") {
			t.Errorf("%s: %v", path, err)
		}
	}
	for info, _ := file.Stat(); info.Size() < 2<<20; info, _ = file.Stat() {
		time.Sleep(time.Millisecond)
	}
	limited(growing)
	close(stop)
	writing.Wait()
	if err := errors.Join(file.Close(), os.WriteFile(huge, nil, 0o644), os.Truncate(huge, 1<<40)); err != nil {
		t.Skip(err)
	}
	limited(huge)
}
