package estimate_test

import (
	"strings"
	"testing"
)

// TestPartial: what keeping partial results takes and saves.
func TestPartial(t *testing.T) {
	const sum = `func sum { in x: float32[8192] out s: float32[1] for o in 0:1, k in 0:8192 reduce + { s[o] = x[k] } }`
	chain := func(mark string) string {
		return "domain S0[o, k]\nband S0.o\n  accumulate S0 register\n    band S0.k tile 8 | S0.k unroll" + mark
	}
	together, apart := of(t, sum, chain(""), 1), of(t, sum, chain(" partial 1"), 1)
	if text := together.String(); !strings.Contains(text, "limited by waiting for sums") {
		t.Errorf("terms do not wait for each other:\n%s", text)
	}
	if text := apart.String(); apart.Seconds > together.Seconds/2 || strings.Contains(text, "limited by waiting for sums") {
		t.Errorf("eight sums side by side take %g, one sum %g:\n%s", apart.Seconds, together.Seconds, text)
	}
	if together.Parts[0].Accumulators != 1 || apart.Parts[0].Accumulators != 8 {
		t.Errorf("%g and %g accumulators, want 1 and 8", together.Parts[0].Accumulators, apart.Parts[0].Accumulators)
	}
	const array = "domain S0[o, k]\nband S0.o\n  accumulate S0 private\n    band S0.k tile 64 | S0.k"
	if one, many := of(t, sum, array, 1), of(t, sum, array+" partial 1", 1); many.Seconds > 0.6*one.Seconds {
		t.Errorf("64 sums side by side in an array take %g, one sum %g:\n%s", many.Seconds, one.Seconds, many)
	}
	// In an array each copy is set, and combined in the end.
	const rows = `func rows { in A: float32[1024, 512] out y: float32[1024] for i in 0:1024, k in 0:512 reduce + { y[i] = A[i, k] } }`
	last := 0.0
	for _, band := range []string{"S0.k tile 64 | S0.k", "S0.k tile 64 partial 1 | S0.k", "S0.k tile 64 | S0.k partial 1"} {
		r := of(t, rows, "domain S0[i, k]\naccumulate S0 private\n  band "+band+" | S0.i vector 16", 1)
		if r.Seconds <= last {
			t.Errorf("%s takes %g, with fewer copies it takes %g\n%s", band, r.Seconds, last, r)
		}
		last = r.Seconds
	}
}
