package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/session"
	"github.com/ricci-lang/ricci/internal/strand/strandtest"
	"github.com/ricci-lang/ricci/tensor"
)

const counting = `strand s real float32 int int32 {
  input last: int = 21i32
  temp k: int
  temp last2: int
  param i: int
  output n: int
  output list: int{}
  output pos: real[2]
  create array for k = 0i32 to 2i32, last2 = 0i32 to 1i32 new (k)
  begin { n = 0i32 build list () pos.0 = 1f32 pos.1 = 2f32 }
  update { n = n + 1i32 build list (list, [n]) if n >= last - i { stabilize } }
}`

func world(t *testing.T, text string) *strand.World {
	t.Helper()
	w, err := strand.NewWorld(context.Background(), strandtest.Parse(t, text), strand.Given{}, strand.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestSnapshots asks for which steps there are snapshots: as in the original, that of the last step is
// one of them. While one is written the next step runs, but no other is begun.
func TestSnapshots(t *testing.T) {
	for _, row := range []struct {
		every, limit int
		want         []int
	}{{6, 0, []int{0, 6, 12, 18, 21}}, {7, 0, []int{0, 7, 14, 21}}, {5, 12, []int{0, 5, 10, 12}}, {100, 0, []int{0, 21}}, {0, 0, nil}} {
		var steps []int
		inside, stepped := 0, 0
		r := session.Run{World: world(t, counting), Limit: row.limit, Every: row.every, Stepped: func() { stepped++ },
			Snapshot: func(step int, outputs []*strand.Output) error {
				inside++
				if inside != 1 || len(outputs) != 4 {
					t.Errorf("step %d: %d snapshots at once, %d outputs", step, inside, len(outputs))
				}
				steps = append(steps, step)
				inside--
				return nil
			}}
		n, err := r.Run(context.Background())
		if err != nil || !slices.Equal(steps, row.want) || n != stepped || n != max(row.limit, 21*(1-min(1, row.limit))) {
			t.Errorf("every %d, limit %d: %v after %d steps (%d), %v", row.every, row.limit, steps, n, stepped, err)
		}
	}
}

// TestSnapshotFails ends a run whose snapshot cannot be written, and one that is interrupted only
// after its snapshot is.
func TestSnapshotFails(t *testing.T) {
	full := errors.New("the disk is full")
	r := session.Run{World: world(t, counting), Every: 3, Snapshot: func(step int, _ []*strand.Output) error {
		if step == 6 {
			return full
		}
		return nil
	}}
	if steps, err := r.Run(context.Background()); !errors.Is(err, full) || steps > 9 {
		t.Errorf("%d steps, %v", steps, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	begun, written := -1, -1
	r = session.Run{World: world(t, counting), Every: 3, Snapshot: func(step int, _ []*strand.Output) error {
		begun = step
		if step == 6 {
			cancel()
			time.Sleep(5 * time.Millisecond)
		}
		written = step
		return nil
	}}
	if _, err := r.Run(ctx); !errors.Is(err, context.Canceled) || written < 6 || written != begun {
		t.Errorf("%v after snapshot %d, %d was begun", err, written, begun)
	}
	r = session.Run{World: world(t, counting), Every: 3, Snapshot: func(int, []*strand.Output) error { panic("a defect") }}
	if _, err := r.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "a defect") {
		t.Errorf("a snapshot panics: %v", err)
	}
}

// TestPlaces has the names of files as in the original.
func TestPlaces(t *testing.T) {
	p := strandtest.Parse(t, counting)
	list, sequence := p.Variable("n"), p.Variable("list")
	for _, row := range []struct {
		path string
		v    *strand.Variable
		name string
		step int
		want string
	}{
		{"n.nrrd", list, "n", -1, "n.nrrd"}, {"n", list, "n", 6, "n-0006.nrrd"}, {"deep/n.nrrd", list, "n", 12345, "deep/n-12345.nrrd"},
		{"list", sequence, "list-len", -1, "list-len.nrrd"}, {"list", sequence, "list-data", 12, "list-data-0012.nrrd"},
		{"out.png", list, "n", 1, "out-0001.png"}, {"v1.2", list, "n", -1, "v1.2"}, {"v1.2", list, "n", 3, "v1.2-0003.nrrd"},
	} {
		place := session.PlaceOf(row.path).Of(row.v, &strand.Output{Name: row.name})
		if row.step >= 0 {
			place = place.Step(row.step)
		}
		if place.Path() != row.want {
			t.Errorf("%s of %s, step %d: %s, expected %s", row.name, row.path, row.step, place.Path(), row.want)
		}
	}
}

// TestHeader writes outputs and compares their headers with those of the original.
func TestHeader(t *testing.T) {
	w := world(t, counting)
	if _, err := w.Run(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
	outputs, err := w.Outputs()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"n":         "type: int\ndimension: 2\nsizes: 2 3\nkinds: space space\nendian: little\nencoding: raw\n",
		"list-len":  "type: int\ndimension: 3\nsizes: 2 2 3\nkinds: 2-vector space space\nendian: little\nencoding: raw\n",
		"list-data": "type: int\ndimension: 1\nsizes: 120\nkinds: list\nendian: little\nencoding: raw\n",
		"pos":       "type: float\ndimension: 3\nsizes: 2 2 3\nkinds: 2-vector space space\nendian: little\nencoding: raw\n",
	}
	for _, o := range outputs {
		path := filepath.Join(t.TempDir(), o.Name+".nrrd")
		if err := tensor.SaveImage(path, session.Image(o)); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(data), "\n\n")
		if !strings.HasPrefix(head, "NRRD0003\n") || !strings.HasSuffix(head+"\n", "\n"+want[o.Name]) {
			t.Errorf("%s:\n%s\nexpected\n%s", o.Name, head, want[o.Name])
		}
	}
}

// TestEmptySequences has the length file of the original where no strand has an element.
func TestEmptySequences(t *testing.T) {
	outputs, err := world(t, counting).Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for k, m := range session.Images(outputs) {
		name := outputs[k].Name
		kinds := map[string]string{"n": "space", "list-len": "", "pos": "2-vector"}
		if want, written := kinds[name]; written != (m != nil) || written && m.Axes[0].Kind != want {
			t.Errorf("%s: %+v, expected kind %q", name, m, want)
		}
	}
}

const given = `strand s real float32 int int32 {
  image img: 2 input from "small"
  image own: 3 [3] from "volume"
  image any: 1 input
  input m: real[2, 3]{4}
  input list: int[2]{} from "pairs"
  input flag: bool = true
  loaded table: real{} from "table"
  temp k: int
  temp last2: int
  output id: int
  create array for k = 0i32 to 1i32 new ()
  begin { id = 0i32 }
  update { stabilize }
}`

func filled(t *testing.T, dtype tensor.DType, shape ...int) *tensor.Image {
	t.Helper()
	data, err := tensor.New(dtype, shape...)
	if err != nil {
		t.Fatal(err)
	}
	for k := range data.Len() {
		data.SetFloatAt(k, float64(k))
	}
	return tensor.NewImage(data)
}

// TestInputs gives inputs arrays and files, and reads what is said of those that do not fit.
func TestInputs(t *testing.T) {
	files := map[string]*tensor.Image{
		"small": filled(t, tensor.Uint8, 2, 3), "other": filled(t, tensor.Uint8, 2, 3), "wide": filled(t, tensor.Uint8, 2, 4), "real": filled(t, tensor.Float32, 2, 3),
		"volume": filled(t, tensor.Float32, 2, 2, 2, 3), "table": filled(t, tensor.Int16, 4), "pairs": filled(t, tensor.Float64, 3, 2), "line": filled(t, tensor.Float32, 7),
	}
	open := func(path string) (*tensor.Image, error) {
		if m := files[filepath.Base(path)]; m != nil {
			return m, nil
		}
		return nil, os.ErrNotExist
	}
	good := func(n *session.Inputs) error {
		return errors.Join(n.SetFile("any", "line"), n.Set("m", filled(t, tensor.Float32, 4, 2, 3).Tensor))
	}
	for _, row := range []struct {
		what string
		set  func(*session.Inputs) error
		want string
	}{
		{"all", func(*session.Inputs) error { return nil }, ""},
		{"another image", func(n *session.Inputs) error { return n.SetFile("img", "other") }, ""},
		{"a larger image", func(n *session.Inputs) error { return n.SetFile("img", "wide") }, "E1406.*sizes \\[4 2\\], its default small has \\[3 2\\]"},
		{"other samples", func(n *session.Inputs) error { return n.SetFile("img", "real") }, "E1406.*type float32, its default small has uint8"},
		{"a volume", func(n *session.Inputs) error { return n.SetFile("img", "volume") }, "E1405.*voxels of 6 numbers"},
		{"no file", func(n *session.Inputs) error { return n.SetFile("img", "nothing") }, "E1403.*cannot be read"},
		{"a wrong shape", func(n *session.Inputs) error { return n.Set("m", files["small"].Tensor) }, "E1404.*real\\[2, 3\\]\\{4\\}, found an array of shape \\[2 3\\]"},
		{"a flat shape", func(n *session.Inputs) error { return n.Set("m", filled(t, tensor.Int8, 24).Tensor) }, ""},
		{"a text", func(n *session.Inputs) error { return n.SetText("m", "x") }, "E1404.*found a text"},
		{"halves", func(n *session.Inputs) error {
			m := filled(t, tensor.Float32, 1, 2)
			m.Tensor.SetFloat(0.5, 0, 0)
			return n.Set("list", m.Tensor)
		}, "E1404.*found 0.5"},
		{"no truth", func(n *session.Inputs) error { return n.Set("flag", tensor.Scalar[int32](2)) }, "E1404.*found 2"},
		{"what is loaded", func(n *session.Inputs) error { return n.SetFile("table", "line") }, "E1404.*no input table"},
		{"no input", func(n *session.Inputs) error { return n.SetFile("lost", "line") }, "E1404.*no input lost.*did you mean list"},
	} {
		n := session.NewInputs(strandtest.Parse(t, given), "", open)
		err := errors.Join(good(n), row.set(n))
		all, late := n.Given()
		if err == nil {
			err = late
		}
		if !matches(err, row.want) {
			t.Errorf("%s: %v, expected %s", row.what, err, row.want)
		}
		if err == nil && (fmt.Sprint(all.Inputs["list"].Numbers) != "[{0 0} {1 0} {2 0} {3 0} {4 0} {5 0}]" || all.Inputs["table"].Numbers[3] != ein.Number{Float: 3} || all.Images["own"].Components != 3) {
			t.Errorf("%s: %v", row.what, all)
		}
	}
	for _, missing := range []string{"m", "any"} {
		n := session.NewInputs(strandtest.Parse(t, given), "", open)
		_, err := n.Given()
		if !matches(err, "E1403.*"+missing+" is not given") {
			t.Errorf("%s: %v", missing, err)
		}
	}
}

// TestRefusedInputs: what an error refuses is not given.
func TestRefusedInputs(t *testing.T) {
	p := strandtest.Parse(t, `strand s real float32 int int32 {
  image img: 2 [3] input
  input place: real[3]
  temp k: int
  output id: int
  create array for k = 0i32 to 1i32 new ()
  begin { id = 0i32 }
  update { stabilize }
}`)
	n := session.NewInputs(p, "", nil)
	two, err := tensor.FromSlice([]float32{1, 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(n.Set("place", two), n.Set("img", two)); err == nil {
		t.Error("inputs of other shapes are taken")
	}
	_, err = n.Given()
	for _, want := range []string{"the input place is not given", "the image img is not given"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
