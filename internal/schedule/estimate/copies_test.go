package estimate_test

import (
	"fmt"
	"strings"
	"testing"
)

// passes are two passes of a stencil of large arrays in tiles, the second so many rows and
// columns behind the first, and the first needed so far ahead.
func passes(reach int, further string) string {
	return fmt.Sprintf(`func passes {
  in X: float32[4096, 4096]
  temp T: float32[4096, 4096]
  out Y: float32[4000, 4000]
  for y in 0:4096, x in 0:4096 { T[y, x] = X[y, x] * 2f32 }
  for y in 0:4000, x in 0:4000 { Y[y, x] = T[y, x] + T[y + %[1]di64, x + %[1]di64] }
%[2]s}`, reach, further)
}

func tiles(shift int) string {
	tree := `domain S0[y, x]; S1[y, x]
band S0.y S1.y+%[1]d tile 32 | S0.x S1.x+%[1]d tile 64
  place T private
    sequence
      filter S0
        band S0.y | S0.x vector 16
      filter S1
        band S1.y+%[1]d | S1.x+%[1]d vector 16
`
	return strings.ReplaceAll(fmt.Sprintf(tree, shift), "+0", "")
}

// TestCopiesOfTemporaries: a temporary that is used in the block that computes it moves
// nothing, one of which other blocks read the edges as much as these are, and one that
// is used elsewhere all of it.
func TestCopiesOfTemporaries(t *testing.T) {
	const all = 4.0 * 4096 * 4096
	moved := func(function, tree string) (bytes float64) {
		for _, p := range of(t, function, tree, 1).Parts {
			for _, traffic := range p.Traffic {
				if traffic.From == "memory" {
					bytes += traffic.Bytes
				}
			}
		}
		return bytes
	}
	contracted := moved(passes(0, ""), tiles(0))
	edges := moved(passes(2, ""), tiles(2))
	further := moved(passes(4, ""), tiles(4))
	elsewhere := strings.Replace(tiles(2), "; S1[y, x]", "; S1[y, x]; S2[y, x]", 1)
	head, nest, _ := strings.Cut(elsewhere, "\n")
	elsewhere = head + "\nsequence\n  filter S0, S1\n    " + strings.ReplaceAll(strings.TrimSpace(nest), "\n", "\n    ") + "\n  filter S2\n    band S2.y | S2.x vector 16\n"
	third := "  for y in 0:4000, x in 0:4000 { Z[y, x] = T[y, x] }\n"
	whole := moved(strings.Replace(passes(2, third), "out Y", "out Z: float32[4000, 4000]\n  out Y", 1), elsewhere)
	// X is read, and Y written; a sixteenth of the rows are edges, and a thirty-second of the columns.
	if contracted < 2*all || contracted > 3.5*all {
		t.Errorf("%.2f arrays move where the temporary stays in its blocks", contracted/all)
	}
	if got := (edges - contracted) / all; got < 0.05 || got > 0.5 {
		t.Errorf("%.2f arrays more move for the edges", got)
	}
	if got := (further - contracted) / (edges - contracted); got < 1.6 || got > 2.4 {
		t.Errorf("edges of twice the width move %.2f times as much", got)
	}
	if got := (whole - contracted) / all; got < 2.5 {
		t.Errorf("%.2f arrays more move where another statement reads it and writes what it read", got)
	}
}

// TestFetched: rows that are short cost less where their lines are asked for.
func TestFetched(t *testing.T) {
	const function = `func rows {
  in X: float32[65536, 4096]
  out Y: float32[65536, 32]
  for y in 0:65536, x in 0:32 { Y[y, x] = X[y, x] * 2f32 }
}`
	plain := of(t, function, "domain S0[y, x]\nband S0.y | S0.x vector 16", 1)
	for _, mark := range []string{"prefetch y", "ahead 16384"} {
		if asked := of(t, function, "domain S0[y, x]\nband S0.y | S0.x vector 16 "+mark, 1); asked.Seconds > 0.95*plain.Seconds {
			t.Errorf("%s: %g s, without %g s", mark, asked.Seconds, plain.Seconds)
		}
	}
}
