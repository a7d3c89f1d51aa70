package trial

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
)

// How candidates are compiled
//
// A compiler that is a program of its own is started by the device, which ends it when it takes too long. One that is a library of a driver runs in
// the process that asks, and takes it along when it crashes or does not come back; so such devices compile in workers, one for each builder,
// which stay for the next candidate: most drivers take half a second for their first one.

// compiled asks for the object of a text in a file.
type compiled struct {
	Code   string        `json:"code"`
	Symbol string        `json:"symbol"`
	Object string        `json:"object"` // file
	Saved  string        `json:"saved"`  // directory for texts that are refused
	Limit  time.Duration `json:"limit"`
}

// compile makes an object of a module and returns its path.
func (r *Runner) compile(ctx context.Context, m *target.Module) (path string, err error) {
	file, err := os.CreateTemp(r.dir, "candidate-*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if r.options.Device.Driver().Within {
		return file.Name(), r.compileApart(ctx, m, file.Name())
	}
	object, err := r.options.Device.Compile(ctx, m, device.CompileOptions{
		TempDir: r.dir, Timeout: r.options.CompileTimeout, ReproducerDir: r.options.ReproducerDir,
	})
	if err != nil {
		return "", err
	}
	_, err = file.Write(object)
	return file.Name(), err
}

// compileApart has a worker compile a module into a file.
func (r *Runner) compileApart(ctx context.Context, m *target.Module, path string) (err error) {
	var w *worker
	select {
	case w = <-r.builders:
	default:
		if w, err = r.startWith(ctx, nil); err != nil {
			return err
		}
	}
	answer, err := w.ask(ctx, request{Compile: &compiled{m.Code, m.Symbol, path, r.options.ReproducerDir, r.options.CompileTimeout}}, r.options.CompileTimeout+loadTimeout)
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
	return err
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
	return response{}, broken(os.WriteFile(c.Object, object, 0o600))
}
