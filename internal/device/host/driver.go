package host

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
)

// Driver is the row of this device.
func Driver() *device.Driver {
	return &device.Driver{
		Name: "host", Target: "c", About: "this machine's processor, by way of its C compiler", Chosen: true,
		Open: open, Inspect: inspect,
	}
}

// A Device compiles by a C compiler, and runs on the thread pool of the process.
type Device struct {
	compiler *Compiler
	settings device.Settings
	parallel int64    // address of the thread pool
	loading  *loading // the pool on its way; nil: it is there
}

// A loading is a pool that is compiled while kernels are.
type loading struct {
	cancel  context.CancelFunc
	done    chan struct{}
	address int64
	err     error
}

// open finds a compiler: one that makes the pool, where that is to be proven; else the best one, with which it begins to make
// the pool where something will run, and Load tells whether it did.
func open(ctx context.Context, s device.Settings) (device.Device, error) {
	list, err := compilers(ctx, s)
	if err != nil {
		return nil, err
	}
	if s.Ready != device.Proven {
		d := &Device{compiler: list[0], settings: s}
		if s.Ready == device.Soon {
			d.expectPool(ctx)
		}
		return d, nil
	}
	var failures []error
	for _, compiler := range list {
		d := &Device{compiler: compiler, settings: s}
		if d.parallel, err = d.pool(ctx); err == nil {
			return d, nil
		} else if ctx.Err() != nil {
			return nil, err
		}
		// Not wrapped: a compiler that cannot compile the pool is no defect of
		// Ricci, whatever its error says.
		failures = append(failures, fmt.Errorf("%s cannot be used: %v", compiler, err))
	}
	return nil, errors.Join(failures...)
}

// compilers finds the compilers, of which the cache knows the versions: a run whose kernel is kept starts no
// process. They keep to what the settings say.
func compilers(ctx context.Context, s device.Settings) (list []*Compiler, err error) {
	if s.Cache != nil {
		list, err = FindRemembered(ctx, s.Cache)
	} else {
		list, err = Find(ctx)
	}
	var kept []*Compiler
	for _, compiler := range list {
		as := *compiler
		as.Strict, as.Instructions = s.Strict, s.Flags
		kept = append(kept, &as)
	}
	return kept, err
}

// expectPool begins to load the pool.
func (d *Device) expectPool(ctx context.Context) {
	quiet := *d // what it has to say the kernel's compilation says too, in its turn
	quiet.settings.Notice, quiet.settings.Compile.Notice = nil, nil
	ctx, cancel := context.WithCancel(ctx)
	l := &loading{cancel: cancel, done: make(chan struct{})}
	d.loading = l
	go func() {
		defer close(l.done)
		defer source.RecoverInternal("thread pool", &l.err)
		l.address, l.err = quiet.pool(ctx)
	}()
}

// pool loads the thread pool, and returns its address.
func (d *Device) pool(ctx context.Context) (int64, error) {
	return Pool(ctx, d.compiler, func(ctx context.Context, text string) (library *Library, err error) {
		kept := device.Kept{Device: d, Cache: d.settings.Cache, Notice: d.settings.Notice}
		_, err = kept.Use(ctx, "thread pool", &target.Module{Code: text}, d.settings.Compile, func(object []byte) (err error) {
			library, err = OpenBytes(object)
			return err
		})
		return library, err
	})
}

// wait ends when the pool is there, or with the reason why it is not.
func (d *Device) wait(ctx context.Context) (address int64, err error) {
	if d.loading == nil {
		return d.parallel, nil
	}
	select {
	case <-d.loading.done:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	if d.loading.err != nil {
		return 0, errors.Join(ctx.Err(), device.ErrUnproven)
	}
	return d.loading.address, nil
}

// Works waits for the pool, which shows that the compiler works.
func (d *Device) Works(ctx context.Context) error {
	_, err := d.wait(ctx)
	return err
}

// Driver returns the row.
func (d *Device) Driver() *device.Driver { return Driver() }

// Identity is over the compiler, its flags and the instructions of the processor.
func (d *Device) Identity() string {
	return strings.Join([]string{d.compiler.Identity(), strings.Join(d.compiler.Flags(), " "), machine.HostInstructions()}, "\x00")
}

// Maker names the compiler with its flags.
func (d *Device) Maker() string {
	return strings.ReplaceAll(d.compiler.Identity(), "\x00", " ") + " " + strings.Join(d.compiler.Flags(), " ")
}

// Compile makes a shared library, or assembly text.
func (d *Device) Compile(ctx context.Context, m *target.Module, o device.CompileOptions) ([]byte, error) {
	options := CompileOptions{Timeout: o.Timeout, TempDir: o.TempDir, ReproducerDir: o.ReproducerDir, Notice: o.Notice}
	if o.Assembly {
		options.Emit = Assembly
	}
	return d.compiler.Compile(ctx, m.Code, options)
}

// CompileFor makes a shared library of C and of what flags name, other sources and libraries: for all machines of the architecture
// where it is to be portable, else for this one.
func (d *Device) CompileFor(ctx context.Context, text string, portable bool, o device.CompileOptions, flags ...string) ([]byte, error) {
	options := CompileOptions{Portable: portable, Flags: flags, Timeout: o.Timeout, TempDir: o.TempDir, ReproducerDir: o.ReproducerDir, Notice: o.Notice}
	return d.compiler.Compile(ctx, text, options)
}

// Load loads a shared library, and waits for the pool.
func (d *Device) Load(ctx context.Context, object []byte, p *plan.Plan) (device.Code, error) {
	library, err := OpenBytes(object)
	if err != nil {
		return nil, err
	}
	c := &code{library: library, threads: int64(max(1, d.settings.Threads))}
	for _, l := range p.Launches {
		f, err := library.Function(l.Symbol)
		if err != nil {
			return nil, errors.Join(err, library.Close())
		}
		c.functions = append(c.functions, f)
	}
	if c.parallel, err = d.wait(ctx); err != nil {
		return nil, errors.Join(err, library.Close())
	}
	return c, nil
}

// Allocator says that a processor works in the memory of the host.
func (d *Device) Allocator() device.Allocator { return nil }

// NewStream makes a queue.
func (d *Device) NewStream() device.Stream { return device.NewQueue() }

// Close stops the loading of a pool that nobody waits for any more.
func (d *Device) Close() error {
	if d.loading != nil {
		d.loading.cancel()
		<-d.loading.done
	}
	return nil
}

// inspect reports the compilers and whether code can be loaded.
func inspect(ctx context.Context, s device.Settings) device.Report {
	row := Driver()
	r := device.Report{Name: row.Name, Target: row.Target, About: row.About}
	list, err := compilers(ctx, s)
	switch {
	case !Supported:
		r.Missing = append(r.Missing, "compiled code cannot be loaded on this system")
	case err != nil:
		r.Missing = append(r.Missing, fmt.Sprintf("a C compiler: %v", err))
	default:
		r.Usable = true
	}
	for _, c := range list {
		r.Parts = append(r.Parts, device.Part{Kind: "C compiler", Name: string(c.Family), Version: c.Version, Path: strings.Join(c.Command, " "), Flags: c.Flags()})
	}
	r.Parts = append(r.Parts, parts()...)
	return r
}
