package call

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/device"
)

// Options say how to compile, and how many shapes have kernels of their own.
type Options struct {
	compile.Options
	OwnKernels int // ricci.Options explains it
}

func (o *Options) notice(format string, args ...any) {
	if o.Notice != nil {
		o.Notice(fmt.Sprintf(format, args...))
	}
}

// sameKernel reports whether calls with these options and others use the same kernel, if all
// else is equal.
func (o *Options) sameKernel(p *Options) bool {
	return o.Target == p.Target && o.Device == p.Device && sameDevice(o.Beside, p.Beside) && o.Threads == p.Threads && o.Level == p.Level && o.Machine == p.Machine && o.Numerics == p.Numerics &&
		o.Schedule == p.Schedule && o.CacheDir == p.CacheDir && o.NoCache == p.NoCache && o.Untuned == p.Untuned && o.OwnKernels == p.OwnKernels &&
		slices.Equal(o.Dynamic, p.Dynamic) && slices.Equal(o.Constant, p.Constant)
}

// sameDevice compares opened devices; of those there are mostly none.
func sameDevice(d, other device.Device) bool {
	if d == nil || other == nil {
		return d == nil && other == nil
	}
	return d == other
}

// forKey returns what sameKernel compares.
func (o *Options) forKey() Options {
	return Options{OwnKernels: o.OwnKernels, Options: compile.Options{Target: o.Target, Device: o.Device, Beside: o.Beside, Threads: o.Threads, Level: o.Level, Machine: o.Machine, Numerics: o.Numerics,
		Schedule: o.Schedule, CacheDir: o.CacheDir, NoCache: o.NoCache, Untuned: o.Untuned, Dynamic: slices.Clone(o.Dynamic), Constant: slices.Clone(o.Constant)}}
}

// runKey is a text of everything that decides which kernel a call of Def.Run needs: the strides of
// arguments that are not dense, the sizes, from which all shapes follow, and the options.
func (d *Def) runKey(strides map[string][]int, sizes map[string]int64, o Options) string {
	constant := maps.Clone(sizes)
	for _, name := range o.Dynamic {
		delete(constant, name)
	}
	on := o.Device
	if o.Beside != nil {
		on += fmt.Sprintf(" %p", o.Beside) // which the options of the kernel keep alive
	}
	// Maps print in the order of their keys.
	return fmt.Sprintf("%s %s %q %d %q %q %q %q %q %q %v %v %q %v %v", d.Name, o.Target, on, o.Threads, o.Level, o.Machine, o.Numerics, o.Dynamic, o.Constant, o.CacheDir, o.NoCache, o.Untuned, o.Schedule, strides, constant)
}
