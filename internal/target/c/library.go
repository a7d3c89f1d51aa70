package c

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// LibraryOptions says how a library is printed.
type LibraryOptions struct {
	Options
	Header string // the name of the header file, such as "matmul.h"
}

// PrintLibrary returns a C file and its header that need nothing of Ricci: an
// ordinary function per kernel, whose parameters are the arrays and then the
// sizes that are not fixed. Parallel loops use OpenMP when the file is compiled
// with it, or run serially; the pool of Options is not available.
func PrintLibrary(funcs []*loop.Func, options LibraryOptions) (text, header string, err error) {
	defer source.RecoverInternal(stage, &err)
	if options.Parallel == Pool {
		options.Parallel = OpenMP
	}
	u := newUnit(options.Options)
	prototypes := make([]string, len(funcs))
	for i, f := range funcs {
		if !u.once(exportedName(f)) {
			fail("two functions are called %s", f.Name)
		}
		u.kernel(f, Symbol(f.Name), "static ")
		prototypes[i] = u.wrapper(f)
	}
	text = comment(libraryNotes) + "\n#include <stdint.h>\n#include <stdlib.h>\n#ifdef _OPENMP\n#include <omp.h>\n#endif\n#include \"" + options.Header + "\"\n" + u.String()
	return text, headerText(options, funcs, prototypes), nil
}

const libraryNotes = `Compile with gcc (9 or later) or clang:
  cc -O2 -std=gnu11 -march=native -fwrapv -fno-math-errno -fno-strict-aliasing -Wno-psabi -c FILE.c
and link with -lm. Add -fopenmp for parallel loops. Never compile it with -ffast-math.`

// headerText documents and declares the functions.
func headerText(options LibraryOptions, funcs []*loop.Func, prototypes []string) string {
	guard := strings.ToUpper(identifier(options.Header))
	var b strings.Builder
	if options.Comment != "" {
		b.WriteString(comment(options.Comment) + "\n")
	}
	fmt.Fprintf(&b, "#ifndef %[1]s\n#define %[1]s\n#include <stdint.h>\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n", guard)
	b.WriteString(comment("Every function returns 0, -1 when there is no memory for its temporaries, or n when\ncheck number n of its list failed; outputs are undefined then. Arrays are dense.") + "\n")
	for i, f := range funcs {
		b.WriteString("\n" + comment(describe(f)) + "\n" + prototypes[i] + ";\n")
	}
	b.WriteString("\n#ifdef __cplusplus\n}\n#endif\n#endif\n")
	return b.String()
}

// describe lists the arrays and checks of a function.
func describe(f *loop.Func) string {
	lines := []string{f.Name}
	for _, p := range f.Params {
		switch {
		case p.Buffer == nil:
			lines = append(lines, fmt.Sprintf("  %s: %s", p.Var.Name, p.Origin))
		case p.Buffer.LengthExpr != nil:
			lines = append(lines, fmt.Sprintf("  %s: %s, %s elements", p.Buffer.Name, p.Buffer.Type.Elem, loop.ExprText(p.Buffer.LengthExpr)))
		default:
			lines = append(lines, fmt.Sprintf("  %s: %s, %d elements", p.Buffer.Name, p.Buffer.Type.Elem, p.Buffer.Length))
		}
	}
	for i, s := range f.Sites {
		lines = append(lines, fmt.Sprintf("  check %d: %s is in bounds of dimension %d of %s", i+1, s.Text, s.Dim, s.Tensor))
	}
	return strings.Join(lines, "\n")
}

// publicNames are the C types of elements in headers.
var publicNames = map[tensor.DType]string{
	tensor.Bool: "uint8_t", tensor.Float16: "uint16_t", tensor.BFloat16: "uint16_t", tensor.Float32: "float", tensor.Float64: "double",
}

func publicName(d tensor.DType) string {
	if name, ok := publicNames[d]; ok {
		return name
	}
	return d.String() + "_t"
}

// exportedName is the C name of a function of the library.
func exportedName(f *loop.Func) string { return newScope().declare(f, f.Name) }

// wrapper prints the function that lays out the argument block, and returns its
// prototype.
func (u *unit) wrapper(f *loop.Func) string {
	k := &kernel{unit: u, f: f, scope: newScope()}
	name := exportedName(f)
	k.scope.taken[name] = true
	var params, words []string
	for _, p := range f.Params {
		if p.Buffer == nil {
			n := k.scope.declare(p.Var, p.Var.Name)
			params, words = append(params, "int64_t "+n), append(words, n)
			continue
		}
		n := k.scope.declare(p.Buffer, p.Buffer.Name)
		qualifier := ""
		if p.Buffer.ReadOnly {
			qualifier = "const "
		}
		params, words = append(params, qualifier+publicName(p.Buffer.Type.Elem)+" *"+n), append(words, "(i64)"+n)
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	prototype := fmt.Sprintf("int %s(%s)", name, strings.Join(params, ", "))
	k.line("%s {", prototype)
	k.indent++
	k.line("i64 fault[2] = {0, 0}, threads = 1;")
	u.code.WriteString(k.out.String())
	k.out.Reset()
	k.wrapperBody(Symbol(f.Name), words)
	k.indent--
	k.line("}")
	u.code.WriteString(k.out.String())
	return prototype
}

func (k *kernel) wrapperBody(function string, words []string) {
	workspace := loop.Expr(loop.Int(k.f.Workspace))
	if k.f.DynamicWorkspace != nil {
		workspace = k.sizeExpr(*k.f.DynamicWorkspace)
	}
	k.out.WriteString("#ifdef _OPENMP\n")
	k.line("threads = omp_get_max_threads();")
	k.out.WriteString("#endif\n")
	k.line("const i64 bytes = (%s + 63) / 64 * 64;", k.expr(workspace).at(levelAdd))
	k.line("void *workspace = bytes > 0 ? aligned_alloc(64, bytes) : 0;")
	k.line("if (bytes > 0 && !workspace) return -1;")
	k.line("const i64 args[] = {%s};", strings.Join(append([]string{"0", "threads", "(i64)workspace", "(i64)fault"}, words...), ", "))
	k.line("const int failed = %s(args);", function)
	k.line("free(workspace);")
	k.line("return failed ? (int)fault[0] : 0;")
}

// sizeExpr turns a size expression over the names of the sizes into one over the
// variables.
func (k *kernel) sizeExpr(e affine.Expr) loop.Expr {
	var sum loop.Expr = loop.Int(0)
	for _, t := range e.Terms() {
		var product loop.Expr = loop.Int(t.Coefficient)
		for _, a := range t.Atoms {
			product = &loop.Binary{Op: ein.Mul, X: product, Y: k.sizeAtom(a)}
		}
		sum = &loop.Binary{Op: ein.Add, X: sum, Y: product}
	}
	return sum
}

func (k *kernel) sizeAtom(a affine.Atom) loop.Expr {
	if a.Op != "" {
		op := map[affine.Op]ein.BinaryOp{affine.FloorDiv: ein.Div, affine.Mod: ein.Mod, affine.Min: ein.Min, affine.Max: ein.Max}[a.Op]
		return &loop.Binary{Op: op, X: k.sizeExpr(a.X), Y: k.sizeExpr(a.Y)}
	}
	for _, p := range k.f.Params {
		if p.Var != nil && p.Origin == "size "+a.Symbol {
			return &loop.VarRef{Var: p.Var}
		}
	}
	fail("the size %s of the workspace is no parameter", a.Symbol)
	return nil
}
