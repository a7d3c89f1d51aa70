package cuda

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/source"
)

const ahead = `kernel "ahead" workspace 0 {
  buffer X float32[96] argument readonly
  buffer H float16[48] argument readonly
  buffer S float32[96] argument
  buffer Z float16[48] argument
  buffer tile float32[48] local
  buffer half float16[24] local
  params X, H, S, Z
  grid groups g = 2 items i = 4 local tile, half {
    for s = 0 .. 2 step 1 {
      copy tile[s * 16 + i * 4] = X[g * 48 + s * 16 + i * 4; 4]
      copy half[s * 8 + i * 2] = H[g * 24 + s * 8 + i * 2; 2]
      commit
    }
    for k = 0 .. 3 step 1 {
      wait 1
      barrier
      if k + 2 < 3 {
        copy tile[(k + 2) % 3 * 16 + i * 4] = X[g * 48 + (k + 2) * 16 + i * 4; 4]
        copy half[(k + 2) % 3 * 8 + i * 2] = H[g * 24 + (k + 2) * 8 + i * 2; 2]
      }
      commit
      store S[g * 48 + k * 16 + i * 4; mask ramp(i, 1, 4) < broadcast(6, 4)] = tile[k % 3 * 16 + (3 - i) * 4; 4]
      store Z[g * 24 + k * 8 + i * 2] = half[k % 3 * 8 + (3 - i) * 2]
    }
  }
}
`

// TestCopies runs copies ahead, and texts in which a wait, a batch or a barrier is missing.
func TestCopies(t *testing.T) {
	f, err := loop.Parse(source.NewFile("ahead.loop", ahead))
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Verify(f); err != nil {
		t.Fatal(err)
	}
	mutants := []struct{ name, old, new string }{
		{"as it is", "", ""},
		{"without the wait", "    r_wait<1>();\n", ""},
		{"a wait for one batch less", "r_wait<1>()", "r_wait<2>()"},
		{"without a commit", "    r_commit();\n  }\n  for", "  }\n  for"},
		{"without the barrier", "    __syncthreads();\n", ""},
		{"where others still read", "r_mod_i64(k + 2, 3)", "k"},
	}
	list := make([]*loop.Func, len(mutants))
	for i := range list {
		list[i] = f
	}
	next := 0
	programs := compileShim(t, list, func(_ *loop.Func, text string) string {
		m := mutants[next]
		next++
		changed := strings.Replace(text, m.old, m.new, 1)
		if m.old != "" && changed == text {
			t.Errorf("%s: there is no %q in\n%s", m.name, m.old, text)
		}
		return changed
	})
	words := looptest.Arguments(rand.New(rand.NewPCG(1, 2)), f)
	for i, m := range mutants {
		if err := compare(t, programs[i], words); (err == nil) != (m.old == "") {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}
