package check

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// expr gives an expression its type. The type that is wanted, or nil, helps only what has no type of its own.
func (c *checker) expr(e syntax.Expr, want *typed.Type) typed.Expr {
	switch e := e.(type) {
	case *syntax.Ref:
		return c.ref(e)
	case *syntax.KernelAt:
		return c.kernelAt(e)
	case *syntax.Number:
		return c.number(e, want, false)
	case *syntax.String:
		return &typed.Literal{Node: typed.Node{Pos: e.Pos, T: &typed.Type{Kind: typed.String}}, Value: &typed.Value{Text: e.Value()}}
	case *syntax.Constant:
		return constantWord(e)
	case *syntax.Unary:
		return c.unary(e, want)
	case *syntax.Binary:
		return c.binary(e, want)
	case *syntax.Conditional:
		return c.conditional(e, want)
	case *syntax.Apply:
		return c.application(e, want)
	case *syntax.Index:
		return c.index(e)
	case *syntax.All:
		c.errorf(source.CodeDiderotShape, e.Pos, "a colon stands only among the indices of a tensor")
	case *syntax.Select:
		return c.selection(e)
	case *syntax.Reduce:
		return c.reduction(e)
	case *syntax.Sequence:
		return c.sequence(e, want)
	case *syntax.Comprehension:
		return c.comprehension(e)
	case *syntax.Tensor:
		return c.tensor(e)
	case *syntax.Norm:
		return c.apply("||", typed.Bars, e.Pos, e.Pos, []typed.Expr{c.expr(e.X, nil)})
	case *syntax.ToReal:
		return c.apply("real", typed.Named, e.Pos, e.Pos, []typed.Expr{c.expr(e.X, nil)})
	case *syntax.Load:
		return c.load(e, want)
	case *syntax.Identity:
		return c.identity(e)
	case *syntax.Zeros:
		if shape, ok := c.shape(e.Shape); ok {
			row := typed.Candidates("zeros", typed.Named)[0]
			return &typed.Apply{Node: typed.Node{Pos: e.Pos, T: typed.TensorOf(shape...)}, Row: row, Numbers: shape}
		}
	case *syntax.NaN:
		if e.Shape == nil {
			return realLiteral(e.Pos, math.NaN())
		}
		if shape, ok := c.shape(e.Shape); ok {
			return &typed.NaN{Node: typed.Node{Pos: e.Pos, T: typed.TensorOf(shape...)}}
		}
	}
	return nothing(e.Span())
}

func realLiteral(pos source.Span, v float64) *typed.Literal {
	return &typed.Literal{Node: typed.Node{Pos: pos, T: typed.Real()}, Value: &typed.Value{Real: v}}
}

func constantWord(e *syntax.Constant) typed.Expr {
	switch e.Name {
	case "inf":
		return realLiteral(e.Pos, math.Inf(1))
	case "π":
		return realLiteral(e.Pos, math.Pi)
	}
	return &typed.Literal{Node: typed.Node{Pos: e.Pos, T: &typed.Type{Kind: typed.Bool}}, Value: &typed.Value{Bool: e.Name == "true"}}
}

// number reads a literal. Behind a minus sign the least int may stand, and where a real is wanted also what no int can be.
func (c *checker) number(e *syntax.Number, want *typed.Type, negated bool) typed.Expr {
	if strings.ContainsAny(e.Text, ".eE") {
		return writtenReal(e)
	}
	bits := 32
	if c.options.LongInt {
		bits = 64
	}
	text := e.Text
	if negated {
		text = "-" + text
	}
	n, err := strconv.ParseInt(text, 10, bits)
	if err != nil && want != nil && want.IsReal() {
		return writtenReal(e)
	}
	if err != nil {
		c.errorf(source.CodeDiderotConstant, e.Pos, "%s is too large for an int of %d bits", e.Text, bits).WithHelp("%s", largeHelp(bits, e.Text))
		return nothing(e.Pos)
	}
	if negated {
		n = -n
	}
	return &typed.Literal{Node: typed.Node{Pos: e.Pos, T: &typed.Type{Kind: typed.Int}}, Value: &typed.Value{Int: n}}
}

func writtenReal(e *syntax.Number) *typed.Literal {
	l := realLiteral(e.Pos, 0)
	l.Value = realValue(e.Text)
	return l
}

func largeHelp(bits int, text string) string {
	if bits == 32 {
		return "write a real, " + text + ".0; with --long-int ints have 64 bits"
	}
	return "write a real, " + text + ".0"
}

// longestExact is how many digits, before or behind the point, a real that is kept exactly may have.
const longestExact = 400

func realValue(text string) *typed.Value {
	v := &typed.Value{}
	// An overflow gives infinity, which is what is nearest.
	v.Real, _ = strconv.ParseFloat(text, 64)
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	power, err := strconv.Atoi(strings.TrimPrefix("0"+strings.TrimPrefix(exponent, "+"), "0-"))
	if len(mantissa) <= longestExact && err == nil && power <= longestExact {
		v.Exact, _ = new(big.Rat).SetString(text)
	}
	return v
}
