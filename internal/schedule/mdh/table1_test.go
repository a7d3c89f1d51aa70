package mdh

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// The two programs of Figure 16 that matrix products are least like: a stencil, whose
// operators are concatenations and which reads a buffer five times, and maximum bottom box
// sum, whose operators are a prefix sum and a fold.
const (
	jacobi2d = `
func jacobi2d {
  in I: float32[14, 22]
  out O: float32[12, 20]
  for i in 0:12, j in 0:20 {
    O[i, j] = 0.2f32 * (I[i + 1i64, j + 1i64] + I[i, j + 1i64] + I[i + 2i64, j + 1i64] + I[i + 1i64, j] + I[i + 1i64, j + 2i64])
  }
}`
	mbbs = `
func mbbs {
  in A: float32[12, 20]
  out O: float32[12]
  for i in 0:12 scan +, j in 0:20 reduce + { O[i] = A[i, j] }
}`
)

// A tableRow is a value of a parameter of Table 1.
type tableRow struct {
	parameter string
	change    func(k *Configuration)
	breaks    string // what Validate says; "" where the value is one of the range
	tree      string // what the schedule tree has then, on the host
}

// TestTable1 gives each of the 15 parameters values inside and outside of its range in
// Table 1, on the host and on models of the paper. What is valid means what the program
// means, executed as Figure 19 has it; on the host it is a legal tree, where the parameter
// has the effect that the table says.
func TestTable1(t *testing.T) {
	host := machine.Of(processor, 4)
	openmp, cuda := machine.Named("openmp"), machine.Named("cuda")
	at := func(layer, dim int) Level { return Level{layer, dim} }
	// The levels that have parts: an outer and an inner memory layer of the host, of OpenMP,
	// of CUDA.
	swap := func(k *Configuration, a, b Level, phases ...Phase) {
		for _, p := range phases {
			ra, rb := k.Row(a), k.Row(b)
			ra.Order[p], rb.Order[p] = rb.Order[p], ra.Order[p]
		}
	}
	assign := func(k *Configuration, a, b Level, phases ...Phase) {
		for _, p := range phases {
			ra, rb := k.Row(a), k.Row(b)
			ra.Assign[p], rb.Assign[p] = rb.Assign[p], ra.Assign[p]
		}
	}
	all := []Phase{Decompose, Scalar, Recompose}
	from := func(k *Configuration, layer int, set func(r *Row)) {
		for ; layer <= k.Layers; layer++ {
			for d := range k.Dims {
				set(k.Row(at(layer, d+1)))
			}
		}
	}
	for _, test := range []struct {
		name         string
		text         string
		model        *machine.Machine
		outer, inner int
		rows         []tableRow
	}{
		{"jacobi2d on the host", jacobi2d, host, 2, 5, []tableRow{
			{"0", func(k *Configuration) {}, "", "band S0.i tile 4 | S0.j tile 5 | S0.i | S0.j"},
			{"0", func(k *Configuration) { k.Row(at(2, 1)).Parts, k.Row(at(5, 1)).Parts = 2, 6 }, "", "band S0.i tile 6 | S0.j tile 5"},
			{"0", func(k *Configuration) { k.Row(at(2, 1)).Parts = 2 }, "1 parts of 8 do not cover the block of 12 of i: expected 2 (Π #PRT must reach the size 12)", ""},
			{"0", func(k *Configuration) { k.Row(at(1, 2)).Parts = 2 }, "2 parts of 20 cover the block of 20 of j more than once", ""},
			{"0", func(k *Configuration) { k.Row(at(2, 1)).Parts, k.Row(at(5, 1)).Parts = 3, 5 }, "", "band S0.i tile 5 | S0.j tile 5"}, // beyond the paper: 3·5 ≥ 12
			{"D1", func(k *Configuration) { swap(k, at(2, 1), at(2, 2), all...) }, "", "band S0.j tile 5 | S0.i tile 4 | S0.i | S0.j"},
			{"D1", func(k *Configuration) { k.Row(at(2, 1)).Order[Decompose] = k.Row(at(2, 2)).Order[Decompose] }, "D1 at level (2,2): its position is that of (2,1)", ""},
			{"D1", func(k *Configuration) { swap(k, at(2, 1), at(2, 2), Decompose) }, "", "band S0.i tile 4 | S0.j tile 5"}, // nothing is copied there
			{"D2", func(k *Configuration) { assign(k, at(1, 1), at(2, 1), all...) }, "", "band S0.i tile 4 parallel | S0.j tile 5"},
			{"D2", func(k *Configuration) { assign(k, at(6, 2), at(5, 2), all...) }, "", "S0.i | S0.j unroll"},
			{"D2", func(k *Configuration) { k.Row(at(1, 1)).Assign[Decompose] = k.Row(at(2, 1)).Assign[Decompose] }, "D2 at level (2,1): MM,0 is assigned to (1,1) already", ""},
			{"D3", func(k *Configuration) { from(k, 5, func(r *Row) { r.In[0].Region = 4 }) }, "", "place I private"},
			{"D3", func(k *Configuration) { k.Row(at(2, 1)).In[0].Region = 0 }, "D3 at level (2,1): region 0 for I", ""},
			{"D4", func(k *Configuration) { from(k, 5, func(r *Row) { r.In[0] = Place{4, []int{2, 1}} }) }, "", "place I private layout 2 1"},
			{"D4", func(k *Configuration) { k.Row(at(2, 1)).In[0].Layout = []int{1} }, "D4 at level (2,1): [1] is no layout of I: expected a permutation of [1,2]", ""},
			{"S1", func(k *Configuration) { swap(k, at(2, 1), at(2, 2), Scalar) }, "", "band S0.j tile 5 | S0.i tile 4 | S0.i | S0.j"},
			{"S1", func(k *Configuration) { k.Row(at(2, 1)).Order[Scalar] = 99 }, "S1 at level (2,1): position 100 of 14 levels", ""},
			{"S2", func(k *Configuration) { assign(k, at(1, 1), at(2, 1), Scalar) }, "", "band S0.i tile 4 parallel | S0.j tile 5"},
			{"S2", func(k *Configuration) { k.Row(at(2, 1)).Assign[Scalar] = machine.Level{Layer: 8, Dim: 1} }, "S2 at level (2,1): ", ""},
			{"S3", func(k *Configuration) { k.ScalarInputs[0].Region = 4 }, "", "band S0.i tile 4"},
			{"S3", func(k *Configuration) { k.ScalarInputs[0].Region = 6 }, "S3: region 6 for I", ""},
			{"S4", func(k *Configuration) { k.ScalarInputs[0].Layout = []int{2, 1} }, "", "band S0.i tile 4"},
			{"S4", func(k *Configuration) { k.ScalarInputs[0].Layout = []int{2, 2} }, "S4: [2,2] is no layout of I", ""},
			{"S5", func(k *Configuration) { k.ScalarOutputs[0].Region = 1 }, "", "band S0.i tile 4"},
			{"S5", func(k *Configuration) { k.ScalarOutputs[0].Region = -1 }, "S5: region -1 for O", ""},
			{"S6", func(k *Configuration) { k.ScalarOutputs[0].Layout = []int{2, 1} }, "", "band S0.i tile 4"},
			{"S6", func(k *Configuration) { k.ScalarOutputs[0].Layout = nil }, "S6: [] is no layout of O", ""},
			{"R1", func(k *Configuration) { swap(k, at(2, 1), at(2, 2), Recompose) }, "", "band S0.i tile 4 | S0.j tile 5"}, // nothing is folded

			{"R2", func(k *Configuration) { assign(k, at(1, 1), at(2, 1), Recompose) }, "", "band S0.i tile 4 | S0.j tile 5"},
			{"R3", func(k *Configuration) { k.Row(at(2, 1)).Out[0].Region = 9 }, "R3 at level (2,1): region 9 for O", ""},
			{"R4", func(k *Configuration) { k.Row(at(2, 1)).Out[0].Layout = []int{2, 1} }, "", "band S0.i tile 4"},
			{"R4", func(k *Configuration) { k.Row(at(2, 1)).Out[0].Layout = []int{0, 1} }, "R4 at level (2,1): [0,1] is no layout of O", ""},
		}},
		{"mbbs on the host", mbbs, host, 2, 5, []tableRow{ // whose levels come as i, i, j, j
			{"0", func(k *Configuration) {}, "", "accumulate S0 shared\n  band S0.i tile 4 | S0.i | S0.j tile 5 | S0.j"},
			{"0", func(k *Configuration) { k.Row(at(2, 2)).Parts, k.Row(at(5, 2)).Parts = 1, 20 }, "", "band S0.i tile 4 | S0.i | S0.j"},
			{"0", func(k *Configuration) { k.Row(at(2, 2)).Parts = 5 }, "5 parts of 5 cover the block of 20 of j more than once: expected 4", ""},
			{"D1", func(k *Configuration) {
				swap(k, at(2, 1), at(2, 2), all...)
				swap(k, at(5, 1), at(5, 2), all...)
			}, "", "band S0.j tile 5 | S0.j | S0.i tile 4 | S0.i"},
			{"D2", func(k *Configuration) { assign(k, at(1, 1), at(2, 1), all...) }, "S2 at level (2,1): the reduced dimensions of S0 are combined in order, by one thread", ""},
			{"D3", func(k *Configuration) {
				from(k, 5, func(r *Row) { r.In[0].Region = 4 })
				k.Row(at(2, 2)).In[0].Region = 4
			}, "", "place A private"},
			{"R1", func(k *Configuration) { swap(k, at(5, 1), at(2, 2), all...) }, "R1 at level (5,1): the levels of i are together where S0 is combined in order", ""},
			{"R1", func(k *Configuration) { swap(k, at(2, 1), at(5, 1), all...) }, "R1 at level (2,1): S0 is combined in order", ""},
			{"R3", func(k *Configuration) { from(k, 2, func(r *Row) { r.Out[0].Region = k.Model.Memories() }) }, "", "accumulate S0 register"},
			{"R3", func(k *Configuration) { from(k, 2, func(r *Row) { r.Out[0].Region = 4 }) }, "R3 at level (2,1): the result of S0, which is combined in order, is in registers or in main memory", ""},
		}},
		{"jacobi2d in OpenMP", jacobi2d, openmp, 2, 4, []tableRow{
			{"0", func(k *Configuration) { k.Row(at(1, 1)).Parts, k.Row(at(2, 1)).Parts = 3, 1 }, "", ""},
			{"D1", func(k *Configuration) { swap(k, at(2, 1), at(4, 2), Decompose) }, "", ""},
			{"D2", func(k *Configuration) { assign(k, at(1, 1), at(4, 2), Decompose) }, "", ""},
			{"D3", func(k *Configuration) { k.Row(at(4, 2)).In[0].Region = 3; k.Row(at(2, 1)).In[0].Region = 2 }, "", ""},
			{"D4", func(k *Configuration) { k.Row(at(4, 2)).In[0].Layout = []int{2, 1} }, "", ""},
			{"S1", func(k *Configuration) { swap(k, at(2, 1), at(4, 2), Scalar) }, "", ""},
			{"S2", func(k *Configuration) { assign(k, at(1, 1), at(4, 2), Scalar) }, "", ""},
			{"S3", func(k *Configuration) { k.ScalarInputs[0].Region = 2 }, "", ""},
			{"S4", func(k *Configuration) { k.ScalarInputs[0].Layout = []int{2, 1} }, "", ""},
			{"S5", func(k *Configuration) { k.ScalarOutputs[0].Region = 1 }, "", ""},
			{"S6", func(k *Configuration) { k.ScalarOutputs[0].Layout = []int{2, 1} }, "", ""},
			{"R1", func(k *Configuration) { swap(k, at(2, 1), at(4, 2), Recompose) }, "", ""},
			{"R2", func(k *Configuration) { assign(k, at(1, 1), at(4, 2), Recompose) }, "", ""},
			{"R3", func(k *Configuration) { k.Row(at(4, 2)).Out[0].Region = 3; k.Row(at(2, 1)).Out[0].Region = 2 }, "", ""},
			{"R4", func(k *Configuration) { k.Row(at(4, 2)).Out[0].Layout = []int{2, 1} }, "", ""},
		}},
		{"mbbs in OpenMP", mbbs, openmp, 2, 4, []tableRow{
			{"R1", func(k *Configuration) {}, "", ""},
			{"R1", func(k *Configuration) { swap(k, at(2, 2), at(4, 1), Recompose) }, "", ""},
			{"R1", func(k *Configuration) { swap(k, at(2, 1), at(4, 2), Recompose) }, "R1 at level", ""},
			{"R2", func(k *Configuration) {
				swap(k, at(2, 2), at(4, 1), Recompose)
				assign(k, at(1, 2), at(4, 2), Recompose)
			}, "", ""},
			{"D1", func(k *Configuration) {
				swap(k, at(2, 2), at(4, 1), Recompose)
				swap(k, at(2, 1), at(4, 2), Decompose)
			}, "", ""},
			{"S1", func(k *Configuration) {
				swap(k, at(2, 2), at(4, 1), Recompose)
				swap(k, at(2, 1), at(2, 2), Scalar)
			}, "", ""},
			{"R4", func(k *Configuration) {
				swap(k, at(2, 2), at(4, 1), Recompose)
				k.Row(at(2, 1)).Out[0].Layout = []int{2}
			}, "R4 at level (2,1): [2] is no layout of O: expected a permutation of [1]", ""},
		}},
		// Table 2: where blocks, or threads, share the parts of an operator other than ++.
		{"jacobi2d in CUDA", jacobi2d, cuda, 3, 5, []tableRow{
			{"R3", func(k *Configuration) {
				k.Row(at(1, 1)).Parts, k.Row(at(3, 1)).Parts = 3, 1
				k.Row(at(1, 1)).Out[0].Region = 2
			}, "", ""},
			{"R3", func(k *Configuration) {
				k.Row(at(2, 1)).Parts, k.Row(at(3, 1)).Parts = 3, 1
				k.Row(at(2, 1)).Out[0].Region = 1
			}, "", ""},
		}},
		{"mbbs in CUDA", mbbs, cuda, 3, 5, []tableRow{
			{"R3", func(k *Configuration) {
				swap(k, at(3, 2), at(5, 1), all...)
				k.Row(at(1, 2)).Parts, k.Row(at(3, 2)).Parts = 4, 1
				k.Row(at(1, 2)).Out[0].Region = 2
			}, "R3 at level (1,2): O is combined in SM, expected DM", ""},
			{"R3", func(k *Configuration) {
				swap(k, at(3, 2), at(5, 1), all...)
				k.Row(at(2, 2)).Parts, k.Row(at(3, 2)).Parts = 4, 1
				k.Row(at(2, 2)).Out[0].Region = 3
			}, "R3 at level (2,2): O is combined in RM, expected DM or SM", ""},
		}},
	} {
		f := parseFunc(t, test.text)
		c := ComputationOf(f, 0)
		args, err := eintest.Arguments(1, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, bounds, err := ein.EvaluateWithBounds(f, args, ein.EvalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range test.rows {
			t.Run(test.name+"/"+row.parameter, func(t *testing.T) {
				k := New(c, test.model)
				k.Row(at(test.outer, 1)).Parts, k.Row(at(test.outer, 2)).Parts = 3, 4
				k.Row(at(test.inner, 1)).Parts, k.Row(at(test.inner, 2)).Parts = 4, 5
				if test.text == mbbs && test.model == host {
					swap(k, at(2, 2), at(5, 1), all...)
				}
				row.change(k)
				found := errorsOf(Validate(c, k, Options{}))
				if row.breaks != "" {
					if !strings.Contains(found, row.breaks) || !strings.Contains(found, "parameter ") {
						t.Errorf("found %q, expected %q", found, row.breaks)
					}
					return
				}
				if found != "" {
					t.Fatalf("%s\n%s", found, k.Table("S0"))
				}
				p := &Plan{Groups: []*Group{Single(0, k)}}
				got, err := Evaluate(f, p, args)
				if err != nil {
					t.Fatal(err)
				}
				compared, err := ein.Compare(got["O"], want["O"], bounds["O"])
				if err != nil || !compared.OK() {
					t.Errorf("%v %v", err, compared)
				}
				if test.model != host {
					return
				}
				tree, err := Make(f, p)
				if err != nil {
					t.Fatal(err)
				}
				if text := schedule.Print(tree); !strings.Contains(text, row.tree) {
					t.Errorf("no %q in\n%s", row.tree, text)
				}
			})
		}
	}
}
