package main

import (
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
	shown   bool // nothing runs
	// numerics is the mode of numerics.
	numerics string
}

func (s *scheduleFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.path, "schedule", "", "use the schedule in `FILE`: a tree or parameters as 'show --stage schedule' and '--stage mdh' print them, TC's mapping options, or a TeML script")
	s.registerNumerics(cmd)
	cmd.Flags().BoolVar(&s.untuned, "untuned", false, "leave out what 'ricci tune' found")
}

// registerNumerics registers the flag of verbs that make code.
func (s *scheduleFlags) registerNumerics(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.numerics, "numerics", ricci.DefaultNumerics, "what may happen to floating-point numbers: "+strings.Join(ricci.NumericsModes(), ", ")+" (docs/numerics.md)")
	completeValues(cmd, map[string]completion{"numerics": fixed(ricci.NumericsModes())})
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
	if s.path == "" {
		return nil
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
