package commandline

import (
	"strconv"

	"github.com/ricci-lang/ricci/internal/source"
)

// A Request is what a command line asks for.
type Request struct {
	Help, Verbose, Timing bool
	Limit, Workers        int
	Print                 string // "-" is the standard output
	Every                 int    // super-steps between snapshots; 0 is none
	Values                map[string][]string
	// Outputs and Snapshots are the files and prefixes of outputs by their names.
	Outputs, Snapshots map[string]string
}

// Parse reads the words of a command line. Errors of all of them are in the list.
func (l *Line) Parse(words []string) (*Request, error) {
	r := &Request{Print: "-", Values: map[string][]string{}, Outputs: map[string]string{}, Snapshots: map[string]string{}}
	for _, f := range l.flags {
		switch f.kind {
		case isOutput:
			r.Outputs[f.name] = f.fallback
		case isPrefix:
			r.Snapshots[f.name] = f.fallback
		}
	}
	p := &reading{line: l, request: r, rest: words}
	for len(p.rest) > 0 && !r.Help {
		p.next()
	}
	if !r.Help {
		p.missing()
	}
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	return r, nil
}

type reading struct {
	line     *Line
	request  *Request
	rest     []string
	problems source.ErrorList
}

func (p *reading) errorf(format string, args ...any) *source.Diagnostic {
	var list source.Diagnostics
	d := list.Errorf(source.StrandArguments, source.Span{}, format, args...)
	p.problems = append(p.problems, d)
	return d
}

// find returns the flag that a word is, or nil.
func (l *Line) find(word string) *flag {
	for _, f := range l.flags {
		for _, w := range f.words() {
			if w == word {
				return f
			}
		}
	}
	return nil
}

// next reads a flag with its values.
func (p *reading) next() {
	word := p.rest[0]
	p.rest = p.rest[1:]
	f := p.line.find(word)
	if f == nil {
		p.unknown(word)
		return
	}
	want := p.line.count(f)
	var values []string
	for len(p.rest) > 0 && len(values) < want && p.line.find(p.rest[0]) == nil {
		values, p.rest = append(values, p.rest[0]), p.rest[1:]
	}
	if len(values) < want {
		p.errorf("%s takes %s, found %d", word, counted(want), len(values)).WithHelp("%s %s", word, f.value)
		return
	}
	p.set(f, word, values)
}

func counted(n int) string {
	if n == 1 {
		return "a value"
	}
	return strconv.Itoa(n) + " values"
}

// count is the number of values of a flag.
func (l *Line) count(f *flag) int {
	switch f.kind {
	case isSwitch:
		return 0
	case isInput:
		if v := l.program.Variable(f.name); v != nil && !v.Type.Dynamic {
			return v.Type.Width()
		}
	}
	return 1
}

func (p *reading) set(f *flag, word string, values []string) {
	r := p.request
	switch f.kind {
	case isInput:
		r.Values[f.name] = values
	case isOutput:
		r.Outputs[f.name] = values[0]
	case isPrefix:
		r.Snapshots[f.name] = values[0]
	case isText:
		r.Print = values[0]
	case isSwitch:
		*map[string]*bool{"help": &r.Help, "verbose": &r.Verbose, "timing": &r.Timing}[f.long] = true
	case isNumber:
		n, err := strconv.ParseInt(values[0], 10, 32)
		if err != nil || n < 0 {
			p.errorf("%s takes a whole number that is not negative, found %q", word, values[0])
			return
		}
		*map[string]*int{"limit": &r.Limit, "nworkers": &r.Workers, "snapshot": &r.Every}[f.long] = int(n)
	}
}

// unknown reports a word that is no flag, and leaves out what looks like its values.
func (p *reading) unknown(word string) {
	var names []string
	for _, f := range p.line.flags {
		names = append(names, f.words()...)
	}
	d := p.errorf("%q is no flag of the program", word)
	switch near := source.Suggest(word, names); {
	case word == "-s" || word == "-sp" || word == "--snapshot":
		d.Help = "snapshots are asked for when the program is compiled: ricci run FILE --snapshot -- " + word + " …"
	case near != "":
		d.Help = "did you mean " + near + "?"
	default:
		d.Help = "--help lists the flags"
	}
	for len(p.rest) > 0 && p.line.find(p.rest[0]) == nil {
		p.rest = p.rest[1:]
	}
}

// missing reports inputs that have to be given, as the original does.
func (p *reading) missing() {
	for _, f := range p.line.flags {
		if _, given := p.request.Values[f.name]; f.required && !given {
			d := p.errorf("didn't get required \"-%s\" option", f.name)
			d.WithNote(p.line.placeOf(f.name), "the input is declared here, without a default").WithHelp("-%s %s", f.name, f.value)
		}
	}
}
