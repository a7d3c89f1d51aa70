package c

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/abi"
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/loop"
)

// Functions on tensors
//
// What a function on DLPack's tensors has of its own are tables, and two functions that package abi's code calls: one that tests the
// sizes and computes the extents, and one that runs the kernel. The rest is the same for all.

// A LibraryTensors is what functions on tensors know beyond the ordinary one.
type LibraryTensors struct {
	Name       string // in messages
	Inputs     int    // of the parameters that are no sizes
	Sizes      []LibrarySize
	Faults     [][2]string // the text of each, before and behind the subscript
	Threads    int64       // the most to use; 0 is all
	Descriptor string
}

// A LibrarySize is a size that is not compiled in, or the value of a scalar.
type LibrarySize struct {
	Name                string
	Argument, Dimension int // where it is found: an extent, the value of a scalar (Dimension -1), or nowhere (Argument -1)
	// Coefficient and Rest say that the extent is Coefficient·size + Rest; 0: it is the size.
	Coefficient int64
	Rest        affine.Expr
}

// tensors prints the functions on tensors.
func (w *wrapper) tensors() {
	device := "0, 0"
	if w.function.Card != nil {
		w.runOnCard()
		device = "&ricci_card, &r_code_" + w.function.Name
	} else {
		w.runTensors()
	}
	extents, fixed := w.extentsOfTensors()
	arguments := w.tableOfArguments()
	t := w.function.Tensors
	var sizes, faults []string
	for _, s := range t.Sizes {
		sizes = append(sizes, fmt.Sprintf("{%s, %d, %d}", stringConstant(s.Name), s.Argument, s.Dimension))
	}
	for _, f := range t.Faults {
		faults = append(faults, fmt.Sprintf("{%s, %s}", stringConstant(f[0]), stringConstant(f[1])))
	}
	w.table("static const ricci_size r_size_table_%s[]", sizes)
	w.table("static const char *const r_fault_table_%s[][2]", faults)
	w.line("static const ricci_function r_function_%s = {", w.function.Name)
	name := w.function.Name
	w.line("  %s, %d, %d, %d, %d, %d,", stringConstant(t.Name), len(w.values()), t.Inputs, len(t.Sizes), t.Threads, w.rankSum())
	w.line("  %s, r_size_table_%s, %s, %s, %s_error, r_run_%s, r_fault_table_%s, %s};", arguments, name, fixed, extents, name, name, name, device)
	w.line("#define RICCI_EXPORT __attribute__((visibility(\"default\")))")
	w.line("RICCI_EXPORT int32_t ricci_call_%[1]s(ricci_call *call) { return ricci_make_call(&r_function_%[1]s, call); }", name)
	w.line("RICCI_EXPORT int32_t ricci_shapes_%[1]s(ricci_call *call, int64_t *extents) { return ricci_find_shapes(&r_function_%[1]s, call, extents); }", name)
	w.line("RICCI_EXPORT int __tvm_ffi_%[1]s(void *handle, const void *arguments, int32_t count, void *result) {\n  (void)handle;\n  return ricci_tvm_call(&r_function_%[1]s, arguments, count, result);\n}", name)
	w.line("RICCI_EXPORT void *ricci_xla_%[1]s(void *frame) { return ricci_xla_call(&r_function_%[1]s, frame); }", name)
	w.line("RICCI_EXPORT const char *ricci_describe_%s(void) {\n  return %s;\n}", name, stringConstant(t.Descriptor))
	w.line("#undef RICCI_EXPORT")
}

// values lists the parameters that are tensors.
func (w *wrapper) values() (list []*LibraryParameter) {
	for i := range w.function.Parameters {
		if p := &w.function.Parameters[i]; p.Kind != Size {
			list = append(list, p)
		}
	}
	return list
}

func (w *wrapper) rankSum() (n int) {
	for _, p := range w.values() {
		n += len(p.Extents)
	}
	return n
}

// tableOfArguments prints the table, and returns its name.
func (w *wrapper) tableOfArguments() string {
	var rows []string
	for i, p := range w.values() {
		role, strides := "RICCI_IN", "0"
		if i >= w.function.Tensors.Inputs {
			if role = "RICCI_OUT"; p.Read {
				role = "RICCI_INOUT"
			}
		}
		if p.Strides != nil && len(p.Extents) > 0 {
			strides = fmt.Sprintf("r_strides%d_%s", i, w.function.Name)
			w.line("static const int64_t %s[] = {%s};", strides, numbers(p.Strides))
		}
		code, bits := abi.TypeOf(p.Type)
		rows = append(rows, fmt.Sprintf("{%s, %s, %d, %d, %s, %d, %s}", stringConstant(p.Name), stringConstant(p.shapeText()), code, bits, role, len(p.Extents), strides))
	}
	w.table("static const ricci_argument r_argument_table_%s[]", rows)
	return "r_argument_table_" + w.function.Name
}

// table prints a table, which has a row that nobody reads where it would be empty.
func (w *wrapper) table(declaration string, rows []string) {
	if len(rows) == 0 {
		rows = []string{"{0}"}
	}
	w.line(declaration+" = {\n  %s};", w.function.Name, strings.Join(rows, ",\n  "))
}

// shapeText is "float32(M, K)".
func (p *LibraryParameter) shapeText() string {
	if len(p.Extents) == 0 {
		return p.Type.String()
	}
	list := make([]string, len(p.Extents))
	for i, e := range p.Extents {
		list[i] = e.String()
	}
	return p.Type.String() + "(" + strings.Join(list, ", ") + ")"
}

func numbers(list []int64) string {
	text := make([]string, len(list))
	for i, n := range list {
		text[i] = constant(loop.Int(n)).text
	}
	return strings.Join(text, ", ")
}

// sizesOfTensors prints the sizes as variables, from a list in C, in which those that follow from extents are put first where solve says
// so. They are in an order in which each follows from those before.
func (w *wrapper) sizesOfTensors(list string, solve bool) {
	for k, s := range w.function.Tensors.Sizes {
		for i := range w.function.Parameters {
			if p := &w.function.Parameters[i]; p.Kind == Size && p.Name == s.Name || p.Kind == Number && p.Value == s.Name {
				if value := fmt.Sprintf("%s[%d]", list, k); s.Coefficient != 0 && solve {
					difference := w.combine("+", value, w.combine("*", "-1", w.checked(s.Rest)))
					w.line("%s = %s;", value, w.combine(affine.FloorDiv, difference, constant(loop.Int(s.Coefficient)).text))
				}
				w.line("const i64 %[1]s = %[2]s[%[3]d]; (void)%[1]s;", w.names[p.key()], list, k)
			}
		}
	}
}

// extentsOfTensors prints the function that tests the sizes and computes the extents, and returns its name, and that of the table
// of extents where they are constants; 0 for what is not there.
func (w *wrapper) extentsOfTensors() (function, fixed string) {
	var all []affine.Expr
	var constants []int64
	for _, p := range w.values() {
		all = append(all, p.Extents...)
	}
	for _, e := range all {
		if n, isConst := e.IsConst(); isConst {
			constants = append(constants, n)
		}
	}
	function, fixed = "0", "0"
	if len(constants) == len(all) {
		if fixed = "r_extent_table_" + w.function.Name; all == nil {
			constants = []int64{0}
		}
		w.line("static const int64_t %s[] = {%s};", fixed, numbers(constants))
		if len(w.function.Tests) == 0 {
			return function, fixed
		}
		all = nil
	}
	function = "r_extents_" + w.function.Name
	w.line("static int %s(int64_t *r_sizes, int64_t *r_extents) {", function)
	w.indent++
	w.line("int overflow = 0;")
	w.sizesOfTensors("r_sizes", true)
	w.tests()
	for i, e := range all {
		w.line("r_extents[%d] = %s;", i, w.checked(e))
	}
	w.line("(void)r_extents, (void)r_sizes;")
	w.byteTests()
	w.line("return overflow ? %d : 0;", CodeSizes)
	w.indent--
	w.line("}")
	return function, fixed
}

// runTensors prints the function that runs the kernel on addresses.
func (w *wrapper) runTensors() {
	w.line("static int r_run_%s(ricci_run *r_run) {", w.function.Name)
	w.indent++
	w.sizesOfTensors("r_run->sizes", false)
	w.line("const i64 threads = r_run->threads;")
	w.counts = slices.ContainsFunc(w.sections, func(s *section) bool { return len(s.kernels[w.number].Notices) > 0 })
	w.work("(i64)ricci_parallel", "r_run->fault", w.tensorWord)
	w.counts = false
	w.indent--
	w.line("}")
}

// tensorWord prints what a word of the argument block holds: sizes are variables, all else addresses.
func (w *wrapper) tensorWord(p *loop.Param) string {
	if p.Buffer == nil {
		return w.word(p)
	}
	i := slices.IndexFunc(w.values(), func(q *LibraryParameter) bool { return q.Name == p.Buffer.Name })
	if i < 0 {
		fail("%s has no parameter for the buffer %s", w.f.Name, p.Buffer.Name)
	}
	return fmt.Sprintf("(i64)r_run->data[%d]", i)
}

// noticesOf lists where in the workspace a kernel says that a guarded sum was computed as it is written.
func noticesOf(f *loop.Func) (offsets []int64) {
	for _, n := range f.Notices {
		offsets = append(offsets, n.Buffer.Offset)
	}
	return offsets
}
