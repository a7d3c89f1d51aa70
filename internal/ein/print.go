package ein

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/tensor"
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
// means what the tree means.

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

// String returns the text form.
func (f *Func) String() string { return Print(f) }

type printer struct {
	f         *Func
	out       strings.Builder
	operators map[*Operator]string
	scope     []boundLocal
	taken     map[string]int // names in scope and how often
}

type boundLocal struct {
	local *Local
	name  string
}

func (p *printer) writef(format string, args ...any) { fmt.Fprintf(&p.out, format, args...) }

func (p *printer) function() {
	p.writef("func %s {\n", quoteName(p.f.Name))
	for _, s := range p.f.Sizes {
		p.size(s)
	}
	for _, t := range p.f.Tensors {
		p.writef("  %s %s: %s[%s]\n", t.Role, quoteName(t.Name), t.Type, dimsText(t.Dims))
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
			p.writef(" %s %s", combineWords[i.Combine.Kind], p.operators[i.Combine.Op])
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

// The levels of precedence, from the loosest.
const (
	lowest = iota
	orLevel
	andLevel
	compareLevel
	addLevel
	multiplyLevel
	unaryLevel
)

// infix is the table of the operators that the text writes between operands.
var infix = map[BinaryOp]struct {
	text  string
	level int
}{
	Or: {"||", orLevel}, And: {"&&", andLevel},
	Lt: {"<", compareLevel}, Le: {"<=", compareLevel}, Gt: {">", compareLevel},
	Ge: {">=", compareLevel}, Eq: {"==", compareLevel}, Ne: {"!=", compareLevel},
	Add: {"+", addLevel}, Sub: {"-", addLevel},
	Mul: {"*", multiplyLevel}, Div: {"/", multiplyLevel}, Mod: {"%", multiplyLevel},
}

// String returns the operator as the text form writes it.
func (op BinaryOp) String() string {
	switch op {
	case Min:
		return "min"
	case Max:
		return "max"
	}
	return infix[op].text
}

// String returns the operator as the text form writes it.
func (op UnaryOp) String() string { return [...]string{"-", "!"}[op] }

// expr writes e; level is the loosest construct that needs no parentheses here.
func (p *printer) expr(e Expr, level int) {
	if own := levelOf(e); own < level {
		p.writef("(")
		defer p.writef(")")
	}
	switch e := e.(type) {
	case *Const:
		p.writef("%s", literal(e))
	case *IndexRef:
		p.writef("%s", quoteName(e.Index.Name))
	case *SizeRef:
		p.writef("{%s}", e.Size)
	case *LocalRef:
		p.writef("%s", p.localName(e.Local))
	case *Access:
		p.access(e)
	case *Unary:
		p.writef("%s", e.Op)
		if _, constant := e.X.(*Const); constant {
			// -(2i64) negates a literal, -2i64 is one.
			p.writef("(")
			p.expr(e.X, lowest)
			p.writef(")")
			return
		}
		p.expr(e.X, unaryLevel)
	case *Binary:
		p.binary(e)
	case *Call:
		p.writef("%s(", e.Func.Name)
		p.list(e.Args)
		p.writef(")")
	case *Cast:
		p.writef("%s(", e.To)
		p.expr(e.X, lowest)
		p.writef(")")
	case *Select:
		p.expr(e.Cond, orLevel)
		p.writef(" ? ")
		p.expr(e.Then, lowest)
		p.writef(" : ")
		p.expr(e.Else, lowest)
	case *Let:
		p.let(e)
	}
}

// levelOf returns the level of the construct at the root of e.
func levelOf(e Expr) int {
	switch e := e.(type) {
	case *Select, *Let:
		return lowest
	case *Unary:
		return unaryLevel
	case *Binary:
		if row, ok := infix[e.Op]; ok {
			return row.level
		}
	}
	return unaryLevel
}

func (p *printer) access(e *Access) {
	p.writef("%s", quoteName(e.Tensor.Name))
	if e.Checked {
		p.writef("!")
	}
	p.writef("[")
	p.list(e.Subscripts)
	p.writef("]")
}

func (p *printer) binary(e *Binary) {
	row, ok := infix[e.Op]
	if !ok {
		p.writef("%s(", e.Op)
		p.list([]Expr{e.X, e.Y})
		p.writef(")")
		return
	}
	p.expr(e.X, row.level)
	p.writef(" %s ", row.text)
	p.expr(e.Y, row.level+1)
}

// let binds after the value is written: the local is not in scope there.
func (p *printer) let(e *Let) {
	name := p.bind(e.Var)
	bound := p.scope[len(p.scope)-1]
	p.scope = p.scope[:len(p.scope)-1]
	p.writef("let %s = ", name)
	p.expr(e.Value, lowest)
	p.scope = append(p.scope, bound)
	p.writef(" in ")
	p.expr(e.Body, lowest)
	p.unbind()
}

// suffixes mark the type of a literal.
var suffixes = map[tensor.DType]string{
	tensor.Int8: "i8", tensor.Int16: "i16", tensor.Int32: "i32", tensor.Int64: "i64",
	tensor.Uint8: "u8", tensor.Uint16: "u16", tensor.Uint32: "u32", tensor.Uint64: "u64",
	tensor.Float16: "f16", tensor.BFloat16: "bf16", tensor.Float32: "f32", tensor.Float64: "f64",
}

// literal writes a typed literal exactly: decimals are the shortest that read
// back, a NaN other than the usual one carries its bits.
func literal(c *Const) string {
	suffix := suffixes[c.DType]
	switch {
	case c.DType == tensor.Bool:
		return strconv.FormatBool(c.Bits != 0)
	case c.DType.Kind() == tensor.KindUint:
		return strconv.FormatUint(c.Bits, 10) + suffix
	case !c.DType.IsFloat():
		return strconv.FormatInt(c.Int(), 10) + suffix
	}
	v := c.Float()
	switch {
	case math.IsNaN(v) && c.Bits == FloatConst(c.DType, math.NaN()).Bits:
		return "nan_" + suffix
	case math.IsNaN(v):
		return fmt.Sprintf("nan_%s:0x%016x", suffix, c.Bits)
	case math.IsInf(v, 1):
		return "inf_" + suffix
	case math.IsInf(v, -1):
		return "-inf_" + suffix
	}
	return strconv.FormatFloat(v, 'g', -1, floatBits(c.DType)) + suffix
}

// floatBits is the precision in which the decimals of a type are read.
func floatBits(t tensor.DType) int {
	if t == tensor.Float32 {
		return 32
	}
	return 64
}

// quoteName writes a name so that the scanner reads one word.
func quoteName(name string) string {
	first := true
	plain := name != "" && !reserved[name] && !strings.HasPrefix(name, "nan_") && !strings.HasPrefix(name, "inf_")
	for _, r := range name {
		plain = plain && isWordRune(r, first)
		first = false
	}
	if plain {
		return name
	}
	return "`" + name + "`"
}

// isWordRune says what a plain word is made of.
func isWordRune(r rune, first bool) bool {
	return r == '_' || unicode.IsLetter(r) || !first && (unicode.IsDigit(r) || r == '.' || r == '$')
}

// reserved holds the words that are names only in backquotes.
var reserved = func() map[string]bool {
	set := map[string]bool{}
	words := "func size dim value of or zero in out inout temp require because op identity associative commutative " +
		"for reduce scan accumulate empty let true false min max argmin argmax"
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	for _, t := range tensor.DTypes() {
		set[t.String()] = true
	}
	return set
}()

// String returns the name of the kind in the text form.
func (k OperatorKind) String() string {
	switch k {
	case UserDefined:
		return "op"
	case ArgMinOp:
		return "argmin"
	case ArgMaxOp:
		return "argmax"
	}
	return builtinOperators[k].name
}
