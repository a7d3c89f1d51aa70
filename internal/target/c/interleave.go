package c

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
)

// How vectors whose lanes interleave are stored
//
// Stores that follow each other and write the lanes of two, three or four vectors in turns write
// whole vectors together: shuffles bring the lanes to their places, and nothing is masked.

// mostInterleaved is how many vectors are stored in turns.
const mostInterleaved = 4

// interleavePrefix is what the names of helpers that store vectors in turns begin with; how many
// they are follows.
const interleavePrefix = "interleave_"

// interleaveName returns the helper that stores so many vectors in turns.
func interleaveName(vectors int) string { return interleavePrefix + strconv.Itoa(vectors) }

// interleaved prints the stores at the beginning of statements that write lanes in turns, and
// returns how many they are.
func (k *kernel) interleaved(body []loop.Stmt) int {
	group := turns(body)
	if group == nil {
		return 0
	}
	first := group[0]
	t := storedType(first.Buffer.Type.Elem, first.Value.Type().Lanes)
	name, arguments := interleaveName(len(group)), k.place(first.Buffer, first.Index).address
	for _, s := range group {
		arguments += ", " + k.stored(s.Buffer, s.Value).text
	}
	if first.Mask != nil {
		name += "_masked"
		arguments += ", " + k.mask(first.Mask, t.Elem.Size()).text
	}
	k.line("%s(%s);", k.unit.helper(name, t), arguments)
	return len(group)
}

// turns returns the stores at the beginning of statements that write lanes in turns, in the order
// of what they write; nil where there are none, or one reads what another writes.
func turns(body []loop.Stmt) []*loop.Store {
	first, ok := body[0].(*loop.Store)
	if !ok || first.Row != nil || first.Stream || first.Buffer.Type.Lanes > 1 {
		return nil
	}
	ramp, ok := first.Index.(*loop.Ramp)
	if !ok || ramp.Stride < 2 || ramp.Stride > min(mostInterleaved, int64(ramp.Lanes), int64(len(body))) {
		return nil
	}
	step := ramp.Stride
	found, low := map[int64]*loop.Store{}, int64(0)
	for _, other := range body[:step] {
		s, ok := other.(*loop.Store)
		if !ok || s.Buffer != first.Buffer || s.Row != nil || s.Stream || !sameMask(s.Mask, first.Mask) || s.Value.Type() != first.Value.Type() || readsBuffer(s, first.Buffer) {
			return nil
		}
		r, ok := s.Index.(*loop.Ramp)
		if !ok || r.Stride != step {
			return nil
		}
		d, known := loop.Distance(r.Base, ramp.Base)
		if !known || found[d] != nil {
			return nil
		}
		found[d] = s
		low = min(low, d)
	}
	group := make([]*loop.Store, step)
	for n := range group {
		if group[n] = found[low+int64(n)]; group[n] == nil {
			return nil
		}
	}
	return group
}

func sameMask(x, y loop.Expr) bool {
	if x == nil || y == nil {
		return x == nil && y == nil
	}
	return loop.ExprText(x) == loop.ExprText(y)
}

// readsBuffer reports whether a store has loads from a buffer.
func readsBuffer(s *loop.Store, b *loop.Buffer) bool {
	found := false
	loop.Walk([]loop.Stmt{s}, loop.Visitor{Expr: func(e loop.Expr) {
		load, ok := e.(*loop.Load)
		found = found || ok && load.Buffer == b
	}})
	return found
}

// wholeShuffles is where whole vectors are made of several; elsewhere lanes are stored one by one.
const wholeShuffles = `$SIZE >= 4 && defined(__SSE2__) || !(` + oneByOne + `) && defined(__AVX512VL__) && defined(__AVX512BW__) || defined(__ARM_NEON)`

// addInterleaved adds the helpers for all numbers of vectors to a table.
func addInterleaved(table map[string][]template) map[string][]template {
	for n := 2; n <= mostInterleaved; n++ {
		params := "$S *p"
		for j := range n {
			params += fmt.Sprintf(", $V x%d", j)
		}
		name := interleaveName(n)
		table[name] = []template{{kinds: "fiu", lanes: vectors, result: "void", params: params, body: storeInTurns(n, wholeShuffles, "", func(at, value string) string {
			return fmt.Sprintf("*($M *)($C{p + %s}) = %s;", at, value)
		})}}
		masked := `defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && !(` + oneByOne + `)`
		table[name+"_masked"] = []template{{kinds: "fiu", lanes: vectors, result: "void", params: params + ", $I m", body: storeInTurns(n, masked, "if (m[l]) ", func(at, value string) string {
			return fmt.Sprintf("@store_masked($C{p + %s}, %s, ($I){$L{m[(%[1]s + #) / %[3]d]}});", at, value, n)
		})}}
	}
	return table
}

// storeInTurns is the body of a helper that stores the lanes of n vectors in turns, where a
// condition of the preprocessor holds, and one by one elsewhere.
func storeInTurns(n int, condition, test string, store func(at, value string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n#if %s\n", condition)
	values := make([]string, n)
	for j := range values {
		values[j] = fmt.Sprintf("x%d", j)
	}
	for j, value := range inTurns(&b, values) {
		fmt.Fprintf(&b, "  %s\n", store(fmt.Sprintf("%d * $N", j), value))
	}
	b.WriteString("#else\n  for (int l = 0; l < $N; l++) {\n")
	for j, value := range values {
		fmt.Fprintf(&b, "    %sp[$C{l * %d + %d}] = %s[l];\n", test, n, j, value)
	}
	b.WriteString("  }\n#endif")
	return b.String()
}

// inTurns declares vectors with the lanes of others in turns, and returns their names.
func inTurns(b *strings.Builder, values []string) []string {
	n := len(values)
	if n == 4 { // pairs of pairs take two shuffles for each vector instead of three
		even, odd := inTurns(b, []string{values[0], values[2]}), inTurns(b, []string{values[1], values[3]})
		return append(inTurns(b, []string{even[0], odd[0]}), inTurns(b, []string{even[1], odd[1]})...)
	}
	names := make([]string, n)
	for j := range names {
		at := fmt.Sprintf("(%d * $N + #)", j)
		names[j] = fmt.Sprintf("%s_%d", strings.Join(values, ""), j)
		fmt.Fprintf(b, "  $V %s = %s;\n", names[j], shuffle(values[0], values[1], fmt.Sprintf("%s %% %d == 1 ? $N + %[1]s / %[2]d : %[1]s / %[2]d", at, n)))
		if n == 3 {
			fmt.Fprintf(b, "  %s = %s;\n", names[j], shuffle(names[j], values[2], fmt.Sprintf("%s %% 3 == 2 ? $N + %[1]s / 3 : #", at)))
		}
	}
	return names
}
