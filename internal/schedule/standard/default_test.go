package standard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

func parseFunc(t testing.TB, text string) *ein.Func {
	t.Helper()
	f, err := ein.ParseFunc("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestDefaultGolden compares the default schedules of the functions in testdata, for a machine with
// AVX-512, for one with AVX2, for one with AVX2 of which it is known that some ways of computing are slow, and for one
// with matrix units.
func TestDefaultGolden(t *testing.T) {
	zen3, err := machine.Named("zen3").Processor()
	if err != nil {
		t.Fatal(err)
	}
	for folder, m := range map[string]*machine.Processor{
		"default": {VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2},
		"avx2":    {VectorBytes: 32, VectorRegisters: 16, L1: 32 << 10, L2: 512 << 10, L3: 16 << 20, Cores: 2, Features: []string{"sse2", "avx", "avx2", "fma"}},
		"zen3":    zen3,
		"amx":     {VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2, Features: []string{"avx512bw", "amx_int8", "amx_bf16"}},
	} {
		t.Run(folder, func(t *testing.T) {
			goldentest.Run(t, "testdata/"+folder+"/*.txtar", "tree", 1, func(t *testing.T, inputs []string) string {
				tree, err := Default(parseFunc(t, inputs[0]), m)
				if err != nil {
					t.Fatal(err)
				}
				return schedule.Print(tree)
			})
		})
	}
}

// TestConstantGolden compares the default schedules of convolutions whose filter K keeps
// its contents from call to call.
func TestConstantGolden(t *testing.T) {
	m := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 32 << 10, L2: 1 << 20, L3: 32 << 20, Cores: 2}
	goldentest.Run(t, "testdata/constant/*.txtar", "tree", 1, func(t *testing.T, inputs []string) string {
		tree, err := DefaultFor(parseFunc(t, inputs[0]), m, schedule.Options{Constant: []string{"K"}})
		if err != nil || tree.Fallback != nil {
			t.Fatal(err, tree.Fallback)
		}
		return schedule.Print(tree)
	})
}

// TestDefaultStrides: vectors run along the dimension whose neighbours are adjacent.
func TestDefaultStrides(t *testing.T) {
	f := parseFunc(t, `
func add {
  in A: float32[100, 200]
  out C: float32[100, 200]
  for i in 0:100, j in 0:200 { C[i, j] = A[i, j] + 1f32 }
}`)
	columns := map[string][]int64{"A": {1, 100}, "C": {1, 100}}
	for _, test := range []struct {
		strides map[string][]int64
		want    string
	}{{nil, "S0.j vector 16"}, {columns, "S0.i vector 16"}} {
		tree, err := DefaultFor(f, &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 1}, schedule.Options{Strides: test.strides})
		if err != nil {
			t.Fatal(err)
		}
		if got := schedule.Print(tree); !strings.Contains(got, test.want) {
			t.Errorf("with the strides %v found\n%sexpected %q", test.strides, got, test.want)
		}
	}
}

// TestConvertedPanels: panels of narrow elements have room as what they are converted to.
func TestConvertedPanels(t *testing.T) {
	f := parseFunc(t, `
func convolution {
  in X: bfloat16[1, 128, 30, 30]
  in V: bfloat16[128, 128, 3, 3]
  out Y: float32[1, 128, 28, 28]
  for n in 0:1, f in 0:128, y in 0:28, x in 0:28, c in 0:128 reduce +, r in 0:3 reduce +, s in 0:3 reduce + {
    Y[n, f, y, x] = float32(X[n, c, y + r, x + s]) * float32(V[f, c, r, s])
  }
}`)
	for _, cores := range []int{1, 2} {
		for _, l2 := range []int64{1 << 18, 1 << 20, 2 << 20} {
			tree, err := Default(f, &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: l2, L3: 32 << 20, Cores: cores})
			if err != nil || tree.Fallback != nil {
				t.Errorf("%d cores, %d bytes: %v %v", cores, l2, err, tree.Fallback)
			}
		}
	}
}

// TestColumnsHaveRoom: blocks of columns of several indices have room on the stack, too, where a register
// tile has more points of the first than there would be room for with all of the others.
func TestColumnsHaveRoom(t *testing.T) {
	for _, size := range []struct{ images, channels, filters, points int }{{16, 512, 512, 196}, {8, 1024, 256, 196}, {16, 512, 128, 784}, {4, 2048, 512, 49}, {32, 256, 1024, 196}, {16, 300, 300, 1000}} {
		f := parseFunc(t, fmt.Sprintf(`
func layer {
  in X: float32[%[1]d, %[2]d, %[4]d]
  in K: float32[%[3]d, %[2]d]
  out Y: float32[%[1]d, %[3]d, %[4]d]
  for n in 0:%[1]d, f in 0:%[3]d, x in 0:%[4]d, c in 0:%[2]d reduce + { Y[n, f, x] = X[n, c, x] * K[f, c] }
}`, size.images, size.channels, size.filters, size.points))
		for _, cores := range []int{1, 2} {
			for _, l2 := range []int64{256 << 10, 1 << 20, 2 << 20} {
				for _, constant := range [][]string{nil, {"K"}} {
					m := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: l2, L3: 32 << 20, Cores: cores}
					if tree, err := DefaultFor(f, m, schedule.Options{Constant: constant}); err != nil || tree.Fallback != nil {
						t.Errorf("%v on %d cores with %d bytes, constant %v: %v %v", size, cores, l2, constant, err, tree.Fallback)
					}
				}
			}
		}
	}
}
