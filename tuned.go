package ricci

import (
	"cmp"
	"context"
	"fmt"
	"strings"

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

// How tuned schedules are used
//
// Package tune leaves the schedules that it finds in the cache, as texts that
// belong to a configuration (package internal/tune/tuned). Every compilation looks
// there first, unless a schedule is given or Options.Untuned is set. What another version of
// Ricci found is not used, which a notice says. One that does not fit any more, because Ricci has changed since, is left out with a notice.

// A ScheduleKind says where the schedule of a kernel is from.
type ScheduleKind string

// The kinds of schedules.
const (
	DefaultSchedule ScheduleKind = "default" // chosen by Ricci without measuring
	GivenSchedule   ScheduleKind = "given"   // by Options.Schedule, or by the program
	TunedSchedule   ScheduleKind = "tuned"   // found by tuning, on this machine
	PlainSchedule   ScheduleKind = "plain"   // tiles for each statement, or the order of the program, for want of a better one
)

// configuration is what a tuned schedule for this compilation is filed under.
func (j *compilation) configuration(a *opened) *tuned.Configuration {
	anonymous, _ := j.withoutNames()
	configuration := &tuned.Configuration{
		Program: strings.TrimRight(ein.Print(anonymous.f), "\n") + "\n", Target: a.target.Name(),
		Compiler: tuned.CompilerText(a.device), Machine: j.machineText(), Numerics: tuned.NumericsText(j.numerics),
		Sizes: map[string]int64{}, Strides: anonymous.strides, Version: tuned.Version(),
	}
	for _, s := range anonymous.f.Sizes {
		if anonymous.keep[s.Name] {
			configuration.Dynamic = append(configuration.Dynamic, s.Name)
		} else {
			configuration.Sizes[s.Name] = anonymous.sizes[s.Name]
		}
	}
	return configuration
}

// machineText names what schedules are made for: this machine, or on it one that is described.
func (j *compilation) machineText() string {
	if j.options.Machine != "" {
		return tuned.DescribedText(j.machine)
	}
	return tuned.MachineText(j.machine)
}

// findTuned looks for a tuned schedule.
func (j *compilation) findTuned(a *opened) {
	if j.options.Untuned || j.options.Level != "" || j.script() != "" || a.cache == nil {
		return
	}
	store := tuned.In(a.cache)
	if store.Empty() {
		return
	}
	var err error
	configuration := j.configuration(a)
	if j.tuned, err = store.Get(configuration); err != nil {
		j.options.notice("the tuned schedule of %s is left out: %v", j.def.Name(), err)
	}
	if j.tuned != nil || err != nil {
		return
	}
	if others := store.Others(configuration); len(others) > 0 {
		j.options.notice("a schedule of %s that version %s of Ricci tuned is not used by version %s; 'ricci tune' tries it again", j.def.Name(), cmp.Or(others[0].Version, "?"), configuration.Version)
	}
}

// findTunedAnywhere is findTuned for steps that need no device but for the name
// of the configuration; without one there is no tuned schedule.
func (j *compilation) findTunedAnywhere(ctx context.Context) {
	quiet := j.options
	quiet.Notice = nil
	if a, err := quiet.open(ctx, device.Asked); err == nil && a != nil {
		j.findTuned(a)
	}
}

// orderAsTuned makes the loops of the tuned schedule, if it fits.
func (j *compilation) orderAsTuned(s *stages) bool {
	var err error
	if s.schedule, err = j.tunedTree(s.ein); err == nil {
		err = j.makeLoops(s)
	}
	if err != nil {
		j.options.notice("the tuned schedule of %s does not fit any more, the default is used; 'ricci tune' finds a new one (%v)", j.def.Name(), err)
		return false
	}
	s.kind = TunedSchedule
	return true
}

// tunedTree returns the tuned tree for f, which has the names of this compilation.
func (j *compilation) tunedTree(f *ein.Func) (*schedule.Tree, error) {
	anonymous := f
	if j.named == nil { // the names are the user's
		var err error
		other, _ := j.withoutNames()
		if anonymous, err = other.optimised(); err != nil {
			return nil, err
		}
	}
	tree, err := tuned.TreeOf(anonymous, j.tuned.Tree)
	if err != nil || anonymous == f {
		return tree, err
	}
	return schedule.Rename(tree, anonymous, f)
}

// scheduleText prints the schedule, and says when it is tuned.
func (j *compilation) scheduleText(s *stages) string {
	text := j.numericsText(s) + memoryText(s.loop, j.options) + schedule.Print(s.schedule)
	for i := len(s.says) - 1; i >= 0; i-- {
		text = "# " + s.says[i] + "\n" + text
	}
	if s.kind == TunedSchedule {
		text = "# tuned: " + j.tuned.Summary() + "\n" + text
	}
	return text
}

// numericsText says in comments which contract about floats the code keeps, and where it is not that of the
// text.
func (j *compilation) numericsText(s *stages) string {
	var b strings.Builder
	if j.numerics != numerics.Default {
		fmt.Fprintf(&b, "# numerics: %s\n", j.numerics)
	}
	for _, remark := range s.ein.Remarks {
		fmt.Fprintf(&b, "# numerics: %s\n", remark)
	}
	return b.String()
}

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
	job, err := d.job(signature, options)
	if err != nil {
		return nil, err
	}
	if job.script() != "" {
		e := &Diagnostic{Code: source.ScheduleChoice, Span: d.info.Pos, Message: d.Name() + " has loops of its own, which no tuned schedule replaces"}
		return nil, ErrorList{e.WithHelp("tune the same assignments without loops: codegen NAME()")}
	}
	on, err := options.open(ctx, device.Proven)
	if err != nil {
		return nil, err
	}
	if on == nil {
		return nil, refuse(source.NoSuchDevice, "the reference evaluator has no schedules that could be tuned", "'ricci devices' says what another device lacks")
	}
	if on.cache == nil {
		return nil, fmt.Errorf("what tuning finds is kept in the kernel cache, which cannot be used")
	}
	s, err := job.run(on.target)
	if err != nil {
		return nil, err
	}
	other, _ := job.withoutNames()
	anonymous, err := other.optimised()
	if err != nil {
		return nil, err
	}
	return &Tuning{
		Name: job.describe(), Configuration: job.configuration(on), Func: s.ein, Default: s.schedule, Machine: job.machine,
		Numerics: job.numerics, Sizes: job.sizes, Strides: job.loopStrides(), Device: on.device, Target: on.target, Cache: on.cache, Reproducers: reproducerDir(options),
		Version: codegenVersion(), anonymous: anonymous,
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
