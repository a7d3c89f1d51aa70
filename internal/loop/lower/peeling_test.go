package lower_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// misplaced runs a lowered function on the machine several times, with its result so many
// elements behind a line of the cache. Nothing beside the result may change.
func misplaced(by ...int) runner {
	return func(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
		t.Helper()
		const mark, room = 0xa5, 64
		entry := kernel(t, f, "-O2")
		outputs := p.outputs(t, args)
		for _, n := range by {
			block, fault := p.block(f, args, outputs, make([]byte, 64))
			var copies []func()
			for k, w := range f.Params {
				if w.Buffer == nil || outputs[w.Buffer.Name] == nil {
					continue
				}
				a := outputs[w.Buffer.Name]
				bytes := int(a.Len()) * a.DType().Size()
				memory := make([]byte, bytes+4*room)
				for i := range memory {
					memory[i] = mark
				}
				at := int(-uintptr(unsafe.Pointer(&memory[0]))&(room-1)) + room + n*a.DType().Size()%room
				block[loop.HeaderWords+k] = uint64(uintptr(unsafe.Pointer(&memory[at])))
				copies = append(copies, func() {
					copy(unsafe.Slice((*byte)(a.Pointer()), bytes), memory[at:])
					if slices.ContainsFunc(slices.Concat(memory[:at], memory[at+bytes:]), func(b byte) bool { return b != mark }) {
						t.Errorf("%d elements behind a line: something beside the result has changed", n)
					}
				})
			}
			if entry.Call((*int64)(unsafe.Pointer(&block[0]))) != 0 {
				return outputs, false
			}
			runtime.KeepAlive(fault)
			for _, back := range copies {
				back()
			}
		}
		return outputs, true
	}
}

// TestRowsAtLines runs rows that stream, of many lengths and types, in tiles and without, which
// begin anywhere: their heads are of all lengths.
func TestRowsAtLines(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 5))
	heads := 0
	for range 12 {
		lanes := []int{4, 8, 16}[draw.IntN(3)]
		rows, columns := 1+draw.IntN(4), 1+draw.IntN(20*lanes)
		p := readProgram(t, fmt.Sprintf(`# sizes n=%d m=%d
func rows {
  size n = dim 0 of X
  size m = dim 1 of Z
  in X: %[3]s[n, m + 2]
  in Z: %[3]s[n, m]
  out Y: %[3]s[n, m]
  for i in 0:n, j in 0:m { Y[i, j] = X[i, j] + X[i, j + 2i64] + Z[i, j] }
}`, rows, columns, []string{"float32", "float64", "int16", "int8"}[draw.IntN(4)]))
		tile := []string{"", fmt.Sprintf(" | S0.j tile %d", lanes*(4+draw.IntN(3)))}[draw.IntN(2)]
		tree, err := schedule.Parse(fmt.Sprintf("domain S0[i, j]\nband S0.i%s | S0.j vector %d stream\n", tile, lanes))
		if err != nil {
			t.Fatal(err)
		}
		for _, keep := range []map[string]bool{nil, {"n": true, "m": true}} {
			verify(t, p, tree, keep, evaluate)
			verify(t, p, tree, keep, func(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
				if strings.Contains(loop.Print(f), "lead(") {
					heads++
				}
				return misplaced(0, 1, lanes-1, 1+draw.IntN(15))(t, p, f, args)
			})
		}
	}
	if heads < 8 {
		t.Errorf("%d of 24 programs have heads", heads)
	}
}

// TestRowsOfCopies runs rows that stream, and read copies of blocks that are padded, whether how many
// points they have is known or not.
func TestRowsOfCopies(t *testing.T) {
	for _, text := range []string{`
func rows {
  in X: float64[5, 31]
  in Z: float64[31]
  out Y: float64[5, 31]
  for i in 0:5, j in 0:31 { Y[i, j] = X[i, j] + Z[j] }
}
domain S0[i, j]
band S0.i
  band S0.j tile 16 pad
    place Z private
      band S0.j vector 4 stream
`, `
func planes {
  in X: float32[3, 82, 5]
  out Y: float32[5, 3, 82]
  for k in 0:5, i in 0:3, j in 0:82 { Y[k, i, j] = X[i, j, k] }
}
domain S0[k, i, j]
band S0.i | S0.j tile 46
  place X private
    band S0.k | S0.j vector 4 stream
`, `
func pieces {
  in X: float32[291]
  out Y: float32[291]
  for i in 0:291 { Y[i] = X[i] * X[i] }
}
domain S0[i]
band S0.i tile 2
  band S0.i tile 4
    place X workspace
      band S0.i vector 16 stream
`} {
		at := strings.Index(text, "domain")
		p := readProgram(t, text[:at])
		tree, err := schedule.Parse(text[at:])
		if err != nil {
			t.Fatal(err)
		}
		verify(t, p, tree, nil, evaluate)
		if p.f.Name != "pieces" { // which has a workspace
			verify(t, p, tree, nil, misplaced(0, 1, 3, 5))
		}
	}
}
