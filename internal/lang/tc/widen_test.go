package tc

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// A wholeExpr is program text and what it means for whole numbers of any size.
type wholeExpr struct {
	text  string
	value func(a, b int64) int64
}

// drawWhole makes arithmetic of a(i) and b(i).
func drawWhole(r *rand.Rand, depth int) wholeExpr {
	if depth == 0 {
		n := int64(r.Intn(9))
		return []wholeExpr{
			{"a(i)", func(a, b int64) int64 { return a }},
			{"b(i)", func(a, b int64) int64 { return b }},
			{fmt.Sprint(n), func(a, b int64) int64 { return n }},
		}[r.Intn(3)]
	}
	x, y := drawWhole(r, r.Intn(depth)), drawWhole(r, depth-1)
	n := r.Intn(6)
	return []wholeExpr{
		{x.text + " + " + y.text, func(a, b int64) int64 { return x.value(a, b) + y.value(a, b) }},
		{x.text + " - (" + y.text + ")", func(a, b int64) int64 { return x.value(a, b) - y.value(a, b) }},
		{"(" + x.text + ")*(" + y.text + ")", func(a, b int64) int64 { return x.value(a, b) * y.value(a, b) }},
		{"(a(i) > b(i) ? " + x.text + " : " + y.text + ")", func(a, b int64) int64 {
			if a > b {
				return x.value(a, b)
			}
			return y.value(a, b)
		}},
		{"max(" + x.text + ", " + y.text + ")", func(a, b int64) int64 { return max(x.value(a, b), y.value(a, b)) }},
		{fmt.Sprintf("((%s) << %d)", y.text, n), func(a, b int64) int64 { return y.value(a, b) << n }},
	}[r.Intn(6)]
}

// TestWidenedMeaning follows the helps of E0230 in random arithmetic of few bits until none is left, the one about the most first: what is computed then is
// what whole numbers give.
func TestWidenedMeaning(t *testing.T) {
	followed := 0
	for n := range sweep.Draws(t, 300, 20000) {
		r := rand.New(rand.NewSource(int64(n)))
		e := drawWhole(r, 1+r.Intn(4))
		types := []string{"uint8", "int8", "uint16", "int16"}
		head := fmt.Sprintf("def f(%s(N) a, %s(N) b) -> (double(N) c) { c(i) = ", types[r.Intn(4)], types[r.Intn(4)])
		const tail = " where exists a(i), exists b(i) }"
		a, b := int64(r.Intn(128)), int64(r.Intn(128))
		program := head + e.text + tail
		mended, ok := followWiden(t, program)
		if !ok {
			continue
		}
		followed++
		got, err := evaluate(t, mended, map[string]string{"a": fmt.Sprintf("1: %d", a), "b": fmt.Sprintf("1: %d", b)})
		if want := fmt.Sprintf("1: %v", float64(e.value(a, b))); err != nil || formatArray(got["c"]) != want {
			t.Fatalf("draw %d\n%s\nmended: %s\na = %d, b = %d: %s, want %s (%v)", n, program, mended, a, b, formatArray(got["c"]), want, err)
		}
	}
	if followed < 50 {
		t.Errorf("only %d programs had helps to follow", followed)
	}
}

// followWiden does what the helps of E0230 write; ok is false where there are none, a rule only, or where the program is refused.
func followWiden(t *testing.T, program string) (mended string, ok bool) {
	t.Helper()
	for round := range 8 {
		_, diagnostics := compileText(t, program)
		if diagnostics.HasErrors() {
			if round > 0 {
				t.Fatalf("%s\n%v", program, diagnostics.Err())
			}
			return "", false
		}
		list := slices.DeleteFunc(slices.Clone(diagnostics.List), func(d *source.Diagnostic) bool { return d.Code != source.CodeSmallArithmetic })
		if len(list) == 0 {
			return program, round > 0
		}
		outer := slices.MaxFunc(list, func(x, y *source.Diagnostic) int { return x.Span.End - x.Span.Start - (y.Span.End - y.Span.Start) })
		text, found := strings.CutPrefix(outer.Help, "write ")
		if !found {
			return "", false
		}
		program = program[:outer.Span.Start] + text[:strings.Index(text, " for arithmetic")] + program[outer.Span.End:]
	}
	t.Errorf("helps without end: %s", program)
	return "", false
}
