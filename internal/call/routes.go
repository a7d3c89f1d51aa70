package call

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How a call finds its kernel
//
// Which kernel a call of Def.Run needs follows from the shapes, strides and sizes of its arguments
// and from the options. The first call with such arguments takes the long way: it binds the sizes,
// which tests every assumption of the program, and asks the memory of kernels by a text (runKey).
// What that found is kept as a route. A later call compares its arguments with those of routes of the
// same hash, and allocates nothing; on any doubt it takes the long way, which explains
// what is wrong.

// rememberedRoutes is how many routes a def keeps. More than kernels, because a kernel with
// dynamic sizes has one for each shape.
const rememberedRoutes = 256

// bufferedArguments is for how many arguments a call allocates no list.
const bufferedArguments = 16

// A request is what decides about the kernel beside the arguments.
type request struct {
	made    bool // the call makes its outputs
	sizes   map[string]int64
	options *Options
	there   bool // some arguments are in the memory of a device
}

// given reports whether the caller passes an argument.
func (c *request) given(p *parameter) bool { return !c.made || p.role != ein.Output }

// laidOut reports whether it matters where the elements of an argument lie: what an in-out
// held is copied into the output that a call makes.
func (c *request) laidOut(p *parameter) bool { return !c.made || p.role == ein.Input }

// A form is what a route knows about an argument.
type form struct {
	shape, strides []int
	value          int64 // of a scalar that is a size
}

// A route leads calls with arguments like those of an earlier one to its kernel.
type route struct {
	made    bool
	given   map[string]int64
	options Options
	forms   []form // in the order of Kernel.Run
	outputs []int  // those that the call makes
	entry   *remembered
	sizes   map[string]int64
	bytes   int64  // of the workspace
	copies  []bool // arguments that lie otherwise than the kernel wants; nil for none
	shared  bool   // the kernel has dynamic sizes, without being asked for
	calls   atomic.Int64
}

// routes are the routes of a def by hash; a table is never changed once it is there.
type routes = map[uint64][]*route

// inOrder lists named arguments in the order of Kernel.Run, where outputs that are not given are
// nil. known is false where there are other names.
func (d *Def) inOrder(list []*tensor.Tensor, args map[string]*tensor.Tensor) (ordered []*tensor.Tensor, known bool) {
	found := 0
	for i := range d.arguments {
		p := &d.arguments[i]
		var t *tensor.Tensor
		if p.role != ein.Output {
			if t = args[p.name]; t != nil {
				found++
			}
		}
		list = append(list, t)
	}
	return list, found == len(args)
}

// find returns the route for a call, with a use of its kernel that the caller releases, or nil.
func (d *Def) find(args []*tensor.Tensor, known bool, c *request) *route {
	table := d.routes.Load()
	if table == nil || !known || !d.usable(args, c) {
		return nil
	}
	r := d.last.Load()
	if r == nil || !r.fits(d, args, c) {
		list := (*table)[d.hash(args, c)]
		at := slices.IndexFunc(list, func(r *route) bool { return r.fits(d, args, c) })
		if at < 0 {
			return nil
		}
		r = list[at]
		d.last.Store(r)
	}
	if r.shared && r.calls.Add(1) > callsForOwnKernel || !r.entry.kernel.acquire() {
		return nil
	}
	d.memory.touch(r.entry)
	return r
}

// usable reports whether arguments are arrays of the right types and ranks, and those that are sizes at hand.
func (d *Def) usable(args []*tensor.Tensor, c *request) bool {
	for i := range d.arguments {
		p, t := &d.arguments[i], args[i]
		if !c.given(p) {
			continue
		}
		if t == nil || t.DType() != p.tensor.Type || t.Rank() != len(p.tensor.Dims) {
			return false
		}
		if t.Memory() != nil {
			if c.there = true; p.size {
				return false
			}
		}
	}
	return true
}

// hash mixes what is compared by fits, but for sizes and options that are given. The arguments are usable.
func (d *Def) hash(args []*tensor.Tensor, c *request) uint64 {
	h := uint64(len(args))
	mix := func(x int) {
		h = (h ^ uint64(x)) * 0x9e3779b97f4a7c15 // 2^64 over the golden ratio, as in Fibonacci hashing
		h ^= h >> 32
	}
	for i := range d.arguments {
		p, t := &d.arguments[i], args[i]
		if !c.given(p) {
			continue
		}
		for dim := range p.tensor.Dims {
			mix(t.Dim(dim))
			if c.laidOut(p) {
				mix(t.Stride(dim))
			}
		}
		if p.size {
			mix(int(t.Int()))
		}
	}
	return h
}

// fits reports whether a call is like the one that the route was made for. The
// arguments are usable.
func (r *route) fits(d *Def, args []*tensor.Tensor, c *request) bool {
	if r.made != c.made || !maps.Equal(r.given, c.sizes) || !r.options.sameKernel(c.options) {
		return false
	}
	for i := range d.arguments {
		p, t, f := &d.arguments[i], args[i], &r.forms[i]
		if !c.given(p) {
			continue
		}
		for dim, n := range f.shape {
			if t.Dim(dim) != n || c.laidOut(p) && t.Stride(dim) != f.strides[dim] {
				return false
			}
		}
		if p.size && t.Int() != f.value {
			return false
		}
	}
	return true
}

// runOn calls the kernel of a route. The caller has a use of it. A kernel whose device is lost is forgotten, so that the next
// call opens the device anew.
func (d *Def) runOn(ctx context.Context, r *route, args []*tensor.Tensor, there bool) error {
	err := r.run(ctx, args, there)
	if err != nil && errors.Is(err, device.ErrLost) {
		d.routes.Store(nil)
		d.last.Store(nil)
		d.memory.forget(r.entry)
	}
	return err
}

// run calls the kernel; there says that some arguments may be in the memory of a device.
func (r *route) run(ctx context.Context, args []*tensor.Tensor, there bool) error {
	k := r.entry.kernel
	if there {
		for i := range k.arguments {
			if a := &k.arguments[i]; !a.reaches(args[i]) {
				return k.elsewhere(a, args[i])
			}
		}
	}
	switch {
	case k.native == nil:
		return k.evaluate(ctx, args, r.sizes)
	case k.native.allocator != nil || !r.made && (r.copies != nil || k.overlap(args)): // outputs that a call makes share no memory
		if marks := joinedMarks(k.marks(args), r.copies); marks != nil {
			return k.runOnCopies(ctx, args, marks, r.sizes, r.made)
		}
	case r.copies != nil:
		return k.runOnCopies(ctx, args, r.copies, r.sizes, r.made)
	}
	return k.runWithin(ctx, args, r.sizes, r.bytes)
}
