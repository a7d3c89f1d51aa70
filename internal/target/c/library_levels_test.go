package c

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

var (
	avx2Features   = []string{"sse2", "avx", "avx2", "fma"}
	avx512Features = []string{"sse2", "avx", "avx2", "fma", "avx512f", "avx512bw"}
)

// levelledProcessors are processors with what they have beyond AVX-512, and their levels: the
// best one, and those that are chosen for kernels of float16, of tiles, and of both.
var levelledProcessors = []struct {
	name                     string
	features                 []string
	best, half, tiles, mixed string
}{
	{"Haswell", avx2Features, "avx2", "avx2", "avx2", "avx2"},
	{"Skylake-SP", avx512Features, "avx512", "avx512", "avx512", "avx512"},
	{"Cascade Lake", slices.Concat(avx512Features, []string{"avx512vnni"}), "avx512vnni", "avx512", "avx512", "avx512"},
	{"Cooper Lake, Zen 4, Zen 5", slices.Concat(avx512Features, []string{"avx512vnni", "avx512bf16"}), "avx512bf16", "avx512", "avx512", "avx512"},
	{"Sapphire Rapids without AMX", slices.Concat(avx512Features, []string{"avx512vnni", "avx512bf16", "avx512fp16"}), "avx512fp16", "avx512fp16", "avx512", "avx512fp16"},
	{"Sapphire Rapids without FP16", slices.Concat(avx512Features, []string{"avx512vnni", "avx512bf16", "amx_int8", "amx_bf16"}), "amx", "avx512", "amx", "amx"},
	{"Sapphire Rapids", slices.Concat(avx512Features, []string{"avx512vnni", "avx512bf16", "avx512fp16", "amx_int8", "amx_bf16"}), "amx_avx512fp16", "avx512fp16", "amx", "amx_avx512fp16"},
}

func TestLevelOf(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the processors of the table are of amd64")
	}
	for _, p := range levelledProcessors {
		if got := machine.InstructionLevelOf(p.features); got.Name != p.best {
			t.Errorf("%s has the level %s, not %s", p.name, got.Name, p.best)
		}
	}
	for _, l := range machine.InstructionLevels() {
		if l.Architecture == "amd64" && machine.InstructionLevelOf(l.Features).Name != l.Name {
			t.Errorf("a machine of the level %s has %s", l.Name, machine.InstructionLevelOf(l.Features).Name)
		}
	}
}

// levelledLibrary has kernels of float16, of tiles at the levels that have AMX, or of both.
func levelledLibrary(t *testing.T, half, tiles bool) (text, header string) {
	t.Helper()
	f := &LibraryFunction{Name: "levelled", Comment: "levelled is a test."}
	for _, n := range []string{"A", "B", "C"} {
		f.Parameters = append(f.Parameters, LibraryParameter{Name: n, Type: tensor.Float16, Elements: affine.Const(64), Written: n == "C"})
	}
	for _, n := range []string{"X", "Y"} {
		f.Parameters = append(f.Parameters, LibraryParameter{Name: n, Type: tensor.BFloat16, Elements: affine.Const(1024)})
	}
	f.Parameters = append(f.Parameters, LibraryParameter{Name: "Z", Type: tensor.Float32, Elements: affine.Const(1024), Written: true})
	for _, l := range machine.InstructionLevels() {
		var body string
		if half {
			body += "  store C[0] = A[0; 8] + B[0; 8]\n"
		}
		if tiles && slices.Contains(l.Features, "amx_bf16") {
			body += "  multiply Z[0 by 32] = X[0 by 32 step 1], Y[0 by 64], 32, 32, 32\n"
		} else if tiles {
			body += "  for i = 0 .. 1024 step 1 { store Z[i] = X[i] * Y[i] }\n"
		}
		kernel, err := loop.Parse(source.NewFile("levelled", `kernel "levelled" workspace 0 {
  buffer A float16[64] argument readonly
  buffer B float16[64] argument readonly
  buffer C float16[64] argument
  buffer X bfloat16[1024] argument readonly
  buffer Y bfloat16[1024] argument readonly
  buffer Z float32[1024] argument
  params A, B, C, X, Y, Z
`+body+"}"))
		if err == nil {
			err = loop.Verify(kernel)
		}
		if err != nil {
			t.Fatal(err)
		}
		f.Kernels = append(f.Kernels, LevelKernel{Level: l, Kernel: kernel})
	}
	text, header, err := PrintLibrary([]*LibraryFunction{f}, LibraryOptions{Header: "kernels.h"})
	if err != nil {
		t.Fatal(err)
	}
	return text, header
}

// levelProgram asks for the section of processors: of each, the words of cpuid and xgetbv, and
// the value of RICCI_LEVEL.
const levelProgram = `#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
static unsigned ecx1, ebx7, ecx7, edx7, eax71, saved;
#include "kernels.c"
int main(int count, char **words) {
#if RICCI_CEILING < RICCI_TOP
  puts("old");
#else
  for (int i = 1; i + 6 < count; i += 7) {
    unsigned *to[] = {&ecx1, &ebx7, &ecx7, &edx7, &eax71, &saved};
    for (int k = 0; k < 6; k++) *to[k] = strtoul(words[i + k], 0, 16);
    setenv("RICCI_LEVEL", words[i + 6], 1);
    printf("%d\n", r_processor());
  }
#endif
  return 0;
}
`

// processorWords are what cpuid and xgetbv say of a processor.
func processorWords(features []string) []string {
	var ecx1, ebx7, ecx7, edx7, eax71 uint32
	for _, b := range []struct {
		feature string
		word    *uint32
		bits    []int
	}{
		{"avx2", &ecx1, []int{12, 22, 23, 27, 29}}, {"avx2", &ebx7, []int{3, 5, 8}}, {"avx512f", &ebx7, []int{16, 17, 28, 30, 31}},
		{"avx512vnni", &ecx7, []int{11}}, {"avx512bf16", &eax71, []int{5}}, {"avx512fp16", &edx7, []int{23}}, {"amx_bf16", &edx7, []int{22, 24, 25}},
	} {
		for _, bit := range b.bits {
			if slices.Contains(features, b.feature) {
				*b.word |= 1 << bit
			}
		}
	}
	var words []string
	for _, w := range []uint32{ecx1, ebx7, ecx7, edx7, eax71, 0x600e6} {
		words = append(words, fmt.Sprintf("%x", w))
	}
	return words
}

// TestLevelIsChosen compiles libraries and has them choose for processors that are told by a
// table, with and without a limit.
func TestLevelIsChosen(t *testing.T) {
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		t.Skip("the processors of the table are of amd64, and tiles need Linux")
	}
	for _, compiler := range compilers(t) {
		for _, kind := range []struct{ half, tiles bool }{{true, false}, {false, true}, {true, true}} {
			text, header := levelledLibrary(t, kind.half, kind.tiles)
			names := strings.Fields(text[strings.Index(text, "levels of instructions (")+len("levels of instructions (") : strings.Index(text, "). On x86-64")])
			var words, want []string
			for _, p := range levelledProcessors {
				chosen := map[bool]string{true: p.half, false: p.tiles}[kind.half]
				if kind.half && kind.tiles {
					chosen = p.mixed
				}
				for _, limit := range []string{"unknown", "plain", "avx2", "avx512fp16", "amx"} {
					words = append(append(words, processorWords(p.features)...), limit)
					want = append(want, fmt.Sprint(slices.Index(names, limited(names, chosen, limit))))
				}
			}
			text = strings.Replace(text, `__asm__ __volatile__("cpuid" : "=a"(words[0]), "=b"(words[1]), "=c"(words[2]), "=d"(words[3]) : "a"(leaf), "c"(part));`,
				"const u32 all[][4] = {{7}, {0, 0, ecx1}, {1, ebx7, ecx7, edx7}, {eax71}, {0x80000001U}, {0, 0, 1 << 5}};\n"+
					"  __builtin_memcpy(words, all[leaf == 0x80000000U ? 4 : leaf > 7 ? 5 : leaf == 7 ? 2 + part : leaf], 16);", 1)
			text = strings.Replace(text, `__asm__ __volatile__("xgetbv" : "=a"(state), "=d"(high) : "c"(0));`, "state = saved, (void)high;", 1)
			text = strings.Replace(text, "return !status;", "return !status || 1;", 1)
			if got := levelsChosen(t, compiler, text, header, len(names)-1, words); got != nil && !slices.Equal(got, want) {
				t.Errorf("%s, %+v, sections %v: chosen are\n%v, not\n%v", compiler, kind, names, got, want)
			}
		}
	}
}

// limited is the section that is taken instead of one where a level is the limit.
func limited(names []string, chosen, limit string) string {
	of := map[string]machine.InstructionLevel{}
	for _, l := range machine.InstructionLevels() {
		of[l.Name] = l
	}
	if _, known := of[limit]; !known || of[limit].Has(of[chosen]) {
		return chosen
	}
	best := names[0]
	for _, n := range names {
		if of[limit].Has(of[n]) && of[chosen].Has(of[n]) {
			best = n
		}
	}
	return best
}

// levelsChosen runs levelProgram; nil is for a compiler that does not know all instructions.
func levelsChosen(t *testing.T, compiler, text, header string, top int, words []string) []string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"kernels.c": text, "kernels.h": header, "main.c": levelProgram} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cc := exec.Command(compiler, "-O1", "-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-DRICCI_WRAPV", fmt.Sprintf("-DRICCI_TOP=%d", top),
		"-Wall", "-Wextra", "-Werror", "-Wno-psabi", "-o", "main", "main.c", "-lm")
	cc.Dir = dir
	if out, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%.4000s\n%s", compiler, err, out, text)
	}
	out, err := exec.Command(filepath.Join(dir, "main"), words...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if strings.HasPrefix(string(out), "old") {
		t.Logf("%s does not know all instructions", compiler)
		return nil
	}
	return strings.Fields(string(out))
}

// TestSectionsAreComplete tests that a section defines the functions of tiles that it calls: a compiler that is told
// of a processor leaves out the sections of lesser ones.
func TestSectionsAreComplete(t *testing.T) {
	text, _ := levelledLibrary(t, true, true)
	calls := regexp.MustCompile(`\br_(multiply|tiles|amx)\w*\(`)
	found := 0
	for _, section := range strings.Split(text, "\n#if RICCI_FLOOR <= ") {
		for _, call := range calls.FindAllString(section, -1) {
			if call == "r_tiles_allowed(" {
				continue // asked by what chooses a section
			}
			if found++; !regexp.MustCompile(`static .*\b` + regexp.QuoteMeta(call)).MatchString(section) {
				t.Errorf("a section calls %s…) of another: #if RICCI_FLOOR <= %s", call, section[:min(60, len(section))])
			}
		}
	}
	if found == 0 {
		t.Error("no section multiplies tiles")
	}
}
