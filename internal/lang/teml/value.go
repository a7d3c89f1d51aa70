package teml

import (
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/source"
)

// value is what an expression of the meta-language denotes; the implementers are
// listed here.
type value interface {
	kind() string // for people
	String() string
}

type (
	// A number is a whole number, or an expression over names that nobody defined: sizes
	// in the shape of a tensor, iterators in a list of iterators.
	number struct{ affine.Expr }
	// A literal is a constant of the generated program.
	literal float64
	truth   bool
	list    []value
	// empty is the paper's ε.
	empty struct{}
	arrow struct{ from, to value }
	// broken is the value of a statement that had errors, which were reported.
	broken struct{ causes *source.Diagnostics }
)

func (number) kind() string  { return "a number" }
func (literal) kind() string { return "a literal" }
func (truth) kind() string   { return "a truth value" }
func (list) kind() string    { return "a list" }
func (empty) kind() string   { return "nothing (ε)" }
func (arrow) kind() string   { return "an arrow" }
func (broken) kind() string  { return "the value of a statement with an error" }
func (*Tree) kind() string   { return "a tensor expression" }

func (v literal) String() string {
	text := strconv.FormatFloat(float64(v), 'g', -1, 64)
	if !strings.ContainsAny(text, ".en") {
		text += ".0"
	}
	return text
}
func (v truth) String() string { return strconv.FormatBool(bool(v)) }
func (v list) String() string {
	parts := make([]string, len(v))
	for n, item := range v {
		parts[n] = item.String()
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
func (empty) String() string   { return "ε" }
func (v arrow) String() string { return v.from.String() + " → " + v.to.String() }
func (broken) String() string  { return "?" }

// parts counts the entries of a value, those of entries too, to a little more than
// maxParts: shared ones count each time.
func parts(v value) int {
	n := 1
	switch v := v.(type) {
	case list:
		for _, item := range v {
			if n += parts(item); n > maxParts {
				break
			}
		}
	case arrow:
		n += parts(v.from) + parts(v.to)
	case *Tree:
		n += v.parts()
	}
	return n
}

// parts counts the nodes of a tree in the same way.
func (t *Tree) parts() int {
	n := 1
	for _, c := range t.children {
		if n += c.parts(); n > maxParts {
			break
		}
	}
	return n
}

// limit refuses a value of so many parts.
func (in *interpreter) limit(parts int, pos source.Span) {
	if parts > maxParts {
		in.fail(source.CodeTeMLDepth, pos, "the value has more than %d parts", maxParts).
			help("does every recursion come to an end? A tensor that is stored, by eq or op, counts as one part")
	}
}

// equal reports whether two values are the same; sizes and iterators are the same
// when their expressions are.
func equal(x, y value) bool {
	switch x := x.(type) {
	case number:
		y, ok := y.(number)
		return ok && x.Equal(y.Expr)
	case list:
		y, ok := y.(list)
		if !ok || len(x) != len(y) {
			return false
		}
		for n := range x {
			if !equal(x[n], y[n]) {
				return false
			}
		}
		return true
	case arrow:
		y, ok := y.(arrow)
		return ok && equal(x.from, y.from) && equal(x.to, y.to)
	}
	return x == y
}
