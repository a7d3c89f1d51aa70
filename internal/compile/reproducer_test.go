package compile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
)

func TestReproducer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "copy.tc")
	if err := os.WriteFile(path, []byte("def copy(float(N) A) -> (B) { B(i) = A(i) }"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	job := &Job{Def: defsOf(t, path)[0], Sizes: map[string]int64{"N": 3}, Options: Options{CacheDir: dir}}
	defect := source.Internalf("lower", source.Span{}, "a test")
	err := SaveReproducer(defect, job)
	saved, _ := filepath.Glob(filepath.Join(dir, "reproducers", "reproducer-*.tc"))
	var internal *source.InternalError
	if !errors.As(err, &internal) || len(saved) != 1 || !strings.Contains(err.Error(), saved[0]) {
		t.Fatalf("%v, files %v", err, saved)
	}
	text, err := os.ReadFile(saved[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(defsOf(t, saved[0])) != 1 || !strings.Contains(string(text), "sizes map[N:3]") {
		t.Errorf("the reproducer is no program: %v\n%s", err, text)
	}
	if err := SaveReproducer(os.ErrClosed, job); err != os.ErrClosed {
		t.Errorf("another error became %v", err)
	}
}
