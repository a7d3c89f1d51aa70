package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci"
)

// scheduleFlags are the flags of verbs that compile, about the order of
// computation.
type scheduleFlags struct {
	path    string
	untuned bool
	level   string
	machine string // a file, or a name of ricci.Machines
	shown   bool   // nothing runs
	// numerics is the mode of numerics.
	numerics string
}

func (s *scheduleFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.path, "schedule", "", "use the schedule in `FILE`: a tree or parameters as 'show --stage schedule' and '--stage mdh' print them, TC's mapping options, or a TeML script")
	s.registerNumerics(cmd)
	s.registerMachine(cmd)
	cmd.Flags().BoolVar(&s.untuned, "untuned", false, "leave out what 'ricci tune' found")
}

// registerNumerics registers the flag of verbs that make code.
func (s *scheduleFlags) registerNumerics(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.numerics, "numerics", ricci.DefaultNumerics, "what may happen to floating-point numbers: "+strings.Join(ricci.NumericsModes(), ", ")+" (docs/numerics.md)")
	completeValues(cmd, map[string]completion{"numerics": fixed(ricci.NumericsModes())})
}

// registerMachine registers the flag of verbs that make schedules.
func (s *scheduleFlags) registerMachine(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.machine, "machine", "", "make schedules for the machine in `FILE`, as 'doctor --machine' prints it, or for one of "+strings.Join(ricci.Machines(), ", "))
}

// registerLevel registers the flag of verbs whose code runs here, or is shown.
func (s *scheduleFlags) registerLevel(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.level, "level", "", "keep to a `LEVEL` of instructions that lesser machines have, such as avx2")
	completeValues(cmd, map[string]completion{"level": func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		return fixed(s.levels())(cmd, args, begun)
	}})
}

// levels are those that the machine has, or all where code is only shown.
func (s *scheduleFlags) levels() []string {
	if s.shown {
		return ricci.AllLevels()
	}
	return ricci.Levels()
}

// set puts what the flags say into the options.
func (s *scheduleFlags) set(t *terminal, options *ricci.Options) error {
	options.Untuned, options.Level, options.Numerics = s.untuned, s.level, s.numerics
	if err := oneOf("--numerics", s.numerics, ricci.NumericsModes()); err != nil {
		return err
	}
	if s.level != "" {
		if err := oneOf("--level", s.level, s.levels()); err != nil {
			return err
		}
	}
	if err := s.setMachine(t, options); err != nil || s.path == "" {
		return err
	}
	text, err := t.readFile(s.path)
	if err != nil {
		return err
	}
	options.Schedule, options.ScheduleFile = text, s.path
	if s.path == dash {
		options.ScheduleFile = "stdin"
	}
	if len(text) == 0 {
		return usagef("--schedule %s: the file is empty", s.path)
	}
	return nil
}

// setMachine puts the machine into the options: that of a name, or of a file.
func (s *scheduleFlags) setMachine(t *terminal, options *ricci.Options) (err error) {
	if s.machine == "" {
		return nil
	}
	if text, ok := ricci.MachineText(s.machine); ok {
		options.Machine, options.MachineFile = text, s.machine
		return nil
	}
	if options.Machine, err = t.readFile(s.machine); err != nil {
		return fmt.Errorf("%w; the machines with a name are %s", err, strings.Join(ricci.Machines(), ", "))
	}
	options.MachineFile = s.machine
	if strings.TrimSpace(options.Machine) == "" {
		return usagef("--machine %s: the file is empty", s.machine)
	}
	return nil
}
