package device

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
)

// TestErrors tells the errors of devices apart, wrapped or not, and finds their diagnostics.
func TestErrors(t *testing.T) {
	cause := errors.New("the cable")
	tests := []struct {
		err      error
		is, not  error
		code     source.Code
		contains []string
	}{
		{Lost("card", cause), ErrLost, ErrNoMemory, source.DeviceLost, []string{"card", "the cable"}},
		{NoMemory("card", 0, cause), ErrNoMemory, ErrLost, source.DeviceMemory, []string{"card", "no memory left", "the cable"}},
		{Failed("card", cause), cause, ErrLost, source.DeviceFailed, []string{"card", "the cable"}},
		{NoMemory("card", 4096, cause), ErrNoMemory, ErrLost, source.DeviceMemory, []string{"card", "4096", "the cable"}},
	}
	for _, test := range tests {
		err := fmt.Errorf("a call: %w", errors.Join(test.err, errors.New("another")))
		if !errors.Is(err, test.is) || errors.Is(err, test.not) || errors.Is(err, ErrFault) || errors.Is(err, ErrUnproven) {
			t.Errorf("%v is taken for another error", test.err)
		}
		var list source.ErrorList
		if !errors.As(err, &list) || len(list) != 1 || list[0].Code != test.code || list[0].Help == "" {
			t.Errorf("%v: the diagnostic is %v, expected %s with a help", test.err, list, test.code)
		}
		for _, text := range test.contains {
			if !strings.Contains(test.err.Error(), text) {
				t.Errorf("%q does not say %q", test.err, text)
			}
		}
	}
}
