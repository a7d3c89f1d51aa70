package sketch

import (
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
    band S0.i tile 128 groups | S0.j tile 256 groups
      accumulate S0 register
        band S0.k tile 32
          place A local pad 8 vector 8
            place B local pad 8 vector 8
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
