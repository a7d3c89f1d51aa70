package check

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// isBuiltin reports whether a name is that of a function or reduction of the language.
func isBuiltin(name string) bool {
	return len(typed.Candidates(name, typed.Named)) > 0 && !syntaxForms[name] || len(typed.Candidates(name, typed.Fold)) > 0
}

// syntaxForms are rows that are written in a way of their own.
var syntaxForms = map[string]bool{"real": true, "identity": true, "zeros": true}

// application is f(x): a probe of a field, or a call. A variable hides a function of its name.
func (c *checker) application(e *syntax.Apply, want *typed.Type) typed.Expr {
	name, ok := e.Fun.(*syntax.Ref)
	if !ok || c.find(name.Name) != nil {
		return c.probe(e, c.expr(e.Fun, nil))
	}
	if f := c.findFunction(name.Name); f != nil {
		return c.call(e, name, f)
	}
	if isBuiltin(name.Name) {
		return c.builtin(e, name, want)
	}
	if d := c.findDef(name.Name); d != nil {
		return c.made(e, name, d, want)
	}
	args := c.arguments(e.Args, nil)
	if x := c.maybeKernel(name); x != nil {
		return c.probe(e, x)
	}
	c.unknownFunction(name, args)
	return nothing(e.Pos)
}

func (c *checker) maybeKernel(name *syntax.Ref) typed.Expr {
	before := len(c.diagnostics.List)
	x := c.ref(name)
	if len(c.diagnostics.List) > before {
		c.diagnostics.List = c.diagnostics.List[:before]
		return nil
	}
	return x
}

func (c *checker) arguments(list []syntax.Expr, want *typed.Type) []typed.Expr {
	var args []typed.Expr
	for _, a := range list {
		args = append(args, c.expr(a, want))
	}
	return args
}

func (c *checker) unknownFunction(name *syntax.Ref, args []typed.Expr) {
	d := c.errorf(source.CodeDiderotName, name.Pos, "there is no function %s", name.Name)
	switch {
	case c.function != nil && c.function.Name == name.Name:
		d.Message = "the function " + name.Name + " calls itself"
		d.WithHelp("a function calls only those that are declared above it; what is repeated belongs in a foreach, or in super-steps of strands")
	case foreignFunctions[name.Name] != "":
		d.WithHelp("write %s", foreignFunctions[name.Name])
	case c.strand() != nil && c.strand().Name == name.Name:
		d.Message = name.Name + " is the strand, and no function"
		d.WithHelp("new %s(…); creates a strand, in start and update of collections", name.Name)
	case c.functionBelow(name.Name):
		d.WithHelp("%s is declared below: a function is known behind its declaration", name.Name)
	default:
		d.Message += source.DidYouMean(name.Name, c.functionNames())
	}
}

// foreignFunctions are what other languages call functions.
var foreignFunctions = map[string]string{
	"abs": "|x|", "fabs": "|x|", "norm": "|x|", "dot": "u • v", "cross": "u × v", "outer": "u ⊗ v", "grad": "∇F", "div": "∇•F", "curl": "∇×F",
	"hessian": "∇⊗∇F", "int": "the int from the beginning: a real does not become one", "float": "real(i)", "len": "length(s)", "fmax": "max(x, y)", "fmin": "min(x, y)",
	"mod": "x % y of ints, fmod(x, y) of reals", "ln": "log(x)", "arcsin": "asin(x)", "arccos": "acos(x)", "arctan": "atan(x)", "determinant": "det(m)",
	"inverse": "inv(m)", "eigenvalues": "evals(m)", "eigenvectors": "evecs(m)", "append": "s @ x", "concat": "s @ t", "mix": "lerp(a, b, t)", "any": "exists{ c | x in s }",
	"isnan": "x != x", "bool": "x != 0", "power": "pow(x, y), or x^y", "cbrt": "pow(x, 1.0/3.0), of x > 0", "sign": "1.0 if x > 0.0 else -1.0",
	"eye": "identity[3]", "range": "0..n", "distance": "|p - q|", "reverse": "{ s[length(s) - 1 - i] | i in 0 .. length(s) - 1 }",
}

func (c *checker) functionNames() []string {
	var names []string
	for s := c.scope; s != nil; s = s.outer {
		for _, f := range s.functions {
			names = append(names, f.Name)
		}
		for _, v := range s.variables {
			if v.Type.Kind == typed.Field {
				names = append(names, v.Name)
			}
		}
	}
	for _, d := range c.options.Defs {
		names = append(names, d.Name)
	}
	for _, row := range typed.Rows() {
		if row.Form == typed.Named || row.Form == typed.Fold {
			names = append(names, row.Name)
		}
	}
	return names
}

func (c *checker) functionBelow(name string) bool {
	for _, g := range c.file.Program.Globals {
		if f, ok := g.(*syntax.Function); ok && f.Name.Name == name {
			return true
		}
	}
	return c.declaredLater(name)
}

// probe is F(x).
func (c *checker) probe(e *syntax.Apply, f typed.Expr) typed.Expr {
	t := f.Type()
	args := c.arguments(e.Args, nil)
	switch {
	case t.Kind == typed.Nothing:
		return nothing(e.Pos)
	case t.Kind != typed.Field:
		d := c.errorf(source.CodeDiderotCall, e.Fun.Span(), "what is applied is of type %v, and neither a field nor a function", t)
		d.WithHelp("%s", appliedHelp(e.Fun, t))
		return nothing(e.Pos)
	case len(args) != 1:
		c.errorf(source.CodeDiderotCall, e.Pos, "a field is probed at one position, not at %d values", len(args)).WithHelp("%s", positionHelp(t.Dim))
		return nothing(e.Pos)
	}
	at := placeIn(t.Dim)
	if from := args[0].Type(); !coercible(from, at) {
		c.errorf(source.CodeDiderotType, args[0].Span(), "the position in a field over %s is of type %v, but this is %v", spaceName(t.Dim), at, from).
			WithHelp("%s", positionHelp(t.Dim))
		return nothing(e.Pos)
	}
	return &typed.Probe{Node: typed.Node{Pos: e.Pos, T: typed.TensorOf(t.Shape...)}, Field: f, At: coerce(args[0], at)}
}

func appliedHelp(fun syntax.Expr, t *typed.Type) string {
	name, ok := fun.(*syntax.Ref)
	switch {
	case ok && isBuiltin(name.Name):
		return "a variable hides the function " + name.Name + ": give it another name"
	case t.Kind == typed.Image:
		return "an image has samples; what can be probed is bspln3 ⊛ img"
	case t.Kind == typed.Sequence:
		return "an element of a sequence is s[i]"
	case t.Kind == typed.Tensor && len(t.Shape) > 0:
		return "a component of a tensor is v[0]"
	}
	return "a product is written x * y"
}

func spaceName(dim int) string {
	return [...]string{"a line", "the plane", "space"}[dim-1]
}

func positionHelp(dim int) string {
	return [...]string{"the position on a line is a real: F(0.5)", "a position in the plane is a vec2: F([x, y])", "a position in space is a vec3: F([x, y, z])"}[dim-1]
}

// call is f(x) of a function of the program.
func (c *checker) call(e *syntax.Apply, name *syntax.Ref, f *typed.Function) typed.Expr {
	c.called(f, name.Pos)
	args, ok := c.passed(e.Args, f.Params, e.Pos, "the function "+f.Name, f.Pos)
	if !ok || f.Result.Kind == typed.Nothing {
		return nothing(e.Pos)
	}
	return &typed.Call{Node: typed.Node{Pos: e.Pos, T: f.Result}, Function: f, Args: args}
}

// called asks that the globals that a function reads have values where it is called.
func (c *checker) called(f *typed.Function, pos source.Span) {
	for _, v := range c.read[f] {
		switch {
		case c.hasValue(v):
		case c.function != nil:
			c.read[c.function] = append(c.read[c.function], v)
		default:
			c.unset(v, pos, "is read by "+f.Name+" where it may have no value")
		}
	}
}

// passed gives arguments the types of parameters.
func (c *checker) passed(list []syntax.Expr, params []*typed.Variable, pos source.Span, what string, declared source.Span) ([]typed.Expr, bool) {
	if len(list) != len(params) {
		c.arguments(list, nil)
		c.errorf(source.CodeDiderotCall, pos, "%s takes %s, not %d", what, plural(len(params), "argument"), len(list)).WithNote(declared, "it is declared here").
			WithHelp("%s", signatureOf(params))
		return nil, false
	}
	var args []typed.Expr
	ok := true
	for n, a := range list {
		x := c.value(a, params[n].Type, "the argument "+params[n].Name+" of "+strings.TrimPrefix(what, "the function "))
		ok = ok && x.Type().Kind != typed.Nothing
		args = append(args, x)
	}
	return args, ok
}

func signatureOf(params []*typed.Variable) string {
	if len(params) == 0 {
		return "it has no parameters"
	}
	var words []string
	for _, p := range params {
		words = append(words, p.Type.String()+" "+p.Name)
	}
	return "its parameters are " + strings.Join(words, ", ")
}

// builtin is a function of the language, or a reduction of a sequence.
func (c *checker) builtin(e *syntax.Apply, name *syntax.Ref, want *typed.Type) typed.Expr {
	rows := typed.Candidates(name.Name, typed.Named)
	want = argumentWanted(rows, want)
	args := c.arguments(e.Args, want)
	if len(args) == 1 && args[0].Type().Kind == typed.Sequence && len(typed.Candidates(name.Name, typed.Fold)) > 0 {
		return c.foldOf(name, e.Pos, args[0])
	}
	if len(rows) == 0 {
		return c.notSequence(name, e.Pos, args)
	}
	if !takes(rows, len(args)) && !containsNothing(args) {
		c.errorf(source.CodeDiderotCall, e.Pos, "%s does not take %s", name.Name, plural(len(args), "argument")).WithHelp("it takes %s", listOfSignatures(rows))
		return nothing(e.Pos)
	}
	return c.apply(name.Name, typed.Named, e.Pos, name.Pos, args)
}

// argumentWanted is what is known of arguments where the type of the value is: a border takes such an image, and a function
// of numbers, of which there is a field, scalar fields.
func argumentWanted(rows []*typed.Row, want *typed.Type) *typed.Type {
	switch {
	case want == nil || want.Kind == typed.Image:
		return want
	case want.Kind == typed.Field && len(rows) > 0 && rows[0].Lifted && rows[0].Signature == "real -> real":
		return typed.FieldOf(0, want.Dim)
	}
	return nil
}

func containsNothing(args []typed.Expr) bool {
	for _, a := range args {
		if a.Type().Kind == typed.Nothing {
			return true
		}
	}
	return false
}

// takes reports whether a row takes that many arguments.
func takes(rows []*typed.Row, n int) bool {
	for _, row := range rows {
		if len(signatures[row].params) == n {
			return true
		}
	}
	return false
}
