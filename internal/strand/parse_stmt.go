package strand

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

func (p *parser) block() Block {
	p.expect("{")
	var b Block
	for !p.is("}") {
		b = append(b, p.statement())
	}
	p.expect("}")
	return b
}

// statement reads a statement: one that begins with a name and = is an assignment.
func (p *parser) statement() Stmt {
	p.core.Enter()
	defer p.core.Leave()
	start := p.core.Peek().Start
	if read := reader(p.core.Peek().Text); read != nil && !p.core.Ahead(1).Is("=") {
		p.core.Take()
		return read(p, start)
	}
	to := p.Local("a statement or a part of a variable")
	p.expect("=")
	value := p.Expr()
	return &Assign{Pos: p.core.From(start), To: to, Value: value}
}

// reader returns the reader of what stands behind the first word of a statement, or nil.
func reader(word string) func(p *parser, start int) Stmt {
	exit := func(kind ExitKind) func(*parser, int) Stmt {
		return func(p *parser, start int) Stmt { return &Exit{Pos: p.core.From(start), Kind: kind} }
	}
	return map[string]func(p *parser, start int) Stmt{
		"if": (*parser).choice, "for": (*parser).forRange, "each": (*parser).forEach, "build": (*parser).build,
		"length": (*parser).length, "element": (*parser).element, "query": (*parser).query, "get": (*parser).get,
		"count": (*parser).count, "reduce": (*parser).reduce, "new": (*parser).creation, "all": (*parser).allExit,
		"print": (*parser).message, "sample": (*parser).sample, "eigen": (*parser).eigen,
		"continue": exit(Continue), "stabilize": exit(Stabilize), "die": exit(Die),
	}[word]
}

func (p *parser) choice(start int) Stmt {
	s := &If{Cond: p.Expr()}
	s.Then = p.block()
	if p.accept("else") {
		s.Else = p.block()
	}
	s.Pos = p.core.From(start)
	return s
}

func (p *parser) forRange(start int) Stmt {
	s := &ForRange{}
	s.Variable, s.Low, s.High = p.span()
	s.Pos = p.core.From(start)
	s.Body = p.block()
	return s
}

func (p *parser) forEach(start int) Stmt {
	s := &ForEach{Variable: p.named("a variable")}
	p.expect("in")
	s.Sequence = p.named("a sequence")
	s.Pos = p.core.From(start)
	s.Body = p.block()
	return s
}

func (p *parser) build(start int) Stmt {
	s := &Build{To: p.named("a sequence")}
	p.expect("(")
	p.core.List(")", "", func() {
		if !p.accept("[") {
			s.Items = append(s.Items, Item{Sequence: p.named("a sequence")})
			return
		}
		var parts []ein.Expr
		p.core.List("]", "", func() { parts = append(parts, p.Expr()) })
		s.Items = append(s.Items, Item{Parts: parts})
	})
	s.Pos = p.core.From(start)
	return s
}

func (p *parser) length(start int) Stmt {
	s := &Length{To: p.Local("a variable")}
	p.expect("of")
	s.Sequence = p.named("a sequence")
	s.Pos = p.core.From(start)
	return s
}

func (p *parser) element(start int) Stmt {
	s := &Element{To: p.named("a variable")}
	p.expect("of")
	s.Sequence = p.named("a sequence")
	p.expect("at")
	s.At = p.Expr()
	s.Pos = p.core.From(start)
	return s
}

func (p *parser) query(start int) Stmt {
	s := &Query{To: p.named("a sequence")}
	p.expect("radius")
	s.Radius = p.Expr()
	if p.accept("around") {
		s.Center = p.tuple()
	}
	s.Pos = p.core.From(start)
	return s
}

func (p *parser) get(start int) Stmt {
	s := &Get{To: p.named("a variable")}
	p.expect("of")
	s.Strand = p.named("a strand")
	p.expect("state")
	s.State = p.named("a state")
	s.Pos = p.core.From(start)
	return s
}

// word reads one of the words of a table, and returns its place.
func (p *parser) word(words []string) int {
	k := slices.Index(words, p.core.Peek().Text)
	if k < 0 {
		p.core.Fail("", "one of the words %v", words)
	}
	p.core.Take()
	return k
}

func (p *parser) count(start int) Stmt {
	s := &Count{To: p.Local("a variable")}
	p.expect("of")
	s.Set = Set(p.word(setNames[:]))
	s.Pos = p.core.From(start)
	return s
}

func (p *parser) reduce(start int) Stmt {
	s := &Reduce{To: p.Local("a variable")}
	p.expect("by")
	s.Fold = Fold(p.word(foldNames[:]))
	p.expect("over")
	s.Set = Set(p.word(setNames[:]))
	p.expect("as")
	s.Strand = p.named("a variable")
	s.Pos = p.core.From(start)
	s.Body = p.block()
	p.expect("value")
	s.Value = p.Expr()
	return s
}

func (p *parser) creation(start int) Stmt {
	s := &New{Arguments: p.tuple()}
	s.Pos = p.core.From(start)
	return s
}

func (p *parser) allExit(start int) Stmt {
	s := &AllExit{Kind: ExitKind(p.word(exitNames[:]))}
	s.Pos = p.core.From(start)
	return s
}

func (p *parser) message(start int) Stmt {
	s := &Message{}
	p.expect("(")
	p.core.List(")", "", func() {
		part := MessagePart{}
		if p.AtText() {
			part.Text = p.Text()
		} else {
			part.Variable = p.named("a variable")
		}
		s.Parts = append(s.Parts, part)
	})
	s.Pos = p.core.From(start)
	return s
}

func (p *parser) sample(start int) Stmt {
	at := p.core.Peek()
	s := &Sample{}
	name := p.Name("the name of an image")
	for _, i := range p.p.Images {
		if i.Name == name {
			s.Image = i
		}
	}
	s.Border = Border(p.word(borderNames[:]))
	if s.Border == Constant {
		s.Outside = p.locals("a component of what is outside")
	}
	kernel := p.Name("the name of a kernel")
	for _, k := range p.p.Kernels {
		if k.Name == kernel {
			s.Kernel = k
		}
	}
	if s.Image == nil || s.Kernel == nil {
		p.fail(at, "there is no image %s or no kernel %s", name, kernel)
	}
	p.expect("at")
	s.At = p.locals("a part of the position")
	if p.accept("of") {
		s.Field = p.Text()
	}
	s.Pos = p.core.From(start)
	p.expect("{")
	for !p.is("}") {
		c := Component{To: p.Local("a variable")}
		p.expect("=")
		c.Voxel, c.Orders = p.number("a component of the voxel"), p.shape()
		s.Wanted = append(s.Wanted, c)
	}
	p.expect("}")
	return s
}

func (p *parser) eigen(start int) Stmt {
	s := &Eigen{Dim: p.number("2 or 3"), Of: p.tuple()}
	if p.accept("values") {
		s.Values = p.locals("an eigenvalue")
	}
	if p.accept("vectors") {
		s.Vectors = p.locals("a part of an eigenvector")
	}
	s.Pos = p.core.From(start)
	return s
}

func (p *parser) locals(what string) []*ein.Local {
	p.expect("(")
	var list []*ein.Local
	p.core.List(")", "", func() { list = append(list, p.Local(what)) })
	return list
}
