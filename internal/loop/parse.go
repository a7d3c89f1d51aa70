package loop

import (
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Parse reads the text form that Print writes. What it returns is well formed as
// text only: Verify checks the rest. The error is a source.ErrorList.
func Parse(file *source.File) (f *Func, err error) {
	p := &parser{file: file, vars: map[string]*Var{}, buffers: map[string]*Buffer{}}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(syntaxError); !ok {
				panic(r)
			}
			f, err = nil, p.diagnostics.Err()
		}
	}()
	p.advance()
	f = p.program()
	if p.tok.kind != endToken {
		p.unexpected("the end of the text")
	}
	return f, nil
}

// syntaxError unwinds the parser after its first diagnostic.
type syntaxError struct{}

type parser struct {
	file        *source.File
	tok         token
	diagnostics source.Diagnostics
	vars        map[string]*Var
	buffers     map[string]*Buffer
	depth       int
}

// maxDepth bounds the nesting of what is read.
const maxDepth = 400

func (p *parser) fail(code source.Code, at token, format string, args ...any) {
	p.diagnostics.Errorf(code, source.Span{File: p.file, Start: at.start, End: max(at.end, at.start)}, format, args...)
	panic(syntaxError{})
}

func (p *parser) unexpected(wanted string) {
	p.fail(source.LoopSyntax, p.tok, "found %q, expected %s", p.tok.text, wanted)
}

func (p *parser) advance() token {
	t := p.tok
	p.tok = scan(p.file.Text, t.end)
	return t
}

// deeper guards against texts that nest without end.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > maxDepth {
		p.fail(source.LoopSyntax, p.tok, "nested more than %d levels deep", maxDepth)
	}
	return func() { p.depth-- }
}

func (p *parser) is(text string) bool {
	return p.tok.text == text && (p.tok.kind == symbolToken || p.tok.kind == wordToken)
}

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.unexpected(strconv.Quote(text))
	}
}

func (p *parser) quoted() string {
	if p.tok.kind != stringToken {
		p.unexpected("a string")
	}
	return p.advance().text
}

// integer reads a decimal number with a sign.
func (p *parser) integer() int64 {
	sign := ""
	if p.accept("-") {
		sign = "-"
	}
	v, err := strconv.ParseInt(sign+p.tok.text, 10, 64)
	if p.tok.kind != numberToken || err != nil {
		p.unexpected("an integer of 64 bits")
	}
	p.advance()
	return v
}

// small reads a count such as a number of lanes.
func (p *parser) small() int {
	at := p.tok
	v := p.integer()
	if v < 1 || v > 1<<16 {
		p.fail(source.LoopSyntax, at, "found %d, expected a number of lanes", v)
	}
	return int(v)
}

// newName reads a name that is declared here: its key and the name it stands for.
func (p *parser) newName() (key, name string) {
	key = p.tok.text
	switch {
	case p.tok.kind == wordToken && !reserved[key]:
		name, _, _ = strings.Cut(key, ".")
	case p.tok.kind == quotedToken:
		quoted, _ := strconv.QuotedPrefix(key[1:])
		name, _ = strconv.Unquote(quoted)
	default:
		p.unexpected("a name")
	}
	p.advance()
	return key, name
}

func (p *parser) declareVar() *Var {
	at := p.tok
	key, name := p.newName()
	if p.vars[key] != nil || p.buffers[key] != nil {
		p.fail(source.LoopName, at, "%s is declared twice; a second variable of the same name has a number, as in i.1", key)
	}
	v := &Var{Name: name}
	p.vars[key] = v
	return v
}

func (p *parser) buffer() *Buffer {
	b, ok := p.buffers[p.tok.text]
	if !ok || p.tok.kind != wordToken && p.tok.kind != quotedToken {
		p.fail(source.LoopName, p.tok, "%q is not the name of a buffer", p.tok.text)
	}
	p.advance()
	return b
}

func (p *parser) dtype() tensor.DType {
	d, err := tensor.ParseDType(p.tok.text)
	if err != nil || p.tok.kind != wordToken {
		p.unexpected("an element type")
	}
	p.advance()
	return d
}

// typ reads float32 or float32x16.
func (p *parser) typ() Type {
	elem, lanes, isVector := p.tok.text, 1, false
	if at := strings.LastIndexByte(elem, 'x'); at > 0 {
		if n, err := strconv.Atoi(elem[at+1:]); err == nil && n >= 1 && n <= 1<<16 {
			elem, lanes, isVector = elem[:at], n, true
		}
	}
	d, err := tensor.ParseDType(elem)
	if err != nil || p.tok.kind != wordToken || isVector && lanes == 1 {
		p.unexpected("a type")
	}
	p.advance()
	return Type{d, lanes}
}

func (p *parser) program() *Func {
	p.expect("kernel")
	f := &Func{Name: p.quoted()}
	p.expect("workspace")
	if p.tok.kind == stringToken {
		at := p.tok
		size, err := affine.Parse(p.quoted())
		if err != nil {
			p.fail(source.LoopSyntax, at, "the size of the workspace: %v", err)
		}
		f.DynamicWorkspace = &size
	} else {
		f.Workspace = p.integer()
	}
	p.expect("{")
	for p.accept("var") {
		v := p.declareVar()
		v.Type = p.typ()
	}
	for p.accept("buffer") {
		f.Buffers = append(f.Buffers, p.declaration())
	}
	if p.accept("params") {
		f.Params = append(f.Params, p.param())
		for p.accept(",") {
			f.Params = append(f.Params, p.param())
		}
	}
	for p.accept("site") {
		f.Sites = append(f.Sites, p.site())
	}
	for p.accept("require") {
		f.Requires = append(f.Requires, p.expr())
	}
	f.Body = p.block()
	return f
}

func (p *parser) declaration() *Buffer {
	at := p.tok
	key, name := p.newName()
	if p.vars[key] != nil || p.buffers[key] != nil {
		p.fail(source.LoopName, at, "%s is declared twice", key)
	}
	b := &Buffer{Name: name, Type: p.typ()}
	p.expect("[")
	if p.accept("=") {
		b.LengthExpr = p.expr()
	} else {
		b.Length = p.integer()
	}
	p.expect("]")
	b.Region = p.region()
	if p.accept("low") {
		b.Low = p.integer()
	}
	if p.accept("at") {
		if p.accept("=") {
			b.OffsetExpr = p.expr()
		} else {
			b.Offset = p.integer()
		}
	}
	b.ReadOnly = p.accept("readonly")
	p.buffers[key] = b
	return b
}

func (p *parser) region() Region {
	for r, name := range regionNames {
		if p.accept(name) {
			return Region(r)
		}
	}
	p.unexpected("a region: " + strings.Join(regionNames[:], ", "))
	return 0
}

func (p *parser) param() *Param {
	param := &Param{}
	if v, ok := p.vars[p.tok.text]; ok && (p.tok.kind == wordToken || p.tok.kind == quotedToken) {
		param.Var = v
		p.advance()
	} else {
		param.Buffer = p.buffer()
	}
	if p.tok.kind == stringToken {
		param.Origin = p.quoted()
	}
	param.NonNegative = p.accept("nonnegative")
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
	defer p.deeper()()
	var body []Stmt
	for !p.accept("}") {
		body = append(body, p.stmt())
	}
	return body
}

func (p *parser) stmt() Stmt {
	for kind, name := range kindNames {
		if p.accept(name) {
			return p.loop(LoopKind(kind))
		}
	}
	switch {
	case p.accept("if"):
		return p.conditional()
	case p.accept("let"):
		s := &Let{Var: p.declareVar()}
		s.Var.Type = p.typ()
		p.expect("=")
		s.Value = p.expr()
		return s
	case p.accept("alloc"):
		s := &Alloc{Buffer: p.buffer()}
		p.expect("{")
		s.Body = p.block()
		return s
	case p.accept("turn"):
		p.expect("{")
		return &Turn{Body: p.block()}
	case p.accept("store"):
		return p.store()
	case p.accept("endrow"):
		s := &EndRow{Buffer: p.buffer()}
		p.expect("[")
		s.Index = p.expr()
		p.expect(";")
		p.expect("row")
		s.Rest, s.Behind, s.Slot = p.rest()
		p.expect("]")
		return s
	case p.accept("transpose"):
		return p.transpose()
	case p.accept("multiply"):
		return p.multiply()
	case p.accept("prefetch"):
		s := &Prefetch{Buffer: p.buffer()}
		p.expect("[")
		s.Index = p.expr()
		for next := p.accept(";"); next; next = p.accept(",") {
			switch {
			case p.accept("write"):
				s.Write = true
			case p.accept("second"):
				s.Second = true
			default:
				p.expect("ahead")
				s.Ahead = p.integer()
			}
		}
		p.expect("]")
		return s
	case p.accept("check"):
		s := &Check{Cond: p.expr()}
		p.expect(",")
		s.Site = int(p.integer())
		p.expect(",")
		s.Value = p.expr()
		return s
	case p.accept("comment"):
		return &Comment{Text: p.quoted()}
	}
	p.unexpected("a statement or a closing brace")
	return nil
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
	if p.accept("next") {
		s.Next = p.declareVar()
		s.Next.Type = Scalar(tensor.Int64)
	}
	p.expect("{")
	s.Body = p.block()
	return s
}

func (p *parser) conditional() *If {
	s := &If{Cond: p.expr()}
	p.expect("{")
	s.Then = p.block()
	if p.accept("else") {
		p.expect("{")
		s.Else = p.block()
	}
	return s
}

func (p *parser) store() *Store {
	s := &Store{Buffer: p.buffer()}
	p.expect("[")
	s.Index = p.expr()
	for p.accept(";") {
		if p.accept("stream") {
			s.Stream = true
			continue
		}
		if p.accept("row") {
			s.Row = &Row{}
			s.Row.Rest, s.Row.Behind, s.Row.Slot = p.rest()
			p.expect(",")
			s.Row.First = p.expr()
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

func (p *parser) transpose() *Transpose {
	s := &Transpose{}
	s.Dst, s.At, s.Stride = p.rows()
	if p.accept(";") {
		p.expect("stream")
		s.Stream = true
	}
	p.expect("]")
	p.expect("=")
	s.Src, s.SrcAt, s.SrcStride = p.rows()
	if p.accept(";") {
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
