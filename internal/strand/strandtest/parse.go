package strandtest

import (
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// Parse reads a program, which must be one.
func Parse(t interface {
	Helper()
	Fatal(...any)
}, text string) *strand.Program {
	t.Helper()
	p, err := strand.Parse(source.NewFile("program", text))
	if err == nil {
		err = strand.Verify(p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}
