package tc

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/lang/langtest"
)

// TestLowering compares programs with the ein text that they are lowered to;
// -update records the text.
func TestLowering(t *testing.T) { langtest.Compiler(Compile).Lowering(t, "program.tc") }
