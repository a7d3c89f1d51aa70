package c

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
)

// How bytes and words that lie in turns are permuted
//
// A permutation of the bytes, or words, of two registers takes three instructions of the processor,
// two of them where only one shuffle begins in a cycle; one of a single register takes one, and
// keeps lanes that are masked. So lanes are taken from each register by itself, and what is loaded
// is as wide as registers are, whatever the lanes fill: YUV values of 721 x 1281 pixels of 3 bytes
// take 0.8 of the time of pairs.

// permuteNarrow are the instructions that permute the elements of a register, by their size, and
// what they need.
var permuteNarrow = map[int]struct{ instruction, feature string }{
	1: {"vpermb", "defined(__AVX512VBMI__)"},
	2: {"vpermw", "defined(__AVX512BW__)"},
}

const (
	permutedBytes = 64 // of a register
	leastPermuted = 16 // bytes that vectors of the instructions have at least
)

// narrowTurns replaces a helper that loads or stores bytes or words in turns, where permutations of
// single registers do it; ok is false for other helpers and types.
func narrowTurns(name string, t loop.Type, plain template) (h template, ok bool) {
	p, ok := permuteNarrow[t.Elem.Size()]
	bytes := t.Lanes * t.Elem.Size()
	if !ok || bytes < leastPermuted || bytes > permutedBytes {
		return plain, false
	}
	body := ""
	if step, isLoad := numberBehind(name, everyPrefix); isLoad {
		body = permutedLoad(p.instruction, t, step)
	} else if vectors, isStore := numberBehind(name, interleavePrefix); isStore {
		body = permutedStore(p.instruction, t.Lanes, vectors)
	} else {
		return plain, false
	}
	plain.body = fmt.Sprintf("#if %s && defined(__AVX512VL__) && defined(__AVX512BW__)\n%s\n#else\n%s\n#endif", p.feature, body, strings.Trim(plain.body, "\n"))
	return plain, true
}

// numberBehind returns the number that a name ends with behind a prefix, where it has that and nothing
// else: helpers with masks have a suffix, too.
func numberBehind(name, prefix string) (n int, ok bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil
}

// permutedLoad is the body of a helper that loads lanes a step apart. The last register ends at the
// last lane, or is masked behind it.
func permutedLoad(instruction string, t loop.Type, step int) string {
	size := t.Elem.Size()
	total := ((t.Lanes-1)*step + 1) * size
	registers := (total + permutedBytes - 1) / permutedBytes
	start := func(register int) int {
		if register == registers-1 {
			return max(0, total-permutedBytes)
		}
		return register * permutedBytes
	}
	from, masks := make([]string, t.Lanes), make([]uint64, registers) // of each lane; of the lanes in each register
	for lane := range from {
		at := lane * step * size
		register := at / permutedBytes
		from[lane] = strconv.Itoa((at - start(register)) / size)
		masks[register] |= 1 << lane
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  const $I from = {%s};\n  $V r;\n", strings.Join(from, ", "))
	if total < permutedBytes {
		fmt.Fprintf(&b, `  $V all;
  __asm__("vmovdqu8 %%1, %%g0%%{%%2%%}%%{z%%}" : "=v"(all) : "m"(*(const char (*)[%d])p), "Yk"((u64)0x%x));
  __asm__("%s %%g2, %%g1, %%g0" : "=v"(r) : "v"(from), "v"(all));
  return r;`, total, uint64(1)<<total-1, instruction)
		return b.String()
	}
	for register, mask := range masks {
		result, keep := "=v", ""
		if register > 0 {
			result, keep = "+v", "%{%3%}"
		}
		fmt.Fprintf(&b, "  __asm__(\"%s %%2, %%g1, %%g0%s\" : \"%s\"(r) : \"v\"(from), \"m\"(*(const char (*)[%d])(p + %d))", instruction, keep, result, permutedBytes, start(register)/size)
		if register > 0 {
			fmt.Fprintf(&b, ", \"Yk\"((u64)0x%x)", mask)
		}
		b.WriteString(");\n")
	}
	b.WriteString("  return r;")
	return b.String()
}

// permutedStore is the body of a helper that stores the lanes of vectors in turns.
func permutedStore(instruction string, lanes, vectors int) string {
	var b strings.Builder
	for j := range vectors {
		from, masks := make([]string, lanes), make([]uint64, vectors)
		for lane := range from {
			at := j*lanes + lane
			from[lane] = strconv.Itoa(at / vectors)
			masks[at%vectors] |= 1 << lane
		}
		fmt.Fprintf(&b, "  const $I from%d = {%s};\n  $V y%[1]d;\n  __asm__(\"%[3]s %%2, %%1, %%0\" : \"=v\"(y%[1]d) : \"v\"(from%[1]d), \"v\"(x0));\n", j, strings.Join(from, ", "), instruction)
		for x := 1; x < vectors; x++ {
			fmt.Fprintf(&b, "  __asm__(\"%s %%2, %%1, %%0%%{%%3%%}\" : \"+v\"(y%d) : \"v\"(from%[2]d), \"v\"(x%d), \"Yk\"((u64)0x%x));\n", instruction, j, x, masks[x])
		}
	}
	for j := range vectors {
		fmt.Fprintf(&b, "  *($M *)($C{p + %d * $N}) = y%[1]d;\n", j)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
