package main

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// A fullDisk takes nothing.
type fullDisk struct{ io.Writer }

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// What could not be written is a failure of any verb.
func TestOutputLost(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"explain", "E0303"}, {"check", "../../examples/tc/matmul.tc"}, {"show", "../../examples/tc/matmul.tc", "--stage", "ein"}} {
		var stderr strings.Builder
		if status := execute(t.Context(), args, strings.NewReader(""), fullDisk{}, &stderr); status == 0 || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("ricci %s: status %d, %q", strings.Join(args, " "), status, stderr.String())
		}
	}
}
