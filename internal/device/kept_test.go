package device

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/target"
)

// A counter is a device whose objects are numbered.
type counter struct {
	Device
	identity string
	compiled int
	err      error
}

func (c *counter) Identity() string { return c.identity }

func (c *counter) Compile(_ context.Context, m *target.Module, _ CompileOptions) ([]byte, error) {
	c.compiled++
	return fmt.Appendf(nil, "%s %d", m.Code, c.compiled), c.err
}

func openCache(t *testing.T) *cache.Cache {
	t.Helper()
	c, err := cache.Open(t.TempDir(), func(n string) { t.Errorf("notice: %s", n) })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestKept says what is compiled and what is used, for one use after the other of the same module.
func TestKept(t *testing.T) {
	damaged, lost := errors.New("cannot be loaded"), Lost("card", errors.New("gone"))
	tests := []struct {
		name    string
		cached  bool
		results []error // of the uses of objects
		uses    int     // of modules
		used    []string
		last    error
	}{
		{"nothing is kept", false, nil, 2, []string{"code 1", "code 2"}, nil},
		{"kept", true, nil, 2, []string{"code 1", "code 1"}, nil},
		{"a damaged object is made anew", true, []error{nil, damaged}, 3, []string{"code 1", "code 1", "code 2", "code 2"}, nil},
		{"what was made just now is damaged", true, []error{damaged}, 1, []string{"code 1"}, damaged},
		{"an unproven device passes", true, []error{nil, ErrUnproven}, 2, []string{"code 1", "code 1"}, ErrUnproven},
		{"an unproven device passes in company", true, []error{nil, errors.Join(damaged, ErrUnproven)}, 2, []string{"code 1", "code 1"}, ErrUnproven},
		{"a lost device is not asked again", true, []error{nil, lost}, 2, []string{"code 1", "code 1"}, ErrLost},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			device := &counter{identity: "one"}
			kept := Kept{Device: device}
			if test.cached {
				kept.Cache = openCache(t)
			}
			var used []string
			var last error
			for range test.uses {
				var entry *cache.Entry
				entry, last = kept.Use(t.Context(), "name", &target.Module{Code: "code"}, CompileOptions{}, func(object []byte) error {
					used = append(used, string(object))
					if n := len(used) - 1; n < len(test.results) {
						return test.results[n]
					}
					return nil
				})
				if last == nil && (entry != nil) != test.cached {
					t.Errorf("the entry is %v", entry)
				}
			}
			if !slices.Equal(used, test.used) || !errors.Is(last, test.last) {
				t.Errorf("used %q, and the last use gives %v; expected %q and %v", used, last, test.used, test.last)
			}
		})
	}
}

// TestKeptKey: another code or another device is another object, and what cannot be compiled is not used.
func TestKeptKey(t *testing.T) {
	c := openCache(t)
	one, two := &counter{identity: "one"}, &counter{identity: "two"}
	use := func(d *counter, code string) (used string, err error) {
		_, err = Kept{Device: d, Cache: c}.Use(t.Context(), "name", &target.Module{Code: code}, CompileOptions{}, func(object []byte) error {
			used = string(object)
			return nil
		})
		return used, err
	}
	for _, step := range []struct {
		device     *counter
		code, want string
	}{{one, "a", "a 1"}, {one, "b", "b 2"}, {two, "a", "a 1"}, {one, "a", "a 1"}, {two, "b", "b 2"}, {one, "b", "b 2"}} {
		if used, err := use(step.device, step.code); used != step.want || err != nil {
			t.Errorf("%s on %s is %q (%v), expected %q", step.code, step.device.identity, used, err, step.want)
		}
	}
	one.err = &RefusedError{Message: "no"}
	var refused *RefusedError
	if used, err := use(one, "c"); used != "" || !errors.As(err, &refused) {
		t.Errorf("a refused module is used as %q (%v)", used, err)
	}
	if used, err := use(one, "c"); used != "" || err == nil || one.compiled != 4 {
		t.Errorf("a refused module is kept as %q (%v)", used, err)
	}
}
