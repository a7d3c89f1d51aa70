package teil

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// A Rewriting is what the equations made of a program.
type Rewriting struct {
	Source, Result *Typing
	Steps          []Step // those of the lifts last
}

// Optimise rewrites a program by the table of equations and lifts its reductions; a
// direct program is only lifted as far as lowering needs it.
func (t *Typing) Optimise() *Rewriting {
	r := &Rewriting{Source: t, Result: t.clone()}
	direct := t.Source.Direct != nil
	if !direct {
		for n, s := range r.Result.Program.Statements {
			w := &rewriter{Context: t.clone().Context, element: t.elementOf}
			c := *s
			c.Value = w.simplify(w.nest(w.simplify(s.Value)))
			r.Result.Program.Statements[n] = &c
			r.Steps = append(r.Steps, w.steps...)
		}
	}
	r.Steps = append(r.Steps, r.Result.lift(direct)...)
	return r
}

// clone returns a copy whose program can be changed. Its conditions are those of the
// original: rewriting adds none.
func (t *Typing) clone() *Typing {
	c := *t
	program, context := *t.Program, *t.Context
	program.Folds = slices.Clone(program.Folds)
	program.Allocs, program.Statements = slices.Clone(program.Allocs), slices.Clone(program.Statements)
	context.Shapes = maps.Clone(context.Shapes)
	context.Conditions = slices.Clone(context.Conditions)
	c.Program, c.Context, c.Elements = &program, &context, maps.Clone(t.Elements)
	return &c
}

// equations writes how a program is rewritten: the equations used, the program that
// comes out, and the numbers of operations.
func equations(w io.Writer, file *source.File, options lang.Options, def string, sizes map[string]int64) error {
	typings, diagnostics, _ := checkImports(file, options, &lang.Unit{})
	for _, t := range typings {
		if t.Name == def {
			_, err := io.WriteString(w, t.Optimise().text(sizes))
			return err
		}
	}
	if err := diagnostics.Err(); err != nil {
		return err
	}
	return source.Internalf("show", source.Span{}, "the program %s is not in its file", def)
}

func (r *Rewriting) text(sizes map[string]int64) string {
	var b strings.Builder
	b.WriteString(syntax.PrintProgram(r.Source.Program))
	for n, s := range r.Steps {
		if n == 0 {
			b.WriteString("\n-- equations\n")
		}
		before, after := syntax.PrintExpr(s.Before), syntax.PrintExpr(s.After)
		if s.Equation == liftingLaw {
			before, after = after, before
		}
		fmt.Fprintf(&b, "--   %-16s %s = %s\n", s.Equation.Theorem, before, after)
	}
	if len(r.Steps) > 0 {
		b.WriteString("\n" + syntax.PrintProgram(r.Result.Program))
	}
	fmt.Fprintf(&b, "\n-- operations: %s", countText(r.Source.Count(), sizes))
	if len(r.Steps) > 0 {
		fmt.Fprintf(&b, " before, %s after", countText(r.Result.Count(), sizes))
	}
	b.WriteByte('\n')
	return b.String()
}

// countText writes a count, with its value where the sizes are known.
func countText(count affine.Expr, sizes map[string]int64) string {
	var terms []string
	for _, t := range count.Terms() {
		terms = append(terms, termText(t))
	}
	text := strings.Join(terms, " + ")
	n, err := count.Eval(sizes)
	if _, literal := count.IsConst(); err != nil || literal {
		return text
	}
	return fmt.Sprintf("%s = %d", text, n)
}

// termText writes a product with powers, such as 2·m^3·n.
func termText(t affine.Term) string {
	words := []string{strconv.FormatInt(t.Coefficient, 10)}
	for k := 0; k < len(t.Atoms); {
		power := k + 1
		for power < len(t.Atoms) && t.Atoms[power].String() == t.Atoms[k].String() {
			power++
		}
		word := t.Atoms[k].String()
		if power > k+1 {
			word += "^" + strconv.Itoa(power-k)
		}
		words, k = append(words, word), power
	}
	if len(words) > 1 && t.Coefficient == 1 {
		words = words[1:]
	}
	return strings.Join(words, "·")
}
