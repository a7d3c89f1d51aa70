package affine

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestString(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"0", "0"},
		{"(H - KH)/2 + 1", "(H - KH)/2 + 1"},
		{"0 - x/2", "-(x/2)"},
		{"-x/2", "(-x)/2"},
		{"y - x/2", "y - x/2"},
		{"1 - x/2", "1 - x/2"},
		{"-KW + W - 1", "W - KW - 1"},
		{"-1 - x", "-x - 1"},
		{"3*(x/2)", "3*(x/2)"},
		{"5*x/(3*y)", "5*x/(3*y)"},
		{"(x/3)/2", "(x/3)/2"},
		{"x/(y/3)", "x/(y/3)"},
		{"(x%3)*(y/2)", "(x%3)*(y/2)"},
		{"min(x, y)/z", "min(x, y)/z"},
		{"x/(0 - 3)", "x/(-3)"},
		{"x%min(y, 2)", "x%min(2, y)"},
		{"0/y", "0"},
		{"7/y", "7/y"},
	} {
		e, err := Parse(test.text)
		if err != nil || e.String() != test.want {
			t.Errorf("%q prints as %s, %v, expected %s", test.text, e, err, test.want)
		}
	}
}

func TestInequality(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"H - KH", "H >= KH"},
		{"N - 1", "N >= 1"},
		{"N + 3", "N >= -3"},
		{"B - A - C + 1", "B >= A + C - 1"},
		{"5 - A - C", "A + C <= 5"},
		{"0 - A", "A <= 0"},
		{"(H - KH)/2 - 3", "(H - KH)/2 >= 3"},
		{"2*N - M*K", "2*N >= K*M"},
		{"0", "0 >= 0"},
		{"0 - 4", "-4 >= 0"},
	} {
		e, err := Parse(test.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Inequality(e); got != test.want {
			t.Errorf("%s >= 0 reads as %s, expected %s", test.text, got, test.want)
		}
	}
}

// The sides of an inequality differ by exactly the expression.
func TestInequalityMeansTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyExpr(t, 4)
		text := Inequality(e)
		left, right, less := strings.Cut(text, " <= ")
		if !less {
			left, right, _ = strings.Cut(text, " >= ")
		}
		l, err := Parse(left)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Parse(right)
		if err != nil {
			t.Fatal(err)
		}
		difference := l.Sub(r)
		if less {
			difference = r.Sub(l)
		}
		if !difference.Equal(e) {
			t.Fatalf("%s >= 0 reads as %s", e, text)
		}
	})
}
