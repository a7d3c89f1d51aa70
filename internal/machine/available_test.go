package machine

import (
	"math"
	"runtime"
	"testing"
)

func TestMemoryIn(t *testing.T) {
	cases := []struct {
		text string
		want int64
	}{
		{"MemTotal:       24000000 kB\nMemAvailable:   22000000 kB\nBuffers:           100 kB\n", 22000000 * 1024},
		{"MemTotal:       24000000 kB\n", math.MaxInt64},
		{"MemAvailable: many kB\n", math.MaxInt64},
		{"MemAvailable: 5 MB\n", math.MaxInt64},
		{"", math.MaxInt64},
	}
	for _, c := range cases {
		if got := memoryIn([]byte(c.text)); got != c.want {
			t.Errorf("%q: %d, want %d", c.text, got, c.want)
		}
	}
}

// TestAvailableMemory: Linux says how much there is, which is more than a test needs.
func TestAvailableMemory(t *testing.T) {
	if n := AvailableMemory(); runtime.GOOS == "linux" && n < 1<<20 {
		t.Errorf("%d bytes are available", n)
	}
}
