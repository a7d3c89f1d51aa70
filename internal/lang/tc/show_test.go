package tc

import (
	"fmt"
	"os"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

func TestShow(t *testing.T) {
	text, err := os.ReadFile(os.Getenv("SHOW"))
	if err != nil {
		t.Skip()
	}
	unit, diags := Compile(source.NewFile("x.tc", string(text)), Options{})
	source.RenderAll(os.Stdout, diags.List, source.RenderOptions{})
	fmt.Println(ein.PrintProgram(unit.Program))
	verifyUnit(t, unit)
}
