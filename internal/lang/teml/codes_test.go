package teml

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/source/sourcetest"
)

// TestCodes compiles the example of every code of TeML and its fix.
func TestCodes(t *testing.T) {
	sourcetest.Codes(t, []string{"E12"}, func(t *testing.T, text string) *source.Diagnostics {
		return reported(compileText(t, text))
	})
}
