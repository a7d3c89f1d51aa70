package session_test

import (
	"context"
	"testing"

	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/strandtest"
)

// TestOnly runs some strands alone: they keep their numbers, and are what they are among all.
func TestOnly(t *testing.T) {
	p := strandtest.Parse(t, counting)
	run := func(only []int) []*strand.Output {
		w, err := strand.NewWorld(context.Background(), p, strand.Given{}, strand.Options{Only: only})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Run(context.Background(), 0); err != nil {
			t.Fatal(err)
		}
		outputs, err := w.Outputs()
		if err != nil {
			t.Fatal(err)
		}
		return outputs
	}
	rows := []int{1, 4}
	all, some := run(nil), run(rows)
	for _, o := range []int{0, 3} { // n and pos
		width := all[o].Data.Len() / 6
		for k := range some[o].Data.Len() {
			if some[o].Data.Len() != 2*width || some[o].Data.FloatAt(k) != all[o].Data.FloatAt(rows[k/width]*width+k%width) {
				t.Errorf("%s is %v, expected rows %v of %v", some[o].Name, some[o].Data, rows, all[o].Data)
			}
		}
	}
}
