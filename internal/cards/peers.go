package cards

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device/library"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/tune/trial"
	"github.com/ricci-lang/ricci/tensor"
)

// Worker is the command line of a process that measures candidates: this program, which begins with tune.ServeIfWorker.
func Worker() []string {
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	return []string{path}
}

// peers times what else computes a row.
func (r row) peers(ctx context.Context, p *place, q *prepared, t *Timing) {
	for _, peer := range []struct {
		name string
		is   bool
		run  func() (float64, error)
	}{
		{"naive-schedule", true, func() (float64, error) { return q.naively(ctx, p) }},
		{"naive", hands[r.name].file != "", func() (float64, error) { return r.byHand(ctx, p, q) }},
		{"cublas", r.gemm != "", func() (float64, error) { return r.cublas(ctx, p, q) }},
	} {
		if !peer.is {
			continue
		}
		seconds, err := peer.run()
		if err != nil {
			t.Missing = append(t.Missing, fmt.Sprintf("%s: %v", peer.name, err))
			continue
		}
		t.Peers[peer.name] = seconds
	}
}

// naively times the naive schedule.
func (q *prepared) naively(ctx context.Context, p *place) (seconds float64, err error) {
	tree, err := q.naive()
	if err != nil {
		return 0, err
	}
	runner, err := q.runner(ctx, p)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, runner.Close()) }()
	var timing trial.Timing
	timing, err = runner.Measure(ctx, runner.Build(ctx, []*schedule.Tree{tree})[0], 0)
	return timing.Least, err
}

// A stopwatch is a device whose stream others can launch in.
type stopwatch interface {
	// Time runs a function with the device's context on its thread, and gives the seconds that the device took for what that launched.
	Time(run func() error) (seconds float64, err error)
}

// cublas times the product of NVIDIA's library, where it is there.
func (r row) cublas(ctx context.Context, p *place, q *prepared) (seconds float64, err error) {
	d, err := p.open(ctx, false)
	if err != nil {
		return 0, err
	}
	clock, is := d.(stopwatch)
	if !is {
		return 0, fmt.Errorf("%s is no card of NVIDIA's", p.device)
	}
	l, err := library.Open("libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so")
	if err != nil {
		return 0, err
	}
	create, err := l.Function("cublasCreate_v2")
	symbol, factor := "cublasSgemm_v2", tensor.Float32
	if r.half != 0 {
		symbol, factor = "cublasGemmEx", tensor.Float16 // which has the size of the other one
	}
	multiply, other := l.Function(symbol)
	if err = errors.Join(err, other); err != nil {
		return 0, err
	}
	var size [3]uintptr // of C, its columns, and what is summed over
	for i, name := range strings.Fields(r.gemm) {
		size[i] = uintptr(q.sizes[name])
	}
	arrays := make([]*tensor.Tensor, 3)
	types := []tensor.DType{factor, factor, tensor.Float32}
	for i, shape := range [][2]uintptr{{size[0], size[2]}, {size[2], size[1]}, {size[0], size[1]}} {
		if arrays[i], err = tensor.NewOn(d.Allocator(), types[i], int(shape[0]), int(shape[1])); err != nil {
			return 0, err
		}
	}
	handle, one, zero := new(uintptr), new(float32), new(float32)
	*one = 1
	ask := func(code uintptr) error {
		if n := int32(code); n != 0 {
			return fmt.Errorf("cuBLAS: error %d", n)
		}
		return nil
	}
	if _, err := clock.Time(func() error { return ask(create.Call(uintptr(unsafe.Pointer(handle)))) }); err != nil {
		return 0, err
	}
	at := func(t *tensor.Tensor) uintptr { return t.Address() }
	for n := range 12 { // it counts rows of a column, so that it computes the transposed product of the transposed factors
		took, err := clock.Time(func() error {
			if r.half != 0 { // summed in float32, by the algorithm that the library likes
				const float, sums, any = 0, 68, ^uintptr(0)
				return ask(multiply.Call(*handle, 0, 0, size[1], size[0], size[2], uintptr(unsafe.Pointer(one)), at(arrays[1]), r.half, size[1], at(arrays[0]), r.half, size[2],
					uintptr(unsafe.Pointer(zero)), at(arrays[2]), float, size[1], sums, any))
			}
			return ask(multiply.Call(*handle, 0, 0, size[1], size[0], size[2], uintptr(unsafe.Pointer(one)), at(arrays[1]), size[1], at(arrays[0]), size[2],
				uintptr(unsafe.Pointer(zero)), at(arrays[2]), size[1]))
		})
		if err != nil {
			return 0, err
		}
		if n == 0 || took < seconds {
			seconds = took
		}
	}
	return seconds, nil
}
