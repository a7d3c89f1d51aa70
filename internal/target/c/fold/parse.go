package fold

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// A node is an expression.
type node struct {
	kind  kind
	op    string // of an operation; "?" is the conditional operator
	text  string // of a leaf that is no number; of a member, what follows the dot
	value int64  // of a number
	args  []*node
}

// A kind says what an expression is.
type kind uint8

const (
	leaf      kind = iota
	constant       // a number
	operation      // an operator and its operands
	call           // a function and its arguments
	subscript      // an array and its subscript
	member         // a structure; text is the member
)

func number(v int64) *node { return &node{kind: constant, value: v} }

func (n *node) isNumber() bool { return n.kind == constant }

func (n *node) is(v int64) bool { return n.kind == constant && n.value == v }

// levels says how tightly binary operators bind.
var levels = map[string]int{
	"||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "<": 8, "<=": 8, ">": 8, ">=": 8,
	"<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11,
}

const (
	levelAny         = 0
	levelConditional = 1
	levelOr          = 2 // the one that binds least of the binary operators
	levelUnary       = 12
	levelPrimary     = 13
)

// tokens are numbers (which may go on after the sign of an exponent), names, which in templates begin
// with $ and @, and operators.
var tokens = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(\.?[0-9](?:[eEpP][+-]|[0-9A-Za-z_.])*|[$@]?[A-Za-z_]\w*|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>!~&|^?:(),.\[\]])`)
})

var (
	namePattern    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[$@A-Za-z_]`) })
	operandPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[$@A-Za-z_0-9]|^\.[0-9]`) })
	numberPattern  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(0|[1-9][0-9]*)$`) }) // of int in decimal; what begins with 0 is octal
)

// A parser reads the tokens of a text, and none any more where it has failed.
type parser struct {
	rest   string
	token  string // the present one; empty at the end
	failed bool
}

// parse reads an expression; ok is false where the text is none, or has what is not known here.
func parse(text string) (n *node, ok bool) {
	p := &parser{rest: text}
	p.next()
	n = p.conditional()
	return n, !p.failed && p.token == ""
}

func (p *parser) fail() { p.token, p.rest, p.failed = "", "", true }

func (p *parser) next() {
	m := tokens().FindStringSubmatch(p.rest)
	switch {
	case m != nil:
		p.token, p.rest = m[1], p.rest[len(m[0]):]
	case strings.TrimSpace(p.rest) == "":
		p.token, p.rest = "", ""
	default:
		p.fail()
	}
}

func (p *parser) accept(token string) bool {
	if p.token != token {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(token string) {
	if !p.accept(token) {
		p.fail()
	}
}

func (p *parser) conditional() *node {
	n := p.binary(levelOr)
	if !p.accept("?") {
		return n
	}
	yes := p.conditional()
	p.expect(":")
	return &node{kind: operation, op: "?", args: []*node{n, yes, p.conditional()}}
}

// binary reads operations of a level or higher ones.
func (p *parser) binary(least int) *node {
	n := p.unary()
	for {
		op := p.token
		level, ok := levels[op]
		if !ok || level < least {
			return n
		}
		p.next()
		n = &node{kind: operation, op: op, args: []*node{n, p.binary(level + 1)}}
	}
}

func (p *parser) unary() *node {
	switch op := p.token; op {
	case "-", "+", "~", "!":
		p.next()
		return &node{kind: operation, op: op, args: []*node{p.unary()}}
	}
	return p.postfix()
}

func (p *parser) postfix() *node {
	n := p.primary()
	for {
		switch {
		case p.accept("["):
			n = &node{kind: subscript, args: []*node{n, p.conditional()}}
			p.expect("]")
		case p.accept("("):
			n = &node{kind: call, args: append([]*node{n}, p.arguments()...)}
		case p.accept("."):
			n = &node{kind: member, text: p.token, args: []*node{n}}
			p.name()
		default:
			return n
		}
	}
}

// arguments reads those of a call up to the closing parenthesis.
func (p *parser) arguments() (list []*node) {
	if p.accept(")") {
		return nil
	}
	for !p.failed {
		list = append(list, p.conditional())
		if p.accept(")") {
			return list
		}
		p.expect(",")
	}
	return nil
}

func (p *parser) name() {
	if !namePattern().MatchString(p.token) {
		p.fail()
	}
	p.next()
}

func (p *parser) primary() *node {
	text := p.token
	if p.accept("(") {
		n := p.conditional()
		if n.kind == leaf { // which may be a cast
			p.fail()
		}
		p.expect(")")
		return n
	}
	if !operandPattern().MatchString(text) {
		p.fail()
		return &node{}
	}
	p.next()
	if numberPattern().MatchString(text) {
		if v, err := strconv.ParseInt(text, 10, 64); err == nil && v <= math.MaxInt32 {
			return number(v)
		}
	}
	return &node{kind: leaf, text: text}
}
