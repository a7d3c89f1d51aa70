package call

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// rememberedKernels is how many kernels of a program Def.Run keeps.
const rememberedKernels = 64

// Memory keeps the kernels that were used last. Kernels that are being
// compiled are in it, too, so that a program that starts many calls at once
// compiles once.
type Memory struct {
	mutex    sync.Mutex
	byKey    map[string]*remembered
	families map[string]*family // by key
	clock    atomic.Int64       // counts calls of another kernel than that of the call before
	closed   bool
}

type remembered struct {
	key    string
	ready  chan struct{} // closed when kernel and err are set
	kernel *Kernel
	err    error
	used   atomic.Int64 // the clock at the last call
}

// NewMemory makes a memory of nothing.
func NewMemory() *Memory {
	return &Memory{byKey: map[string]*remembered{}, families: map[string]*family{}}
}

// touch notes a call. It takes no lock, since every call does it; a kernel that is called again and again is the newest already.
func (m *Memory) touch(r *remembered) {
	if r.used.Load() != m.clock.Load() {
		r.used.Store(m.clock.Add(1))
	}
}

// has reports whether there is a kernel for a key, or will be.
func (m *Memory) has(key string) bool {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.byKey[key] != nil
}

// get returns the entry of a key, with a use of its kernel that the caller releases.
func (m *Memory) get(ctx context.Context, key string, compile func() (*Kernel, error)) (*remembered, error) {
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
			return r, nil
		case r.err == nil:
			continue // pushed out meanwhile
		case !mine && ctx.Err() == nil && (errors.Is(r.err, context.Canceled) || errors.Is(r.err, context.DeadlineExceeded)):
			continue // the caller that compiled gave up, this one does not
		}
		return nil, r.err
	}
}

// entry finds or makes the entry of a key; mine means that the caller fills it.
func (m *Memory) entry(key string) (r *remembered, mine bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.closed {
		return nil, false
	}
	r = m.byKey[key]
	if mine = r == nil; mine {
		r = &remembered{key: key, ready: make(chan struct{})}
		r.used.Store(m.clock.Add(1))
		m.byKey[key] = r
	}
	m.touch(r)
	for len(m.byKey) > rememberedKernels {
		m.drop(m.oldest())
	}
	return r, mine
}

// oldest returns the entry that was not used for longest.
func (m *Memory) oldest() (oldest *remembered) {
	for _, r := range m.byKey {
		if oldest == nil || r.used.Load() < oldest.used.Load() {
			oldest = r
		}
	}
	return oldest
}

// fill compiles; a failure is not remembered.
func (m *Memory) fill(r *remembered, compile func() (*Kernel, error)) {
	r.kernel, r.err = compile()
	close(r.ready)
	m.mutex.Lock()
	defer m.mutex.Unlock()
	switch {
	case r.err != nil && m.byKey[r.key] == r:
		m.drop(r)
	case r.err == nil && m.closed:
		_ = r.kernel.Close()
	}
}

// forget drops an entry, if it is still there.
func (m *Memory) forget(r *remembered) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.byKey[r.key] == r {
		m.drop(r)
	}
}

// drop forgets an entry. Its kernel goes when the last call ends; one that is
// still being compiled is left to the garbage collector.
func (m *Memory) drop(r *remembered) {
	delete(m.byKey, r.key)
	select {
	case <-r.ready:
		if r.err == nil {
			_ = r.kernel.Close()
		}
	default:
	}
}

// Close gives up all kernels; there are no more.
func (m *Memory) Close() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.closed = true
	for _, r := range m.byKey {
		m.drop(r)
	}
	return nil
}
