package report

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestTicks: the numbers beside the axes are short and round.
func TestTicks(t *testing.T) {
	text := func(list []float64, write func(float64) string) string {
		words := make([]string, len(list))
		for i, v := range list {
			words[i] = write(v)
		}
		return strings.Join(words, " ")
	}
	plain := func(v float64) string { return fmt.Sprint(v) }
	if got := text(ticks(0, 0.74, 8), func(v float64) string { return fmt.Sprintf("%.6g", v) }); got != "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7" {
		t.Error(got)
	}
	if got := text(ticks(0, 8, 8), plain); got != "0 1 2 3 4 5 6 7 8" {
		t.Error(got)
	}
	// 2.6 to 3.8 µs: less than a third of a decade.
	if got := text(timeTicks(-5.585, -5.42), func(v float64) string { return tickText(math.Pow(10, v)) }); got != "3 µs 3.5 µs" {
		t.Error(got)
	}
}
