package loop

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// whileText counts how often x = x·x + c stays below 4, at most 50 times.
const whileText = `kernel "escape" workspace 0 {
	buffer C float32[4] argument readonly
	buffer N int32[4] argument
	buffer x float32[1] register
	buffer n int32[1] register
	params C, N
	for i = 0 .. 4 step 1 {
		alloc x {
			alloc n {
				store x[0] = float32(0)
				store n[0] = int32(0)
				while x[0] < float32(4) && n[0] < int32(50) {
					store x[0] = x[0] * x[0] + C[i]
					store n[0] = n[0] + int32(1)
				}
				store N[i] = n[0]
			}
		}
	}
}`

// TestWhile evaluates a loop whose turns differ, and one that the context ends.
func TestWhile(t *testing.T) {
	f, err := Parse(source.NewFile("while", whileText))
	if err != nil {
		t.Fatal(err)
	}
	if err := Verify(f); err != nil {
		t.Fatal(err)
	}
	run := func(ctx context.Context, constants ...float32) ([]int, error) {
		in, out := make([]byte, 16), make([]byte, 16)
		for k, c := range constants {
			binary.NativeEndian.PutUint32(in[4*k:], math.Float32bits(c))
		}
		_, err := EvaluateWithin(ctx, f, []Word{{Bytes: in}, {Bytes: out}}, nil)
		var counts []int
		for k := range constants {
			counts = append(counts, int(binary.NativeEndian.Uint32(out[4*k:])))
		}
		return counts, err
	}
	got, err := run(context.Background(), 4, 1, -1, 0.5)
	for k, want := range []int{1, 3, 50, 6} {
		if err != nil || got[k] != want {
			t.Fatalf("%v turns, expected 1, 3, 50 and 6: %v", got, err)
		}
	}
	f.Body = []Stmt{&While{Cond: &Const{Elem: tensor.Bool, Bits: 1}, Body: f.Body}}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	if _, err := run(ctx, 0, 0, 0, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a loop without an end gives %v after the end of its context", err)
	}
	err = func() (err error) {
		defer source.RecoverInternal("evaluator", &err)
		(&evaluator{f: f, context: context.Background(), mostTurns: 3}).block([]Stmt{&While{Cond: &Const{Elem: tensor.Bool, Bits: 1}}})
		return nil
	}()
	if err == nil || !strings.Contains(err.Error(), "a loop has run 3 times, as long as the evaluator waits, and true still holds") {
		t.Errorf("a loop of more than 3 turns gives %v", err)
	}
}
