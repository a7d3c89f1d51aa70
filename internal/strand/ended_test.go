package strand_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// falling reads outside of a sequence in its third step.
const falling = `strand s real float32 int int32 {
  temp n: int
  temp k0: int
  param i: int
  output k: int
  state list: real{3}
  temp x: real
  create array for n = 0i32 to 1i32, k0 = 0i32 to 3i32 new (n * 4i32 + k0)
  begin { k = 0i32 list.0 = 1f32 list.1 = 2f32 list.2 = 3f32 }
  update { element x of list at k + i / 6i32 k = k + 1i32 }
}`

// TestFault asks for all that a fault says, and that a world takes no step after it.
func TestFault(t *testing.T) {
	for _, bsp := range []bool{true, false} {
		ctx := context.Background()
		w, err := strand.NewWorld(ctx, parse(t, falling), strand.Given{}, strand.Options{ForceBSP: bsp})
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Run(ctx, 0)
		var fault *strand.Fault
		var said *source.Diagnostic
		if !errors.As(err, &fault) || !errors.As(err, &said) {
			t.Fatal(err)
		}
		if fault.Strand != 6 || fault.Step != 3 || !slices.Equal(fault.Grid, []int{1, 2}) || fault.IsInterrupt() {
			t.Errorf("%+v", fault)
		}
		if said.Code != source.StrandElement || !said.Span.IsValid() || said.Help == "" {
			t.Errorf("%+v", said)
		}
		for what, call := range map[string]func() error{
			"Step":     func() error { return w.Step(ctx) },
			"Run":      func() error { _, err := w.Run(ctx, 9); return err },
			"Outputs":  func() error { _, err := w.Outputs(); return err },
			"Snapshot": func() error { _, err := w.Snapshot(); return err },
		} {
			if err := call(); !errors.As(err, &said) || said.Code != source.StrandEnded || !strings.Contains(said.Notes[0].Message, "strand 6") {
				t.Errorf("%s after a fault: %v", what, err)
			}
		}
	}
}

const endless = `strand s real float32 int int32 {
  temp n: int
  param i: int
  output k: int
  create array for n = 0i32 to 1i32 new (n)
  begin { k = i }
  update { for n = 0i32 to 2000000000i32 { k = n } }
}`

// TestInterrupt ends a context in the middle of a step, and before one.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	w, err := strand.NewWorld(ctx, parse(t, endless), strand.Given{}, strand.Options{Order: func(n int) []int {
		cancel() // a step has begun
		order := make([]int, n)
		for k := range order {
			order[k] = k
		}
		return order
	}})
	if err != nil {
		t.Fatal(err)
	}
	var fault *strand.Fault
	if err := w.Step(ctx); !errors.As(err, &fault) || !fault.IsInterrupt() || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if w.Ended() == nil {
		t.Error("a world goes on after half a step")
	}
	if w, err = strand.NewWorld(context.Background(), parse(t, falling), strand.Given{}, strand.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Step(ctx); !errors.Is(err, context.Canceled) || w.Ended() != nil || w.Steps() != 0 {
		t.Errorf("before a step: %v, %v", err, w.Ended())
	}
	if err := w.Step(context.Background()); err != nil {
		t.Error(err)
	}
}
