package session_test

import (
	"context"
	"math"
	"testing"

	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/session"
	"github.com/ricci-lang/ricci/tensor"
)

func output[T tensor.Element](t *testing.T, values []T, shape ...int) []*strand.Output {
	t.Helper()
	data, err := tensor.FromSlice(values, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return []*strand.Output{{Name: "x", Data: data}}
}

func TestCompare(t *testing.T) {
	nan := float32(math.NaN())
	want := output(t, []float32{1, -100, nan, 0, 5, 6}, 3, 2)
	for _, row := range []struct {
		what              string
		got               []*strand.Output
		want              []*strand.Output
		rows              []int
		equal, mismatches int
	}{
		{"itself", output(t, []float32{1, -100, nan, 0, 5, 6}, 3, 2), want, nil, 6, 0},
		{"the last digits of the largest", output(t, []float32{1.0001, -100.0001, nan, 0.0001, 5, 6}, 3, 2), want, nil, 3, 0},
		{"others", output(t, []float32{1.001, -100, 3, 0, nan, 6}, 3, 2), want, nil, 3, 3},
		{"-0", output(t, []float32{1, -100, nan, float32(math.Copysign(0, -1)), 5, 6}, 3, 2), want, nil, 5, 0},
		{"integers", output(t, []int32{1, 2, 4}, 3), output(t, []int32{1, 2, 3}, 3), nil, 2, 1},
		{"two rows", output(t, []float32{1, 2, 3, 4, 5, 6, 7, 8}, 4, 2), output(t, []float32{3, 4, 7, 9}, 2, 2), []int{1, 3}, 3, 1},
		{"more", output(t, []float32{1, 2, 3}, 3), output(t, []float32{1, 2}, 2), nil, 0, 3},
	} {
		list, err := session.Compare(row.got, row.want, row.rows)
		if err != nil || list[0].Equal != row.equal || list[0].Mismatches != row.mismatches {
			t.Errorf("%s: %+v, %v, expected %d equal, %d others", row.what, list, err, row.equal, row.mismatches)
		}
	}
	if _, err := session.Compare(want, nil, nil); err == nil {
		t.Error("an output that the reference lacks")
	}
}

// TestOnly runs some strands alone: they keep their numbers, and are what they are among all.
func TestOnly(t *testing.T) {
	p := parse(t, counting)
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
	list, err := session.Compare(all[:1], some[:1], rows)
	if err != nil || list[0].Elements != 2 || list[0].Equal != 2 || len(some[0].Data.Shape()) != 1 {
		t.Errorf("%+v, %v, %v", list, err, some[0].Data)
	}
}
