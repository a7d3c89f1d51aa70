package loop_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestDrawnGrids: programs of grids without races print and read back, verify, and compute the same in all orders. Where a
// barrier, or a wait for copies, is left out, the evaluator reports what races, or results stay the same in all orders.
func TestDrawnGrids(t *testing.T) {
	races, needless, copies := 0, 0, 0
	for seed := range uint64(sweep.Draws(t, 60, 4000)) {
		f := looptest.Grids(rand.New(rand.NewPCG(seed, 21)), "drawn")
		text := loop.Print(f)
		copies += strings.Count(text, " copy ")
		read, err := loop.Parse(source.NewFile("text", text))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if diff := cmp.Diff(text, loop.Print(read)); diff != "" {
			t.Fatal(diff)
		}
		if err := loop.Verify(read); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		want, err := drawnResults(f, seed, 0)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if got, err := drawnResults(f, seed, 1); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("seed %d: other results in another order (%v)\n%s", seed, err, text)
		}
		for n := range barriers(f.Body, -1) {
			mutant := looptest.Grids(rand.New(rand.NewPCG(seed, 21)), "drawn")
			barriers(mutant.Body, n)
			for order := range uint64(2) {
				got, err := drawnResults(mutant, seed, order)
				switch {
				case errors.Is(err, loop.ErrRace) || errors.Is(err, loop.ErrUndefined):
					races++
				case err != nil:
					t.Fatalf("seed %d: barrier %d left out: %v\n%s", seed, n, err, text)
				case !bytes.Equal(got, want):
					t.Fatalf("seed %d: barrier %d is needed, and nothing is said\n%s", seed, n, text)
				default:
					needless++
				}
			}
		}
	}
	if races < 20 || needless < 20 || copies < 10 {
		t.Errorf("of the mutants %d race, and %d do not; there are %d copies", races, needless, copies)
	}
	t.Logf("of the mutants %d race, and %d do not; there are %d copies", races, needless, copies)
}

// barriers counts the barriers and waits of a program, and leaves the one of a number out.
func barriers(body []loop.Stmt, without int) (n int) {
	for i, s := range body {
		switch s.(type) {
		case *loop.Barrier, *loop.Wait:
			if n == without {
				body[i] = &loop.Comment{Text: "items waited here"}
			}
			n++
		}
		for _, inner := range loop.StmtBodies(s) {
			n += barriers(inner, without-n)
		}
	}
	return n
}

// drawnResults runs a drawn program on bytes that are drawn, too.
func drawnResults(f *loop.Func, seed, order uint64) ([]byte, error) {
	r := rand.New(rand.NewPCG(seed, 22))
	args := make([]loop.Word, len(f.Params))
	for i, p := range f.Params {
		if p.Buffer == nil {
			args[i].Value = int64(r.IntN(20))
			continue
		}
		args[i].Bytes = make([]byte, p.Buffer.Bytes())
		for k := range args[i].Bytes {
			args[i].Bytes[k] = byte(r.Uint32())
		}
	}
	_, err := loop.EvaluateInOrder(context.Background(), f, args, nil, order)
	var all []byte
	for _, a := range args {
		all = append(all, a.Bytes...)
	}
	return all, err
}
