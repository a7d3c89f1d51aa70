package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/report"
	"github.com/ricci-lang/ricci/internal/source"
)

// guarding is the flag --guard of check, and what the guard has found so far.
type guarding struct {
	mode   string
	counts map[ricci.GuardVerdict]int
}

// The values of --guard.
const (
	guardLenient = "lenient"
	guardStrict  = "strict"
)

func (g *guarding) register(cmd *cobra.Command) {
	cmd.Flags().Var((*guardMode)(&g.mode), "guard", "judge every def by the typing rules of TeIL; =strict makes it an error that a def cannot be expressed")
	cmd.Flags().Lookup("guard").NoOptDefVal = guardLenient
	completeValues(cmd, map[string]completion{"guard": fixed([]string{guardLenient, guardStrict})})
}

// guardMode is the value of --guard. It has no type, so that the help shows "--guard[=lenient]".
type guardMode string

func (m *guardMode) String() string { return string(*m) }

func (m *guardMode) Set(text string) error {
	*m = guardMode(text)
	return nil
}

func (m *guardMode) Type() string { return "" }

func (g *guarding) validate() error {
	g.counts = map[ricci.GuardVerdict]int{}
	switch g.mode {
	case "", guardLenient, guardStrict:
		return nil
	}
	return usagef("--guard is %s or %s, not %s", guardLenient, guardStrict, g.mode)
}

// judge asks the guard about every def of a program.
func (g *guarding) judge(r *fileReport, program *ricci.Program) error {
	if g.mode == "" || program == nil {
		return nil
	}
	for n, d := range program.Defs() {
		verdict, err := d.Guard()
		if err != nil {
			return err
		}
		g.counts[verdict.Verdict]++
		said := &report.Guard{Guard: verdict}
		r.Defs[n].Guard = said
		if verdict.Problem == nil {
			continue
		}
		found := *verdict.Problem
		if g.mode == guardStrict {
			found.Severity = source.Error
		}
		problem := report.NewDiagnostic(&found)
		said.Problem = &problem
		if found.Severity == source.Error {
			r.OK = false
			r.list = append(r.list, &found)
			r.Diagnostics = append(r.Diagnostics, problem)
		}
	}
	return nil
}

// printGuard writes the verdict with its reason, and the TeIL program.
func printGuard(t *terminal, g *report.Guard) {
	line := "  guard: " + string(g.Verdict)
	for n, c := range g.Conditions {
		line += [...]string{" when ", ", "}[min(n, 1)] + c.Text
	}
	if len(g.MayBeZero) > 0 {
		line += fmt.Sprintf(" (%s may be 0)", strings.Join(g.MayBeZero, ", "))
	}
	if g.Problem != nil {
		line += ": " + g.Problem.Message
	}
	if g.Construct != "" {
		line += "; " + g.Problem.Help
	}
	fmt.Fprintln(t.out, line)
	for text := range strings.Lines(g.Program) {
		fmt.Fprintf(t.out, "    %s", text)
	}
}

// summary writes how many defs have which verdict.
func (g *guarding) summary(t *terminal) {
	total := 0
	for _, n := range g.counts {
		total += n
	}
	if total > 1 {
		fmt.Fprintf(t.out, "guard: of %d defs %d are safe, %d not expressible, %d refused\n", total,
			g.counts[ricci.GuardSafe], g.counts[ricci.GuardNotExpressible], g.counts[ricci.GuardRefused])
	}
}

// withDirectories replaces each directory by the programs below it.
func withDirectories(args []string) ([]string, error) {
	var paths []string
	for _, arg := range args {
		below := []string{arg}
		if info, err := os.Stat(arg); err == nil && info.IsDir() {
			if below, err = programs(below); err != nil {
				return nil, err
			}
		}
		paths = append(paths, below...)
	}
	return paths, nil
}
