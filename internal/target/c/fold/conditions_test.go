package fold

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestConditions(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"no conditions", "a\nb", "a\nb"},
		{"always", "a\n#if 16 == 16\nb\n#else\nc\n#endif\nd", "a\nb\nd"},
		{"never", "a\n#if 64 / 16 == 8\nb\n#else\nc\n#endif\nd", "a\nc\nd"},
		{"never, and nothing else", "a\n#if 0\nb\n#endif\nd", "a\nd"},
		{"unknown", "#if defined(A) && X >= 3\nb\n#endif", "#if defined(A) && X >= 3\nb\n#endif"},
		{"as it was written", "#if  defined( A )\nb\n#endif", "#if  defined( A )\nb\n#endif"},
		{"what is left", "#if (64 == 16 || 64 == 64) && defined(A)\nb\n#endif", "#if defined(A)\nb\n#endif"},
		{"a branch less", "#if defined(A)\na\n#elif 1 == 2 && defined(B)\nb\n#elif defined(C)\nc\n#else\nd\n#endif",
			"#if defined(A)\na\n#elif defined(C)\nc\n#else\nd\n#endif"},
		{"the first branch less", "#if 0\na\n#elif defined(B)\nb\n#elif defined(C)\nc\n#endif", "#if defined(B)\nb\n#elif defined(C)\nc\n#endif"},
		{"a last branch", "#if defined(A)\na\n#elif 2 > 1\nb\n#elif defined(C)\nc\n#endif", "#if defined(A)\na\n#else\nb\n#endif"},
		{"nested", "#if 1\n#if 0\na\n#else\nb\n#endif\n#endif\nc", "b\nc"},
		{"inside of the same condition", "#if defined(A) || N >= 12\n#if defined(A) || N >= 12\na\n#else\nb\n#endif\n#else\n#if defined(A) || N >= 12\nc\n#else\nd\n#endif\n#endif",
			"#if defined(A) || N >= 12\na\n#else\nd\n#endif"},
		{"the opposite", "#if defined(A) || N >= 12\na\n#else\n#if 8 > 4 && !defined(A) && N < 12\nb\n#else\nc\n#endif\n#endif", "#if defined(A) || N >= 12\na\n#else\nb\n#endif"},
		{"both hold", "#if defined(A) && defined(B)\n#if defined(B) && defined(C)\na\n#endif\n#endif", "#if defined(A) && defined(B)\n#if defined(C)\na\n#endif\n#endif"},
		{"one does not hold", "#if defined(A) && defined(B)\n#else\n#if defined(A)\na\n#endif\n#endif", "#if defined(A) && defined(B)\n#else\n#if defined(A)\na\n#endif\n#endif"},
		{"not", "#if !defined(A)\n#if defined(A)\na\n#endif\nb\n#elif defined(A)\nc\n#endif", "#if !defined(A)\nb\n#else\nc\n#endif"},
		{"an empty last branch", "#if defined(A)\na\n#else\n#if 0\nb\n#endif\n#endif", "#if defined(A)\na\n#endif"},
		{"the choice of compilers", "#if (defined(C) ? M >= 12 : G >= 11) && 1\na\n#endif", "#if defined(C) ? M >= 12 : G >= 11\na\n#endif"},
		// left alone
		{"unknown directives", "#ifdef A\n#if 1\na\n#endif\n#endif", "#ifdef A\n#if 1\na\n#endif\n#endif"},
		{"other directives", "#pragma GCC unroll 4\n#define A\n#if 1\na\n#endif", "#pragma GCC unroll 4\n#define A\na"},
		{"not closed", "#if 1\na", "#if 1\na"},
		{"not opened", "a\n#endif\n#if 1\nb\n#endif", "a\n#endif\n#if 1\nb\n#endif"},
		{"no expression", "#if defined A\n#if 1\na\n#endif\n#endif", "#if defined A\n#if 1\na\n#endif\n#endif"},
	} {
		if got := Conditions(c.in); got != c.want {
			t.Errorf("%s:\n%s\nbecomes\n%s\ninstead of\n%s", c.name, c.in, got, c.want)
		}
	}
}

// TestRandomConditions: of random texts the same lines are left for all values of the names.
func TestRandomConditions(t *testing.T) {
	d := drawer{rand.New(rand.NewPCG(3, 9)), []string{"a", "b", "c"}}
	for range 500 {
		text := strings.Join(d.lines(4), "\n")
		left := Conditions(text)
		if again := Conditions(left); again != left {
			t.Fatalf("%s\nbecomes\n%s\nand that\n%s", text, left, again)
		}
		for range 20 {
			environment := map[string]int32{"a": int32(d.IntN(2)), "b": int32(d.IntN(3)), "c": int32(d.IntN(4) - 1)}
			if want, got := preprocessed(t, text, environment), preprocessed(t, left, environment); got != want {
				t.Fatalf("%s\nis %s for %v, and\n%s\nis %s", text, want, environment, left, got)
			}
		}
	}
}

// lines draws a text with conditions whose values are defined.
func (d drawer) lines(depth int) (list []string) {
	for n := range d.IntN(4) {
		if depth == 0 || d.IntN(2) == 0 {
			list = append(list, fmt.Sprint("line ", depth, n, d.IntN(1000)))
			continue
		}
		for branch := range 1 + d.IntN(3) {
			list = append(list, map[bool]string{true: "#if ", false: "#elif "}[branch == 0]+d.condition(3).String())
			list = append(list, d.lines(depth-1)...)
		}
		if d.IntN(2) == 0 {
			list = append(append(list, "#else"), d.lines(depth-1)...)
		}
		list = append(list, "#endif")
	}
	return list
}

func (d drawer) condition(depth int) *node {
	if depth > 0 && d.IntN(3) > 0 {
		if d.IntN(4) == 0 {
			return &node{kind: operation, op: "!", args: []*node{d.condition(depth - 1)}}
		}
		return &node{kind: operation, op: []string{"&&", "||"}[d.IntN(2)], args: []*node{d.condition(depth - 1), d.condition(depth - 1)}}
	}
	name := &node{kind: leaf, text: d.leaves[d.IntN(len(d.leaves))]}
	switch d.IntN(4) {
	case 0:
		return number(int64(d.IntN(3)))
	case 1:
		return name
	}
	return &node{kind: operation, op: []string{"==", "!=", "<", "<=", ">", ">="}[d.IntN(6)], args: []*node{name, number(int64(d.IntN(2)))}}
}

// preprocessed returns the lines that are left of a text.
func preprocessed(t *testing.T, text string, environment map[string]int32) string {
	type state struct{ live, taken, around bool }
	now, stack, left := state{live: true, taken: true, around: true}, []state{}, []string{}
	for _, line := range strings.Split(text, "\n") {
		directive, condition := cutDirective(line)
		switch directive {
		case "#if":
			stack = append(stack, now)
			now = state{around: now.live}
			fallthrough
		case "#elif":
			n, ok := parse(condition)
			if !ok {
				t.Fatalf("the condition %s", condition)
			}
			v, _ := n.evaluate(environment)
			now.live = now.around && !now.taken && v != 0
			now.taken = now.taken || v != 0
		case "#else":
			now.live, now.taken = now.around && !now.taken, true
		case "#endif":
			now, stack = stack[len(stack)-1], stack[:len(stack)-1]
		default:
			if now.live {
				left = append(left, line)
			}
		}
	}
	return strings.Join(left, "\n")
}
