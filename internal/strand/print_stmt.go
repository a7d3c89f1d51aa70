package strand

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
)

func name(v *Variable) string { return ein.QuoteName(v.Name) }

func (w *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Assign:
		w.line("%s = %s", ein.QuoteName(s.To.Name), ein.PrintExpr(s.Value))
	case *If:
		end := "}"
		if len(s.Else) > 0 {
			end = "} else {"
		}
		w.block("if "+ein.PrintExpr(s.Cond), s.Then, end)
		if len(s.Else) > 0 {
			w.indent++
			for _, inner := range s.Else {
				w.stmt(inner)
			}
			w.indent--
			w.line("}")
		}
	case *ForRange:
		w.block(fmt.Sprintf("for %s = %s to %s", name(s.Variable), ein.PrintExpr(s.Low), ein.PrintExpr(s.High)), s.Body, "}")
	case *ForEach:
		w.block(fmt.Sprintf("each %s in %s", name(s.Variable), name(s.Sequence)), s.Body, "}")
	case *Build:
		w.line("build %s (%s)", name(s.To), items(s.Items))
	case *Length:
		w.line("length %s of %s", ein.QuoteName(s.To.Name), name(s.Sequence))
	case *Element:
		w.line("element %s of %s at %s", name(s.To), name(s.Sequence), ein.PrintExpr(s.At))
	case *Exit:
		w.line("%s", s.Kind)
	case *AllExit:
		w.line("all %s", s.Kind)
	case *New:
		w.line("new (%s)", exprs(s.Arguments))
	case *Message:
		w.print(s)
	case *Sample:
		w.sample(s)
	case *Eigen:
		w.eigen(s)
	default:
		w.others(s)
	}
}

// others writes the statements about other strands.
func (w *printer) others(s Stmt) {
	switch s := s.(type) {
	case *Query:
		text := fmt.Sprintf("query %s radius %s", name(s.To), ein.PrintExpr(s.Radius))
		if s.Center != nil {
			text += " around (" + exprs(s.Center) + ")"
		}
		w.line("%s", text)
	case *Get:
		w.line("get %s of %s state %s", name(s.To), name(s.Strand), name(s.State))
	case *Count:
		w.line("count %s of %s", ein.QuoteName(s.To.Name), s.Set)
	case *Reduce:
		head := fmt.Sprintf("reduce %s by %s over %s as %s", ein.QuoteName(s.To.Name), s.Fold, s.Set, name(s.Strand))
		w.block(head, s.Body, "} value "+ein.PrintExpr(s.Value))
	}
}

func items(list []Item) string {
	texts := make([]string, len(list))
	for k, i := range list {
		if i.Sequence != nil {
			texts[k] = name(i.Sequence)
		} else {
			texts[k] = "[" + exprs(i.Parts) + "]"
		}
	}
	return strings.Join(texts, ", ")
}

func (w *printer) print(s *Message) {
	texts := make([]string, len(s.Parts))
	for k, a := range s.Parts {
		texts[k] = strconv.Quote(a.Text)
		if a.Variable != nil {
			texts[k] = name(a.Variable)
		}
	}
	w.line("print (%s)", strings.Join(texts, ", "))
}

func (w *printer) sample(s *Sample) {
	border := s.Border.String()
	if s.Border == Constant {
		border += " (" + locals(s.Outside) + ")"
	}
	text := fmt.Sprintf("sample %s %s %s at (%s)", ein.QuoteName(s.Image.Name), border, ein.QuoteName(s.Kernel.Name), locals(s.At))
	if s.Field != "" {
		text += " of " + strconv.Quote(s.Field)
	}
	w.line("%s {", text)
	w.indent++
	for _, c := range s.Wanted {
		w.line("%s = %d %s", ein.QuoteName(c.To.Name), c.Voxel, list("[", c.Orders, "]"))
	}
	w.indent--
	w.line("}")
}

func (w *printer) eigen(s *Eigen) {
	text := fmt.Sprintf("eigen %d (%s)", s.Dim, exprs(s.Of))
	if len(s.Values) > 0 {
		text += " values (" + locals(s.Values) + ")"
	}
	if len(s.Vectors) > 0 {
		text += " vectors (" + locals(s.Vectors) + ")"
	}
	w.line("%s", text)
}

func locals(list []*ein.Local) string {
	texts := make([]string, len(list))
	for k, l := range list {
		texts[k] = ein.QuoteName(l.Name)
	}
	return strings.Join(texts, ", ")
}
