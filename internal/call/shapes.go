package call

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
)

// How a def is called with ever new shapes
//
// Sizes are constants of a kernel, and a kernel costs a run of the C compiler. A program whose
// shapes change from call to call would compile for ever. So a def gets kernels of its own for
// the first shapes (Options.OwnKernels); further ones are served by a kernel in which the sizes
// that differed are dynamic, if there is a good one. A shape that comes back often gets
// a kernel of its own after all. All of this counts calls, never time, so that a program which
// is run again uses the same kernels.

// ownKernels is how many shapes get a kernel of their own where Options.OwnKernels is 0: as
// many as a small network has layers of a kind.
const ownKernels = 8

// callsForOwnKernel is how many calls with one shape a kernel with dynamic sizes serves.
const callsForOwnKernel = 16

// A family is what differs between calls only by sizes.
type family struct {
	mutex   sync.Mutex
	seen    map[string]bool  // the keys of kernels of their own
	first   map[string]int64 // the sizes of the first
	varying map[string]bool  // sizes that were different in another call
	refused bool             // there is no good kernel with dynamic sizes
	said    bool
}

// kernelFor returns the kernel for sizes that are bound, with a use of it that the caller
// releases. own asks for a kernel with these sizes as constants; shared says that the kernel is
// one with dynamic sizes.
func (d *Def) kernelFor(ctx context.Context, s compile.Signature, sizes map[string]int64, options Options, own bool) (entry *remembered, shared bool, err error) {
	memory := d.memory
	key := d.runKey(s.Strides, sizes, options)
	if f := d.family(s, options); f != nil && !own && !memory.has(key) && !d.hasTuned(ctx, s, options) {
		if dynamic := f.note(key, sizes, options.OwnKernels); len(dynamic) > 0 {
			if entry, err = d.shared(ctx, f, dynamic, s, sizes, options); entry != nil || err != nil {
				return entry, true, err
			}
		}
	}
	entry, err = memory.get(ctx, key, func() (*Kernel, error) { return d.Compile(ctx, s, options) })
	return entry, false, err
}

// family returns what is known about calls like this one, or nil where each shape gets a kernel
// of its own: the caller has decided about sizes or the schedule, or compiling costs nothing.
func (d *Def) family(s compile.Signature, options Options) *family {
	if len(s.Strides) > 0 || len(options.Dynamic) > 0 || options.Schedule != "" || d.Script != "" || options.Target == compile.Eval || options.OwnKernels < 0 {
		return nil
	}
	m := d.memory
	key := d.runKey(nil, nil, options)
	m.mutex.Lock()
	defer m.mutex.Unlock()
	f := m.families[key]
	if f == nil {
		f = &family{seen: map[string]bool{}, varying: map[string]bool{}}
		m.families[key] = f
	}
	return f
}

// note takes the sizes of a call into account, and returns the sizes that should be dynamic for
// it; none where it gets a kernel of its own.
func (f *family) note(key string, sizes map[string]int64, most int) []string {
	if most == 0 {
		most = ownKernels
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.first == nil {
		f.first = sizes
	}
	for name, value := range sizes {
		if f.first[name] != value {
			f.varying[name] = true
		}
	}
	if f.refused || f.seen[key] {
		return nil
	}
	if len(f.seen) < most {
		f.seen[key] = true
		return nil
	}
	return slices.Sorted(maps.Keys(f.varying))
}

// shared returns a kernel with dynamic sizes, or nil where that is not possible, or slow.
func (d *Def) shared(ctx context.Context, f *family, dynamic []string, s compile.Signature, sizes map[string]int64, options Options) (*remembered, error) {
	quiet := options
	quiet.Dynamic, quiet.Notice, quiet.Warning = dynamic, nil, nil
	entry, err := d.memory.get(ctx, d.runKey(nil, sizes, quiet), func() (*Kernel, error) { return d.Compile(ctx, s, quiet) })
	if err != nil && (ctx.Err() != nil || errors.Is(err, ErrClosed)) {
		return nil, err
	}
	good := err == nil && entry.kernel.target != compile.Eval && entry.kernel.schedule != plan.PlainSchedule
	if err == nil && !good {
		entry.kernel.release()
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.refused = f.refused || !good; !good {
		return nil, nil
	}
	if !f.said && options.Notice != nil {
		f.said = true
		options.notice("%s", d.sharedNotice(dynamic, len(f.seen)))
	}
	return entry, nil
}

func (d *Def) sharedNotice(dynamic []string, own int) string {
	return fmt.Sprintf("%s was called with more than %d shapes: new ones are served by one kernel with %s dynamic, which is slower than one of their own and is not compiled for each; "+
		"a shape that is called more than %d times gets its own. Options.Dynamic or OwnKernels decide otherwise", d.Name, own, strings.Join(dynamic, ", "), callsForOwnKernel)
}

// hasTuned reports whether somebody has tuned for this very call.
func (d *Def) hasTuned(ctx context.Context, s compile.Signature, options Options) bool {
	options.Notice = nil
	job, err := compile.New(ctx, d.Def, s, options.Options)
	if err != nil || options.Untuned {
		return false
	}
	defer source.RecoverInternal("tuned schedules", &err)
	job.FindTunedAnywhere(ctx)
	return job.Tuned != nil
}
