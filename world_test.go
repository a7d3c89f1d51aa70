package ricci

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// strandsOf is a program of strands in their text form.
func strandsOf(t *testing.T, text string) *Strands {
	t.Helper()
	p, err := strand.Parse(source.NewFile("program", text))
	if err != nil {
		t.Fatal(err)
	}
	return (&Program{name: "program", unit: &lang.Unit{Strands: []*strand.Program{p}}}).Strands()
}

const climbing = `strand climber real float32 int int32 {
  strings "at "
  image hill: 1 input
  kernel tent 1 { 1, 1 | 1, -1 }
  input start: real[3] = 0f32, 1f32, 2f32 "where the strands are at first"
  input step: real
  input label: string = 0i32
  temp k: int
  temp all: real
  param i: int
  output x: real
  output path: real{}
  temp h: real
  create array for k = 0i32 to 2i32 new (k)
  begin { element x of start at i build path ([x]) }
  update {
    sample hill inside tent at (x) of "F" { h = 0 [0] }
    print (label, x, "\n")
    if h >= 3f32 { stabilize }
    x = x + step
    build path (path, [x])
  }
}`

func hill(t *testing.T) *tensor.Image {
	t.Helper()
	data, err := tensor.FromSlice([]float32{0, 1, 2, 3, 4, 5}, 6)
	if err != nil {
		t.Fatal(err)
	}
	return tensor.NewImage(data)
}

func TestWorld(t *testing.T) {
	ctx := context.Background()
	s := strandsOf(t, strings.Replace(climbing, "element x of start at i", "x = i == 0i32 ? start.0 : i == 1i32 ? start.1 : start.2", 1))
	if got := fmt.Sprintf("%s %v %+v", s.Name(), s.Outputs(), s.Inputs()); got != "climber [x path-len path-data] "+
		"[{Name:start Type:real[3] Doc:where the strands are at first Required:false Image:false} {Name:step Type:real Doc: Required:true Image:false} "+
		"{Name:label Type:string Doc: Required:false Image:false} {Name:hill Type:image(1)[] Doc: Required:true Image:true}]" {
		t.Error(got)
	}
	var out bytes.Buffer
	inputs := WorldInputs{
		Values: map[string]*tensor.Tensor{"step": tensor.Scalar[float32](1)}, Texts: map[string]string{"label": "> "}, Images: map[string]*tensor.Image{"hill": hill(t)},
	}
	w, err := s.World(ctx, inputs, WorldOptions{Print: &out})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Output("x"); code(err) != source.StrandNoOutput {
		t.Errorf("no strand is stable: %v", err)
	}
	if err := w.Step(ctx); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%+v %q", w.Count(), out.String()); got != `{Steps:1 Active:3 Stable:0} "> 0\n> 1\n> 2\n"` {
		t.Error(got)
	}
	all, err := w.Snapshot()
	if err != nil || fmt.Sprint(all["x"].Tensor, all["path-data"].Tensor, all["x"].Axes[0].Kind) != "[1. 2. 3.] [0. 1. 1. 2. 2. 3.]space" {
		t.Errorf("%v %v %v", all["x"].Tensor, all["path-data"].Tensor, all["x"].Axes)
	}
	if steps, err := w.Run(ctx, 2); steps != 2 || err != nil || w.Count().Stable != 1 {
		t.Errorf("%d steps, %v, %+v", steps, err, w.Count())
	}
	if steps, err := w.Run(ctx, 0); steps != 4 || err != nil {
		t.Errorf("%d steps, %v", steps, err)
	}
	x, err := w.Output("x")
	if err != nil || fmt.Sprint(x.Tensor) != "[3. 3. 3.]" {
		t.Errorf("%v, %v", x, err)
	}
	if _, err := w.Output("path"); err == nil || !strings.Contains(err.Error(), "no output path") {
		t.Error(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if err := w.Step(ctx); code(err) != source.StrandEnded {
		t.Errorf("a closed world: %v", err)
	}
	if x.Tensor.Float(2) != 3 { // stays
		t.Error(x.Tensor)
	}
}

// code is that of the diagnostic in an error.
func code(err error) Code {
	var d *Diagnostic
	if errors.As(err, &d) {
		return d.Code
	}
	return ""
}

// TestWorldRefuses gives a program what it does not take, and lets it leave its image.
func TestWorldRefuses(t *testing.T) {
	ctx := context.Background()
	s := strandsOf(t, strings.Replace(climbing, "element x of start at i", "x = start.0", 1))
	one := tensor.Scalar[float32](1)
	for what, row := range map[string]struct {
		inputs WorldInputs
		code   Code
	}{
		"nothing":        {WorldInputs{}, source.StrandInput},
		"another name":   {WorldInputs{Values: map[string]*tensor.Tensor{"steps": one}}, source.StrandValue},
		"a scalar":       {WorldInputs{Values: map[string]*tensor.Tensor{"start": one, "step": one}}, source.StrandValue},
		"a text":         {WorldInputs{Texts: map[string]string{"step": "1"}}, source.StrandValue},
		"a plane":        {WorldInputs{Images: map[string]*tensor.Image{"hill": tensor.NewImage(one)}}, source.StrandImage},
		"a value for it": {WorldInputs{Images: map[string]*tensor.Image{"step": hill(t)}}, source.StrandValue},
	} {
		if w, err := s.World(ctx, row.inputs, WorldOptions{}); code(err) != row.code {
			t.Errorf("%s: %v, %v, expected %s", what, w, err, row.code)
		}
	}
	w, err := s.World(ctx, WorldInputs{Values: map[string]*tensor.Tensor{"step": tensor.Scalar[float32](-1)}, Images: map[string]*tensor.Image{"hill": hill(t)}}, WorldOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Run(ctx, 0)
	var fault *strand.Fault
	if code(err) != source.StrandProbe || !errors.As(err, &fault) || fault.Step != 2 || fault.Strand != 0 || !strings.Contains(err.Error(), "strand 0 in step 2: the field F is probed at [-1]") {
		t.Errorf("%v", err)
	}
	if err := w.Step(ctx); code(err) != source.StrandEnded {
		t.Errorf("after a fault: %v", err)
	}
}

// TestWorldTogether uses one world from several goroutines.
func TestWorldTogether(t *testing.T) {
	ctx := context.Background()
	s := strandsOf(t, strings.Replace(climbing, "element x of start at i", "x = start.0", 1))
	w, err := s.World(ctx, WorldInputs{Values: map[string]*tensor.Tensor{"step": tensor.Scalar[float32](0)}, Images: map[string]*tensor.Image{"hill": hill(t)}}, WorldOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			for range 10 {
				if err := w.Step(ctx); err != nil {
					t.Error(err)
				}
				if _, err := w.Snapshot(); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	group.Wait()
	if w.Count().Steps != 80 {
		t.Errorf("%+v", w.Count())
	}
}

// TestStrandCodes runs the examples of codes that are whole programs, and what mends them.
func TestStrandCodes(t *testing.T) {
	run := func(text string) error {
		program, err := Parse("example.diderot", text)
		if err != nil {
			return err
		}
		w, err := program.Strands().World(context.Background(), WorldInputs{}, WorldOptions{Options: Options{Memory: 64 << 20}}) // not all that the machine has
		if err != nil {
			return err
		}
		defer w.Close()
		if _, err := w.Run(context.Background(), 100); err != nil {
			return err
		}
		_, err = w.Outputs()
		return err
	}
	whole := 0
	for _, info := range source.Codes() {
		if !strings.HasPrefix(string(info.Code), "E14") || !strings.HasPrefix(info.Example, "#version") {
			continue
		}
		whole++
		if err := run(info.Example); code(err) != info.Code {
			t.Errorf("the example of %s: %v", info.Code, err)
		}
		if err := run(info.Fix); err != nil {
			t.Errorf("what mends %s: %v", info.Code, err)
		}
	}
	if whole < 2 {
		t.Errorf("%d examples are programs", whole)
	}
}
