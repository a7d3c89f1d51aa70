package trial

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
)

// How candidates are compiled
//
// A compiler that is a program of its own is started by the device, which ends it when it takes too long. One that is a library of a driver runs in
// the process that asks, and takes it along when it crashes or does not come back; so such devices compile in workers, one for each builder,
// which stay for the next candidate: most drivers take half a second for their first one. Such a worker loads what it has made, too, and asks what it
// takes of the device: what cannot be launched is refused before it is measured, and what has no room in registers is measured behind the others.

// compiled asks for the object of a text in a file.
type compiled struct {
	Code   string        `json:"code"`
	Symbol string        `json:"symbol"`
	Object string        `json:"object"` // file
	Saved  string        `json:"saved"`  // directory for texts that are refused
	Plan   *plan.Plan    `json:"plan,omitempty"`
	Limit  time.Duration `json:"limit"`
}

// compile makes an object of a module and returns its path, and with the plan of its kernels what these take, where the device says that.
func (r *Runner) compile(ctx context.Context, m *target.Module, p *plan.Plan) (path string, takes *device.Footprint, err error) {
	file, err := os.CreateTemp(r.dir, "candidate-*")
	if err != nil {
		return "", nil, err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if r.options.Device.Driver().Within {
		takes, err = r.compileApart(ctx, m, p, file.Name())
		return file.Name(), takes, err
	}
	object, err := r.options.Device.Compile(ctx, m, device.CompileOptions{
		TempDir: r.dir, Timeout: r.options.CompileTimeout, ReproducerDir: r.options.ReproducerDir,
	})
	if err != nil {
		return "", nil, err
	}
	_, err = file.Write(object)
	return file.Name(), nil, err
}

// compileApart has a worker compile a module into a file.
func (r *Runner) compileApart(ctx context.Context, m *target.Module, p *plan.Plan, path string) (takes *device.Footprint, err error) {
	var w *worker
	select {
	case w = <-r.builders:
	default:
		if w, err = r.startWith(ctx, nil); err != nil {
			return nil, err
		}
	}
	answer, err := w.ask(ctx, request{Compile: &compiled{m.Code, m.Symbol, path, r.options.ReproducerDir, p, r.options.CompileTimeout}}, r.options.CompileTimeout+loadTimeout)
	switch {
	case w.gone:
	default:
		select {
		case r.builders <- w:
		default: // there are enough
			w.stop()
		}
	}
	if err == nil && answer.Refused != "" {
		err = &source.InternalError{Stage: "the compiler of " + r.options.Device.Driver().Name, Err: &device.RefusedError{Message: answer.Refused}}
	}
	if err == nil && answer.Lacks != "" {
		err = errors.New(answer.Lacks)
	}
	return answer.Takes, err
}

// stopBuilders ends the workers that compile.
func (r *Runner) stopBuilders() {
	for {
		select {
		case w := <-r.builders:
			w.stop()
		default:
			return
		}
	}
}

// compile compiles a text in a worker.
func (s *server) compile(c compiled) (response, error) {
	object, err := s.device.Compile(context.Background(), &target.Module{Code: c.Code, Symbol: c.Symbol}, device.CompileOptions{Timeout: c.Limit, ReproducerDir: c.Saved})
	var refused *device.RefusedError
	if errors.As(err, &refused) {
		return response{Refused: refused.Message}, nil
	}
	if err != nil {
		return response{}, err
	}
	if err := os.WriteFile(c.Object, object, 0o600); err != nil || c.Plan == nil {
		return response{}, broken(err)
	}
	return s.examine(object, c.Plan)
}

// examine loads an object and asks what it takes.
func (s *server) examine(object []byte, p *plan.Plan) (response, error) {
	code, err := s.device.Load(context.Background(), object, p)
	var lacks *source.Diagnostic
	switch {
	case errors.As(err, &lacks) && lacks.Code == source.NotExpressed:
		return response{Lacks: err.Error()}, nil
	case err != nil:
		return response{}, err
	}
	answer := response{}
	if examined, can := code.(device.Examined); can {
		takes := examined.Footprint()
		answer.Takes = &takes
	}
	return answer, code.Close()
}
