package syntax

import (
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// precedence of the binary operators, from loose to tight: Go's. ?: is looser than
// all of them and unary operators are tighter.
var precedence = map[string]int{
	"||": 1,
	"&&": 2,
	"<":  3, ">": 3, "<=": 3, ">=": 3, "==": 3, "!=": 3,
	"+": 4, "-": 4, "|": 4, "^": 4,
	"*": 5, "/": 5, "%": 5, "&": 5, "<<": 5, ">>": 5,
}

const unaryPrecedence = 6

// exp := exp binop exp | exp '?' exp ':' exp | …
func (p *parser) expr() Expr {
	p.Enter()
	defer p.Leave()
	e := p.binary(1)
	if p.Peek().Is("?") {
		return p.conditional(e)
	}
	return e
}

// conditional parses '?' exp ':' exp after its condition.
func (p *parser) conditional(condition Expr) Expr {
	question := p.Take()
	e := &Conditional{Cond: condition, Then: p.expr()}
	if t := p.found(); !p.Accept(":") {
		p.fail(p.errorf(source.CodeExpected, t, "found %s, expected ':' and the other value of the conditional", describe(t)).
			WithNote(p.SpanOf(question), "the conditional starts here").WithHelp("a conditional has two values: c ? a : b"))
	}
	e.Else = p.expr()
	e.Pos = p.From(condition.Span().Start)
	return e
}

// binary parses operands joined by operators of at least the given precedence.
func (p *parser) binary(least int) Expr { return p.infix.Read(&p.Parser, least) }

func (p *parser) join(start int, operator *token.Token, x, y Expr) Expr {
	return &Binary{Pos: p.From(start), Op: operator.Text, OpPos: p.SpanOf(operator), X: x, Y: y}
}

// operand parses an operand of binary operators. A "=" behind it, inside of brackets, is
// reported and becomes a "==".
func (p *parser) operand() Expr {
	x := p.unary()
	if t := p.Peek(); t.Is("=") && p.brackets > 0 {
		p.errorf(source.CodeEquals, t, "found '=' inside an expression").WithHelp("equality is ==; arguments are given by position, without names")
		t.Kind, t.Text = token.Sign, "=="
	}
	return x
}

// exp := ('-' | '!' | '~') exp
func (p *parser) unary() Expr {
	t := p.Peek()
	if !t.Is("-") && !t.Is("!") && !t.Is("~") && !t.Is("+") {
		return p.primary()
	}
	p.Enter()
	defer p.Leave()
	p.Take()
	if t.Is("+") {
		d := p.errorf(source.CodeForeignOperator, t, "found '+' before a value; there is no unary plus").WithHelp("delete the +")
		if before := p.At - 2; before >= 0 && p.Tokens[before].Is("+") && p.Tokens[before].End == t.Start {
			d.WithHelp("delete one +; arrays are joined by a statement: C = concat(A, B)")
		}
		return p.unary()
	}
	x := p.unary()
	return &Unary{Pos: p.SpanOf(t).Join(x.Span()), Op: t.Text, X: x}
}

// exp := number | ident | ident '(' … ')' | 'old' '(' ident ')' '(' … ')' | ident '.' number | scalar '(' exp ')' | '(' exp ')'
func (p *parser) primary() Expr {
	t := p.Peek()
	switch {
	case t.Newline && p.At > 0 && p.looksLikeStatement(p.At):
		p.missingOperand(p.found())
	case t.Kind == token.Number:
		p.Take()
		return &Number{Pos: p.SpanOf(t), Text: t.Text}
	case t.Kind == token.Word:
		p.foreignPrefix(t)
		return p.named()
	case t.Kind == tokenScalar:
		return p.cast()
	case t.Is("("):
		return p.paren()
	case t.Kind == tokenKey:
		return p.keyword(t)
	case t.Is("["):
		p.fail(p.errorf(source.CodeSquareBracket, t, "found '['; there are no list literals").WithHelp("pass constant tensors as inputs"))
	}
	p.missingOperand(p.found())
	return nil
}

// foreignPrefix reports "if A(i) > 0 then …" and "not A(i)", where a word that
// means nothing stands before a value.
func (p *parser) foreignPrefix(t *token.Token) {
	after := p.Ahead(1)
	value := after.Kind == token.Word || after.Kind == token.Number || after.Kind == tokenScalar
	if (t.Text == "if" || t.Text == "not") && value && !after.Newline && wordOperators[after.Text] == "" {
		p.fail(p.errorf(source.CodeForeignOperator, t, "found %s before a value", quote(t.Text)).WithHelp("%s", wordOperators[t.Text]))
	}
}

// sliceHelp says how a part of a tensor is read.
const sliceHelp = "there are no slices: an index runs over the dimension, s(i) +=! A(i,k), or over the part that its range names: where k in 1:3"

// missingOperand reports a token that does not start a value.
func (p *parser) missingOperand(t *token.Token) {
	after := ""
	if p.At > 0 {
		after = " after " + quote(p.Tokens[p.At-1].Text)
	}
	d := p.errorf(source.CodeOperand, t, "found %s%s, expected a value", describe(t), after)
	switch {
	case t.Kind == tokenString:
		d.WithHelp("there are no strings in expressions")
	case t.Is(":"):
		d.WithHelp("%s", sliceHelp)
	case t.Is("|"):
		d.WithHelp("the absolute value is abs(x)")
	case t.Is(")") && p.At > 0 && p.Tokens[p.At-1].Is(","):
		d.WithHelp("delete the comma or write another argument after it")
	case t.Kind == tokenAssign && t.Text != "=" && !strings.HasPrefix(t.Text, "m"):
		d.WithHelp("%s assigns: a reduction is a statement of its own, s %s A(i), and others read its result", t.Text, t.Text)
	case t.Kind == tokenAssign && t.Text != "=":
		d.WithHelp("%s assigns; the smaller and the larger of two values are min(a,b) and max(a,b)", t.Text)
	default:
		d.WithHelp("a value is a number, a name, an access such as A(i,j), a call, or a parenthesis")
	}
	p.fail(d)
}

// keyword parses min(a,b) and max(a,b), and reports other reserved words.
func (p *parser) keyword(t *token.Token) Expr {
	called := p.Ahead(1).Is("(") || p.Ahead(1).Is("[")
	switch {
	case (t.Is("min") || t.Is("max")) && called:
		p.Take()
		return p.apply(Ident{Pos: p.SpanOf(t), Name: t.Text})
	case t.Is("min") || t.Is("max"):
		p.fail(p.errorf(source.CodeReserved, t, "%s is a function of two values", quote(t.Text)).WithHelp("write %s(a,b)", t.Text))
	case t.Is("where") && called && !t.Newline:
		p.fail(p.errorf(source.CodeReserved, t, "'where' introduces ranges and is no function").WithHelp("a choice between values is c ? a : b"))
	case called || t.Is("in") || t.Is("scan"):
		p.reservedName(t)
		return p.named()
	}
	p.missingOperand(t)
	return nil
}

// named parses what starts with a name: the name, a size access or an
// application.
func (p *parser) named() Expr {
	t := p.Take()
	name := Ident{Pos: p.SpanOf(t), Name: t.Text}
	switch after := p.Peek(); {
	case after.Is("."):
		return p.sizeAccess(name)
	case after.Is("(") && after.Newline && p.looksLikeStatement(p.At):
	case after.Is("(") || after.Is("["):
		return p.apply(name)
	}
	p.numberLike(t)
	if number, ok := truths[name.Name]; ok {
		return &CastExpr{Pos: name.Pos, To: "bool", X: &Number{Pos: name.Pos, Text: number}, Word: name.Name}
	}
	return &Name{Pos: name.Pos, Name: name.Name}
}

// truths are what true and false stand for, in bool(…).
var truths = map[string]string{"true": "1", "false": "0"}

// numberLike warns of names such as 1_000, 10f and 0b101.
func (p *parser) numberLike(t *token.Token) {
	if !token.IsDigit(t.Text[0]) {
		return
	}
	digits := strings.TrimLeft(t.Text, "0123456789_")
	meant := ""
	switch suffix := strings.ToLower(digits); {
	case suffix == "":
		meant = strings.ReplaceAll(t.Text, "_", "")
	case suffix == "f":
		meant = strings.TrimRight(t.Text, "fF") + ".0"
	case strings.Trim(suffix, "ul") == "":
		meant = t.Text[:len(t.Text)-len(suffix)]
	case t.Text[0] == '0' && (suffix[0] == 'b' || suffix[0] == 'o') && strings.Trim(suffix[1:], "01234567") == "":
		if n, err := strconv.ParseInt(t.Text, 0, 64); err == nil {
			meant = strconv.FormatInt(n, 10)
		}
	}
	if meant != "" {
		p.Diagnostics.Warnf(source.CodeNumberLike, p.SpanOf(t), "%s is a name, not a number", quote(t.Text)).WithHelp("write %s for the number", meant)
	}
}

// apply parses '(' [exp {',' exp}] ')' after the name of a tensor or function.
func (p *parser) apply(name Ident) *Apply {
	e := &Apply{Func: name}
	for again := true; again; again = p.Peek().Is("[") { // once, or as often as A[i][j] demands
		p.list("the arguments of "+quote(name.Name), func() { e.Args = append(e.Args, p.expr()) })
	}
	if tensor, ok := p.oldTensor(e); ok {
		old := p.apply(tensor)
		old.Pos, old.Old = p.From(name.Pos.Start), true
		return old
	}
	e.Pos = p.From(name.Pos.Start)
	if t := p.Peek(); t.Is("(") && p.isDef(name.Name) && !p.looksLikeStatement(p.At) {
		subscripts := p.From(t.Start).Text()
		if close := p.partner[p.At]; close >= 0 {
			subscripts = source.Span{File: e.Pos.File, Start: t.Start, End: p.Tokens[close].End}.Text()
		}
		p.fail(p.errorf(source.CodeExpected, t, "found subscripts of the call %s", quote(e.Pos.Text())).
			WithHelp("a call is a statement of its own: write t = %s before this one, and t%s here", e.Pos.Text(), subscripts))
	}
	if t := p.Peek(); t.Is(".") {
		p.fail(p.errorf(source.CodeSizeAccess, t, "found '.' after %s", quote(e.Pos.Text())).
			WithHelp("the size of a dimension belongs to the tensor: %s.0", name.Name))
	}
	return e
}

// isDef reports whether the file has a def of a name.
func (p *parser) isDef(name string) bool {
	for i, t := range p.Tokens[:len(p.Tokens)-1] {
		if t.Is("def") && p.Tokens[i+1].Text == name {
			return true
		}
	}
	return false
}

// oldTensor returns y when old(y) was read and subscripts follow.
func (p *parser) oldTensor(e *Apply) (Ident, bool) {
	if after := p.Peek(); e.Func.Name != OldName || len(e.Args) != 1 || !after.Is("(") || after.Newline && p.looksLikeStatement(p.At) {
		return Ident{}, false
	}
	name, ok := e.Args[0].(*Name)
	if !ok {
		return Ident{}, false
	}
	return Ident{Pos: name.Pos, Name: name.Name}, true
}

// sizeAccess parses '.' number after the name of a tensor.
func (p *parser) sizeAccess(name Ident) Expr {
	dot := p.Take()
	t := p.Peek()
	dim, err := strconv.Atoi(t.Text)
	switch {
	case t.Kind != token.Number:
		p.fail(p.errorf(source.CodeSizeAccess, t, "found %s after '%s.', expected the number of a dimension", describe(t), name.Name).WithHelp("%s", memberHelp(name.Name, t.Text)))
	case err != nil || dim > maxDimension:
		p.fail(p.errorf(source.CodeSizeAccess, t, "%s is not the number of a dimension", quote(t.Text)).WithHelp("the size of the first dimension is %s.0", name.Name))
	}
	p.Take()
	if more := p.Peek(); more.Is(".") {
		p.fail(p.errorf(source.CodeSizeAccess, more, "found '.' after the size %s.%d", name.Name, dim).
			WithHelp("a size is a whole number and has no parts; write an operator between two values"))
	}
	return &SizeAccess{Pos: p.From(name.Pos.Start).Join(p.SpanOf(dot)), Tensor: name, Dim: dim}
}

// modules are names that other languages write before their functions.
var modules = map[string]bool{"np": true, "numpy": true, "math": true, "torch": true, "tf": true, "jnp": true, "F": true, "std": true}

// memberHelp says what is written instead of a member of other languages, as in
// np.exp(x), A.shape and A.T.
func memberHelp(name, member string) string {
	switch {
	case modules[name]:
		return "functions have no prefix: write " + member + "(…)"
	case member == "shape" || member == "size" || member == "len":
		return "the size of the first dimension is " + name + ".0, of the second " + name + ".1"
	case member == "T" || member == "transpose":
		return "exchange the subscripts: " + name + "(j,i)"
	}
	return "the size of the first dimension is " + name + ".0; functions are applied to values: f(" + name + ")"
}

// maxDimension bounds the number in a size access; no tensor has more.
const maxDimension = 1 << 16

// cast := scalar '(' exp ')'
func (p *parser) cast() Expr {
	t := p.Take()
	if found := p.found(); !p.Peek().Is("(") {
		p.fail(p.errorf(source.CodeExpected, found, "found %s after the type %s, expected a value in parentheses", describe(found), quote(t.Text)).
			WithHelp("a cast is written %s(x)", t.Text))
	}
	var args []Expr
	p.list("the value of the cast", func() { args = append(args, p.expr()) })
	if len(args) != 1 {
		p.fail(p.Errorf(source.CodeExpected, p.From(t.Start), "a cast takes one value, found %d", len(args)).WithHelp("a cast is written %s(x)", t.Text))
	}
	return &CastExpr{Pos: p.From(t.Start), To: t.Text, X: args[0]}
}

// paren := '(' exp ')'
func (p *parser) paren() Expr {
	open := p.Peek()
	var items []Expr
	p.list("the parentheses", func() { items = append(items, p.expr()) })
	switch len(items) {
	case 0:
		p.fail(p.Errorf(source.CodeOperand, p.From(open.Start), "the parentheses are empty, expected a value").WithHelp("write the value between them"))
	case 1:
		return &Paren{Pos: p.From(open.Start), X: items[0]}
	}
	p.fail(p.Errorf(source.CodeExpected, p.From(open.Start), "found a list of %d values, expected one value", len(items)).
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
