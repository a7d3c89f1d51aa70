package loop

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/tensor"
)

// The text form
//
//	kernel "matmul" workspace 4096 {
//	  var N int64
//	  buffer A float32[1024] argument readonly
//	  buffer acc float32x16[24] register
//	  buffer D float32[= N * 4] argument
//	  params A, N "size N" nonnegative, D
//	  site "A" 1 [0, 16) "A(i,k)"
//	  require N - 1
//	  parallel i = 0 .. N step 1 {
//	    alloc acc {
//	      let v float32x16 = A[i * 16; 16] + broadcast(float32(0.5), 16)
//	      store D[i * 4; mask m] = v
//	      check i < 5, 0, i
//	    }
//	  }
//	}
//
// Names that are no words stand in quotes after a $; a second variable of the same
// name gets a number, as in i.1. Integer literals without a type are int64.

// regionNames and kindNames are the words of the text form.
var (
	regionNames = [...]string{Argument: "argument", Workspace: "workspace", Private: "private", Register: "register", Thread: "thread", Local: "local"}
	kindNames   = [...]string{Serial: "for", Parallel: "parallel", Unrolled: "unrolled"}
)

// String returns the type as the text form writes it, such as float32x16.
func (t Type) String() string {
	if t.Lanes == 1 {
		return t.Elem.String()
	}
	return fmt.Sprintf("%sx%d", t.Elem, t.Lanes)
}

// Print returns the text of a program; Parse reads it back.
func Print(f *Func) string {
	p := newPrinter()
	p.program(f)
	return p.out.String()
}

// ExprText returns the text of an expression for messages.
func ExprText(e Expr) string { return newPrinter().expr(e, 0) }

func newPrinter() *printer { return &printer{names: map[any]string{}, taken: map[string]bool{}} }

type printer struct {
	out    strings.Builder
	indent int
	names  map[any]string
	taken  map[string]bool
}

func (p *printer) line(format string, args ...any) {
	p.out.WriteString(strings.Repeat("  ", p.indent))
	fmt.Fprintf(&p.out, format, args...)
	p.out.WriteByte('\n')
}

// name returns the text of a variable's or buffer's name, which it chooses when
// the object is new.
func (p *printer) name(object any, wanted string) string {
	if name, ok := p.names[object]; ok {
		return name
	}
	base := quoteName(wanted)
	name := base
	for i := 1; p.taken[name]; i++ {
		name = fmt.Sprintf("%s.%d", base, i)
	}
	p.taken[name] = true
	p.names[object] = name
	return name
}

func quoteName(name string) string {
	if isWord(name) && !reserved[name] {
		return name
	}
	return "$" + strconv.Quote(name)
}

func (p *printer) variable(v *Var) string { return p.name(v, v.Name) }

func (p *printer) buffer(b *Buffer) string { return p.name(b, b.Name) }

func (p *printer) program(f *Func) {
	workspace := fmt.Sprint(f.Workspace)
	if f.DynamicWorkspace != nil {
		workspace = strconv.Quote(f.DynamicWorkspace.String())
	}
	if f.Own > 0 {
		workspace += fmt.Sprintf(" thread %d", f.Own)
	}
	p.line("kernel %s workspace %s {", strconv.Quote(f.Name), workspace)
	p.indent++
	for _, param := range f.Params {
		if param.Var != nil {
			p.line("var %s %s", p.variable(param.Var), param.Var.Type)
		}
	}
	for _, b := range f.Buffers {
		p.declaration(b)
	}
	p.params(f.Params)
	if f.OwnStart != nil {
		p.line("start %s", p.expr(f.OwnStart, 0))
	}
	for _, s := range f.Sites {
		p.line("site %s %d [%d, %d) %s", strconv.Quote(s.Tensor), s.Dim, s.Lo, s.Hi, strconv.Quote(s.Text))
	}
	for _, n := range f.Notices {
		p.line("notice %s", p.buffer(n.Buffer))
	}
	for _, e := range f.Requires {
		p.line("require %s", p.expr(e, 0))
	}
	p.block(f.Body)
	p.indent--
	p.line("}")
}

func (p *printer) declaration(b *Buffer) {
	length := fmt.Sprint(b.Length)
	if b.LengthExpr != nil {
		length = "= " + p.expr(b.LengthExpr, 0)
	}
	text := fmt.Sprintf("buffer %s %s[%s] %s", p.buffer(b), b.Type, length, regionNames[b.Region])
	if b.Low != 0 {
		text += fmt.Sprintf(" low %d", b.Low)
	}
	if b.OffsetExpr != nil {
		text += " at = " + p.expr(b.OffsetExpr, 0)
	} else if b.Region == Workspace || b.Region == Thread || b.Offset != 0 {
		text += fmt.Sprintf(" at %d", b.Offset)
	}
	if b.ReadOnly {
		text += " readonly"
	}
	if b.Kept {
		text += " kept"
	}
	p.line("%s", text)
}

func (p *printer) params(params []*Param) {
	list := make([]string, len(params))
	for i, param := range params {
		if param.Buffer != nil {
			list[i] = p.buffer(param.Buffer)
		} else {
			list[i] = p.variable(param.Var)
		}
		if param.Origin != "" {
			list[i] += " " + strconv.Quote(param.Origin)
		}
		if param.NonNegative {
			list[i] += " nonnegative"
		}
	}
	if len(list) > 0 {
		p.line("params %s", strings.Join(list, ", "))
	}
}

func (p *printer) block(body []Stmt) {
	for _, s := range body {
		p.stmt(s)
	}
}

func (p *printer) nested(head string, body []Stmt) {
	p.line("%s {", head)
	p.indent++
	p.block(body)
	p.indent--
}

func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *For:
		lo, hi := p.expr(s.Lo, 0), p.expr(s.Hi, 0)
		head := fmt.Sprintf("%s %s = %s .. %s step %d", kindNames[s.Kind], p.variable(s.Var), lo, hi, s.Step)
		if s.Next != nil {
			head += " next " + p.variable(s.Next)
		}
		if s.Hold {
			head += " hold"
		}
		p.nested(head, s.Body)
		p.line("}")
	case *While:
		p.nested("while "+p.expr(s.Cond, 0), s.Body)
		p.line("}")
	case *If:
		p.nested("if "+p.expr(s.Cond, 0), s.Then)
		if len(s.Else) > 0 {
			p.nested("} else", s.Else)
		}
		p.line("}")
	case *Let:
		value := p.expr(s.Value, 0)
		p.line("let %s %s = %s", p.variable(s.Var), s.Var.Type, value)
	case *Alloc:
		p.nested("alloc "+p.buffer(s.Buffer), s.Body)
		p.line("}")
	case *Turn:
		p.nested("turn", s.Body)
		p.line("}")
	case *Grid:
		p.grid(s)
	case *Barrier:
		p.barrier(s)
	case *Shuffle:
		p.shuffle(s)
	case *Fragments:
		p.multiplyFragments(s)
	case *Copy:
		p.copied(s)
	case *Commit:
		p.line("commit")
	case *Wait:
		p.line("wait %d", s.Batches)
	case *Atomic:
		p.atomic(s)
	case *Store:
		stream := ""
		if s.Stream {
			stream = "; stream"
		}
		if s.Kept {
			stream += "; kept"
		}
		if s.Row != nil {
			stream += "; row " + p.rest(s.Row.Rest, s.Row.Behind, s.Row.Heads, s.Row.Slot) + ", " + p.expr(s.Row.First, 0)
			if s.Row.Tail > 0 {
				stream += fmt.Sprintf(", tail %d", s.Row.Tail)
			}
		}
		p.line("store %s[%s%s%s] = %s", p.buffer(s.Buffer), p.expr(s.Index, 0), p.mask(s.Mask), stream, p.expr(s.Value, 0))
	case *EndRow:
		p.line("endrow %s[%s; row %s]", p.buffer(s.Buffer), p.expr(s.Index, 0), p.rest(s.Rest, s.Behind, s.Heads, s.Slot))
	case *Transpose:
		p.transpose(s)
	case *Multiply:
		p.multiply(s)
	case *Prefetch:
		p.prefetch(s)
	case *Check:
		word := "check"
		if s.Notes {
			word = "note"
		}
		p.line("%s %s, %d, %s", word, p.expr(s.Cond, 0), s.Site, p.expr(s.Value, 0))
	case *Comment:
		p.line("comment %s", strconv.Quote(s.Text))
	}
}

// rest prints where the vectors of a row wait.
func (p *printer) rest(rest, behind, heads *Buffer, slot Expr) string {
	text := p.buffer(rest) + "[" + p.expr(slot, 0) + "] behind " + p.buffer(behind)
	if heads != nil {
		text += " heads " + p.buffer(heads)
	}
	return text
}

func (p *printer) transpose(s *Transpose) {
	stream, ahead := "", ""
	if s.Stream {
		stream = "; stream"
	}
	if s.Ahead {
		ahead = "; ahead"
	}
	p.line("transpose %s[%s by %s%s] = %s[%s by %s%s], %s, %s", p.buffer(s.Dst), p.expr(s.At, 0), p.expr(s.Stride, 0), stream, p.buffer(s.Src), p.expr(s.SrcAt, 0), p.expr(s.SrcStride, 0), ahead, p.expr(s.Rows, 0), p.expr(s.Cols, 0))
}

func (p *printer) prefetch(s *Prefetch) {
	var hints []string
	if s.Write {
		hints = append(hints, "write")
	}
	if s.Ahead != 0 {
		hints = append(hints, fmt.Sprintf("ahead %d", s.Ahead))
	}
	if s.Beyond != nil {
		hints = append(hints, "beyond "+p.expr(s.Beyond, 0))
	}
	if s.Second {
		hints = append(hints, "second")
	}
	if s.Step != 0 {
		hints = append(hints, fmt.Sprintf("step %d", s.Step))
	}
	text := p.expr(s.Index, 0)
	if len(hints) > 0 {
		text += "; " + strings.Join(hints, ", ")
	}
	p.line("prefetch %s[%s]", p.buffer(s.Buffer), text)
}

func (p *printer) mask(m Expr) string {
	if m == nil {
		return ""
	}
	return "; mask " + p.expr(m, 0)
}

// expr prints an expression, in parentheses where its operator binds less tightly
// than the place wants.
func (p *printer) expr(e Expr, precedence int) string {
	switch e := e.(type) {
	case *Const:
		return constantText(e)
	case *VarRef:
		return p.variable(e.Var)
	case *Load:
		lanes := ""
		if e.Lanes != 1 {
			lanes = fmt.Sprintf("; %d", e.Lanes)
		}
		return fmt.Sprintf("%s[%s%s%s]", p.buffer(e.Buffer), p.expr(e.Index, 0), lanes, p.mask(e.Mask))
	case *Unary:
		// The parentheses tell the negation of a literal from a negative literal.
		return e.Op.String() + "(" + p.expr(e.X, 0) + ")"
	case *Binary:
		level := e.Op.Level()
		if level == 0 {
			return p.call(e.Op.String(), e.X, e.Y)
		}
		text := p.expr(e.X, level) + " " + e.Op.String() + " " + p.expr(e.Y, level+1)
		if level < precedence {
			return "(" + text + ")"
		}
		return text
	case *MulAdd:
		return p.call("muladd", e.X, e.Y, e.Z)
	case *Dot:
		return p.call("dot", e.X, e.Y, e.Z)
	case *Distances:
		return p.call("distances", e.X, e.Y, e.Z)
	case *Call:
		return p.call(e.Func.Name, e.Args...)
	case *Select:
		return p.call("select", e.Cond, e.Then, e.Else)
	case *Cast:
		by := ""
		if e.By != tensor.Invalid {
			by = " by " + e.By.String()
		}
		return fmt.Sprintf("cast(%s%s, %s)", e.To, by, p.expr(e.X, 0))
	case *Broadcast:
		return fmt.Sprintf("broadcast(%s, %d)", p.expr(e.X, 0), e.Lanes)
	case *Ramp:
		return fmt.Sprintf("ramp(%s, %d, %d)", p.expr(e.Base, 0), e.Stride, e.Lanes)
	case *Fold:
		return fmt.Sprintf("fold(%s, %s)", e.Op, p.expr(e.X, 0))
	case *Shift:
		return fmt.Sprintf("shift(%s, %d, %s)", p.expr(e.X, 0), e.By, p.expr(e.Fill, 0))
	case *Lead:
		return fmt.Sprintf("lead(%s[%s], %d)", p.buffer(e.Buffer), p.expr(e.Index, 0), e.Lanes)
	case *Hold:
		return p.call("hold", e.X)
	case *Swizzle:
		return e.text(p.expr(e.X, 0))
	case *Lane:
		return fmt.Sprintf("lane(%s, %d)", p.expr(e.X, 0), e.Number)
	}
	return fmt.Sprintf("<%T>", e)
}

func (p *printer) call(function string, args ...Expr) string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = p.expr(a, 0)
	}
	return function + "(" + strings.Join(list, ", ") + ")"
}

// constantText prints a literal exactly.
func constantText(c *Const) string {
	switch {
	case c.Elem == tensor.Bool:
		return strconv.FormatBool(c.Bits != 0)
	case c.Elem == tensor.Int64:
		return strconv.FormatInt(int64(c.Bits), 10)
	case c.Elem.IsFloat():
		return c.Elem.String() + "(" + floatText(c.Bits) + ")"
	case c.Elem.Kind() == tensor.KindUint:
		return fmt.Sprintf("%s(%d)", c.Elem, c.Bits)
	}
	return fmt.Sprintf("%s(%d)", c.Elem, int64(c.Bits))
}

// floatText is the shortest decimal of a float64; NaNs keep their bits.
func floatText(bits uint64) string {
	v := math.Float64frombits(bits)
	switch {
	case math.IsNaN(v):
		return fmt.Sprintf("nan 0x%x", bits)
	case math.IsInf(v, 0):
		return map[bool]string{true: "inf", false: "-inf"}[v > 0]
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
