package syntax

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// stmt := [type] targets [ 'scan' '(' ident {',' ident} ')' ] assign exp
//
//	[ '<=>' ident '(' [exp {',' exp}] ')' ] [ 'where' clause {',' clause} ] [';']
//
// The '<=>' may also follow the where.
func (p *parser) statement() *Stmt {
	start, stmt := p.Peek(), &Stmt{}
	p.scatters = nil
	p.foreignStatement(start)
	if start.Is("where") {
		p.fail(p.errorf(source.CodeWhere, start, "found where before a statement").WithHelp("ranges stand behind the statement: C(i) = A(i) where i in 0:N"))
	}
	switch {
	case start.Kind == tokenScalar:
		stmt.Type = p.typeExpr()
	case p.isUnknownType(p.At) && !p.looksLikeStatement(p.At):
		if p.looksLikeStatement(p.skipLists(p.At + 1)) {
			stmt.Type = p.unknownType()
		}
	}
	p.targets(stmt)
	if p.Accept("scan") {
		p.expectOpen("the indices of the scan")
		p.list("the indices of the scan", func() { stmt.Scan = append(stmt.Scan, p.name("an index of the scan")) })
	}
	p.assign(stmt)
	stmt.Value = p.expr()
	p.finishScatter(stmt)
	p.afterValue()
	if p.Accept("<=>") {
		stmt.Equivalent = p.equivalent()
	}
	p.where(stmt)
	if stmt.Equivalent == nil && p.Accept("<=>") {
		stmt.Equivalent = p.equivalent()
		p.afterValue()
	}
	stmt.Pos = p.From(start.Start)
	p.Accept(";")
	return stmt
}

// foreignStatement reports loops, returns and declarations of other languages.
func (p *parser) foreignStatement(t *token.Token) {
	help := foreignStatements[t.Text]
	if t.Kind != token.Word || help == "" || p.looksLikeStatement(p.At) {
		return
	}
	p.fail(p.errorf(source.CodeForeignWord, t, "there is no %s statement", quote(t.Text)).WithHelp("%s", help))
}

// targets := target | '(' target {',' target} ')'
func (p *parser) targets(stmt *Stmt) {
	if t := p.Peek(); !t.Is("(") {
		stmt.Targets = []*Target{p.target()}
		return
	}
	open := p.Peek()
	p.list("the targets", func() { stmt.Targets = append(stmt.Targets, p.target()) })
	if len(stmt.Targets) == 0 {
		p.fail(p.Errorf(source.CodeTarget, p.From(open.Start), "the list of targets is empty").WithHelp("name what is assigned: (C1, C2) = f(A)"))
	}
}

// target := ident [ '(' [subscript {',' subscript}] ')' ]
func (p *parser) target() *Target {
	start := p.Peek()
	if start.Kind == token.End || start.Kind == token.Sign || start.Kind == token.Number || start.Kind == tokenAssign {
		p.fail(p.errorf(source.CodeExpected, start, "found %s, expected a statement", describe(start)).
			WithHelp("a statement assigns to a tensor: C(i,j) = A(i,j) + B(i,j)"))
	}
	target := &Target{Name: p.name("the tensor that is assigned")}
	for t := p.Peek(); t.Is("(") || t.Is("["); t = p.Peek() {
		target.Listed = true
		p.list("the indices of "+quote(target.Name.Name), func() {
			index, point := p.index()
			target.Indices = append(target.Indices, index)
			if point != nil {
				for len(target.Points) < len(target.Indices)-1 {
					target.Points = append(target.Points, nil)
				}
				target.Points = append(target.Points, point)
			}
		})
	}
	target.Pos = p.From(start.Start)
	return target
}

// subscript := ident | point | an index and a point added to it or subtracted
//
// index parses a subscript on the left: a name, a point made of numbers and sizes, or a
// shifted index.
func (p *parser) index() (index Ident, point Expr) {
	t := p.Peek()
	if after := p.Ahead(1); after.Is(",") || after.Is(")") || after.Is("]") {
		if t.Kind == token.Word || t.Kind == tokenKey || t.Kind == tokenScalar {
			return p.name("an index"), nil
		}
	}
	subscript := p.expr()
	if p.isPoint(subscript) {
		return Ident{Pos: subscript.Span()}, subscript
	}
	if name := p.shiftedIndex(subscript); name != "" {
		return Ident{Pos: subscript.Span(), Name: name}, subscript
	}
	text := quote(subscript.Span().Text())
	d := p.Errorf(source.CodeTarget, subscript.Span(), "the subscript %s on the left is not a plain index", text)
	d.WithHelp("subscripts on the left are indices, perhaps with numbers and sizes added, C(i+1); otherwise let every element of the target look for its value on the right side")
	p.scatters = append(p.scatters, scatter{d, subscript.Span().Text(), subscript})
	return Ident{Pos: subscript.Span(), Name: "_"}, nil
}

// isPoint reports whether a subscript on the left is made of whole numbers and sizes.
func (p *parser) isPoint(e Expr) bool {
	switch e := e.(type) {
	case *Number:
		return strings.Trim(e.Text, "0123456789") == ""
	case *Name:
		return p.sizes[e.Name]
	case *SizeAccess:
		return true
	case *Unary:
		return e.Op == "-" && p.isPoint(e.X)
	case *Paren:
		return p.isPoint(e.X)
	case *Binary:
		return precedence[e.Op] >= precedence["+"] && p.isPoint(e.X) && p.isPoint(e.Y)
	}
	return false
}

// shiftedIndex returns i for i + 2, N + i and i - 2.
func (p *parser) shiftedIndex(e Expr) string {
	switch e := e.(type) {
	case *Name:
		if !p.sizes[e.Name] {
			return e.Name
		}
	case *Paren:
		return p.shiftedIndex(e.X)
	case *Binary:
		switch {
		case (e.Op == "+" || e.Op == "-") && p.isPoint(e.Y):
			return p.shiftedIndex(e.X)
		case e.Op == "+" && p.isPoint(e.X):
			return p.shiftedIndex(e.Y)
		}
	}
	return ""
}

// assign := '=' | ('+' | '*' | 'min' | 'max' | 'argmin' | 'argmax' | '&' | '|' | '^') '=' ['!']
func (p *parser) assign(stmt *Stmt) {
	t := p.Peek()
	if t.Kind != tokenAssign {
		t = p.brokenAssign(stmt, t)
	} else {
		p.Take()
	}
	stmt.AssignPos = p.SpanOf(t)
	stmt.Assign = assignments[t.Text]
	if bang := p.Peek(); bang.Is("!") && bang.End < p.Ahead(1).Start && !bang.Newline {
		d := p.errorf(source.CodeAssignment, bang, "found '!' apart from the operator %s", quote(t.Text))
		if stmt.Assign.Op == "" {
			d.WithHelp("= needs no !, it always starts afresh; a reduction is +=!, and the logical not is written without a space: !A(i)")
		} else {
			d.WithHelp("write %s! without a space; the logical not is written without a space as well: !A(i)", t.Text)
		}
		p.Take()
		stmt.Assign.Initialise = true
	}
	if plus := p.Peek(); t.Text == "=" && plus.Is("+") && plus.Start == t.End {
		p.errorf(source.CodeAssignment, plus, "found '=+'").WithHelp("a sum is accumulated with +=, or with +=! from zero")
		p.Take()
		stmt.Assign = Assign{Op: "+"}
	}
}

// brokenAssign reports what stands in place of the assignment operator and
// passes it if its meaning is clear.
func (p *parser) brokenAssign(stmt *Stmt, t *token.Token) *token.Token {
	last, found := stmt.Targets[len(stmt.Targets)-1], p.found()
	spaced := t.Text + "="
	_, isOperator := assignments[spaced]
	switch after := p.Ahead(1); {
	case isOperator && (after.Is("=") || after.Is("==")):
		p.errorf(source.CodeAssignment, t, "the operator %s is written without a space", quote(spaced)).WithHelp("write %s", spaced)
		p.Take()
		p.Take()
		return &token.Token{Kind: tokenAssign, Text: spaced, Start: t.Start, End: after.End}
	case t.Is("=="):
		p.errorf(source.CodeAssignment, t, "found '==', which compares").WithHelp("assignment is =")
		p.Take()
		return &token.Token{Kind: tokenAssign, Text: "=", Start: t.Start, End: t.End}
	case (t.Is("-") || t.Is("/") || t.Is("%")) && after.Is("="):
		p.fail(p.errorf(source.CodeAssignment, t, "there is no operator %s", quote(spaced)).WithHelp("a reduction operator must be associative: + * min max argmin argmax & | ^"))
	case t.Is("<") && after.Is("-"):
		p.errorf(source.CodeAssignment, t, "found '<-', which is not an operator of the language").WithHelp("assignment is =")
		p.Take()
		p.Take()
		return &token.Token{Kind: tokenAssign, Text: "=", Start: t.Start, End: after.End}
	case t.Is("!") && after.Kind == tokenAssign && after.Start == t.End:
		p.fail(p.errorf(source.CodeAssignment, t, "found '!' before the operator %s", quote(after.Text)).WithHelp("the ! that starts afresh stands behind it: %s!", after.Text))
	case isOperator && after.Is("!"):
		p.fail(p.errorf(source.CodeAssignment, t, "found %s, which has no =", quote(t.Text+"!")).WithHelp("write %s!", spaced))
	case t.Kind == token.Word && after.Is("=") && foreignReductions[t.Text] != "":
		p.fail(p.errorf(source.CodeAssignment, t, "there is no operator %s", quote(spaced)).WithHelp("%s", foreignReductions[t.Text]))
	case t.Is(",") && len(stmt.Targets) == 1:
		p.fail(p.errorf(source.CodeExpected, t, "found ',' after %s, expected an assignment operator", quote(last.Pos.Text())).
			WithHelp("a statement assigns one tensor: write a statement for each; only the results of a call are a list, (B, C) = f(A)"))
	case t.Is("in") || t.Kind == token.Word && after.Is("in"):
		p.fail(p.errorf(source.CodeWhere, t, "found %s, expected an assignment; a range belongs to a where clause", describe(t)).
			WithHelp("write where after the statement and commas between its clauses: C(i) = A(i) where i in 0:N, j in 0:M"))
	}
	p.fail(p.errorf(source.CodeExpected, found, "found %s after %s, expected an assignment operator", describe(found), quote(last.Pos.Text())).
		WithHelp("the operators are =, and for reductions += *= min= max= argmin= argmax= &= |= ^=, with ! to start afresh"))
	return t
}

// afterValue reports what cannot follow the value of a statement.
func (p *parser) afterValue() {
	t := p.Peek()
	ends := t.Newline || t.Kind == token.End
	for _, text := range []string{"}", ";", "where", "<=>", "def", "import"} {
		ends = ends || t.Is(text)
	}
	switch {
	case t.Is(")") || t.Is("]"):
		p.fail(p.errorf(source.CodeBracket, t, "this %s closes nothing", t.Text).WithHelp("delete it, or look for a ( that is missing before it"))
	case t.Is("="):
		p.fail(p.errorf(source.CodeEquals, t, "found a second '=' in a statement").WithHelp("equality is ==; each statement assigns once"))
	case t.Kind == tokenAssign:
		p.fail(p.errorf(source.CodeEquals, t, "found a second assignment operator, %s, in a statement", quote(t.Text)).
			WithHelp("each statement assigns once; write the next statement on its own line"))
	case (t.Is("[") || t.Is("(")) && !p.looksLikeStatement(p.At):
		p.fail(p.errorf(source.CodeExpected, t, "found %s after a complete value", describe(t)).
			WithHelp("write all subscripts in one pair of parentheses, A(i,j), and an operator between values"))
	case t.Is("{"):
		p.fail(p.errorf(source.CodeExpected, t, "found '{'; only the body of a def stands in braces").WithHelp("write the statements one after the other"))
	case ends || p.isWhereTypo() || p.looksLikeStatement(p.At):
	case t.Is(":") && p.Ahead(1).Is(":"):
		p.fail(p.errorf(source.CodeExpected, t, "found '::' after a complete value").WithHelp("functions have no prefix: write %s(…)", p.Ahead(2).Text))
	case t.Is(":"):
		p.fail(p.errorf(source.CodeExpected, t, "found ':' after a complete value").WithHelp("a range belongs to a where clause, where i in 0:N; a choice is c ? a : b"))
	case t.Kind == token.Word && wordOperators[t.Text] != "":
		p.fail(p.errorf(source.CodeForeignOperator, t, "found %s after a complete value", quote(t.Text)).WithHelp("%s", wordOperators[t.Text]))
	case t.Is(",") && p.Ahead(1).Is("where"):
		p.fail(p.errorf(source.CodeWhere, t, "found ',' before where").WithHelp("delete the comma"))
	case t.Kind == token.Word && p.Ahead(1).Is("in"):
		p.fail(p.errorf(source.CodeWhere, t, "found the range of %s after a complete value", quote(t.Text)).WithHelp("ranges follow the word where: … where %s in 0:N", t.Text))
	case t.Kind == token.Word && foreignStatements[t.Text] != "":
		p.foreignStatement(t)
	case t.Kind == token.Word && p.Tokens[p.At-1].Kind == token.Number:
		p.fail(p.errorf(source.CodeExpected, t, "found %s after a complete value", describe(t)).
			WithHelp("a product is written with *: %s * %s", p.Tokens[p.At-1].Text, t.Text))
	default:
		p.fail(p.errorf(source.CodeExpected, t, "found %s after a complete value", describe(t)).
			WithHelp("expected an operator, where, or the next statement"))
	}
}

// equivalent parses ident '(' [exp {',' exp}] ')' after '<=>'.
func (p *parser) equivalent() *Apply {
	name := p.name("the name of an equivalent function")
	p.expectOpen("the arguments of " + quote(name.Name))
	return p.apply(name)
}

func (p *parser) expectOpen(what string) {
	if t := p.Peek(); !t.Is("(") && !t.Is("[") || t.Newline && p.looksLikeStatement(p.At) {
		t = p.found()
		p.fail(p.errorf(source.CodeExpected, t, "found %s, expected %s in parentheses", describe(t), what))
	}
}

// looksLikeStatement reports whether a statement starts at a place:
// [type] targets ['scan' (…)] and an assignment operator.
func (p *parser) looksLikeStatement(i int) bool {
	if i < 0 || i >= len(p.Tokens) {
		return false
	}
	if p.Tokens[i].Kind == tokenScalar {
		i = p.skipLists(i + 1)
	}
	switch t := p.Tokens[i]; {
	case t.Is("(") && p.partner[i] >= 0:
		i = p.partner[i] + 1
	case t.Kind == token.Word || t.Is("min") || t.Is("max"):
		i = p.skipLists(i + 1)
	default:
		return false
	}
	if p.Tokens[i].Is("scan") {
		i = p.skipLists(i + 1)
	}
	return p.Tokens[i].Kind == tokenAssign
}

// skipLists returns the place behind the parentheses and brackets at a place.
func (p *parser) skipLists(i int) int {
	for t := p.Tokens[i]; (t.Is("(") || t.Is("[")) && p.partner[i] >= 0; t = p.Tokens[i] {
		i = p.partner[i] + 1
	}
	return i
}

// isWhereTypo reports whether "word i in" is next, which can only be a where
// under another name.
func (p *parser) isWhereTypo() bool {
	return p.Peek().Kind == token.Word && p.Ahead(1).Kind == token.Word && p.Ahead(2).Is("in")
}

// where parses [ 'where' clause {',' clause} ].
func (p *parser) where(stmt *Stmt) {
	switch t := p.Peek(); {
	case p.isWhereTypo():
		d := p.errorf(source.CodeWhere, t, "found %s, expected where", describe(t))
		if source.Suggest(t.Text, []string{"where"}) != "" {
			d.WithHelp("did you mean where?")
		} else {
			d.WithHelp("ranges follow the word where: … where %s in 0:N", p.Ahead(1).Text)
		}
	case !t.Is("where"):
		return
	}
	p.Take()
	for {
		stmt.Where = append(stmt.Where, p.clause())
		t := p.Peek()
		switch {
		case t.Is(","):
			p.Take()
			if end := p.Peek(); end.Is("}") || end.Is(";") || end.Is("def") || end.Kind == token.End {
				p.errorf(source.CodeTrailingComma, t, "a comma after the last where clause").WithHelp("delete the comma")
				return
			}
			if p.Peek().Is("where") {
				p.errorf(source.CodeWhere, p.Peek(), "where is written once, before the first clause").WithHelp("delete the second where")
				p.Take()
			}
		case t.Is("where") || t.Is("exists") || t.Kind == token.Word && p.Ahead(1).Is("in") || p.isWhereTypo():
			p.errorf(source.CodeWhere, t, "found %s, expected ',' between where clauses", describe(t)).
				WithHelp("separate the clauses with commas: where i in 0:N, j in 0:M")
			if !t.Is("exists") && !p.Ahead(1).Is("in") {
				p.Take()
			}
		default:
			p.afterValue()
			return
		}
	}
}

// interval reports a range in the notation of intervals, k = [0, 3[.
func (p *parser) interval(name Ident) {
	t := p.Peek()
	if !t.Is("[") {
		return
	}
	lo, hi := "0", "N"
	if p.Ahead(2).Is(",") && (p.Ahead(4).Is("[") || p.Ahead(4).Is(")")) {
		lo, hi = p.Ahead(1).Text, p.Ahead(3).Text
	}
	p.fail(p.errorf(source.CodeWhere, t, "found '[', expected a value").WithHelp("a range is written where %s in %s:%s, from its first value to one beyond its last", name.Name, lo, hi))
}

// clause := ident 'in' exp ':' exp ['or' 'empty'] | ident '=' exp | 'exists' exp | ident 'or' 'empty'
func (p *parser) clause() Clause {
	start := p.Peek()
	if p.Accept("exists") {
		value := p.expr()
		return &ExistsClause{Pos: p.From(start.Start), Value: value}
	}
	if start.Kind != token.Word && start.Kind != tokenKey && start.Kind != tokenScalar {
		p.fail(p.errorf(source.CodeWhere, start, "found %s, expected a where clause", describe(start)).WithHelp("a clause is: i in 0:N, x = A(i), exists A(i), or i or empty"))
	}
	name := p.name("an index or a let")
	switch t := p.Peek(); {
	case t.Is("in"):
		p.Take()
		return p.rangeClause(name)
	case t.Is("=="):
		p.errorf(source.CodeWhere, t, "found '==', which compares").WithHelp("a name is given to a value with =; a condition is a conditional expression")
		fallthrough
	case t.Is("="):
		p.Take()
		p.interval(name)
		value := p.expr()
		if colon := p.Peek(); colon.Is(":") {
			p.fail(p.errorf(source.CodeWhere, t, "found '=' before a range, expected in").WithHelp("write %s in %s:…; = gives a name to a value", name.Name, value.Span().Text()))
		}
		return &LetClause{Pos: p.From(start.Start), Name: name, Value: value}
	case p.orEmpty():
		return &EmptyClause{Pos: p.From(start.Start), Index: name}
	default:
		help := "a clause is: i in 0:N, x = A(i), exists A(i), or i or empty"
		if t.Is("(") || t.Is("[") {
			help = "conditions are part of the value: B(i) = A(i) > 0 ? A(i) : 0; " + help
		}
		if strings.Contains("<=>", t.Text[:min(1, len(t.Text))]) {
			help = "the bounds of an index are given as a range: where " + name.Name + " in 0:N"
		}
		p.fail(p.errorf(source.CodeWhere, t, "found %s after %s in a where clause, expected in, = or 'or empty'", describe(t), quote(name.Name)).WithHelp("%s", help))
		return nil
	}
}

// rangeClause parses lo ':' hi ['or' 'empty'].
func (p *parser) rangeClause(index Ident) Clause {
	if t := p.Peek(); t.Is("[") {
		p.fail(p.errorf(source.CodeWhere, t, "found '[', expected the start of the range of %s", quote(index.Name)).
			WithHelp("a range has no brackets, and its end is excluded: %s in 0:N", index.Name))
	}
	clause := &RangeClause{Index: index, Lo: p.bound()}
	if call, ok := clause.Lo.(*Apply); ok && !p.Peek().Is(":") && strings.HasSuffix(call.Func.Name, "range") && len(call.Args) > 0 {
		lo, hi := "0", call.Args[0].Span().Text()
		if len(call.Args) > 1 {
			lo, hi = hi, call.Args[1].Span().Text()
		}
		p.fail(p.Errorf(source.CodeWhere, call.Pos, "found %s, expected the start and the end of the range of %s with ':' between them", quote(call.Pos.Text()), quote(index.Name)).
			WithHelp("write %s in %s:%s", index.Name, lo, hi))
	}
	if t := p.found(); !p.Accept(":") {
		p.fail(p.errorf(source.CodeWhere, t, "found %s, expected ':' and the end of the range of %s", describe(t), quote(index.Name)).
			WithHelp("a range has a start and an end, which is excluded: %s in 0:N", index.Name))
	}
	clause.Hi = p.bound()
	if t := p.Peek(); t.Is(":") {
		p.fail(p.errorf(source.CodeWhere, t, "found a second ':' in the range of %s; ranges have no step", quote(index.Name)).
			WithHelp("multiply in the subscript: A(2*%s)", index.Name))
	}
	clause.OrEmpty = p.orEmpty()
	clause.Pos = p.From(index.Pos.Start)
	return clause
}

// bound parses a bound of a range: an expression without a bare conditional.
func (p *parser) bound() Expr {
	bound := p.binary(1)
	if t := p.Peek(); t.Is("?") {
		p.errorf(source.CodeRangeCondition, t, "a conditional in a range needs parentheses").
			WithHelp("write i in (c ? a : b) : n, so that it is clear which colon separates the bounds")
		bound = p.conditional(bound)
	}
	return bound
}

func (p *parser) orEmpty() bool {
	first, second := p.Peek(), p.Ahead(1)
	if first.Kind != token.Word || first.Text != "or" || second.Kind != token.Word || second.Text != "empty" {
		return false
	}
	p.Take()
	p.Take()
	return true
}
