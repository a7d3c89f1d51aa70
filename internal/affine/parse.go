package affine

import (
	"fmt"
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Parse reads an expression in the syntax of String: sums, products, floor
// division and modulo of numbers and words, min(e, f), max(e, f), parentheses.
// A word is made of letters, digits, '_', '.' and '$', begins with none of the
// last two, and is not a number.
func Parse(text string) (Expr, error) {
	e, length, err := ParsePrefix(text)
	if err != nil {
		return Expr{}, err
	}
	p := parser{text: text, pos: length}
	if p.skip(); p.pos < len(text) {
		return Expr{}, p.errorf("expected the end of the size expression")
	}
	return e, nil
}

// A SyntaxError says what is wrong in the text of an expression.
type SyntaxError struct {
	Message string
	At      int // the byte, blanks before it included
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s at byte %d of the size expression", e.Message, e.At)
}

// ParsePrefix reads the longest expression that text begins with and returns
// the number of bytes that it takes.
func ParsePrefix(text string) (e Expr, length int, err error) {
	p := parser{text: text}
	e, err = p.sum()
	return e, p.end, err
}

// IsWord reports whether Parse reads the text as a symbol.
func IsWord(text string) bool {
	n := wordLength(text)
	return n > 0 && n == len(text) && !isNumber(text)
}

// The limits keep hostile text from exhausting the machine: expressions are
// multiplied out.
const (
	maxDepth = 200
	maxTerms = 1024
)

type parser struct {
	text  string
	pos   int // of the next byte
	end   int // of the last accepted token
	depth int
}

func (p *parser) errorf(format string, args ...any) error {
	return &SyntaxError{Message: fmt.Sprintf(format, args...), At: p.pos}
}

func (p *parser) skip() {
	for p.pos < len(p.text) && (p.text[p.pos] == ' ' || p.text[p.pos] == '\t' || p.text[p.pos] == '\n' || p.text[p.pos] == '\r') {
		p.pos++
	}
}

// accept consumes one of the characters and returns it, or 0.
func (p *parser) accept(characters string) byte {
	p.skip()
	if p.pos < len(p.text) {
		for i := range len(characters) {
			if p.text[p.pos] == characters[i] {
				p.pos++
				p.end = p.pos
				return characters[i]
			}
		}
	}
	return 0
}

func (p *parser) sum() (Expr, error) {
	if p.depth++; p.depth > maxDepth {
		return Expr{}, p.errorf("too many nested parentheses")
	}
	defer func() { p.depth-- }()
	sum, sign := Expr{}, byte('+')
	for {
		e, err := p.product(sign == '-')
		if err != nil {
			return Expr{}, err
		}
		if sum = sum.Add(e); len(sum.terms) > maxTerms {
			return Expr{}, p.errorf("more than %d terms", maxTerms)
		}
		if sign = p.accept("+-"); sign == 0 {
			return sum, nil
		}
	}
}

// product reads factors and negates the result when a minus precedes. The sign
// goes into the first factor, because the magnitude of the least int64 is no
// int64, unless a division rounds.
func (p *parser) product(negative bool) (Expr, error) {
	product, err := p.factor(negative)
	flip := int64(1)
	for err == nil {
		op := p.accept("*/%")
		if op == 0 {
			break
		}
		if op != '*' && negative {
			negative, flip = false, -1
			product = product.Scale(-1)
		}
		var e Expr
		if e, err = p.factor(false); err != nil {
			break
		}
		switch {
		case op == '/':
			product = Div(product, e)
		case op == '%':
			product = Rem(product, e)
		case len(product.terms)*len(e.terms) > maxTerms:
			return Expr{}, p.errorf("more than %d terms", maxTerms)
		default:
			product = product.Mul(e)
		}
	}
	return product.Scale(flip), err
}

// factor reads a factor, negated when a minus precedes.
func (p *parser) factor(negative bool) (Expr, error) {
	sign := int64(1)
	if negative {
		sign = -1
	}
	switch {
	case p.accept("(") != 0:
		e, err := p.sum()
		if err == nil && p.accept(")") == 0 {
			err = p.errorf("expected )")
		}
		return e.Scale(sign), err
	case p.accept("-") != 0:
		if p.depth++; p.depth > maxDepth {
			return Expr{}, p.errorf("too many signs")
		}
		e, err := p.factor(!negative)
		p.depth--
		return e, err
	}
	p.skip()
	n := wordLength(p.text[p.pos:])
	if n == 0 {
		return Expr{}, p.errorf("expected a number, a size or (")
	}
	word := p.text[p.pos : p.pos+n]
	p.pos += n
	p.end = p.pos
	if isNumber(word) {
		v, err := strconv.ParseUint(word, 10, 64)
		if err != nil || v > math.MaxInt64+1 || v == math.MaxInt64+1 && !negative {
			return Expr{}, p.errorf("the number %s does not fit in 64 bits", word)
		}
		return Const(int64(v) * sign), nil
	}
	if word == "min" || word == "max" {
		if p.accept("(") != 0 {
			e, err := p.extreme(Op(word))
			return e.Scale(sign), err
		}
	}
	return Symbol(word).Scale(sign), nil
}

func (p *parser) extreme(op Op) (Expr, error) {
	x, err := p.sum()
	if err != nil {
		return Expr{}, err
	}
	if p.accept(",") == 0 {
		return Expr{}, p.errorf("expected the second argument of %s", op)
	}
	y, err := p.sum()
	if err != nil {
		return Expr{}, err
	}
	if p.accept(")") == 0 {
		return Expr{}, p.errorf("expected ) after the arguments of %s", op)
	}
	return Apply(op, x, y), nil
}

func wordLength(text string) int {
	for i, r := range text {
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
		case i > 0 && (r == '.' || r == '$'):
		default:
			return i
		}
	}
	return len(text)
}

// isNumber reports whether a word is made of ASCII digits only.
func isNumber(word string) bool {
	for _, r := range word {
		if r >= utf8.RuneSelf || r < '0' || r > '9' {
			return false
		}
	}
	return true
}
