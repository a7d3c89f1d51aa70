package ricci

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// libraryText writes the files of a built library. The C function has typed
// parameters and calls the kernel with the argument block of package loop.
type libraryText struct {
	def    *Def
	name   string
	sizes  map[string]int64
	shapes map[string][]int64
}

// elementTypes are the types of elements in C, cgo and Go. 16-bit floats go by
// their bits.
var elementTypes = map[tensor.DType]struct{ c, cgo, golang string }{
	tensor.Bool:     {"unsigned char", "uchar", "bool"},
	tensor.Int8:     {"int8_t", "int8_t", "int8"},
	tensor.Int16:    {"int16_t", "int16_t", "int16"},
	tensor.Int32:    {"int32_t", "int32_t", "int32"},
	tensor.Int64:    {"int64_t", "int64_t", "int64"},
	tensor.Uint8:    {"uint8_t", "uint8_t", "uint8"},
	tensor.Uint16:   {"uint16_t", "uint16_t", "uint16"},
	tensor.Uint32:   {"uint32_t", "uint32_t", "uint32"},
	tensor.Uint64:   {"uint64_t", "uint64_t", "uint64"},
	tensor.Float16:  {"uint16_t", "uint16_t", "uint16"},
	tensor.BFloat16: {"uint16_t", "uint16_t", "uint16"},
	tensor.Float32:  {"float", "float", "float32"},
	tensor.Float64:  {"double", "double", "float64"},
}

// byValue reports whether an argument is a number instead of an address.
func byValue(t *ein.Tensor) bool { return t.Role == ein.Input && len(t.Dims) == 0 }

// parameter is the name of an argument in C and Go, where some words are taken.
func parameter(t *ein.Tensor) string { return "arg_" + identifier(t.Name) }

func (l *libraryText) prototype() string {
	var list []string
	for _, t := range l.arguments() {
		kind := elementTypes[t.Type].c
		switch {
		case byValue(t):
			list = append(list, kind+" "+parameter(t))
		case t.Role == ein.Input:
			list = append(list, "const "+kind+" *"+parameter(t))
		default:
			list = append(list, kind+" *"+parameter(t))
		}
	}
	return "int " + l.name + "(" + strings.Join(list, ", ") + ")"
}

// describe lists the arguments, one per line with the prefix.
func (l *libraryText) describe(prefix string) string {
	var b strings.Builder
	for _, t := range l.arguments() {
		what := map[ein.Role]string{ein.Input: "input", ein.Output: "output", ein.InOut: "input and output"}[t.Role]
		if byValue(t) {
			fmt.Fprintf(&b, "%s%s: input, %s, a number", prefix, parameter(t), t.Type)
			if value, fixed := l.fixed(t); fixed {
				fmt.Fprintf(&b, ", always %d", value)
			}
			b.WriteString("\n")
			continue
		}
		fmt.Fprintf(&b, "%s%s: %s, %s%v, %d elements\n", prefix, parameter(t), what, t.Type, l.shapes[t.Name], l.elements(t))
	}
	return b.String()
}

// fixed returns the value of a scalar that the code was made for.
func (l *libraryText) fixed(t *ein.Tensor) (int64, bool) {
	for _, s := range l.def.info.Func.Sizes {
		if s.Tensor == t && s.Dim == ein.ScalarValue {
			return l.sizes[s.Name], true
		}
	}
	return 0, false
}

func (l *libraryText) elements(t *ein.Tensor) int64 {
	n := int64(1)
	for _, extent := range l.shapes[t.Name] {
		n *= extent
	}
	return n
}

func (l *libraryText) header() string {
	guard := "RICCI_" + strings.ToUpper(l.name) + "_H"
	return fmt.Sprintf(`/* Made by Ricci from %[1]s.
 *
 * %[2]s computes, on dense row-major arrays:
 *
%[3]s *
 * Outputs must not share memory with other arguments. The function may be called
 * from several threads. It returns 0; 1 when a subscript that depends on data is
 * out of bounds; 2 when there is no memory for temporaries; 3 when a number has
 * another value than the code was made for.
 */
#ifndef %[4]s
#define %[4]s

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

%[5]s;

#ifdef __cplusplus
}
#endif

#endif
`, strings.ReplaceAll(l.def.String(), "*/", "* /"), l.name, l.describe(" *   "), guard, l.prototype())
}

// source is the kernel, and the function of the header that calls it.
func (l *libraryText) source(s *stages) string {
	var b strings.Builder
	b.WriteString(libraryPragmas)
	fmt.Fprintf(&b, "#ifndef RICCI_HEADER_INCLUDED\n#include \"%s.h\"\n#endif\n#include <stdlib.h>\n\n", l.name)
	// The kernel is an implementation detail of this file.
	b.WriteString(strings.Replace(s.c, "\nint "+s.symbol+"(", "\nstatic int "+s.symbol+"(", 1))
	fmt.Fprintf(&b, "\n%s {\n", l.prototype())
	for _, t := range l.arguments() {
		if value, fixed := l.fixed(t); fixed && byValue(t) {
			fmt.Fprintf(&b, "  if (%s != %d) return 3;\n", parameter(t), value)
		}
	}
	b.WriteString("  long long fault[2] = {0, 0};\n  void *workspace = 0;\n")
	if n := s.loop.Workspace; n > 0 {
		fmt.Fprintf(&b, "  if (posix_memalign(&workspace, 64, %d) != 0) return 2;\n", n)
	}
	b.WriteString("  const long long args[] = {\n      0, RICCI_THREADS, (long long)(intptr_t)workspace, (long long)(intptr_t)fault")
	for _, p := range s.loop.Params {
		t := l.def.info.Func.Tensor(p.Buffer.Name)
		address := parameter(t)
		if byValue(t) {
			address = "&" + address
		}
		fmt.Fprintf(&b, ",\n      (long long)(intptr_t)%s", address)
	}
	fmt.Fprintf(&b, "};\n  int status = %s(args);\n  free(workspace);\n  return status;\n}\n", s.symbol)
	return b.String()
}

// libraryPragmas state in the text what Ricci itself states by flags: that
// integers wrap, and that no result depends on errno or traps.
const libraryPragmas = `#if defined(__clang__)
#if !defined(RICCI_WRAPV)
#error "clang needs the flags -fwrapv -fno-strict-aliasing -DRICCI_WRAPV (for cgo: in CGO_CFLAGS)"
#endif
#elif defined(__GNUC__)
#pragma GCC optimize("wrapv", "no-strict-aliasing", "no-math-errno", "no-trapping-math")
#endif
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

#ifdef _OPENMP
#include <omp.h>
#define RICCI_THREADS omp_get_max_threads()
#else
#define RICCI_THREADS 1
#endif

`
