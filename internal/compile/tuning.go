package compile

import (
	"context"
	"fmt"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/tune/tuned"
)

// A Tuning is what package tune needs to know about a def. Its fields are of
// packages inside of Ricci.
type Tuning struct {
	Name          string // such as "matmul(K=64 M=32 N=16)"
	Configuration *tuned.Configuration
	Func          *ein.Func // what schedules are for, in the names of the program
	Default       *schedule.Tree
	Machine       *machine.Processor
	Sizes         map[string]int64
	Strides       map[string][]int64
	Device        device.Device
	Target        target.Target
	Cache         *cache.Cache
	Reproducers   string // a directory
	Version       string // of what makes the code
	Numerics      numerics.Mode

	anonymous *ein.Func
}

// Tuning prepares the search for a schedule for arguments of a signature. It is
// made for package tune, which is what programs use.
func (d *Def) Tuning(ctx context.Context, signature Signature, options Options) (t *Tuning, err error) {
	defer source.RecoverInternal("tune", &err)
	options.Untuned, options.Schedule = true, ""
	job, err := New(ctx, d, signature, options)
	if err != nil {
		return nil, err
	}
	if job.script() != "" {
		e := &source.Diagnostic{Code: source.ScheduleChoice, Span: d.Pos, Message: d.Name + " has loops of its own, which no tuned schedule replaces"}
		return nil, source.ErrorList{e.WithHelp("tune the same assignments without loops: codegen NAME()")}
	}
	on, err := job.Open(ctx, device.Proven)
	if err != nil {
		return nil, err
	}
	if on == nil {
		return nil, refuse(source.NoSuchDevice, "the reference evaluator has no schedules that could be tuned", "'ricci devices' says what another device lacks")
	}
	if on.Cache == nil {
		return nil, fmt.Errorf("what tuning finds is kept in the kernel cache, which cannot be used")
	}
	s, err := job.Run(on.Target)
	if err != nil {
		return nil, err
	}
	other, _ := job.withoutNames()
	anonymous, err := other.optimised()
	if err != nil {
		return nil, err
	}
	return &Tuning{
		Name: job.Describe(), Configuration: job.configuration(on), Func: s.Func, Default: s.Tree, Machine: job.Machine,
		Numerics: job.Numerics, Sizes: job.Sizes, Strides: job.LoopStrides(), Device: on.Device, Target: on.Target, Cache: on.Cache, Reproducers: ReproducerDir(options),
		Version: Version(), anonymous: anonymous,
	}, nil
}

// Canonical returns the text of a tree of Func without the names of the program.
func (t *Tuning) Canonical(tree *schedule.Tree) (string, error) {
	renamed, err := schedule.Rename(tree, t.Func, t.anonymous)
	if err != nil {
		return "", err
	}
	return schedule.Print(renamed), nil
}

// Named returns the tree of Func that Canonical made a text of, checked.
func (t *Tuning) Named(text string) (*schedule.Tree, error) {
	tree, err := tuned.TreeOf(t.anonymous, text)
	if err != nil {
		return nil, err
	}
	return schedule.Rename(tree, t.anonymous, t.Func)
}
