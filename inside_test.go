package ricci_test

import (
	"errors"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/inside"
	"github.com/ricci-lang/ricci/internal/source"
)

// Ricci's own packages see what is behind a def, its options and strands; anything else is a defect.
func TestInside(t *testing.T) {
	program := ricci.MustParse("s.diderot", "strand S(int i) { output int o = i; update { stabilize; } } initially [ S(i) | i in 0..2 ];")
	if got := inside.Of(program.Strands()); got.Program.Name != "S" || got.Directory != "." {
		t.Errorf("the program of strands is %s in %s", got.Program.Name, got.Directory)
	}
	def := ricci.MustParse("f.tc", "def f(float(N) A) -> (B) { B(i) = A(i) }").MustDef("f")
	if got := inside.Def(def); got.Name != "f" {
		t.Errorf("the def is %s", got.Name)
	}
	if got := inside.Options(ricci.Options{Threads: 3}); got.Threads != 3 {
		t.Errorf("%d threads", got.Threads)
	}
	for _, open := range []func(){
		func() { inside.Of(def) },
		func() { inside.Def(program) },
		func() { inside.Options(&ricci.Options{}) },
		func() { inside.Leave(inside.Faces{}) },
	} {
		if !isDefect(open) {
			t.Error("a value of another type was opened, or the functions were left twice")
		}
	}
}

func isDefect(f func()) (is bool) {
	defer func() {
		err, isError := recover().(error)
		var defect *source.InternalError
		is = isError && errors.As(err, &defect)
	}()
	f()
	return false
}
