package syntax

import (
	"fmt"
	"strings"
)

// Print writes a file in the standard layout. What it writes parses to the same
// tree.
func Print(f *File) string {
	var b strings.Builder
	for _, i := range f.Imports {
		fmt.Fprintf(&b, "import %q\n", i.Path)
	}
	for _, p := range f.Params {
		fmt.Fprintf(&b, "param %s = %s\n", p.Name.Name, PrintSize(p.Value))
	}
	for n, p := range f.Programs {
		if n > 0 || len(f.Params) > 0 || len(f.Imports) > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(PrintProgram(p))
	}
	return b.String()
}

// PrintProgram writes a program; its lines are indented when it has a name.
func PrintProgram(p *Program) string {
	var b strings.Builder
	indent := ""
	if p.Name.Name != "" {
		fmt.Fprintf(&b, "def %s", p.Name.Name)
		if p.Direct != nil {
			b.WriteString(" direct")
		}
		b.WriteByte('\n')
		indent = "  "
	}
	for _, d := range p.Params {
		fmt.Fprintf(&b, "%sparam %s = %s\n", indent, d.Name.Name, PrintSize(d.Value))
	}
	for _, a := range p.Allocs {
		b.WriteString(indent + PrintAlloc(a) + "\n")
	}
	for _, o := range p.Folds {
		b.WriteString(indent + PrintFold(o) + "\n")
	}
	for _, s := range p.Statements {
		b.WriteString(indent + PrintStatement(s) + "\n")
	}
	return b.String()
}

// PrintAlloc writes an allocation.
func PrintAlloc(a *Alloc) string {
	var b strings.Builder
	fmt.Fprintf(&b, "alloc %s : ", a.Name.Name)
	if a.Type != nil {
		b.WriteString(a.Type.Name + " ")
	}
	dims := make([]string, len(a.Dims))
	for k, d := range a.Dims {
		dims[k] = d.Value.String()
	}
	fmt.Fprintf(&b, "[%s]", strings.Join(dims, ", "))
	if a.Mark != Unmarked {
		b.WriteString(" " + a.Mark.String())
	}
	return b.String()
}

// PrintStatement writes a statement.
func PrintStatement(s *Statement) string {
	names := make([]string, len(s.Targets))
	for n, t := range s.Targets {
		names[n] = t.Name
	}
	left := strings.Join(names, ", ")
	if len(names) > 1 {
		left = "(" + left + ")"
	}
	return left + " = " + PrintExpr(s.Value)
}

// PrintSize writes a size as an argument: what is no number or name has parentheses.
func PrintSize(s Size) string {
	text := s.Value.String()
	if _, symbol := s.Value.IsSymbol(); symbol {
		return text
	}
	if n, number := s.Value.IsConst(); number && n >= 0 {
		return text
	}
	return "(" + text + ")"
}

// PrintExpr writes an expression.
func PrintExpr(e Expr) string {
	switch e := e.(type) {
	case *Var:
		return e.Name
	case *Callee:
		return e.Name
	case *Number:
		return e.Text
	case *Identity:
		return "id " + PrintSize(e.Size)
	case *Operation:
		words := []string{e.Op.Name}
		for _, a := range e.Args {
			words = append(words, PrintSize(a))
		}
		for _, o := range e.Operands {
			words = append(words, parenthesised(o))
		}
		return strings.Join(words, " ")
	case *Infix:
		level := infix[e.Op]
		return printOperand(e.X, level) + " " + e.Op + " " + printOperand(e.Y, level+1)
	case *Apply:
		args := make([]string, len(e.Args))
		for n, a := range e.Args {
			args[n] = PrintExpr(a)
		}
		head := parenthesised(e.Head)
		if _, number := e.Head.(*Number); number {
			head = "(" + head + ")"
		}
		return head + "(" + strings.Join(args, ", ") + ")"
	}
	return ""
}

// parenthesised writes an operand of an operation.
func parenthesised(e Expr) string {
	switch e.(type) {
	case *Var, *Number, *Callee:
		return PrintExpr(e)
	}
	return "(" + PrintExpr(e) + ")"
}

// printOperand writes an operand of an infix sign, which stands at a level.
func printOperand(e Expr, level int) string {
	switch e := e.(type) {
	case *Operation:
		return parenthesised(e)
	case *Infix:
		if infix[e.Op] < level {
			return parenthesised(e)
		}
	}
	return PrintExpr(e)
}
