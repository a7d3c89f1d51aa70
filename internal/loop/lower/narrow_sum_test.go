package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestNarrowSums runs the default schedules of sums of narrow terms, of random kinds and sizes, in
// the evaluator of loops.
func TestNarrowSums(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	grouped := 0
	terms := []string{
		"int32(A[i, j])", "int32(B[i, j])", "int32(S[i, j])", "int32(max(A[i, j], A[i, 0i64]) - min(A[i, j], A[i, 0i64]))",
		"int32(A[i, j] > 3u8 ? 1u8 : 0u8)", "int32(S[i, j]) * int32(S[i, j])", "int32(A[i, j]) * int32(B[i, 0i64])",
		"(let d = int16(A[i, j]) - int16(B[i, j]) in int32(d) * int32(d))", "int32(A[0i64, j] - A[0i64, j])",
	}
	for n := range 60 {
		sizes := []int{1, 2, 5, 16, 33, 64, 100, 128, 300}
		rows, columns := sizes[draw.IntN(9)], sizes[draw.IntN(9)]
		out, write, kind := "[]", "[]", " reduce +"
		if draw.IntN(2) == 0 {
			out, write, kind = fmt.Sprintf("[%d]", rows), "[i]", ""
		}
		p := readProgram(t, fmt.Sprintf(`
func narrow {
  in A: uint8[%d, %d]
  in B: int8[%d, %d]
  in S: int16[%d, %d]
  out C: int32%s
  for i in 0:%d%s, j in 0:%d reduce + { C%s = %s }
}`, rows, columns, rows, columns, rows, columns, out, rows, kind, columns, write, terms[n%len(terms)]))
		machine := &machine.Processor{VectorBytes: 16 << draw.IntN(3), VectorRegisters: 16, L1: 1 << 12, L2: 1 << 14, L3: 1 << 20, Cores: 1 + draw.IntN(2)}
		tree := p.defaultTree(t, machine)
		f, err := lower.Lower(p.f, tree, lower.Options{})
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, ein.Print(p.f), schedule.Print(tree))
		}
		if text := loop.Print(f); strings.Contains(text, "dot(") || strings.Contains(text, "distances(") {
			grouped++
		}
		verify(t, p, tree, nil, evaluate)
	}
	if grouped < 20 {
		t.Errorf("%d sums are taken in groups", grouped)
	}
}

// TestNarrowSumsOfCopies sums narrow terms along lanes where a copy of a block has converted them
// already, and what is not narrow although it is as short.
func TestNarrowSumsOfCopies(t *testing.T) {
	for _, row := range []struct{ elem, term string }{
		{"int8", "int32(A[i, j])"}, {"uint8", "int32(A[i, j]) * int32(B[j])"}, {"int16", "int32(A[i, j]) * int32(A[i, j])"}, {"bfloat16", "int32(A[i, j])"},
	} {
		p := readProgram(t, fmt.Sprintf(`
func narrow {
  in A: %[1]s[3, 77]
  in B: %[1]s[77]
  out C: int32[3]
  for i in 0:3, j in 0:77 reduce + { C[i] = %[2]s }
}`, row.elem, row.term))
		for _, place := range []string{"place A private", "place A workspace"} {
			tree, err := schedule.Parse("domain S0[i, j]\nband S0.i\n  " + place + "\n    accumulate S0 register\n      band S0.j vector 16\n")
			if err != nil {
				t.Fatal(err)
			}
			verify(t, p, tree, nil, evaluate)
		}
	}
}
