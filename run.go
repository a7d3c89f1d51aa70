package ricci

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// rememberedKernels is how many kernels of a program Def.Run keeps.
const rememberedKernels = 64

// Run computes the outputs for named inputs (and old values of in-outs, which are
// not modified). The kernel for the shapes and strides at hand is compiled at the
// first call and remembered; the program keeps the last 64 in memory.
func (d *Def) Run(ctx context.Context, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	return d.RunWith(ctx, args, nil, Options{})
}

// RunWith is Run with values for sizes that no input determines, and options.
func (d *Def) RunWith(ctx context.Context, args map[string]*tensor.Tensor, sizes map[string]int64, options Options) (map[string]*tensor.Tensor, error) {
	kernel, err := d.remembered(ctx, args, sizes, options)
	if err != nil {
		return nil, err
	}
	defer kernel.release()
	return kernel.RunNamed(ctx, args)
}

// CheckRun judges what RunWith has computed, by Kernel.Check.
func (d *Def) CheckRun(ctx context.Context, args, outputs map[string]*tensor.Tensor, sizes map[string]int64, options Options, o CheckOptions) (*CheckReport, error) {
	kernel, err := d.remembered(ctx, args, sizes, options)
	if err != nil {
		return nil, err
	}
	defer kernel.release()
	return kernel.Check(ctx, args, outputs, o)
}

// remembered returns the kernel for a call, with a use of it that the caller releases.
func (d *Def) remembered(ctx context.Context, args map[string]*tensor.Tensor, sizes map[string]int64, options Options) (*Kernel, error) {
	signature, err := d.SignatureOf(args)
	if err != nil {
		return nil, err
	}
	for name, value := range sizes {
		signature.Sizes[name] = value
	}
	return d.program.kernels.get(ctx, d.runKey(signature, options), func() (*Kernel, error) {
		return d.Compile(ctx, signature, options)
	})
}

// runKey is a text of everything that decides which kernel is needed.
func (d *Def) runKey(s Signature, o Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %d %q %q %q %q %v %v %q", d.Name(), o.Target, o.Threads, o.Level, o.Numerics, o.Dynamic, o.CacheDir, o.NoCache, o.Untuned, o.Schedule)
	// Maps print in the order of their keys.
	if sizes, err := d.bind(s); err == nil && len(o.Dynamic) > 0 {
		// The shapes follow from the sizes, and those that stay symbolic do not
		// matter.
		for _, name := range o.Dynamic {
			delete(sizes, name)
		}
		fmt.Fprintf(&b, " %v %v", s.Strides, sizes)
		return b.String()
	}
	fmt.Fprintf(&b, " %v %v %v", s.Shapes, s.Strides, s.Sizes)
	return b.String()
}

// Evaluate computes the outputs with the reference evaluator: slow, and right by
// definition. Sizes gives those that no input determines; it may be nil.
func (d *Def) Evaluate(ctx context.Context, args map[string]*tensor.Tensor, sizes map[string]int64) (map[string]*tensor.Tensor, error) {
	bound, err := d.bindArguments(args, sizes)
	if err != nil {
		return nil, err
	}
	return ein.Evaluate(d.info.Func, args, ein.EvalOptions{Sizes: bound, Context: ctx})
}

func (d *Def) bindArguments(args map[string]*tensor.Tensor, sizes map[string]int64) (map[string]int64, error) {
	signature, err := d.SignatureOf(args)
	if err != nil {
		return nil, err
	}
	for name, value := range sizes {
		signature.Sizes[name] = value
	}
	return d.bind(signature)
}

// kernelMemory keeps the kernels that were used last. Kernels that are being
// compiled are in it, too, so that a program that starts many calls at once
// compiles once.
type kernelMemory struct {
	mutex  sync.Mutex
	byKey  map[string]*list.Element // of *remembered
	recent *list.List               // the last used first
	closed bool
}

type remembered struct {
	key    string
	ready  chan struct{} // closed when kernel and err are set
	kernel *Kernel
	err    error
}

func newKernelMemory() *kernelMemory {
	return &kernelMemory{byKey: map[string]*list.Element{}, recent: list.New()}
}

// get returns the kernel for a key, with a use of it that the caller releases.
func (m *kernelMemory) get(ctx context.Context, key string, compile func() (*Kernel, error)) (*Kernel, error) {
	for {
		r, mine := m.entry(key)
		if r == nil {
			return nil, ErrClosed
		}
		if mine {
			m.fill(r, compile)
		}
		select {
		case <-r.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch {
		case r.err == nil && r.kernel.acquire():
			return r.kernel, nil
		case r.err == nil:
			continue // pushed out meanwhile
		case !mine && ctx.Err() == nil && (errors.Is(r.err, context.Canceled) || errors.Is(r.err, context.DeadlineExceeded)):
			continue // the caller that compiled gave up, this one does not
		}
		return nil, r.err
	}
}

// entry finds or makes the entry of a key; mine means that the caller fills it.
func (m *kernelMemory) entry(key string) (r *remembered, mine bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.closed {
		return nil, false
	}
	if e, ok := m.byKey[key]; ok {
		m.recent.MoveToFront(e)
		return e.Value.(*remembered), false
	}
	r = &remembered{key: key, ready: make(chan struct{})}
	m.byKey[key] = m.recent.PushFront(r)
	for m.recent.Len() > rememberedKernels {
		m.drop(m.recent.Back())
	}
	return r, true
}

// fill compiles; a failure is not remembered.
func (m *kernelMemory) fill(r *remembered, compile func() (*Kernel, error)) {
	r.kernel, r.err = compile()
	close(r.ready)
	m.mutex.Lock()
	defer m.mutex.Unlock()
	e, here := m.byKey[r.key]
	here = here && e.Value == r
	switch {
	case r.err != nil && here:
		m.drop(e)
	case r.err == nil && m.closed:
		_ = r.kernel.Close()
	}
}

// drop forgets an entry. Its kernel goes when the last call ends; one that is
// still being compiled is left to the garbage collector.
func (m *kernelMemory) drop(e *list.Element) {
	r := m.recent.Remove(e).(*remembered)
	delete(m.byKey, r.key)
	select {
	case <-r.ready:
		if r.err == nil {
			_ = r.kernel.Close()
		}
	default:
	}
}

func (m *kernelMemory) close() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.closed = true
	for m.recent.Len() > 0 {
		m.drop(m.recent.Back())
	}
	return nil
}
