package tc

import (
	"regexp"
	"strings"
	"testing"
)

// TestSuggestedRanges applies the where clause that a help names: the program must
// then compile. The want is the clause, or "" where no range can help.
func TestSuggestedRanges(t *testing.T) {
	clause := regexp.MustCompile(`where (\w+ in .+)$`)
	for _, test := range []struct{ program, want string }{
		{"def f(float(N) A) -> (B) { B(i) +=! A(i+k) }", "k in 0:3"},
		{"def f(float(2) A) -> (B) { B(i) +=! A(i+k) }", "k in 0:2"},
		{"def f(float(N) A, float(K) W) -> (B) { B(i) +=! A(i+k) * W(0) }", "k in 0:K"},
		{"def f(float(B,C,H,W) I) -> (O) { O(b,c,i,j) max=! I(b,c,2*i+kw,2*j+kh) }", "kw in 0:3, kh in 0:3"},
		{"def f(float(B,C,H,W) I) -> (O) { O(b,c,i,j) max=! I(b,c,2*i+kw,2*j+kh) where kw in 0:2 }", "kh in 0:3"},
		{"def f(float(N) A) -> (B) { B(i,j) = A(10+i-j) + A(i+j) }", "i in 0:3"},
		{"def f(float(N) A) -> (B) { B(i,j) = A(i) }", "j in 0:N"},
		{"def f(float(N) A) -> (B) { B(i) = A(i*i) }", "i in 0:3"},
		{"def f(float(N) A) -> (B) { B(i) = A(i%3) }", "i in 0:N"},
		{"def f(float(N) A) -> (B) { B(i) = pad(A(i+1) + A(i-1), 0) }", "i in 0:N"},
		{"def f(float(M,N) A) -> (B) { B(i) = clamp(A(0, i+1)) }", "i in 0:N"},
		{"def f(float(N) A, int(M) J) -> (B) { B(i,j) = A(J(i)*j) }", "j in 0:N"},
		{"def f(float(N) A) -> (B) { B(i) = A(i)  B(i) = A(i+1) }", "i in 0:N - 1"},
		{"def f(float(N) A) -> (B) { B(i) = A(i)  B(i) = A(i-1) }", "i in 1:N"},
		{"def f(float(N) A) -> (B) { B(i) = A(i)  B(i) = A(i) where i in 0:N+1 }", "i in 0:N"},
		{"def f(float(5) A, float(9) C) -> (B) { B(i) = A(i)  B(i) = C(i) }", "i in 0:5"},
		{"def f(float(5) A, float(9) C) -> (B) { B(i) = A(i)  B(i) = C(i-7) }", ""},
		{"def f(float(N) A) -> (B) { B +=! A(i) where i in 8:4 }", "i in 8:4 or empty"},
	} {
		_, diags := compileText(t, test.program)
		if !diags.HasErrors() {
			t.Errorf("%s: no error", test.program)
			continue
		}
		help := diags.List[0].Help
		found := clause.FindStringSubmatch(help)
		if found == nil {
			if test.want != "" {
				t.Errorf("%s: the help %q has no range, want %s", test.program, help, test.want)
			}
			continue
		}
		if found[1] != test.want {
			t.Errorf("%s: suggests %s, want %s", test.program, found[1], test.want)
		}
		body := strings.TrimSuffix(test.program, " }")
		switch before, given, has := strings.Cut(body, " where "); {
		case has && strings.HasPrefix(given, found[1][:2]): // of the same index
			body = before + " where "
		case has:
			body += ", "
		default:
			body += " where "
		}
		if _, diags := compileText(t, body+found[1]+" }"); diags.HasErrors() {
			t.Errorf("%s: with where %s: %v", test.program, found[1], diags.Err())
		}
	}
}
