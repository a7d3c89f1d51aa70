package schedule

import (
	"go/ast"
	syntax "go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Functions whose trees are refused below.
const (
	sums = `
func sums {
  in A: float32[8, 16]
  in B: float32[16, 32]
  out C: float32[8, 32]
  for i in 0:8, j in 0:32, k in 0:16 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`
	twoSums = `
func twoSums {
  in A: float32[8, 16]
  out C: float32[8]
  out D: float32[8]
  for i in 0:8, k in 0:16 reduce + { C[i] = A[i, k] }
  for i in 0:8, k in 0:16 reduce + { D[i] = A[i, k] * 2f32 }
}`
	copies = `
func copies {
  in X: float32[16, 32]
  out Y: float32[16, 32]
  out Z: float32[16, 32]
  for i in 0:16, j in 0:32 { Y[i, j] = X[i, j] }
  for i in 0:16, j in 0:32 { Z[i, j] = X[i, j] * 2f32 }
}`
	halves = `
func halves {
  in A: float16[8, 16]
  out C: float16[8]
  for i in 0:8, k in 0:16 reduce + { C[i] = A[i, k] }
}`
	scanned = `
func scanned {
  in X: float32[8, 16]
  out Y: float32[8, 16]
  for i in 0:8, j in 0:16 scan + { Y[i, j] = X[i, j] }
}`
	joined = `
func joined {
  in A: float32[8, 16]
  inout C: float32[8]
  for i in 0:8, k in 0:16 reduce max accumulate + { C[i] = A[i, k] }
}`
	counts = `
func counts {
  in X: int32[100]
  out H: int32[16]
  for v in 0:16, i in 0:100 reduce + { H[v] = X[i] == int32(v) ? 1i32 : 0i32 }
}`
	masks = `
func masks {
  in M: int32[16]
  in X: float32[16, 100]
  out Y: float32[16]
  for i in 0:16, j in 0:100 reduce + { Y[i] = M[i] == 0i32 ? X[i, j] : 0f32 }
}`
	rowSums = `
func rowSums {
  size N = dim 0 of V
  in A: float32[24, 24]
  in V: float32[N]
  out C: float32[24]
  out D: float32[24]
  for i in 0:24, k in 0:24 reduce + { C[i] = A[i, k] }
  for i in 0:24, k in 0:N reduce + { D[i] = V[k] }
}`
	parity = `
func parity {
  in X: bool[8, 16]
  out Y: bool[8]
  op differ(a: bool | b: bool) = (a != b) identity (false) associative commutative
  for i in 0:8, k in 0:16 reduce differ { Y[i] = X[i, k] }
}`
	apart = `
func apart {
  size N = dim 0 of X
  size M = dim 0 of V
  in X: float32[N]
  in V: float32[M]
  out Y: float32[N]
  out Z: float32[M]
  for i in 0:N { Y[i] = X[i] }
  for i in 0:M { Z[i] = V[i] }
}`
	bytes = `
func bytes {
  in A: uint8[8, 16]
  in B: uint8[16, 16]
  out C: int32[8, 16]
  for i in 0:8, j in 0:16, k in 0:16 reduce + { C[i, j] = int32(A[i, k]) * int32(B[k, j]) }
}`
	gathered = `
func gathered {
  size N = dim 0 of X
  in X: float32[N]
  in I: int32[16]
  out Y: float32[16]
  for i in 0:16 { Y[i] = X![int64(I[i])] }
}`
)

const (
	domain2, domain3 = "domain S0[i, j]; S1[i, j]\n", "domain S0[i, j, k]\n"
	bySequence       = "sequence\n  filter S0\n    band S0.i | S0.j\n  filter S1\n    band "
)

// refusals has a tree for each reason to refuse one.
var refusals = []struct{ f, tree, want string }{
	{copies, domain2 + "sequence\n  filter S0\n    band S0.i | S0.j\n  filter S0\n    band S0.i | S0.j", "its filters must name each of the statements S0, S1 once"},
	{copies, domain2 + "band S0.i S1.i | S0.j S1.j", "the order of S0, S1 is open; put a sequence above"},
	{copies, domain2 + "band S0.i | S0.j\n  sequence\n    filter S0\n    filter S1", "must have one index of each of the statements S0, S1"},
	{copies, domain2 + bySequence + "S1.i | S1.x", "S1 has no index x"},
	{copies, domain2 + bySequence + "S1.i+1*x | S1.j", "S1.i is skewed by x, expected an index of the statement"},
	{copies, domain2 + bySequence + "S1.i+1*j | S1.j+1*i", "do not say the values of the indices"},
	{copies, domain2 + bySequence + "S1.i | S1.j tile 8 vector 8 | S1.j", "a vector loop has no tile and is not parallel"},
	{copies, domain2 + bySequence + "S1.i | S1.j parallel vector 8", "a vector loop has no tile and is not parallel"},
	{copies, domain2 + bySequence + "S1.i | S1.j vector 1", "a vector of 1 lanes, expected a power of two"},
	{copies, domain2 + bySequence + "S1.i vector 4 | S1.j vector 4", "has two vector loops"},
	{copies, domain2 + bySequence + "S1.i flip | S1.j", "groups are flipped, other loops are not"},
	{copies, domain2 + bySequence + "S1.i ahead 64 | S1.j", "vector loops ask for what is up to"},
	{copies, domain2 + bySequence + "S1.i | S1.j vector 8 whole-lines 4", "rows are cut at lines where their vectors go past the caches"},
	{copies, domain2 + bySequence + "S1.i first-lines 4 | S1.j", "pipelines ask for up to 64 lines of the next piece of a row, other loops for none"},
	{copies, "domain S0[i, j]; S1[i, j]\nband S0.i S1.i pipeline first-lines 65\n  sequence\n    filter S0\n      band S0.j\n    filter S1\n      band S1.j", "pipelines ask for up to 64 lines"},
	{copies, domain2 + "band S0.i S1.i tile 4\n  band S0.i S1.i parallel\n    sequence\n      filter S0\n        band S0.j parallel\n      filter S1\n        band S1.j", "a parallel loop inside of a parallel loop"},
	{copies, domain2 + "place Q private\n  " + strings.ReplaceAll(bySequence, "\n", "\n  ") + "S1.i | S1.j", "Q is no tensor of"},
	{copies, domain2 + "place X output\n  " + strings.ReplaceAll(bySequence, "\n", "\n  ") + "S1.i | S1.j", "a tensor is placed in register, private, workspace or local"},
	{copies, domain2 + "place X private layout 1 3\n  " + strings.ReplaceAll(bySequence, "\n", "\n  ") + "S1.i | S1.j", "names each of its 2 dimensions once"},
	{copies, domain2 + "sequence\n  filter S0\n    band S0.i | S0.j\n  filter S1\n    accumulate S0 register\n      band S1.i | S1.j", "S0 is not enumerated here"},
	{copies, domain2 + "sequence\n  filter S0\n    band S0.i | S0.j\n  filter S1\n    accumulate S1 register\n      band S1.i | S1.j", "S1 has no reduced index"},
	{copies, domain2 + bySequence + "S1.i pad | S1.j", "only tiles can be padded, and the member \"S1.i pad\" has none"},
	{copies, domain2 + bySequence + "S1.i | S1.j stream", "vector loops stream, others do not"},
	{copies, domain2 + bySequence + "S1.i pipeline | S1.j", "below a pipeline there is a sequence of 2 to 8 filters, and nothing but places between"},
	{copies, domain2 + "band S0.i S1.i tile 4 | S0.i S1.j | S0.j S1.i\n  sequence\n    filter S0\n    filter S1", "the blocks of the fused S1.j and S0.i differ"},
	{apart, "domain S0[i]; S1[i]\nband S0.i S1.i tile 4 | S0.i S1.i\n  sequence\n    filter S0\n    filter S1", "the ranges of the fused S1.i and S0.i differ"},
	{gathered, "domain S0[i]\nband S0.i vector 4", "S0.i cannot be a vector: the tested access to X depends on it, and its size is not known"},
	{parity, "domain S0[i, k]\nband S0.i\n  accumulate S0 register\n    band S0.k vector 4", "lanes cannot be folded with the operator differ, which has tuples with bools"},
	{bytes, domain3 + "place B private\n  band S0.i+1*j | S0.j\n    accumulate S0 register\n      band S0.k group 4", "loops of S0 are skewed, or fused with other ranges: it has no groups"},
	{scanned, "domain S0[i, j]\nband S0.i\n  accumulate S0 workspace\n    band S0.j tile 4 parallel\n      accumulate S0 workspace\n        band S0.j parallel", "the pieces of a scan that run in parallel are cut once"},

	{sums, domain3 + "band S0.i | S0.j\n  accumulate S0 register\n    band S0.k\n      accumulate S0 output\n        band S0.k", "partial results in the output are the outermost accumulators"},
	{sums, domain3 + "band S0.i | S0.j\n  accumulate S0 register\n    band S0.k tile 4\n      accumulate S0 workspace\n        band S0.k parallel", "are the outermost accumulators, but for those in the output"},
	{sums, domain3 + "band S0.i | S0.j\n  accumulate S0 register\n    band S0.k tile 4\n      accumulate S0 shared\n        band S0.k", "shared partial results are the outermost accumulators"},
	{sums, domain3 + "band S0.i | S0.j\n  accumulate S0 workspace\n    band S0.k tile 4\n      band S0.k", "the parallel loop over what S0 reduces is the first one inside of its partial results"},
	{sums, domain3 + "band S0.i | S0.j tile 8 | S0.j vector 8\n  accumulate S0 workspace\n    band S0.k parallel", "partial results of a parallel loop are scalars, and S0.j is a vector here"},
	{sums, domain3 + "band S0.i\n  accumulate S0 private\n    band S0.k tile 4\n      accumulate S0 early\n        band S0.k | S0.j", "early partial results are the outermost accumulators"},
	{sums, domain3 + "accumulate S0 early\n  band S0.k tile 4\n    accumulate S0 register\n      band S0.k | S0.i | S0.j", "early partial results are the only accumulators"},
	{sums, domain3 + "accumulate S0 output\n  band S0.i | S0.j | S0.k coincident", "whose iterations combine their results: the loop is not coincident"},
	{sums, domain3 + "accumulate S0 output\n  band S0.i | S0.j | S0.k vector 4", "along a reduced index, have partial results of their own, of few results"},
	{sums, domain3 + "accumulate S0 output\n  band S0.i | S0.j | S0.k group 2", "groups"},
	{sums, domain3 + "band S0.i | S0.k\n  accumulate S0 register\n    band S0.j", "the results of S0 are open outside of"},
	{sums, domain3 + "band S0.k tile 16 groups\n  accumulate S0 register\n    band S0.i items 16 | S0.j items 16 | S0.k", "expected accumulate S0 workspace right above it"},
	{sums, domain3 + "accumulate S0 register\n  band S0.k tile 16 groups\n    band S0.i items 16 | S0.j items 16 | S0.k", "above groups over what is reduced, in workspace"},
	{sums, domain3 + "band S0.j tile 8 parallel\n  accumulate S0 private\n    band S0.i parallel | S0.k\n      band S0.j", "a parallel loop inside of a parallel loop"},
	{sums, domain3 + "band S0.i+1*k | S0.j\n  accumulate S0 register\n    band S0.k", "is skewed by k, which is reduced, so that all results are open at once"},
	{sums, domain3 + "band S0.i | S0.j\n  accumulate S0 register\n    band S0.k determined", "nothing determines S0.k"},

	{twoSums, "domain S0[i, k]; S1[i, k]\nband S0.i S1.i tile 3 pad | S0.i S1.i\n  accumulate S0 register\n    accumulate S1 register\n      band S0.k S1.k\n        sequence\n          filter S0\n          filter S1", "are padded: no other statement may share the loops of"},
	{twoSums, "domain S0[i, k]; S1[i, k]\naccumulate S0 private\n  accumulate S1 private\n    band S0.i S1.i pipeline\n      sequence\n        filter S0\n          band S0.k\n        filter S1\n          band S1.k", "a pipeline stands outside of accumulators"},

	{halves, "domain S0[i, k]\naccumulate S0 output\n  band S0.i | S0.k", "C is float16: partial results would be rounded"},
	{joined, "domain S0[i, k]\naccumulate S0 output\n  band S0.i | S0.k", "the old value is joined with another operator than the reduction's"},
	{scanned, "domain S0[i, j]\nband S0.i\n  accumulate S0 output\n    band S0.j", "the carries of a scan are kept in register, private, shared or workspace"},

	{counts, "domain S0[v, i]\naccumulate S0 private\n  band S0.i | S0.v determined unroll", "its loop visits one point, and has no other mark"},
	{counts, "domain S0[v, i]\nband S0.v tile 4\n  accumulate S0 register\n    band S0.i | S0.v determined", "registers are not found by the number v that is computed"},
	{counts, "domain S0[v, i]\nband S0.i\n  band S0.v determined", "are open outside of"},
	{counts, "domain S0[v, i]\nband S0.v determined\n  accumulate S0 private\n    band S0.i", "must be open outside of the determined v"},
	{counts, "domain S0[v, i]\naccumulate S0 private\n  band S0.v determined | S0.i", "whose points are not known here, or are those of a vector; move its loop further in"},
	{counts, "domain S0[v, i]\naccumulate S0 private\n  band S0.i tile 4 | S0.v determined | S0.i", "whose points are not known here"},
	{counts, "domain S0[v, i]\naccumulate S0 private\n  band S0.i\n    band S0.v determined\n      place X private", "blocks of tensors are placed inside of the determined v"},
	{counts, "domain S0[v, i]\naccumulate S0 output\n  band S0.i | S0.v determined\n    band S0.v groups", "whose point hangs on what tensors hold"},
	{counts, "domain S0[v, i]\naccumulate S0 private\n  band S0.i tile 4 | S0.i apart | S0.v determined", "its loop is over points of an index that is reduced in any order, written out"},
	{counts, "domain S0[v, i]\naccumulate S0 output\n  band S0.i tile 4 | S0.i unroll apart | S0.v determined", "have partial results of their own, in an array"},
	{counts, "domain S0[v, i]\naccumulate S0 private\n  band S0.i tile 32 | S0.i unroll apart | S0.v determined", "has 32 points, and 2 to 16 have partial results of their own"},
	{counts, "domain S0[v, i]\naccumulate S0 private\n  band S0.i tile 4 | S0.i unroll apart | S0.v vector 4", "is apart, and its statement has vectors"},

	{rowSums, "domain S0[i, k]; S1[i, k]\nsequence\n  filter S0\n    accumulate S0 private\n      band S0.k tile 8 | S0.k vector 4 partial 1\n        band S0.i\n  filter S1\n    band S1.i\n      accumulate S1 register\n        band S1.k", "keeps partial results: its loop is of one statement, and neither a vector"},
	{rowSums, "domain S0[i, k]; S1[i, k]\nsequence\n  filter S0\n    accumulate S0 private\n      band S0.i partial 1 | S0.k\n  filter S1\n    band S1.i\n      accumulate S1 register\n        band S1.k", "keeps partial results, and its index is not reduced in any order"},
	{rowSums, "domain S0[i, k]; S1[i, k]\nsequence\n  filter S0\n    accumulate S0 private\n      band S0.k tile 4 partial 1 | S0.k partial 1 | S0.i\n  filter S1\n    band S1.i\n      accumulate S1 register\n        band S1.k", "two loops have 'partial 1'"},
	{rowSums, "domain S0[i, k]; S1[i, k]\nsequence\n  filter S0\n    accumulate S0 private\n      band S0.i | S0.k tile 4 partial 1 | S0.k unroll apart\n  filter S1\n    band S1.i\n      accumulate S1 register\n        band S1.k", "those of groups have one place"},
	{rowSums, "domain S0[i, k]; S1[i, k]\nsequence\n  filter S0\n    band S0.i\n      accumulate S0 register\n        band S0.k\n  filter S1\n    band S1.i\n      accumulate S1 shared\n        band S1.k tile 4 partial 1 | S1.k", "how many iterations"},
	{rowSums, "domain S0[i, k]; S1[i, k]\nsequence\n  filter S0\n    band S0.i\n      accumulate S0 register\n        band S0.k partial 1\n  filter S1\n    band S1.i\n      accumulate S1 register\n        band S1.k", "where the loop is written out, in registers; expected accumulate S0 private, or shared"},
	{rowSums, "domain S0[i, k]; S1[i, k]\nsequence\n  filter S0\n    band S0.i\n      accumulate S0 register\n        band S0.k\n  filter S1\n    band S1.i\n      accumulate S1 private\n        band S1.k tile 4 partial 1 | S1.k", "the size of the buffer for the results of S1 is not known here"},
	{rowSums, "domain S0[i, k]; S1[i, k]\nsequence\n  filter S0\n    band S0.i\n      accumulate S0 private\n        band S0.k+1*i partial 1\n  filter S1\n    band S1.i\n      accumulate S1 register\n        band S1.k", "is skewed, or fused with another range: its iterations partial no"},

	{masks, "domain S0[i, j]\nband S0.i\n  accumulate S0 register\n    band S0.j tile 4 | S0.j vector 4 guarded", "is guarded: its loop is of one statement"},
	{masks, "domain S0[i, j]\nband S0.i\n  accumulate S0 output\n    band S0.j guarded", "may not run, and its results must be there all the same"},
	{masks, "domain S0[i, j]\naccumulate S0 private\n  band S0.j guarded | S0.i", "no condition without which the terms of S0 are the identity"},
}

// TestRefusals has a wrong tree for each reason.
func TestRefusals(t *testing.T) {
	for _, test := range refusals {
		f := parseFunc(t, test.f)
		tree, err := Parse(test.tree)
		if err != nil {
			t.Errorf("%v\n%s", err, test.tree)
			continue
		}
		if err := Check(f, tree); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\ngot %v\nwant %s", test.tree, err, test.want)
		}
	}
}

// TestEveryRefusalIsTested reads the messages of all refusals in this package, and finds for each
// a part of it among the words that its tests expect.
func TestEveryRefusalIsTested(t *testing.T) {
	untested := map[string]string{ // and why
	}
	const window = 14 // bytes of a message that say which one it is
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var expected strings.Builder
	var messages []string
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			expected.Write(text)
		} else {
			messages = append(messages, misfits(t, path)...)
		}
	}
	found := 0
	for _, message := range messages {
		tested := !regexp.MustCompile(`[a-z ]{5}`).MatchString(message) // its words are said elsewhere
		for _, part := range regexp.MustCompile(`%[a-z]`).Split(message, -1) {
			for at := 0; at+window <= len(part); at++ {
				tested = tested || strings.Contains(expected.String(), part[at:at+window])
			}
		}
		if found++; !tested && untested[message] == "" {
			t.Errorf("no test expects: %s", message)
		}
		if tested && untested[message] != "" {
			t.Errorf("tested after all: %s", message)
		}
	}
	if found < 60 {
		t.Errorf("%d refusals were found", found)
	}
}

// misfits lists the formats of the messages in calls of misfit and misfitIn in a file.
func misfits(t *testing.T, path string) (list []string) {
	file, err := syntax.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "misfit" && f.Sel.Name != "misfitIn" {
			return true
		}
		for _, argument := range call.Args {
			if text, ok := argument.(*ast.BasicLit); ok && text.Kind == token.STRING {
				message, err := strconv.Unquote(text.Value)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, message)
				break
			}
		}
		return true
	})
	return list
}
