package ricci

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target/c"
)

// Levels lists the levels of instructions that the machine can run, the least first: the values
// of Options.Level, and those that libraries of Build have kernels for.
func Levels() []string {
	var names []string
	for _, l := range levelsOf(schedule.Host()) {
		names = append(names, l.Name)
	}
	return names
}

func levelsOf(m *schedule.Machine) []c.Level {
	best := c.LevelOf(m.Features)
	return slices.DeleteFunc(c.Levels(), func(l c.Level) bool { return !best.Has(l) })
}

// level finds the level that the options name.
func (o Options) level(m *schedule.Machine) (c.Level, bool) {
	levels := levelsOf(m)
	if at := slices.IndexFunc(levels, func(l c.Level) bool { return l.Name == o.Level }); at >= 0 {
		return levels[at], true
	}
	return c.Level{}, false
}

// checkLevel reports a level that the machine does not have.
func (o Options) checkLevel() error {
	if o.Level == "" {
		return nil
	}
	if names := Levels(); !slices.Contains(names, o.Level) {
		d := &Diagnostic{Code: source.NoSuchTarget, Message: fmt.Sprintf("this machine has no level of instructions %q", o.Level)}
		return ErrorList{d.WithHelp("its levels are %s", strings.Join(names, ", "))}
	}
	return nil
}
