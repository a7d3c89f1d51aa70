package syntax

import "github.com/ricci-lang/ricci/internal/lang/token"

// block reads { … }.
func (p *parser) block(where string) *Block {
	b := &Block{}
	open := p.openBlock(where)
	p.Enter()
	defer p.Leave()
	p.level++
	for !p.Is("}") && p.Peek().Kind != token.End && !p.beginsNext() {
		p.guarded(func() {
			p.beginning()
			b.Stmts = append(b.Stmts, p.statement())
		})
	}
	p.level--
	p.closeBlock("behind the statements")
	b.Pos = p.From(open.Start)
	return b
}

// openBlock passes the brace before a block, which is indented like the statement if it begins a line.
func (p *parser) openBlock(where string) *token.Token {
	if p.Is("{") && p.Peek().Newline {
		p.beginning()
	}
	open := p.expect("{", where)
	open.Role = blockBrace
	return open
}

// closeBlock passes the brace at the end of a block.
func (p *parser) closeBlock(where string) {
	end := p.expect("}", where)
	end.Role = blockBrace
	p.out.levels[end.Start] = p.level
}

// statement reads a statement.
func (p *parser) statement() Stmt {
	t := p.Peek()
	switch t.Text {
	case "{":
		return p.block("")
	case "if":
		return p.ifStatement()
	case "foreach":
		return p.foreach()
	case "print":
		s := &Print{}
		p.Take()
		s.Args = p.args("behind the arguments of print")
		if len(s.Args) == 0 && p.grammar.version == V1 {
			p.Fail("", "an argument of print")
		}
		p.semicolon("behind print")
		s.Pos = p.From(t.Start)
		return s
	case "new":
		s := &New{}
		p.Take()
		s.Strand = p.Name("the name of the strand")
		s.Args = p.args("behind the arguments of the new strand")
		p.semicolon("behind new")
		s.Pos = p.From(t.Start)
		return s
	case "stabilize", "die", "continue":
		p.Take()
		p.semicolon("behind " + t.Text)
		return &Leave{Pos: p.From(t.Start), Word: t.Text}
	case "return":
		s := &Return{}
		p.Take()
		s.Value = p.expr()
		p.semicolon("behind the result")
		s.Pos = p.From(t.Start)
		return s
	}
	return p.assignOrDeclare()
}

// assignOrDeclare reads an assignment or a declaration.
func (p *parser) assignOrDeclare() Stmt {
	t, next := p.Peek(), p.Ahead(1)
	if t.Kind == token.Word && assignments[next.Text] && next.Kind == token.Sign {
		s := &Assign{Target: p.Name("a statement"), Op: p.sign(p.Take())}
		s.Value = p.expr()
		p.semicolon("behind the assignment")
		s.Pos = p.From(t.Start)
		return s
	}
	if !p.beginsType() || !p.Language.Reserved(t.Text) && !p.declaresStrand() {
		p.Fail(p.notStatement(), "a statement")
	}
	v := p.variable("behind the declaration")
	return &Declare{Pos: v.Pos, Variable: v}
}

// declaresStrand reports whether the name that is next is the type of a variable: another name follows it, or the
// brackets of sequences and then a name.
func (p *parser) declaresStrand() bool {
	k := 1
	for p.Ahead(k).Is(p.grammar.sequence[0]) {
		depth := 0
		for ; p.Ahead(k).Kind != token.End && !p.Ahead(k).Is(";"); k++ {
			if p.Ahead(k).Is(p.grammar.sequence[0]) {
				depth++
			} else if p.Ahead(k).Is(p.grammar.sequence[1]) {
				if depth--; depth == 0 {
					break
				}
			}
		}
		k++
	}
	return p.Ahead(k).Kind == token.Word
}

// notStatement says what is meant by tokens that begin no statement.
func (p *parser) notStatement() string {
	t, next := p.Peek(), p.Ahead(1)
	switch {
	case t.Is(";"):
		return "there is no empty statement, and no ; behind a block in a block"
	case t.Is("else"):
		return "else stands behind the statement of an if"
	case t.Is("output") || t.Is("input") || t.Is("const") || t.Is("function"):
		return t.Text + " is no statement: it declares something of the program or strand"
	case t.Kind != token.Word:
		return p.meant()
	case next.Is("+") && p.Ahead(2).Is("+"):
		return "write " + t.Text + " += 1;"
	case next.Is("-") && p.Ahead(2).Is("-"):
		return "write " + t.Text + " -= 1;"
	case otherStatements[t.Text] != "":
		return otherStatements[t.Text]
	case next.Is("=="):
		return "an assignment is written ="
	case next.Is("("):
		return "a call is a value: assign it, x = " + t.Text + "(…); or print it"
	case next.Is("[") || next.Is("{"):
		return "elements are not assigned: give the variable a new value, v = [v[0], 1.0];"
	case next.Is(".") && p.Ahead(3).Is("("):
		return "sequences have no methods: write " + t.Text + " = " + t.Text + " @ x;"
	case next.Is("."):
		return "what belongs to another strand is read only"
	}
	return "a statement is a declaration, an assignment, if, foreach, print, new, stabilize, die, continue, return or a block"
}

// ifStatement reads an if.
func (p *parser) ifStatement() Stmt {
	p.Enter()
	defer p.Leave()
	s := &If{}
	start := p.Take().Start
	p.expect("(", "before the condition")
	s.Cond = p.expr()
	p.expect(")", "behind the condition")
	s.Then = p.body()
	if p.Is("else") {
		p.beginning()
		p.Take()
		if p.Is("if") && !p.Peek().Newline {
			s.Else = p.ifStatement()
		} else {
			s.Else = p.body()
		}
	}
	s.Pos = p.From(start)
	return s
}

// body reads a statement that belongs to the one before it, and is indented if it is no block.
func (p *parser) body() Stmt {
	if p.Is("{") {
		return p.block("")
	}
	p.level++
	defer func() { p.level-- }()
	p.beginning()
	return p.statement()
}

// foreach reads a loop.
func (p *parser) foreach() Stmt {
	p.Enter()
	defer p.Leave()
	s := &Foreach{}
	start := p.Take().Start
	p.expect("(", "before the variable of the loop")
	s.Type = p.typeOf("the type of the variable")
	s.Iterator = p.iterator()
	p.expect(")", "behind the sequence")
	s.Body = p.grammar.foreach(p)
	s.Pos = p.From(start)
	return s
}

// iterator reads x in s.
func (p *parser) iterator() *Iterator {
	if p.Is("in") {
		p.Fail("the variable of a loop has a type: foreach (int i in 0..9)", "the name of the variable")
	}
	i := &Iterator{Name: p.Name("the name of the variable")}
	if !p.Is("in") {
		p.Fail("a variable takes the elements of a sequence: i in 0..9", "'in' and a sequence behind the variable")
	}
	p.Take()
	i.In = p.expr()
	i.Pos = p.From(i.Name.Pos.Start)
	return i
}

// iterators reads those of the creation of strands.
func (p *parser) iterators(one func() *Iterator) (list []*Iterator) {
	p.Commas(func() { list = append(list, one()) })
	return list
}
