package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/ricci-lang/ricci"
)

// The values of --check.
const (
	checkSample = "sample" // of large programs
	checkAll    = "all"
)

func checkModes() []string { return []string{checkSample, checkAll} }

// checkReport is the outcome of --check.
type checkReport struct {
	OK        bool   `json:"ok"`
	Error     string `json:"error,omitempty"` // why it is not
	Tolerance string `json:"tolerance"`
	// Outputs are compared on the numbers of the call, WholeNumbers on such that results should
	// be equal.
	Outputs      map[string]checkedOutput `json:"outputs"`
	WholeNumbers map[string]checkedOutput `json:"whole_numbers,omitempty"`
	Rounding     []string                 `json:"rounding,omitempty"` // functions that are exact on no numbers
	Sizes        map[string]int64         `json:"sizes,omitempty"`    // smaller ones, at which it was done
	Remarks      []string                 `json:"remarks,omitempty"`  // what was not compared
}

type checkedOutput struct {
	Of         int     `json:"of"`       // elements that the output has
	Elements   int     `json:"elements"` // that were looked at
	Compared   int     `json:"compared"` // that do not hang on a rounding
	Exact      int     `json:"exact"`    // that have to be equal
	Mismatches int     `json:"mismatches"`
	Ambiguous  int     `json:"ambiguous"`
	Notices    float64 `json:"notices"`  // the relative error that would be noticed
	Likely     float64 `json:"likely"`   // that would be unlikely for independent roundings
	Unlikely   int     `json:"unlikely"` // elements that are so
	Worst      string  `json:"worst,omitempty"`
	Error      float64 `json:"error"`   // of the worst element
	Allowed    float64 `json:"allowed"` // for the worst element
}

func (c *call) check(ctx context.Context, flags *runFlags) (*checkReport, error) {
	found, err := c.kernel.Check(ctx, c.args.Args, c.results, ricci.CheckOptions{All: flags.check == checkAll, Seed: flags.seed})
	if found == nil {
		return nil, err
	}
	report := &checkReport{
		OK: err == nil, Tolerance: ricci.Tolerance, Outputs: checkedOutputs(found.Values), WholeNumbers: checkedOutputs(found.Exact),
		Rounding: found.Rounding, Sizes: found.Sizes, Remarks: found.Remarks,
	}
	if err != nil {
		report.Error = err.Error()
	}
	return report, err
}

func checkedOutputs(findings map[string]ricci.Finding) map[string]checkedOutput {
	outputs := map[string]checkedOutput{}
	for name, f := range findings {
		out := checkedOutput{
			Of: f.Of, Elements: f.Elements, Compared: f.Compared(), Exact: f.Exact, Mismatches: f.Mismatches, Ambiguous: f.Ambiguous,
			Notices: finite(f.Sharpness), Likely: finite(f.Likely), Unlikely: f.Unlikely,
		}
		if w := f.Worst; w != nil {
			out.Worst, out.Error, out.Allowed = w.String(), finite(w.Error), finite(w.Allowed)
		}
		outputs[name] = out
	}
	return outputs
}

// finite replaces what JSON cannot say by the largest number.
func finite(v float64) float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return math.MaxFloat64
	}
	return v
}

func (r *checkReport) print(t *terminal) {
	for _, name := range sortedKeys(r.Outputs) {
		fmt.Fprintf(t.out, "check: %s %s\n", name, r.Outputs[name].text())
		if exact, ok := r.WholeNumbers[name]; ok {
			fmt.Fprintf(t.out, "check: %s on whole numbers %s%s\n", name, exact.text(), r.inexact(exact))
		}
	}
	if len(r.Sizes) > 0 {
		var list []string
		for _, name := range sortedKeys(r.Sizes) {
			list = append(list, fmt.Sprintf("%s=%d", name, r.Sizes[name]))
		}
		fmt.Fprintf(t.out, "check: this was done on random numbers with %s\n", strings.Join(list, " "))
	}
	for _, remark := range r.Remarks {
		fmt.Fprintf(t.out, "check: %s\n", remark)
	}
}

// inexact says why results on whole numbers need not be equal.
func (r *checkReport) inexact(out checkedOutput) string {
	switch {
	case out.Exact == out.Compared:
		return ""
	case len(r.Rounding) > 0:
		return fmt.Sprintf(" (no numbers are exact through %s)", strings.Join(r.Rounding, ", "))
	}
	return fmt.Sprintf(" (no whole numbers were found that make more than %d of them exact)", out.Exact)
}

// text says what was compared, how sharply, and what was not.
func (out checkedOutput) text() string {
	if out.Mismatches > 0 {
		return fmt.Sprintf("differs in %d of %s", out.Mismatches, countOf(out.Elements, out.Of))
	}
	if out.Compared == 0 && out.Of > 0 {
		return fmt.Sprintf("was not compared: all of %s hang on a rounding or on infinities", countOf(out.Elements, out.Of))
	}
	text := "agrees with the reference in " + out.comparedElements()
	switch {
	case out.Worst == "":
		text = "equals the reference in " + out.comparedElements()
	case out.Notices > 0 && out.Notices < 1:
		text += fmt.Sprintf("; an error of %.1g would be noticed", out.Notices)
	case out.Notices >= 1:
		text += "; only an error as large as the elements would be noticed"
	}
	if out.Unlikely > 0 {
		text += fmt.Sprintf("; %d are farther off than independent roundings leave them (%.1g)", out.Unlikely, out.Likely)
	}
	if out.Ambiguous > 0 {
		text += fmt.Sprintf(" (%d hang on a rounding or on infinities and were not compared)", out.Ambiguous)
	}
	return text
}

// countOf is how many elements were looked at, of how many.
func countOf(elements, of int) string {
	if elements == of {
		return fmt.Sprintf("%d elements", of)
	}
	percent := math.Min(99, 100*float64(elements)/float64(of)) // two digits: never 1e+02
	return fmt.Sprintf("%d drawn elements of %d (%.2g%%)", elements, of, percent)
}

func (out checkedOutput) comparedElements() string {
	switch {
	case out.Ambiguous > 0:
		return fmt.Sprintf("%d of %s", out.Compared, countOf(out.Elements, out.Of))
	case out.Elements < out.Of:
		return countOf(out.Elements, out.Of)
	case out.Elements == 1:
		return "its one element"
	}
	return fmt.Sprintf("all %d elements", out.Elements)
}
