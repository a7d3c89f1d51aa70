package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/source"
)

// Levels lists the levels of instructions that the machine can run, the least first.
func Levels() []string { return namesOf(levelsOf(machine.Host())) }

// AllLevels lists the levels that Ricci knows.
func AllLevels() []string { return namesOf(machine.InstructionLevels()) }

func namesOf(list []machine.InstructionLevel) []string {
	names := make([]string, len(list))
	for i, l := range list {
		names[i] = l.Name
	}
	return names
}

func levelsOf(m *machine.Processor) []machine.InstructionLevel {
	best := machine.InstructionLevelOf(m.Features)
	return slices.DeleteFunc(machine.InstructionLevels(), func(l machine.InstructionLevel) bool { return !best.Has(l) })
}

// level finds the level that the options name.
func (o Options) level(m *machine.Processor) (machine.InstructionLevel, bool) {
	levels := levelsOf(m)
	if o.Shown {
		levels = machine.InstructionLevels()
	}
	if at := slices.IndexFunc(levels, func(l machine.InstructionLevel) bool { return l.Name == o.Level }); at >= 0 {
		return levels[at], true
	}
	return machine.InstructionLevel{}, false
}

// checkLevel reports a level that the machine does not have, or that nobody knows where code is only shown.
func (o Options) checkLevel(s *site) error {
	if o.Level == "" {
		return nil
	}
	names, message := namesOf(levelsOf(s.here)), fmt.Sprintf("%s has no level of instructions %q", s.name(), o.Level)
	if o.Shown {
		names, message = AllLevels(), fmt.Sprintf("there is no level of instructions %q", o.Level)
	}
	if !slices.Contains(names, o.Level) {
		d := &source.Diagnostic{Code: source.NoSuchTarget, Message: message}
		return source.ErrorList{d.WithHelp("the levels are %s", strings.Join(names, ", "))}
	}
	return nil
}
