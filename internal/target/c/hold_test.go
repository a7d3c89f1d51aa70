package c

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
)

// heldTile is a tile of 4 × 3 products of a type, in vectors of some lanes, whose vectors of Y are held or not.
func heldTile(t *testing.T, element string, lanes int, held bool) *loop.Func {
	t.Helper()
	read := fmt.Sprintf("Y[k * %d + j * %d; %d]", 3*lanes, lanes, lanes)
	if held {
		read = "hold(" + read + ")"
	}
	text := fmt.Sprintf(`kernel "tile" workspace 0 {
  buffer X %[1]s[64] argument readonly
  buffer Y %[1]s[%[3]d] argument readonly
  buffer Z %[1]s[%[4]d] argument
  buffer acc %[1]sx%[2]d[12] register
  buffer y %[1]sx%[2]d[3] register
  params X, Y, Z
  alloc acc {
    unrolled n = 0 .. 12 step 1 { store acc[n] = broadcast(%[1]s(0), %[2]d) }
    for k = 0 .. 16 step 1 {
      alloc y {
        unrolled j = 0 .. 3 step 1 { store y[j] = %[5]s }
        unrolled i = 0 .. 4 step 1 {
          unrolled j.1 = 0 .. 3 step 1 {
            store acc[i * 3 + j.1] = muladd(broadcast(X[i * 16 + k], %[2]d), y[j.1; %[2]d], acc[i * 3 + j.1; %[2]d])
          }
        }
      }
    }
    unrolled n.1 = 0 .. 12 step 1 { store Z[n.1 * %[2]d] = acc[n.1; %[2]d] }
  }
}`, element, lanes, 16*3*lanes, 12*lanes, read)
	f, err := loop.Parse(source.NewFile("tile.loop", text))
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Verify(f); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestHeld runs tiles of several types whose vectors are held: they compute what the evaluator does, and what the same
// tiles without do.
func TestHeld(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 5))
	for _, test := range []struct {
		element string
		lanes   int
		bytes   int // of the registers: shorter ones hold nothing
	}{{"int32", 8, 32}, {"int64", 4, 32}, {"int32", 4, 16}, {"int32", 16, 32}, {"uint32", 16, 64}} {
		f := heldTile(t, test.element, test.lanes, true)
		args := randomArguments(draw, f)
		want, plain := cloneArguments(args), cloneArguments(args)
		if _, err := loop.Evaluate(f, want); err != nil {
			t.Fatal(err)
		}
		if _, err := loop.Evaluate(heldTile(t, test.element, test.lanes, false), plain); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want[2].Bytes, plain[2].Bytes) {
			t.Errorf("%s × %d: what is held has another value", test.element, test.lanes)
		}
		text, err := PrintUnit([]*loop.Func{f}, Options{VectorBytes: test.bytes})
		if err != nil {
			t.Fatal(err)
		}
		for _, compiler := range compilers(t) {
			got := cloneArguments(args)
			build(t, compiler, text).call(t, Symbol(f.Name), argumentBlock(f, got, &[2]int64{}))
			if !bytes.Equal(got[2].Bytes, want[2].Bytes) {
				t.Errorf("%s: %s × %d differs\n%s", compiler, test.element, test.lanes, text)
			}
		}
	}
}

// TestHeldInRegisters: where gcc takes loads into its multiplications, as it does for AMD's Zen 3, it takes none of
// vectors that are held.
func TestHeldInRegisters(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil || runtime.GOARCH != "amd64" {
		t.Skip("no gcc for amd64")
	}
	folded := regexp.MustCompile(`(?m)^\s*vfn?m(add|sub)\d+ps\s.*\(.*$`)
	products := regexp.MustCompile(`(?m)^\s*vfmadd\d+ps\s`)
	text, err := PrintUnit([]*loop.Func{heldTile(t, "float32", 8, true)}, Options{VectorBytes: 32})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	from, to := filepath.Join(dir, "tile.c"), filepath.Join(dir, "tile.s")
	if err := os.WriteFile(from, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(gcc, "-O2", "-std=gnu11", "-ffp-contract=fast", "-mavx2", "-mfma", "-mtune=znver3", "-S", "-o", to, from).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	assembly, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(products.FindAll(assembly, -1)); n < 12 {
		t.Errorf("%d products, expected the 12 of the tile:\n%s", n, assembly)
	}
	if found := folded.FindAll(assembly, -1); len(found) > 0 {
		t.Errorf("products that read memory: %q", found)
	}
}
