package pipelinetest_test

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
)

// TestJudge asks the oracle what can be said by hand.
func TestJudge(t *testing.T) {
	const (
		nextInRow = "func f {\n  inout A: float32[9]\n  for i in 0:8 { A[i] = A[i + 1i64] }\n}"
		use       = "func f {\n  in A: float32[4, 5]\n  temp s: float32[4]\n  out O: float32[4, 5]\n  for i in 0:4, j in 0:5 reduce + { s[i] = A[i, j] }\n  for i in 0:4, j in 0:5 { O[i, j] = s[i] * A[i, j] }\n}"
		scan      = "func f {\n  in A: float32[6]\n  out S: float32[6]\n  for i in 0:6 scan + { S[i] = A[i] }\n}"
		overwrite = "func f {\n  in X: float32[4, 5]\n  inout s: float32[4]\n  out O: float32[4, 5]\n  for i in 0:4, j in 0:5 { O[i, j] = s[i] }\n  for i in 0:4, j in 0:5 reduce + { s[i] = X[i, j] }\n}"
		stages    = "func f {\n  in A: float32[9]\n  temp t: float32[8]\n  out O: float32[7]\n  for i in 0:8 { t[i] = A[i + 1i64] }\n  for i in 0:7 { O[i] = t[i] + t[i + 1i64] }\n}"
	)
	step := func(name string, arguments ...int64) pipelinetest.Step {
		s := pipelinetest.Step{Name: name, Arguments: transform.Ints(arguments...)}
		if name == "fuse_outer" || name == "fuse_union" {
			s.With = 1
		}
		return s
	}
	behind := pipelinetest.Step{Name: "shift", Of: 1, With: 1, Arguments: transform.Ints(1, 1)}
	for _, x := range []struct {
		program string
		steps   []pipelinetest.Step
		want    pipelinetest.Verdict
	}{
		{nextInRow, nil, pipelinetest.Legal},
		{nextInRow, []pipelinetest.Step{step("stripmine", 1, 3)}, pipelinetest.Legal},
		{nextInRow, []pipelinetest.Step{step("vectorize", 1, 4)}, pipelinetest.Legal},
		{nextInRow, []pipelinetest.Step{step("reverse", 1)}, pipelinetest.Illegal},
		{nextInRow, []pipelinetest.Step{step("parallelize", 1)}, pipelinetest.Illegal},
		{nextInRow, []pipelinetest.Step{step("stripmine", 1, 4), step("interchange", 1, 2)}, pipelinetest.Illegal},
		{use, []pipelinetest.Step{step("interchange", 1, 2), step("parallelize", 1)}, pipelinetest.Legal},
		{use, []pipelinetest.Step{step("fuse_outer", 1), step("parallelize", 1)}, pipelinetest.Legal},
		{use, []pipelinetest.Step{step("fuse_outer", 2)}, pipelinetest.Illegal},
		{scan, []pipelinetest.Step{step("stripmine", 1, 4)}, pipelinetest.Legal},
		{scan, []pipelinetest.Step{step("vectorize", 1, 2)}, pipelinetest.Legal},
		{scan, []pipelinetest.Step{step("reverse", 1)}, pipelinetest.Illegal},
		{scan, []pipelinetest.Step{step("parallelize", 1)}, pipelinetest.Unknown},     // in pieces
		{overwrite, []pipelinetest.Step{step("fuse_outer", 2)}, pipelinetest.Unknown}, // the sums are written last
		{overwrite, []pipelinetest.Step{step("fuse_outer", 1)}, pipelinetest.Legal},
		{stages, []pipelinetest.Step{step("fuse_union", 1)}, pipelinetest.Illegal},
		{stages, []pipelinetest.Step{behind, step("fuse_union", 1)}, pipelinetest.Legal},
		{stages, []pipelinetest.Step{behind, step("fuse_union", 1), step("stripmine", 1, 3)}, pipelinetest.Legal},
		{stages, []pipelinetest.Step{behind, step("fuse_union", 1), step("reverse", 1)}, pipelinetest.Illegal},
	} {
		s := pipelinetest.NewScript(defs(t, "f.ein", x.program)[0])
		for _, step := range x.steps {
			if !s.Apply(step) {
				t.Fatalf("%s does not fit\n%s", step.Name, s)
			}
		}
		if got, why, err := pipelinetest.Judge(s); got != x.want || err != nil {
			t.Errorf("%s (%s, %v), expected %s\n%s\n%s", got, why, err, x.want, x.program, s)
		}
	}
}
