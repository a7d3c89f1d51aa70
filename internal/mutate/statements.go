package mutate

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// entry returns early from a function without results, or with one that has a plain value.
func (w *walker) entry(d *ast.FuncDecl) {
	var values []string
	results := d.Type.Results
	switch {
	case results == nil:
		values = []string{""}
	case results.NumFields() == 1:
		values = w.plain(w.info.TypeOf(results.List[0].Type))
	}
	at := w.tokens.Offset(d.Body.Lbrace) + 1
	for _, v := range values {
		w.addEdit("early return", edit{from: at, to: at, pattern: "if planted.Is(@) { return " + v + " }; "}, "func "+d.Name.Name, "return "+v)
	}
}

// plain are the values that a function may return without thinking.
func (w *walker) plain(t types.Type) []string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return []string{"true", "false"}
		case u.Info()&types.IsNumeric != 0:
			return []string{"0", "1"}
		case u.Info()&types.IsString != 0:
			return []string{`""`}
		}
	case *types.Slice, *types.Map:
		return []string{"nil"}
	case *types.Interface:
		if t.String() == "error" {
			return []string{"nil"}
		}
	}
	return nil
}

// droppedStatements leaves out a statement of a list: a call, an assignment, a jump.
func droppedStatements(w *walker, n ast.Node, found func(candidate)) {
	if !w.inList() {
		return
	}
	switch s := n.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.DeferStmt:
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			return
		}
	default:
		return
	}
	if s, ok := n.(*ast.ExprStmt); ok {
		if call, ok := s.X.(*ast.CallExpr); ok && wordsError(call) {
			return
		}
	}
	found(candidate{parts: []ast.Node{n}, pattern: "if !planted.Is(@) { $0 }", after: "nothing"})
}

// inList reports whether the visited statement stands in a block or a clause.
func (w *walker) inList() bool {
	switch w.parent().(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// swapped exchanges neighbouring arguments of one type.
func swapped(w *walker, n ast.Node, found func(candidate)) {
	call, ok := n.(*ast.CallExpr)
	if !ok || w.info.Types[call.Fun].IsType() || w.info.Types[call.Fun].IsBuiltin() || call.Ellipsis.IsValid() {
		return
	}
	for k := 0; k+1 < len(call.Args); k++ {
		x, y := call.Args[k], call.Args[k+1]
		if !types.Identical(w.info.TypeOf(x), w.info.TypeOf(y)) || !w.pure(x) || !w.pure(y) || w.words(x) == w.words(y) {
			continue
		}
		name := w.typeName(x)
		from, to := w.span(x).from, w.span(y).to
		w.addEdit("operands swapped", edit{from: from, to: to, parts: []span{w.span(x), w.span(y)},
			pattern: fmt.Sprintf("planted.Of[%s](@, $0, $1), planted.Of[%s](@, $1, $0)", name, name)},
			w.words(n), w.words(y)+", "+w.words(x))
	}
}

// pure reports whether an expression may be computed twice.
func (w *walker) pure(e ast.Expr) bool {
	pure := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.FuncLit, *ast.CompositeLit:
			pure = false
		case *ast.UnaryExpr:
			pure = pure && n.Op != token.ARROW
		}
		return pure
	})
	return pure
}

// droppedFields leaves out a field of a struct that is made.
func droppedFields(w *walker, n ast.Node, found func(candidate)) {
	literal, ok := n.(*ast.CompositeLit)
	if !ok {
		return
	}
	s, ok := w.info.TypeOf(literal).Underlying().(*types.Struct)
	if !ok {
		return
	}
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key := pair.Key.(*ast.Ident)
		if _, function := pair.Value.(*ast.FuncLit); function || key.Name == "Pos" || key.Name == "Span" {
			continue
		}
		for k := range s.NumFields() {
			if f := s.Field(k); f.Name() == key.Name && w.changesZero(pair.Value) {
				found(candidate{at: pair.Value, parts: []ast.Node{pair.Value}, after: key.Name + ": nothing",
					pattern: fmt.Sprintf("planted.Zero[%s](@, $0)", w.nameOf(f.Type()))})
			}
		}
	}
}

// changesZero reports whether an expression may be another value than the zero of its type.
func (w *walker) changesZero(e ast.Expr) bool {
	text := w.words(e)
	return text != "0" && text != "nil" && text != "false" && text != `""`
}

// bounds moves an end of a slice, a subscript or the number of turns by one.
func bounds(w *walker, n ast.Node, found func(candidate)) {
	move := func(e ast.Expr) {
		if e != nil && !w.constant(e) && w.isReal(e) {
			found(candidate{at: e, parts: []ast.Node{e}, pattern: "planted.More(@, $0)", after: w.words(e) + " + 1"})
			found(candidate{at: e, parts: []ast.Node{e}, pattern: "planted.Less(@, $0)", after: w.words(e) + " - 1"})
		}
	}
	switch n := n.(type) {
	case *ast.SliceExpr:
		move(n.Low)
		move(n.High)
	case *ast.IndexExpr:
		if _, isMap := w.info.TypeOf(n.X).Underlying().(*types.Map); !isMap && !w.info.Types[n.Index].IsType() {
			move(n.Index)
		}
	case *ast.RangeStmt:
		move(n.X)
	}
}

// results turns a result that is true or false, and moves a number by one.
func results(w *walker, n ast.Node, found func(candidate)) {
	r, ok := n.(*ast.ReturnStmt)
	if !ok {
		return
	}
	for _, e := range r.Results {
		basic, ok := w.info.TypeOf(e).Underlying().(*types.Basic)
		switch {
		case !ok || w.constant(e):
		case basic.Info()&types.IsBoolean != 0:
			found(candidate{at: e, parts: []ast.Node{e}, pattern: "planted.Not(@, $0)", after: "!(" + w.words(e) + ")"})
		case w.isReal(e):
			found(candidate{at: e, parts: []ast.Node{e}, pattern: "planted.More(@, $0)", after: w.words(e) + " + 1"})
		}
	}
}
