package typed

import (
	"fmt"
	"strconv"
	"strings"
)

// Text writes an expression as Write does.
func Text(e Expr) string {
	switch e := e.(type) {
	case *Literal:
		return e.Value.text(e.T)
	case *Ref:
		return e.Variable.Name
	case *KernelRef:
		return fmt.Sprintf("%s#%d", e.Kernel.Name, e.T.Continuity)
	case *Coerce:
		return fmt.Sprintf("%s(%s)", e.How, Text(e.X))
	case *Apply:
		return e.text()
	case *Call:
		return fmt.Sprintf("%s(%s)", e.Function.Name, list(e.Args))
	case *Probe:
		return fmt.Sprintf("%s @ %s", Text(e.Field), Text(e.At))
	case *ClosedForm:
		return fmt.Sprintf("λ %s %s. %s", e.Position.Type, e.Position.Name, Text(e.Body))
	case *Construct:
		return "[" + list(e.Elements) + "]"
	case *Slice:
		return Text(e.X) + indices(e.At)
	case *Subscript:
		return fmt.Sprintf("%s{%s}", Text(e.X), Text(e.At))
	case *Sequenced:
		return "{" + list(e.Elements) + "}"
	case *Range:
		return fmt.Sprintf("(%s .. %s)", Text(e.Low), Text(e.High))
	case *Comprehension:
		return fmt.Sprintf("{ %s | %s }", Text(e.Body), each(e.Each))
	case *Reduce:
		return fmt.Sprintf("%s{ %s | %s }", e.Row.Name, Text(e.Body), each(e.Each))
	case *Conditional:
		return fmt.Sprintf("(%s ? %s : %s)", Text(e.Cond), Text(e.Then), Text(e.Else))
	case *StateOf:
		return Text(e.Strand) + "." + e.State.Name
	case *SetOf:
		return e.T.Strand.Name + "." + e.Set.String()
	case *Load:
		return "load(" + strconv.Quote(e.Path) + ")"
	case *Made:
		var args []string
		for _, a := range e.Args {
			if a.Image != nil {
				args = append(args, Text(a.Image))
			} else {
				args = append(args, a.Number.text(Real()))
			}
		}
		return "made by " + e.Def.Name + "(" + strings.Join(args, ", ") + ")"
	case *NaN:
		return "nan" + shapeName(e.T.Shape)
	}
	return "?"
}

// text names a row by what it means. Operators on fields have a prime.
func (e *Apply) text() string {
	name := e.Row.With
	if name == "" {
		name = e.Row.Name
	}
	if e.T.Kind == Field {
		name += "'"
	}
	words := make([]string, 0, len(e.Args)+len(e.Numbers))
	for _, a := range e.Args {
		words = append(words, Text(a))
	}
	for _, n := range e.Numbers {
		words = append(words, strconv.Itoa(n))
	}
	return name + "(" + strings.Join(words, ", ") + ")"
}

func indices(at []int) string {
	var words []string
	for _, n := range at {
		if n < 0 {
			words = append(words, ":")
		} else {
			words = append(words, strconv.Itoa(n))
		}
	}
	return "[" + strings.Join(words, ",") + "]"
}

func each(e *Each) string { return e.Variable.Name + " in " + Text(e.In) }

func list(list []Expr) string {
	var words []string
	for _, e := range list {
		words = append(words, Text(e))
	}
	return strings.Join(words, ", ")
}
