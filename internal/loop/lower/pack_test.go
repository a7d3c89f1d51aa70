package lower_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestPackedInPaddedTiles multiplies matrices of random sizes with places of an operand inside of
// register tiles that are padded along some of the indices: of the last tile perhaps no point
// of a packed block exists.
func TestPackedInPaddedTiles(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	packed, tried := 0, 0
	for range 300 {
		p, text := paddedTiles(t, draw)
		tree, err := schedule.Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		g, err := p.f.Specialise(p.sizes, nil)
		if err != nil {
			t.Fatal(err)
		}
		if schedule.Check(g, tree) != nil {
			continue
		}
		tried++
		verify(t, p, tree, nil, evaluate)
		if f, err := lower.Lower(g, tree, lower.Options{}); err == nil && slices.ContainsFunc(f.Buffers, func(b *loop.Buffer) bool { return strings.Contains(b.Name, "_packed") }) {
			packed++
		}
	}
	if packed < tried/3 {
		t.Errorf("%d of %d are packed", packed, tried)
	}
}

// paddedTiles draws a product of matrices and a tree for it.
func paddedTiles(t *testing.T, draw *rand.Rand) (program, string) {
	pick := func(list ...string) string { return list[draw.IntN(len(list))] }
	sizes := []int{1 + draw.IntN(40), 1 + draw.IntN(70), 1 + draw.IntN(40)}
	p := readProgram(t, fmt.Sprintf(`
func product {
  in A: float32[%[1]d, %[3]d]
  in B: float32[%[3]d, %[2]d]
  out C: float32[%[1]d, %[2]d]
  for i in 0:%[1]d, j in 0:%[2]d, k in 0:%[3]d reduce + { C[i, j] = A[i, k] * B[k, j] }
}`, sizes[0], sizes[1], sizes[2]))
	lanes := pick("", "4", "8")
	var outer, inner, innermost []string
	for _, index := range []string{"i", "j", "k"} {
		tile := []int{1, 2, 4, 8, 16}[draw.IntN(5)] // of the packed block
		if index == "k" {
			outer = append(outer, pick("", "", fmt.Sprintf("S0.k tile %d pad", 2+draw.IntN(20))))
			innermost = append(innermost, "S0.k")
			continue
		}
		outer = append(outer, fmt.Sprintf("S0.%s tile %d%s", index, max(tile*(1+draw.IntN(4)), 2), pick(" pad", " pad", "")))
		if draw.IntN(4) > 0 {
			cut := "S0." + index
			if tile > 1 {
				cut += fmt.Sprintf(" tile %d", tile)
			}
			inner = append(inner, cut+pick("", "", " unroll"))
		}
		switch {
		case index == "j" && lanes != "":
			innermost = append(innermost, "S0.j vector "+lanes+pick("", " unroll"))
		case tile > 1 || draw.IntN(2) == 0:
			innermost = append(innermost, "S0."+index+pick("", " unroll"))
		}
	}
	outer = slices.DeleteFunc(outer, func(s string) bool { return s == "" })
	draw.Shuffle(len(inner), func(i, j int) { inner[i], inner[j] = inner[j], inner[i] })
	text := "domain S0[i, j, k]\nband " + strings.Join(outer, " | ") + "\n  accumulate S0 " + pick("register", "register", "private") + "\n"
	indent := "    "
	if len(inner) > 0 {
		text += indent + "band " + strings.Join(inner, " | ") + "\n"
		indent += "  "
	}
	text += indent + "place " + pick("A", "B") + " " + pick("workspace", "workspace", "private") + pick("", "", " layout 2 1", " layout 1 2") + "\n"
	draw.Shuffle(len(innermost), func(i, j int) { innermost[i], innermost[j] = innermost[j], innermost[i] })
	return p, text + indent + "  band " + strings.Join(innermost, " | ") + "\n"
}
