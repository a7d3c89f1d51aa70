package tuned

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/cache"
)

const vectorAdd = `func f {
  size n0 = dim 0 of t0
  in t0: float32[n0]
  in t1: float32[n0]
  out t2: float32[n0]
  for i0 in 0:n0 {
    t2[i0] = t0[i0] + t1[i0]
  }
}
`

func example() *Schedule {
	return &Schedule{
		Name: "add(N=64)", Tree: "domain S0[i0]\nband S0.i0 tile 8\n  band S0.i0 vector 8\n", Seconds: 1e-6, Default: 2.5e-6,
		Configuration: Configuration{
			Version: "v1",
			Program: vectorAdd, Target: "c", Compiler: "gcc 12", Machine: "2 threads",
			Sizes: map[string]int64{"n0": 64}, Strides: map[string][]int{"t0": {-1}, "t1": {2}},
		},
		Space: "default", Point: "a=1 b=2", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

func TestText(t *testing.T) {
	open := example()
	open.Sizes, open.Dynamic, open.Strides = map[string]int64{}, []string{"n0"}, nil
	text := "# two\n\n" + example().Print() + "\n" + open.Print()
	list, err := ParseAll(text)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 {
		t.Fatalf("%d schedules", len(list))
	}
	if d := cmp.Diff(example(), list[0]); d != "" {
		t.Error(d)
	}
	for i, s := range list {
		if err := s.Check(); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	if list[0].Key() == list[1].Key() || list[0].ProgramKey() != list[1].ProgramKey() || list[0].Key() != example().Key() {
		t.Error("the keys do not tell configurations apart")
	}
	if got := example().Summary(); got != "1µs instead of 2.5µs, 2.50 times the default's speed" {
		t.Error(got)
	}
}

func TestTextErrors(t *testing.T) {
	whole := example().Print()
	tests := []struct{ text, message string }{
		{"hello", `line 1: found "hello", expected tuned NAME`},
		{strings.Replace(whole, "target c", "goal c", 1), `line 2: found "goal"`},
		{strings.Replace(whole, "n0=64", "n0=many", 1), `found "n0=many", expected SIZE=N`},
		{strings.Replace(whole, "t1=2", "t1=2,", 1), `found "t1=2,", expected TENSOR=STRIDE`},
		{strings.Replace(whole, "seconds 1e-06", "seconds 0", 1), "does not say how fast it is"},
		{strings.TrimSuffix(whole, "end\n"), "is cut off"},
		{strings.Split(whole, "schedule\n")[0] + "schedule\nend\n", "has no schedule"},
	}
	for _, test := range tests {
		if _, err := ParseAll(test.text); err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("got %v, expected %q", err, test.message)
		}
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Schedule)
	}{
		{"program", func(s *Schedule) { s.Program = "func f {" }},
		{"size missing", func(s *Schedule) { s.Sizes = nil }},
		{"size twice", func(s *Schedule) { s.Dynamic = []string{"n0"} }},
		{"size negative", func(s *Schedule) { s.Sizes = map[string]int64{"n0": -1} }},
		{"tree", func(s *Schedule) { s.Tree = "domain" }},
		{"unchecked", func(s *Schedule) { s.Tree = strings.Replace(s.Tree, "band", "unchecked\nband", 1) }},
		{"misfit", func(s *Schedule) { s.Tree = "domain S0[i0]\nband S0.i0 tile 8\n" }},
	}
	for _, test := range tests {
		s := example()
		test.change(s)
		if s.Check() == nil {
			t.Errorf("%s: accepted", test.name)
		}
	}
}

func newCache(t *testing.T) *cache.Cache {
	t.Helper()
	c, err := cache.At(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestStore(t *testing.T) {
	store := In(newCache(t))
	s := example()
	if !store.Empty() {
		t.Error("a new store is not empty")
	}
	if got, err := store.Get(&s.Configuration); got != nil || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if err := store.Put(s); err != nil {
		t.Fatal(err)
	}
	faster := example()
	faster.Seconds /= 2
	if err := store.Put(faster); err != nil {
		t.Fatal(err)
	}
	got, err := store.Get(&s.Configuration)
	if err != nil || cmp.Diff(faster, got) != "" {
		t.Errorf("got %v, %v", got, err)
	}
	other := s.Configuration
	other.Sizes = map[string]int64{"n0": 65}
	if got, err := store.Get(&other); got != nil || err != nil {
		t.Errorf("for another size: %v, %v", got, err)
	}
	// A file that was damaged, or belongs to something else, is an error and not a schedule.
	for _, text := range []string{"nonsense", strings.Replace(s.Print(), "n0=64", "n0=65", 1)} {
		if err := os.WriteFile(store.path(s.Key()), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := store.Get(&s.Configuration); got != nil || err == nil {
			t.Errorf("from %q: %v, %v", text, got, err)
		}
	}
	if list, err := store.List(); err != nil || len(list) != 1 {
		t.Errorf("the list is %v, %v", list, err)
	}
	if n, err := store.Verify(); n != 1 || err != nil {
		t.Errorf("found %d damaged, %v", n, err)
	}
	if err := store.Put(s); err != nil {
		t.Fatal(err)
	}
	if n, err := store.Verify(); n != 0 || err != nil {
		t.Errorf("found %d damaged, %v", n, err)
	}
	if err := store.Remove(&s.Configuration); err != nil {
		t.Error(err)
	}
	if err := store.Remove(&s.Configuration); err != nil {
		t.Error(err)
	}
	if err := store.Put(s); err != nil {
		t.Fatal(err)
	}
	if n, err := store.Clear(); n != 1 || err != nil {
		t.Errorf("cleared %d, %v", n, err)
	}
	if left, _ := filepath.Glob(filepath.Join(store.Dir(), "*")); left != nil {
		t.Errorf("left: %v", left)
	}
}

// What parses prints the same again.
func FuzzParseAll(f *testing.F) {
	f.Add(example().Print())
	f.Add("tuned a\nseconds 1\ndefault 1\nprogram\n  x\nschedule\n\n  y\nend\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseAll(text)
		if err != nil {
			return
		}
		var again strings.Builder
		for _, s := range list {
			again.WriteString(s.Print())
		}
		second, err := ParseAll(again.String())
		if err != nil {
			t.Fatalf("%v:\n%s", err, again.String())
		}
		var third strings.Builder
		for _, s := range second {
			third.WriteString(s.Print())
		}
		if third.String() != again.String() {
			t.Errorf("printed again:\n%s\nthen\n%s", again.String(), third.String())
		}
	})
}
