package syntax

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// stmt := [type] targets [ 'scan' '(' ident {',' ident} ')' ] assign exp
//
//	[ '<=>' ident '(' [exp {',' exp}] ')' ] [ 'where' clause {',' clause} ] [';']
//
// The '<=>' may also follow the where.
func (p *parser) statement() *Stmt {
	start, stmt := p.token(), &Stmt{}
	p.scatter = nil
	p.foreignStatement(start)
	switch {
	case start.kind == tokenScalar:
		stmt.Type = p.typeExpr()
	case p.isUnknownType(p.position) && !p.looksLikeStatement(p.position):
		if p.looksLikeStatement(p.skipLists(p.position + 1)) {
			stmt.Type = p.unknownType()
		}
	}
	p.targets(stmt)
	if p.accept("scan") {
		p.expectOpen("the indices of the scan")
		p.list("the indices of the scan", func() { stmt.Scan = append(stmt.Scan, p.name("an index of the scan")) })
	}
	p.assign(stmt)
	stmt.Value = p.expr()
	p.finishScatter(stmt)
	p.afterValue()
	if p.accept("<=>") {
		stmt.Equivalent = p.equivalent()
	}
	p.where(stmt)
	if stmt.Equivalent == nil && p.accept("<=>") {
		stmt.Equivalent = p.equivalent()
		p.afterValue()
	}
	stmt.Pos = p.from(start.start)
	p.accept(";")
	return stmt
}

// foreignStatement reports loops, returns and declarations of other languages.
func (p *parser) foreignStatement(t token) {
	help := foreignStatements[t.text]
	if t.kind != tokenWord || help == "" || p.looksLikeStatement(p.position) {
		return
	}
	p.fail(p.errorf(source.CodeForeignWord, t, "there is no %s statement", quote(t.text)).WithHelp("%s", help))
}

// targets := target | '(' target {',' target} ')'
func (p *parser) targets(stmt *Stmt) {
	if t := p.token(); !t.is("(") {
		stmt.Targets = []*Target{p.target()}
		return
	}
	open := p.token()
	p.list("the targets", func() { stmt.Targets = append(stmt.Targets, p.target()) })
	if len(stmt.Targets) == 0 {
		p.fail(p.errorAt(source.CodeTarget, p.from(open.start), "the list of targets is empty").WithHelp("name what is assigned: (C1, C2) = f(A)"))
	}
}

// target := ident [ '(' [ident {',' ident}] ')' ]
func (p *parser) target() *Target {
	start := p.token()
	if start.kind == tokenEnd || start.kind == tokenPunct || start.kind == tokenNumber || start.kind == tokenAssign {
		p.fail(p.errorf(source.CodeExpected, start, "found %s, expected a statement", start.describe()).
			WithHelp("a statement assigns to a tensor: C(i,j) = A(i,j) + B(i,j)"))
	}
	target := &Target{Name: p.name("the tensor that is assigned")}
	for t := p.token(); t.is("(") || t.is("["); t = p.token() {
		target.Listed = true
		p.list("the indices of "+quote(target.Name.Name), func() {
			if index, ok := p.index(); ok {
				target.Indices = append(target.Indices, index)
			}
		})
	}
	target.Pos = p.from(start.start)
	return target
}

// index parses a subscript on the left, which must be a name.
func (p *parser) index() (Ident, bool) {
	t := p.token()
	if after := p.at(1); after.is(",") || after.is(")") || after.is("]") {
		if t.kind == tokenWord || t.kind == tokenKey || t.kind == tokenScalar {
			return p.name("an index"), true
		}
	}
	subscript := p.expr()
	text := quote(subscript.Span().Text())
	d := p.errorAt(source.CodeTarget, subscript.Span(), "the subscript %s on the left is not a plain index", text)
	if isAccess(subscript) {
		p.scatter = &scatter{d, subscript.Span().Text()}
	}
	if _, isNumber := subscript.(*Number); isNumber {
		d.WithHelp("write an index and its range: C(i) = … where i in 0:1; a scalar has no subscripts at all")
	} else {
		d.WithHelp("write a plain index and move the rest to the right side, C(i) = A(i-1) for C(i+1) = A(i), or give a range with where")
	}
	return Ident{Pos: subscript.Span(), Name: "_"}, true
}

// A scatter is the mistake O(I(i)) += X(i), whose help needs the whole statement.
type scatter struct {
	diagnostic *source.Diagnostic
	subscript  string
}

func isAccess(e Expr) bool {
	switch e := e.(type) {
	case *Apply:
		return true
	case *Binary:
		return isAccess(e.X) || isAccess(e.Y)
	case *Paren:
		return isAccess(e.X)
	}
	return false
}

// finishScatter shows how a sum of scattered values is written: every element of
// the target looks for what belongs to it.
func (p *parser) finishScatter(stmt *Stmt) {
	if p.scatter == nil || stmt.Assign.Op != "" && stmt.Assign.Op != "+" || len(stmt.Targets) != 1 {
		return
	}
	indices := make([]string, len(stmt.Targets[0].Indices))
	for n, i := range stmt.Targets[0].Indices {
		if indices[n] = i.Name; i.Name == "_" {
			indices[n] = "k"
		}
	}
	p.scatter.diagnostic.WithHelp("let every element look for its values: %s(%s) +=! %s == k ? %s : 0 where k in 0:K, with your bound for K",
		stmt.Targets[0].Name.Name, strings.Join(indices, ","), p.scatter.subscript, stmt.Value.Span().Text())
}

// assign := '=' | ('+' | '*' | 'min' | 'max' | 'argmin' | 'argmax') '=' ['!']
func (p *parser) assign(stmt *Stmt) {
	t := p.token()
	if t.kind != tokenAssign {
		t = p.brokenAssign(stmt, t)
	} else {
		p.next()
	}
	stmt.AssignPos = p.span(t)
	stmt.Assign = assignments[t.text]
	if bang := p.token(); bang.is("!") && bang.end < p.at(1).start && !bang.newline {
		d := p.errorf(source.CodeAssignment, bang, "found '!' apart from the operator %s", quote(t.text))
		if stmt.Assign.Op == "" {
			d.WithHelp("= needs no !, it always starts afresh; a reduction is +=!, and the logical not is written without a space: !A(i)")
		} else {
			d.WithHelp("write %s! without a space; the logical not is written without a space as well: !A(i)", t.text)
		}
		p.next()
		stmt.Assign.Initialise = true
	}
	if plus := p.token(); t.text == "=" && plus.is("+") && plus.start == t.end {
		p.errorf(source.CodeAssignment, plus, "found '=+'").WithHelp("a sum is accumulated with +=, or with +=! from zero")
		p.next()
		stmt.Assign = Assign{Op: "+"}
	}
}

// brokenAssign reports what stands in place of the assignment operator and
// passes it if its meaning is clear.
func (p *parser) brokenAssign(stmt *Stmt, t token) token {
	last, found := stmt.Targets[len(stmt.Targets)-1], p.found()
	spaced := t.text + "="
	_, isOperator := assignments[spaced]
	switch after := p.at(1); {
	case isOperator && (after.is("=") || after.is("==")):
		p.errorf(source.CodeAssignment, t, "the operator %s is written without a space", quote(spaced)).WithHelp("write %s", spaced)
		p.next()
		p.next()
		return token{kind: tokenAssign, text: spaced, start: t.start, end: after.end}
	case t.is("=="):
		p.errorf(source.CodeAssignment, t, "found '==', which compares").WithHelp("assignment is =")
		p.next()
		return token{kind: tokenAssign, text: "=", start: t.start, end: t.end}
	case (t.is("-") || t.is("/") || t.is("%")) && after.is("="):
		p.fail(p.errorf(source.CodeAssignment, t, "there is no operator %s", quote(spaced)).WithHelp("a reduction operator must be associative: + * min max argmin argmax"))
	case t.is("in") || t.kind == tokenWord && after.is("in"):
		p.fail(p.errorf(source.CodeWhere, t, "found %s, expected an assignment; a range belongs to a where clause", t.describe()).
			WithHelp("write where after the statement and commas between its clauses: C(i) = A(i) where i in 0:N, j in 0:M"))
	}
	p.fail(p.errorf(source.CodeExpected, found, "found %s after %s, expected an assignment operator", found.describe(), quote(last.Pos.Text())).
		WithHelp("the operators are =, and for reductions += *= min= max= argmin= argmax=, with ! to start afresh"))
	return t
}

// afterValue reports what cannot follow the value of a statement.
func (p *parser) afterValue() {
	t := p.token()
	ends := t.newline || t.kind == tokenEnd
	for _, text := range []string{"}", ";", "where", "<=>", "def", "import"} {
		ends = ends || t.is(text)
	}
	switch {
	case t.is(")") || t.is("]"):
		p.fail(p.errorf(source.CodeBracket, t, "this %s closes nothing", t.text).WithHelp("delete it, or look for a ( that is missing before it"))
	case t.is("="):
		p.fail(p.errorf(source.CodeEquals, t, "found a second '=' in a statement").WithHelp("equality is ==; each statement assigns once"))
	case t.kind == tokenAssign:
		p.fail(p.errorf(source.CodeEquals, t, "found a second assignment operator, %s, in a statement", quote(t.text)).
			WithHelp("each statement assigns once; write the next statement on its own line"))
	case (t.is("[") || t.is("(")) && !p.looksLikeStatement(p.position):
		p.fail(p.errorf(source.CodeExpected, t, "found %s after a complete value", t.describe()).
			WithHelp("write all subscripts in one pair of parentheses, A(i,j), and an operator between values"))
	case t.is("{"):
		p.fail(p.errorf(source.CodeExpected, t, "found '{'; only the body of a def stands in braces").WithHelp("write the statements one after the other"))
	case ends || p.isWhereTypo() || p.looksLikeStatement(p.position):
	case t.kind == tokenWord && wordOperators[t.text] != "":
		p.fail(p.errorf(source.CodeForeignOperator, t, "found %s after a complete value", quote(t.text)).WithHelp("%s", wordOperators[t.text]))
	default:
		p.fail(p.errorf(source.CodeExpected, t, "found %s after a complete value", t.describe()).
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
	if t := p.token(); !t.is("(") && !t.is("[") || t.newline && p.looksLikeStatement(p.position) {
		t = p.found()
		p.fail(p.errorf(source.CodeExpected, t, "found %s, expected %s in parentheses", t.describe(), what))
	}
}

// looksLikeStatement reports whether a statement starts at a place:
// [type] targets ['scan' (…)] and an assignment operator.
func (p *parser) looksLikeStatement(i int) bool {
	if i < 0 || i >= len(p.tokens) {
		return false
	}
	if p.tokens[i].kind == tokenScalar {
		i = p.skipLists(i + 1)
	}
	switch t := p.tokens[i]; {
	case t.is("(") && p.partner[i] >= 0:
		i = p.partner[i] + 1
	case t.kind == tokenWord || t.is("min") || t.is("max"):
		i = p.skipLists(i + 1)
	default:
		return false
	}
	if p.tokens[i].is("scan") {
		i = p.skipLists(i + 1)
	}
	return p.tokens[i].kind == tokenAssign
}

// skipLists returns the place behind the parentheses and brackets at a place.
func (p *parser) skipLists(i int) int {
	for t := p.tokens[i]; (t.is("(") || t.is("[")) && p.partner[i] >= 0; t = p.tokens[i] {
		i = p.partner[i] + 1
	}
	return i
}

// isWhereTypo reports whether "word i in" is next, which can only be a where
// under another name.
func (p *parser) isWhereTypo() bool {
	return p.token().kind == tokenWord && p.at(1).kind == tokenWord && p.at(2).is("in")
}

// where parses [ 'where' clause {',' clause} ].
func (p *parser) where(stmt *Stmt) {
	switch t := p.token(); {
	case p.isWhereTypo():
		d := p.errorf(source.CodeWhere, t, "found %s, expected where", t.describe())
		if source.Suggest(t.text, []string{"where"}) != "" {
			d.WithHelp("did you mean where?")
		} else {
			d.WithHelp("ranges follow the word where: … where %s in 0:N", p.at(1).text)
		}
	case !t.is("where"):
		return
	}
	p.next()
	for {
		stmt.Where = append(stmt.Where, p.clause())
		t := p.token()
		switch {
		case t.is(","):
			p.next()
			if end := p.token(); end.is("}") || end.is(";") || end.is("def") || end.kind == tokenEnd {
				p.errorf(source.CodeTrailingComma, t, "a comma after the last where clause").WithHelp("delete the comma")
				return
			}
			if p.token().is("where") {
				p.errorf(source.CodeWhere, p.token(), "where is written once, before the first clause").WithHelp("delete the second where")
				p.next()
			}
		case t.is("where") || t.is("exists") || t.kind == tokenWord && p.at(1).is("in") || p.isWhereTypo():
			p.errorf(source.CodeWhere, t, "found %s, expected ',' between where clauses", t.describe()).
				WithHelp("separate the clauses with commas: where i in 0:N, j in 0:M")
			if !t.is("exists") && !p.at(1).is("in") {
				p.next()
			}
		default:
			p.afterValue()
			return
		}
	}
}

// clause := ident 'in' exp ':' exp ['or' 'empty'] | ident '=' exp | 'exists' exp | ident 'or' 'empty'
func (p *parser) clause() Clause {
	start := p.token()
	if p.accept("exists") {
		value := p.expr()
		return &ExistsClause{Pos: p.from(start.start), Value: value}
	}
	if start.kind != tokenWord && start.kind != tokenKey && start.kind != tokenScalar {
		p.fail(p.errorf(source.CodeWhere, start, "found %s, expected a where clause", start.describe()).WithHelp("a clause is: i in 0:N, x = A(i), exists A(i), or i or empty"))
	}
	name := p.name("an index or a let")
	switch t := p.token(); {
	case t.is("in"):
		p.next()
		return p.rangeClause(name)
	case t.is("=="):
		p.errorf(source.CodeWhere, t, "found '==', which compares").WithHelp("a name is given to a value with =; a condition is a conditional expression")
		fallthrough
	case t.is("="):
		p.next()
		value := p.expr()
		return &LetClause{Pos: p.from(start.start), Name: name, Value: value}
	case p.orEmpty():
		return &EmptyClause{Pos: p.from(start.start), Index: name}
	default:
		help := "a clause is: i in 0:N, x = A(i), exists A(i), or i or empty"
		if strings.Contains("<=>", t.text[:min(1, len(t.text))]) {
			help = "the bounds of an index are given as a range: where " + name.Name + " in 0:N"
		}
		p.fail(p.errorf(source.CodeWhere, t, "found %s after %s in a where clause, expected in, = or 'or empty'", t.describe(), quote(name.Name)).WithHelp("%s", help))
		return nil
	}
}

// rangeClause parses lo ':' hi ['or' 'empty'].
func (p *parser) rangeClause(index Ident) Clause {
	clause := &RangeClause{Index: index, Lo: p.bound()}
	if t := p.found(); !p.accept(":") {
		p.fail(p.errorf(source.CodeWhere, t, "found %s, expected ':' and the end of the range of %s", t.describe(), quote(index.Name)).
			WithHelp("a range has a start and an end, which is excluded: %s in 0:N", index.Name))
	}
	clause.Hi = p.bound()
	if t := p.token(); t.is(":") {
		p.fail(p.errorf(source.CodeWhere, t, "found a second ':' in the range of %s; ranges have no step", quote(index.Name)).
			WithHelp("multiply in the subscript: A(2*%s)", index.Name))
	}
	clause.OrEmpty = p.orEmpty()
	clause.Pos = p.from(index.Pos.Start)
	return clause
}

// bound parses a bound of a range: an expression without a bare conditional.
func (p *parser) bound() Expr {
	bound := p.binary(1)
	if t := p.token(); t.is("?") {
		p.errorf(source.CodeRangeCondition, t, "a conditional in a range needs parentheses").
			WithHelp("write i in (c ? a : b) : n, so that it is clear which colon separates the bounds")
		bound = p.conditional(bound)
	}
	return bound
}

func (p *parser) orEmpty() bool {
	first, second := p.token(), p.at(1)
	if first.kind != tokenWord || first.text != "or" || second.kind != tokenWord || second.text != "empty" {
		return false
	}
	p.next()
	p.next()
	return true
}
