// Package teml is the front end of TeML, the meta-language of tensor expressions and
// loop transformations: it runs meta-programs, and lowers what they assign to
// functions of ein, each with the schedule that the program composed for it.
package teml

import (
	_ "embed"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/callee"
	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// A meta-program is run, not compiled: compilation is its evaluation, and the paper's
// denotational semantics is the interpreter. A state σ (interpret.go) maps identifiers
// to values (value.go): trees of tensor expressions, the domain T (tree.go), loops, the
// domain L (loops.go), and the numbers and lists of the meta-level; states.go writes them. P_prog and P_stmt
// are in interpret.go, E_t in tensor.go, E_l in loops.go and transform.go and,
// transformation by transformation, in package schedule/transform; each function names its
// equation. The derived forms of the paper's Section 4 are std.teml, in TeML; Go's Schedule
// evaluates the same definitions.
//
// What eq and op assign is recorded (assignment.go): ranges are inferred (infer.go),
// accumulators and sums become reductions, and each assignment is one comprehension of
// ein (lower.go, init.go). codegen makes a function of assignments (define.go,
// codegen.go); a file without codegen is one function of all.
//
// A program is run several times. The first run finds the functions; their meaning
// does not depend on loops. The loops of a function are built when it is scheduled, by
// a run in which the statements are those of the function with its sizes known
// (schedule.go): so a transformation may need a constant that the text does not have.
// One such run with symbolic sizes belongs to the check of the program.

// extension is that of files in TeML.
const extension = ".teml"

// Notation describes TeML.
func Notation() *lang.Notation {
	return &lang.Notation{
		Name: "TeML", Extension: extension,
		Compile: Compile, Format: lang.Formatter(syntax.Parse, syntax.Format), Outline: outline, Dump: dump, Trees: trees,
	}
}

// dump writes the whole meta-program: its statements do not belong to one def.
func dump(w io.Writer, file *source.File, _ string) error { return syntax.Dump(w, file) }

func outline(file *source.File) (*lang.Outline, *source.Diagnostics) {
	parsed, diagnostics := syntax.Parse(file)
	return &lang.Outline{Source: file, Comments: parsed.Comments, Imports: len(parsed.Imports) > 0, Defs: defNames(file, parsed)}, diagnostics
}

// defNames lists the names of the functions that a program generates.
func defNames(file *source.File, parsed *syntax.File) (defs []lang.DefName) {
	for _, s := range parsed.Statements {
		if c, ok := s.(*syntax.Codegen); ok {
			name := nameOfFile(file)
			if c.Name != nil {
				name = c.Name.Name
			}
			defs = append(defs, lang.DefName{Pos: c.Pos, Name: name})
		}
	}
	if len(defs) == 0 {
		defs = []lang.DefName{{Pos: source.Span{File: file}, Name: nameOfFile(file)}}
	}
	return defs
}

//go:embed std.teml
var standardText string

// standardLibrary returns the functions of std.teml.
var standardLibrary = sync.OnceValue(func() map[string]*function {
	parsed, diagnostics := syntax.Parse(source.NewFile("std.teml", standardText))
	if err := diagnostics.Err(); err != nil {
		panic(source.Internalf("teml", source.Span{}, "std.teml: %v", err))
	}
	table := map[string]*function{}
	for _, s := range parsed.Statements {
		f := s.(*syntax.Fun)
		table[f.Name.Name] = &function{syntax: f, standard: true}
	}
	return table
})

// Compile runs a meta-program and lowers what it generates. The Unit is never nil and
// holds the functions that have no errors.
func Compile(file *source.File, options lang.Options) (*lang.Unit, *source.Diagnostics) {
	unit := &lang.Unit{Program: &ein.Program{}, Files: []*source.File{file}}
	parsed, known, imports, diagnostics := parse(file, options)
	defer imports.Finish(diagnostics)
	if diagnostics.HasErrors() {
		return unit, diagnostics
	}
	in := run(file, parsed, diagnostics, nil, known)
	if !diagnostics.HasErrors() {
		in.checkNames(parsed)
	}
	if !diagnostics.HasErrors() {
		in.addDefs(unit, parsed)
		in.warnOfLoops()
		in.warnOfAssignments()
		in.advise()
	}
	imports.Join(unit)
	return unit, diagnostics
}

// parse reads a file and compiles what it imports. A file of TeML gives its defs, as files of
// other notations do, and its functions.
func parse(file *source.File, options lang.Options) (*syntax.File, *environment, *lang.Imports, *source.Diagnostics) {
	parsed, diagnostics := syntax.Parse(file)
	imports := options.Imports(file, extension, diagnostics)
	for _, i := range parsed.Imports {
		imports.Load(file, i.Path, i.Pos, nil)
	}
	own := map[string]source.Span{}
	for _, s := range parsed.Statements {
		if f, ok := s.(*syntax.Fun); ok {
			own[f.Name.Name] = f.Name.Pos
		}
	}
	for _, d := range defNames(file, parsed) {
		own[d.Name] = d.Pos
	}
	table := callee.NewTable(imports, func(name string) (source.Span, bool) {
		at, ok := own[name]
		return at, ok
	}, diagnostics)
	return parsed, &environment{table, librariesOf(imports, file, parsed)}, imports, diagnostics
}

// addDefs checks the loops of the functions, and adds the functions to the unit. A function
// is refused alone where others are not.
func (in *interpreter) addDefs(unit *lang.Unit, parsed *syntax.File) {
	for number, c := range in.codegens {
		if c.explicit {
			c.def.Script = c.script(number, in.file, in.called, in.imports.libraries)
			if err := c.check(in, parsed, number); err != nil {
				unit.Refused = append(unit.Refused, &lang.Refused{Name: c.def.Name, Pos: c.def.Pos, Errors: in.errorsOf(err)})
				continue
			}
		}
		c.def.Warnings = append(c.def.Warnings, in.warningsOfCalls(c)...)
		unit.Defs = append(unit.Defs, c.def)
		unit.Program.Funcs = append(unit.Program.Funcs, c.def.Func)
	}
	if len(in.loops.failed) > 0 {
		if err := in.checkUnused(parsed); err != nil {
			in.addErrors(in.errorsOf(err), unit.Refused)
		}
	}
	if len(unit.Defs) == 0 {
		for _, r := range unit.Refused {
			in.addErrors(r.Errors, nil)
		}
		unit.Refused = nil
	}
}

// warnOfLoops tells that a program makes loops in vain: all of them, or some that
// nothing uses.
func (in *interpreter) warnOfLoops() {
	loops := in.madeLoops()
	switch {
	case len(loops) == 0 || in.diagnostics.HasErrors():
	case !slices.ContainsFunc(in.codegens, func(c *codegen) bool { return c.explicit }):
		t := loops[len(loops)-1]
		in.diagnostics.Warnf(source.CodeTeMLLoops, t.pos, "the loops of %s are not generated", t.target).WithHelp("end the program with codegen(%s); without it Ricci chooses the loops", t.target)
	default:
		for _, t := range loops {
			if !t.read {
				in.diagnostics.Warnf(source.CodeTeMLLoops, t.pos, "nothing uses the loops of %s", t.target).
					WithHelp("a transformation changes no loops, it returns others: generate these, codegen(%s), or leave the line out", t.target)
			}
		}
	}
}

// warnOfAssignments tells which assignments of the program belong to none of the functions
// that it generates.
func (in *interpreter) warnOfAssignments() {
	if in.diagnostics.HasErrors() {
		return
	}
	generated := map[int]bool{}
	for _, c := range in.codegens {
		for _, ordinal := range c.ordinals {
			generated[ordinal] = true
		}
	}
	for k, a := range in.assignments {
		if a.fill == nil && !generated[k] && !strings.Contains(a.real.name, "$") {
			in.diagnostics.Warnf(source.CodeTeMLLoops, a.pos, "no codegen computes %s", a.real.name).
				WithHelp("list its loops, too: codegen(…, build(%s)); or leave the line out", a.real.name)
		}
	}
}

// madeLoops lists the statements of the program that gave names to loops.
func (in *interpreter) madeLoops() []transition {
	return slices.DeleteFunc(slices.Clone(in.history), func(t transition) bool { return !t.isLoop })
}

// errorsOf returns the diagnostics of an error.
func (in *interpreter) errorsOf(err error) source.ErrorList {
	var list source.ErrorList
	if !errors.As(err, &list) {
		list = source.ErrorList{{Code: source.TransformMisfit, Span: source.Span{File: in.file}, Message: err.Error()}}
	}
	return list
}

// addErrors adds errors that are not there yet, and are no refused def's, whatever sizes they
// were found with.
func (in *interpreter) addErrors(list source.ErrorList, refused []*lang.Refused) {
	for _, d := range list {
		if !d.IsAmong(in.diagnostics.List) && !slices.ContainsFunc(refused, func(r *lang.Refused) bool { return d.IsAmong(r.Errors) }) {
			in.diagnostics.List = append(in.diagnostics.List, d)
		}
	}
}

// run evaluates a meta-program: for its functions, or for the loops of the one that is
// scheduled.
func run(file *source.File, parsed *syntax.File, diagnostics *source.Diagnostics, def *scheduled, imports *environment) *interpreter {
	in := newRun(file, diagnostics, def, imports)
	in.run(parsed)
	return in
}

func newRun(file *source.File, diagnostics *source.Diagnostics, def *scheduled, imports *environment) *interpreter {
	in := newInterpreter(file, diagnostics)
	in.imports = imports
	in.loops = loopMaker{
		all: &ein.Func{Name: nameOfFile(file)}, number: map[*assignment]int{}, def: def,
		lowering: &lowering{tensors: map[*real]*ein.Tensor{}, sizes: in.sizes},
	}
	return in
}

func (in *interpreter) run(parsed *syntax.File) {
	in.program(parsed)
	if in.loops.def == nil && len(in.codegens) == 0 && len(in.assignments) > 0 && !in.diagnostics.HasErrors() {
		if c := in.all(); c != nil {
			in.codegens = append(in.codegens, c)
		}
	}
}

// all is the function of a file without codegen; nil when it has errors.
func (in *interpreter) all() (c *codegen) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bailout); !ok {
				panic(r)
			}
		}
	}()
	first, last := in.assignments[0].pos, in.assignments[len(in.assignments)-1].pos
	return in.generate(nameOfFile(in.file), source.Span{File: in.file, Start: first.Start, End: max(first.End, last.End)}, in.assignments, nil)
}
