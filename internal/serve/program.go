package serve

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/report"
	"github.com/ricci-lang/ricci/internal/source"
)

// A job is one request while it is worked on.
type job struct {
	*session
	ctx      context.Context
	id       json.RawMessage
	release  []func() // gives back the programs that it uses
	notices  []string
	warnings source.ErrorList
}

// A programText is a program in a request.
type programText struct {
	Text     *string `json:"text"`
	Path     string  `json:"path"`
	Notation string  `json:"notation"`
	Name     string  `json:"name"`
	// Of Diderot: how wide reals and integers are, and the values of constants.
	Double    bool              `json:"double"`
	LongInt   bool              `json:"long_int"`
	Constants map[string]string `json:"constants"`
}

// parse reads the program.
func (p *programText) parse() (*ricci.Program, error) {
	var options ricci.ParseOptions
	if p != nil {
		options = ricci.ParseOptions{Double: p.Double, LongInt: p.LongInt, Constants: p.Constants}
	}
	switch {
	case p == nil:
		return nil, refusef("the request has no program")
	case p.Path != "" && p.Text != nil:
		return nil, refusef("program has a text and a path; say one of the two")
	case p.Path != "" && (p.Notation != "" || p.Name != ""):
		return nil, refusef("program has a path, which says its notation and its name")
	case p.Path != "":
		return options.ParseFile(p.Path)
	case p.Text == nil:
		return nil, refusef("program has neither a text nor a path")
	}
	name, notation := p.Name, p.Notation
	if name == "" {
		name = "input"
	}
	if notation == "" {
		notation = "tc"
	}
	return options.Parse(name+"."+notation, *p.Text)
}

// A def is what most requests are about.
type def struct {
	Program   *programText        `json:"program"`
	Def       string              `json:"def"`
	Arguments map[string]argument `json:"arguments"`
	Sizes     map[string]int64    `json:"sizes"`
	Options   options             `json:"options"`
}

// An argument says what an array is like.
type argument struct {
	DType   string `json:"dtype"`
	Shape   *[]int `json:"shape"`
	Strides *[]int `json:"strides"`
	Value   *int64 `json:"value"`
}

// options are those of a compilation.
type options struct {
	Threads  int      `json:"threads"`
	Level    string   `json:"level"`
	Numerics string   `json:"numerics"`
	Device   string   `json:"device"`
	Dynamic  []string `json:"dynamic"`
	Schedule string   `json:"schedule"`
	Untuned  bool     `json:"untuned"`
	Memory   int64    `json:"memory"`
	NoCache  bool     `json:"no_cache"`
}

// mostThreads is what a kernel can use.
const mostThreads = 1024

// compiling are the options as the compiler takes them; what it says of the program is kept for the answer.
func (o *options) compiling(j *job) (ricci.Options, error) {
	if o.Threads < 0 || o.Threads > mostThreads {
		return ricci.Options{}, refusef("options: threads is %d, expected 0 to %d", o.Threads, mostThreads)
	}
	return ricci.Options{
		Threads: o.Threads, Level: o.Level, Numerics: o.Numerics, Device: o.Device, Dynamic: o.Dynamic, Schedule: o.Schedule, ScheduleFile: "schedule",
		Untuned: o.Untuned, Memory: o.Memory, NoCache: o.NoCache,
		Notice: j.notice, Warning: j.warn,
	}, nil
}

func (j *job) notice(message string) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if !slices.Contains(j.notices, message) {
		j.notices = append(j.notices, message)
	}
}

func (j *job) warn(d *ricci.Diagnostic) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if !d.IsAmong(j.warnings) {
		j.warnings = append(j.warnings, d)
	}
}

// program is that of the request, until it is answered.
func (j *job) program(p *programText) (*ricci.Program, error) {
	program, release, err := j.programs.use(p)
	j.release = append(j.release, release)
	return program, err
}

// done gives back what the job has used.
func (j *job) done() {
	for _, release := range j.release {
		release()
	}
}

// find parses the program and finds the def. What is doubtful about it is kept for the answer.
func (d *def) find(j *job) (*ricci.Def, error) {
	program, err := j.program(d.Program)
	if err != nil {
		return nil, err
	}
	found, err := program.Def(d.Def)
	if err != nil {
		return nil, err
	}
	for _, w := range found.Warnings() {
		j.warn(w)
	}
	return found, nil
}

// signature says what the arguments of the request are like.
func (d *def) signature(found *ricci.Def) (ricci.Signature, error) {
	s := ricci.Signature{Shapes: map[string][]int{}, Strides: map[string][]int{}, Sizes: map[string]int64{}}
	for name, value := range d.Sizes {
		s.Sizes[name] = value
	}
	known := append(found.Inputs(), found.Outputs()...)
	for name, a := range d.Arguments {
		at := slices.IndexFunc(known, func(p ricci.Param) bool { return p.Name == name })
		if at >= 0 && a.DType != "" && a.DType != known[at].Type {
			return s, wrongType(found, known[at], a.DType)
		}
		if err := a.note(name, &s); err != nil {
			return s, err
		}
	}
	return s, nil
}

// note adds an argument to a signature.
func (a *argument) note(name string, s *ricci.Signature) error {
	if a.Value != nil {
		s.Sizes[name] = *a.Value
	}
	if a.Shape == nil {
		if a.Strides != nil {
			return refusef("arguments: %s has strides and no shape", name)
		}
		s.Shapes[name] = []int{}
		return nil
	}
	elements := 1.0
	for _, n := range *a.Shape {
		if n < 0 {
			return refusef("arguments: the shape of %s has the negative extent %d", name, n)
		}
		elements *= float64(n)
	}
	if elements > math.MaxInt64/16 {
		return refusef("arguments: %s has more elements than there can be", name)
	}
	s.Shapes[name] = *a.Shape
	if a.Strides == nil {
		return nil
	}
	if len(*a.Strides) != len(*a.Shape) {
		return refusef("arguments: %s has %d extents and %d strides", name, len(*a.Shape), len(*a.Strides))
	}
	s.Strides[name] = *a.Strides
	return nil
}

// wrongType is the error of a call with elements of another type.
func wrongType(d *ricci.Def, p ricci.Param, got string) error {
	e := &source.Diagnostic{Code: source.WrongElementType, Span: d.Span(), Message: p.Name + " has elements of type " + got + ", expected " + p.Type}
	return source.ErrorList{e.WithHelp("convert the array to %s, or declare %s with the type %s", p.Type, p.Name, got)}
}

// said has what a request has to say beside its result.
type said struct {
	Notices  []string            `json:"notices"`
	Warnings []report.Diagnostic `json:"warnings"`
	Rendered string              `json:"rendered"` // the warnings, for people
}

func (j *job) said() said {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	notices := append([]string{}, j.notices...)
	return said{notices, report.Rendered(j.warnings), report.Text(j.warnings)}
}
