package c

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
)

// How a library chooses instructions
//
// A library runs on any machine of its architecture, and fast: it has a kernel for each
// level of instructions, made from a schedule for such vectors, and asks the processor
// when it is called for the first time. The text of a level stands between pragmas that
// switch its instructions on, so that one run of the compiler, without flags for a machine,
// makes them all. Levels that the flags imply (-march=native) need no question, and those
// below them are left out.
//
// In gcc the pragma defines the macros by which helpers choose their bodies; for clang
// they are defined by hand.

// A spelling is how compilers and processors are told of a level of machine.InstructionLevels, or asked for it: of the instructions
// beyond those of the levels below.
type spelling struct {
	target    string   // in the words of compilers
	macros    []string // that compilers define for them
	processor string   // what cpuid must say, in C (library_processor.go)
	compiler  string   // a condition on the versions of compilers, or empty
}

// spellings has the levels by name; the others need no instructions of their own.
func spellings() map[string]spelling {
	return map[string]spelling{
		"avx2": {target: "avx2,fma,bmi,bmi2,f16c,lzcnt,movbe,popcnt", macros: []string{"__AVX2__", "__FMA__", "__F16C__"},
			processor: "(state & 6) == 6 && RICCI_BIT(leaf1[2], 12) && RICCI_BIT(leaf1[2], 22) && RICCI_BIT(leaf1[2], 23) && RICCI_BIT(leaf1[2], 29) && RICCI_BIT(leaf7[1], 3) && RICCI_BIT(leaf7[1], 5) && RICCI_BIT(leaf7[1], 8) && RICCI_BIT(extended1[2], 5)"},
		"avx512": {target: "avx512f,avx512cd,avx512bw,avx512dq,avx512vl", macros: []string{"__AVX512F__", "__AVX512CD__", "__AVX512BW__", "__AVX512DQ__", "__AVX512VL__"},
			processor: "(state & 0xe6) == 0xe6 && RICCI_BIT(leaf7[1], 16) && RICCI_BIT(leaf7[1], 17) && RICCI_BIT(leaf7[1], 28) && RICCI_BIT(leaf7[1], 30) && RICCI_BIT(leaf7[1], 31)"},
		"avx512vnni": {target: "avx512vnni", macros: []string{"__AVX512VNNI__"}, processor: "RICCI_BIT(leaf7[2], 11)"},
		"avx512bf16": {target: "avx512bf16", macros: []string{"__AVX512BF16__"}, processor: "RICCI_BIT(leaf7part1[0], 5)", compiler: "defined(__clang__) || __GNUC__ >= 10"},
		"avx512fp16": {target: "avx512fp16", macros: []string{"__AVX512FP16__"}, processor: "RICCI_BIT(leaf7[3], 23)",
			compiler: "defined(__clang__) && __clang_major__ >= 14 || !defined(__clang__) && __GNUC__ >= 12"},
		"amx": {target: "amx-tile,amx-int8,amx-bf16", macros: []string{"__AMX_TILE__", "__AMX_INT8__", "__AMX_BF16__"},
			processor: "(state & 0x60000) == 0x60000 && RICCI_BIT(leaf7[3], 22) && RICCI_BIT(leaf7[3], 24) && RICCI_BIT(leaf7[3], 25) && r_tiles_allowed()", compiler: hasTiles},
	}
}

// A level is one of the machine's with its spelling.
type level struct {
	machine.InstructionLevel
	spelling
}

func spelled(l machine.InstructionLevel) level { return level{l, spellings()[l.Name]} }

// below lists a level and those whose instructions it has, too.
func (l level) below() (list []level) {
	for _, b := range l.Below() {
		list = append(list, spelled(b))
	}
	return list
}

// A LevelKernel is the kernel of a level.
type LevelKernel struct {
	Level  machine.InstructionLevel
	Kernel *loop.Func
}

// A section is the text of a level in a library.
type section struct {
	level   level
	number  int // its place among the sections
	kernels []*loop.Func
	unit    *unit
}

// suffix ends the names of what a section defines.
func (s *section) suffix() string { return "_" + s.level.Name }

// newSections prints the kernels of all functions for each level, and leaves out levels
// that have nothing to offer over the best one below.
func newSections(u *unit, functions []*LibraryFunction) []*section {
	var list []*section
	for k := range functions[0].Kernels {
		s := &section{level: spelled(functions[0].Kernels[k].Level), number: len(list)}
		s.unit = u.sibling(s.suffix(), s.level.VectorBytes)
		for _, f := range functions {
			s.kernels = append(s.kernels, f.Kernels[k].Kernel)
			s.unit.kernel(f.Kernels[k].Kernel, s.symbol(f), "static ")
		}
		if len(list) == 0 || !s.isLike(sectionOf(list, s.level.InstructionLevel)) {
			list = append(list, s)
		}
	}
	return list
}

// symbol is the name of the kernel of a function.
func (s *section) symbol(f *LibraryFunction) string { return Symbol(f.Name) + s.suffix() }

// isLike reports whether a section has the loops of the one below it, and its helpers no
// bodies for what its instructions add.
func (s *section) isLike(below *section) bool {
	if s.level.VectorBytes != below.level.VectorBytes || s.level.Architecture != below.level.Architecture {
		return false
	}
	for k, f := range s.kernels {
		if loop.Print(f) != loop.Print(below.kernels[k]) {
			return false
		}
	}
	helpers := s.unit.helpers.String()
	return !slices.ContainsFunc(s.level.below(), func(l level) bool {
		return !below.level.Has(l.InstructionLevel) && slices.ContainsFunc(l.macros, func(macro string) bool { return strings.Contains(helpers, macro) })
	})
}

// String is the text of a section.
func (s *section) String() string {
	on, off := s.pragmas()
	commoning := ""
	if s.unit.largeTiles {
		commoning = withoutCommoning
	}
	return "\n#if " + s.has() + "\n#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC push_options\n#endif\n" + on + commoning +
		s.unit.helpers.String() + s.unit.code.String() +
		off + "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC pop_options\n#endif\n#endif\n"
}

// pragmas are the texts that switch the instructions of a section on, after push_options of
// gcc, and off.
func (s *section) pragmas() (on, off string) {
	var targets, macros []string
	for _, l := range s.level.below() {
		if l.target != "" {
			targets = append(targets, l.target)
		}
		macros = append(macros, l.macros...)
	}
	if len(macros) == 0 {
		return "", ""
	}
	var b, e strings.Builder
	names := strings.Join(targets, ",")
	// Without the width clang splits long vectors into halves, whatever flags say.
	fmt.Fprintf(&b, "#if defined(__clang__)\n#pragma clang attribute push(__attribute__((min_vector_width(%d))), apply_to = function)\n#endif\n", 8*s.level.VectorBytes)
	fmt.Fprintf(&b, "#if RICCI_FLOOR < %d\n#if defined(__clang__)\n#pragma clang attribute push(__attribute__((target(%q))), apply_to = function)\n", s.number, names)
	fmt.Fprintf(&e, "#if defined(__clang__)\n#pragma clang attribute pop\n#if RICCI_FLOOR < %d\n#pragma clang attribute pop\n", s.number)
	for _, macro := range macros {
		fmt.Fprintf(&b, "#ifndef %[1]s\n#define %[1]s 1\n#define RICCI%[1]s\n#endif\n", macro)
		fmt.Fprintf(&e, "#ifdef RICCI%[1]s\n#undef RICCI%[1]s\n#undef %[1]s\n#endif\n", macro)
	}
	fmt.Fprintf(&b, "#else\n#pragma GCC target(%q)\n#endif\n#endif\n", names)
	e.WriteString("#endif\n#endif\n")
	return b.String(), e.String()
}

// has is the condition of the preprocessor that a library has a section.
func (s *section) has() string {
	condition := fmt.Sprintf("RICCI_FLOOR <= %[1]d && %[1]d <= RICCI_CEILING", s.number)
	if s.level.Architecture != "" {
		condition += " && " + s.level.architectureMacro()
	}
	for _, l := range s.level.below() {
		if l.compiler != "" { // a compiler may know those of a later section only
			condition += " && (" + l.compiler + ")"
		}
	}
	return condition
}

// architectureMacro is the condition that the compiler makes code for the architecture.
func (l level) architectureMacro() string {
	return "defined(" + map[string]string{"amd64": "__x86_64__", "arm64": "__aarch64__"}[l.Architecture] + ")"
}

// bounds defines the lowest section that is needed, which is the best that the flags imply, and
// the highest one that the compiler can make.
func bounds(sections []*section) string {
	var floors, ceilings []branch
	ceilings = append(ceilings, branch{"defined(RICCI_ONE_LEVEL)", "RICCI_FLOOR"})
	for _, s := range slices.Backward(sections) {
		if s.level.Architecture == "" {
			continue
		}
		implied, possible := s.level.architectureMacro(), s.level.architectureMacro()
		for _, l := range s.level.below() {
			for _, macro := range l.macros {
				implied += " && defined(" + macro + ")"
			}
			if l.compiler != "" {
				possible += " && (" + l.compiler + ")"
			}
		}
		floors = append(floors, branch{implied, fmt.Sprint(s.number)})
		ceilings = append(ceilings, branch{possible, fmt.Sprint(s.number)})
	}
	return definition("RICCI_FLOOR", floors, "0") + definition("RICCI_CEILING", ceilings, "RICCI_FLOOR")
}

// A branch is a value of a macro under a condition.
type branch struct{ condition, value string }

// definition defines a macro by the first branch whose condition holds.
func definition(name string, branches []branch, otherwise string) string {
	var b strings.Builder
	word := "#if"
	for _, c := range branches {
		fmt.Fprintf(&b, "%s %s\n#define %s %s\n", word, c.condition, name, c.value)
		word = "#elif"
	}
	fmt.Fprintf(&b, "#else\n#define %s %s\n#endif\n", name, otherwise)
	return b.String()
}
