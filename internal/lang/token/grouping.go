package token

import "fmt"

// A Grouping is two operators side by side without parentheses, one of them on bits: x Inner y Outer z, or with the inner one
// on the right, x Outer y Inner z. Every notation of Ricci groups them as Go does.
type Grouping struct {
	Outer, Inner string
	OnLeft       bool // the inner operator is in the left operand
	Operands     [3]string
}

// foreignLevels are the levels of arithmetic and of operators on bits in C, and in Python.
var foreignLevels = map[string]int{"|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6}

// IsMisread reports whether C and Python group the operators otherwise.
func (g Grouping) IsMisread() bool {
	outer, inner := foreignLevels[g.Outer], foreignLevels[g.Inner]
	if outer == 0 || inner == 0 {
		return false
	}
	return inner < outer || inner == outer && !g.OnLeft
}

// Texts returns how the operators are grouped here, and how elsewhere.
func (g Grouping) Texts() (here, there string) {
	x, y, z := g.Operands[0], g.Operands[1], g.Operands[2]
	first, second := g.Inner, g.Outer
	if !g.OnLeft {
		first, second = g.Outer, g.Inner
	}
	left, right := fmt.Sprintf("(%s %s %s) %s %s", x, first, y, second, z), fmt.Sprintf("%s %s (%s %s %s)", x, first, y, second, z)
	if g.OnLeft {
		return left, right
	}
	return right, left
}
