package field

import (
	"math/big"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestSplit has an operator and what it is taken apart to.
func TestSplit(t *testing.T) {
	goldentest.Run(t, "testdata/split/*.txtar", "after", 1, func(t *testing.T, inputs []string) string {
		s := NewStore()
		o, err := s.ParseOperator(inputs[0])
		if err != nil {
			t.Fatal(err)
		}
		return s.Split(o).String()
	})
}

// split is an environment in which parts are what their bodies are; what was computed is kept.
type split[N any] struct {
	Numbers[N]
	Environment[N]
	*Splitting
	known map[*Param]map[[4]int]N
}

func newSplit[N any](numbers Numbers[N], env Environment[N], s *Splitting) split[N] {
	return split[N]{numbers, env, s, map[*Param]map[[4]int]N{}}
}

func (e split[N]) Tensor(p *Param, alpha []int) (N, error) {
	n := slices.Index(e.Parts, p)
	if n < 0 {
		return e.Environment.Tensor(p, alpha)
	}
	var key [4]int
	copy(key[:], alpha)
	if v, ok := e.known[p][key]; ok && len(alpha) <= len(key) {
		return v, nil
	}
	v, err := Evaluate(e.Numbers, e, e.Bodies[n], alpha...)
	if e.known[p] == nil {
		e.known[p] = map[[4]int]N{}
	}
	if err == nil && len(alpha) <= len(key) {
		e.known[p][key] = v
	}
	return v, err
}

// TestSplitExactly: the parts of a normal form come to the same values, each of them is well formed, none is there twice, and
// none has more than one operation beside its sum.
func TestSplitExactly(t *testing.T) {
	for seed := range sweep.Draws(t, 60, 2000) {
		d := newDrawer(uint64(seed), true)
		o, _, err := d.Normalise(d.probed(3), NormaliseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s := d.Split(o)
		for n, body := range s.Bodies {
			if _, err := Verify(body); err != nil {
				t.Errorf("%s: %v", body, err)
			}
			if slices.ContainsFunc(s.Bodies[:n], func(other *Operator) bool { return other.Body == body.Body }) {
				t.Errorf("%s is there twice", body)
			}
		}
		given := polynomials[*big.Rat]{Exact{}}
		env := newSplit(Exact{}, given, s)
		components(o.Shape, func(alpha []int) {
			want, err := Evaluate(Exact{}, given, o, alpha...)
			if err != nil {
				return
			}
			if got, err := Evaluate(Exact{}, env, s.Result, alpha...); err != nil || got.Cmp(want) != 0 {
				t.Errorf("%s\n%s: component %v is %v (%v), want %s", o, s, alpha, got, err, want)
			}
		})
	}
}
