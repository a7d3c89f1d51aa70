package compile

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/tune/tuned"
)

// How tuned schedules are used
//
// Package tune leaves the schedules that it finds in the cache, as texts that
// belong to a configuration (package internal/tune/tuned). Every compilation looks
// there first, unless a schedule is given or Options.Untuned is set. What another version of
// Ricci found is not used, which a notice says. One that does not fit any more, because Ricci has changed since, is left out with a notice.

// configuration is what a tuned schedule for this compilation is filed under.
func (j *Job) configuration(a *Opened) *tuned.Configuration {
	anonymous, _ := j.withoutNames()
	configuration := &tuned.Configuration{
		Program: strings.TrimRight(ein.Print(anonymous.Func), "\n") + "\n", Target: a.Target.Name(),
		Compiler: tuned.CompilerText(a.Device), Machine: j.machineName(), Numerics: tuned.NumericsText(j.Numerics),
		Sizes: map[string]int64{}, Strides: anonymous.Strides, Version: tuned.Version(),
	}
	for _, s := range anonymous.Func.Sizes {
		if anonymous.Keep[s.Name] {
			configuration.Dynamic = append(configuration.Dynamic, s.Name)
		} else {
			configuration.Sizes[s.Name] = anonymous.Sizes[s.Name]
		}
	}
	return configuration
}

// machineName names what schedules are made for: this machine, or another one that is described, by its user or a device.
func (j *Job) machineName() string {
	if j.site.other {
		return tuned.DescribedText(j.Machine)
	}
	return tuned.MachineText(j.Machine)
}

// FindTuned looks for a tuned schedule.
func (j *Job) FindTuned(a *Opened) {
	if j.Options.Untuned || j.Options.Level != "" || j.script() != "" || a.Cache == nil {
		return
	}
	store := tuned.In(a.Cache)
	if store.Empty() {
		return
	}
	var err error
	configuration := j.configuration(a)
	if j.Tuned, err = store.Get(configuration); err != nil {
		j.Options.notice("the tuned schedule of %s is left out: %v", j.Def.Name, err)
	}
	if j.Tuned != nil || err != nil {
		return
	}
	if others := store.Others(configuration); len(others) > 0 {
		j.Options.notice("a schedule of %s that version %s of Ricci tuned is not used by version %s; 'ricci tune' tries it again", j.Def.Name, cmp.Or(others[0].Version, "?"), configuration.Version)
	}
}

// FindTunedAnywhere is findTuned for steps that need no device but for the name
// of the configuration; without one there is no tuned schedule.
func (j *Job) FindTunedAnywhere(ctx context.Context) {
	notice := j.Options.Notice
	j.Options.Notice = nil
	a, err := j.Open(ctx, device.Asked)
	if j.Options.Notice = notice; err == nil && a != nil {
		j.FindTuned(a)
	}
}

// orderAsTuned makes the loops of the tuned schedule, if it fits.
func (j *Job) orderAsTuned(s *Steps) bool {
	var err error
	if s.Tree, err = j.tunedTree(s.Func); err == nil {
		err = j.makeLoops(s)
	}
	if err != nil {
		j.Options.notice("the tuned schedule of %s does not fit any more, the default is used; 'ricci tune' finds a new one (%v)", j.Def.Name, err)
		return false
	}
	s.Kind = plan.TunedSchedule
	return true
}

// tunedTree returns the tuned tree for f, which has the names of this compilation.
func (j *Job) tunedTree(f *ein.Func) (*schedule.Tree, error) {
	anonymous := f
	if j.named == nil { // the names are the user's
		var err error
		other, _ := j.withoutNames()
		if anonymous, err = other.optimised(); err != nil {
			return nil, err
		}
	}
	tree, err := tuned.TreeOf(anonymous, j.Tuned.Tree)
	if err != nil || anonymous == f {
		return tree, err
	}
	return schedule.Rename(tree, anonymous, f)
}

// ScheduleText prints the schedule, and says when it is tuned.
func (j *Job) ScheduleText(s *Steps) string {
	text := j.numericsText(s) + MemoryText(s.Loop, j.Options) + schedule.Print(s.Tree)
	for i := len(s.Says) - 1; i >= 0; i-- {
		text = "# " + s.Says[i] + "\n" + text
	}
	if s.Kind == plan.TunedSchedule {
		text = "# tuned: " + j.Tuned.Summary() + "\n" + text
	}
	return text
}

// numericsText says in comments which contract about floats the code keeps, and where it is not that of the
// text.
func (j *Job) numericsText(s *Steps) string {
	var b strings.Builder
	if j.Numerics != numerics.Default {
		fmt.Fprintf(&b, "# numerics: %s\n", j.Numerics)
	}
	for _, remark := range s.Func.Remarks {
		fmt.Fprintf(&b, "# numerics: %s\n", remark)
	}
	return b.String()
}
