package loop

import (
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Parse reads the text form that Print writes. What it returns is well formed as
// text only: Verify checks the rest. The error is a source.ErrorList.
func Parse(file *source.File) (*Func, error) {
	p := &parser{vars: map[string]*Var{}, buffers: map[string]*Buffer{}}
	p.Parser, _ = language.NewParser(file)
	p.infix = token.Infix[Expr]{Levels: ein.InfixLevels(), Operand: p.operand, Join: func(_ int, t *token.Token, x, y Expr) Expr {
		return &Binary{Op: ein.InfixOperator(t.Text), X: x, Y: y}
	}}
	var f *Func
	p.Guard(func() {
		if f = p.program(); p.Peek().Kind != token.End {
			p.Fail("", "the end of the text")
		}
	}, func() {})
	p.Diagnostics.Sort()
	if err := p.Diagnostics.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// A parser leaves the text at its first mistake.
type parser struct {
	token.Parser
	infix   token.Infix[Expr]
	vars    map[string]*Var
	buffers map[string]*Buffer
}

func (p *parser) fail(code source.Code, at *token.Token, format string, args ...any) {
	p.Errorf(code, p.SpanOf(at), format, args...)
	p.Bail()
}

func (p *parser) expect(text string) { p.Expect(text, "") }

func (p *parser) quoted() string {
	if p.Peek().Kind != quotedText {
		p.Fail("", "a string")
	}
	text, _ := strconv.Unquote(p.Take().Text)
	return text
}

// integer reads a decimal number with a sign.
func (p *parser) integer() int64 {
	sign := ""
	if p.Accept("-") {
		sign = "-"
	}
	v, err := strconv.ParseInt(sign+p.Peek().Text, 10, 64)
	if p.Peek().Kind != token.Number || err != nil {
		p.Fail("", "an integer of 64 bits")
	}
	p.Take()
	return v
}

// small reads a count such as a number of lanes.
func (p *parser) small() int {
	at := p.Peek()
	v := p.integer()
	if v < 1 || v > 1<<16 {
		p.fail(source.LoopSyntax, at, "found %d, expected a number of lanes", v)
	}
	return int(v)
}

// newName reads a name that is declared here: its key and the name it stands for.
func (p *parser) newName() (key, name string) {
	key = p.Peek().Text
	switch {
	case p.Peek().Kind == token.Word && !reserved[key]:
		name, _, _ = strings.Cut(key, ".")
	case p.Peek().Kind == quotedName:
		quoted, _ := strconv.QuotedPrefix(key[1:])
		name, _ = strconv.Unquote(quoted)
	default:
		p.Fail("", "a name")
	}
	p.Take()
	return key, name
}

func (p *parser) declareVar() *Var {
	at := p.Peek()
	key, name := p.newName()
	if p.vars[key] != nil || p.buffers[key] != nil {
		p.fail(source.LoopName, at, "%s is declared twice; a second variable of the same name has a number, as in i.1", key)
	}
	v := &Var{Name: name}
	p.vars[key] = v
	return v
}

func (p *parser) buffer() *Buffer {
	b, ok := p.buffers[p.Peek().Text]
	if !ok || p.Peek().Kind != token.Word && p.Peek().Kind != quotedName {
		p.fail(source.LoopName, p.Peek(), "%q is not the name of a buffer", p.Peek().Text)
	}
	p.Take()
	return b
}

func (p *parser) dtype() tensor.DType {
	d, err := tensor.ParseDType(p.Peek().Text)
	if err != nil || p.Peek().Kind != token.Word {
		p.Fail("", "an element type")
	}
	p.Take()
	return d
}

// typ reads float32 or float32x16.
func (p *parser) typ() Type {
	elem, lanes, isVector := p.Peek().Text, 1, false
	if at := strings.LastIndexByte(elem, 'x'); at > 0 {
		if n, err := strconv.Atoi(elem[at+1:]); err == nil && n >= 1 && n <= 1<<16 {
			elem, lanes, isVector = elem[:at], n, true
		}
	}
	d, err := tensor.ParseDType(elem)
	if err != nil || p.Peek().Kind != token.Word || isVector && lanes == 1 {
		p.Fail("", "a type")
	}
	p.Take()
	return Type{d, lanes}
}

func (p *parser) program() *Func {
	p.expect("kernel")
	f := &Func{Name: p.quoted()}
	p.expect("workspace")
	if p.Peek().Kind == quotedText {
		at := p.Peek()
		size, err := affine.Parse(p.quoted())
		if err != nil {
			p.fail(source.LoopSyntax, at, "the size of the workspace: %v", err)
		}
		f.DynamicWorkspace = &size
	} else {
		f.Workspace = p.integer()
	}
	if p.Accept("thread") {
		f.Own = p.integer()
	}
	p.expect("{")
	for p.Accept("var") {
		v := p.declareVar()
		v.Type = p.typ()
	}
	for p.Accept("buffer") {
		f.Buffers = append(f.Buffers, p.declaration())
	}
	if p.Accept("params") {
		f.Params = append(f.Params, p.param())
		for p.Accept(",") {
			f.Params = append(f.Params, p.param())
		}
	}
	if p.Accept("start") {
		f.OwnStart = p.expr()
	}
	for p.Accept("site") {
		f.Sites = append(f.Sites, p.site())
	}
	for p.Accept("notice") {
		f.Notices = append(f.Notices, Notice{Buffer: p.buffer()})
	}
	for p.Accept("require") {
		f.Requires = append(f.Requires, p.expr())
	}
	f.Body = p.block()
	return f
}

func (p *parser) declaration() *Buffer {
	at := p.Peek()
	key, name := p.newName()
	if p.vars[key] != nil || p.buffers[key] != nil {
		p.fail(source.LoopName, at, "%s is declared twice", key)
	}
	b := &Buffer{Name: name, Type: p.typ()}
	p.expect("[")
	if p.Accept("=") {
		b.LengthExpr = p.expr()
	} else {
		b.Length = p.integer()
	}
	p.expect("]")
	b.Region = p.region()
	if p.Accept("low") {
		b.Low = p.integer()
	}
	if p.Accept("at") {
		if p.Accept("=") {
			b.OffsetExpr = p.expr()
		} else {
			b.Offset = p.integer()
		}
	}
	b.ReadOnly = p.Accept("readonly")
	b.Kept = p.Accept("kept")
	p.buffers[key] = b
	return b
}

func (p *parser) region() Region {
	for r, name := range regionNames {
		if p.Accept(name) {
			return Region(r)
		}
	}
	p.Fail("", "%s", "a region: "+strings.Join(regionNames[:], ", "))
	return 0
}

func (p *parser) param() *Param {
	param := &Param{}
	if v, ok := p.vars[p.Peek().Text]; ok && (p.Peek().Kind == token.Word || p.Peek().Kind == quotedName) {
		param.Var = v
		p.Take()
	} else {
		param.Buffer = p.buffer()
	}
	if p.Peek().Kind == quotedText {
		param.Origin = p.quoted()
	}
	param.NonNegative = p.Accept("nonnegative")
	return param
}

func (p *parser) site() Site {
	s := Site{Tensor: p.quoted(), Dim: int(p.integer())}
	p.expect("[")
	s.Lo = p.integer()
	p.expect(",")
	s.Hi = p.integer()
	p.expect(")")
	s.Text = p.quoted()
	return s
}

// block reads statements up to and with the closing brace.
func (p *parser) block() []Stmt {
	p.Enter()
	defer p.Leave()
	var body []Stmt
	for !p.Accept("}") {
		body = append(body, p.stmt())
	}
	return body
}

func (p *parser) stmt() Stmt {
	for kind, name := range kindNames {
		if p.Accept(name) {
			return p.loop(LoopKind(kind))
		}
	}
	switch {
	case p.Accept("while"):
		s := &While{Cond: p.expr()}
		p.expect("{")
		s.Body = p.block()
		return s
	case p.Accept("if"):
		return p.conditional()
	case p.Accept("let"):
		return p.let()
	case p.Accept("alloc"):
		s := &Alloc{Buffer: p.buffer()}
		p.expect("{")
		s.Body = p.block()
		return s
	case p.Accept("turn"):
		p.expect("{")
		return &Turn{Body: p.block()}
	case p.Accept("grid"):
		return p.grid()
	case p.Accept("barrier"):
		return &Barrier{Global: p.Accept("global")}
	case p.Accept("shuffle"):
		return p.shuffle()
	case p.Accept("fragments"):
		return p.multiplyFragments()
	case p.Accept("copy"):
		return p.copied()
	case p.Accept("commit"):
		return &Commit{}
	case p.Accept("wait"):
		return &Wait{Batches: p.integer()}
	case p.Accept("atomic"):
		return p.atomic()
	case p.Accept("store"):
		return p.store()
	case p.Accept("endrow"):
		return p.endRow()
	case p.Accept("transpose"):
		return p.transpose()
	case p.Accept("multiply"):
		return p.multiply()
	case p.Accept("prefetch"):
		return p.prefetch()
	case p.Accept("check"):
		return p.check(false)
	case p.Accept("note"):
		return p.check(true)
	case p.Accept("comment"):
		return &Comment{Text: p.quoted()}
	}
	p.Fail("", "a statement or a closing brace")
	return nil
}

func (p *parser) let() *Let {
	s := &Let{Var: p.declareVar()}
	s.Var.Type = p.typ()
	p.expect("=")
	s.Value = p.expr()
	return s
}

func (p *parser) endRow() *EndRow {
	s := &EndRow{Buffer: p.buffer()}
	p.expect("[")
	s.Index = p.expr()
	p.expect(";")
	p.expect("row")
	s.Rest, s.Behind, s.Slot = p.rest()
	s.Heads = p.heads()
	p.expect("]")
	return s
}

func (p *parser) prefetch() *Prefetch {
	s := &Prefetch{Buffer: p.buffer()}
	p.expect("[")
	s.Index = p.expr()
	for next := p.Accept(";"); next; next = p.Accept(",") {
		switch {
		case p.Accept("write"):
			s.Write = true
		case p.Accept("second"):
			s.Second = true
		case p.Accept("step"):
			s.Step = p.integer()
		case p.Accept("beyond"):
			s.Beyond = p.expr()
		default:
			p.expect("ahead")
			s.Ahead = p.integer()
		}
	}
	p.expect("]")
	return s
}

func (p *parser) check(notes bool) *Check {
	s := &Check{Cond: p.expr(), Notes: notes}
	p.expect(",")
	s.Site = int(p.integer())
	p.expect(",")
	s.Value = p.expr()
	return s
}

func (p *parser) loop(kind LoopKind) *For {
	s := &For{Var: p.declareVar(), Kind: kind}
	s.Var.Type = Scalar(tensor.Int64)
	p.expect("=")
	s.Lo = p.expr()
	p.expect("..")
	s.Hi = p.expr()
	p.expect("step")
	s.Step = p.integer()
	if p.Accept("next") {
		s.Next = p.declareVar()
		s.Next.Type = Scalar(tensor.Int64)
	}
	s.Hold = p.Accept("hold")
	p.expect("{")
	s.Body = p.block()
	return s
}

func (p *parser) conditional() *If {
	s := &If{Cond: p.expr()}
	p.expect("{")
	s.Then = p.block()
	if p.Accept("else") {
		p.expect("{")
		s.Else = p.block()
	}
	return s
}

func (p *parser) store() *Store {
	s := &Store{Buffer: p.buffer()}
	p.expect("[")
	s.Index = p.expr()
	for p.Accept(";") {
		if p.Accept("stream") {
			s.Stream = true
			continue
		}
		if p.Accept("kept") {
			s.Kept = true
			continue
		}
		if p.Accept("row") {
			s.Row = &Row{}
			s.Row.Rest, s.Row.Behind, s.Row.Slot = p.rest()
			s.Row.Heads = p.heads()
			p.expect(",")
			s.Row.First = p.expr()
			if p.Accept(",") {
				p.expect("tail")
				s.Row.Tail = p.small()
			}
			continue
		}
		p.expect("mask")
		s.Mask = p.expr()
	}
	p.expect("]")
	p.expect("=")
	s.Value = p.expr()
	return s
}

// rest parses where the vectors of a row wait.
func (p *parser) rest() (rest, behind *Buffer, slot Expr) {
	rest = p.buffer()
	p.expect("[")
	slot = p.expr()
	p.expect("]")
	p.expect("behind")
	return rest, p.buffer(), slot
}

// heads reads where the first vectors of rows are kept, if they are.
func (p *parser) heads() *Buffer {
	if !p.Accept("heads") {
		return nil
	}
	return p.buffer()
}

func (p *parser) transpose() *Transpose {
	s := &Transpose{}
	s.Dst, s.At, s.Stride = p.rows()
	if p.Accept(";") {
		p.expect("stream")
		s.Stream = true
	}
	p.expect("]")
	p.expect("=")
	s.Src, s.SrcAt, s.SrcStride = p.rows()
	if p.Accept(";") {
		p.expect("ahead")
		s.Ahead = true
	}
	p.expect("]")
	p.expect(",")
	s.Rows = p.expr()
	p.expect(",")
	s.Cols = p.expr()
	return s
}

// rows parses "buffer[index by stride".
func (p *parser) rows() (b *Buffer, at, stride Expr) {
	b = p.buffer()
	p.expect("[")
	at = p.expr()
	p.expect("by")
	stride = p.expr()
	return b, at, stride
}
