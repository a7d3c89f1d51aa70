package integer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ebitengine/purego"
	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/affine/integer"
)

// isl is the little of the integer set library that the comparison needs.
type isl struct {
	context uintptr
	read    func(context uintptr, text string) uintptr
	empty   func(set uintptr) int32
	free    func(set uintptr) uintptr
}

func openISL(t *testing.T) *isl {
	handle, err := purego.Dlopen("libisl.so.23", purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Skip("libisl is not installed")
	}
	lib := &isl{}
	var allocate func() uintptr
	purego.RegisterLibFunc(&allocate, handle, "isl_ctx_alloc")
	purego.RegisterLibFunc(&lib.read, handle, "isl_set_read_from_str")
	purego.RegisterLibFunc(&lib.empty, handle, "isl_set_is_empty")
	purego.RegisterLibFunc(&lib.free, handle, "isl_set_free")
	lib.context = allocate()
	return lib
}

// TestISL compares with the integer set library on systems without bounds and
// with larger numbers than a search by brute force could take.
func TestISL(t *testing.T) {
	lib := openISL(t)
	rapid.Check(t, func(t *rapid.T) {
		variables := rapid.IntRange(1, 5).Draw(t, "variables")
		var constraints []constraint
		var texts []string
		for range rapid.IntRange(1, 8).Draw(t, "constraints") {
			c := drawConstraint(t, variables)
			c.constant = rapid.Int64Range(-500, 500).Draw(t, "far")
			for i := range c.coefficients { // sparse, as subscripts and tiles are
				if rapid.Bool().Draw(t, "absent") {
					c.coefficients[i] = 0
				}
			}
			constraints = append(constraints, c)
			texts = append(texts, c.String())
		}
		var names []string
		for i := range variables {
			names = append(names, fmt.Sprintf("x%d", i))
		}
		text := fmt.Sprintf("{ [%s] : %s }", strings.Join(names, ", "), strings.Join(texts, " and "))
		set := lib.read(lib.context, text)
		if set == 0 {
			t.Fatalf("isl does not read %s", text)
		}
		want := integer.Found
		if lib.empty(set) == 1 {
			want = integer.Empty
		}
		lib.free(set)
		got, values := system(variables, constraints).Solve()
		if got != want {
			t.Fatalf("%s: got %v, isl says %v", text, got, want)
		}
		verify(t, variables, constraints, got, values)
	})
}
