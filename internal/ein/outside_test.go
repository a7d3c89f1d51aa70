package ein_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// TestOutOfBoundsHelp checks that values are only blamed where there are some.
func TestOutOfBoundsHelp(t *testing.T) {
	index := &ein.IndexRef{Index: &ein.Index{Name: "i"}}
	data := &ein.Access{Tensor: &ein.Tensor{Name: "J", Type: tensor.Int64}, Subscripts: []ein.Expr{index}}
	for _, test := range []struct {
		subscript ein.Expr
		want      string
	}{
		{&ein.Binary{Op: ein.Mul, X: index, Y: index}, "change the subscript"},
		{&ein.Binary{Op: ein.Add, X: index, Y: data}, "mend the values"},
		{nil, "mend the values"},
	} {
		if got := ein.OutOfBoundsHelp(test.subscript); !strings.HasPrefix(got, test.want) {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
