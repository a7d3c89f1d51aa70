package pipelinetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/target/c"
	"github.com/ricci-lang/ricci/tensor"
)

// A Compiler makes native code of batches.
type Compiler struct {
	Witness  *Witness // of the cases that run; nil: none
	compiler *host.Compiler
	pool     int64
}

// NewCompiler finds the machine's compiler.
func NewCompiler(ctx context.Context) (*Compiler, error) {
	list, err := host.Find(ctx)
	if err != nil {
		return nil, err
	}
	k := &Compiler{compiler: list[0]}
	k.pool, err = host.Pool(ctx, k.compiler, func(ctx context.Context, text string) (*host.Library, error) {
		object, err := k.compiler.Compile(ctx, text, host.CompileOptions{})
		if err != nil {
			return nil, err
		}
		return host.OpenBytes(object)
	})
	return k, err
}

// A Failure is a case with what is wrong with it.
type Failure struct {
	Case *Case
	Err  error
}

// maxText is the size in bytes of the largest C function that is compiled: a
// random schedule may ask for more unrolling than a compiler copes with.
const maxText = 100_000

// Run compiles prepared cases of different names and one mode of numerics as one unit, calls each and
// returns those that went wrong. A unit that the compiler refuses is an error.
func (k *Compiler) Run(ctx context.Context, cases []*Case, options c.Options) ([]Failure, error) {
	if len(cases) > 0 {
		options.Numerics = cases[0].Numerics
	}
	var list []*loop.Func
	var small []*Case
	for _, one := range cases {
		text, err := c.Print(one.Loop, options)
		if err != nil {
			return nil, fmt.Errorf("%w\n%s", err, one)
		}
		if len(text) < maxText {
			list, small = append(list, one.Loop), append(small, one)
		}
	}
	cases = small
	text, err := c.PrintUnit(list, options)
	if err != nil {
		return nil, err
	}
	object, err := k.compiler.Compile(ctx, text, host.CompileOptions{})
	if err != nil {
		return nil, err
	}
	library, err := host.OpenBytes(object)
	if err != nil {
		return nil, err
	}
	var failures []Failure
	for _, one := range cases {
		entry, err := library.Function(c.Symbol(one.Loop.Name))
		if err == nil {
			err = k.call(one, entry)
		}
		if err != nil {
			failures = append(failures, Failure{one, err})
		}
	}
	return failures, library.Close()
}

// workspaceAlignment is that of loop.WordWorkspace.
const workspaceAlignment = 64

// call runs one kernel, twice: the second call finds the workspace used, and the pages that cannot
// be read on the other side. A third one is on whole numbers.
func (k *Compiler) call(one *Case, entry host.Function) (err error) {
	bytes, err := one.Loop.WorkspaceBytes(one.Sizes, int64(one.Threads))
	if err != nil {
		return err
	}
	workspace, err := tensor.New(tensor.Uint8, int(bytes))
	if err != nil {
		return err
	}
	tensor.FillConst(workspace, guardValue)
	space, err := Guard(workspace, nil, Behind, workspaceAlignment)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.Witness.End(), workspace.Close(), space.Close()) }()
	if err := k.Witness.Begin(one); err != nil {
		return err
	}
	whole, err := one.Whole()
	if err != nil {
		return err
	}
	for call, on := range []*Case{one, one, whole} {
		if on == nil {
			continue
		}
		if err := k.once(on, entry, space, call); err != nil {
			if on == whole {
				err = fmt.Errorf("on whole numbers: %w", err)
			}
			return err
		}
		if err := space.Intact(true); err != nil {
			return fmt.Errorf("the workspace: %w", err)
		}
	}
	return nil
}

// once is one call: number 1, the second, finds constant inputs packed.
func (k *Compiler) once(one *Case, entry host.Function, space *Guarded, call int) (err error) {
	arrays, err := one.Arrays([]Side{Behind, Before}[call%2])
	if err != nil {
		return err
	}
	defer func() {
		for _, a := range arrays {
			err = errors.Join(err, a.Close())
		}
	}()
	fault := make([]int64, 2)
	block := make([]int64, loop.HeaderWords, loop.HeaderWords+len(one.Loop.Params))
	block[loop.WordParallel] = k.pool
	block[loop.WordThreads] = int64(one.Threads)
	block[loop.WordWorkspace] = int64(uintptr(space.Array.Pointer()))
	block[loop.WordFault] = int64(looptest.Address(fault))
	for _, p := range one.Loop.Params {
		switch {
		case strings.HasPrefix(p.Origin, lower.PackedOrigin):
			block = append(block, int64(call%2))
		case p.Buffer == nil:
			block = append(block, one.Sizes[p.Var.Name])
		default:
			block = append(block, int64(uintptr(arrays[p.Buffer.Name].Array.Pointer())))
		}
	}
	status := entry.Call(&block[0])
	runtime.KeepAlive(fault)
	runtime.KeepAlive(arrays)
	return one.Judge(arrays, status != 0)
}
