package main

import "testing"

// TestCountOf: a part is never said to be the whole, nor with an exponent.
func TestCountOf(t *testing.T) {
	for _, test := range []struct {
		elements, of int
		want         string
	}{
		{7, 7, "7 elements"},
		{8192, 16384, "8192 drawn elements of 16384 (50%)"},
		{16320, 16384, "16320 drawn elements of 16384 (99%)"},
		{1, 4000, "1 drawn elements of 4000 (0.025%)"},
	} {
		if got := countOf(test.elements, test.of); got != test.want {
			t.Errorf("%d of %d: %s, expected %s", test.elements, test.of, got, test.want)
		}
	}
}
