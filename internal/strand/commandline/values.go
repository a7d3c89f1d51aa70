package commandline

import (
	"fmt"
	"strconv"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/session"
	"github.com/ricci-lang/ricci/tensor"
)

// Give gives inputs what a request has for them.
func (l *Line) Give(r *Request, to *session.Inputs) error {
	var problems source.ErrorList
	for _, f := range l.flags {
		words, given := r.Values[f.name]
		if f.kind != isInput || !given {
			continue
		}
		if err := l.give(f.name, words, to); err != nil {
			d, is := err.(*source.Diagnostic)
			if !is {
				return err
			}
			problems = append(problems, d)
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

func (l *Line) give(name string, words []string, to *session.Inputs) error {
	v := l.program.Variable(name)
	switch {
	case v == nil || v.Type.Dynamic:
		return to.SetFile(name, words[0])
	case v.Type.Elem == strand.String && v.Type.IsScalar():
		return to.SetText(name, words[0])
	}
	t, err := numbers(l.program, v, words)
	if err != nil {
		return err
	}
	return to.Set(name, t)
}

// numbers reads the words of a value.
func numbers(p *strand.Program, v *strand.Variable, words []string) (*tensor.Tensor, error) {
	t, err := tensor.New(p.DType(v.Type.Elem), len(words))
	if err != nil {
		return nil, err
	}
	for k, word := range words {
		switch v.Type.Elem {
		case strand.Real:
			var x float64
			if x, err = strconv.ParseFloat(word, 64); err == nil {
				t.SetFloat(x, k)
			}
		case strand.Int:
			var n int64
			if n, err = strconv.ParseInt(word, 10, 8*p.Int.Size()); err == nil {
				t.SetInt(n, k)
			}
		case strand.Bool:
			switch word {
			case "true":
				t.SetInt(1, k)
			case "false":
				t.SetInt(0, k)
			default:
				err = fmt.Errorf("neither true nor false")
			}
		default:
			err = fmt.Errorf("sequences of texts cannot be given")
		}
		if err != nil {
			d := &source.Diagnostic{Code: source.StrandValue, Span: v.Pos, Message: fmt.Sprintf("-%s takes values of type %s, found %q", v.Name, v.Type.Elem, word)}
			return nil, d.WithHelp("its type is %s", v.Type)
		}
	}
	return t, nil
}
