package opencl

import (
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
	target_opencl "github.com/ricci-lang/ricci/internal/target/opencl"

	"github.com/ricci-lang/ricci/internal/device/devicetest"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
)

// TestManyGroups: more groups along an axis than all devices have are those of one line.
func TestManyGroups(t *testing.T) {
	d := opened(t)
	for _, text := range []string{
		"kernel \"many\" workspace 0 {\n  buffer X float32[131074] argument readonly\n  buffer Y float32[131074] argument\n  params X, Y\n" +
			"  grid groups i = 65537, j = 2 items k = 1 {\n    store Y[i * 2 + j + k] = X[i * 2 + j + k]\n  }\n}\n",
		"kernel \"open\" workspace 0 {\n  var N int64\n  buffer X float32[600] argument readonly\n  buffer Y float32[600] argument\n  params X, Y, N \"size N\" nonnegative\n" +
			"  grid groups h = min(N, 5), i = 10, j = min(N + 1, 3) items k = 4 {\n    store Y[h * 120 + i * 12 + j * 4 + k] = X[h * 120 + i * 12 + j * 4 + k]\n  }\n}\n",
	} {
		f, err := loop.Parse(source.NewFile("many.loop", text))
		if err != nil {
			t.Fatal(err)
		}
		m, err := (target_opencl.Target{}).Print(f, target.Options{Numerics: numerics.Strict})
		if err != nil {
			t.Fatal(err)
		}
		for n := range min(3, 2*len(f.Params)-3) { // one of the first, which is long
			words := looptest.Arguments(rand.New(rand.NewPCG(uint64(n), 1)), f)
			for i, p := range f.Params {
				if p.Buffer == nil {
					words[i].Value = int64(2 * n)
				}
			}
			if err := devicetest.Compare(t.Context(), d, f, m, words); err != nil {
				t.Fatalf("%v\n%s", err, m.Code)
			}
		}
	}
}
