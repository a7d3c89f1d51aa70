// Package mdh is the front end of multi-dimensional homomorphisms (MDH): it checks
// computations of the form out_view ∘ md_hom ∘ inp_view and lowers each to a
// function of ein.
package mdh

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/callee"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A computation with type parameters is compiled once for each choice of types
// (compile.go). Of one instance, the sizes and the dimensions of md_hom are
// declared first (instance.go), with the index set functions of its operators (image.go,
// down.go) and the indices that are written out (writeout.go, table.go); then the views: index functions become affine
// expressions over the dimensions (index.go), from which the extents of the
// buffers are computed and proved (views.go, share.go). The scalar function is evaluated
// symbolically, to one expression of ein for each scalar of the result: functions
// are written out where they are called, and names stand for locals (scalar.go,
// expression.go, call.go, value.go). Operators are evaluated in the same way over their operands
// (operator.go); their laws are known, or tried on random values (laws.go), and
// the mix of them is judged (exchange.go). Finally each output must be written once
// and in full (cover.go), and the comprehensions are put together (lower.go). A
// composition copies the functions of its steps into one (compose.go, callee.go).
// docs/mdh.md has the rules; code and page must agree.

// extension is that of files in MDH.
const extension = ".mdh"

// Notation describes MDH.
func Notation() *lang.Notation {
	return &lang.Notation{
		Name: "multi-dimensional homomorphisms", Extension: extension,
		Compile: Compile, Format: lang.Formatter(syntax.Parse, syntax.Format), Outline: outline, Dump: syntax.Dump,
	}
}

func outline(file *source.File) (*lang.Outline, *source.Diagnostics) {
	parsed, diagnostics := syntax.Parse(file)
	o := &lang.Outline{Source: file, Comments: parsed.Comments, Imports: len(parsed.Imports) > 0}
	adopt(parsed)
	for _, c := range parsed.Computations {
		if len(c.Functions) > 0 {
			continue
		}
		for _, name := range instanceNames(c) {
			o.Defs = append(o.Defs, lang.DefName{Pos: c.Pos, Name: name})
		}
		o.Defs[len(o.Defs)-1].Alias = nameWithTypes(c, choices(c)[0])
	}
	return o, diagnostics
}

// Compile checks a file and lowers it. The Unit is never nil and holds the
// computations that have no errors; warnings are among the diagnostics.
func Compile(file *source.File, options lang.Options) (*lang.Unit, *source.Diagnostics) {
	diagnostics, unit := &source.Diagnostics{}, &lang.Unit{Program: &ein.Program{}}
	imports := options.Imports(file, extension, diagnostics)
	parsed := load(file, imports, diagnostics, unit)
	c := &compiler{
		diagnostics: diagnostics, declared: map[string]source.Span{}, records: map[string]*recordType{},
		constants: map[string]*syntax.Constant{}, functions: map[string]*syntax.Function{}, operators: map[string]*syntax.Operator{},
		computations: map[string]*syntax.Computation{}, compiled: map[instanceKey]*compiled{},
		unit: unit, imports: imports,
	}
	if diagnostics.HasErrors() {
		imports.Finish(diagnostics)
		return c.unit, diagnostics
	}
	adopt(parsed)
	c.declarations(parsed)
	c.declareImported()
	if !diagnostics.HasErrors() {
		for _, computation := range parsed.Computations {
			c.instances(computation)
		}
	}
	imports.Finish(diagnostics)
	// A function with an error may be used by several computations.
	seen := map[string]bool{}
	diagnostics.List = slices.DeleteFunc(diagnostics.List, func(d *source.Diagnostic) bool {
		again := seen[d.Error()]
		seen[d.Error()] = true
		return again
	})
	imports.Join(c.unit)
	return c.unit, diagnostics
}

// A compiler is the state of one Compile.
type compiler struct {
	diagnostics *source.Diagnostics
	declared    map[string]source.Span // of the whole file
	records     map[string]*recordType
	constants   map[string]*syntax.Constant
	functions   map[string]*syntax.Function
	operators   map[string]*syntax.Operator
	unit        *lang.Unit
	imports     *lang.Imports
	table       *callee.Table // of defs in other notations
	// computations by their names; compiled has the instances that were tried, nil for
	// those with errors, and open those that are being compiled.
	computations map[string]*syntax.Computation
	compiled     map[instanceKey]*compiled
	open         []instanceKey
}

// A recordType is a declared record.
type recordType struct {
	name   string
	fields []string
	types  []tensor.DType
}

func (c *compiler) declarations(f *syntax.File) {
	for _, r := range f.Records {
		if c.declare(r.Name) {
			c.record(r)
		}
	}
	for _, k := range f.Constants {
		if c.declare(k.Name) {
			c.constants[k.Name.Name] = k
		}
	}
	for _, fn := range f.Functions {
		if c.declare(fn.Name) {
			c.functions[fn.Name.Name] = fn
		}
	}
	for _, o := range f.Operators {
		if c.declare(o.Name) {
			c.operators[o.Name.Name] = o
		}
	}
	for _, k := range f.Computations {
		c.computations[k.Name.Name] = k
		for _, name := range instanceNames(k) {
			c.declare(syntax.Name{Pos: k.Name.Pos, Name: name})
		}
	}
}

// declare notes a name of the file; a name can be declared once, and one of the
// language not at all.
func (c *compiler) declare(n syntax.Name) bool {
	if first, ok := c.declared[n.Name]; ok {
		c.diagnostics.Errorf(source.CodeMDHTwice, n.Pos, "%s is declared already", n.Name).WithNote(first, "the first %s", n.Name).
			WithHelp("give one of them another name")
		return false
	}
	c.declared[n.Name] = n.Pos
	if what := predeclared(n.Name); what != "" {
		c.diagnostics.Errorf(source.CodeMDHTwice, n.Pos, "%s is %s and cannot be declared again", n.Name, what).WithHelp("give it another name")
		return false
	}
	return true
}

// predeclared says what a name of the language is; it is empty for other names. A name
// that the program gives hides a builtin function.
func predeclared(name string) string {
	_, isType := scalarType(name)
	switch {
	case isType:
		return "a type"
	case name == "min" || name == "max":
		return "a function of the language"
	case name == "argmin" || name == "argmax":
		return "an operator of the language"
	}
	return ""
}

func scalarType(name string) (tensor.DType, bool) {
	t, err := tensor.ParseDType(name)
	return t, err == nil
}

func (c *compiler) record(r *syntax.Record) {
	t := &recordType{name: r.Name.Name}
	for _, field := range r.Fields {
		d, ok := scalarType(field.Type.Name)
		if !ok {
			c.diagnostics.Errorf(source.CodeMDHType, field.Type.Pos, "%s is no scalar type", field.Type.Name).
				WithHelp("%s", typeHelp(field.Type.Name))
		}
		if slices.Contains(t.fields, field.Name.Name) {
			c.diagnostics.Errorf(source.CodeMDHTwice, field.Name.Pos, "the record %s has two fields %s", t.name, field.Name.Name).WithHelp("give one of them another name")
		}
		t.fields, t.types = append(t.fields, field.Name.Name), append(t.types, d)
	}
	if len(t.fields) == 0 {
		c.diagnostics.Errorf(source.CodeMDHCount, r.Pos, "the record %s has no fields", t.name).WithHelp("a record has at least one scalar: record %s { x: float32 }", t.name)
	}
	c.records[t.name] = t
}

func typeHelp(name string) string {
	if meant := typeElsewhere(name); meant != tensor.Invalid {
		return "did you mean " + meant.String() + "?"
	}
	var names []string
	for _, d := range tensor.DTypes() {
		names = append(names, d.String())
	}
	if near := source.Suggest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return "the scalar types are " + joinWords(names)
}

// typeElsewhere returns the type that C, the paper or TC call by a name that is none
// here.
func typeElsewhere(name string) tensor.DType {
	switch name {
	case "float", "fp32", "f32", "single":
		return tensor.Float32
	case "double", "fp64", "f64":
		return tensor.Float64
	case "half", "fp16", "f16":
		return tensor.Float16
	case "bf16":
		return tensor.BFloat16
	case "int", "i32":
		return tensor.Int32
	case "long", "i64":
		return tensor.Int64
	case "char", "i8":
		return tensor.Int8
	}
	return tensor.Invalid
}

// instanceNames returns the names of the instances of a computation in the order
// of choices, but the first choice comes last: it has the name of the computation,
// and a program without the name of a def means its last one. The others add their
// types; so may the first, where no other def has that name.
func instanceNames(c *syntax.Computation) []string {
	var names []string
	for _, choice := range choices(c)[1:] {
		names = append(names, nameWithTypes(c, choice))
	}
	return append(names, c.Name.Name)
}

// nameWithTypes returns the name of an instance with its types: name_float64.
func nameWithTypes(c *syntax.Computation, choice []syntax.Name) string {
	name := c.Name.Name
	for _, t := range choice {
		name += "_" + t.Name
	}
	return name
}

// maxInstances bounds how many choices of types one computation has.
const maxInstances = 64

// choices lists the choices of types, the last parameter changing fastest.
func choices(c *syntax.Computation) [][]syntax.Name {
	list := [][]syntax.Name{nil}
	for _, t := range c.Types {
		var next [][]syntax.Name
		for _, before := range list {
			for _, choice := range t.Choices {
				if len(next) < maxInstances {
					next = append(next, append(slices.Clone(before), choice))
				}
			}
		}
		list = next
	}
	return list
}

// instances compiles a computation for every choice of types; one that takes functions
// is compiled where it is applied. Errors of the first choice would come again with the
// others, so it decides whether these are tried.
func (c *compiler) instances(k *syntax.Computation) {
	if len(k.Functions) > 0 {
		c.checkFunctions(k)
		return
	}
	list := choices(k)
	first := c.choice(k, list[0], nil)
	if first == nil {
		return
	}
	for _, types := range list[1:] {
		one := c.choice(k, types, nil)
		if one == nil {
			return
		}
		c.add(one.def)
	}
	c.add(first.def)
}

func (c *compiler) add(def *lang.Def) {
	c.unit.Defs = append(c.unit.Defs, def)
	c.unit.Program.Funcs = append(c.unit.Program.Funcs, def.Func)
}
