// Package sourcetest compares the diagnostics of a stage with expectations that
// stand in comments of the program itself.
package sourcetest

import (
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// A line of a test program that ends in
//
//	### "regexp" "regexp" …
//
// expects that many diagnostics on that line, each matched by one of the regular
// expressions in the form
//
//	error[E0105]: found … help: …
//
// with the notes between the message and the help. "###" starts a comment in
// notations with # comments; Marker can be another text in other notations.

// Marker introduces the expectations of a line.
const Marker = "###"

// TB is the part of testing.TB that Expect needs.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// Expect fails the test for each diagnostic that no expectation of its line
// matches, and for each expectation without its diagnostic.
func Expect(t TB, file *source.File, diagnostics []*source.Diagnostic) {
	t.Helper()
	for _, problem := range Compare(file, diagnostics) {
		t.Errorf("%s", problem)
	}
}

// Compare returns what Expect would report, in the order of the lines.
func Compare(file *source.File, diagnostics []*source.Diagnostic) []string {
	expected, problems := expectations(file)
	for _, d := range diagnostics {
		line := 0
		if d.Span.IsValid() {
			line = file.Position(d.Span.Start).Line
		}
		if text := describe(d); !expected.take(line, text) {
			problems = append(problems, fmt.Sprintf("%s:%d: unexpected %s", file.Name, line, text))
		}
	}
	lines := make([]int, 0, len(expected))
	for line := range expected {
		lines = append(lines, line)
	}
	sort.Ints(lines)
	for _, line := range lines {
		for _, pattern := range expected[line] {
			problems = append(problems, fmt.Sprintf("%s:%d: missing a diagnostic that matches %q", file.Name, line, pattern))
		}
	}
	return problems
}

// describe writes a diagnostic in one line.
func describe(d *source.Diagnostic) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s[%s]: %s", d.Severity, d.Code, d.Message)
	for _, note := range d.Notes {
		fmt.Fprintf(&b, " note: %s", note.Message)
	}
	if d.Help != "" {
		fmt.Fprintf(&b, " help: %s", strings.ReplaceAll(d.Help, "\n", " "))
	}
	return b.String()
}

// patterns are the expectations that are still open, by line.
type patterns map[int][]*regexp.Regexp

// take removes the first expectation of a line that matches the text.
func (p patterns) take(line int, text string) bool {
	for i, pattern := range p[line] {
		if pattern.MatchString(text) {
			p[line] = append(p[line][:i:i], p[line][i+1:]...)
			return true
		}
	}
	return false
}

// expectations reads the markers of a file, and reports those that are malformed.
func expectations(file *source.File) (patterns, []string) {
	expected, problems := patterns{}, []string(nil)
	for i, line := range strings.Split(file.Text, "\n") {
		_, rest, found := strings.Cut(line, Marker)
		if !found {
			continue
		}
		for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				problems = append(problems, fmt.Sprintf("%s:%d: expectations are quoted regular expressions, found %s", file.Name, i+1, rest))
				break
			}
			rest = rest[len(quoted):]
			text, err := strconv.Unquote(quoted)
			if err == nil {
				var pattern *regexp.Regexp
				if pattern, err = regexp.Compile(text); err == nil {
					expected[i+1] = append(expected[i+1], pattern)
					continue
				}
			}
			problems = append(problems, fmt.Sprintf("%s:%d: %s: %v", file.Name, i+1, quoted, err))
		}
	}
	return expected, problems
}
