package c

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/loop"
)

// Sizes come from callers that may be wrong, so everything about them is computed
// by functions that notice overflow and division by zero.

// A LibraryTest is what a function assumes about its sizes.
type LibraryTest struct {
	Expr affine.Expr // over the sizes; at least 0
	Zero bool        // Expr is exactly 0
	Text string      // what is wrong when it is not
}

// The codes that functions return for what is not a LibraryTest. Those follow
// CodeSizes downwards; positive ones count the sites of the kernel.
const (
	CodeMemory = -1
	CodeNull   = -2
	CodeSizes  = -3
)

// A LibraryCode is what a function returns instead of 0.
type LibraryCode struct {
	Number int
	Text   string
}

// Codes lists all that the function returns, but 0.
func (f *LibraryFunction) Codes() []LibraryCode {
	list := []LibraryCode{
		{CodeMemory, "there is no memory for temporaries"},
		{CodeNull, "the address of an array is NULL"},
		{CodeSizes, "the sizes are too large, or divide by zero"},
	}
	for i, t := range f.Tests {
		list = append(list, LibraryCode{CodeSizes - 1 - i, t.Text})
	}
	for i, s := range f.Loops().Sites {
		list = append(list, LibraryCode{i + 1, fmt.Sprintf("%s is out of bounds in dimension %d of %s", s.Text, s.Dim, s.Tensor)})
	}
	return list
}

// errors prints the function that explains codes.
func (w *wrapper) errors() {
	w.line("%s {", w.errorPrototype())
	w.indent++
	w.line("switch (code) {")
	for _, c := range append([]LibraryCode{{0, "no error"}}, w.function.Codes()...) {
		w.line("case %d: return %s;", c.Number, stringConstant(c.Text))
	}
	w.line("}")
	w.line(`return "unknown code";`)
	w.indent--
	w.line("}")
}

// stringConstant writes a C string; question marks are escaped so that no
// trigraph arises.
func stringConstant(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", " ", "\r", "", "?", `\?`).Replace(text) + `"`
}

// arrays lists the parameters that have elements.
func (w *wrapper) arrays() []*LibraryParameter {
	var list []*LibraryParameter
	for i := range w.function.Parameters {
		if p := &w.function.Parameters[i]; p.Kind == Array {
			list = append(list, p)
		}
	}
	return list
}

// elements prints the function that tests sizes and computes lengths. A value
// that could not be computed fails no test, but all together.
func (w *wrapper) elements() {
	w.line("%s {", w.elementsPrototype())
	w.indent++
	w.line("int overflow = 0;")
	for _, name := range w.untested() {
		w.line("(void)%s;", name)
	}
	w.tests()
	var lengths []string
	for _, p := range w.arrays() {
		lengths = append(lengths, w.checked(p.Elements))
	}
	w.byteTests()
	if len(lengths) == 0 {
		lengths = []string{"0"}
	}
	w.line("const int64_t lengths[] = {%s};", strings.Join(lengths, ", "))
	w.line("if (overflow) return %d;", CodeSizes)
	w.line("for (int i = 0; elements && i < %d; i++) elements[i] = lengths[i];", len(w.arrays()))
	w.line("return 0;")
	w.indent--
	w.line("}")
}

// tests prints the tests of sizes.
func (w *wrapper) tests() {
	for i, t := range w.function.Tests {
		operator := "<"
		if t.Zero {
			operator = "!="
		}
		w.line("if (%s %s 0 && !overflow) return %d;", w.checked(t.Expr), operator, CodeSizes-1-i)
	}
}

// byteTests prints what overflows where an array has more bytes than there are.
func (w *wrapper) byteTests() {
	for _, p := range w.arrays() {
		if _, constant := p.Elements.IsConst(); !constant {
			w.line("(void)%s; /* bytes of %s */", w.checked(p.Elements.Scale(int64(p.Type.Size()))), w.names[p.key()])
		}
	}
}

// untested lists the sizes that no test and no length depends on.
func (w *wrapper) untested() []string {
	used := map[string]bool{}
	for _, t := range w.function.Tests {
		t.Expr.Symbols(used)
	}
	for _, p := range w.arrays() {
		p.Elements.Symbols(used)
	}
	var names []string
	for i := range w.function.Parameters {
		p := &w.function.Parameters[i]
		if size := p.Value; p.isSize() && !used[size] && (p.Kind == Number || !used[p.Name]) {
			names = append(names, w.names[p.key()])
		}
	}
	return names
}

// size prints the value of a size.
func (w *wrapper) size(name string) string {
	for i := range w.function.Parameters {
		p := &w.function.Parameters[i]
		if p.Kind == Size && p.Name == name {
			return w.names[p.key()]
		}
		if p.Kind == Number && p.Value == name {
			return "(i64)" + w.names[p.key()]
		}
	}
	fail("%s has no parameter for the size %s", w.f.Name, name)
	return ""
}

// checked prints a size expression; the variable overflow becomes true when it
// has no value.
func (w *wrapper) checked(e affine.Expr) string {
	var sum string
	for _, t := range e.Terms() {
		var product string
		for _, a := range t.Atoms {
			product = w.combine("*", product, w.atom(a))
		}
		if t.Coefficient != 1 || product == "" {
			product = w.combine("*", product, constant(loop.Int(t.Coefficient)).text)
		}
		sum = w.combine("+", sum, product)
	}
	if sum == "" {
		return "0"
	}
	return sum
}

func (w *wrapper) atom(a affine.Atom) string {
	if a.Op == "" {
		return w.size(a.Symbol)
	}
	return w.combine(a.Op, w.checked(a.X), w.checked(a.Y))
}

// checkedFunctions compute on sizes.
var checkedFunctions = map[affine.Op]struct{ name, body string }{
	"+":             {"r_size_add", "i64 r = 0;\n  *overflow |= __builtin_add_overflow(x, y, &r);\n  return r;"},
	"*":             {"r_size_mul", "i64 r = 0;\n  *overflow |= __builtin_mul_overflow(x, y, &r);\n  return r;"},
	affine.Min:      {"r_size_min", "(void)overflow;\n  return x < y ? x : y;"},
	affine.Max:      {"r_size_max", "(void)overflow;\n  return x > y ? x : y;"},
	affine.FloorDiv: {"r_size_div", "if (y == 0 || (y == -1 && x < -0x7fffffffffffffffLL)) return *overflow = 1;\n  return x / y - (x % y != 0 && (x < 0) != (y < 0));"},
	affine.Mod:      {"r_size_mod", "if (y == 0) return *overflow = 1;\n  if (y == -1) return 0;\n  return x % y + (x % y != 0 && (x < 0) != (y < 0) ? y : 0);"},
}

// combine prints the call of a function on two sizes; an empty operand is
// neutral.
func (w *wrapper) combine(op affine.Op, x, y string) string {
	if x == "" {
		return y
	}
	f := checkedFunctions[op]
	if w.unit.once(f.name) {
		fmt.Fprintf(&w.unit.helpers, "static inline i64 %s(i64 x, i64 y, int *overflow) {\n  %s\n}\n", f.name, f.body)
	}
	return fmt.Sprintf("%s(%s, %s, &overflow)", f.name, x, y)
}
