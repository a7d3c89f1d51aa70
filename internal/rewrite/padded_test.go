package rewrite_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

// TestPadded compares reductions of padded operands with what they were: windows that are counted
// forwards and backwards, with steps, inside of the operand and beyond it, two operands, and
// reductions whose order matters.
func TestPadded(t *testing.T) {
	padded := 0
	rapid.Check(t, func(t *rapid.T) {
		text := drawPadded(t)
		f, err := ein.ParseFunc("test", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		g := rewrite.PadOperands(f)
		for _, x := range g.Tensors {
			if x.Role != ein.Temp {
				continue
			}
			if padded++; strings.Count(ein.Print(g), x.Name+"[") < 2 {
				t.Fatalf("nobody reads %s\n%s", x.Name, g)
			}
		}
		if g, err = rewrite.Optimise(f, numerics.Default); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		sameResults(t, f, g, args, nil)
	})
	if padded == 0 && !testing.Short() {
		t.Error("no operand was padded")
	}
}

// drawPadded draws a function of integers, so that only operators that say so may be reordered.
func drawPadded(t *rapid.T) string {
	pick := func(what string, list ...string) string { return rapid.SampledFrom(list).Draw(t, what) }
	number := func(low, high int, what string) int { return rapid.IntRange(low, high).Draw(t, what) }
	element := pick("type", "int32", "int32", "int64", "uint8", "float16")
	h, w, result, suffix := number(1, 9, "h"), number(1, 9, "w"), "int32", "i32"
	if element == "int64" {
		result, suffix = "int64", "i64"
	}
	operand := func(name string) string {
		y := fmt.Sprintf("%s%s%s + %di64", pick("y", "y", "2i64 * y"), pick("sign", " + ", " - "), pick("r", "r", "2i64 * r"), number(-3, 3, "shift"))
		x := fmt.Sprintf("x%s%s + %di64", pick("sign", " + ", " - "), pick("s", "s", "3i64 * s"), number(-3, 3, "shift"))
		read, other := fmt.Sprintf("%s[c, %s, %s]", name, y, x), pick("else", "0", "0", "1", "7")
		switch element {
		case "float16":
			read, other = "float32("+read+")", other+"f32"
		case "uint8":
			other += "u8"
		default:
			other += suffix
		}
		return fmt.Sprintf("%[1]s((%[2]s >= 0i64 && %[2]s < %[3]di64 && 0i64 <= %[4]s && %[4]s < %[5]di64 ? %[6]s : %[7]s))", result, y, h, x, w, read, other)
	}
	terms := operand("I")
	if number(0, 1, "operands") == 1 {
		terms += pick("join", " * ", " + ", " - ") + operand("J")
	}
	if number(0, 1, "filter") == 1 {
		terms += " * " + result + "(K[f, c, r, s])"
	}
	declared := map[string]string{"less": "(a - b)", "last": "(b) associative", "hash": "(a * 31" + suffix + " + b)"}
	op := pick("operator", "+", "max", "min", "less", "last", "hash")
	if law, own := declared[op]; own {
		declared[op] = fmt.Sprintf("op %s(a: %[2]s | b: %[2]s) = %[3]s", op, result, law)
	}
	return fmt.Sprintf(`func padded {
  in I: %[1]s[%[2]d, %[3]d, %[4]d]
  in J: %[1]s[%[2]d, %[3]d, %[4]d]
  in K: %[5]s[64, %[2]d, 3, 3]
  out O: %[5]s[64, %[6]d, %[7]d]
  %[8]s
  for f in 0:64, y in 0:%[6]d, x in 0:%[7]d, c in 0:%[2]d reduce %[9]s, r in 0:%[10]d reduce %[9]s, s in 0:%[11]d reduce %[9]s {
    O[f, y, x] = %[12]s
  }
}`, element, number(1, 3, "c"), h, w, result, number(1, 9, "oh"), number(1, 9, "ow"), declared[op], op, number(1, 3, "r"), number(1, 3, "s"), terms)
}
