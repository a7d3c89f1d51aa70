package strand_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// TestOriginal runs programs that were transcribed by hand, and compares with what the original
// made of them. A file "out 9" has outputs of at most 9 steps, "snapshot 5" those after 5 steps,
// and "stdout 9" what is printed: name, type, extents, kinds and numbers of each output, which may
// be off by "# within" times their largest one. Rows of collections are in any order there. Where a
// program says "# shows stable", the original lets strands see others that stabilize in the same
// step as they end.
func TestOriginal(t *testing.T) {
	paths, err := filepath.Glob("testdata/original/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no recorded programs", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			p := parse(t, string(archive.Files[0].Data))
			within := 0.0
			if _, rest, ok := strings.Cut(string(archive.Files[0].Data), "# within "); ok {
				_, _ = fmt.Sscan(rest, &within)
			}
			same(t, p, strand.Given{}, 0)
			for _, file := range archive.Files[1:] {
				name, number, _ := strings.Cut(file.Name, " ")
				limit, err := strconv.Atoi(number)
				if err != nil {
					t.Fatal(err)
				}
				early := strings.Contains(string(archive.Files[0].Data), "# shows stable")
				outputs, printed := runTo(t, p, limit, name == "snapshot", early)
				if name == "stdout" && printed != string(file.Data) {
					t.Errorf("%s: got\n%s\nwant\n%s", file.Name, printed, file.Data)
				}
				if name != "stdout" {
					compare(t, file.Name, outputs, string(file.Data), p.Create.Collection, within)
				}
			}
		})
	}
}

func runTo(t *testing.T, p *strand.Program, limit int, snapshot, early bool) ([]*strand.Output, string) {
	t.Helper()
	var printed bytes.Buffer
	ctx := context.Background()
	o := strand.Options{Print: &printed, ForceBSP: snapshot, ShowStable: early}
	w, err := strand.NewWorld(ctx, p, strand.Given{}, o)
	if err != nil {
		t.Fatal(err)
	}
	if limit > 0 || !snapshot {
		if _, err := w.Run(ctx, limit); err != nil {
			t.Fatal(err)
		}
	}
	read := w.Outputs
	if snapshot {
		read = w.Snapshot
	}
	outputs, err := read()
	if err != nil {
		t.Fatal(err)
	}
	return outputs, printed.String()
}

// numbers are those of an output, as they are in memory.
func numbers(t *testing.T, o *strand.Output) []float64 {
	t.Helper()
	var list []float64
	add := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	switch o.Data.DType() {
	case tensor.Float32:
		add(collect[float32](o.Data, &list))
	case tensor.Float64:
		add(collect[float64](o.Data, &list))
	case tensor.Int32:
		add(collect[int32](o.Data, &list))
	case tensor.Uint8:
		add(collect[uint8](o.Data, &list))
	default:
		t.Fatalf("%s is a %s", o.Name, o.Data.DType())
	}
	return list
}

func collect[T float32 | float64 | int32 | uint8](data *tensor.Tensor, list *[]float64) error {
	values, err := tensor.ToSlice[T](data)
	for _, v := range values {
		*list = append(*list, float64(v))
	}
	return err
}

// compare compares outputs with recorded ones. Rows of a collection are those of all outputs
// together.
func compare(t *testing.T, what string, outputs []*strand.Output, recorded string, anyOrder bool, within float64) {
	t.Helper()
	got, want := map[int][]float64{}, map[int][]float64{}
	for line := range strings.Lines(recorded) {
		head, rest, _ := strings.Cut(line, " ")
		fields := strings.Split(strings.TrimSpace(rest), " | ")
		k := slices.IndexFunc(outputs, func(o *strand.Output) bool { return o.Name == head })
		if k < 0 {
			t.Fatalf("%s: there is no output %s", what, head)
		}
		o := outputs[k]
		if form := o.Data.DType().String() + " " + strings.Trim(fmt.Sprint(o.Data.Shape()), "[]"); form != fields[0] || fields[1] != "unsaid" && strings.Join(o.Kinds, " ") != fields[1] {
			t.Errorf("%s: %s is %s %v, expected %s %s", what, head, form, o.Kinds, fields[0], fields[1])
			continue
		}
		mine := numbers(t, o)
		words := strings.Fields(fields[2])
		if len(words) != len(mine) {
			t.Fatalf("%s: %s has %d numbers, expected %d", what, head, len(mine), len(words))
		}
		if !anyOrder {
			got, want = map[int][]float64{}, map[int][]float64{}
		}
		width := max(1, len(mine)/max(1, o.Data.Shape()[0]))
		for n, word := range words {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			if o.Data.DType() == tensor.Float32 {
				v = float64(float32(v))
			}
			got[n/width], want[n/width] = append(got[n/width], mine[n]), append(want[n/width], v)
		}
		if !anyOrder {
			differ(t, what+": "+head, got, want, false, within)
		}
	}
	if anyOrder {
		differ(t, what, got, want, true, within)
	}
}

// differ compares rows, sorted where they may be in any order.
func differ(t *testing.T, what string, got, want map[int][]float64, anyOrder bool, within float64) {
	t.Helper()
	rows := func(table map[int][]float64) (list [][]float64) {
		for n := range len(table) {
			list = append(list, table[n])
		}
		if anyOrder {
			slices.SortFunc(list, slices.Compare[[]float64])
		}
		return list
	}
	g, w, largest := rows(got), rows(want), 0.0
	for _, row := range w {
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
	}
	for n := range w {
		for k := range w[n] {
			if !(math.Abs(g[n][k]-w[n][k]) <= within*largest) {
				t.Errorf("%s: row %d is %v, expected %v", what, n, g[n], w[n])
				return
			}
		}
	}
}
