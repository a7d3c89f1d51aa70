package mutate

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// An operator finds ways to mutate a node.
type operator struct {
	name  string
	texts bool // only where texts are mutated
	find  func(w *walker, n ast.Node, found func(candidate))
}

// operators is the table of all of them.
var operators = []operator{
	{name: "condition", find: conditions},
	{name: "comparison", find: comparisons},
	{name: "connective", find: connectives},
	{name: "negation", find: negations},
	{name: "arithmetic", find: arithmetic},
	{name: "constant", find: constants},
	{name: "other name", find: otherNames},
	{name: "dropped statement", find: droppedStatements},
	{name: "operands swapped", find: swapped},
	{name: "field dropped", find: droppedFields},
	{name: "bound one off", find: bounds},
	{name: "result", find: results},
	{name: "text", texts: true, find: texts},
}

// conditions turns the condition of an if or of a case around, or settles it.
func conditions(w *walker, n ast.Node, found func(candidate)) {
	settle := func(e ast.Expr) {
		found(candidate{at: e, parts: []ast.Node{e}, pattern: "planted.Not(@, $0)", after: "!(" + w.words(e) + ")"})
		found(candidate{at: e, parts: []ast.Node{e}, pattern: "(($0) && !planted.Is(@))", after: "false"})
		found(candidate{at: e, parts: []ast.Node{e}, pattern: "(($0) || planted.Is(@))", after: "true"})
	}
	switch n := n.(type) {
	case *ast.IfStmt:
		settle(n.Cond)
	case *ast.CaseClause:
		for _, e := range n.List {
			if basic, ok := w.info.TypeOf(e).(*types.Basic); ok && basic.Info()&types.IsBoolean != 0 && w.tagless() {
				settle(e)
			}
		}
	}
}

// tagless reports whether the visited clause is one of a switch without a tag.
func (w *walker) tagless() bool {
	s, ok := w.above[len(w.above)-2].(*ast.SwitchStmt)
	return ok && s.Tag == nil
}

// turned are what an operator of comparison becomes: the bound one off, the other side, the
// opposite.
var turned = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GTR, token.GEQ}, token.LEQ: {token.LSS, token.GEQ, token.GTR},
	token.GTR: {token.GEQ, token.LSS, token.LEQ}, token.GEQ: {token.GTR, token.LEQ, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
}

func comparisons(w *walker, n ast.Node, found func(candidate)) {
	b, ok := n.(*ast.BinaryExpr)
	if !ok || w.constant(b) {
		return
	}
	for _, other := range turned[b.Op] {
		found(candidate{parts: []ast.Node{b.X, b.Y}, after: w.words(b.X) + " " + other.String() + " " + w.words(b.Y),
			pattern: fmt.Sprintf("(planted.Is(@) && $0 %s $1 || !planted.Is(@) && $0 %s $1)", other, b.Op)})
	}
}

func connectives(w *walker, n ast.Node, found func(candidate)) {
	b, ok := n.(*ast.BinaryExpr)
	if !ok || b.Op != token.LAND && b.Op != token.LOR {
		return
	}
	other, ignore := token.LOR, "|| planted.Is(@)"
	if b.Op == token.LOR {
		other, ignore = token.LAND, "&& !planted.Is(@)"
	}
	parts := []ast.Node{b.X, b.Y}
	found(candidate{parts: parts, after: w.words(b.Y), pattern: fmt.Sprintf("((($0) %s) %s ($1))", ignore, b.Op)})
	found(candidate{parts: parts, after: w.words(b.X), pattern: fmt.Sprintf("(($0) %s (($1) %s))", b.Op, ignore)})
	found(candidate{parts: parts, after: w.words(b.X) + " " + other.String() + " " + w.words(b.Y),
		pattern: fmt.Sprintf("(planted.Is(@) && (($0) %s ($1)) || !planted.Is(@) && (($0) %s ($1)))", other, b.Op)})
}

func negations(w *walker, n ast.Node, found func(candidate)) {
	if u, ok := n.(*ast.UnaryExpr); ok && !w.constant(u) {
		switch u.Op {
		case token.NOT:
			found(candidate{parts: []ast.Node{u}, pattern: "planted.Not(@, $0)", after: w.words(u.X)})
		case token.SUB:
			found(candidate{parts: []ast.Node{u.X}, pattern: "planted.Negate(@, $0)", after: w.words(u.X)})
		}
	}
}

// mutants of arithmetic: the function of package active, and the operator that it may apply.
var helpers = map[token.Token][2]string{
	token.ADD: {"Add", "-"}, token.SUB: {"Subtract", "+"}, token.MUL: {"Multiply", "+"}, token.QUO: {"Divide", "*"}, token.REM: {"Remainder", "/"},
	token.AND: {"And", "|"}, token.OR: {"Or", "&"}, token.XOR: {"Xor", "|"}, token.AND_NOT: {"AndNot", "&"}, token.SHL: {"Left", ">>"}, token.SHR: {"Right", "<<"},
}

// assigned are the operators of assignments with an operation, and what they become.
var assigned = map[token.Token]string{
	token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+=", token.MUL_ASSIGN: "+=", token.QUO_ASSIGN: "*=", token.OR_ASSIGN: "&=", token.AND_ASSIGN: "|=",
	token.SHL_ASSIGN: ">>=", token.SHR_ASSIGN: "<<=",
}

func arithmetic(w *walker, n ast.Node, found func(candidate)) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		w.binary(n, found)
	case *ast.AssignStmt:
		if other := assigned[n.Tok]; other != "" && w.isReal(n.Lhs[0]) && w.inList() {
			found(candidate{parts: []ast.Node{n, n.Lhs[0], n.Rhs[0]}, after: w.words(n.Lhs[0]) + " " + other + " " + w.words(n.Rhs[0]),
				pattern: "if planted.Is(@) { $1 " + other + " $2 } else { $0 }"})
		}
	case *ast.CallExpr:
		f, ok := n.Fun.(*ast.Ident)
		if _, builtin := w.info.Uses[f].(*types.Builtin); !ok || !builtin || w.constant(n) || !w.isReal(n) {
			return
		}
		if other := map[string]string{"min": "max", "max": "min"}[f.Name]; other != "" {
			helper := strings.ToUpper(f.Name[:1]) + f.Name[1:]
			found(candidate{parts: nodes(n.Args), after: other, pattern: "planted." + helper + "[" + w.typeName(n) + "](@" + placeholders(len(n.Args)) + ")"})
		}
	}
}

func (w *walker) binary(b *ast.BinaryExpr, found func(candidate)) {
	helper := helpers[b.Op]
	if helper[0] == "" || w.constant(b) {
		return
	}
	// A constant operand has the type of the whole, not one that is inferred.
	operand := func(e ast.Expr, k int, t ast.Expr) string {
		if w.constant(e) {
			return fmt.Sprintf("%s($%d)", w.typeName(t), k)
		}
		return fmt.Sprintf("$%d", k)
	}
	right := operand(b.Y, 1, b)
	if b.Op == token.SHL || b.Op == token.SHR {
		right = "$1"
	}
	both := fmt.Sprintf("(@, %s, %s)", operand(b.X, 0, b), right)
	parts := []ast.Node{b.X, b.Y}
	switch {
	case w.isReal(b):
		found(candidate{parts: parts, after: w.words(b.X) + " " + helper[1] + " " + w.words(b.Y), pattern: "planted." + helper[0] + both})
		if b.Op == token.SUB {
			found(candidate{parts: parts, after: w.words(b.Y) + " - " + w.words(b.X), pattern: "planted.Turned" + both})
		}
	case w.isString(b) && w.room.Texts:
		found(candidate{parts: parts, after: w.words(b.X), pattern: "planted.Join" + both})
	}
}

// constants moves a number by one, doubles it, or takes its opposite.
func constants(w *walker, n ast.Node, found func(candidate)) {
	e, ok := n.(ast.Expr)
	if !ok || !w.constant(e) || w.namedConstant(e) || !w.free(e) {
		return
	}
	if parent, ok := w.parent().(ast.Expr); ok && w.constant(parent) {
		return // the whole of it is mutated
	}
	value, name := w.info.Types[e].Value, w.typeName(e)
	other := func(text string) {
		found(candidate{parts: []ast.Node{e}, after: text, pattern: fmt.Sprintf("planted.Of[%s](@, $0, %s)", name, text)})
	}
	switch value.Kind() {
	case constant.Bool:
		other(fmt.Sprint(!constant.BoolVal(value)))
	case constant.Int, constant.Float:
		text := "(" + w.words(e) + ")"
		other(text + " + 1")
		other(text + " - 1")
		if constant.Sign(value) != 0 {
			other("2 * " + text)
		}
	}
}

// free reports whether the visited expression may become a call: not where a constant is needed.
func (w *walker) free(e ast.Expr) bool {
	switch parent := w.parent().(type) {
	case *ast.CaseClause:
		return false
	case *ast.KeyValueExpr:
		return parent.Key != e
	case *ast.ArrayType, *ast.SelectorExpr:
		return false
	case *ast.BinaryExpr:
		return parent.Op != token.SHL || parent.X != e
	}
	return true
}

// namedConstant reports whether an expression is the name of a constant of a type of its own,
// such as a member of an enumeration.
func (w *walker) namedConstant(e ast.Expr) bool {
	_, ok := w.enumerated(e)
	return ok
}

func (w *walker) enumerated(e ast.Expr) (*types.Const, bool) {
	var name *ast.Ident
	switch e := e.(type) {
	case *ast.Ident:
		name = e
	case *ast.SelectorExpr:
		name = e.Sel
	default:
		return nil, false
	}
	c, ok := w.info.Uses[name].(*types.Const)
	if !ok {
		return nil, false
	}
	_, named := c.Type().(*types.Named)
	return c, named
}

// otherNames takes the member of an enumeration before or behind.
func otherNames(w *walker, n ast.Node, found func(candidate)) {
	e, ok := n.(ast.Expr)
	if !ok {
		return
	}
	c, named := w.enumerated(e)
	if !named || !w.free(e) || c.Pkg() == nil {
		return // of pkg.Name, the whole
	}
	prefix := ""
	if c.Pkg() != w.own {
		if prefix = w.imports[c.Pkg()] + "."; prefix == "." {
			return
		}
	}
	for _, step := range []int{-1, 1} {
		if other := neighbour(c, step, prefix != ""); other != "" {
			found(candidate{parts: []ast.Node{e}, after: prefix + other, pattern: fmt.Sprintf("planted.Of[%s](@, $0, %s)", w.typeName(e), prefix+other)})
		}
	}
}

// neighbour returns the name of the constant of the same type whose value is so far away.
func neighbour(c *types.Const, step int, exported bool) string {
	want := constant.MakeInt64(int64(step))
	if c.Val().Kind() != constant.Int {
		return ""
	}
	want = constant.BinaryOp(c.Val(), token.ADD, want)
	for _, name := range c.Pkg().Scope().Names() {
		other, ok := c.Pkg().Scope().Lookup(name).(*types.Const)
		if ok && types.Identical(other.Type(), c.Type()) && constant.Compare(other.Val(), token.EQL, want) && (other.Exported() || !exported) {
			return name
		}
	}
	return ""
}
