package teml

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
)

// eval evaluates an expression in the state σ: E_t : Texpression → (S → T) and
// E_l : Lexpression → (S → L), Equations (8) and (9), and the expressions of the
// meta-level. target names the tensor that the statement around it
// assigns, nil where there is none.
func (in *interpreter) eval(e syntax.Expr, target *syntax.Name) value {
	if in.steps++; in.steps > maxSteps+1 {
		panic(bailout{}) // it was said
	} else if in.steps > maxSteps {
		in.fail(source.CodeTeMLDepth, e.Span(), "the meta-program does not end after %d steps", maxSteps).help("does every recursion come to an end?")
	}
	switch e := e.(type) {
	case *syntax.Number:
		return in.number(e)
	case *syntax.Ref:
		return in.ref(e, target)
	case *syntax.List:
		values := make(list, len(e.Items))
		for n, item := range e.Items {
			values[n] = in.eval(item, nil)
		}
		in.limit(parts(values), e.Pos)
		return values
	case *syntax.Arrow:
		return arrow{in.eval(e.From, nil), in.eval(e.To, nil)}
	case *syntax.Unary:
		return in.unary(e)
	case *syntax.Binary:
		return in.binary(e)
	case *syntax.Select:
		l := expect[list](in, e.X, nil)
		n := in.constant(e.Number)
		if n < 1 || n > int64(len(l)) {
			in.fail(source.CodeTeMLCount, e.Number.Span(), "the list has no entry %d, it has %d", n, len(l)).help("entries are counted from 1")
		}
		return l[n-1]
	case *syntax.If:
		if expect[truth](in, e.Cond, nil) {
			return in.eval(e.Then, target)
		}
		return in.eval(e.Else, target)
	case *syntax.Call:
		return in.call(e, target)
	}
	return empty{}
}

// number reads a literal: with a point or an exponent it is one of the generated
// program, otherwise a whole number.
func (in *interpreter) number(e *syntax.Number) value {
	if strings.ContainsAny(e.Text, ".eE") {
		f, err := strconv.ParseFloat(e.Text, 64)
		if err != nil {
			in.fail(source.CodeTeMLSyntax, e.Pos, "%s is no number", e.Text).help("numbers are written 12, 0.5 or 1e-3")
		}
		return literal(f)
	}
	n, err := strconv.ParseInt(e.Text, 10, 64)
	if err != nil {
		in.fail(source.CodeTeMLSyntax, e.Pos, "%s is no number of 64 bits", e.Text).help("numbers are written 12, 0.5 or 1e-3")
	}
	return number{affine.Const(n)}
}

// self is the name by which a function reads the tensor to which its value will be
// assigned.
const self = "self"

// ref evaluates a name. One that nobody defined stands for itself: a size or an
// iterator; or for the tensor that the statement assigns, which starts as an
// accumulator then.
func (in *interpreter) ref(e *syntax.Ref, target *syntax.Name) value {
	switch e.Name {
	case "true", "false":
		return truth(e.Name == "true")
	}
	if v, ok := in.lookup(e.Name); ok {
		if b, isBroken := v.(broken); isBroken {
			panic(bailout(b))
		}
		return v
	}
	if e.Name == self || target != nil && target.Name == e.Name {
		return &Tree{pos: in.at(e.Pos), fresh: true, iters: iterators{state: unset}}
	}
	if r := in.reals[e.Name]; r != nil && (in.current() == nil || !in.current().function.isApart()) {
		return leaf(r, in.at(e.Pos))
	}
	return number{affine.Symbol(e.Name)}
}

// expect evaluates an expression that must be of one kind.
func expect[T value](in *interpreter, e syntax.Expr, target *syntax.Name) T {
	return as[T](in, in.eval(e, target), e.Span())
}

// as demands that a value is of one kind.
func as[T value](in *interpreter, v value, pos source.Span) T {
	t, ok := v.(T)
	if l, isList := v.(list); !ok && isList && len(l) == 1 { // a list of one loop stands for it
		if one, isLoop := l[0].(loop); isLoop {
			t, ok = value(one).(T)
		}
	}
	if !ok {
		var want T
		in.wrongKind(v, want.kind(), pos)
	}
	return t
}

// constant evaluates an expression that must be a known whole number.
func (in *interpreter) constant(e syntax.Expr) int64 {
	return in.known(expect[number](in, e, nil), e.Span())
}

func (in *interpreter) known(n number, pos source.Span) int64 {
	c, ok := n.IsConst()
	if ok {
		return c
	}
	used := map[string]bool{}
	n.Symbols(used)
	for _, name := range sortedKeys(used) {
		if in.sizes[name] != nil {
			found := fmt.Sprintf("%s with the size %s", n, name)
			if _, alone := n.IsSymbol(); alone {
				found = "the size " + name
			}
			in.fail(source.CodeTeMLKind, pos, "found %s, expected a number that is known", found).
				note(in.sizes[name].pos, "%s is a size because this shape uses it", name).
				help("a program is one for all sizes; where loops are to differ, make several defs, codegen small(l1) and codegen large(l2), or a constant of the size: %s = 4096", name)
		}
	}
	in.fail(source.CodeTeMLKind, pos, "found %s, expected a number that is known", n).help("define the names in it as constants: N = 64; sizes of the def have no values in a script")
	return 0
}

func (in *interpreter) unary(e *syntax.Unary) value {
	if e.Op == "not" {
		return !expect[truth](in, e.X, nil)
	}
	if x, ok := in.eval(e.X, nil).(literal); ok {
		return -x
	}
	return number{expect[number](in, e.X, nil).Scale(-1)}
}

func (in *interpreter) binary(e *syntax.Binary) value {
	switch e.Op {
	case "and":
		return expect[truth](in, e.X, nil) && expect[truth](in, e.Y, nil)
	case "or":
		return expect[truth](in, e.X, nil) || expect[truth](in, e.Y, nil)
	case "++":
		joined := append(slices.Clone(expect[list](in, e.X, nil)), expect[list](in, e.Y, nil)...)
		in.limit(parts(joined), e.Pos)
		return joined
	}
	x, y := in.eval(e.X, nil), in.eval(e.Y, nil)
	if e.Op == "==" || e.Op == "!=" {
		return truth(equal(x, y) == (e.Op == "=="))
	}
	if f, g, ok := literals(x, y); ok {
		return in.literalOperation(e, f, g)
	}
	a, b := as[number](in, x, e.X.Span()), as[number](in, y, e.Y.Span())
	switch e.Op {
	case "+":
		return in.bounded(a.Add(b.Expr), e.Pos)
	case "-":
		return in.bounded(a.Sub(b.Expr), e.Pos)
	case "*":
		in.limit(len(a.Terms())*len(b.Terms()), e.Pos)
		return in.bounded(a.Mul(b.Expr), e.Pos)
	case "/", "%":
		if n, ok := b.IsConst(); !ok || n <= 0 {
			in.fail(source.CodeTeMLKind, e.Y.Span(), "the divisor is %s, expected a positive number", b).help("a division of whole numbers rounds down")
		}
		return in.bounded(affine.Apply(affine.Op(e.Op), a.Expr, b.Expr), e.Pos)
	}
	return compare(e.Op, in.known(a, e.X.Span()), in.known(b, e.Y.Span()))
}

// bounded refuses numbers that leave 64 bits, for which affine has a symbol that
// nobody can declare, and expressions that grow without end.
func (in *interpreter) bounded(x affine.Expr, pos source.Span) number {
	in.limit(len(x.String())/8, pos)
	used := map[string]bool{}
	x.Symbols(used)
	for name := range used {
		if !affine.IsWord(name) {
			in.fail(source.CodeTeMLSyntax, pos, "the result leaves 64 bits").help("sizes and subscripts are numbers of 64 bits")
		}
	}
	return number{x}
}

// literals converts operands of which one at least is a literal.
func literals(x, y value) (f, g float64, ok bool) {
	_, isX := x.(literal)
	_, isY := y.(literal)
	f, okX := asFloat(x)
	g, okY := asFloat(y)
	return f, g, (isX || isY) && okX && okY
}

func asFloat(v value) (float64, bool) {
	switch v := v.(type) {
	case literal:
		return float64(v), true
	case number:
		n, ok := v.IsConst()
		return float64(n), ok
	}
	return 0, false
}

func (in *interpreter) literalOperation(e *syntax.Binary, x, y float64) value {
	switch e.Op {
	case "+":
		return literal(x + y)
	case "-":
		return literal(x - y)
	case "*":
		return literal(x * y)
	case "/":
		return literal(x / y)
	case "%":
		in.fail(source.CodeTeMLKind, e.Pos, "literals have no remainder").help("%% is for whole numbers")
	}
	return compare(e.Op, x, y)
}

func compare[T int64 | float64](op string, x, y T) value {
	switch op {
	case "<":
		return truth(x < y)
	case "<=":
		return truth(x <= y)
	case ">":
		return truth(x > y)
	}
	return truth(x >= y)
}

// call evaluates a call: of a function of the program or of std.teml, else of a
// built-in, else of a loop transformation.
func (in *interpreter) call(e *syntax.Call, target *syntax.Name) value {
	name := e.Name.Name
	f := in.functions[name]
	if c := in.current(); c != nil && c.function.standard {
		if own, ok := standardLibrary()[name]; ok { // std.teml does not see what a program calls the same
			f = own
		} else {
			f = nil
		}
	} else if c != nil && c.function.library != nil && f != nil && !f.isApart() { // nor does a library
		f = standardLibrary()[name]
	}
	in.warnHidden(e)
	t, isTransformation := transform.Lookup(name)
	if f != nil && !(f.standard && isTransformation) {
		return in.apply(f, e, target)
	}
	if b, ok := in.builtins[name]; ok {
		if len(e.Args) < b.least || len(e.Args) > b.most {
			form := b.form
			if all := "entrywise_" + name; in.functions[all] != nil && len(e.Args) == 2 {
				form += fmt.Sprintf("; %s(t0, t1) combines all elements", all)
			}
			in.fail(source.CodeTeMLCount, e.Pos, "%s has %s, expected %s", name, count(len(e.Args), "argument"), b.form).help("write %s", form)
		}
		return b.apply(in, e, target)
	}
	if isTransformation {
		return in.transform(t, e)
	}
	if in.isImported(e) {
		return in.nestedCall(e)
	}
	if name == "init" {
		in.fail(source.CodeTeMLKind, e.Pos, "init has no value").help("it is a statement of its own: %s", strings.Join(strings.Fields(e.Pos.Text()), " "))
	}
	unknown := in.fail(source.CodeTeMLName, e.Name.Pos, "there is no function %s", name)
	unknown.d.WithHelp("%s", in.functionLike(name))
	in.imports.Explain(name, unknown.d)
	panic(bailout{})
}

// apply calls a function: its statements run on names of their own. An argument that
// is missing from the program's tensors may be the tensor that is assigned.
func (in *interpreter) apply(f *function, e *syntax.Call, target *syntax.Name) value {
	params := f.syntax.Params
	if rest := f.syntax.Rest; len(e.Args) < len(params) || rest == nil && len(e.Args) > len(params) {
		expected := strconv.Itoa(len(params))
		if rest != nil {
			expected += " at least"
		}
		wrong := in.fail(source.CodeTeMLCount, e.Pos, "%s has %s, expected %s", e.Name.Name, count(len(e.Args), "argument"), expected)
		if !f.standard {
			wrong.note(f.syntax.Name.Pos, "%s is declared here", e.Name.Name)
		}
		wrong.help("write %s", f.signature())
	}
	c := call{pos: in.at(e.Pos), args: map[string]source.Span{}}
	values := make([]value, len(e.Args))
	for n, arg := range e.Args {
		if values[n] = in.eval(arg, target); n < len(params) {
			c.args[params[n].Name] = in.at(arg.Span())
		}
	}
	return in.enter(f, c, values)
}

// enter evaluates the body of a function for the values of its parameters.
func (in *interpreter) enter(f *function, c call, values []value) value {
	params := f.syntax.Params
	c.function, c.locals = f, scope{}
	for n, p := range params {
		c.locals[p.Name] = values[n]
	}
	if f.syntax.Rest != nil {
		c.locals[f.syntax.Rest.Name] = list(values[len(params):])
	}
	if len(in.calls) >= maxDepth {
		in.fail(source.CodeTeMLDepth, c.pos, "functions call each other more than %d deep", maxDepth).help("does the recursion of %s come to an end?", f.syntax.Name.Name)
	}
	in.calls = append(in.calls, c)
	for _, s := range f.syntax.Body {
		in.statement(s)
	}
	v := in.eval(f.syntax.Result, nil)
	in.calls = in.calls[:len(in.calls)-1]
	return v
}

// parameterForms are the forms of parameters of std.teml that are lists.
var parameterForms = map[string]string{"pair": "[r0, r1]", "pairs": "[[r1, r2]]"}

// signature is how the function is called.
func (f *function) signature() string {
	var names []string
	for _, p := range f.syntax.Params {
		form, isList := parameterForms[p.Name]
		if !f.standard || !isList {
			form = p.Name
		}
		names = append(names, form)
	}
	if f.syntax.Rest != nil {
		names = append(names, "…")
	}
	return f.syntax.Name.Name + "(" + strings.Join(names, ", ") + ")"
}
