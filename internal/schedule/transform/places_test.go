package transform

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestPlaces promotes and packs tensors anywhere in nests that are cut, skewed, shifted and
// fused with other ranges: a place is refused only where the nest without it is, and
// changes no value.
func TestPlaces(t *testing.T) {
	made, contracted, copied, illegal, other := 0, 0, 0, 0, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		pick := func(lo, hi int, what string) int64 { return int64(rapid.IntRange(lo, max(lo, hi)).Draw(t, what)) }
		f := drawChain(t)
		var nests []*Nest
		for s := range f.Body {
			nests = append(nests, Build(f, s))
		}
		try := func(at int, name string, args ...Argument) bool {
			tr, _ := Lookup(name)
			next, err := tr.Apply(nests[at:at+tr.Nests], args, Call{})
			if err == nil {
				nests = append(append(nests[:at:at], next), nests[at+tr.Nests:]...)
			}
			return err == nil
		}
		depth := func(at int) int { return len(nests[at].Loops()) }
		change := func(at int) {
			switch d := depth(at); pick(0, 5, "change") {
			case 0:
				try(at, "stripmine", Ints(pick(1, d, "level"), pick(1, 4, "block"))...)
			case 1:
				try(at, "tile", Ints(pick(1, 4, "block"))...)
			case 2:
				a := pick(1, d-1, "by")
				try(at, "skew", Ints(a, pick(int(a)+1, d, "skewed"), rapid.SampledFrom([]int64{-1, 1, 2}).Draw(t, "factor"))...)
			case 3:
				a := pick(1, d-1, "outer")
				try(at, "interchange", Ints(a, pick(int(a)+1, d, "inner"))...)
			case 4:
				try(at, "vectorize", Ints(int64(d))...)
			default:
				try(at, "parallelize", Ints(pick(1, d, "level"))...)
			}
		}
		for range pick(0, 2, "changes before") {
			change(int(pick(0, len(nests)-1, "nest")))
		}
		for at := range nests {
			for level := range min(2, depth(at)) {
				try(at, "shift", Ints(int64(level+1), int64(2*at))...)
			}
		}
		for range pick(0, 2, "fusions") {
			if at := pick(0, len(nests)-2, "first"); len(nests) > 1 {
				try(int(at), "fuse_union", Ints(pick(1, 2, "levels"))...)
			}
		}
		for range pick(0, 3, "changes") {
			change(int(pick(0, len(nests)-1, "nest")))
		}
		bare := nests
		for range pick(1, 3, "places") {
			at := int(pick(0, len(nests)-1, "nest"))
			args := []Argument{Int(pick(0, depth(at), "level")), {Name: f.Tensors[pick(0, len(f.Tensors)-1, "tensor")].Name}}
			if rapid.Bool().Draw(t, "pack") {
				if rapid.Bool().Draw(t, "layout") {
					args = append(args, Ints(2, 1)...)
				}
				try(at, "pack", args...)
				continue
			}
			try(at, "promote", append(args, Argument{Name: rapid.SampledFrom([]string{"register", "private", "workspace"}).Draw(t, "region")})...)
		}
		tree, _, err := Tree(f, nests, Options{Machine: small})
		if err != nil {
			var list source.ErrorList
			if !errors.As(err, &list) {
				t.Fatal(err)
			}
			if _, _, plain := Tree(f, bare, Options{Machine: small}); plain == nil {
				t.Fatalf("the places are refused: %v\n%s\n%v", err, f, nests)
			}
			if list[0].Code == source.ScheduleIllegal {
				illegal++
			} else {
				other[list[0].Message]++
			}
			return
		}
		placements, err := schedule.Placements(f, tree)
		if err != nil {
			t.Fatal(err)
		}
		for n, p := range placements {
			if p.In || p.Out {
				copied++
			} else if f.Tensor(n.Tensor).Role == ein.Temp {
				contracted++
			}
		}
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		made++
		s := scheduletest.Subject{F: f, G: f, Args: args}
		got, gotErr := s.Loops(t, tree)
		s.Matches(t, got, gotErr, schedule.Print(tree))
	})
	t.Logf("%d made, %d illegal, %d blocks contracted, %d copied, refused without places: %v", made, illegal, contracted, copied, other)
	if made == 0 || copied == 0 || contracted == 0 {
		t.Error("nothing was tested")
	}
}

// drawChain draws a function of random sizes whose statements use each other's results, at
// other places, in sums, and in what is there already.
func drawChain(t *rapid.T) *ein.Func {
	h, w := rapid.IntRange(1, 8).Draw(t, "rows"), rapid.IntRange(1, 8).Draw(t, "columns")
	last := rapid.SampledFrom([]struct{ role, text string }{
		{"out", "for y in 0:%[1]d, x in 0:%[2]d { Y[y, x] = u[y, x] + t[y + 2i64, x + 1i64] }"},
		{"out", "for y in 0:%[1]d, x in 0:%[2]d, k in 0:3 reduce + { Y[y, x] = u[y, x] * t[y + k, x + 1i64] }"},
		{"inout", "for y in 0:%[1]d, x in 0:%[2]d accumulate + { Y[y, x] = u[y, x] + X[y, 2i64 * x] }"},
	}).Draw(t, "last")
	text := fmt.Sprintf(`func f {
  in X: float32[%[1]d + 4, 2 * %[2]d + 4]
  temp t: float32[%[1]d + 2, %[2]d + 2]
  temp u: float32[%[1]d, %[2]d]
  `+last.role+` Y: float32[%[1]d, %[2]d]
  for y in 0:%[1]d + 2, x in 0:%[2]d + 2 { t[y, x] = X[y, x] + X[y + 2i64, x + 1i64] }
  for y in 0:%[1]d, x in 0:%[2]d { u[y, x] = t[y, x] + t[y + 1i64, x + 2i64] }
  `+last.text+`
}`, h, w)
	f, err := ein.ParseFunc("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
