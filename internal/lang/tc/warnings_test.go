package tc

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
)

// TestWarningsOfDefs: a def has the warnings in its own text and in those that it calls, and no others.
func TestWarningsOfDefs(t *testing.T) {
	unit, diagnostics := Compile(source.NewFile("w.tc", `
def doubtful(float(N) x) -> (y) { y(i) += x(i) }
def plain(float(N) x) -> (y) { y(i) = x(i) }
def caller(int32(N) x) -> (z) { z = power(x) }
def power(int32(N) x) -> (y) {
  y(i) = x(i) ^ 2
}`), Options{})
	if err := diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"doubtful": "w.tc:2", "plain": "", "caller": "w.tc:6", "power": "w.tc:6"} {
		var places []string
		for _, w := range unit.Def(name).Warnings {
			places = append(places, w.Span.String())
		}
		if got := strings.Join(places, " "); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%s has the warnings %q, expected those at %q", name, got, want)
		}
	}
	if n := len(unit.Warnings()); n != 2 {
		t.Errorf("%d warnings in all", n)
	}
}
