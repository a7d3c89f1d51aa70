package native_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/native"
	"github.com/ricci-lang/ricci/internal/strand/ordering"
	"github.com/ricci-lang/ricci/internal/strand/strandtest"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// onItems are the options of a world on a device that runs strands by items.
func onItems(t testing.TB, name string, mode numerics.Mode) native.Options {
	t.Helper()
	o := on(t, name, 1, mode)
	m, err := machine.Named("opencl").Scheduled()
	if err != nil {
		t.Fatal(err)
	}
	o.Machine = m
	return o
}

// TestItems: drawn programs whose strands do not notice each other are the same where items run strands: in the evaluator of loops, which
// reports races, and by a driver of OpenCL.
func TestItems(t *testing.T) {
	devices := map[string]native.Options{"evaluator": onItems(t, "evaluator", numerics.Strict)}
	t.Run("driver", func(t *testing.T) { devices["opencl"] = onItems(t, "opencl", numerics.Strict) })
	ran, faults := 0, 0
	for seed := range uint64(sweep.Draws(t, 32, 1000)) {
		p, given := strandtest.Program(rand.New(rand.NewPCG(seed, 30)))
		for name, o := range devices {
			if name == "opencl" && seed%32 != 7 { // its compiler takes a second
				continue
			}
			o.Block, o.Room = []int{1, 4, 64}[seed%3], int(seed%2)
			what := compare(t, p, given, 0, o)
			if ran++; strings.Contains(what, "is probed") {
				faults++
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if faults < 3 {
		t.Errorf("of %d runs %d have a fault", ran, faults)
	}
}

// communicating are changes by which strands notice each other, and what is said of them.
var communicating = map[string]string{
	"count x of active": "ask how many there are",
	"new (i)":           "create others",
	"stabilize\n  }\n  global update {\n    all stabilize": "have a global block that runs between their super-steps",
}

// TestItemsRefuse: programs whose strands notice each other do not run there, and say why; those of which no kernel runs neither.
func TestItemsRefuse(t *testing.T) {
	o := onItems(t, "evaluator", numerics.Strict)
	for change, how := range communicating {
		p := strandtest.Parse(t, strings.Replace(counting, "stabilize", change, 1))
		_, err := native.New(context.Background(), p, strand.Given{}, o)
		refused(t, err, source.StrandDevice, "does not run on evaluator, where each strand is an item of its own: its strands "+how)
	}
	p := strandtest.Parse(t, counting)
	for _, c := range []struct {
		order ordering.Order
		what  string
	}{{ordering.Order{Lanes: 4}, "packets of 4 strands, and an item"}, {ordering.Order{Block: 1 << 12}, "blocks of 4096 strands, and a group of the device has at most"}} {
		o.Order = c.order
		_, err := native.New(context.Background(), p, strand.Given{}, o)
		refused(t, err, source.StrandOrder, c.what)
	}
	early := compile.Options{Device: "evaluator", Machine: machine.Named("opencl").Text()}
	_, err := native.Start(context.Background(), p, strand.Given{}, strand.Options{ShowStable: true}, early)
	refused(t, err, source.StrandDevice, "strands see others as these end")
}

// counting is a program of which one statement is to be replaced.
const counting = `strand s real float32 int int32 {
  param i: int
  output x: int
  temp k: int
  create collection for k = 0i32 to 9i32 new (k)
  begin {
    x = i
  }
  update {
    stabilize
  }
}
`

// refused tests an error of one diagnostic.
func refused(t *testing.T, err error, code source.Code, what string) {
	t.Helper()
	var list source.ErrorList
	if !errors.As(err, &list) || len(list) != 1 || list[0].Code != code || !strings.Contains(list[0].Message, what) || list[0].Help == "" {
		t.Errorf("got %v, expected %s: %s", err, code, what)
	}
}
