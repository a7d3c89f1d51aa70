package c

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/abi"
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A library is a kernel with a C function around it that any program can call.
// The function tests its arguments, because nobody else does: library_tests.go.

// LibraryOptions says how a library is printed.
type LibraryOptions struct {
	Options
	Header string // the name of the header file, such as "matmul.h"
	// Pooled says that the pool of package abi's code runs parallel loops, and that functions on tensors are there; else
	// OpenMP does, and they are not.
	Pooled bool
	// OnTensors leaves out all functions but those on tensors.
	OnTensors bool
}

// A LibraryFunction is a kernel and what its callers see of it.
type LibraryFunction struct {
	// Kernels compute the same at several levels of instructions, the lowest first; they share
	// their sites. All functions of a library have the same levels.
	Kernels    []LevelKernel
	Card       *CardKernel        // instead of them, for a card
	Name       string             // see PublicName
	Comment    string             // what the function computes
	Parameters []LibraryParameter // in the order of the C function
	Tests      []LibraryTest      // tested in this order before the kernel runs
	Tensors    *LibraryTensors    // for functions on tensors
}

// ParameterKind says how an argument is passed.
type ParameterKind uint8

// The kinds of parameters.
const (
	Array  ParameterKind = iota // the address of the first element
	Number                      // a value of the element type
	Size                        // an int64_t
)

// A LibraryParameter is a parameter of a C function.
type LibraryParameter struct {
	Kind     ParameterKind
	Name     string // of the buffer in the kernel; of a Size, that of the size
	Type     tensor.DType
	Written  bool
	Read     bool        // of what is written: its old value, too
	Value    string      // of a Number: the size that it is the value of, or empty
	Elements affine.Expr // of an Array, over the sizes
	Comment  string      // for the header
	// Of what is no Size, over the sizes that are open; strides in elements, nil for row-major.
	Extents []affine.Expr
	Strides []int64
}

// Loops are those of a kernel, whose parameters and sites all have.
func (f *LibraryFunction) Loops() *loop.Func {
	if f.Card != nil {
		return f.Card.Kernel
	}
	return f.Kernels[0].Kernel
}

// PrintLibrary returns a C file and its header that need nothing of Ricci: for
// every kernel an ordinary function, one that tests sizes and computes lengths,
// and one that explains the codes that these return. Parallel loops use OpenMP
// when the file is compiled with it, or run serially; or the pool, with which functions on tensors
// are there, too.
func PrintLibrary(functions []*LibraryFunction, options LibraryOptions) (text, header string, err error) {
	defer source.RecoverInternal(stage, &err)
	if options.Parallel == Pool && !options.Pooled {
		options.Parallel = OpenMP
	}
	note := options.Comment
	options.Comment = ""
	u := newUnit(options.Options)
	sections := newSections(u, functions)
	var public, code strings.Builder
	for _, s := range sections {
		code.WriteString(s.String())
	}
	code.WriteString("\n" + processorText(sections))
	for number, f := range functions {
		if !u.once(f.Name) {
			fail("two functions are called %s", f.Name)
		}
		w := newWrapper(u, f, number, sections)
		w.print(options)
		public.WriteString("\n" + w.declarations())
	}
	includes := "#include <stdint.h>\n#include <stdlib.h>\n#ifdef _OPENMP\n#include <omp.h>\n#endif\n#include \"" + options.Header + "\"\n\n"
	if options.Pooled {
		includes = "#include <stdint.h>\n#include <stdlib.h>\n" + abi.Header + abi.Tables
		if !options.OnTensors {
			includes += "#include \"" + options.Header + "\"\n\n"
		}
	}
	text = comment(strings.TrimSpace(note+"\n\n"+libraryNotes(sections))) + "\n" + libraryPragmas + u.contraction() + bounds(sections) + includes +
		withScalars(u.types.String()+u.declared.String()+code.String()+u.helpers.String()+u.code.String())
	return text, headerText(note, options.Header, public.String()), nil
}

// libraryNotes says how to compile a library.
func libraryNotes(sections []*section) string {
	names := make([]string, len(sections))
	for i, s := range sections {
		names[i] = s.level.Name
	}
	return `Compile with gcc (9 or later) or clang (10 or later), for C99 or any later standard,
with or without GNU extensions, and link with -lm:
  gcc   -O2 -c FILE.c
  clang -O2 -fwrapv -fno-strict-aliasing -DRICCI_WRAPV -c FILE.c
-fopenmp makes it parallel. Never compile it with -ffast-math.
It has kernels for several levels of instructions (` + strings.Join(names, " ") + `). On x86-64
it asks the processor which it has; the environment variable ` + LevelVariable + ` names the best
that it may take. Those below the instructions that flags like -march=native allow are
left out, and with -DRICCI_ONE_LEVEL those above.
A note of gcc about the ABI of vectors means nothing here; -Wno-psabi silences it.`
}

// libraryPragmas state in the text what Ricci itself states by flags: that
// integers wrap, and that no result depends on errno or traps. Users forget
// flags, and cgo does not allow all of these. The warnings that are turned off
// are those of GNU extensions, and of vectors that reach beyond an array with lanes
// that are masked.
const libraryPragmas = `#if defined(__FAST_MATH__)
#error "infinities, NaNs and the order of additions carry meaning: compile without -ffast-math and -Ofast"
#endif
#if defined(__clang__)
#if !defined(RICCI_WRAPV)
#error "clang needs the flags -fwrapv -fno-strict-aliasing -DRICCI_WRAPV (for cgo: in CGO_CFLAGS)"
#endif
#elif defined(__GNUC__)
#pragma GCC optimize("wrapv", "no-strict-aliasing", "no-math-errno", "no-trapping-math", "no-tree-slp-vectorize")
#pragma GCC diagnostic ignored "-Wpsabi"
#else
#error "this file needs gcc or clang"
#endif
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Warray-bounds"
#endif
`

func headerText(note, name, declarations string) string {
	guard := "RICCI_" + strings.ToUpper(identifier(name))
	var b strings.Builder
	if note != "" {
		b.WriteString(comment(note) + "\n")
	}
	fmt.Fprintf(&b, "#ifndef %[1]s\n#define %[1]s\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n", guard)
	b.WriteString(declarations)
	b.WriteString("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n")
	return b.String()
}

// publicNames are the C types of elements in headers.
var publicNames = map[tensor.DType]string{
	tensor.Bool: "uint8_t", tensor.Float16: "uint16_t", tensor.BFloat16: "uint16_t", tensor.Float32: "float", tensor.Float64: "double",
}

// PublicType returns the C type of elements in headers; 16-bit floats go by
// their bits.
func PublicType(d tensor.DType) string {
	if name, ok := publicNames[d]; ok {
		return name
	}
	return d.String() + "_t"
}

// A wrapper prints the public functions around a kernel.
type wrapper struct {
	*kernel
	function *LibraryFunction
	sections []*section
	number   int               // of the function in the library
	names    map[string]string // of parameters in C, by LibraryParameter.Name and kind
	counts   bool              // the guards that trip
}

func newWrapper(u *unit, f *LibraryFunction, number int, sections []*section) *wrapper {
	w := &wrapper{kernel: &kernel{unit: u, f: f.Loops(), name: f.Name, scope: newScope()}, function: f, number: number, sections: sections, names: map[string]string{}}
	for _, word := range strings.Fields(publicWords + " elements code overflow " + f.Name) {
		w.scope.taken[word] = true
	}
	for i := range f.Parameters {
		p := &f.Parameters[i]
		w.names[p.key()] = w.scope.declare(p, p.Name)
	}
	return w
}

// key distinguishes a size from an array of the same name.
func (p *LibraryParameter) key() string {
	if p.Kind == Size {
		return "size " + p.Name
	}
	return p.Name
}

// isSize reports whether tests and lengths depend on the parameter.
func (p *LibraryParameter) isSize() bool { return p.Kind == Size || p.Value != "" }

// declare returns the declaration of a parameter.
func (w *wrapper) declare(p *LibraryParameter) string {
	name := w.names[p.key()]
	switch {
	case p.Kind == Size:
		return "int64_t " + name
	case p.Kind == Number:
		return PublicType(p.Type) + " " + name
	case p.Written:
		return PublicType(p.Type) + " *" + name
	}
	return "const " + PublicType(p.Type) + " *" + name
}

func (w *wrapper) prototype() string {
	var list []string
	for i := range w.function.Parameters {
		list = append(list, w.declare(&w.function.Parameters[i]))
	}
	if len(list) == 0 {
		list = []string{"void"}
	}
	return fmt.Sprintf("int %s(%s)", w.function.Name, strings.Join(list, ", "))
}

func (w *wrapper) elementsPrototype() string {
	var list []string
	for i := range w.function.Parameters {
		if p := &w.function.Parameters[i]; p.isSize() {
			list = append(list, w.declare(p))
		}
	}
	return fmt.Sprintf("int %s_elements(%s)", w.function.Name, strings.Join(append(list, "int64_t *elements"), ", "))
}

func (w *wrapper) errorPrototype() string {
	return fmt.Sprintf("const char *%s_error(int code)", w.function.Name)
}

// declarations is the part of the header about the function.
func (w *wrapper) declarations() string {
	lines := []string{w.function.Comment, ""}
	for i := range w.function.Parameters {
		p := &w.function.Parameters[i]
		lines = append(lines, "  "+w.names[p.key()]+": "+p.Comment)
	}
	lines = append(lines, "", "Arrays are dense and row-major, and outputs share no memory with other arguments.",
		"Any number of threads may call the function at a time, each with a stack of at least 2.1 MB.", "It returns 0, or the code of an error, after which outputs are undefined:", "")
	for _, c := range w.function.Codes() {
		lines = append(lines, fmt.Sprintf("  %3d  %s", c.Number, c.Text))
	}
	elements := fmt.Sprintf("Tests sizes as %s does, and stores how many elements each array has, in the order\nof the arrays above; elements may be NULL.", w.function.Name)
	return comment(strings.Join(lines, "\n")) + "\n" + w.prototype() + ";\n\n" +
		comment(elements) + "\n" + w.elementsPrototype() + ";\n\n" +
		comment("The meaning of a code. The text must not be freed.") + "\n" + w.errorPrototype() + ";\n"
}

// print prints the three functions, and those on tensors.
func (w *wrapper) print(options LibraryOptions) {
	if options.OnTensors {
		w.out.WriteString("static ")
	}
	w.errors()
	if !options.OnTensors {
		w.elements()
		w.line("%s {", w.prototype())
		w.indent++
		w.call()
		w.indent--
		w.line("}")
	}
	if options.Pooled {
		w.tensors()
	}
	w.unit.code.WriteString(w.out.String())
}

// call prints the body of the function: tests, and the work.
func (w *wrapper) call() {
	var sizes []string
	for i := range w.function.Parameters {
		if p := &w.function.Parameters[i]; p.isSize() {
			sizes = append(sizes, w.names[p.key()])
		}
	}
	arrays := w.arrays()
	w.line("int64_t elements[%d];", max(1, len(arrays)))
	w.line("const int refused = %s_elements(%s);", w.function.Name, strings.Join(append(sizes, "elements"), ", "))
	w.line("if (refused) return refused;")
	for i, p := range arrays {
		w.line("if (!%s && elements[%d] > 0) return %d;", w.names[p.key()], i, CodeNull)
	}
	if w.unit.options.Parallel == Pool {
		w.line("i64 fault[2] = {0, 0}, threads = ricci_threads();")
		w.work("(i64)ricci_parallel", "fault", w.word)
		return
	}
	w.line("i64 fault[2] = {0, 0}, threads = 1;")
	w.out.WriteString("#ifdef _OPENMP\n")
	w.line("threads = omp_get_max_threads();")
	w.out.WriteString("#endif\n")
	w.work("0", "fault", w.word)
}

// work prints the choice of a kernel, memory for temporaries, and the call with its argument block. Parallel is the pool, and fault
// an array, in C.
func (w *wrapper) work(parallel, fault string, word func(*loop.Param) string) {
	var words []string
	for _, p := range w.f.Params {
		words = append(words, word(p))
	}
	w.choose()
	allocate := "malloc((size_t)bytes + 63)"
	if w.unit.options.Parallel == Pool {
		allocate = "ricci_temporaries(bytes + 63)"
	}
	w.line("void *r_memory = bytes > 0 ? %s : 0; // C99 has no aligned_alloc", allocate)
	w.line("if (bytes > 0 && !r_memory) return %d;", CodeMemory)
	w.line("const i64 workspace = ((i64)r_memory + 63) & -64;")
	w.line("const i64 args[] = {%s};", strings.Join(append([]string{parallel, "threads", "workspace", "(i64)" + fault}, words...), ", "))
	if w.counts {
		w.line("for (int i = 0; i < r_notice_count; i++) *(int *)(workspace + r_notices[i]) = 0;")
	}
	w.line("const int failed = r_kernel(args);")
	if w.counts {
		w.line("for (int i = 0; i < r_notice_count; i++) r_run->guards += *(int *)(workspace + r_notices[i]) > 0;")
	}
	w.line("free(r_memory);")
	w.line("return failed ? (int)%s[0] : 0;", fault)
}

// choose prints the choice of the best kernel, and how many bytes it needs for temporaries, in
// whole lines of a cache.
func (w *wrapper) choose() {
	w.line("const int r_best = r_level();")
	w.line("int (*r_kernel)(const i64 *) = 0;")
	w.line("int overflow = 0;")
	w.line("i64 bytes = 0;")
	if w.counts {
		w.line("const i64 *r_notices = 0;")
		w.line("int r_notice_count = 0;")
	}
	for _, s := range slices.Backward(w.sections) {
		f := s.kernels[w.number]
		w.out.WriteString("#if " + s.has() + "\n")
		w.line("if (!r_kernel && r_best >= %d) {", s.number)
		w.indent++
		w.line("r_kernel = %s;", s.symbol(w.function))
		if w.counts && len(f.Notices) > 0 {
			w.line("static const i64 r_places[] = {%s};", numbers(noticesOf(f)))
			w.line("r_notices = r_places, r_notice_count = %d;", len(f.Notices))
		}
		if f.DynamicWorkspace != nil {
			w.line("bytes = %s / 64 * 64;", w.checked(f.DynamicWorkspace.AddConst(63)))
		} else if f.Workspace > 0 {
			w.line("bytes = %d;", (f.Workspace+63)/64*64)
		}
		if f.Own > 0 {
			w.line("bytes = %s;", w.combine("+", "bytes", w.combine("*", "threads", constant(loop.Int(f.Own)).text)))
		}
		w.indent--
		w.line("}")
		w.out.WriteString("#endif\n")
	}
	w.line("if (overflow) return %d;", CodeMemory)
}

// word prints what a word of the argument block holds.
func (w *wrapper) word(p *loop.Param) string {
	if p.Buffer == nil {
		size, isSize := strings.CutPrefix(p.Origin, "size ")
		if !isSize {
			fail("%s has a parameter of an unknown kind: %s", w.f.Name, p.Origin)
		}
		return w.size(size)
	}
	for i := range w.function.Parameters {
		switch q := &w.function.Parameters[i]; {
		case q.Name != p.Buffer.Name || q.Kind == Size:
		case q.Kind == Number:
			return "(i64)&" + w.names[q.key()]
		default:
			return "(i64)" + w.names[q.key()]
		}
	}
	fail("%s has no parameter for the buffer %s", w.f.Name, p.Buffer.Name)
	return ""
}
