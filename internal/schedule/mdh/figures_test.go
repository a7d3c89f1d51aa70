package mdh

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
)

func parseFunc(t testing.TB, text string) *ein.Func {
	t.Helper()
	f, err := ein.ParseFunc("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// machine is a fixed processor.
var processor = &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2}

func hostModels(int) *machine.Machine { return machine.Of(processor, 4) }

const resnet = `
func matmul {
  in A: float32[16, 2048]
  in B: float32[2048, 1000]
  out C: float32[16, 1000]
  for i in 0:16, j in 0:1000, k in 0:2048 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`

// TestFigures reads the configurations of the paper's Figures 20 to 23 and says what
// is wrong with them: 21 has a slip in S1 and R1, and the parts of 22 and 23 do not
// cover the sizes, because tuned tile sizes that do not divide were printed as counts.
func TestFigures(t *testing.T) {
	f := parseFunc(t, resnet)
	c := ComputationOf(f, 0)
	for name, want := range map[string]struct {
		slips []string
		mend  func(k *Configuration)
		exact bool
	}{
		"figure20-tvm-cuda": {exact: true},
		"figure21-tvm-opencl": {
			slips: []string{"parameter S1 at level (2,3): its position is that of (1,3)", "parameter S1 at level (3,1): ", "parameter R1 at level (2,3): "},
			mend: func(k *Configuration) {
				for at := range k.Rows {
					for p := Scalar; p <= Recompose; p++ {
						k.Rows[at].Order[p] = k.Rows[at].Order[Decompose]
					}
				}
			},
			exact: true,
		},
		"figure22-ppcg-cuda": {
			slips: []string{"parameter 0 at level (1,3): 1 parts of 1181 do not cover the block of 2048 of k: expected 2"},
			mend:  func(k *Configuration) { k.Row(Level{1, 3}).Parts = 2 },
		},
		"figure23-pluto-openmp": {
			slips: []string{"parameter 0 at level (1,2): 1 parts of 962 do not cover the block of 1000 of j: expected 2", "parameter 0 at level (1,3): 1 parts of 1962"},
			mend:  func(k *Configuration) { k.Row(Level{2, 2}).Parts, k.Row(Level{2, 3}).Parts = 2, 10 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			p, err := ParsePlan(string(text), hostModels)
			if err != nil {
				t.Fatal(err)
			}
			if p.String() != string(text) {
				t.Errorf("printed as\n%s", p)
			}
			k := p.Groups[0].Members[0].Configuration
			found := errorsOf(Validate(c, k, Options{}))
			for _, slip := range want.slips {
				if !strings.Contains(found, slip) {
					t.Errorf("found %q, expected %q", found, slip)
				}
			}
			var invalid *InvalidError
			if err := p.Validate(f); len(want.slips) > 0 && (!errors.As(err, &invalid) || strings.Count(err.Error(), "the configuration of S0") != 1) {
				t.Errorf("the plan: %v", err)
			}
			if want.mend != nil {
				want.mend(k)
			} else if found != "" {
				t.Error(found)
			}
			if list := Validate(c, k, Options{Exact: want.exact}); len(list) > 0 {
				t.Error(errorsOf(list))
			}
			var foreign *ForeignError
			switch err := p.Validate(f); {
			case k.onGrid():
				if err != nil {
					t.Errorf("a valid plan for groups and items: %v", err)
				}
			case !errors.As(err, &foreign) || foreign.Line(string(text)) != 1:
				t.Errorf("a valid plan for another model: %v", err)
			}
			if !want.exact && len(Validate(c, k, Options{Exact: true})) == 0 {
				t.Error("the parts divide the sizes")
			}
		})
	}
}

func errorsOf(list []Violation) string {
	var lines []string
	for _, v := range list {
		lines = append(lines, v.Error())
	}
	return strings.Join(lines, "\n")
}
