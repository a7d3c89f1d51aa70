package tc

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// typer finds the type of every sub-expression of a statement. While types of
// untyped targets are still being found it is silent and takes unknown types for
// anything.
type typer struct {
	statement *statement
	report    bool
	lets      map[string]valueType
	depth     map[string]bool
}

// inferTypes gives every untyped output and temporary the meeting type of what is
// stored in it, by repeating until nothing changes: types only grow. Targets that
// hold only literals then take the type that these have alone, and what reads those
// is typed in turn. Floats go first, since an integer literal may still meet them.
func (d *def) inferTypes() {
	contributions := d.growTypes()
	for d.settleLiterals(contributions, weakFloat) || d.settleLiterals(contributions, weakInt) {
		contributions = d.growTypes()
	}
}

// growTypes repeats until no type changes, and returns what the statements store.
func (d *def) growTypes() map[*symbol]valueType {
	var contributions map[*symbol]valueType
	for range len(d.statements) + 16 { // a chain of temporaries, and more than the height of the lattice of types
		contributions = map[*symbol]valueType{}
		changed := false
		for _, s := range d.statements {
			if s.failed {
				continue
			}
			s.contribute(contributions)
		}
		for t, c := range contributions {
			if !t.typed && c.weak == strong && c.dtype != t.Type {
				t.Type, changed = c.dtype, true
			}
			if !t.typed && c.weak == weakFloat && t.Type != tensor.Invalid && !t.Type.IsFloat() { // integers came first
				t.Type, changed = d.settled(c), true
			}
		}
		if !changed {
			break
		}
	}
	return contributions
}

// settled is the type that a value has when it meets nothing. Floats that are made of literals and integers are
// float64 in a def that has tensors of float64, and float32 in others.
func (d *def) settled(v valueType) tensor.DType {
	if v.weak == weakFloat && slices.ContainsFunc(d.order, func(s *symbol) bool { return s.Type == tensor.Float64 }) {
		return tensor.Float64
	}
	return v.settled()
}

// settleLiterals types what has no type and stores nothing but literals of the
// given kind.
func (d *def) settleLiterals(contributions map[*symbol]valueType, kind weakness) bool {
	settled := false
	for _, t := range d.order {
		if c := contributions[t]; t.Type == tensor.Invalid && !t.broken && c.weak == kind {
			t.Type, settled = d.settled(c), true
		}
	}
	return settled
}

// requireTypes reports the tensors without a type, unless other errors explain
// them.
func (d *def) requireTypes() {
	for _, t := range d.order {
		if t.Type != tensor.Invalid || t.broken {
			continue
		}
		t.broken = true
		if t.written && !d.incomplete && !d.diags.HasErrors() {
			d.diags.Errorf(source.CodeNoType, t.Pos, "the type of %s cannot be inferred", t.Name).
				WithHelp("%s", d.declarationHelp(t))
		}
	}
}

// contribute adds what a statement stores to the types of its untyped targets.
func (s *statement) contribute(into map[*symbol]valueType) {
	add := func(t *symbol, v valueType) {
		old, ok := into[t]
		switch {
		case !ok || !old.known() || old.isLiteral() && !v.isLiteral() && v.known():
			into[t] = v
		case v.isLiteral() && !old.isLiteral() || !v.known():
			// literals count only if there is nothing else
		default:
			if m, ok := meet(old, v); ok {
				into[t] = m
			}
		}
	}
	switch s.kind {
	case defCall:
		s.chooseInstance()
		for i, t := range s.targets {
			if out := s.callee.Func.Outputs(); i < len(out) {
				add(t, of(out[i].Type))
			}
		}
		return
	case concatenation:
		for _, arg := range s.apply.Args {
			if name, ok := arg.(*syntax.Name); ok && s.def.symbols[name.Name] != nil && len(s.targets) > 0 {
				add(s.targets[0], of(s.def.symbols[name.Name].Type))
			}
		}
		return
	}
	v := s.typeValue(false)
	if s.kind == argReduction {
		for i, t := range s.targets {
			if i == 0 && s.hasValueTarget() {
				add(t, arithmetic(v))
			} else {
				add(t, of(tensor.Int64))
			}
		}
		return
	}
	add(s.targets[0], v)
}

// typeValue types the whole statement and returns the type of what it stores.
func (s *statement) typeValue(report bool) valueType {
	s.types = map[syntax.Expr]valueType{}
	t := &typer{statement: s, report: report, lets: map[string]valueType{}, depth: map[string]bool{}}
	for _, clause := range s.syntax.Where {
		switch c := clause.(type) {
		case *syntax.ExistsClause:
			t.expr(c.Value)
		case *syntax.LetClause:
			t.let(c.Name.Name)
		}
	}
	v := t.expr(s.syntax.Value)
	if op := s.syntax.Assign.Op; op == "+" || op == "*" {
		v = arithmetic(v)
		if v.weak == strong && v.dtype == tensor.Int32 && s.sums() && (s.ofScalars(s.syntax.Value) || s.sumsIndices()) { // sums of indices and sizes need room, as their products do
			v = of(tensor.Int64)
		}
	}
	return v
}

func (t *typer) errorf(code source.Code, span source.Span, format string, args ...any) *source.Diagnostic {
	if !t.report || t.statement.failed {
		return &source.Diagnostic{}
	}
	return t.statement.errorf(code, span, format, args...)
}

func (t *typer) expr(e syntax.Expr) valueType {
	v := t.infer(e)
	t.statement.types[e] = v
	return v
}

func (t *typer) infer(e syntax.Expr) valueType {
	switch e := e.(type) {
	case *syntax.Number:
		v, ok := parseNumber(e.Text)
		if !ok {
			t.errorf(source.CodeLiteral, e.Pos, "the number %s is too large for any type", e.Text)
		}
		return v
	case *syntax.Name:
		return t.name(e)
	case *syntax.Apply:
		return t.apply(e)
	case *syntax.SizeAccess:
		t.sizeAccess(e)
		return of(tensor.Int32)
	case *syntax.Unary:
		return t.unary(e)
	case *syntax.Binary:
		return t.binary(e)
	case *syntax.Conditional:
		t.expr(e.Cond)
		return t.meeting(e, "the branches of ?:", operand{e.Then, t.expr(e.Then)}, operand{e.Else, t.expr(e.Else)})
	case *syntax.CastExpr:
		t.expr(e.X)
		dtype, _ := syntax.ScalarType(e.To)
		return of(dtype)
	case *syntax.Paren:
		return t.expr(e.X)
	}
	return valueType{}
}

func (t *typer) let(name string) valueType {
	if v, ok := t.lets[name]; ok {
		return v
	}
	if t.depth[name] { // reported by findIndices
		return valueType{}
	}
	t.depth[name] = true
	v := t.expr(t.statement.lets[name].clause.Value)
	t.lets[name] = v
	return v
}

func (t *typer) name(e *syntax.Name) valueType {
	s := t.statement
	if _, ok := s.lets[e.Name]; ok {
		return t.let(e.Name)
	}
	found, ok := s.def.symbols[e.Name]
	if !ok {
		return of(tensor.Int32) // a size or an index
	}
	t.checkRank(found, e.Pos, 0)
	return of(found.Type)
}

// checkRank compares an access with the tensor; a tensor without a rank takes it.
func (t *typer) checkRank(found *symbol, pos source.Span, rank int) {
	if found.rank < 0 || found.rank == rank {
		return
	}
	t.errorf(source.CodeRank, pos, "%s has %s but is read with %s", found.Name, count(found.rank, "dimension"), count(rank, "subscript")).
		WithNote(found.Pos, "%s is declared here", found.Name).
		WithHelp("write one subscript for each dimension: %s", found.example())
}

// example writes an access of the tensor, such as A(i,j).
func (s *symbol) example() string {
	if s.rank <= 0 {
		return s.Name
	}
	list := make([]string, s.rank)
	for k := range list {
		list[k] = indexLetter(k)
	}
	return s.Name + "(" + strings.Join(list, ",") + ")"
}

// indexLetter is a name for the index of a dimension.
func indexLetter(k int) string {
	const letters = "ijklmnopq"
	name := string(letters[k%len(letters)])
	if k >= len(letters) {
		name += strconv.Itoa(k / len(letters))
	}
	return name
}

func (t *typer) sizeAccess(e *syntax.SizeAccess) {
	found, ok := t.statement.def.symbols[e.Tensor.Name]
	if !ok {
		t.errorf(source.CodeUnknownName, e.Tensor.Pos, "there is no tensor %s", e.Tensor.Name).
			WithHelp("%s", t.statement.def.suggest(e.Tensor.Name))
		return
	}
	if found.rank >= 0 && e.Dim >= found.rank {
		t.errorf(source.CodeRank, e.Pos, "%s has %s; there is no dimension %d", found.Name, count(found.rank, "dimension"), e.Dim).
			WithHelp("dimensions count from 0")
	}
}

// suggest words a hint for a name that was not found.
func (d *def) suggest(name string) string {
	if best := nearest(name, d.names()); best != "" {
		return "did you mean " + best + "?"
	}
	return "declare it among the inputs, or assign to it in an earlier statement"
}

func (t *typer) apply(e *syntax.Apply) valueType {
	s := t.statement
	if found, ok := s.def.symbols[e.Func.Name]; ok {
		t.checkRank(found, e.Pos, len(e.Args))
		t.subscripts(found, e.Args)
		if e.Old && !s.hasOldValue(found) {
			t.errorf(source.CodeOld, e.Pos, "%s does not change in this statement, and is not what the caller gives to be updated, so it has no old value", found.Name).
				WithHelp("write %s", found.Name+withoutOld(e))
		}
		return of(found.Type)
	}
	if size := s.def.length(e); size != nil {
		t.sizeAccess(size)
		return of(tensor.Int32)
	}
	name := e.Func.Name
	mode, isBoundary := boundaryFunctions[name]
	builtin, isBuiltin := ein.LookupFunction(name)
	isMinMax := name == "min" || name == "max"
	_, onBits := ein.BitFunctions()[name]
	if !isBoundary && !isBuiltin && !isMinMax && !onBits && name != ein.AbsoluteName {
		t.unknownFunction(e)
		return valueType{}
	}
	t.hiddenFunction(e)
	args := make([]valueType, len(e.Args))
	for i, a := range e.Args {
		args[i] = t.expr(a)
	}
	switch {
	case isBoundary:
		return t.boundary(e, mode, args)
	case isMinMax:
		return t.minMax(e, args)
	case onBits:
		return t.bitFunction(e, args)
	case name == ein.AbsoluteName:
		return t.absolute(e, args)
	}
	return t.builtin(e, builtin, args)
}

// subscripts requires integers.
func (t *typer) subscripts(of *symbol, args []syntax.Expr) {
	for _, a := range args {
		if v := t.expr(a); v.known() && !v.isInteger() && v.dtype != tensor.Bool {
			diag := t.errorf(source.CodeSubscriptType, a.Span(), "a subscript must be an integer, not %s", v.describe())
			if functionOfLanguage(of.Name) {
				diag.WithNote(of.Pos, "the tensor %s hides the function of this name", of.Name).WithHelp("give the tensor another name to use the function %s", of.Name)
				continue
			}
			if renamed, ok := t.statement.otherIndices(); ok && t.statement.kind == argReduction {
				diag.WithHelp("an index has another name than its position: %s", renamed)
			} else if whole, ok := t.wholeNumbers(a); ok {
				diag.WithHelp("write whole numbers: %s", whole)
			} else if _, indexed := t.floatLiterals(a, nil); indexed {
				diag.WithHelp("convert it: int32(%s); a converted subscript gives its indices no range, so they need one in the where clause", inLine(a.Span().Text()))
			} else {
				diag.WithHelp("convert it: int32(%s)", inLine(a.Span().Text()))
			}
		}
	}
}

// wholeNumbers writes the literals of an expression that are whole without a
// point; ok is false when something else makes it a float.
func (t *typer) wholeNumbers(e syntax.Expr) (text string, ok bool) {
	literals, ok := t.floatLiterals(e, nil)
	span := e.Span()
	text = span.Text()
	for n := len(literals) - 1; n >= 0; n-- {
		at := literals[n].Pos
		v := t.statement.types[literals[n]].float
		whole := strconv.FormatFloat(v, 'f', -1, 64)
		ok = ok && !strings.Contains(whole, ".") && len(whole) < 10
		text = text[:at.Start-span.Start] + whole + text[at.End-span.Start:]
	}
	return inLine(text), ok && len(literals) > 0
}

// floatLiterals adds the float literals of e in the order of the text; ok is false
// when another operand is a float.
func (t *typer) floatLiterals(e syntax.Expr, list []*syntax.Number) (_ []*syntax.Number, ok bool) {
	switch e := e.(type) {
	case *syntax.Number:
		if t.statement.types[e].weak == weakFloat {
			list = append(list, e)
		}
		return list, true
	case *syntax.Paren, *syntax.Unary, *syntax.Binary:
		ok = true
		for _, x := range operands(e) {
			var all bool
			list, all = t.floatLiterals(x, list)
			ok = ok && all
		}
		return list, ok
	}
	return list, t.statement.types[e].isInteger()
}

func (t *typer) boundary(e *syntax.Apply, b boundary, args []valueType) valueType {
	want := 1
	if b == padded {
		want = 2
	}
	if len(args) != want {
		t.errorf(source.CodeArguments, e.Pos, "%s takes %s, not %d", e.Func.Name, count(want, "argument"), len(args)).
			WithHelp("%s", boundaryHelp(e))
		return valueType{}
	}
	if !t.statement.readsElements(e.Args[0]) {
		t.movesNothing(e)
	}
	if b == padded {
		return t.meeting(e, "the value and the padding", operand{e.Args[0], args[0]}, operand{e.Args[1], args[1]})
	}
	return args[0]
}

// boundaryHelp says what the functions do, and how a value is kept between bounds.
func boundaryHelp(e *syntax.Apply) string {
	if e.Func.Name == clamped.name() && len(e.Args) == 3 {
		text := func(n int) string { return inLine(e.Args[n].Span().Text()) }
		return fmt.Sprintf("write min(max(%s, %s), %s) for a value between two bounds; clamp(e) moves the subscripts in e to the nearest element", text(0), text(1), text(2))
	}
	return "pad(e, v) is e, or v where e reads out of bounds; clamp(e), mirror(e) and wrap(e) move the subscripts in e"
}

func (t *typer) minMax(e *syntax.Apply, args []valueType) valueType {
	if len(args) != 2 {
		diag := t.errorf(source.CodeArguments, e.Pos, "%s takes 2 arguments, not %d", e.Func.Name, len(args)).
			WithHelp("nest them for more: %s(a, %s(b, c))", e.Func.Name, e.Func.Name)
		if len(args) == 1 {
			diag.WithHelp("the %s over an index is a reduction: m %s=! %s", map[string]string{"min": "smallest value", "max": "largest value"}[e.Func.Name],
				e.Func.Name, inLine(e.Args[0].Span().Text()))
		}
		return valueType{}
	}
	t.constantMinMax(e, args[0], args[1])
	return t.meeting(e, "the arguments of "+e.Func.Name, operand{e.Args[0], arithmetic(args[0])}, operand{e.Args[1], arithmetic(args[1])})
}

// absolute is the type of abs(x), that of x.
func (t *typer) absolute(e *syntax.Apply, args []valueType) valueType {
	if len(args) != 1 {
		t.errorf(source.CodeArguments, e.Pos, "abs takes 1 argument, not %d", len(args)).WithHelp("abs(x): |x|, of the type of x")
		return valueType{}
	}
	switch x := args[0]; {
	case x.constant && x.weak == weakInt && x.integer != math.MinInt64:
		return literalInt(max(x.integer, -x.integer))
	case x.constant && x.weak == weakFloat:
		return literalFloat(math.Abs(x.float))
	}
	return settle(arithmetic(args[0]))
}

func (t *typer) builtin(e *syntax.Apply, b *ein.Builtin, args []valueType) valueType {
	if len(args) != b.Arity {
		t.errorf(source.CodeArguments, e.Pos, "%s takes %s, not %d", b.Name, count(b.Arity, "argument"), len(args)).WithHelp("%s(%s): %s", b.Name, parameters(b), strings.TrimPrefix(b.Doc, b.Name+"("+parameters(b)+"): "))
		return valueType{}
	}
	var v valueType
	for i, a := range args {
		a = functionArgument(a)
		if i == 0 {
			v = a
			continue
		}
		v = t.meeting(e, "the arguments of "+b.Name, operand{e.Args[0], v}, operand{e.Args[i], a})
	}
	if v.weak != strong {
		return valueType{weak: weakFloat, mixed: true, wide: v.wide}
	}
	return v
}

// parameters names the arguments of a builtin as its description does.
func parameters(b *ein.Builtin) string {
	names := []string{"x", "y", "z", "w"}[:b.Arity]
	if b.Name == "atan2" {
		names = []string{"y", "x"}
	}
	return strings.Join(names, ", ")
}

// hiddenFunction warns of a function of the language that is used beside a def of
// the same name. In that def itself nothing else can be meant.
func (t *typer) hiddenFunction(e *syntax.Apply) {
	d := t.statement.def
	if other := d.compiler.named(e.Func.Name); other != nil && !other.isOf(d) && t.report {
		d.warnOnce(t.statement, source.CodeRedefined, e.Func.Pos, "%s is the function of the language here, not the def", e.Func.Name).
			WithNote(other.pos(), "the def %s is here", e.Func.Name).
			WithHelp("the def is called by a statement of its own, t = %s(A), then use t; give the def another name where the function is meant", e.Func.Name)
	}
}

func (t *typer) unknownFunction(e *syntax.Apply) {
	d := t.statement.def
	if callee := d.compiler.named(e.Func.Name); callee != nil || e.Func.Name == concatName {
		statements, element := t.callInStatement(e, callee)
		diag := t.errorf(source.CodeCallPlace, e.Pos, "%s is called inside an expression", e.Func.Name).
			WithHelp("a call is a statement of its own: write %s before this one, and %s here", statements, element)
		if callee != nil {
			diag.WithNote(callee.pos(), "%s is a def", e.Func.Name)
		}
		return
	}
	candidates := append(d.names(), "min", "max", ein.AbsoluteName, "popcount", "clz", concatName)
	for _, b := range ein.Builtins() {
		candidates = append(candidates, b.Name)
	}
	for name := range boundaryFunctions {
		candidates = append(candidates, name)
	}
	candidates = append(candidates, d.compiler.defNames()...)
	diag := t.errorf(source.CodeUnknownName, e.Func.Pos, "%s is neither a tensor nor a function", e.Func.Name)
	if form := otherwise(e); form != "" {
		diag.WithHelp("%s", form)
	} else if best := nearest(e.Func.Name, candidates); best != "" {
		diag.WithHelp("did you mean %s?", best)
	} else {
		diag.WithHelp("declare a tensor among the inputs, or assign to it in an earlier statement; `ricci explain %s` lists the functions", source.CodeUnknownName)
	}
	d.compiler.table.Explain(e.Func.Name, diag)
}

func (t *typer) unary(e *syntax.Unary) valueType {
	x := t.expr(e.X)
	switch {
	case e.Op == "!":
		return of(tensor.Bool)
	case e.Op == "~":
		return t.complement(e, x)
	case x.constant && x.weak == weakInt && x.integer != -1<<63:
		return literalInt(-x.integer)
	case x.constant && x.weak == weakFloat:
		return literalFloat(-x.float)
	case x.constant && x.weak == strong && x.dtype == tensor.Uint64 && x.integer == math.MinInt64: // the literal 2^63
		return literalInt(math.MinInt64)
	}
	return settle(arithmetic(x))
}

// settle makes a weak integer that is no constant strong, unless a literal is shifted in it.
func settle(v valueType) valueType {
	if v.weak == weakInt && !v.shifted {
		return of(v.settled())
	}
	return v
}

func (t *typer) binary(e *syntax.Binary) valueType {
	x, y := t.expr(e.X), t.expr(e.Y)
	switch e.Op {
	case "&&", "||":
		return of(tensor.Bool)
	case "<", ">", "<=", ">=", "==", "!=":
		t.chained(e)
		t.negatedOperand(e, x)
		t.meeting(e, "the operands of "+e.Op, operand{e.X, arithmetic(x)}, operand{e.Y, arithmetic(y)})
		return of(tensor.Bool)
	}
	t.bitGrouping(e)
	if binaryOperators[e.Op].IsBitwise() {
		return t.bits(e, x, y)
	}
	t.zeroDivision(e, x, y)
	if folded, ok := foldLiterals(e.Op, x, y); ok {
		return folded
	}
	if s := t.statement; x.shifted && (y.dtype == tensor.Bool || s.ofSizes(e.Y)) || y.shifted && (x.dtype == tensor.Bool || s.ofSizes(e.X)) {
		return valueType{weak: weakInt, shifted: true} // b(i) * (1 << i) has the type of what it meets
	}
	return settle(t.meeting(e, "the operands of "+e.Op, operand{e.X, arithmetic(x)}, operand{e.Y, arithmetic(y)}))
}
