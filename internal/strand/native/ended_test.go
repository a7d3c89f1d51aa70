package native_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/native"
	"github.com/ricci-lang/ricci/internal/strand/strandtest"
)

var errLost = errors.New("the device is lost")

// A lossy device runs a number of launches, and no more.
type lossy struct {
	device.Device
	left *int
}

func (l *lossy) Load(ctx context.Context, object []byte, p *plan.Plan) (device.Code, error) {
	code, err := l.Device.Load(ctx, object, p)
	return &lossyCode{code, l.left}, err
}

type lossyCode struct {
	device.Code
	left *int
}

func (l *lossyCode) Launch(ctx context.Context, s device.Stream, c *device.Call) (device.Completion, error) {
	if *l.left--; *l.left < 0 {
		return nil, errLost
	}
	return l.Code.Launch(ctx, s, c)
}

// TestLost: a world whose strands may be in the middle of a step takes no more steps, and has no outputs.
func TestLost(t *testing.T) {
	o := on(t, "evaluator", 1, numerics.Strict)
	left := 3
	o.Device = &lossy{o.Device, &left}
	ctx := context.Background()
	w, err := native.New(ctx, strandtest.Parse(t, `strand s real float32 int int32 {
  temp k: int
  param i: int
  output x: int
  create array for k = 0i32 to 3i32 new (k)
  begin { x = i }
  update { x = x + 1i32 if x == 100i32 { stabilize } }
}`), strand.Given{}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for range 2 {
		if err := w.Step(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Snapshot(); err != nil {
		t.Fatal(err)
	}
	if err := w.Step(ctx); !errors.Is(err, errLost) {
		t.Fatal(err)
	}
	ended := func(what string, err error) {
		var d *source.Diagnostic
		if !errors.As(err, &d) || d.Code != source.StrandEnded {
			t.Errorf("%s after a step that failed: %v", what, err)
		}
	}
	ended("a step", w.Step(ctx))
	_, err = w.Run(ctx, 0)
	ended("a run", err)
	_, err = w.Snapshot()
	ended("a snapshot", err)
	_, err = w.Outputs()
	ended("outputs", err)
}

// A stopping device ends a context while it runs.
type stopping struct {
	device.Device
	stop *func()
}

func (s *stopping) Load(ctx context.Context, object []byte, p *plan.Plan) (device.Code, error) {
	code, err := s.Device.Load(ctx, object, p)
	return &stoppingCode{code, s.stop}, err
}

type stoppingCode struct {
	device.Code
	stop *func()
}

func (s *stoppingCode) Launch(ctx context.Context, stream device.Stream, c *device.Call) (device.Completion, error) {
	(*s.stop)()
	return s.Code.Launch(ctx, stream, c)
}

// TestInterrupt: a context that ends in the middle of a step, before new strands are made, leaves a world that goes on behind it.
func TestInterrupt(t *testing.T) {
	o := on(t, "evaluator", 1, numerics.Strict)
	stop := func() {}
	o.Device = &stopping{o.Device, &stop}
	w, err := native.New(context.Background(), strandtest.Parse(t, `strand s real float32 int int32 {
  temp k: int
  param i: int
  output x: int
  create collection for k = 0i32 to 3i32 new (k)
  begin { x = 0i32 }
  update { x = x + 1i32 if x == 2i32 && i < 10i32 { new (i + 10i32) } if x == 5i32 { stabilize } }
}`), strand.Given{}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for step := range 7 {
		ctx, cancel := context.WithCancel(context.Background())
		stop = cancel
		if _, err := w.Run(ctx, step+1); err != nil || w.Steps() != step+1 {
			t.Fatalf("interrupted in step %d: %v, %d steps were run", step+1, err, w.Steps())
		}
		if err := w.Step(ctx); !errors.Is(err, context.Canceled) || w.Ended() != nil || w.Steps() != step+1 {
			t.Fatalf("interrupted before step %d: %v, %v", step+2, err, w.Ended())
		}
	}
	if stable, all := w.Count(strand.Stable), w.Count(strand.All); stable != 8 || all != 8 {
		t.Errorf("%d strands of %d are stable, expected all of 8", stable, all)
	}
}
