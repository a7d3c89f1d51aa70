package fold

import (
	"fmt"
	"strings"
)

// String prints an expression with the parentheses that it needs.
func (n *node) String() string { return n.at(levelAny) }

// at prints an expression as an operand that binds at least as tightly as a level.
func (n *node) at(level int) string {
	text, own := n.printed()
	if own < level {
		return "(" + text + ")"
	}
	return text
}

// printed returns the text of an expression and the level of its outermost operator.
func (n *node) printed() (text string, level int) {
	switch n.kind {
	case leaf:
		return n.text, levelPrimary
	case constant:
		if n.value < 0 {
			return fmt.Sprint(n.value), levelUnary
		}
		return fmt.Sprint(n.value), levelPrimary
	case call:
		return n.args[0].at(levelPrimary) + "(" + list(n.args[1:]) + ")", levelPrimary
	case subscript:
		return n.args[0].at(levelPrimary) + "[" + n.args[1].String() + "]", levelPrimary
	case member:
		return n.args[0].at(levelPrimary) + "." + n.text, levelPrimary
	}
	switch len(n.args) {
	case 1:
		operand := n.args[0].at(levelUnary)
		if strings.HasPrefix(operand, n.op) { // two signs are another operator
			operand = "(" + operand + ")"
		}
		return n.op + operand, levelUnary
	case 2:
		own := levels[n.op]
		return n.args[0].at(own) + " " + n.op + " " + n.args[1].at(own+1), own
	}
	return n.args[0].at(levelOr) + " ? " + n.args[1].String() + " : " + n.args[2].at(levelConditional), levelConditional
}

func list(args []*node) string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.String()
	}
	return strings.Join(texts, ", ")
}
