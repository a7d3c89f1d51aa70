// Package measure finds out what this machine reaches at most: the rates of its
// arithmetic units and the bandwidths of its layers of memory.
package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// Each quantity has a small loop in C (rates.go, loops), compiled by the
// compiler and run by the thread pool that kernels use, so what is measured is
// what a kernel could reach. A loop is repeated until it takes about a burst; a
// sample is one burst. Samples of all quantities alternate, in several rounds, so that a
// neighbour on a shared machine, or a change of the clock, hits them all, and the median of each counts.
//
// A layer of memory is measured on a piece that fills a part of it: half, which leaves
// room for what else is there, and for main memory several times the largest cache.
// A copy uses one half of the piece as its source and the other as its target.

// Options says how long to measure. The zero value takes some seconds.
type Options struct {
	Rounds int           // samples of each quantity; 7 when zero
	Burst  time.Duration // of a sample; 2 ms when zero
	// Threads are those of the speeds with all cores; 0 means GOMAXPROCS.
	Threads int
	// MemoryBytes is how much of main memory is gone through; zero means several
	// times the largest cache.
	MemoryBytes int64
	// Progress is called before each round; nil is ignored.
	Progress func(round, rounds int)
}

// probe is one quantity for one number of threads.
type probe struct {
	call    func(rounds int64) int32
	amount  float64 // operations or bytes of one round of all threads
	rounds  int64
	samples []float64
	result  *float64
}

// Peaks measures the machine with a compiler. A unit that the compiler or the
// operating system refuses is left out.
func Peaks(ctx context.Context, compiler *host.Compiler, machine *schedule.Machine, options Options) (*schedule.Peaks, error) {
	options.Rounds = positive(options.Rounds, 7)
	options.Threads = positive(options.Threads, runtime.GOMAXPROCS(0))
	if options.Burst <= 0 {
		options.Burst = 2 * time.Millisecond
	}
	b, err := newBuilder(ctx, compiler, machine, options.Threads)
	if err != nil {
		return nil, err
	}
	defer b.close()
	if err := errors.Join(b.addUnits(ctx), b.addLayers(ctx, options.MemoryBytes)); err != nil {
		return nil, err
	}
	for round := range options.Rounds {
		if options.Progress != nil {
			options.Progress(round, options.Rounds)
		}
		for _, p := range b.probes {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			p.sample(options.Burst)
		}
	}
	for _, p := range b.probes {
		slices.Sort(p.samples)
		*p.result = rounded(p.samples[len(p.samples)/2])
	}
	return b.peaks(), nil
}

// sample runs one burst; the first one finds out how many rounds it has.
func (p *probe) sample(burst time.Duration) {
	if p.rounds == 0 {
		p.rounds = 1
		for p.time(p.rounds) < burst/2 && p.rounds < math.MaxInt32 {
			p.rounds *= 2
		}
	}
	p.call(p.rounds/8 + 1) // wakes the threads, fills the caches
	took := p.time(p.rounds)
	p.samples = append(p.samples, p.amount*float64(p.rounds)/took.Seconds())
}

func (p *probe) time(rounds int64) time.Duration {
	start := time.Now()
	p.call(rounds)
	return max(time.Since(start), 1)
}

// rounded keeps three digits: more would be noise.
func rounded(v float64) float64 {
	if v <= 0 || math.IsInf(v, 0) {
		return 0
	}
	scale := math.Pow(10, math.Floor(math.Log10(v))-2)
	return math.Round(v/scale) * scale
}

func positive(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// A builder collects the probes and what they run on.
type builder struct {
	compiler  *host.Compiler
	machine   *schedule.Machine
	threads   int
	pool      int64
	libraries []*host.Library
	buffers   []*tensor.Tensor
	probes    []*probe
	rates     []*schedule.Rate
	layers    []*schedule.Layer
}

func newBuilder(ctx context.Context, compiler *host.Compiler, machine *schedule.Machine, threads int) (*builder, error) {
	b := &builder{compiler: compiler, machine: machine, threads: threads}
	var err error
	b.pool, err = host.Pool(ctx, compiler, func(ctx context.Context, text string) (*host.Library, error) {
		object, err := compiler.Compile(ctx, text, host.CompileOptions{})
		if err != nil {
			return nil, err
		}
		return host.OpenBytes(object)
	})
	return b, err
}

func (b *builder) close() {
	for _, library := range b.libraries {
		_ = library.Close() // only the process's memory is at stake
	}
	for _, t := range b.buffers {
		_ = t.Close()
	}
}

func (b *builder) load(ctx context.Context, text string) (*host.Library, error) {
	text = fmt.Sprintf("#define VECTOR %d\n%s\n%s", b.machine.VectorBytes, prelude, text)
	object, err := b.compiler.Compile(ctx, text, host.CompileOptions{})
	if err != nil {
		return nil, err
	}
	library, err := host.OpenBytes(object)
	if err == nil {
		b.libraries = append(b.libraries, library)
	}
	return library, err
}

// probe adds a probe of a function on so many threads, whose parts of the memory
// have so many bytes each.
func (b *builder) probe(f host.Function, result *float64, amount float64, threads int, from, to uintptr, part int) {
	b.probes = append(b.probes, &probe{amount: amount, result: result, call: func(rounds int64) int32 {
		args := [...]int64{b.pool, int64(threads), rounds, int64(from), int64(to), int64(part)}
		return f.Call(&args[0])
	}})
}

// peaks returns the results; with one thread the speeds of all are those of one.
func (b *builder) peaks() *schedule.Peaks {
	p := &schedule.Peaks{Threads: b.threads}
	for _, r := range b.rates {
		p.Rates = append(p.Rates, *r)
	}
	for _, l := range b.layers {
		p.Layers = append(p.Layers, *l)
	}
	if b.threads == 1 {
		for i := range p.Rates {
			p.Rates[i].All = p.Rates[i].One
		}
		for i := range p.Layers {
			for _, k := range kinds {
				s := k.of(&p.Layers[i])
				s.All = s.One
			}
		}
	}
	return p
}
