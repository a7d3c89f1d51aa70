package c_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/target/c"
	"github.com/ricci-lang/ricci/tensor"
)

// TestCommoning prints tiles below and at half of the registers of a machine.
func TestCommoning(t *testing.T) {
	for _, test := range []struct {
		length  int64
		bytes   int
		without bool
	}{{15, 64, false}, {16, 64, true}, {7, 32, false}, {8, 32, true}} {
		tile := &loop.Buffer{Name: "tile", Region: loop.Register, Length: test.length, Type: loop.Type{Elem: tensor.Float32, Lanes: test.bytes / 4}}
		text, err := c.Print(&loop.Func{Name: "f", Body: []loop.Stmt{&loop.Alloc{Buffer: tile}}}, c.Options{VectorBytes: test.bytes})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(text, "no-predictive-commoning"); got != test.without {
			t.Errorf("%d registers of %d bytes: commoning is off: %v", test.length, test.bytes, got)
		}
	}
}
