package tensor

import (
	"strconv"
	"strings"
)

// A literal is a value of the dictionary: a string, a bool, or a tuple of
// integers; value is nil for everything else that Python can write there. text
// is how it is written.
type literal struct {
	value any
	text  string
}

// A literalParser reads the Python dictionary of an npy header.
type literalParser struct {
	text  string
	pos   int
	start int // of the dictionary in the file
}

// parseLiteral reads a dictionary of strings to literals.
func parseLiteral(text string, start int) (map[string]literal, error) {
	p := &literalParser{text: text, start: start}
	values := map[string]literal{}
	if !p.take('{') {
		return nil, p.fail("'{'")
	}
	for !p.take('}') {
		key, err := p.value()
		name, isString := key.value.(string)
		if err != nil || !isString {
			return nil, p.fail("a key in quotes")
		}
		if _, twice := values[name]; twice {
			return nil, p.fail("one " + strconv.Quote(name))
		}
		if !p.take(':') {
			return nil, p.fail("':'")
		}
		if values[name], err = p.value(); err != nil {
			return nil, err
		}
		if !p.take(',') && p.peek() != '}' {
			return nil, p.fail("',' or '}'")
		}
	}
	if p.peek() != 0 || p.pos < len(p.text) {
		return nil, p.fail("the end of the header")
	}
	return values, nil
}

func (p *literalParser) fail(want string) error {
	return npyError(p.start+p.pos, "the header needs %s here", want)
}

// peek returns the next character that is not a space, or 0.
func (p *literalParser) peek() byte {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
	if p.pos == len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

func (p *literalParser) take(c byte) bool {
	if p.peek() != c || p.pos == len(p.text) {
		return false
	}
	p.pos++
	return true
}

func (p *literalParser) value() (literal, error) {
	c := p.peek()
	begin := p.pos
	var value any
	switch {
	case c == '\'' || c == '"':
		end := strings.IndexByte(p.text[p.pos+1:], c)
		if end < 0 {
			return literal{}, p.fail("a string that ends")
		}
		value = p.text[p.pos+1 : p.pos+1+end]
		p.pos += end + 2
	case strings.HasPrefix(p.text[p.pos:], "True"):
		p.pos, value = p.pos+len("True"), true
	case strings.HasPrefix(p.text[p.pos:], "False"):
		p.pos, value = p.pos+len("False"), false
	default:
		if tuple, ok := p.tuple(); ok {
			value = tuple
		} else if p.pos = begin; !p.skip() {
			return literal{}, p.fail("a value")
		}
	}
	return literal{value, p.text[begin:p.pos]}, nil
}

// tuple reads integers in parentheses. Python 2 wrote an L after long ones.
func (p *literalParser) tuple() ([]int, bool) {
	if !p.take('(') {
		return nil, false
	}
	list := []int{}
	for !p.take(')') {
		p.peek()
		begin := p.pos
		for p.pos < len(p.text) && strings.IndexByte("-0123456789", p.text[p.pos]) >= 0 {
			p.pos++
		}
		n, err := strconv.Atoi(p.text[begin:p.pos])
		if err != nil {
			return nil, false
		}
		list = append(list, n)
		p.take('L')
		if !p.take(',') && (p.peek() != ')' || len(list) == 1) {
			return nil, false
		}
	}
	return list, true
}

// skip passes over any other value: up to the next comma or closing bracket that
// is outside of brackets and quotes.
func (p *literalParser) skip() bool {
	begin, depth := p.pos, 0
	for ; p.pos < len(p.text); p.pos++ {
		switch c := p.text[p.pos]; {
		case c == '\'' || c == '"':
			end := strings.IndexByte(p.text[p.pos+1:], c)
			if end < 0 {
				return false
			}
			p.pos += end + 1
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case depth == 0 && strings.IndexByte(",)]}", c) >= 0:
			return p.pos > begin
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
	}
	return depth == 0 && p.pos > begin
}
