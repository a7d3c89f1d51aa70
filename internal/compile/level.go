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
	best := m.InstructionLevel()
	return slices.DeleteFunc(machine.InstructionLevels(), func(l machine.InstructionLevel) bool { return !best.Has(l) })
}

// How the level follows the machine
//
// What is known of a machine that is described holds for its instructions. So code for it is kept to the best level whose
// instructions it has: a processor with more would make other code of the same C text, and what stores under masks cost,
// for instance, would be wrong of it. Where the machine at hand is of the same level, code is made for it as for itself.

// levelOfCode is the level that code for a machine is kept to, "" for all its instructions.
func (o Options) levelOfCode(here *machine.Processor) string {
	if o.Level != "" {
		return o.Level
	}
	m, err := o.described()
	if m == nil || err != nil {
		return ""
	}
	if l := m.InstructionLevel(); l.Name != here.InstructionLevel().Name {
		return l.Name
	}
	return ""
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

// checkLevel reports a level that the machine does not have, at hand or described, or that nobody knows where code is only
// shown.
func (o Options) checkLevel(s *site, described *machine.Processor) error {
	if o.Level == "" {
		return nil
	}
	names, message := namesOf(levelsOf(s.here)), fmt.Sprintf("%s has no level of instructions %q", s.name(), o.Level)
	if o.Shown {
		names, message = AllLevels(), fmt.Sprintf("there is no level of instructions %q", o.Level)
	}
	if described != nil && slices.Contains(names, o.Level) {
		names, message = namesOf(levelsOf(described)), fmt.Sprintf("the machine that is described has no level of instructions %q", o.Level)
	}
	if !slices.Contains(names, o.Level) {
		d := &source.Diagnostic{Code: source.NoSuchTarget, Message: message}
		return source.ErrorList{d.WithHelp("the levels are %s", strings.Join(names, ", "))}
	}
	return nil
}
