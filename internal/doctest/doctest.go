// Package doctest keeps the documents true: its test runs every command that
// README.md and the tutorial show, and compares what they print with what the
// documents say they print.
package doctest

import (
	"regexp"
	"slices"
	"strings"
)

// How it works
//
// A document is Markdown whose fenced blocks say in their first line what they are:
//
//	```tc sum.tc           a file, written before the commands that follow
//	```console             commands (after "$ ") and their output, both streams
//	```console machine     commands whose output differs between machines: they
//	                       must run, their output is not compared; those that run code with a --level
//	                       of instructions that the machine lacks are left out
//	```console machine long  the same, and they take so long that only sweeps run them
//
// All other blocks are only text. A command that ends with \ goes on in the next
// line. In an output, "..." stands for anything within a line, a line "..." for
// any lines, and numbers with a unit of time, speed or memory for any number. A
// command must fail exactly if its output shows an error or a failed test.

// A Document is Markdown cut into lines, with what was found in them.
type Document struct {
	Lines []string
	Steps []Step // in the order of the text
}

// A Step writes a file or runs a command.
type Step struct {
	Line    int    // of the command or of the file's fence, from 1
	File    string // the name of a file, or empty
	Command string // the command, or empty
	Machine bool   // the output depends on the machine
	Long    bool   // the command is for sweeps
	Level   string // what the command's flag --level names, or empty

	// The output, or the text of the file, is Lines[Start:End].
	Start, End int
}

// Parse finds the steps of a document.
func Parse(text string) *Document {
	d := &Document{Lines: strings.Split(text, "\n")}
	for i := 0; i < len(d.Lines); i++ {
		words := strings.Fields(strings.TrimPrefix(d.Lines[i], "```"))
		if !strings.HasPrefix(d.Lines[i], "```") || len(words) == 0 {
			continue
		}
		end := i + 1
		for end < len(d.Lines) && !strings.HasPrefix(d.Lines[end], "```") {
			end++
		}
		switch {
		case words[0] == "console":
			d.commands(i+1, end, Step{Machine: slices.Contains(words, "machine"), Long: slices.Contains(words, "long")})
		case len(words) > 1:
			d.Steps = append(d.Steps, Step{Line: i + 1, File: words[1], Start: i + 1, End: end})
		}
		i = end
	}
	return d
}

// commands adds the commands of the lines [start, end), of a kind.
func (d *Document) commands(start, end int, kind Step) {
	for i := start; i < end; {
		command, isCommand := strings.CutPrefix(d.Lines[i], "$ ")
		if !isCommand {
			i++
			continue
		}
		step := kind
		step.Line = i + 1
		for i++; strings.HasSuffix(command, "\\") && i < end; i++ {
			command = strings.TrimSuffix(command, "\\") + strings.TrimSpace(d.Lines[i])
		}
		step.Command, step.Start = command, i
		if level := levelFlag.FindStringSubmatch(command); level != nil {
			step.Level = level[1]
		}
		for i < end && !strings.HasPrefix(d.Lines[i], "$ ") {
			i++
		}
		step.End = i
		d.Steps = append(d.Steps, step)
	}
}

// Text is the output or the file of a step.
func (d *Document) Text(s Step) string {
	return strings.TrimRight(strings.Join(d.Lines[s.Start:s.End], "\n"), "\n ")
}

// WithOutputs returns the document with new outputs, by the step's number.
func (d *Document) WithOutputs(outputs map[int]string) string {
	var lines []string
	next := 0
	for i, s := range d.Steps {
		output, changed := outputs[i]
		if !changed {
			continue
		}
		lines = append(lines, d.Lines[next:s.Start]...)
		if output = strings.TrimRight(output, "\n "); output != "" {
			lines = append(lines, strings.Split(output, "\n")...)
		}
		next = s.End
		// Blank lines between an output and the next command stay.
		for next > s.Start && d.Lines[next-1] == "" {
			next--
		}
	}
	return strings.Join(append(lines, d.Lines[next:]...), "\n")
}

var (
	levelFlag   = regexp.MustCompile(`--level[ =](\S+)`)
	measured    = regexp.MustCompile(`\d+(\.\d+)? ?(ns|µs|ms|s|GFLOP/s|GOP/s|GB/s|KB|MB|%)\b`)
	trailing    = regexp.MustCompile(`(?m)[ \t]+$`)
	expectsFail = regexp.MustCompile(`(?m)error\[|^FAIL `)
)

// ExpectsFailure reports whether a command with this output must fail.
func ExpectsFailure(output string) bool { return expectsFail.MatchString(output) }

// Matches reports whether an output is as the document shows it.
func Matches(shown, output string) bool {
	var pattern strings.Builder
	pattern.WriteString(`\A`)
	for line := range strings.SplitSeq(normal(shown), "\n") {
		if strings.TrimSpace(line) == "..." {
			pattern.WriteString(`(?:.*\n)*`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, `.*`) + `\n`)
	}
	pattern.WriteString(`\z`)
	return regexp.MustCompile(pattern.String()).MatchString(normal(output) + "\n")
}

// normal replaces what may differ from run to run.
func normal(text string) string {
	text = trailing.ReplaceAllString(strings.TrimSpace(text), "")
	return measured.ReplaceAllString(text, "#")
}
