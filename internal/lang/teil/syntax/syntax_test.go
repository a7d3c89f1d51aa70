package syntax

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang/langtest"
)

var tested = langtest.Syntax[*File]{
	Extension: ".teil", Parse: Parse, Format: Format, Print: Print,
	Tree: func(b *strings.Builder, f *File) error {
		for _, p := range f.Params {
			b.WriteString(p.Name.Name + " = " + p.Value.Value.String() + "\n")
		}
		for _, p := range f.Programs {
			if err := Dump(b, p); err != nil {
				return err
			}
		}
		return nil
	},
}

func TestFormat(t *testing.T) { tested.TestFormat(t) }
func TestDump(t *testing.T)   { tested.TestDump(t, "dump") }
func TestErrors(t *testing.T) { tested.TestErrors(t) }

// TestOperations checks the table of operations.
func TestOperations(t *testing.T) {
	seen := map[string]bool{}
	for _, op := range Operations() {
		if seen[op.Name] || op.Rule == "" || op.Summary == "" || (op.Operands < 1) != (op.Class == Generator) {
			t.Errorf("the row of %s is incomplete or there twice", op.Name)
		}
		seen[op.Name] = true
		words := strings.Fields(op.Usage())
		if len(words) != 1+len(op.Parameters)+op.Operands {
			t.Errorf("%s is written %q", op.Name, op.Usage())
		}
		if !IsReserved(op.Name) {
			t.Errorf("%s can be a name", op.Name)
		}
	}
}

func FuzzParse(f *testing.F) {
	tested.Fuzz(f, "E11", "param n=(2*k)def f direct alloc A:float[min(n,3)]inout(x,y)=f(A)v=-(A*id n.B)(u)-1--c\nw=shift 1 0 n pow A -2")
}
