package c

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/machine"
)

// LevelVariable is the environment variable that names the best level that libraries may
// use, as a test, or to get the same sums on different machines.
const LevelVariable = "RICCI_LEVEL"

// processorHead reads what the processor has. The compilers' own functions for this know
// fewer instructions the older they are.
const processorHead = `#if RICCI_FLOOR < RICCI_CEILING
static void r_cpuid(u32 leaf, u32 part, u32 *words) {
  __asm__ __volatile__("cpuid" : "=a"(words[0]), "=b"(words[1]), "=c"(words[2]), "=d"(words[3]) : "a"(leaf), "c"(part));
}
#define RICCI_BIT(word, bit) ((word) >> (bit) & 1)
static int r_processor(void) {
  u32 leaf0[4], leaf1[4], leaf7[4] = {0}, leaf7part1[4] = {0}, extended0[4], extended1[4] = {0}, state = 0, high = 0;
  r_cpuid(0, 0, leaf0);
  r_cpuid(1, 0, leaf1);
  if (leaf0[0] >= 7) r_cpuid(7, 0, leaf7);
  if (leaf0[0] >= 7 && leaf7[0] >= 1) r_cpuid(7, 1, leaf7part1);
  r_cpuid(0x80000000U, 0, extended0);
  if (extended0[0] >= 0x80000001U) r_cpuid(0x80000001U, 0, extended1);
  if (RICCI_BIT(leaf1[2], 27)) __asm__ __volatile__("xgetbv" : "=a"(state), "=d"(high) : "c"(0)); /* what the system saves */
  int level = RICCI_FLOOR;
`

// tilesAllowed asks Linux to let the process use the tiles of AMX.
const tilesAllowed = `static int r_tiles_allowed(void) {
  long status = 158; /* arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILE_DATA) */
  __asm__ __volatile__("syscall" : "+a"(status) : "D"(0x1023L), "S"(18L) : "rcx", "r11", "memory");
  return !status;
}
`

const processorTail = `  return level;
}
#undef RICCI_BIT
#endif
static int r_level(void) {
#if RICCI_FLOOR < RICCI_CEILING
  static int known = -1;
  int level = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (level >= 0) return level;
  level = r_processor();
  __atomic_store_n(&known, level, __ATOMIC_RELAXED);
  return level;
#else
  return RICCI_FLOOR;
#endif
}
`

// processorText defines the function that chooses a section.
func processorText(sections []*section) string {
	var b strings.Builder
	var asking []string
	for _, s := range sections {
		if slices.ContainsFunc(s.level.below(), func(l level) bool { return strings.Contains(l.processor, "r_tiles_allowed") }) {
			asking = append(asking, s.has())
		}
	}
	if asking != nil {
		fmt.Fprintf(&b, "#if RICCI_FLOOR < RICCI_CEILING && (%s)\n%s#endif\n", strings.Join(asking, " || "), tilesAllowed)
	}
	b.WriteString(processorHead)
	fmt.Fprintf(&b, "  const char *limit = getenv(%q);\n  u32 allowed = ~0U;\n", LevelVariable)
	for _, l := range machine.InstructionLevels() {
		if l.Architecture == "" || l.Architecture == "amd64" {
			fmt.Fprintf(&b, "  if (limit && !__builtin_strcmp(limit, %q)) allowed = %#x;\n", l.Name, allowed(sections, l))
		}
	}
	for _, s := range sections {
		var tests []string
		for _, l := range s.level.below() {
			if l.processor != "" {
				tests = append(tests, l.processor)
			}
		}
		if tests != nil {
			fmt.Fprintf(&b, "#if %s\n  if (RICCI_BIT(allowed, %d) && %s) level = %d;\n#endif\n", s.has(), s.number, strings.Join(tests, " &&\n      "), s.number)
		}
	}
	b.WriteString(processorTail)
	return b.String()
}

// allowed has a bit for each section that may be taken where a level is the best one.
func allowed(sections []*section, best machine.InstructionLevel) uint32 {
	var set uint32
	for _, s := range sections {
		if best.Has(s.level.InstructionLevel) {
			set |= 1 << s.number
		}
	}
	return set
}

// sectionOf is the section of a level, or the best one below it.
func sectionOf(sections []*section, l machine.InstructionLevel) *section {
	best := sections[0]
	for _, s := range sections {
		if l.Has(s.level.InstructionLevel) {
			best = s
		}
	}
	return best
}
