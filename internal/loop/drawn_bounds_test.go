package loop_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// A boundsDrawer writes loops with subscripts of every form that the verifier knows.
type boundsDrawer struct {
	*rand.Rand
	vars []string
}

func (d *boundsDrawer) pick(list ...string) string { return list[d.IntN(len(list))] }

// leaf is a variable or a small number.
func (d *boundsDrawer) leaf() string {
	if d.IntN(3) == 0 {
		return fmt.Sprint(d.IntN(9) - 3)
	}
	return d.pick(d.vars...)
}

func (d *boundsDrawer) expression(depth int) string {
	if depth == 0 {
		return d.leaf()
	}
	x := func() string { return d.expression(depth - 1) }
	switch d.IntN(9) {
	case 0, 1:
		return "(" + x() + " + " + d.leaf() + ")"
	case 2:
		return "(" + x() + " - " + d.leaf() + ")"
	case 3:
		return fmt.Sprintf("(%s * %d)", x(), 2+d.IntN(3))
	case 4:
		return fmt.Sprintf("(%s / %d)", x(), 2+d.IntN(3))
	case 5:
		return fmt.Sprintf("(%s %% %d)", x(), 2+d.IntN(4))
	case 6:
		return d.pick("min", "max") + "(" + x() + ", " + d.leaf() + ")"
	case 7:
		return "select(" + d.condition(0) + ", " + x() + ", " + d.leaf() + ")"
	}
	return "(" + d.leaf() + " * " + d.leaf() + ")"
}

func (d *boundsDrawer) condition(depth int) string {
	if depth > 0 && d.IntN(2) == 0 {
		return "(" + d.condition(depth-1) + d.pick(" && ", " || ") + d.condition(depth-1) + ")"
	}
	return "(" + d.expression(1) + d.pick(" < ", " <= ", " > ", " >= ", " == ", " != ") + d.leaf() + ")"
}

// program draws loops around stores at @(subscript).
func (d *boundsDrawer) program() string {
	var b strings.Builder
	d.vars = []string{"N", "M"}
	b.WriteString("if N < 6 && M < 4 && M > -3 { ")
	open := 1
	if d.IntN(3) == 0 { // all is known
		d.vars = nil
	}
	for k := range 1 + d.IntN(3) {
		low, high := "0", fmt.Sprint(1+d.IntN(7))
		if len(d.vars) > 0 {
			switch d.IntN(5) {
			case 0:
				low, high = d.leaf(), d.expression(1)
			case 1:
				high = d.pick("min", "max") + "(" + d.leaf() + ", " + d.expression(1) + ")"
			case 2:
				high = d.pick(d.vars...)
			}
		}
		v := fmt.Sprintf("i%d", k)
		fmt.Fprintf(&b, "for %s = %s .. %s step %d { ", v, low, high, 1+d.IntN(3)/2*d.IntN(3))
		d.vars = append(d.vars, v)
		open++
	}
	if d.IntN(3) == 0 {
		fmt.Fprintf(&b, "let q int64 = %s ", d.expression(2))
		d.vars = append(d.vars, "q")
	}
	switch d.IntN(4) {
	case 0:
		fmt.Fprintf(&b, "store B[@(%s)] = int8(1) ", d.expression(2))
	case 1:
		fmt.Fprintf(&b, "if %s { store B[@(%s)] = int8(1) } ", d.condition(1), d.expression(2))
	case 2:
		fmt.Fprintf(&b, "if %s { store B[@(%s)] = int8(1) } else { store B[@(%s)] = int8(1) } ", d.condition(1), d.expression(1), d.expression(1))
	default:
		last := d.vars[len(d.vars)-1]
		fmt.Fprintf(&b, "store B[ramp(@(%s), %d, 4); mask ramp(%s, 1, 4) < broadcast(%d, 4)] = broadcast(int8(1), 4) ", d.expression(1), 1+d.IntN(3), last, 1+d.IntN(9))
	}
	return strings.ReplaceAll(b.String()+strings.Repeat("} ", open), "step 0 ", "step 1 ")
}

// touched runs a program, whose subscripts are moved, for some parameters and returns the least and the
// greatest element that it writes.
func touched(t *testing.T, program string) (least, greatest int, ok bool) {
	const length, middle = 1 << 12, 1 << 11
	f := parse(t, fmt.Sprintf("var N int64\nvar M int64\nbuffer B int8[%d] argument\nparams N \"size N\" nonnegative, M \"stride A 0\", B", length),
		strings.ReplaceAll(program, "@(", fmt.Sprintf("%d + (", middle)))
	bytes := make([]byte, length)
	for n := range int64(8) {
		for m := int64(-4); m < 6; m++ {
			if _, err := loop.Evaluate(f, []loop.Word{{Value: n}, {Value: m}, {Bytes: bytes}}); err != nil {
				return 0, 0, false // too far away
			}
		}
	}
	least, greatest = length, -length
	for k, b := range bytes {
		if b != 0 {
			least, greatest = min(least, k-middle), max(greatest, k-middle)
		}
	}
	return least, greatest, greatest >= least
}

// TestDrawnBounds runs drawn loops to learn which elements they write. With a buffer that has just
// these the verifier may accept them, and mostly does: how many is recorded. With one element less, or
// one step farther down, it must not.
func TestDrawnBounds(t *testing.T) {
	verdicts := ""
	for seed := range uint64(sweep.Draws(t, 400, 20000)) {
		d := &boundsDrawer{Rand: rand.New(rand.NewPCG(seed, 26))}
		program := d.program()
		least, greatest, ok := touched(t, program)
		if !ok {
			verdicts += " "
			continue
		}
		verify := func(length, from int) error {
			return loop.Verify(parse(t, fmt.Sprintf("var N int64\nvar M int64\nbuffer B int8[%d] argument\nparams N \"size N\" nonnegative, M \"stride A 0\", B", length),
				strings.ReplaceAll(program, "@(", fmt.Sprintf("%d + (", -from))))
		}
		length := greatest - least + 1
		if verify(length, least) == nil {
			verdicts += "v"
		} else {
			verdicts += "."
		}
		if verify(length-1, least) == nil {
			t.Errorf("seed %d: %d elements from %d on are written, and less are accepted:\n%s", seed, length, least, program)
		}
		if verify(length, least+1) == nil {
			t.Errorf("seed %d: elements from %d on are written, and later ones are accepted:\n%s", seed, least, program)
		}
	}
	if !sweep.Long(t) {
		var lines strings.Builder
		for len(verdicts) > 0 {
			n := min(100, len(verdicts))
			fmt.Fprintf(&lines, "|%s|\n", verdicts[:n])
			verdicts = verdicts[n:]
		}
		goldentest.Text(t, "testdata/drawn_bounds.txt", lines.String())
	}
}
