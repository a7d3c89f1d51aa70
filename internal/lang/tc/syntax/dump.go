package syntax

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/ricci-lang/ricci/internal/source"
)

// A Node is a node of the tree in a uniform shape, for tools.
type Node struct {
	Kind     string  `json:"kind"`           // "def", "statement", "apply", …
	Text     string  `json:"text,omitempty"` // the name, operator or literal
	Line     int     `json:"line,omitempty"`
	Column   int     `json:"column,omitempty"`
	Children []*Node `json:"children,omitempty"`
}

// Dump writes the tree as an s-expression.
func Dump(w io.Writer, f *File) error {
	for _, child := range Tree(f).Children {
		if _, err := fmt.Fprintln(w, layout(child.document(), 0, lineWidth)); err != nil {
			return err
		}
	}
	return nil
}

// JSON returns the tree as JSON: nested objects with kind, text, line, column
// and children.
func JSON(f *File) ([]byte, error) {
	return json.MarshalIndent(Tree(f), "", "  ")
}

// document writes (kind text children…), where names and numbers are written as
// they are, and accesses and operators without their kind.
func (n *Node) document() document {
	head := n.Kind
	switch n.Kind {
	case "name", "number", "index", "size":
		return docText(n.Text)
	case "apply", "binary", "unary", "cast":
		head = n.Text
	default:
		if n.Text != "" {
			head += " " + n.Text
		}
	}
	d := docConcat{docText("(" + head)}
	for _, child := range n.Children {
		d = append(d, docSpace, child.document())
	}
	return docGroup{docConcat{docNest{2, d}, docText(")")}}
}

// Tree returns the uniform tree of a file.
func Tree(f *File) *Node {
	file := newNode("file", "", source.Span{})
	for _, imported := range f.Imports {
		file.add(newNode("import", strconv.Quote(imported.Path), imported.Pos))
	}
	for _, def := range f.Defs {
		n := newNode("def", def.Name.Name, def.Pos)
		for _, param := range def.Inputs {
			n.add(paramNode("input", param))
		}
		for _, param := range def.Outputs {
			n.add(paramNode("output", param))
		}
		for _, stmt := range def.Body {
			n.add(stmtNode(stmt))
		}
		file.add(n)
	}
	return file
}

func newNode(kind, text string, pos source.Span, children ...*Node) *Node {
	n := &Node{Kind: kind, Text: text, Children: children}
	if pos.IsValid() {
		position := pos.File.Position(pos.Start)
		n.Line, n.Column = position.Line, position.Column
	}
	return n
}

func (n *Node) add(child *Node) { n.Children = append(n.Children, child) }

func (n *Node) addExprs(exprs []Expr) *Node {
	for _, e := range exprs {
		n.add(exprNode(e))
	}
	return n
}

func (n *Node) addIndices(indices []Ident) *Node {
	for _, index := range indices {
		n.add(newNode("index", index.Name, index.Pos))
	}
	return n
}

func paramNode(kind string, p *Param) *Node {
	n := newNode(kind, p.Name.Name, p.Pos)
	if p.Type != nil {
		n.add(typeNode(p.Type))
	}
	return n
}

func typeNode(t *TypeExpr) *Node {
	return newNode("type", t.Scalar, t.Pos).addExprs(t.Dims)
}

func stmtNode(s *Stmt) *Node {
	n := newNode("statement", s.Assign.String(), s.Pos)
	if s.Type != nil {
		n.add(typeNode(s.Type))
	}
	for _, target := range s.Targets {
		node := newNode("target", target.Name.Name, target.Pos)
		for k, index := range target.Indices {
			if point := target.Point(k); point != nil {
				node.add(newNode("point", "", index.Pos, exprNode(point)))
			} else {
				node.addIndices([]Ident{index})
			}
		}
		n.add(node)
	}
	if s.Scan != nil {
		n.add(newNode("scan", "", s.Scan[0].Pos).addIndices(s.Scan))
	}
	n.add(exprNode(s.Value))
	if s.Equivalent != nil {
		n.add(newNode("equivalent", "", s.Equivalent.Pos, exprNode(s.Equivalent)))
	}
	for _, clause := range s.Where {
		n.add(clauseNode(clause))
	}
	return n
}

func clauseNode(c Clause) *Node {
	switch c := c.(type) {
	case *RangeClause:
		n := newNode("range", c.Index.Name, c.Pos, exprNode(c.Lo), exprNode(c.Hi))
		if c.OrEmpty {
			n.add(newNode("empty", "", c.Pos))
		}
		return n
	case *LetClause:
		return newNode("let", c.Name.Name, c.Pos, exprNode(c.Value))
	case *ExistsClause:
		return newNode("exists", "", c.Pos, exprNode(c.Value))
	case *EmptyClause:
		return newNode("empty", c.Index.Name, c.Pos)
	}
	return newNode("clause", "", source.Span{})
}

func exprNode(e Expr) *Node {
	switch e := e.(type) {
	case *Number:
		return newNode("number", e.Text, e.Pos)
	case *Name:
		return newNode("name", e.Name, e.Pos)
	case *SizeAccess:
		return newNode("size", e.Tensor.Name+"."+strconv.Itoa(e.Dim), e.Pos)
	case *Paren:
		return newNode("paren", "", e.Pos, exprNode(e.X))
	case *CastExpr:
		return newNode("cast", e.To, e.Pos, exprNode(e.X))
	case *Apply:
		kind := "apply"
		if e.Old {
			kind = "old"
		}
		return newNode(kind, e.Func.Name, e.Pos).addExprs(e.Args)
	case *Unary:
		return newNode("unary", e.Op, e.Pos, exprNode(e.X))
	case *Binary:
		return newNode("binary", e.Op, e.Pos, exprNode(e.X), exprNode(e.Y))
	case *Conditional:
		return newNode("conditional", "", e.Pos, exprNode(e.Cond), exprNode(e.Then), exprNode(e.Else))
	}
	return newNode("missing", "", source.Span{})
}
