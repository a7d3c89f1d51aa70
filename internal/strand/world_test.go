package strand_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// TestTooMany counts the first strands, also where no int64 holds their number.
func TestTooMany(t *testing.T) {
	for ranges, count := range map[string]int{
		"a = 3i64 to 1i64, b = 0i64 to 1i64": 0,
		"a = -9223372036854775807i64 to -9223372036854775806i64, b = 9223372036854775807i64 to 9223372036854775807i64": 2,
		"a = 0i64 to 0i64, b = 0i64 to 9223372036854775807i64":                                                         -1,
		"a = 0i64 to 0i64, b = -9223372036854775807i64 to 9223372036854775807i64":                                      -1,
		"a = 0i64 to 65535i64, b = 0i64 to 65535i64":                                                                   -1,
	} {
		text := `strand s real float32 int int64 {
  temp a: int
  temp b: int
  param i: int
  output k: int
  create array for ` + ranges + ` new (a)
  begin { k = i }
  update { stabilize }
}`
		w, err := strand.NewWorld(context.Background(), parse(t, text), strand.Given{}, strand.Options{})
		var said *source.Diagnostic
		switch {
		case count < 0 && (!errors.As(err, &said) || said.Code != source.StrandTooMany):
			t.Errorf("%s: %v", ranges, err)
		case count >= 0 && (err != nil || w.Count(strand.All) != count):
			t.Errorf("%s: %v", ranges, err)
		}
	}
}
