package bench

import "testing"

func TestSecondsText(t *testing.T) {
	for seconds, want := range map[float64]string{3.2e-8: "32 ns", 4.5e-6: "4.50 µs", 0.0123: "12.300 ms", 2: "2.000 s"} {
		if got := SecondsText(seconds); got != want {
			t.Errorf("%v s reads as %s, expected %s", seconds, got, want)
		}
	}
}
