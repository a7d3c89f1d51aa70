package syntax

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/token"
)

// The layout of programs.
const (
	lineWidth      = 100
	bodyIndent     = 2
	unlimitedWidth = 1 << 30
	continuation   = 4 // columns by which a broken statement or header is indented
)

// ExprString writes an expression in canonical form in one line.
func ExprString(e Expr) string {
	return layout(exprDocument(e, 0, false), 0, unlimitedWidth)
}

// String writes the type in canonical form.
func (t *TypeExpr) String() string {
	if t.Dims == nil {
		return t.Scalar
	}
	dims := make([]string, len(t.Dims))
	for i, dim := range t.Dims {
		dims[i] = ExprString(dim)
	}
	return t.Scalar + "(" + strings.Join(dims, ",") + ")"
}

// exprDocument writes an expression; it is put in parentheses if it binds more
// loosely than least. In a subscript, tight is true and sums and products are
// written without spaces.
func exprDocument(e Expr, least int, tight bool) document {
	switch e := e.(type) {
	case *Number:
		return docText(e.Text)
	case *Name:
		return docText(e.Name)
	case *SizeAccess:
		return docText(e.Tensor.Name + "." + strconv.Itoa(e.Dim))
	case *Paren:
		return docConcat{docText("("), docNest{1, exprDocument(e.X, 0, tight)}, docText(")")}
	case *CastExpr:
		if e.Word != "" {
			return docText(e.Word)
		}
		return docConcat{docText(e.To + "("), docNest{continuation, exprDocument(e.X, 0, tight)}, docText(")")}
	case *Apply:
		return applyDocument(e)
	case *Unary:
		return parenthesised(unaryPrecedence < least, docConcat{docText(e.Op), exprDocument(e.X, unaryPrecedence, tight)})
	case *Binary:
		return parenthesised(precedence[e.Op] < least, binaryDocument(e, tight))
	case *Conditional:
		return parenthesised(least > 0, docGroup{docConcat{
			exprDocument(e.Cond, 1, tight),
			docSpace, docText("? "), exprDocument(e.Then, 0, tight),
			docSpace, docText(": "), exprDocument(e.Else, 0, tight),
		}})
	}
	return docText("?") // a nil expression of a tree with errors
}

func parenthesised(needed bool, d document) document {
	if needed {
		return docConcat{docText("("), docNest{1, d}, docText(")")}
	}
	return d
}

// binaryDocument writes a chain of operators of one precedence. Sums and products
// fill lines; the parts of a condition have a line each if one does not suffice.
func binaryDocument(e *Binary, tight bool) document {
	level := precedence[e.Op]
	chain := []*Binary{e} // from the last operator to the first
	for left, ok := e.X.(*Binary); ok && precedence[left.Op] == level; left, ok = left.X.(*Binary) {
		chain = append(chain, left)
	}
	first := chain[len(chain)-1].X
	simple := tightChain(chain, first)
	d := docConcat{exprDocument(first, precedence[e.Op], tight)}
	for i := len(chain) - 1; i >= 0; i-- {
		operand := exprDocument(chain[i].Y, precedence[e.Op]+1, tight)
		spaced := docConcat{docSpace, docText(chain[i].Op + " "), operand}
		switch isArithmetic := level >= precedence["+"]; {
		case isArithmetic && tight && simple:
			d = append(d, docText(chain[i].Op), operand)
		case isArithmetic:
			d = append(d, docGroup{spaced})
		default:
			d = append(d, spaced)
		}
	}
	return docGroup{d}
}

// tightChain reports whether operators between these operands are readable, and
// safe, without spaces: 2*i and i+1, but 2*i + 1 and A(i) + 1. A name such as 3E
// before a minus would become a number.
func tightChain(chain []*Binary, first Expr) bool {
	simple := func(e Expr) bool {
		switch e := e.(type) {
		case *Number, *SizeAccess:
			return true
		case *Name:
			return !token.IsDigit(e.Name[0])
		}
		return false
	}
	for _, b := range chain {
		if !simple(b.Y) {
			return false
		}
	}
	return simple(first)
}

// applyDocument writes an access or a call: A(i,j) with plain indices, and a
// space after each comma otherwise.
func applyDocument(e *Apply) document {
	args := make([]document, len(e.Args))
	plain := true
	for i, arg := range e.Args {
		args[i] = exprDocument(arg, 0, true)
		plain = plain && isPlainIndex(arg)
	}
	name := e.Func.Name
	if e.Old {
		name = OldName + "(" + name + ")"
	}
	open, end := docText(name+"("), docText(")")
	if !plain {
		return docConcat{open, docNest{continuation, fill(args, ",")}, end}
	}
	d := docConcat{open}
	for i, arg := range args {
		if i > 0 {
			d = append(d, docText(","))
		}
		d = append(d, arg)
	}
	return append(d, end)
}

// isPlainIndex reports whether an argument looks like a plain index: a number or
// a name in small letters.
func isPlainIndex(e Expr) bool {
	switch e := e.(type) {
	case *Number:
		return true
	case *Name:
		return e.Name == strings.ToLower(e.Name)
	}
	return false
}

// statementDocument writes a statement without its comments.
func statementDocument(s *Stmt) document {
	var head strings.Builder
	if s.Type != nil {
		head.WriteString(s.Type.String() + " ")
	}
	targets := make([]string, len(s.Targets))
	for i, target := range s.Targets {
		targets[i] = target.Name.Name
		if target.Listed {
			targets[i] += "(" + subscriptTexts(target) + ")"
		}
	}
	if len(targets) == 1 {
		head.WriteString(targets[0])
	} else {
		head.WriteString("(" + strings.Join(targets, ", ") + ")")
	}
	if s.Scan != nil {
		head.WriteString(" scan(" + joinNames(s.Scan) + ")")
	}
	head.WriteString(" " + s.Assign.String() + " ")
	d := docConcat{docText(head.String()), docNest{continuation, exprDocument(s.Value, 0, false)}}
	if s.Equivalent != nil {
		d = append(d, docNest{continuation, docConcat{docSpace, docText("<=> "), applyDocument(s.Equivalent)}})
	}
	if len(s.Where) > 0 {
		clauses := make([]document, len(s.Where))
		for i, clause := range s.Where {
			clauses[i] = clauseDocument(clause)
		}
		const word = "where "
		d = append(d, docNest{continuation, docConcat{docSpace, docText(word), docNest{len(word), fill(clauses, ",")}}})
	}
	return docGroup{d}
}

func clauseDocument(c Clause) document {
	switch c := c.(type) {
	case *RangeClause:
		d := docConcat{docText(c.Index.Name + " in "), exprDocument(c.Lo, 1, true), docText(":"), exprDocument(c.Hi, 1, true)}
		if c.OrEmpty {
			d = append(d, docText(" or empty"))
		}
		return d
	case *LetClause:
		return docConcat{docText(c.Name.Name + " = "), docNest{continuation, exprDocument(c.Value, 0, false)}}
	case *ExistsClause:
		return docConcat{docText("exists "), docNest{continuation, exprDocument(c.Value, 0, false)}}
	case *EmptyClause:
		return docText(c.Index.Name + " or empty")
	}
	return docText("")
}

func joinNames(names []Ident) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = name.Name
	}
	return strings.Join(texts, ",")
}

// subscriptTexts writes the subscripts of a target, which stay on one line.
func subscriptTexts(target *Target) string {
	names := slices.Clone(target.Indices)
	for k := range names {
		if point := target.Point(k); point != nil {
			names[k].Name = layout(exprDocument(point, 0, true), 0, unlimitedWidth)
		}
	}
	return joinNames(names)
}

func paramString(p *Param) string {
	if p.Type == nil {
		return p.Name.Name
	}
	return p.Type.String() + " " + p.Name.Name
}

// headerDocument writes the header of a def that has no comments inside, up to
// its opening brace.
func headerDocument(def *Def) document {
	const farthest = 30 // inputs are aligned under the first unless the name is long
	open := "def " + def.Name.Name + "("
	inputs := docConcat{docText(open), docNest{len(open), fill(paramDocuments(def.Inputs), ",")}}
	if len(open) > farthest {
		inputs = docConcat{docText(open), docNest{continuation, docGroup{docConcat{docBreak(""), fill(paramDocuments(def.Inputs), ",")}}}}
	}
	const arrow = "-> ("
	outputs := docNest{continuation + len(arrow), fill(paramDocuments(def.Outputs), ",")}
	return docConcat{inputs, docText(")"), docGroup{docConcat{docNest{continuation, docSpace}, docText(arrow), outputs, docText(") {")}}}
}

func paramDocuments(params []*Param) []document {
	documents := make([]document, len(params))
	for i, param := range params {
		documents[i] = docText(paramString(param))
	}
	return documents
}
