package ein

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
)

// How the text form works
//
//	func conv {
//	  size N = dim 0 of X
//	  size s = value of s
//	  in X: float32[N]
//	  in s: int32[]
//	  out Y: float32[1:N - 1]
//	  require N - s >= 0 because "X(s)"
//	  op worse(a: float32 | b: float32) = (a + b) identity (0f32) associative commutative
//	  for i in 1:N - 1, k in 0:3 reduce + or empty accumulate worse {
//	    Y[i] = X[i + k + {s} - 1i64] * 2f32
//	  }
//	}
//
// A size expression stands in braces inside a value, so that {N + 1} (one SizeRef)
// and {N} + 1i64 (an addition) differ. Literals carry their type, X![i] is a
// checked access, let x = e in e binds a local. A word that is reserved or no
// word at all is written in backquotes. A range is written first:end. Locals and
// operators are renamed where their names would clash, so the printed text always
// means what the tree means. Behind the name, direct says that sums are computed as they
// are written.

// Print returns the text of the function; Parse reads it back.
func Print(f *Func) string {
	p := &printer{f: f, operators: map[*Operator]string{}, taken: map[string]int{}}
	p.function()
	return p.out.String()
}

// PrintProgram returns the text of all functions.
func PrintProgram(program *Program) string {
	texts := make([]string, len(program.Funcs))
	for i, f := range program.Funcs {
		texts[i] = Print(f)
	}
	return strings.Join(texts, "\n")
}

// PrintExpr returns the text of one expression.
func PrintExpr(e Expr) string {
	p := &printer{f: &Func{}, taken: map[string]int{}}
	p.expr(e, lowest)
	return p.out.String()
}

// Readable returns the text of an expression for messages: without the types of
// literals and the marks of sizes, so that it cannot be read back.
func Readable(e Expr) string {
	p := &printer{f: &Func{}, taken: map[string]int{}, readable: true}
	p.expr(e, lowest)
	return p.out.String()
}

// String returns the text form.
func (f *Func) String() string { return Print(f) }

type printer struct {
	f         *Func
	out       strings.Builder
	operators map[*Operator]string
	scope     []boundLocal
	taken     map[string]int // names in scope and how often
	readable  bool           // as Readable says
}

type boundLocal struct {
	local *Local
	name  string
}

func (p *printer) writef(format string, args ...any) { fmt.Fprintf(&p.out, format, args...) }

func (p *printer) function() {
	p.writef("func %s", quoteName(p.f.Name))
	if p.f.Direct {
		p.out.WriteString(" direct")
	}
	p.out.WriteString(" {\n")
	for _, s := range p.f.Sizes {
		p.size(s)
	}
	for _, t := range p.f.Tensors {
		notice := ""
		if t.Notice {
			notice = " notice"
		}
		p.writef("  %s %s: %s[%s]%s\n", t.Role, quoteName(t.Name), t.Type, dimsText(t.Dims), notice)
	}
	for _, r := range p.f.Requires {
		p.writef("  require %s >= 0 because %q\n", r.Expr, r.Reason)
	}
	p.declareOperators()
	for _, c := range p.f.Body {
		p.comprehension(c)
	}
	p.writef("}\n")
}

func (p *printer) size(s *Size) {
	p.writef("  size %s", quoteName(s.Name))
	switch {
	case s.Tensor != nil && s.Dim == ScalarValue:
		p.writef(" = value of %s", quoteName(s.Tensor.Name))
	case s.Tensor != nil:
		p.writef(" = dim %d of %s", s.Dim, quoteName(s.Tensor.Name))
	}
	if s.MayBeZero {
		p.writef(" or zero")
	}
	p.writef("\n")
}

func dimsText(dims []Dim) string {
	texts := make([]string, len(dims))
	for i, d := range dims {
		texts[i] = d.Extent.String()
		if n, ok := d.Min.IsConst(); !ok || n != 0 {
			texts[i] = rangeText(d.Min, d.Extent)
		}
	}
	return strings.Join(texts, ", ")
}

func rangeText(lo, extent affine.Expr) string { return lo.String() + ":" + lo.Add(extent).String() }

// operatorsOf lists the operators of a function in the order of first use.
func operatorsOf(f *Func) []*Operator {
	var list []*Operator
	seen := map[*Operator]bool{nil: true}
	add := func(o *Operator) {
		if !seen[o] {
			seen[o] = true
			list = append(list, o)
		}
	}
	for _, c := range f.Body {
		for _, i := range c.Indices {
			add(i.Combine.Op)
		}
		add(c.Accumulate)
	}
	return list
}

func (p *printer) declareOperators() {
	names := map[string]bool{}
	for _, o := range operatorsOf(p.f) {
		if o.Kind != UserDefined {
			p.operators[o] = o.Kind.String()
			continue
		}
		name := o.Name
		for n := 2; names[name]; n++ {
			name = fmt.Sprintf("%s_%d", o.Name, n)
		}
		names[name] = true
		p.operators[o] = quoteName(name)
		p.operator(o)
	}
}

func (p *printer) operator(o *Operator) {
	p.writef("  op %s(", p.operators[o])
	names := make([]string, 0, len(o.Left)+len(o.Right))
	for _, l := range append(append([]*Local(nil), o.Left...), o.Right...) {
		names = append(names, p.bind(l))
	}
	for i, l := range o.Left {
		p.writef("%s%s: %s", separator(i), names[i], l.DType)
	}
	p.writef(" | ")
	for i, l := range o.Right {
		p.writef("%s%s: %s", separator(i), names[len(o.Left)+i], l.DType)
	}
	p.writef(") = (")
	p.list(o.Body)
	p.writef(")")
	for range names {
		p.unbind()
	}
	if o.Identity != nil {
		p.writef(" identity (")
		p.list(o.Identity)
		p.writef(")")
	}
	if o.Associative {
		p.writef(" associative")
	}
	if o.Commutative {
		p.writef(" commutative")
	}
	p.writef("\n")
}

func separator(i int) string {
	if i == 0 {
		return ""
	}
	return ", "
}

func (p *printer) list(list []Expr) {
	for i, e := range list {
		p.writef("%s", separator(i))
		p.expr(e, lowest)
	}
}

func (p *printer) comprehension(c *Comprehension) {
	p.writef("  for ")
	for n, i := range c.Indices {
		p.writef("%s%s in %s", separator(n), quoteName(i.Name), rangeText(i.Min, i.Extent))
		if i.Combine.Kind != Concat {
			p.writef(" %s %s%s", combineWords[i.Combine.Kind], p.operators[i.Combine.Op], lawWords(i.Combine.Op))
		}
		if i.MayBeEmpty {
			p.writef(" or empty")
		}
		p.taken[i.Name]++
	}
	if len(c.Indices) > 0 {
		p.writef(" ")
	}
	if c.Accumulate != nil {
		p.writef("accumulate %s ", p.operators[c.Accumulate])
	}
	p.writef("{\n")
	for n, w := range c.Writes {
		p.writef("    %s[", quoteName(w.Tensor.Name))
		p.list(w.Subscripts)
		p.writef("] = ")
		if n < len(c.Values) {
			p.expr(c.Values[n], lowest)
		}
		p.writef("\n")
	}
	p.writef("  }\n")
	for _, i := range c.Indices {
		p.taken[i.Name]--
	}
}

// The words behind a built-in operator whose laws are not the usual ones.
const (
	orderedWord      = "ordered"
	distributiveWord = "distributive"
	shortenedWord    = "shortened"
)

// lawWords are the words behind a use of an operator.
func lawWords(o *Operator) (words string) {
	if o.Kind == UserDefined {
		return ""
	}
	if o.Ordered() {
		return " " + orderedWord
	}
	if o.Distributive && !o.Types()[0].IsInteger() {
		words = " " + distributiveWord
	}
	if o.Shortened {
		words += " " + shortenedWord
	}
	return words
}

var combineWords = map[CombineKind]string{Reduce: "reduce", Scan: "scan"}

// bind brings a local into scope under a name that is free there.
func (p *printer) bind(l *Local) string {
	name := l.Name
	for n := 2; p.taken[name] > 0; n++ {
		name = fmt.Sprintf("%s_%d", l.Name, n)
	}
	p.taken[name]++
	p.scope = append(p.scope, boundLocal{l, name})
	return quoteName(name)
}

func (p *printer) unbind() {
	last := len(p.scope) - 1
	p.taken[p.scope[last].name]--
	p.scope = p.scope[:last]
}

func (p *printer) localName(l *Local) string {
	for i := len(p.scope) - 1; i >= 0; i-- {
		if p.scope[i].local == l {
			return quoteName(p.scope[i].name)
		}
	}
	return quoteName(l.Name)
}
