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
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// Each quantity has a small loop in C (rates.go, loops), compiled by the
// compiler and run by the thread pool that kernels use, so what is measured is
// what a kernel could reach. A loop is repeated until it takes about a burst; a
// sample is one burst. Samples of all quantities alternate, in several rounds, so that a
// neighbour on a shared machine, or a change of the clock, hits them all. Of each the median counts
// beside kernels that are measured in the same rounds, and the second best of seven where it is to
// be the limit for later: a machine may be slow for half of a measurement.
//
// A layer of memory is measured on a piece that fills a part of it: half, which leaves
// room for what else is there, and for main memory several times the largest cache. How
// much of a shared cache a virtual machine gets nobody says: of the 480 MB of a Granite
// Rapids 64 MB were faster than memory. So that is found out first.
// A copy uses one half of the piece as its source and the other as its target.
//
// How fast bytes move depends on how they are asked for. On Cascade Lake four places read in turn
// give 10 % more than one, since the prefetcher stops at the end of each page; asking for
// lines some way ahead gives up to 20 % more (schedule/prefetch.go), and on Granite Rapids the double, with the
// beginning of the next page another 5 to 10 %; a copy with
// stores of half lines is up to 40 % faster than one with whole lines, since a processor
// takes a store of a whole line as a hint that nobody reads it; and any of them may be
// faster than stores past the caches, as the neighbours on the machine will. So each direction is measured in several ways, and the fastest is the peak.

// Options says how long to measure. The zero value takes some seconds, and half a minute
// or more where the caches are large, since main memory is measured by several times as much.
type Options struct {
	Rounds int           // samples of each quantity; 7 when zero
	Burst  time.Duration // of a sample; DefaultBurst when zero
	// Threads are those of the speeds with all cores; 0 means GOMAXPROCS.
	Threads int
	// MemoryBytes is how much of main memory is gone through, at least the largest cache;
	// zero means several times that.
	MemoryBytes int64
	// Progress is called before each round, and before each pair of ways behind them; nil is ignored.
	Progress func(round, rounds int) `json:"-"`
}

// DefaultBurst is how long a sample takes.
const DefaultBurst = 2 * time.Millisecond

// probe is one quantity for one number of threads.
type probe struct {
	call    func(rounds int64) int32
	amount  float64 // operations or bytes of one round of all threads
	threads int
	dtype   tensor.DType // of an arithmetic unit
	layer   string       // of memory
	traffic Traffic
	rounds  int64
	samples []float64
	result  *float64
	// resize makes the piece of a memory that is gone through as large as so many bytes, or as it
	// was at first where they are 0.
	resize func(bytes int64)
	size   int64 // that it was given last
}

// Peaks measures the machine with a compiler, and which ways of computing are faster. A unit that the compiler or the
// operating system refuses is left out.
func Peaks(ctx context.Context, compiler *host.Compiler, machine *machine.Processor, options Options) (*machine.Peaks, error) {
	m, err := NewMeter(ctx, compiler, machine, options)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	rounds := positive(options.Rounds, 7)
	steps, step := rounds+ratioPasses*len(pairs), 0
	told := func() {
		if options.Progress != nil {
			options.Progress(step, steps)
		}
		step++
	}
	for range rounds {
		told()
		if err := m.Sample(ctx, Selection{}); err != nil {
			return nil, err
		}
	}
	peaks := m.peaks(reachable)
	peaks.Ratios, err = m.ratios(ctx, told)
	return peaks, err
}

// Host is Peaks with the best C compiler of this machine.
func Host(ctx context.Context, m *machine.Processor, options Options) (*machine.Peaks, error) {
	compilers, err := host.Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("measuring needs a C compiler: %w", err)
	}
	return Peaks(ctx, compilers[0], m, options)
}

// reachable is the part of the samples that a stored peak is above.
const reachable = 0.8

// A Selection restricts what is sampled; the zero value is everything.
type Selection struct {
	Threads int          // one or all; 0 means both
	Type    tensor.DType // of arithmetic units; with a Layer, Invalid means none
	Layer   string       // of memory; with a Type, empty means none
	Traffic Traffic      // on the layers; 0 means all
	// Bytes is how much of a shared layer is gone through, 0 for a size that shows it best. A
	// cache that other machines share holds a part of what is larger than it: of 1 GB that two Granite
	// Rapids cores read 35 GB/s arrive, of 128 MB 52.
	Bytes int64
}

func (s Selection) includes(p *probe) bool {
	if s.Threads != 0 && p.threads != s.Threads {
		return false
	}
	if p.layer != "" && s.Traffic != 0 && s.Traffic&p.traffic == 0 {
		return false
	}
	everything := s.Type == tensor.Invalid && s.Layer == ""
	return everything || p.layer != "" && p.layer == s.Layer || p.layer == "" && computesWith(p.dtype, s.Type)
}

// computesWith reports whether the units that are measured on one type are those of another: the
// sign of integers does not matter (machine.Peaks.Operations).
func computesWith(measured, used tensor.DType) bool {
	return measured == used || measured.IsInteger() && used.IsInteger() && measured.Size() == used.Size()
}

// Sample takes a sample of each quantity of the selection.
func (m *Meter) Sample(ctx context.Context, selection Selection) error {
	for _, p := range m.probes {
		if !selection.includes(p) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		p.goThrough(selection.Bytes)
		p.sample(m.burst)
	}
	return nil
}

// goThrough changes the size of what a probe goes through, whose samples so far then say nothing.
func (p *probe) goThrough(bytes int64) {
	if p.resize != nil && p.size != bytes {
		p.resize(bytes)
		p.size, p.rounds, p.samples = bytes, 0, nil
	}
}

// Forget drops the samples taken so far.
func (m *Meter) Forget() {
	for _, p := range m.probes {
		p.samples = nil
	}
}

// sample runs one burst; the first one finds out how many rounds it has.
func (p *probe) sample(burst time.Duration) {
	// Threads that wake may share a core until the system moves one of them, which
	// takes milliseconds; the clock rises, and the caches fill.
	warm := 2 * burst
	if p.threads > 1 {
		warm = 10 * burst
	}
	for begun := time.Now(); time.Since(begun) < warm; {
		p.call(p.rounds/8 + 1)
	}
	if p.rounds == 0 { // not before the threads are there, or their start would seem to fill the burst
		p.rounds = 1
		for min(p.time(p.rounds), p.time(p.rounds)) < burst/2 && p.rounds < math.MaxInt32 {
			p.rounds *= 2
		}
	}
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

// A Meter takes samples of the speeds of a machine.
type Meter struct {
	compiler  *host.Compiler
	machine   *machine.Processor
	threads   int
	burst     time.Duration
	pool      int64
	libraries []*host.Library
	buffers   []*tensor.Tensor
	far       region // of main memory, once it is there
	probes    []*probe
	rates     []*machine.Rate
	layers    []*machine.Memory
}

// NewMeter prepares measurements.
func NewMeter(ctx context.Context, compiler *host.Compiler, machine *machine.Processor, options Options) (*Meter, error) {
	m, err := newMeter(ctx, compiler, machine, options)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(m.addUnits(ctx), m.addLayers(ctx, options.MemoryBytes)); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// newMeter is NewMeter of a meter that has nothing to measure yet.
func newMeter(ctx context.Context, compiler *host.Compiler, machine *machine.Processor, options Options) (*Meter, error) {
	m := &Meter{compiler: compiler, machine: machine, burst: options.Burst, threads: positive(options.Threads, runtime.GOMAXPROCS(0))}
	if m.burst <= 0 {
		m.burst = DefaultBurst
	}
	var err error
	m.pool, err = host.Pool(ctx, compiler, func(ctx context.Context, text string) (*host.Library, error) {
		object, err := compiler.Compile(ctx, text, host.CompileOptions{})
		if err != nil {
			return nil, err
		}
		return host.OpenBytes(object)
	})
	return m, err
}

// Close frees what the measurements used.
func (m *Meter) Close() {
	for _, library := range m.libraries {
		_ = library.Close() // only the process's memory is at stake
	}
	for _, t := range m.buffers {
		_ = t.Close()
	}
}

func (m *Meter) load(ctx context.Context, text string) (*host.Library, error) {
	whole := m.machine.Whole
	text = fmt.Sprintf("#define VECTOR %d\n#define PAGE %d\n#define LINE %d\n#define AHEAD_BYTES %d\n#define WAYS %d\n%s\n%s",
		m.machine.VectorBytes, whole(machine.Page), whole(machine.Line), whole(machine.Ahead), whole(machine.Ways), prelude, text)
	object, err := m.compiler.Compile(ctx, text, host.CompileOptions{})
	if err != nil {
		return nil, err
	}
	library, err := host.OpenBytes(object)
	if err == nil {
		m.libraries = append(m.libraries, library)
	}
	return library, err
}

// add adds a probe, whose parts of the memory have so many bytes for each thread.
func (m *Meter) add(f host.Function, p *probe, from, to uintptr, part int) {
	p.on(f, m.pool, from, to, part)
	m.probes = append(m.probes, p)
}

// on makes a probe call a function for its parts of the memory.
func (p *probe) on(f host.Function, pool int64, from, to uintptr, part int) {
	p.call = func(rounds int64) int32 {
		args := [...]int64{pool, int64(p.threads), rounds, int64(from), int64(to), int64(part)}
		return f.Call(&args[0])
	}
}

// Peaks returns the medians of the samples, of the fastest way where there are several; a quantity
// without any is 0. With one thread the speeds of all are those of one.
func (m *Meter) Peaks() *machine.Peaks { return m.peaks(0.5) }

// peaks is Peaks with a quantile instead of the median.
func (m *Meter) peaks(quantile float64) *machine.Peaks {
	for _, p := range m.probes {
		*p.result = 0
	}
	for _, p := range m.probes {
		if sorted := slices.Sorted(slices.Values(p.samples)); len(sorted) > 0 {
			*p.result = max(*p.result, rounded(sorted[int(quantile*float64(len(sorted)))]))
		}
	}
	peaks := &machine.Peaks{Threads: m.threads}
	for _, r := range m.rates {
		if m.threads == 1 {
			r.All = r.One
		}
		peaks.Rates = append(peaks.Rates, *r)
	}
	for _, l := range m.layers {
		for _, way := range ways {
			if speed := way.of(l); m.threads == 1 {
				speed.All = speed.One
			}
		}
		peaks.Layers = append(peaks.Layers, *l)
	}
	return peaks
}
