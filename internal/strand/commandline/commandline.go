// Package commandline is the command line that the programs of the original compiler have: flags for
// the inputs, the outputs and the run of a program of strands.
package commandline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// How it works
//
// A program gives a list of flags (flags, below): those of every program, one for each input, and one
// or two for each output. Parse goes through the words of a command line as Teem's hest does, with
// which the original reads them: a word is a flag where it is written as one exactly, all other words
// are values of the flag before them, so that numbers may be negative; a flag that takes a number of
// values takes that many; of flags that are given twice the last one holds. The result is a Request.
// Names are those of the original, messages are not.

// Settings are those of the compilation that change the flags.
type Settings struct {
	Snapshot bool // --snapshot
	// Name is what the program is called in its help.
	Name string
}

// A kind is what a flag does with its values.
type kind uint8

const (
	isSwitch kind = iota
	isNumber      // a whole number, not negative
	isText
	isInput
	isOutput
	isPrefix // of snapshots
)

// A flag is a row of the table.
type flag struct {
	short, long string // without dashes; one of them may be empty
	kind        kind
	name        string // of the input or output
	value       string // what stands behind it, in the help
	doc         string
	fallback    string // its default, in the help
	required    bool
}

// words are the two ways to write a flag.
func (f *flag) words() []string {
	var list []string
	if f.short != "" {
		list = append(list, "-"+f.short)
	}
	if f.long != "" {
		list = append(list, "--"+f.long)
	}
	return list
}

// A Line is the command line of a program.
type Line struct {
	program  *strand.Program
	settings Settings
	flags    []*flag
}

// New makes the table of flags. An input whose name is that of another flag is refused.
func New(p *strand.Program, settings Settings) (*Line, error) {
	l := &Line{program: p, settings: settings}
	l.standard()
	for _, v := range p.ByRole(strand.Input) {
		l.flags = append(l.flags, l.input(v))
	}
	for _, i := range p.Images {
		if i.Input {
			l.flags = append(l.flags, imageFlag(i))
		}
	}
	l.outputs()
	return l, l.collisions()
}

// standard are the flags of every program. Only parallel programs of the original have -n, which an
// input may have for its name.
func (l *Line) standard() {
	workers := strand.WorkersFlag
	for _, v := range l.program.ByRole(strand.Input) {
		if v.Name == workers {
			workers = ""
		}
	}
	for _, i := range l.program.Images {
		if i.Input && i.Name == workers {
			workers = ""
		}
	}
	for _, f := range strand.StandardFlags() {
		one := &flag{short: f.Short, long: f.Long, kind: isText, value: f.Value, fallback: f.Fallback, doc: f.Doc}
		switch f.Value {
		case "":
			one.kind = isSwitch
		case "<N>":
			one.kind = isNumber
		}
		switch {
		case f.Short == strand.SnapshotFlag && !l.settings.Snapshot:
			continue
		case f.Short == strand.WorkersFlag:
			one.short = workers
		}
		l.flags = append(l.flags, one)
	}
}

func (l *Line) input(v *strand.Variable) *flag {
	f := &flag{short: v.Name, kind: isInput, name: v.Name, doc: v.Doc, required: v.Default == nil && v.File == "", fallback: v.File}
	switch {
	case v.Type.Dynamic:
		f.value = "<file>"
	case v.Type.IsScalar():
		f.value = map[strand.Elem]string{strand.Bool: "<bool>", strand.Int: "<int>", strand.Real: "<x>", strand.String: "<str>"}[v.Type.Elem]
	default:
		f.value = "<" + strings.Join(coordinates(v.Type.Width()), " ") + ">"
	}
	var list []string
	for _, c := range v.Default {
		switch {
		case v.Type.Elem == strand.String:
			list = append(list, l.program.Strings[c.Int()])
		case c.DType.IsFloat():
			list = append(list, strconv.FormatFloat(c.Float(), 'g', -1, 8*c.DType.Size()))
		case v.Type.Elem == strand.Bool:
			list = append(list, fmt.Sprint(c.Int() != 0))
		default:
			list = append(list, fmt.Sprint(c.Int()))
		}
	}
	if v.Default != nil {
		f.fallback = strings.Join(list, " ")
	}
	return f
}

// coordinates are names of numbers: x y z, or x0 x1 … where there are more than four.
func coordinates(n int) []string {
	if n <= 4 {
		return []string{"x", "y", "z", "w"}[:n]
	}
	list := make([]string, n)
	for k := range list {
		list[k] = fmt.Sprintf("x%d", k)
	}
	return list
}

func imageFlag(i *strand.Image) *flag {
	return &flag{short: i.Name, kind: isInput, name: i.Name, value: "<file>", doc: i.Doc, fallback: i.File, required: i.File == ""}
}

// outputs has one flag where there is one output, else one for each with its name.
func (l *Line) outputs() {
	list := l.program.Outputs()
	for _, v := range list {
		suffix, of, what, file := "", "", "the file", v.Name+".nrrd"
		if len(list) > 1 {
			suffix, of = "-"+v.Name, " of the output "+v.Name
		}
		if v.Type.Dynamic {
			what, file = "the prefix of the files", v.Name
		}
		l.flags = append(l.flags, &flag{short: "o" + suffix, long: "output" + suffix, kind: isOutput, name: v.Name, value: "<file>", fallback: file, doc: what + of})
		if l.settings.Snapshot {
			l.flags = append(l.flags, &flag{short: "sp" + suffix, long: "snapshot-prefix" + suffix, kind: isPrefix, name: v.Name, value: "<str>", fallback: v.Name,
				doc: "the prefix of the snapshots" + of})
		}
	}
}

// collisions refuses inputs whose flag is one of another row.
func (l *Line) collisions() error {
	var problems source.ErrorList
	for k, f := range l.flags {
		for _, other := range l.flags[:k] {
			if !slices.ContainsFunc(f.words(), func(w string) bool { return slices.Contains(other.words(), w) }) {
				continue
			}
			input := f
			if input.kind != isInput {
				input = other
			}
			d := &source.Diagnostic{Code: source.StrandFlagName, Span: l.placeOf(input.name),
				Message: fmt.Sprintf("the input %s would be the flag -%s, which means something else", input.name, input.name)}
			problems = append(problems, d.WithHelp("rename it, or give it as 'ricci run FILE -i %s=VALUE'", input.name))
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// placeOf is where an input is declared.
func (l *Line) placeOf(name string) source.Span {
	if v := l.program.Variable(name); v != nil {
		return v.Pos
	}
	for _, i := range l.program.Images {
		if i.Name == name {
			return i.Pos
		}
	}
	return l.program.Pos
}
