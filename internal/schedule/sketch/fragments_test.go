package sketch

import (
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

const halves = `func f {
  in A: float16[4096, 4096]
  in B: float16[4096, 4096]
  out C: float32[4096, 4096]
  for i in 0:4096, j in 0:4096, k in 0:4096 reduce + { C[i, j] = float32(A[i, k]) * float32(B[k, j]) }
}`

// TestFragments: large products of types that matrix units know are theirs on machines that have some, and nowhere else; those of others, and sums in the
// order of the text, are not.
func TestFragments(t *testing.T) {
	rule := func(text string, p *machine.Processor) (string, string) {
		c, err := Choose(function(t, text), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c.Launches[0].Rule, schedule.Print(c.Tree)
	}
	got, tree := rule(halves, processor(t, "a100"))
	want := `domain S0[i, j, k]
sequence
  filter S0
    band S0.i tile 128 groups strips 16 | S0.j tile 256 groups
      accumulate S0 register
        band S0.k tile 64
          place A local double async pad 8 vector 8
            place B local double async pad 8 vector 8
              band S0.i items 16 | S0.j tile 2 items 16
                band S0.k group 16 matrix unroll | S0.j
`
	if got != "fragments" || tree != want {
		t.Errorf("%s\n%s", got, tree)
	}
	bytes := `func f {
  in A: int8[640, 500]
  in B: uint8[900, 500]
  out C: int32[640, 900]
  for i in 0:640, j in 0:900, k in 0:500 reduce + { C[i, j] = int32(A[i, k]) * int32(B[j, k]) }
}`
	if got, tree := rule(bytes, processor(t, "h100")); got != "fragments" {
		t.Errorf("bytes: %s\n%s", got, tree)
	}
	short := `func f {
  in A: float32[640, 512]
  in B: float32[512, 512]
  out C: float32[640, 512]
  for i in 0:640, j in 0:512, k in 0:512 reduce + shortened { C[i, j] = A[i, k] * B[k, j] }
}`
	if got, tree := rule(short, processor(t, "h100")); got != "fragments" {
		t.Errorf("float32 of which 11 digits are enough: %s\n%s", got, tree)
	}
	for name, c := range map[string]struct{ text, want string }{
		"a long sum of few results": {`func f {
  in A: float16[64, 65536]
  in B: float16[65536, 64]
  out C: float32[64, 64]
  for i in 0:64, j in 0:64, k in 0:65536 reduce + { C[i, j] = float32(A[i, k]) * float32(B[k, j]) }
}`, "accumulate S0 workspace items 64"},
		"batches, of transposed operands": {`func f {
  in A: bfloat16[16, 256, 512]
  in B: bfloat16[16, 512, 256]
  out C: float32[16, 512, 512]
  for p in 0:16, i in 0:512, j in 0:512, k in 0:256 reduce + { C[p, i, j] = float32(A[p, k, i]) * float32(B[p, j, k]) }
}`, "band S0.p groups | S0.i tile"},
		"a bias before, and what is done with the results": {`func f {
  in A: float16[512, 512]
  in B: float16[512, 512]
  in b: float32[512]
  out C: float32[512, 512]
  out D: float16[512, 512]
  for i in 0:512, j in 0:512 { C[i, j] = b[j] }
  for i in 0:512, j in 0:512, k in 0:512 reduce + accumulate + { C[i, j] = float32(A[i, k]) * float32(B[k, j]) }
  for i in 0:512, j in 0:512 { D[i, j] = float16(max(C[i, j], 0f32)) }
}`, "place C register"},
	} {
		if got, tree := rule(c.text, processor(t, "a100")); got != "fragments" || !strings.Contains(tree, c.want) {
			t.Errorf("%s: %s, expected %q in\n%s", name, got, c.want, tree)
		}
	}
	for name, text := range map[string]string{
		"float32": `func f {
  in A: float32[640, 512]
  in B: float32[512, 512]
  out C: float32[640, 512]
  for i in 0:640, j in 0:512, k in 0:512 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`,
		"products rounded to float16": `func f {
  in A: float16[640, 512]
  in B: float16[512, 512]
  out C: float32[640, 512]
  for i in 0:640, j in 0:512, k in 0:512 reduce + { C[i, j] = float32(float16(float32(A[i, k]) + float32(B[k, j]))) }
}`,
	} {
		if got, tree := rule(text, processor(t, "a100")); got == "fragments" {
			t.Errorf("%s: %s\n%s", name, got, tree)
		}
	}
	for _, name := range []string{"opencl", "cuda+wrp"} {
		if got, tree := rule(halves, processor(t, name)); got == "fragments" {
			t.Errorf("%s: %s\n%s", name, got, tree)
		}
	}
}

// TestStaging: operands are copied to local memory ahead where a machine has such copies and some steps, and in rows so long that no others have lanes meet
// less in banks, by the model, which counts them on its own.
func TestStaging(t *testing.T) {
	for name, text := range map[string]string{
		"halves": `func f {
  in A: float16[200, 512]
  in B: float16[512, 136]
  out C: float32[200, 136]
  for i in 0:200, j in 0:136, k in 0:512 reduce + { C[i, j] = float32(A[i, k]) * float32(B[k, j]) }
}`,
		"transposed": `func f {
  in A: bfloat16[512, 200]
  in B: bfloat16[136, 512]
  out C: float32[200, 136]
  for i in 0:200, j in 0:136, k in 0:512 reduce + { C[i, j] = float32(A[k, i]) * float32(B[j, k]) }
}`,
		"short": `func f {
  in A: float32[200, 512]
  in B: float32[512, 136]
  out C: float32[200, 136]
  for i in 0:200, j in 0:136, k in 0:512 reduce + shortened { C[i, j] = A[i, k] * B[k, j] }
}`,
		"bytes": `func f {
  in A: int8[512, 208]
  in B: uint8[512, 144]
  out C: int32[208, 144]
  for i in 0:208, j in 0:144, k in 0:512 reduce + { C[i, j] = int32(A[k, i]) * int32(B[k, j]) }
}`,
		"windows": `func f {
  in I: float16[66, 64]
  in K: float16[40, 3, 64]
  out O: float32[64, 40]
  for y in 0:64, f in 0:40, r in 0:3 reduce +, c in 0:64 reduce + { O[y, f] = float32(I[y + r, c]) * float32(K[f, r, c]) }
}`,
	} {
		p := processor(t, "a100")
		s, err := newSketcher(function(t, text), p)
		if err != nil {
			t.Fatal(err)
		}
		stages := map[int64]bool{}
		longest := map[string]int64{"float16": 8, "bfloat16": 8, "float32": 4, "int8": 16, "uint8": 16}
		for k, c := range s.windows[0][0] {
			if c.Rule != "fragments" || slices.ContainsFunc(placesOf(c.Node), func(p *schedule.Place) bool { return p.Swizzle.Units > 0 }) {
				continue
			}
			for _, place := range placesOf(c.Node) {
				stages[place.Stages] = true
			}
			if k%5 > 0 {
				continue
			}
			conflicts := func() float64 {
				r, err := s.model.Estimate(s.tree([]*Candidate{c}))
				if err != nil {
					t.Fatal(err)
				}
				return r.Parts[0].Launch.Conflicts
			}
			least := conflicts()
			for _, place := range placesOf(c.Node) {
				piece := longest[s.f.Tensor(place.Tensor).Type.String()]
				chosen := place.Pad
				for n := range int64(mostPadding + 1) {
					if place.Pad = n * piece; conflicts() < least {
						t.Errorf("%s: 'pad %d' of %s has less conflicts than 'pad %d' of\n%s", name, place.Pad, place.Tensor, chosen, schedule.Print(s.tree([]*Candidate{c})))
					}
				}
				place.Pad = chosen
			}
		}
		if !stages[0] || !stages[2] || name != "windows" && !stages[3] {
			t.Errorf("%s: blocks in turns: %v", name, stages)
		}
	}
}

func placesOf(n schedule.Node) (list []*schedule.Place) {
	if p, ok := n.(*schedule.Place); ok {
		list = append(list, p)
	}
	for _, child := range schedule.Children(n) {
		list = append(list, placesOf(child)...)
	}
	return list
}
