package teml

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// The limits of a meta-program.
const (
	maxDepth     = 500     // of calls
	maxSteps     = 1 << 20 // of evaluation
	maxStatement = 1 << 12 // assignments of the generated program
	maxParts     = 1 << 12 // of one value: nodes of a tree, entries of a list, terms of a number
)

// An interpreter is one run of a meta-program.
type interpreter struct {
	file        *source.File
	diagnostics *source.Diagnostics
	functions   map[string]*function
	builtins    map[string]*builtin
	state       scope // σ: what the identifiers of the program denote
	reals       map[string]*real
	numbered    map[string]int // the number behind a name at which freshReal goes on
	sizes       map[string]*size
	sizeOrder   []*size
	assignments []*assignment
	codegens    []*codegen
	history     []transition
	traced      bool // the history has values
	strict      bool
	meant       bool // what follows is taken to the letter, without advice
	dtype       tensor.DType
	loops       loopMaker
	imports     *environment
	called      []*lang.Def // imported defs, each once

	calls []call          // the calls that are being evaluated, outermost first
	by    *transform.Call // from Go, where it is not a program that runs
	steps int
}

// A scope maps names to values. That of the program is a state: the domain S of
// Equation (4), identifier → (T + L), whose values are trees, loops and those of the
// meta-level. An interpreter has one, the current σ of Equation (5).
type scope map[string]value

// A size is a name in shapes that nobody defined.
type size struct {
	name string
	pos  source.Span
}

// A function is one of the program, of std.teml, or of a library.
type function struct {
	syntax   *syntax.Fun
	standard bool
	library  *library // nil for the others
}

// isApart reports whether a function does not see what the program defines.
func (f *function) isApart() bool { return f.standard || f.library != nil }

// A call is a function that is being evaluated.
type call struct {
	pos      source.Span // in the program
	function *function
	locals   scope
	args     map[string]source.Span // where in the program the arguments of the parameters stand
}

// A transition is what one statement of a program does to the state: σ′ = σ{target ↦
// value}.
type transition struct {
	pos    source.Span
	target string
	value  string // in the paper's notation, where the run is traced
	isLoop bool
	read   bool // the loop is used
}

// bailout ends a statement after an error: one of its own, or one of a statement before
// it, which is among the causes then.
type bailout struct{ causes *source.Diagnostics }

func newInterpreter(file *source.File, diagnostics *source.Diagnostics) *interpreter {
	return &interpreter{
		file: file, diagnostics: diagnostics, functions: maps.Clone(standardLibrary()), builtins: coreLanguage(), state: scope{}, imports: noImports(), reals: map[string]*real{}, numbered: map[string]int{},
		sizes: map[string]*size{}, dtype: tensor.Float64,
	}
}

// program is P_prog : program → (S → S), Equation (6), by (10) and (11): the statements one after the other,
// each on the state that the ones before it left. Functions may be used before the
// line that declares them.
func (in *interpreter) program(parsed *syntax.File) {
	own := in.shareFunctions()
	for _, s := range parsed.Statements {
		if f, ok := s.(*syntax.Fun); ok {
			in.declare(f, own)
		}
	}
	for _, s := range parsed.Statements {
		in.attempt(s)
	}
}

func (in *interpreter) declare(f *syntax.Fun, own map[string]source.Span) {
	name := f.Name.Name
	if first, twice := own[name]; twice {
		in.diagnostics.Errorf(source.CodeTeMLName, f.Name.Pos, "the function %s is declared already", name).WithNote(first, "the first %s", name).
			WithHelp("give one of them another name")
		return
	}
	own[name] = f.Name.Pos
	for n, p := range f.Params {
		if slices.ContainsFunc(f.Params[:n], func(q syntax.Name) bool { return q.Name == p.Name }) {
			in.diagnostics.Errorf(source.CodeTeMLName, p.Pos, "the parameter %s is named twice", p.Name).WithHelp("give one of them another name")
		}
	}
	in.functions[name] = &function{syntax: f}
}

// attempt runs a statement of the program; an error ends it, and its identifier is
// broken from then on.
func (in *interpreter) attempt(s syntax.Statement) {
	errors, codegens := len(in.diagnostics.List), len(in.codegens)
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		b, ok := r.(bailout)
		if !ok {
			panic(r)
		}
		in.calls = nil
		causes := &source.Diagnostics{List: slices.Clone(in.diagnostics.List[errors:])}
		if b.causes != nil {
			causes.List = append(causes.List, b.causes.List...)
		}
		for _, name := range in.targets(s) {
			in.state[name] = broken{causes}
		}
		if d := in.loops.def; d != nil && len(in.codegens) > codegens && codegens == d.codegen {
			d.causes = causes
		}
	}()
	in.statement(s)
}

// targets lists the identifiers to which a statement gives values.
func (in *interpreter) targets(s syntax.Statement) []string {
	switch s := s.(type) {
	case *syntax.Assign:
		names := []string{s.Target.Name}
		if s.Real != nil {
			names = append(names, s.Real.Name)
		}
		for _, more := range s.More {
			names = append(names, more.Name)
		}
		return names
	case *syntax.Do:
		if len(s.Call.Args) > 0 {
			if ref, ok := s.Call.Args[0].(*syntax.Ref); ok {
				if _, isLoop := in.state[ref.Name].(loop); isLoop {
					return []string{ref.Name}
				}
			}
		}
	}
	return nil
}

// statement is P_stmt : stmt → (S → S), Equation (7), by (17), (18) and (26).
func (in *interpreter) statement(s syntax.Statement) {
	switch s := s.(type) {
	case *syntax.Assign:
		in.assign(s)
	case *syntax.Do:
		in.do(s)
	case *syntax.Option:
		in.option(s)
	case *syntax.Codegen:
		in.codegen(s)
	}
}

// assign is Equation (17), and (18) where the statement names a tensor with @.
func (in *interpreter) assign(s *syntax.Assign) {
	name := s.Target.Name
	if in.sizes[name] != nil && in.current() == nil {
		in.fail(source.CodeTeMLName, s.Target.Pos, "%s is a size in a shape above", name).
			help("define the constant before the first tensor that uses it, or take another name")
	}
	target := s.Target
	if s.Real != nil {
		target = *s.Real
	}
	if call, ok := s.Value.(*syntax.Call); ok && in.isImported(call) {
		in.assignCall(s, call, target)
		return
	}
	if len(s.More) > 0 {
		in.fail(source.CodeTeMLKind, s.Value.Span(), "several names are assigned, expected the call of an imported def").help("a statement assigns one name; several values are a list: x = [a, b]")
	}
	v := in.eval(s.Value, &target)
	if t, ok := v.(*Tree); ok {
		v = in.bind(t, target, s)
	} else if s.Real != nil {
		in.fail(source.CodeTeMLKind, s.Value.Span(), "found %s, expected a tensor expression behind @%s:", v.kind(), s.Real.Name).
			help("@%s says which tensor of the generated program is assigned", s.Real.Name)
	}
	in.set(name, v, s.Pos)
}

// set is σ{id ↦ v}.
func (in *interpreter) set(name string, v value, pos source.Span) {
	if c := in.current(); c != nil {
		c.locals[name] = v
		return
	}
	in.state[name] = v // (26) of a loop
	_, isLoop := v.(loop)
	t := transition{pos: pos, target: name, isLoop: isLoop}
	if in.traced {
		t.value = in.written(v)
	}
	in.history = append(in.history, t)
}

// do runs an expression that stands alone: init, or a loop transformation, which
// rebinds its first argument, as in the paper's Table 2.
func (in *interpreter) do(s *syntax.Do) {
	c := s.Call
	if c.Name.Name == "init" && in.functions["init"] == nil {
		in.init(c)
		return
	}
	v := in.eval(c, nil)
	if _, isLoop := v.(loop); isLoop && len(c.Args) > 0 {
		if ref, ok := c.Args[0].(*syntax.Ref); ok {
			in.set(ref.Name, v, s.Pos)
			return
		}
	}
	in.fail(source.CodeTeMLKind, s.Pos, "the value of %s is not used", c.Name.Name).
		help("give it a name: t = %s; a transformation of a loop that has a name changes what the name stands for", s.Pos.Text())
}

func (in *interpreter) option(o *syntax.Option) {
	switch {
	case o.Name.Name == "strict" && o.Value == nil:
		in.strict = true
	case o.Name.Name == "meant" && o.Value == nil:
		in.meant = true
	case o.Name.Name == "type" && o.Value != nil:
		in.dtype = in.elementType(o.Value.Name, o.Value.Pos, "")
	default:
		in.fail(source.CodeTeMLOption, o.Pos, "found the option %s, expected strict, meant or type NAME", strings.TrimPrefix(o.Pos.Text(), "option ")).
			help("option strict demands that tensors are introduced before they are assigned; option meant says that statements mean what they say; option type float32 sets the element type")
	}
}

// current is the function that is being evaluated; nil at the top.
func (in *interpreter) current() *call {
	if len(in.calls) == 0 {
		return nil
	}
	return &in.calls[len(in.calls)-1]
}

// lookup finds what a name denotes.
func (in *interpreter) lookup(name string) (value, bool) {
	if c := in.current(); c != nil {
		if v, ok := c.locals[name]; ok {
			return v, true
		}
		if l := c.function.library; l != nil {
			return in.constantOf(l, name)
		}
		if c.function.standard {
			return nil, false
		}
	}
	v, ok := in.state[name]
	if _, isLoop := v.(loop); isLoop {
		for n := range slices.Backward(in.history) {
			if t := &in.history[n]; t.target == name {
				t.read = true
				break
			}
		}
	}
	return v, ok
}

// A failure is an error that is being reported; help ends the statement.
type failure struct{ d *source.Diagnostic }

// fail reports an error; its help must be called. Inside of std.teml and of libraries the
// place is the call in the user's program.
func (in *interpreter) fail(code source.Code, pos source.Span, format string, args ...any) failure {
	message := fmt.Sprintf(format, args...)
	d := in.diagnostics.Errorf(code, in.at(pos), "%s", message)
	if c := in.current(); c != nil && c.function.library != nil && pos.File == c.function.library.file {
		d.WithNote(pos, "in %s, where %s is evaluated", filepath.Base(pos.File.Name), c.function.syntax.Name.Name)
	}
	return failure{d}
}

// at returns the place to report for one in the text of std.teml or a library: that of an argument of the
// program's call, if the place is about this parameter alone; otherwise the call.
func (in *interpreter) at(pos source.Span) source.Span {
	if c := in.current(); c != nil && pos.File != in.file && in.file != nil {
		return c.argument(pos)
	}
	return pos
}

// argument is the place of the argument that a place in the function is about, or of the call.
func (c *call) argument(pos source.Span) source.Span {
	found := c.pos
	for word := range strings.FieldsFuncSeq(pos.Text(), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		switch arg, isParameter := c.args[word]; {
		case !isParameter || arg == found:
		case found != c.pos:
			return c.pos // about several
		default:
			found = arg
		}
	}
	return found
}

func (f failure) note(pos source.Span, format string, args ...any) failure {
	f.d.WithNote(pos, format, args...)
	return f
}

func (f failure) help(format string, args ...any) {
	f.d.WithHelp(format, args...)
	panic(bailout{})
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// addSizes notes the names of a shape that nobody defined.
func (in *interpreter) addSizes(e affine.Expr, pos source.Span) {
	used := map[string]bool{}
	e.Symbols(used)
	for _, name := range sortedKeys(used) {
		if in.sizes[name] == nil {
			s := &size{name, pos}
			in.sizes[name] = s
			in.sizeOrder = append(in.sizeOrder, s)
		}
	}
}
