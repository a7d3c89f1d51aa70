package sweep_test

import (
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/sweep"
)

func TestDraws(t *testing.T) {
	list := []int{0, 1, 2, 3, 4}
	for _, c := range []struct {
		value string
		draws int
		long  bool
		some  []int
	}{
		{"", 2, false, []int{0, 2, 4}},
		{"0", 2, false, []int{0, 2, 4}},
		{"1", 50, true, list},
		{"3", 150, true, list},
		{"all", 50, true, list},
	} {
		t.Setenv(sweep.Variable, c.value)
		if got := sweep.Draws(t, 2, 50); got != c.draws {
			t.Errorf("%q: %d draws, want %d", c.value, got, c.draws)
		}
		if got := sweep.Long(t); got != c.long {
			t.Errorf("%q: long is %t", c.value, got)
		}
		if got := sweep.All(t); got != (c.value == "all") {
			t.Errorf("%q: all is %t", c.value, got)
		}
		if got := sweep.Some(t, list, 2); !slices.Equal(got, c.some) {
			t.Errorf("%q: %v, want %v", c.value, got, c.some)
		}
	}
}

// TestMistaken: what is no number ends the test that asks, with a word about what is expected.
func TestMistaken(t *testing.T) {
	for _, value := range []string{"yes", "-1", "1.5"} {
		t.Setenv(sweep.Variable, value)
		judge := &recorder{TB: t}
		func() {
			defer func() { _ = recover() }()
			sweep.Draws(judge, 1, 2)
		}()
		if !judge.failed {
			t.Errorf("%q is taken for a number", value)
		}
	}
}

// A recorder notes that a test is ended.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(string, ...any) {
	r.failed = true
	panic("ended")
}
