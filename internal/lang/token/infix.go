package token

// An Infix reads operands with operators between them, by precedence climbing.
type Infix[E any] struct {
	// Levels has the operators and how tightly they bind, from 1 on. They associate to the left.
	Levels map[string]int
	// Apart is the level whose operators do not chain, 0 if all do, and Instead says what to write.
	Apart   int
	Instead string
	Operand func() E
	// Join makes an expression that begins at an offset.
	Join func(start int, operator *Token, x, y E) E
}

// Read reads operands and the operators between them that bind as tightly as a level, or more.
func (n *Infix[E]) Read(p *Parser, least int) E {
	start, outside := p.Peek().Start, p.height
	p.height = 0
	x := n.Operand()
	for last := 0; ; {
		t := p.Peek()
		level := n.Levels[t.Text]
		if level < max(least, 1) || t.Kind == Number {
			p.height = max(p.height, outside)
			return x
		}
		if level == last && level == n.Apart {
			p.Fail(n.Instead, "one comparison")
		}
		p.Take()
		left := p.height
		p.height = 0
		y := n.Read(p, level+1)
		p.height = max(p.height, left)
		p.Raise(t)
		x, last = n.Join(start, t, x, y), level
	}
}

// Raise counts the operator t around what was read.
func (p *Parser) Raise(t *Token) {
	if p.height++; p.height > p.Language.MaxHeight {
		p.tooDeep(t, "the expression has more than %d operators in a row", p.Language.MaxHeight)
	}
}
