package tune

import (
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/mdh"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/tune/knob"
)

// tunedKernels are those of the table of docs/tuning.md.
var tunedKernels = []string{
	`func matmul { in A: float32[384, 384] in B: float32[384, 384] out C: float32[384, 384]
	for i in 0:384, j in 0:384, k in 0:384 reduce + { C[i, j] = A[i, k] * B[k, j] } }`,
	`func matmul_odd { in A: float32[101, 103] in B: float32[103, 107] out C: float32[101, 107]
	for i in 0:101, j in 0:107, k in 0:103 reduce + { C[i, j] = A[i, k] * B[k, j] } }`,
	`func convolution { in X: float32[3, 17, 23, 29] in W: float32[19, 17, 3, 5] out Y: float32[3, 19, 21, 25]
	for n in 0:3, k in 0:19, p in 0:21, q in 0:25, c in 0:17 reduce +, r in 0:3 reduce +, s in 0:5 reduce + { Y[n,k,p,q] = X[n,c,p+r,q+s] * W[k,c,r,s] } }`,
	`func stencil { in X: float32[131, 257] out Y: float32[129, 253]
	for i in 0:129, j in 0:253 { Y[i,j] = X[i,j+2i64] + X[i+1i64,j] + X[i+2i64,j+4i64] + X[i+1i64,j+2i64] } }`,
	`func mttkrp { in A: float32[31, 33, 35] in B: float32[33, 17] in D: float32[35, 17] out C: float32[31, 17]
	for i in 0:31, j in 0:17, k in 0:33 reduce +, l in 0:35 reduce + { C[i,j] = A[i,k,l] * B[k,j] * D[l,j] } }`,
	`func matvec { in A: float32[4096, 4096] in x: float32[4096] out y: float32[4096] for i in 0:4096, k in 0:4096 reduce + { y[i] = A[i,k]*x[k] } }`,
	`func prefixes { in A: float32[13, 2570] out y: float32[13, 2570] for i in 0:13, k in 0:2570 scan + { y[i,k] = A[i,k] } }`,
}

// TestSpacesAreGenerated draws points of the spaces: nine of ten are legal schedules whose code is not too long, so
// that they are worth an estimate.
func TestSpacesAreGenerated(t *testing.T) {
	m := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 32 << 10, L2: 1 << 20, L3: 32 << 20, Cores: 2}
	draws := sweep.Draws(t, 40, 400)
	survived, all := map[string]int{}, map[string]int{}
	for _, text := range tunedKernels {
		f, err := ein.ParseFunc("kernel", text)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := standard.Default(f, m)
		if err != nil {
			t.Fatal(err)
		}
		s, err := mdh.NewSpace(f, m, mdh.SpaceOptions{Seed: tree})
		if err != nil {
			t.Fatal(err)
		}
		longest := max(leastWritten, mostWritten*written(f, tree))
		for name, space := range map[string]maker{"mdh": composition{s, nil}, "default": knob.Of(f, tree, m)} {
			n := surviving(t, f, space, longest, draws)
			t.Logf("%s: %d of %d points of the space %s", f.Name, n, draws, name)
			survived[name], all[name] = survived[name]+n, all[name]+draws
		}
	}
	for name, n := range survived {
		if 10*n < 9*all[name] {
			t.Errorf("%d of %d points of the space %s survive", n, all[name], name)
		}
	}
}

// surviving counts which of some random points are legal and not too long.
func surviving(t *testing.T, f *ein.Func, m maker, longest int64, draws int) (n int) {
	points, err := space.New(m.Groups()...)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range draws {
		tree, err := m.Tree(points.Random(random))
		if err == nil && schedule.Check(f, tree) == nil && written(f, tree) <= longest {
			n++
		}
	}
	return n
}
