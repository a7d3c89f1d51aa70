package teil

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/lang/teil/teiltest"
	"github.com/ricci-lang/ricci/internal/source"
)

// A reading gives the elements of the tensors before a program; indices count from 1.
type reading func(name string, at ...int) int64

// A formula is what the paper says that a tensor has at κ after a program.
type formula func(r reading, k []int) int64

// A listing is a program of the paper, letter by letter, at sizes that differ.
type listing struct {
	place   string // in the paper
	sizes   string // params
	allocs  string
	text    string             // the statements
	meaning string             // for the table of docs/teil.md
	values  map[string]formula // of what is assigned
	refused string             // the message, if the program is ill-typed
	def     string             // the program of examples/teil with these statements
}

// sum adds the values for 1 to n.
func sum(n int, at func(int) int64) (total int64) {
	for k := 1; k <= n; k++ {
		total += at(k)
	}
	return total
}

func one(name string, f formula) map[string]formula { return map[string]formula{name: f} }

const tacoSizes = "p = 2, q = 3, r = 4"

// The values that several listings have.
var (
	product = one("C", func(r reading, k []int) int64 {
		return sum(3, func(j int) int64 { return r("A", k[0], j) * r("B", j, k[1]) })
	})
	transposedProduct = one("C", func(r reading, k []int) int64 {
		return sum(4, func(j int) int64 { return r("A", j, k[0]) * r("B", j, k[1]) })
	})
	tensorProduct = one("v", func(r reading, k []int) int64 {
		return sum(3, func(l int) int64 {
			return sum(3, func(m int) int64 {
				return sum(3, func(n int) int64 {
					return r("A", k[0], l) * r("B", k[1], m) * r("C", k[2], n) * r("u", l, m, n)
				})
			})
		})
	})
)

const (
	matmulAllocs   = "alloc A : [l, m]  alloc B : [m, n]  alloc C : [l, n]"
	operatorAllocs = "alloc A : [m, n]  alloc B : [m, n]  alloc C : [m, n]  alloc u : [n, n, n]  alloc v : [m, m, m]"
	operatorValue  = "v_ijk = Σ A_il B_jm C_kn u_lmn"
)

var listings = []listing{
	{place: "Figure 7", sizes: "l = 2, m = 3, n = 4", allocs: matmulAllocs, def: "matmul",
		text: "C = red+ 2 (diag 2 3 (prod A B))", meaning: "C_ij = Σ A_ik B_kj", values: product},
	{place: "Figure 7, the first equation", sizes: "l = 2, m = 3, n = 4", allocs: "alloc A : [l, m]  alloc B : [m, n]  alloc C : [l, m, n]",
		text: "C = diag 2 3 (prod A B)", meaning: "C_ikj = A_ik B_kj", values: one("C", func(r reading, k []int) int64 {
			return r("A", k[0], k[1]) * r("B", k[1], k[2])
		})},
	{place: "Figure 7, the second equation", sizes: "l = 2, m = 3, n = 4", allocs: "alloc A : [l, m]  alloc B : [m, n]  alloc C : [l, m, m, n]",
		text: "C = prod A B", meaning: "C_ikhj = A_ik B_hj", values: one("C", func(r reading, k []int) int64 {
			return r("A", k[0], k[1]) * r("B", k[2], k[3])
		})},
	{place: "Equation (3)", sizes: "m = 2, n = 3", allocs: "alloc A : [m, n]  alloc B : [m, n]", def: "equation_3",
		text: "B = proj 2 3 (expa 2 5 A)", meaning: "B = A", values: one("B", func(r reading, k []int) int64 { return r("A", k...) })},
	{place: "Equation (4)", sizes: "n = 3", allocs: "alloc A : [n, n]  alloc d : [n]", def: "equation_4",
		text: "d = diag 1 2 (transp 1 2 A)", meaning: "d = diag 1 2 A", values: one("d", func(r reading, k []int) int64 { return r("A", k[0], k[0]) })},
	{place: "Equation (5)", sizes: "m = 2, n = 3", allocs: "alloc A : [m, n]  alloc B : [m, n]", def: "equation_5",
		text: "B = red+ 1 (expa 1 7 A)", meaning: "B = 7 A", values: one("B", func(r reading, k []int) int64 { return 7 * r("A", k...) })},
	{place: "Equation (6)", sizes: "l = 2, m = 3, n = 4", allocs: matmulAllocs,
		text: "C = contr 2 3 (prod A B)", meaning: "as Figure 7", values: product},
	{place: "Figure 10a, Figure 2a", sizes: tacoSizes, allocs: "alloc A : [p, q]  alloc B : [p, q, r]  alloc C : [r]", def: "taco_a",
		text: "A = contr 3 4 (prod B C)", meaning: "A_ij = Σ B_ijk C_k", values: one("A", func(r reading, k []int) int64 {
			return sum(4, func(j int) int64 { return r("B", k[0], k[1], j) * r("C", j) })
		})},
	{place: "Figure 2a, two sizes of k", sizes: tacoSizes + ", h = 5", allocs: "alloc A : [p, q]  alloc B : [p, q, r]  alloc C : [h]",
		text: "A = contr 3 4 (prod B C)", refused: "T-Contr: dimensions 3 and 4 have sizes 4 and 5"},
	{place: "Figure 10a, Figure 2b", sizes: tacoSizes, allocs: "alloc A : [p, q]  alloc B : [p, q, r]  alloc C : [p]", def: "taco_b",
		text: "A = red+ 3 (diag 1 4 (prod B C))", meaning: "A_ij = Σ B_ijk C_i", values: one("A", func(r reading, k []int) int64 {
			return sum(4, func(j int) int64 { return r("B", k[0], k[1], j) * r("C", k[0]) })
		})},
	{place: "Figure 10a, Figure 2c as printed", sizes: tacoSizes, allocs: "alloc A : [p, q]  alloc B : [r, q, p]  alloc C : [p]",
		text: "A = red+ 1 (diag 3 4 (prod B C))", refused: "OK-Stmt: A has the shape [2, 3], the expression [3, 2]"},
	{place: "the same, p = q", sizes: "p = 3, q = 3, r = 4", allocs: "alloc A : [p, q]  alloc B : [r, q, p]  alloc C : [p]",
		text: "A = red+ 1 (diag 3 4 (prod B C))", meaning: "the transpose of what Figure 2c says", values: one("A", func(r reading, k []int) int64 {
			return sum(4, func(j int) int64 { return r("B", j, k[0], k[1]) * r("C", k[1]) })
		})},
	{place: "Figure 10a, Figure 2c corrected", sizes: tacoSizes, allocs: "alloc A : [p, q]  alloc B : [r, q, p]  alloc C : [p]", def: "taco_c",
		text: "A = transp 1 2 (red+ 1 (diag 3 4 (prod B C)))", meaning: "A_ij = Σ B_kji C_i", values: one("A", func(r reading, k []int) int64 {
			return sum(4, func(j int) int64 { return r("B", j, k[1], k[0]) * r("C", k[0]) })
		})},
	{place: "Figure 10b, Figure 3b", sizes: "h = 4, m = 2, n = 3", allocs: "alloc A : [h, m]  alloc B : [h, n]  alloc C : [m, n]", def: "tvm",
		text: "C = contr 1 3 (prod A B)", meaning: "C = Aᵀ B", values: transposedProduct},
	{place: "Figure 3a", sizes: "h = 4, m = 2, n = 3", allocs: "alloc A : [m, h]  alloc B : [n, h]  alloc C : [m, n]",
		text: "C = contr 1 3 (prod A B)", refused: "T-Contr: dimensions 1 and 3 have sizes 2 and 3"},
	{place: "Figure 3a, with Figure 7's operations", sizes: "h = 4, m = 2, n = 3", allocs: "alloc A : [m, h]  alloc B : [n, h]  alloc C : [m, n]",
		text: "C = red+ 1 (diag 1 3 (prod A B))", refused: "T-Diag: dimensions 1 and 3 have sizes 2 and 3"},
	{place: "Figure 3a, m = n", sizes: "h = 4, m = 3, n = 3", allocs: "alloc A : [m, h]  alloc B : [n, h]  alloc C : [m, n]",
		text: "C = contr 1 3 (prod A B)", refused: "OK-Stmt: C has the shape [3, 3], the expression [4, 4]"},
	{place: "Figure 3a, m = n = h", sizes: "h = 4, m = 4, n = 4", allocs: "alloc A : [m, h]  alloc B : [n, h]  alloc C : [m, n]",
		text: "C = contr 1 3 (prod A B)", meaning: "C = Aᵀ B", values: transposedProduct},
	{place: "Figure 10c, Figures 4a and 4b", sizes: "m = 3", allocs: "alloc A : [m]  alloc B : [m]  alloc C : [m]", def: "sum",
		text: "A = B\nA = add A C", meaning: "A = B + C", values: one("A", func(r reading, k []int) int64 { return r("B", k...) + r("C", k...) })},
	{place: "Figure 11", sizes: "k = 4, m = 2, n = 3", allocs: "alloc A : [m, n]  alloc B : [k, m, n]  alloc C : [m, n]  alloc D : [k, m, n]", def: "mixed",
		text: "C = add A (proj 1 2 B)\nD = add (expa 1 k A) B", meaning: "C_ij = A_ij + B_2ij, D_kij = A_ij + B_kij", values: map[string]formula{
			"C": func(r reading, k []int) int64 { return r("A", k...) + r("B", 2, k[0], k[1]) },
			"D": func(r reading, k []int) int64 { return r("A", k[1:]...) + r("B", k...) },
		}},
	{place: "Figure 11, k = 1", sizes: "k = 1, m = 2, n = 3", allocs: "alloc A : [m, n]  alloc B : [k, m, n]  alloc C : [m, n]  alloc D : [k, m, n]",
		text: "C = add A (proj 1 2 B)\nD = add (expa 1 k A) B", refused: "T-Proj: dimension 1 of size 1 has no slice 2"},
	{place: "Section 5, A ⊗ B ⊗ C", sizes: "m = 2, n = 3", allocs: "alloc A : [m, n]  alloc B : [m, n]  alloc C : [m, n]  alloc T : [m, n, m, n, m, n]",
		text: "T = prod A (prod B C)", meaning: "T_iljmkn = A_il B_jm C_kn", values: one("T", func(r reading, k []int) int64 {
			return r("A", k[0], k[1]) * r("B", k[2], k[3]) * r("C", k[4], k[5])
		})},
	{place: "Section 5, the operator language", sizes: "m = 2, n = 3", allocs: operatorAllocs,
		text: "v = (A * B * C)(u)", meaning: operatorValue, values: tensorProduct},
	{place: "Section 5, Equation (8) flat", sizes: "m = 2, n = 3", allocs: operatorAllocs,
		text: "v = contr 4 5 (contr 3 6 (contr 2 7 (prod (prod A (prod B C)) u)))", meaning: operatorValue, values: tensorProduct},
	{place: "Section 5, contractions lifted", sizes: "m = 2, n = 3", allocs: operatorAllocs + "  alloc s : [m, n, n]  alloc t : [m, m, n]",
		text: "s = contr 2 5 (prod C u)\nt = contr 2 5 (prod B s)\nv = contr 2 5 (prod A t)", meaning: operatorValue, values: tensorProduct},
	{place: "Section 5, wrong order of the dimensions", sizes: "m = 2, n = 3", allocs: operatorAllocs,
		text: "v = contr 1 5 (prod A (contr 2 5 (prod B (contr 2 5 (prod C u)))))", refused: "T-Contr: dimensions 1 and 5 have sizes 2 and 3"},
}

// TestPaper runs every listing of the paper: its verdict is the expected one, and its
// values are those of the formula by the paper's semantics, by the reference evaluator
// of what it is lowered to, and rewritten by the equations.
func TestPaper(t *testing.T) {
	var table strings.Builder
	table.WriteString("| listing | program | means | in examples/teil |\n|---|---|---|---|\n")
	for _, l := range listings {
		result := l.meaning
		t.Run(l.place, func(t *testing.T) { l.run(t) })
		if l.refused != "" {
			result = "refused: " + l.refused
		}
		def := ""
		if l.def != "" {
			def = "`" + l.def + "`"
		}
		fmt.Fprintf(&table, "| %s | `%s` | %s | %s |\n", l.place, strings.ReplaceAll(l.text, "\n", "; "), result, def)
	}
	goldentest.Section(t, "../../../docs/teil.md", "paper", table.String())
}

func (l *listing) run(t *testing.T) {
	params := "param " + strings.ReplaceAll(l.sizes, ", ", "\nparam ") + "\n"
	file, diagnostics := syntax.Parse(source.NewFile("paper.teil", params+l.allocs+"\n"+l.text+"\n"))
	if err := diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	for _, a := range file.Programs[0].Allocs {
		a.Type = &syntax.Name{Name: "int64"} // values are exact
	}
	typings, diagnostics := Check(file)
	if l.refused != "" {
		if err := diagnostics.Err(); len(typings) > 0 || !strings.Contains(fmt.Sprint(err), l.refused) {
			t.Errorf("expected to be refused by %s: %v", l.refused, err)
		}
		return
	}
	if err := diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	typing := typings[0]
	memory := teiltest.InitialMemory(typing.Program, 1)
	want, err := teiltest.Run(teiltest.Integers{}, typing.Program, memory)
	if err != nil {
		t.Fatal(err)
	}
	compareRun(t, 1, typing, memory, want)
	for name, f := range l.values {
		for k := range teiltest.Indices(want[name].Shape) {
			expected := f(func(name string, at ...int) int64 {
				v, defined := memory[name].At(at)
				if !defined {
					t.Fatalf("the formula reads %s at %v", name, at)
				}
				return v
			}, k)
			if got, _ := want[name].At(k); got != expected {
				t.Fatalf("%s at %v is %d, the paper's formula gives %d", name, k, got, expected)
			}
		}
	}
	if l.def != "" && !slices.Equal(exampleStatements(t, l.def), statementsOf(file.Programs[0])) {
		t.Errorf("%s in examples/teil is another program", l.def)
	}
}

func statementsOf(p *syntax.Program) (list []string) {
	for _, s := range p.Statements {
		list = append(list, syntax.PrintStatement(s))
	}
	return list
}

// exampleStatements returns the statements of a program in examples/teil/paper.teil.
func exampleStatements(t *testing.T, def string) []string {
	path := filepath.Join("..", "..", "..", "examples", "teil", "paper.teil")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, diagnostics := syntax.Parse(source.NewFile(path, string(text)))
	if err := diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	for _, p := range file.Programs {
		if p.Name.Name == def {
			return statementsOf(p)
		}
	}
	return nil
}

// TestFigure8 has for each rule of Figure 8 an expression that it accepts, with its type,
// and one that it does not; the types of all other shapes are refused, as types are unique.
func TestFigure8(t *testing.T) {
	const context = "alloc s : [] in alloc x : [3] in alloc y : [4] in alloc A : [2, 3] in alloc Q : [4, 5, 4, 6] in\n"
	shapes := []string{"[]", "[2]", "[3]", "[2, 3]", "[3, 2]", "[2, 3, 4]", "[2, 7, 3]", "[2, 3, 7]", "[4, 5, 6]", "[4, 6, 4, 5]", "[5, 4, 6]"}
	for _, test := range []struct{ rule, well, shape, ill string }{
		{"T-Var", "A", "[2, 3]", "B"},
		{"T-Paren", "(A)", "[2, 3]", ""},
		{"T-Add", "add A A", "[2, 3]", "add A (transp 1 2 A)"},
		{"T-Mul", "mul A A", "[2, 3]", "mul x y"},
		{"T-SMul", "mul s A", "[2, 3]", ""},
		{"T-Prod", "prod A y", "[2, 3, 4]", ""},
		{"T-Red+", "red+ 2 A", "[2]", "red+ 3 A"},
		{"T-Transp", "transp 2 4 Q", "[4, 6, 4, 5]", "transp 1 5 Q"},
		{"T-Diag", "diag 1 3 Q", "[4, 5, 6]", "diag 1 2 Q"},
		{"T-Expa", "expa 2 7 A", "[2, 7, 3]", "expa 4 7 A"},
		{"T-Expa", "expa 3 7 A", "[2, 3, 7]", "expa 1 0 A"},
		{"T-Proj", "proj 1 4 Q", "[5, 4, 6]", "proj 1 5 Q"},
	} {
		for _, shape := range shapes {
			_, diagnostics := compileText(t, context+"alloc r : "+shape+" out\nr = "+test.well+"\n")
			if accepted := !diagnostics.HasErrors(); accepted != (shape == test.shape) {
				t.Errorf("%s: %s : %s is accepted: %v", test.rule, test.well, shape, accepted)
			}
		}
		if test.ill == "" {
			continue
		}
		_, diagnostics := compileText(t, context+"alloc r : "+test.shape+" out\nr = "+test.ill+"\n")
		if err := diagnostics.Err(); err == nil || !strings.Contains(err.Error(), test.rule+": ") {
			t.Errorf("%s is not refused by %s: %v", test.ill, test.rule, err)
		}
	}
}

// TestOperatorComplexity is Section 5's claim: nested contractions take O(n⁶) operations,
// lifted ones O(n⁴), for products and for linear combinations of them.
func TestOperatorComplexity(t *testing.T) {
	for _, operator := range []string{
		"(A * B * C)(u)",
		"(A * B * C + s * B * C * A)(u)",
		"contr 4 5 (contr 3 6 (contr 2 7 (prod (prod A (prod B C)) u)))",
	} {
		file, _ := syntax.Parse(source.NewFile("test.teil", "alloc A : [n, n] alloc B : [n, n] alloc C : [n, n] alloc s : [] alloc u : [n, n, n] alloc v : [n, n, n]\nv = "+operator))
		typing, diagnostics := CheckProgram(file.Programs[0])
		if typing == nil {
			t.Fatal(diagnostics.Err())
		}
		degree := func(of *Typing) float64 {
			count := of.Count()
			small, err := count.Eval(map[string]int64{"n": 200})
			large, err2 := count.Eval(map[string]int64{"n": 400})
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			return math.Round(math.Log2(float64(large) / float64(small)))
		}
		if before, after := degree(typing), degree(typing.Optimise().Result); before != 6 || after != 4 {
			t.Errorf("%s: O(n^%g) becomes O(n^%g)", operator, before, after)
		}
	}
}
