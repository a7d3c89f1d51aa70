package measure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

// A unit is an arithmetic unit that is measured where the processor has it: a
// loop over independent accumulators, enough of them to hide the latency.
type unit struct {
	name     string
	dtype    tensor.DType
	features []cpuid.FeatureID
	// operations of one instruction, or of the two of a step, on a vector register of so many bytes.
	operations func(vectorBytes int) int
	// body is C for `rounds` rounds of `count` instructions, with the macros of
	// loops/prelude.c.
	body  string
	count int
}

// vectorCount suits every machine: 8 to 10 operations are in flight, and SSE and
// AVX have 16 registers, of which two hold the operands.
const vectorCount = 12

func perElement(size int) func(int) int {
	return func(vectorBytes int) int { return 2 * vectorBytes / size }
}

func constant(n int) func(int) int { return func(int) int { return n } }

// units are measured in this order. The first ones are plain C; what C has no
// word for is assembly, which needs no header and no flag.
var units = []unit{
	{machine.VectorUnit, tensor.Float32, nil, perElement(4), vectorBody("float"), vectorCount},
	{machine.VectorUnit, tensor.Float64, nil, perElement(8), vectorBody("double"), vectorCount},
	{machine.VectorUnit, tensor.Int32, nil, perElement(4), vectorBody("int"), vectorCount},
	{machine.PlainUnit, tensor.Int8, nil, perElement(1), plainBody("signed char"), vectorCount},
	{machine.PlainUnit, tensor.Int16, nil, perElement(2), plainBody("short"), vectorCount},
	{machine.PlainUnit, tensor.Int32, nil, perElement(4), plainBody("int"), vectorCount},
	{machine.PlainUnit, tensor.Int64, nil, perElement(8), plainBody("long long"), vectorCount},
	{machine.VectorUnit, tensor.Float16, []cpuid.FeatureID{cpuid.AVX512FP16}, perElement(2), vectorBody("_Float16"), vectorCount},
	{machine.DotUnit, tensor.BFloat16, []cpuid.FeatureID{cpuid.AVX512BF16}, perElement(2), zmmBody("vdpbf16ps"), vectorCount},
	{machine.DotUnit, tensor.Int8, []cpuid.FeatureID{cpuid.AVX512VNNI}, perElement(1), zmmBody("vpdpbusd"), vectorCount},
	{machine.DotUnit, tensor.Int8, []cpuid.FeatureID{cpuid.ASIMDDP}, perElement(1), dotBody, vectorCount},
	// A tile has 16 rows of 64 bytes: 16·16·32 products of bf16, 16·16·64 of int8.
	{machine.MatrixUnit, tensor.BFloat16, []cpuid.FeatureID{cpuid.AMXTILE, cpuid.AMXBF16}, constant(2 * 16 * 16 * 32), tileBody("tdpbf16ps"), tileCount},
	{machine.MatrixUnit, tensor.Int8, []cpuid.FeatureID{cpuid.AMXTILE, cpuid.AMXINT8}, constant(2 * 16 * 16 * 64), tileBody("tdpbssd"), tileCount},
}

// present lists the units of this processor.
func present() []unit {
	return slices.DeleteFunc(slices.Clone(units), func(u unit) bool {
		return !cpuid.CPU.Supports(u.features...)
	})
}

// vectorBody multiplies and adds vectors of a type of C. The values stay finite:
// x·½ + 1 converges to 2. The empty assembly keeps the compiler from removing the
// loop, and from knowing the operands. Everything is written out: arrays of vectors would
// stay in memory.
func vectorBody(element string) string { return arithmeticBody(element, "a%[1]d * half + one") }

// plainBody adds, and then combines bits: what integers are made for takes one step of the
// unit, where a multiplication takes two.
func plainBody(element string) string { return arithmeticBody(element, "(a%[1]d + one) ^ half") }

// arithmeticBody repeats two operations on vectors of a type of C.
func arithmeticBody(element, step string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `
  typedef %s vector __attribute__((vector_size(VECTOR)));
  vector half, one;
  for (int i = 0; i < VECTOR / (int)sizeof(%[1]s); i++) half[i] = (%[1]s)0.5, one[i] = 1;
  __asm__ volatile("" : "+" REGISTER(half), "+" REGISTER(one));
`, element)
	each := func(format string) {
		for i := range vectorCount {
			fmt.Fprintf(&b, format, i)
		}
	}
	each("  vector a%d = one;\n")
	b.WriteString("  for (long r = 0; r < rounds; r++) {\n")
	each("    a%[1]d = " + step + ";\n")
	each("    __asm__ volatile(\"\" : \"+\" REGISTER(a%d));\n")
	b.WriteString("  }")
	return b.String()
}

// zmmBody repeats an instruction acc ← acc + zmm0·zmm1 of AVX-512.
func zmmBody(instruction string) string {
	return asmLoop(func(b *strings.Builder) {
		for i := range vectorCount {
			fmt.Fprintf(b, "%s %%%%zmm1, %%%%zmm0, %%%%zmm%d\\n", instruction, 4+i)
		}
	}, zmmClobbers())
}

func zmmClobbers() string {
	var list []string
	for i := range 4 + vectorCount {
		list = append(list, fmt.Sprintf("\"xmm%d\"", i))
	}
	return strings.Join(list, ", ")
}

// dotBody is the dot product of bytes of arm64.
var dotBody = asmLoop(func(b *strings.Builder) {
	for i := range vectorCount {
		fmt.Fprintf(b, "sdot v%d.4s, v0.16b, v1.16b\\n", 16+i)
	}
}, `"v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27"`)

// tileCount is how many of the eight tiles accumulate.
const tileCount = 6

// tileBody repeats a tile product of AMX. The configuration gives all tiles 16
// rows of 64 bytes; the kernel asks Linux for the state first.
func tileBody(instruction string) string {
	return `
  unsigned char config[64] __attribute__((aligned(64))) = {1};
  for (int i = 0; i < 8; i++) config[16 + 2 * i] = 64, config[48 + i] = 16;
  enum { ARCH_PRCTL = 158, REQUEST = 0x1023, TILE_DATA = 18 };
  long status = ARCH_PRCTL;
  __asm__ volatile("syscall" : "+a"(status) : "D"(REQUEST), "S"(TILE_DATA) : "rcx", "r11", "memory");
  if (status != 0) return 1;
  __asm__ volatile("ldtilecfg %0\ntilezero %%tmm6\ntilezero %%tmm7" : : "m"(config));` +
		asmLoop(func(b *strings.Builder) {
			for i := range tileCount {
				fmt.Fprintf(b, "%s %%%%tmm7, %%%%tmm6, %%%%tmm%d\\n", instruction, i)
			}
		}, `"memory"`) + `
  __asm__ volatile("tilerelease");`
}

// asmLoop repeats instructions `rounds` times.
func asmLoop(instructions func(*strings.Builder), clobbers string) string {
	var b strings.Builder
	b.WriteString("\n  for (long r = 0; r < rounds; r++)\n    __asm__ volatile(\"")
	instructions(&b)
	fmt.Fprintf(&b, "\" : : : %s);", clobbers)
	return b.String()
}
