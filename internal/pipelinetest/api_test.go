package pipelinetest_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// TestProgramsByTheAPI calls random programs as a user of the package does: with
// views as inputs, views as preallocated outputs, threads, dynamic sizes.
func TestProgramsByTheAPI(t *testing.T) {
	k := compiler(t)
	programs := sweep.Draws(t, 6, 100)
	if testing.Short() {
		programs = 3
	}
	dir := t.TempDir()
	for seed := 1_000_000 + *first; programs > 0; seed++ {
		from := pipelinetest.Seeded(seed)
		p := pipelinetest.DrawProgram(from)
		f := compile(t, p)
		if f == nil {
			continue
		}
		if one := bind(t, from, p, f); one != nil {
			programs--
			callByAPI(t, k.Witness, from, one, dir)
		}
	}
}

func callByAPI(t *testing.T, witness *pipelinetest.Witness, from *pipelinetest.Choices, one *pipelinetest.Case, dir string) {
	t.Helper()
	if err := one.DrawSetting(from); err != nil {
		t.Fatal(err)
	}
	program, err := ricci.Parse("random.tc", one.Text)
	if err != nil {
		t.Fatalf("%v\n%s", err, one)
	}
	defer program.Close()
	d, err := program.Def("f")
	if err != nil {
		t.Fatal(err)
	}
	options := ricci.Options{Target: ricci.C, Threads: one.Threads, CacheDir: dir}
	for name, keep := range one.Keep {
		if keep {
			options.Dynamic = append(options.Dynamic, name)
		}
	}
	arrays, err := one.Arrays(pipelinetest.Pick(from, pipelinetest.Behind, pipelinetest.Before))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, a := range arrays {
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		}
	}()
	named, inputs, outputs := map[string]*tensor.Tensor{}, map[string]*tensor.Tensor{}, map[string]*tensor.Tensor{}
	var list []*tensor.Tensor
	for _, x := range append(one.Func.Inputs(), one.Func.Outputs()...) {
		a := arrays[x.Name].Array
		named[x.Name] = a
		list = append(list, a)
		if x.Role != ein.Output {
			inputs[x.Name] = one.Args[x.Name]
		}
		if x.Role != ein.Input {
			outputs[x.Name] = a
		}
	}
	kernel, err := d.CompileFor(context.Background(), named, options)
	if err != nil {
		if len(options.Dynamic) == 0 || !unproved(err) {
			t.Errorf("%v\n%s", err, one)
		}
		return
	}
	defer kernel.Close()
	if err := witness.Begin(one); err != nil {
		t.Fatal(err)
	}
	err = kernel.Run(context.Background(), list...)
	if err := witness.End(); err != nil {
		t.Fatal(err)
	}
	for name, a := range arrays {
		if err := a.Intact(outputs[name] != nil); err != nil {
			t.Errorf("%s: %v\n%s", name, err, one)
		}
	}
	judgeCall(t, d, one, inputs, outputs, err)
}

// judgeCall compares what a call returned with the evaluator.
func judgeCall(t *testing.T, d *ricci.Def, one *pipelinetest.Case, inputs, outputs map[string]*tensor.Tensor, err error) {
	t.Helper()
	_, wantErr := d.Evaluate(context.Background(), inputs, one.Sizes)
	if (err != nil) != (wantErr != nil) {
		t.Errorf("the kernel says %v, the evaluator %v\n%s", err, wantErr, one)
	}
	var diagnostic *ricci.Diagnostic
	if err != nil && (!errors.As(err, &diagnostic) || diagnostic.Code != source.OutOfBounds) {
		t.Errorf("%v is no diagnostic about bounds\n%s", err, one)
	}
	if err == nil {
		if _, err := d.Check(context.Background(), inputs, outputs, one.Sizes); err != nil {
			t.Errorf("%v\n%s", err, one)
		}
	}
}

const several = `
def product(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }
def rows(float(M,K) A, float(K,N) B) -> (s, t, p) {
  t(i,k) = exp(A(i,k)) * B(k,0)
  s(i) +=! t(i,k)
  p(i) argmin=! t(i,k)
}
def gather(float(M,K) A, float(K,N) B) -> (G) { G(i,j) = A(int32(fabs(B(i % K,j)) * 3.0) % M, 0) where i in 0:M }
`

// TestManyCallers uses kernels, and the memory of kernels of a program, from many
// goroutines, some of which give up, while the kernels are closed.
func TestManyCallers(t *testing.T) {
	compiler(t)
	program, err := ricci.Parse("several.tc", several)
	if err != nil {
		t.Fatal(err)
	}
	options := ricci.Options{Threads: 2, CacheDir: t.TempDir()}
	var group sync.WaitGroup
	for _, d := range program.Defs() {
		args, want := arguments(t, d)
		kernel, err := d.CompileFor(context.Background(), args, options)
		if err != nil {
			t.Fatal(err)
		}
		for caller := range 8 {
			group.Go(func() { calls(t, d, kernel, args, want, caller, options) })
		}
		group.Go(func() {
			for range 20 {
				if _, err := d.RunWith(context.Background(), args, nil, options); err != nil {
					t.Error(err)
				}
			}
			if err := kernel.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if err := program.Close(); err != nil {
		t.Error(err)
	}
	if _, err := program.Defs()[0].Run(context.Background(), nil); err == nil {
		t.Error("a closed program runs")
	}
}

func arguments(t *testing.T, d *ricci.Def) (args, want map[string]*tensor.Tensor) {
	t.Helper()
	args = map[string]*tensor.Tensor{}
	for n, name := range []string{"A", "B"} {
		x, err := tensor.New(tensor.Float32, 20+n, 21)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			tensor.FillRandom(x, 1)
		} else {
			tensor.FillConst(x, 0.25)
		}
		args[name] = x
	}
	want, err := d.Evaluate(context.Background(), args, nil)
	if err != nil {
		t.Fatal(err)
	}
	return args, want
}

// calls runs a kernel until it is closed, in turns by both ways to call it and
// with contexts that end.
func calls(t *testing.T, d *ricci.Def, kernel *ricci.Kernel, args, want map[string]*tensor.Tensor, caller int, options ricci.Options) {
	for n := range 60 {
		ctx, cancel := context.WithCancel(context.Background())
		if n%7 == caller%7 {
			cancel()
		}
		var got map[string]*tensor.Tensor
		var err error
		if n%3 == 0 {
			got, err = d.RunWith(ctx, args, nil, options)
		} else {
			got, err = kernel.RunNamed(ctx, args)
		}
		cancel()
		switch {
		case errors.Is(err, ricci.ErrClosed), errors.Is(err, context.Canceled):
			continue
		case err != nil:
			t.Error(err)
			return
		}
		for name := range want {
			if ok, at := tensor.AllClose(got[name], want[name], 1e-4, 1e-4); !ok {
				t.Errorf("%s of %s is wrong at %v", name, d.Name(), at)
			}
		}
	}
}

// unproved says that a kernel is not proved for all values of its symbolic sizes.
func unproved(err error) bool {
	var diagnostic *ricci.Diagnostic
	return errors.As(err, &diagnostic) && diagnostic.Code == "E0629"
}
