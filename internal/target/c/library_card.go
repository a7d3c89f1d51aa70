package c

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/abi"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
)

// Functions on a card
//
// A card has its kernels from a target of its own; what is printed here is the host: what stands around the grids of the loops, with a
// launch for each grid, and the tables that package abi's code (card.c) calls kernels by. There are functions on tensors alone, as an address says nothing
// about where it is.

// A CardKernel is what a function on a card has in place of kernels for the processor.
type CardKernel struct {
	Kernel       *loop.Func
	Symbol       string // of the first kernel in the code
	Code         []byte // of all kernels: what the driver loads, or their text
	IsText       bool
	Architecture int  // the least that the code is for, such as 80
	Strict       bool // no two operations are rounded as one
}

// id tells the code of kernels from other code.
func (k *CardKernel) id() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %t %t\n%s\n%s", k.Symbol, k.IsText, k.Strict, k.Code, loop.Print(loop.HostPart(k.Kernel))))
	return fmt.Sprintf("0x%xULL", sum[:8])
}

// PrintCardLibrary is PrintLibrary for functions on a card, of which the header has all that their callers need.
func PrintCardLibrary(functions []*LibraryFunction, note string) (text, header string, err error) {
	defer source.RecoverInternal(stage, &err)
	u := newUnit(Options{Parallel: Serial})
	var public strings.Builder
	for _, f := range functions {
		if !u.once(f.Name) {
			fail("two functions are called %s", f.Name)
		}
		w := newWrapper(u, f, 0, nil)
		w.print(LibraryOptions{Pooled: true, OnTensors: true})
		public.WriteString("\n" + w.tensorDeclarations())
	}
	text = comment(note+"\n\nThe kernels run on a card. What opens its driver, and what tests arguments, is not in this text.") + "\n#include <stdint.h>\n" + abi.Header + abi.Tables + abi.Card +
		withScalars(u.types.String()+u.declared.String()+u.helpers.String()+u.code.String())
	return text, comment(note) + "\n" + abi.Header + "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n" + public.String() + "\n#ifdef __cplusplus\n}\n#endif\n", nil
}

// tensorDeclarations is the part of the header about a function on tensors.
func (w *wrapper) tensorDeclarations() string {
	lines := []string{w.function.Comment, ""}
	for i, p := range w.values() {
		lines = append(lines, fmt.Sprintf("  %d: %s: %s", i, p.Name, p.Comment))
	}
	for _, s := range w.function.Tensors.Sizes {
		if s.Argument < 0 || s.Argument >= w.function.Tensors.Inputs {
			lines = append(lines, "  ricci_call.sizes: "+s.Name)
		}
	}
	name := w.function.Name
	return comment(strings.Join(lines, "\n")) + fmt.Sprintf("\nint32_t ricci_call_%[1]s(ricci_call *call);\nint32_t ricci_shapes_%[1]s(ricci_call *call, int64_t *extents);\nconst char *ricci_describe_%[1]s(void);\n", name)
}

// runOnCard prints the code of a function, and the function that launches its kernels.
func (w *wrapper) runOnCard() {
	card, name := w.function.Card, w.function.Name
	w.line("static const char r_image_%s[] =\n%s;", name, bytesConstant(card.Code))
	w.line("static const int64_t r_notices_%s[] = {%s};", name, numbers(append(noticesOf(w.f), 0)))
	var rows []string
	grids := loop.Grids(w.f)
	for i, g := range grids {
		items := [loop.MostAxes]int64{1, 1, 1}
		for k, a := range g.Items {
			items[len(g.Items)-1-k] = a.Count
		}
		rows = append(rows, fmt.Sprintf("{%s, {%d, %d, %d}, %d}", stringConstant(loop.GridSymbol(card.Symbol, i)), items[0], items[1], items[2], g.DynamicBytes()))
	}
	if len(grids) == 0 {
		rows = append(rows, fmt.Sprintf("{%s, {1, 1, 1}, 0}", stringConstant(card.Symbol)))
	}
	w.table("static const ricci_kernel r_kernel_table_%s[]", rows)
	w.line("static const ricci_code r_code_%[1]s = {%[8]s, r_image_%[1]s, %[2]d, %[3]d, %[4]d, %[5]d, %[6]d, %[7]d, r_kernel_table_%[1]s, r_notices_%[1]s};",
		name, bit(card.IsText), card.Architecture, bit(card.Strict), bit(len(w.f.Sites) > 0), len(rows), len(w.f.Notices), card.id())
	w.line("static int r_run_%s(ricci_run *r_run) {", name)
	w.indent++
	w.sizesOfTensors("r_run->sizes", false)
	w.line("int overflow = 0;")
	w.line("i64 bytes = %d;", w.f.Workspace)
	if w.f.DynamicWorkspace != nil {
		w.line("bytes = %s;", w.checked(*w.f.DynamicWorkspace))
	}
	w.line("if (overflow) return %d;", CodeMemory)
	w.line("ricci_card_begin(r_run, bytes + %d);", w.f.Own)
	w.launches(grids)
	w.line("return ricci_card_end(r_run);")
	w.indent--
	w.line("}")
}

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

// launches prints the host's part of the loops.
func (w *wrapper) launches(grids []*loop.Grid) {
	var words []string
	for _, p := range w.f.Params {
		words = append(words, w.tensorWord(p))
	}
	for _, p := range w.f.Params {
		if p.Var != nil {
			w.line("const i64 %s = %s;", w.scope.declare(p.Var, p.Var.Name), w.tensorWord(p))
		}
	}
	if len(grids) == 0 {
		w.launch(0, []string{"1", "1", "1"}, words)
		return
	}
	number, vars := 0, loop.HostVars(w.f)
	w.grid = func(g *loop.Grid) {
		all := words[:len(words):len(words)]
		for _, v := range vars[number] {
			all = append(all, w.scope.name(v, "variable "+v.Name))
		}
		w.launch(number, w.dimensions(g), all)
		number++
	}
	w.block(loop.HostPart(w.f).Body, false)
	w.grid = nil
}

// dimensions prints how many groups there are along x, y and z.
func (w *wrapper) dimensions(g *loop.Grid) []string {
	d := []string{"1", "1", "1"}
	for i, a := range g.Groups {
		count := w.text(a.Count)
		if !g.InLine() {
			d[len(g.Groups)-1-i] = count
		} else if i == 0 {
			d[0] = count
		} else {
			d[0] = w.groupsInLine(d[0], count)
		}
	}
	return d
}

// groupsInLine multiplies numbers of groups. More than there can be is no number of groups of any device.
func (w *wrapper) groupsInLine(x, y string) string {
	if w.unit.once("r_groups") {
		w.unit.helpers.WriteString("static inline i64 r_groups(i64 x, i64 y) {\n  i64 r = 0;\n  if (x < 1 || y < 1) return 0;\n  return __builtin_mul_overflow(x, y, &r) ? 0x7fffffffffffffffLL : r;\n}\n")
	}
	return fmt.Sprintf("r_groups(%s, %s)", x, y)
}

func (w *wrapper) launch(number int, groups, words []string) {
	if len(words) == 0 {
		words = []string{"0"}
	}
	w.line("{")
	w.line("  const int64_t r_counts[] = {%s};", strings.Join(groups, ", "))
	w.line("  const int64_t r_words[] = {%s};", strings.Join(words, ", "))
	w.line("  ricci_card_launch(r_run, %d, r_counts, r_words, %d);", number, len(words))
	w.line("}")
}

// bytesConstant writes bytes as a C string, to which C adds a zero.
func bytesConstant(data []byte) string {
	var b strings.Builder
	b.WriteString(`  "`)
	column := 0
	for _, c := range data {
		switch {
		case c == '"' || c == '\\' || c == '?':
			b.WriteString(`\` + string(c))
		case c >= ' ' && c <= '~':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\%03o`, c)
		}
		if column++; c == '\n' || column >= 200 {
			b.WriteString("\"\n  \"")
			column = 0
		}
	}
	return b.String() + `"`
}
