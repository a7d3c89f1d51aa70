package strand_test

import (
	"context"
	"errors"
	"fmt"
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

// slow prints, makes strands and lists, and takes some thousand turns of a loop for a step.
const slow = `strand s real float32 int int32 {
  temp n: int
  temp x: int
  param i: int
  output k: int
  output list: int{}
  create collection for n = 0i32 to 3i32 new (n)
  begin { k = i build list () }
  update {
    for n = 0i32 to 3000i32 { x = n }
    build list (list, [k])
    k = k + 1i32
    print (i, " ", k, "\n")
    if k == 2i32 { new (i + 10i32) }
    if k >= 5i32 { stabilize }
  }
}`

// TestInterrupt ends a context in the middle of every step, and before one: the world is as it was before, and goes on to the results
// that it has without interrupts.
func TestInterrupt(t *testing.T) {
	for _, bsp := range []bool{true, false} {
		run := func(interrupts bool) (outputs, printed string, count int) {
			cancel, left := func() {}, 0
			var text strings.Builder
			w, err := strand.NewWorld(context.Background(), parse(t, slow), strand.Given{}, strand.Options{ForceBSP: bsp, Print: &text, Order: func(n int) []int {
				order := make([]int, n)
				for k := range order {
					order[k] = k
				}
				if left++; interrupts && left%2 == 1 {
					cancel() // a step has begun
				}
				return order
			}})
			if err != nil {
				t.Fatal(err)
			}
			for range 100 {
				var ctx context.Context
				ctx, cancel = context.WithCancel(context.Background())
				before := w.Steps()
				_, err = w.Run(ctx, 0)
				cancel()
				if err == nil {
					break
				}
				var fault *strand.Fault
				if count++; !errors.As(err, &fault) || !fault.IsInterrupt() || !errors.Is(err, context.Canceled) || w.Ended() != nil || w.Steps() < before {
					t.Fatalf("%v, ended by %v after %d steps", err, w.Ended(), w.Steps())
				}
			}
			if err := w.Step(ended()); !errors.Is(err, context.Canceled) || w.Ended() != nil {
				t.Errorf("before a step: %v, %v", err, w.Ended())
			}
			list, err := w.Outputs()
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(numbers(t, list[0]), numbers(t, list[1]), w.Steps()), text.String(), count
		}
		want, printed, _ := run(false)
		got, again, count := run(true)
		if got != want || again != printed || count == 0 || printed == "" {
			t.Errorf("super-steps %v: %s after %d interrupts, expected %s; printed\n%s, expected\n%s", bsp, got, count, want, again, printed)
		}
	}
}

// ended is a context that has ended.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
