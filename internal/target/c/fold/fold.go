// Package fold computes the constant parts of texts in C, so that what is printed for one type and one
// number of lanes reads as if it had been written for them.
package fold

import "math"

// How it works
//
// An expression is read with C's precedence into a tree (parse.go) whose leaves are numbers and everything
// else: names, calls, subscripts, members, numbers of other types than int. What follows from the numbers is
// computed, and the tree is printed with the parentheses that it needs (print.go). A text that is no such
// expression, one with a cast for instance, is left as it is.
//
// Numbers are those of int, in which preprocessor and compiler agree as long as nothing goes beyond it; what
// does is left to the compiler. Operands have no effects, and are left out where they do not count.
//
// Conditions of the preprocessor (conditions.go) are such expressions, too. Inside of a branch its condition
// holds, and those of the branches before it do not: these facts decide conditions that are nested in it.

// Expression returns an expression with its constant parts computed. It is for places where its type does not
// matter, such as subscripts and lists of initial values: 0 for 0 * n, whatever n is.
func Expression(text string) string {
	n, ok := parse(text)
	if !ok {
		return text
	}
	return n.simplified(nil, false).String()
}

// Value returns the number that an expression is; ok is false where it is no constant.
func Value(text string) (value int64, ok bool) {
	n, ok := parse(text)
	if !ok {
		return 0, false
	}
	n = n.simplified(nil, false)
	return n.value, n.isNumber()
}

// simplified returns an expression in which everything is computed that follows from the numbers in it. Of a
// condition only matters whether it is 0, and facts say that of some.
func (n *node) simplified(known facts, condition bool) *node {
	args := make([]*node, len(n.args))
	for i, a := range n.args {
		args[i] = a.simplified(known, n.op == "&&" || n.op == "||" || n.op == "!" || n.op == "?" && (i == 0 || condition))
	}
	s := (&node{kind: n.kind, op: n.op, text: n.text, value: n.value, args: args}).computed(condition)
	if condition && !s.isNumber() {
		if holds, ok := known.about(s); ok {
			return truth(holds)
		}
	}
	return s
}

// computed returns an operation whose operands are simplified.
func (n *node) computed(condition bool) *node {
	args := n.args
	switch {
	case n.kind != operation:
		return n
	case n.op == "?":
		if args[0].isNumber() {
			return args[map[bool]int{true: 1, false: 2}[args[0].value != 0]]
		}
		return n
	case n.op == "&&" || n.op == "||":
		return n.connected(condition)
	case len(args) == 1:
		if v, ok := unary(n.op, args[0].value); ok && args[0].isNumber() {
			return number(v)
		}
		return n
	}
	x, y := args[0], args[1]
	if x.isNumber() && y.isNumber() {
		if v, ok := binary(n.op, x.value, y.value); ok {
			return number(v)
		}
		return n
	}
	switch {
	case n.op == "*" && (x.is(0) || y.is(0)):
		return number(0)
	case n.op == "*" && x.is(1) || (n.op == "+" || n.op == "|") && x.is(0):
		return y.computed(condition)
	case (n.op == "*" || n.op == "/") && y.is(1) || (n.op == "+" || n.op == "-" || n.op == "|") && y.is(0):
		return x.computed(condition)
	}
	return n
}

// connected leaves out the operands of && and || that do not count.
func (n *node) connected(condition bool) *node {
	decides := n.op == "||" // whether an operand that holds is the result, or one that does not
	for i, a := range n.args {
		if !a.isNumber() {
			continue
		}
		if (a.value != 0) == decides {
			return truth(decides)
		}
		switch other := n.args[1-i]; {
		case other.isNumber():
			return truth(other.value != 0)
		case condition || other.isTruth():
			return other
		}
	}
	return n
}

// isTruth reports whether an expression is 0 or 1.
func (n *node) isTruth() bool {
	return n.kind == operation && (n.op == "!" || n.op == "&&" || n.op == "||" || levels[n.op] == levels["=="] || levels[n.op] == levels["<"])
}

func truth(holds bool) *node {
	if holds {
		return number(1)
	}
	return number(0)
}

func unary(op string, x int64) (value int64, ok bool) {
	switch op {
	case "-":
		return inRange(-x)
	case "+":
		return x, true
	case "~":
		return ^x, true
	}
	return truth(x == 0).value, true
}

// binary computes an operation, unless its result is undefined or no int.
func binary(op string, x, y int64) (value int64, ok bool) {
	switch op {
	case "+":
		return inRange(x + y)
	case "-":
		return inRange(x - y)
	case "*":
		return inRange(x * y)
	case "/", "%":
		if y == 0 || x == math.MinInt32 && y == -1 {
			return 0, false
		}
		if op == "/" {
			return x / y, true
		}
		return x % y, true
	case "<<", ">>":
		if x < 0 || y < 0 || y > 31 {
			return 0, false
		}
		if op == "<<" {
			return inRange(x << y)
		}
		return x >> y, true
	case "&":
		return x & y, true
	case "|":
		return x | y, true
	case "^":
		return x ^ y, true
	}
	holds := map[string]bool{"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "==": x == y, "!=": x != y}[op]
	return truth(holds).value, true
}

func inRange(v int64) (int64, bool) { return v, v >= math.MinInt32 && v <= math.MaxInt32 }
