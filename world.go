package ricci

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/native"
	"github.com/ricci-lang/ricci/internal/strand/session"
	"github.com/ricci-lang/ricci/tensor"
)

// WorldOptions say how a World runs. Results are the same with all of them.
type WorldOptions struct {
	// SuperSteps runs step after step also where strands cannot notice each other, as if by --force-bsp;
	// else Run takes each strand to its end.
	SuperSteps bool
	// BruteForce answers questions for near strands by looking at all of them.
	BruteForce bool
	// Print is where the program prints; nil is nowhere.
	Print io.Writer
	// Options say what runs the strands: the best device, where the program has a native form (docs/diderot.md), unless
	// Target is Eval. Results may differ in their last digits, as those of all kernels: Numerics.
	Options Options
}

// A World is a run of a program of strands, between two super-steps. Its methods may be called from
// many goroutines; one of them runs at a time.
type World struct {
	strands *Strands
	mutex   sync.Mutex
	running *native.Started // nil after Close
}

// World gives the program its inputs, initialises its globals and creates its strands. Files that the
// program names are read, where no input replaces them.
func (s *Strands) World(ctx context.Context, inputs WorldInputs, options WorldOptions) (w *World, err error) {
	defer source.RecoverInternal("a world of strands", &err)
	given, err := s.inputs(ctx, inputs)
	if err != nil {
		return nil, err
	}
	return s.start(ctx, given, options)
}

// inputs collects what a world is given.
func (s *Strands) inputs(ctx context.Context, inputs WorldInputs) (*session.Inputs, error) {
	given := s.inside().Inputs(ctx, tensor.OpenImage)
	var problems []error
	for _, name := range inputs.names() {
		if m, is := inputs.Images[name]; is {
			problems = append(problems, given.SetImage(name, m))
		}
		if t, is := inputs.Values[name]; is {
			problems = append(problems, given.Set(name, t))
		}
		if text, is := inputs.Texts[name]; is {
			problems = append(problems, given.SetText(name, text))
		}
	}
	return given, errors.Join(problems...)
}

func (s *Strands) start(ctx context.Context, inputs *session.Inputs, options WorldOptions) (*World, error) {
	given, err := inputs.Given()
	if err != nil {
		return nil, err
	}
	how := strand.Options{ForceBSP: options.SuperSteps, BruteForce: options.BruteForce, Print: options.Print}
	running, err := native.Start(ctx, s.lowered, given, how, options.Options.internal())
	if err != nil {
		return nil, err
	}
	return &World{strands: s, running: running}, nil
}

// enter locks a world that is not closed.
func (w *World) enter() (session.World, func(), error) {
	w.mutex.Lock()
	if w.running == nil {
		w.mutex.Unlock()
		d := &Diagnostic{Code: source.StrandEnded, Message: "the world of " + w.strands.Name() + " is closed"}
		return nil, nil, d
	}
	return w.running, w.mutex.Unlock, nil
}

// Step runs one super-step. A mistake of the program that shows in it, such as a probe beside an image,
// is an error with the first strand that makes it; after one the world refuses all else. A context that
// ends leaves it between two steps, and it goes on with another one.
func (w *World) Step(ctx context.Context) (err error) {
	defer source.RecoverInternal("a super-step", &err)
	running, leave, err := w.enter()
	if err != nil {
		return err
	}
	defer leave()
	return running.Step(ctx)
}

// Run runs super-steps until no strand is active, at most limit of them in all where it is not 0. It
// returns how many the world has run.
func (w *World) Run(ctx context.Context, limit int) (steps int, err error) {
	defer source.RecoverInternal("a run of strands", &err)
	running, leave, err := w.enter()
	if err != nil {
		return 0, err
	}
	defer leave()
	return running.Run(ctx, limit)
}

// A WorldCount says how many strands there are, and how many super-steps were run.
type WorldCount struct{ Steps, Active, Stable int }

// Count returns the numbers; of a closed world all are 0.
func (w *World) Count() WorldCount {
	running, leave, err := w.enter()
	if err != nil {
		return WorldCount{}
	}
	defer leave()
	return WorldCount{running.Steps(), running.Count(strand.Active), running.Count(strand.Stable)}
}

// Output returns a result: of create_array the state of all strands, of create_collection that of those
// that are stable. Where none is, there is no result, which is an error. Axes have the kinds that the
// original writes to files; tensor.SaveImage writes them.
func (w *World) Output(name string) (*tensor.Image, error) {
	all, err := w.Outputs()
	return w.named(all, name, err)
}

// Outputs returns all results.
func (w *World) Outputs() (map[string]*tensor.Image, error) {
	return w.collect(func(running session.World) ([]*strand.Output, error) { return running.Outputs() })
}

// Snapshot returns the states of all strands that are alive as Outputs does, active ones, too.
func (w *World) Snapshot() (map[string]*tensor.Image, error) {
	return w.collect(func(running session.World) ([]*strand.Output, error) { return running.Snapshot() })
}

func (w *World) collect(of func(session.World) ([]*strand.Output, error)) (all map[string]*tensor.Image, err error) {
	defer source.RecoverInternal("outputs of strands", &err)
	running, leave, err := w.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	list, err := of(running)
	if errors.Is(err, strand.ErrNoneStable) {
		err = session.NoneStable(w.strands.lowered, running)
	}
	if err != nil {
		return nil, err
	}
	all = map[string]*tensor.Image{}
	for _, o := range list {
		all[o.Name] = session.Image(o)
	}
	return all, nil
}

func (w *World) named(all map[string]*tensor.Image, name string, err error) (*tensor.Image, error) {
	if err != nil {
		return nil, err
	}
	if m := all[name]; m != nil {
		return m, nil
	}
	names := w.strands.Outputs()
	d := &Diagnostic{Code: source.StrandValue, Message: w.strands.Name() + " has no output " + name}
	if near := source.Suggest(name, names); near != "" && slices.Contains(names, near) {
		d.Help = "did you mean " + near + "?"
	}
	return nil, d
}

// Close gives up the strands. Results that were taken stay.
func (w *World) Close() error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	running := w.running
	if w.running = nil; running == nil {
		return nil
	}
	return running.Close()
}
