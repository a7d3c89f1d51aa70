package pipelinetest

import (
	"fmt"
	"strings"
)

// DrawGuarded draws a program with accesses whose subscripts are any sums, quotients and remainders of
// indices, each under conditions that say, in one of many ways, that it is in bounds. What it says is enough,
// so that all of them should be accepted; stray draws conditions that are not, now and then.
func DrawGuarded(c *Choices, stray bool) string {
	g := &guarded{c: c, stray: stray}
	value := g.choice(c.Between(0, 2))
	op, index := "=", ""
	if c.OneIn(3) {
		op, index = Pick(c, "+=!", "max=!"), ", k in 0:"+Pick(c, "3", "M")
		g.indices = append(g.indices, "k")
		value = "(" + value + ")" + Pick(c, " + ", " * ") + "(" + g.choice(1, "k") + ")"
	}
	return fmt.Sprintf("def f(float(N) A, float(M) E) -> (B) {\n  B(i,j) %s %s\n    where i in 0:%s, j in 0:%s, exists E(0)%s%s\n}\n",
		op, value, Pick(c, "N", "N", "M", "N + 2"), Pick(c, "M", "N", "4"), index, strings.Join(g.lets, ""))
}

type guarded struct {
	c       *Choices
	stray   bool
	indices []string
	lets    []string
}

// subscript draws the text of an expression over the indices; one that is given stands in it.
func (g *guarded) subscript(with ...string) string {
	c := g.c
	if g.indices == nil {
		g.indices = []string{"i", "j"}
	}
	first, second := Pick(c, append(with, g.indices[:2]...)...), Pick(c, g.indices...)
	if len(with) > 0 {
		first = with[0]
	}
	switch c.Below(10) {
	case 0:
		return Pick(c, "2*", "3*") + first + Pick(c, " - 1", " + 1", " - "+second)
	case 1:
		return first + " + " + second + Pick(c, "", " - 1", " - 3")
	case 2:
		return first + " - " + second + Pick(c, "", " - 1", " + 1")
	case 3:
		return first + "/2" + Pick(c, " - 1", " + "+second, " + 1")
	case 4:
		return first + "%3" + Pick(c, " - 1", " + "+second)
	case 5:
		return "N" + Pick(c, " - 1 - ", " - 2 - ", " - 2*") + first
	case 6:
		return Pick(c, "min", "max") + "(" + first + " - 1, " + second + ")"
	}
	return first + Pick(c, " - 1", " + 1", " - 2", " + 2", "")
}

// choice draws nested conditionals.
func (g *guarded) choice(depth int, with ...string) string {
	c := g.c
	x := g.subscript(with...)
	value := g.read(x)
	if depth > 0 && c.OneIn(2) {
		value = "(" + value + Pick(c, " + ", " * ") + "(" + g.choice(depth-1) + "))"
	}
	other := Pick(c, "0", "1.5", "E(0)")
	if depth > 0 && c.OneIn(2) {
		other = "(" + g.choice(depth-1) + ")"
	}
	low, high := g.low(x), g.high(x, "N")
	if g.stray && c.OneIn(4) {
		low, high = Pick(c, low, high, "i > 0"), Pick(c, high, "j < 2")
	}
	if c.OneIn(6) { // the other branch
		low, high = g.not(low), g.not(high)
		return fmt.Sprintf("%s || %s ? %s : %s", low, high, other, value)
	}
	both := g.and(low, high)
	switch c.Below(7) {
	case 0:
		return fmt.Sprintf("%s ? (%s ? %s : %s) : %s", low, high, value, other, other)
	case 1:
		return fmt.Sprintf("%s ? %s : (%s ? %s : %s)", g.not(low), other, high, value, other)
	case 2:
		name := fmt.Sprintf("c%d", len(g.lets))
		g.lets = append(g.lets, fmt.Sprintf(", %s = %s", name, both))
		return fmt.Sprintf("%s ? %s : %s", name, value, other)
	case 3:
		return fmt.Sprintf("%s && %s > 0 ? %s : %s", both, g.read(x), value, other)
	case 4:
		return fmt.Sprintf("%s && E(0) < 2 ? %s : %s", both, value, other)
	}
	return fmt.Sprintf("%s ? %s : %s", both, value, other)
}

func (g *guarded) read(x string) string { return "A(" + x + ")" }

func (g *guarded) and(a, b string) string {
	return Pick(g.c, "("+a+" && "+b+")", "("+b+" && "+a+")", "("+a+" ? "+b+" : 0 == 1)", "!("+g.not(a)+" || "+g.not(b)+")", "("+a+" && ("+b+" || "+b+"))", "(("+a+" && "+b+") || ("+b+" && "+a+" && i > 2))")
}

func (g *guarded) not(a string) string { return "!(" + a + ")" }

// low says that an expression is not negative.
func (g *guarded) low(x string) string {
	return Pick(g.c, x+" >= 0", x+" > -1", "0 <= "+x, "!("+x+" < 0)", "min("+x+", 3) >= 0", "("+x+" == 0 || "+x+" > 0)", "2*("+x+") >= -1", "("+x+")/4 >= 0", "max(-("+x+"), -1) <= 0")
}

// high says that an expression is below an end.
func (g *guarded) high(x, end string) string {
	return Pick(g.c, x+" < "+end, x+" <= "+end+" - 1", end+" > "+x, "!("+x+" >= "+end+")", "max("+x+", 1 - "+end+") < "+end, "min("+end+" - 1 - ("+x+"), 2) >= 0", end+" - ("+x+") != 0 && "+x+" <= "+end, "2*("+x+") + 1 < 2*"+end)
}
