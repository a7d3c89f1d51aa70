package units_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/units"
)

// TestBytes has how numbers of bytes are written, and read.
func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1 kB", 1023: "1.02 kB", 1536: "1.54 kB", 999_499: "999 kB", 999_500: "1 MB", 1 << 20: "1.05 MB", 90e9: "90 GB", 7e15: "7e+03 TB",
	} {
		if got := units.Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, expected %q", n, got, want)
		}
	}
	for text, want := range map[string]int64{
		"500MB": 500e6, "2gb": 2e9, "1.5KB": 1500, "1.5 kB": 1500, "7 B": 7, "7": 7, "1KiB": 1024, "2 GiB": 2 << 30, "0": 0, "1TB": 1e12,
	} {
		if got, ok := units.ParseBytes(text); !ok || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v, expected %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "MB", "many", "-1", "-1MB", "NaN", "1e300GB", "1 XB", "1.2.3kB"} {
		if got, ok := units.ParseBytes(text); ok {
			t.Errorf("ParseBytes(%q) = %d, expected a refusal", text, got)
		}
	}
}

// TestBytesRead: what is written is read as nearly the same number, and what is for flags as no less.
func TestBytesRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1e15).Draw(t, "n") >> rapid.IntRange(0, 50).Draw(t, "shift")
		read, ok := units.ParseBytes(units.Bytes(n))
		if error := float64(read - n); !ok || error > float64(n)*0.006 || -error > float64(n)*0.006 {
			t.Errorf("%d is written %s and read as %d", n, units.Bytes(n), read)
		}
		up, ok := units.ParseBytes(units.BytesUp(n))
		if !ok || up < n || float64(up) > float64(n)*1.11 {
			t.Errorf("%d is written %s for a flag and read as %d", n, units.BytesUp(n), up)
		}
	})
}
