package lower_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// programs calls test for every program in testdata.
func programs(t *testing.T, test func(t *testing.T, p program)) {
	files, err := filepath.Glob("testdata/programs/*.ein")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) { test(t, readProgram(t, string(text))) })
	}
}

func TestCanonical(t *testing.T) {
	programs(t, func(t *testing.T, p program) { verify(t, p, schedule.Canonical(p.f), nil) })
}

func TestDynamic(t *testing.T) {
	programs(t, func(t *testing.T, p program) {
		keep := map[string]bool{}
		for s := range p.sizes {
			keep[s] = true
		}
		verify(t, p, schedule.Canonical(p.f), keep)
	})
}
