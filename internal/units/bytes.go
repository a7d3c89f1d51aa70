// Package units writes and reads numbers of bytes, and numbers with decimal prefixes, as people do: one way for
// everything that Ricci prints and takes.
package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// prefixes are powers of 1000: what a kB is in estimates it is in limits and caches, too.
var prefixes = []struct {
	letter string
	size   float64
}{{"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}}

// Rounded is what three digits round up to 1.
const Rounded = 0.9995

// Quantity writes a number with three digits and a decimal prefix, such as 1.5 M, behind which a unit may follow.
func Quantity(n float64) string {
	for _, p := range prefixes {
		if n >= Rounded*p.size {
			return fmt.Sprintf("%.3g %s", n/p.size, p.letter)
		}
	}
	return fmt.Sprintf("%.3g ", n)
}

// Bytes writes a number of bytes with three digits: 1.05 MB.
func Bytes[N int | int64 | float64](n N) string { return Quantity(float64(n)) + "B" }

// suffixes of numbers of bytes that are read, the longest first. Powers of 1024 say so.
var suffixes = []struct {
	text string
	size float64
}{
	{"TIB", 1 << 40}, {"GIB", 1 << 30}, {"MIB", 1 << 20}, {"KIB", 1 << 10},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}, {"", 1},
}

// ParseBytes reads what Bytes writes, and flags such as 500MB, 2gb, 1.5 GiB or 4096; ok is false for everything else.
func ParseBytes(text string) (n int64, ok bool) {
	upper := strings.ToUpper(strings.TrimSpace(text))
	for _, s := range suffixes {
		digits, has := strings.CutSuffix(upper, s.text)
		if !has {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if err != nil || !(x >= 0 && x*s.size <= 1<<62) {
			return 0, false
		}
		return int64(x * s.size), true
	}
	return 0, false
}

// BytesUp writes a number of bytes as ParseBytes reads it, without a blank and not less: for flags.
func BytesUp(n int64) string {
	for _, p := range prefixes {
		if tenths := math.Ceil(float64(n) / p.size * 10); tenths >= 10 {
			return strconv.FormatFloat(tenths/10, 'f', -1, 64) + p.letter + "B"
		}
	}
	return fmt.Sprint(n)
}
