package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
)

// TestWoven computes pictures of two to five channels, each by a statement or all by one, by the
// default schedules. Some channels read what others write, some are missing, some are reversed;
// pictures may be followed by another one that reads them.
func TestWoven(t *testing.T) {
	draw := rand.New(rand.NewPCG(8, 1))
	woven, programs := 0, 120
	if testing.Short() {
		programs = 40
	}
	for range programs {
		text, wide := drawChannels(draw)
		p := readProgram(t, text)
		for _, m := range []*machine.Processor{
			{VectorBytes: 16, VectorRegisters: 16, L1: 32 << 10, L2: 128 << 10, L3: 1 << 20, Cores: 2},
			{VectorBytes: 64, VectorRegisters: 32, Features: []string{"avx512f", "avx512bw"}, L1: 48 << 10, L2: 2 << 20, L3: 1 << 22, Cores: 1 + draw.IntN(2)},
		} {
			tree, err := standard.Default(p.f, m)
			if err != nil {
				t.Fatal(err)
			}
			f, err := lower.Lower(p.f, tree, lower.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if wide && isWoven(f.Body) {
				woven++
			}
			verify(t, p, tree, nil, evaluate)
		}
	}
	if woven < programs/4 {
		t.Errorf("%d of %d programs are woven", woven, 2*programs)
	}
	t.Logf("%d of %d programs are woven", woven, 2*programs)
}

// isWoven reports whether two stores with lanes apart follow each other.
func isWoven(list []loop.Stmt) bool {
	found, apart := false, false
	for _, s := range list {
		store, ok := s.(*loop.Store)
		if ok {
			ramp, isRamp := store.Index.(*loop.Ramp)
			ok = isRamp && ramp.Stride > 1
		}
		found = found || ok && apart
		apart = ok
		for _, b := range loop.StmtBodies(s) {
			found = found || isWoven(b)
		}
	}
	return found
}

// drawChannels draws a program; wide tells of one of which vectors can be woven.
func drawChannels(draw *rand.Rand) (text string, wide bool) {
	h, w, n := 1+draw.IntN(3), 3+draw.IntN(90), 2+draw.IntN(4)
	kind := []string{"uint8", "int16", "float32", "float64"}[draw.IntN(4)]
	value := func(c string) string {
		list := []string{
			fmt.Sprintf("A[y, x, %s]", c),
			fmt.Sprintf("A[y, x, %s] * A[y, x, 0i64]", c),
			fmt.Sprintf("A[y, x, %di64 - %s] + B[y, x]", n-1, c),
			fmt.Sprintf("B[y, x] - A[y, x, %di64]", draw.IntN(n)),
		}
		return list[draw.IntN(len(list))]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nfunc channels {\n  in A: %s[%d, %d, %d]\n  in B: %[1]s[%[2]d, %[3]d]\n  out O: %[1]s[%[2]d, %[3]d, %[4]d]\n", kind, h, w, n)
	follows := draw.IntN(4) == 0
	if follows {
		fmt.Fprintf(&b, "  out P: %s[%d, %d, %d]\n", kind, h, w, n)
	}
	wide = n <= 4
	loops := fmt.Sprintf("for y in 0:%d, x in 0:%d", h, w)
	if draw.IntN(2) == 0 {
		fmt.Fprintf(&b, "  %s, c in 0:%d { O[y, x, c] = %s }\n", loops, n, value("c"))
	} else {
		for _, c := range draw.Perm(n) {
			fmt.Fprintf(&b, "  %s { O[y, x, %di64] = %s }\n", loops, c, value(fmt.Sprintf("%di64", c)))
		}
	}
	if draw.IntN(4) == 0 { // channels that read others
		from, to := draw.IntN(n), draw.IntN(n)
		fmt.Fprintf(&b, "  %s { O[y, x, %di64] = O[y, x, %di64] + B[y, x] }\n", loops, to, from)
	}
	if follows {
		fmt.Fprintf(&b, "  %s, c in 0:%d { P[y, x, c] = O[y, x, %di64 - c] + B[y, x] }\n", loops, n, n-1)
	}
	b.WriteString("}")
	return b.String(), wide
}

// TestWovenApart keeps loops apart of which one reads at other points what another writes, and
// joins those that read another buffer.
func TestWovenApart(t *testing.T) {
	for value, want := range map[string]bool{"O[y, 39i64 - x, 0i64]": false, "A[y, 39i64 - x, 0i64]": true} {
		p := readProgram(t, fmt.Sprintf(`
func apart {
  in A: float32[3, 40, 2]
  out O: float32[3, 40, 2]
  for y in 0:3, x in 0:40 { O[y, x, 0i64] = A[y, x, 1i64] }
  for y in 0:3, x in 0:40 { O[y, x, 1i64] = %s }
}`, value))
		tree, err := schedule.Parse(`domain S0[y, x]; S1[y, x]
band S0.y S1.y
  sequence
    filter S0
      band S0.x vector 8
    filter S1
      band S1.x vector 8
`)
		if err != nil {
			t.Fatal(err)
		}
		f, err := lower.Lower(p.f, tree, lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := isWoven(f.Body); got != want {
			t.Errorf("%s: woven is %t, want %t\n%s", value, got, want, loop.Print(f))
		}
		verify(t, p, tree, nil, evaluate)
	}
}
