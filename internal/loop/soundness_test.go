package loop_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// subscripts lists the places of the subscripts of a program.
func subscripts(f *loop.Func) []*loop.Expr {
	var list []*loop.Expr
	loop.Walk(f.Body, loop.Visitor{
		Stmt: func(s loop.Stmt) {
			if store, ok := s.(*loop.Store); ok {
				list = append(list, &store.Index)
			}
		},
		Expr: func(e loop.Expr) {
			if load, ok := e.(*loop.Load); ok {
				list = append(list, &load.Index)
			}
		},
	})
	return list
}

// shifted adds to a subscript.
func shifted(index loop.Expr, by int64) loop.Expr {
	var step loop.Expr = loop.Int(by)
	if lanes := index.Type().Lanes; lanes > 1 {
		step = &loop.Broadcast{X: step, Lanes: lanes}
	}
	return &loop.Binary{Op: ein.Add, X: index, Y: step}
}

// argumentsOf makes random words for a program; sizes have their values.
func argumentsOf(t *testing.T, f *loop.Func, g *ein.Func, sizes map[string]int64, seed int) []loop.Word {
	t.Helper()
	shapes, err := g.Shapes(sizes)
	if err != nil {
		t.Fatal(err)
	}
	elements := map[string][]byte{}
	for _, x := range g.Tensors {
		n := int64(x.Type.Size())
		for _, extent := range shapes[x.Name] {
			n *= extent
		}
		elements[x.Name] = make([]byte, n)
	}
	args, err := eintest.Arguments(uint64(seed), g, sizes)
	if err != nil {
		t.Fatal(err)
	}
	words := make([]loop.Word, len(f.Params))
	for i, p := range f.Params {
		if p.Buffer == nil {
			words[i].Value = sizes[p.Var.Name]
			continue
		}
		words[i].Bytes = elements[p.Buffer.Name]
		if a := args[p.Buffer.Name]; a != nil {
			k := 0
			for o := range a.Offsets() {
				bits := a.BitsAt(o)
				for range a.DType().Size() {
					words[i].Bytes[k] = byte(bits)
					bits, k = bits>>8, k+1
				}
			}
		}
	}
	return words
}

// TestVerifyIsSound: a program that was changed and still verifies has no access
// out of bounds.
func TestVerifyIsSound(t *testing.T) {
	caught, harmless := 0, 0
	for seed := *first; seed < *first+sweep.Draws(t, 8, 160); seed++ {
		f, sizes := drawn(seed)
		sizes["Z"] = max(1, sizes["Z"]) // a length less one is still a length
		keep := map[string]bool{}
		for _, s := range f.Sizes {
			keep[s.Name] = seed%2 == 1
		}
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		for change := range 3 {
			list, err := kernels(f, sizes, keep, machineOf(seed))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, kernel := range list {
				words := argumentsOf(t, kernel, f, sizes, seed)
				if places := subscripts(kernel); change < 2 && len(places) > 0 {
					at := places[r.IntN(len(places))]
					*at = shifted(*at, int64(1-2*change))
				} else if b := kernel.Buffers[r.IntN(len(kernel.Buffers))]; b.LengthExpr != nil {
					b.LengthExpr = &loop.Binary{Op: ein.Sub, X: b.LengthExpr, Y: loop.Int(1)}
				} else if b.Length > 0 {
					b.Length--
				}
				if loop.Verify(kernel) != nil {
					caught++
					continue
				}
				harmless++
				if _, err := loop.Evaluate(kernel, words); err != nil {
					t.Errorf("seed %d, change %d: the verifier accepts what fails: %v\nsizes %v\n%s", seed, change, err, sizes, loop.Print(kernel))
				}
			}
		}
	}
	t.Logf("%d changed kernels refused, %d accepted", caught, harmless)
}

// TestVerifyAcceptsMaskedGather: the mask says that no lane of a modulo is before
// the first row.
func TestVerifyAcceptsMaskedGather(t *testing.T) {
	const body = `for i = 0 .. 4 step 2 {
		let m boolx2 = ramp(i - 1, 1, 2) >= broadcast(0, 2)
		store B[i] = fold(+, A[ramp(i - 1, 1, 2) * broadcast(2, 2) + ramp(i, 1, 2) % broadcast(2, 2); 2; mask m])
	}`
	if err := loop.Verify(parse(t, testHead, body)); err != nil {
		t.Error(err)
	}
}
