package target_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/targets"
)

// A poor target expresses all but some kinds.
type poor struct {
	target.Target
	without []loop.Kind
}

func (poor) Name() string { return "poor" }

func (p poor) Expresses(k loop.Kind) bool { return !slices.Contains(p.without, k) }

// TestCheck denies one kind of node after the other: drawn programs that have it are refused by its name, with a way out,
// and no others.
func TestCheck(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	refused := map[loop.Kind]bool{}
	for range 20 {
		f := looptest.WithWhile(random, "drawn")
		kinds := loop.KindsOf(f)
		for _, k := range loop.Kinds() {
			err := target.Check(poor{without: []loop.Kind{k}}, f)
			if !slices.Contains(kinds, k) {
				if err != nil {
					t.Errorf("a program without %s: %v", k, err)
				}
				continue
			}
			var list source.ErrorList
			if !errors.As(err, &list) || len(list) != 1 || list[0].Code != source.NotExpressed {
				t.Fatalf("a program with %s: %v", k, err)
			}
			refused[k] = true
			if d := list[0]; !strings.Contains(d.Message, "the target poor") || !strings.Contains(d.Message, " "+string(k)+",") || !strings.Contains(d.Help, "ricci devices") {
				t.Errorf("the error does not name %s, or no way out: %v; %s", k, d, d.Help)
			}
		}
		if err := target.Check(poor{}, f); err != nil {
			t.Errorf("a target that expresses all: %v", err)
		}
	}
	if len(refused) < 15 {
		t.Errorf("only %d kinds were drawn", len(refused))
	}
}

// TestTargets: the rows have names, extensions and words of their own, are found by name, and print a drawn program.
func TestTargets(t *testing.T) {
	f := looptest.Program(rand.New(rand.NewPCG(1, 2)), "drawn")
	seen := map[string]bool{"": true}
	for _, one := range targets.All() {
		if found, ok := targets.Named(one.Name()); !ok || found != one {
			t.Errorf("%s is not found by its name", one.Name())
		}
		for _, word := range []string{one.Name(), one.About(), one.Extension()} {
			if seen[word] {
				t.Errorf("%s: %q is empty, or that of another target", one.Name(), word)
			}
			seen[word] = true
		}
		if !strings.HasPrefix(one.Extension(), ".") {
			t.Errorf("%s: the extension %s", one.Name(), one.Extension())
		}
		m, err := one.Print(f, target.Options{})
		if err != nil || m.Symbol == "" || !strings.Contains(m.Code, m.Symbol) {
			t.Errorf("%s prints %v (%v)", one.Name(), m, err)
		}
	}
	if _, ok := targets.Named("none"); ok {
		t.Error("there is a target none")
	}
}
