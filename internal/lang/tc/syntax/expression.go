package syntax

import (
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// precedence of the binary operators, from loose to tight. ?: is looser than
// all of them and unary operators are tighter.
var precedence = map[string]int{
	"||": 1,
	"&&": 2,
	"<":  3, ">": 3, "<=": 3, ">=": 3, "==": 3, "!=": 3,
	"+": 4, "-": 4,
	"*": 5, "/": 5, "%": 5,
}

const unaryPrecedence = 6

// exp := exp binop exp | exp '?' exp ':' exp | …
func (p *parser) expr() Expr {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.errorf(source.CodeTooDeep, p.token(), "the expression is nested more than %d deep", maxDepth).
			WithHelp("assign a part of it to a temporary first"))
	}
	defer func() { p.depth-- }()
	e := p.binary(1)
	if p.token().is("?") {
		return p.conditional(e)
	}
	return e
}

// conditional parses '?' exp ':' exp after its condition.
func (p *parser) conditional(condition Expr) Expr {
	question := p.next()
	e := &Conditional{Cond: condition, Then: p.expr()}
	if t := p.found(); !p.accept(":") {
		p.fail(p.errorf(source.CodeExpected, t, "found %s, expected ':' and the other value of the conditional", t.describe()).
			WithNote(p.span(question), "the conditional starts here").WithHelp("a conditional has two values: c ? a : b"))
	}
	e.Else = p.expr()
	e.Pos = p.from(condition.Span().Start)
	return e
}

// binary parses operands joined by operators of at least the given precedence.
func (p *parser) binary(least int) Expr {
	x := p.unary()
	for count := 0; ; count++ {
		t := p.comparison()
		level := precedence[t.text]
		if t.kind != tokenPunct || level < max(least, 1) {
			return x
		}
		if count == maxOperators {
			p.fail(p.errorf(source.CodeTooDeep, t, "the expression has more than %d operators in a row", maxOperators).
				WithHelp("assign a part of it to a temporary first"))
		}
		p.next()
		y := p.binary(level + 1)
		x = &Binary{Pos: x.Span().Join(y.Span()), Op: t.text, OpPos: p.span(t), X: x, Y: y}
	}
}

// comparison returns the current token, where "=" inside of brackets is
// reported and taken as "==".
func (p *parser) comparison() token {
	t := p.token()
	if t.is("=") && p.brackets > 0 {
		p.errorf(source.CodeEquals, t, "found '=' inside an expression").WithHelp("equality is ==; arguments are given by position, without names")
		t.kind, t.text = tokenPunct, "=="
	}
	return t
}

// exp := ('-' | '!') exp
func (p *parser) unary() Expr {
	t := p.token()
	if !t.is("-") && !t.is("!") && !t.is("+") {
		return p.primary()
	}
	if p.depth++; p.depth > maxDepth {
		p.fail(p.errorf(source.CodeTooDeep, t, "more than %d unary operators and parentheses are nested", maxDepth))
	}
	defer func() { p.depth-- }()
	p.next()
	if t.is("+") {
		p.errorf(source.CodeForeignOperator, t, "found '+' before a value; there is no unary plus").WithHelp("delete the +")
		return p.unary()
	}
	x := p.unary()
	return &Unary{Pos: p.span(t).Join(x.Span()), Op: t.text, X: x}
}

// exp := number | ident | ident '(' … ')' | ident '.' number | scalar '(' exp ')' | '(' exp ')'
func (p *parser) primary() Expr {
	t := p.token()
	switch {
	case t.newline && p.position > 0 && p.looksLikeStatement(p.position):
		p.missingOperand(p.found())
	case t.kind == tokenNumber:
		p.next()
		return &Number{Pos: p.span(t), Text: t.text}
	case t.kind == tokenWord:
		p.foreignPrefix(t)
		return p.named()
	case t.kind == tokenScalar:
		return p.cast()
	case t.is("("):
		return p.paren()
	case t.kind == tokenKey:
		return p.keyword(t)
	case t.is("["):
		p.fail(p.errorf(source.CodeSquareBracket, t, "found '['; there are no list literals").WithHelp("pass constant tensors as inputs"))
	}
	p.missingOperand(p.found())
	return nil
}

// foreignPrefix reports "if A(i) > 0 then …" and "not A(i)", where a word that
// means nothing stands before a value.
func (p *parser) foreignPrefix(t token) {
	after := p.at(1)
	value := after.kind == tokenWord || after.kind == tokenNumber || after.kind == tokenScalar
	if (t.text == "if" || t.text == "not") && value && !after.newline && wordOperators[after.text] == "" {
		p.fail(p.errorf(source.CodeForeignOperator, t, "found %s before a value", quote(t.text)).WithHelp("%s", wordOperators[t.text]))
	}
}

// missingOperand reports a token that does not start a value.
func (p *parser) missingOperand(t token) {
	after := ""
	if p.position > 0 {
		after = " after " + quote(p.tokens[p.position-1].text)
	}
	d := p.errorf(source.CodeOperand, t, "found %s%s, expected a value", t.describe(), after)
	switch {
	case t.kind == tokenString:
		d.WithHelp("there are no strings in expressions")
	case t.is(")") && p.position > 0 && p.tokens[p.position-1].is(","):
		d.WithHelp("delete the comma or write another argument after it")
	case t.kind == tokenAssign && t.text != "=":
		d.WithHelp("%s assigns; the smaller and the larger of two values are min(a,b) and max(a,b)", t.text)
	default:
		d.WithHelp("a value is a number, a name, an access such as A(i,j), a call, or a parenthesis")
	}
	p.fail(d)
}

// keyword parses min(a,b) and max(a,b), and reports other reserved words.
func (p *parser) keyword(t token) Expr {
	called := p.at(1).is("(") || p.at(1).is("[")
	switch {
	case (t.is("min") || t.is("max")) && called:
		p.next()
		return p.apply(Ident{Pos: p.span(t), Name: t.text})
	case t.is("min") || t.is("max"):
		p.fail(p.errorf(source.CodeReserved, t, "%s is a function of two values", quote(t.text)).WithHelp("write %s(a,b)", t.text))
	case called || t.is("in") || t.is("scan"):
		p.reservedName(t)
		return p.named()
	}
	p.missingOperand(t)
	return nil
}

// named parses what starts with a name: the name, a size access or an
// application.
func (p *parser) named() Expr {
	t := p.next()
	name := Ident{Pos: p.span(t), Name: t.text}
	switch after := p.token(); {
	case after.is("."):
		return p.sizeAccess(name)
	case after.is("(") && after.newline && p.looksLikeStatement(p.position):
	case after.is("(") || after.is("["):
		return p.apply(name)
	}
	p.numberLike(t)
	return &Name{Pos: name.Pos, Name: name.Name}
}

// numberLike warns of names such as 1_000, 10f and 0b101.
func (p *parser) numberLike(t token) {
	if !isDigit(t.text[0]) {
		return
	}
	digits := strings.TrimLeft(t.text, "0123456789_")
	meant := ""
	switch suffix := strings.ToLower(digits); {
	case suffix == "":
		meant = strings.ReplaceAll(t.text, "_", "")
	case suffix == "f":
		meant = strings.TrimRight(t.text, "fF") + ".0"
	case strings.Trim(suffix, "ul") == "":
		meant = t.text[:len(t.text)-len(suffix)]
	case t.text[0] == '0' && (suffix[0] == 'b' || suffix[0] == 'o') && strings.Trim(suffix[1:], "01234567") == "":
		if n, err := strconv.ParseInt(t.text, 0, 64); err == nil {
			meant = strconv.FormatInt(n, 10)
		}
	}
	if meant != "" {
		p.diagnostics.Warnf(source.CodeNumberLike, p.span(t), "%s is a name, not a number", quote(t.text)).WithHelp("write %s for the number", meant)
	}
}

// apply parses '(' [exp {',' exp}] ')' after the name of a tensor or function.
func (p *parser) apply(name Ident) *Apply {
	e := &Apply{Func: name}
	for again := true; again; again = p.token().is("[") { // once, or as often as A[i][j] demands
		p.list("the arguments of "+quote(name.Name), func() { e.Args = append(e.Args, p.expr()) })
	}
	e.Pos = p.from(name.Pos.Start)
	if t := p.token(); t.is(".") {
		p.fail(p.errorf(source.CodeSizeAccess, t, "found '.' after %s", quote(e.Pos.Text())).
			WithHelp("the size of a dimension belongs to the tensor: %s.0", name.Name))
	}
	return e
}

// sizeAccess parses '.' number after the name of a tensor.
func (p *parser) sizeAccess(name Ident) Expr {
	dot := p.next()
	t := p.token()
	dim, err := strconv.Atoi(t.text)
	switch {
	case t.kind != tokenNumber:
		p.fail(p.errorf(source.CodeSizeAccess, t, "found %s after '%s.', expected the number of a dimension", t.describe(), name.Name).
			WithHelp("the size of the first dimension is %s.0; functions are applied to values: f(%s)", name.Name, name.Name))
	case err != nil || dim > maxDimension:
		p.fail(p.errorf(source.CodeSizeAccess, t, "%s is not the number of a dimension", quote(t.text)).WithHelp("the size of the first dimension is %s.0", name.Name))
	}
	p.next()
	if more := p.token(); more.is(".") {
		p.fail(p.errorf(source.CodeSizeAccess, more, "found '.' after the size %s.%d", name.Name, dim).
			WithHelp("a size is a whole number and has no parts; write an operator between two values"))
	}
	return &SizeAccess{Pos: p.from(name.Pos.Start).Join(p.span(dot)), Tensor: name, Dim: dim}
}

// maxDimension bounds the number in a size access; no tensor has more.
const maxDimension = 1 << 16

// cast := scalar '(' exp ')'
func (p *parser) cast() Expr {
	t := p.next()
	if found := p.found(); !p.token().is("(") {
		p.fail(p.errorf(source.CodeExpected, found, "found %s after the type %s, expected a value in parentheses", found.describe(), quote(t.text)).
			WithHelp("a cast is written %s(x)", t.text))
	}
	var args []Expr
	p.list("the value of the cast", func() { args = append(args, p.expr()) })
	if len(args) != 1 {
		p.fail(p.errorAt(source.CodeExpected, p.from(t.start), "a cast takes one value, found %d", len(args)).WithHelp("a cast is written %s(x)", t.text))
	}
	return &CastExpr{Pos: p.from(t.start), To: t.text, X: args[0]}
}

// paren := '(' exp ')'
func (p *parser) paren() Expr {
	open := p.token()
	var items []Expr
	p.list("the parentheses", func() { items = append(items, p.expr()) })
	switch len(items) {
	case 0:
		p.fail(p.errorAt(source.CodeOperand, p.from(open.start), "the parentheses are empty, expected a value").WithHelp("write the value between them"))
	case 1:
		return &Paren{Pos: p.from(open.start), X: items[0]}
	}
	p.fail(p.errorAt(source.CodeExpected, p.from(open.start), "found a list of %d values, expected one value", len(items)).
		WithHelp("only the targets of a statement are a list: (C1, C2) = f(A)"))
	return nil
}

// IsFloat reports whether the literal is written as a float: with a point or a
// decimal exponent.
func (e *Number) IsFloat() bool {
	if strings.HasPrefix(e.Text, "0x") || strings.HasPrefix(e.Text, "0X") {
		return false
	}
	return strings.ContainsAny(e.Text, ".eE")
}
