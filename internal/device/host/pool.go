package host

import (
	"context"
	_ "embed" // for the text of the pool
	"errors"
	"fmt"

	"github.com/ricci-lang/ricci/internal/device"
)

// PoolSource is the C text of the thread pool.
//
//go:embed runtime/pool.c
var PoolSource string

// pool is the one thread pool of the process: kernels of different programs
// share it, so that they do not run more threads together than each was given.
var pool = struct {
	turn    turn
	library *Library // never closed: its threads run in it
	address int64
	// tried has what each compiler, by its identity, made of the pool: nil, a
	// refusal, or that it did not end. Other failures may be over the next time.
	tried map[string]error
}{turn: newTurn(), tried: map[string]error{}}

// Pool returns the address of the C function
//
//	void parallel(void (*body)(void *, int64_t, int64_t), void *context, int64_t count, int64_t threads)
//
// that kernels get in their argument block. The first call for a compiler loads
// the pool by load, which compiles PoolSource with it or finds it compiled: the
// proof that the compiler, its linker and its headers work.
func Pool(ctx context.Context, c *Compiler, load func(ctx context.Context, text string) (*Library, error)) (int64, error) {
	if err := pool.turn.take(ctx); err != nil {
		return 0, err
	}
	defer pool.turn.give()
	if err, known := pool.tried[c.Identity()]; known {
		return pool.address, err
	}
	err := adopt(ctx, load)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	refused, late := (*device.RefusedError)(nil), (*TimeoutError)(nil)
	if err == nil || errors.As(err, &refused) || errors.As(err, &late) {
		pool.tried[c.Identity()] = err
	}
	return pool.address, err
}

// adopt loads the pool; the first one stays.
func adopt(ctx context.Context, load func(ctx context.Context, text string) (*Library, error)) error {
	library, err := load(ctx, PoolSource)
	if refused := (*device.RefusedError)(nil); errors.As(err, &refused) {
		// The pool is the same for all programs: it is the compiler that does not fit.
		return fmt.Errorf("cannot make the thread pool, it is no compiler for programs of this machine and its C library: %w", refused)
	}
	if err != nil {
		return fmt.Errorf("cannot make the thread pool: %w", err)
	}
	if pool.library != nil {
		return library.Close()
	}
	function, err := library.Function("ricci_parallel_address")
	if err != nil {
		return err
	}
	var address [1]int64
	function.Call(&address[0])
	pool.library, pool.address = library, address[0]
	return nil
}
