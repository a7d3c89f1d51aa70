package cuda

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/source"
)

// givenBlock is a program whose groups have 100 KiB of local memory, more than kernels of CUDA can declare.
const givenBlock = `kernel "given" workspace 0 {
  buffer X float32[16384] argument readonly
  buffer Y float32[16384] argument
  buffer odd float32[3] local
  buffer first float32[9000] local
  buffer other float32[16596] local
  params X, Y
  grid groups g = 2 items i = 4 local odd, first, other {
    if i < 3 {
      store odd[i] = X[g * 8192 + i]
    }
    for k = 0 .. 2048 step 1 {
      store first[808 + k * 4 + i] = X[g * 8192 + k * 4 + i]
      store other[8404 + k * 4 + i] = X[g * 8192 + k * 4 + i]
    }
    barrier
    for n = 0 .. 2048 step 1 {
      store Y[g * 8192 + n * 4 + i] = (first[8999 - n * 4 - i] + other[8404 + n * 4 + (3 - i)]) * odd[(n + i) % 3]
    }
  }
}
`

// TestDynamic runs a program whose local memory launches give, and texts in which a block lies where another one does, or behind the end.
func TestDynamic(t *testing.T) {
	f, err := loop.Parse(source.NewFile("given.loop", givenBlock))
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Verify(f); err != nil {
		t.Fatal(err)
	}
	if g := loop.Grids(f)[0]; g.DynamicBytes() != 102400 {
		t.Fatalf("a launch gives %d bytes, expected 100 KiB", g.DynamicBytes())
	}
	mutants := []struct{ name, old, new string }{
		{"as it is", "", ""},
		{"a block where another one lies", "r_dynamic + 36016", "r_dynamic + 16"},
		{"a block that begins too late", "r_dynamic + 36016", "r_dynamic + 36032"},
		{"a block that begins too early", "r_dynamic + 0", "r_dynamic - 1"},
	}
	list := make([]*loop.Func, len(mutants))
	for i := range list {
		list[i] = f
	}
	text := 0
	programs := compileShim(t, list, func(_ *loop.Func, code string) string {
		m := mutants[text]
		text++
		if !strings.Contains(code, m.old) {
			t.Fatalf("%s: there is no %q in\n%s", m.name, m.old, code)
		}
		return strings.Replace(code, m.old, m.new, 1)
	})
	words := looptest.Arguments(rand.New(rand.NewPCG(1, 1)), f)
	for i, m := range mutants {
		if err := compare(t, programs[i], words); (err == nil) != (m.old == "") {
			t.Errorf("%s: %s", m.name, strings.SplitN(fmt.Sprint(err), "\n", 2)[0])
		}
	}
}
