package c

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
	"pgregory.net/rapid"
)

// TestNarrowProducts compares products of numbers of all widths, in all lanes, with the evaluator bit
// for bit: those that half a lane has room for, those that it just has not, and sums of them. The
// instructions are those that this machine has or may lack.
func TestNarrowProducts(t *testing.T) {
	variants := [][]string{{"-march=native"}}
	if runtime.GOARCH == "amd64" {
		variants = append(variants, []string{"-mno-avx512vnni"}, []string{"-mno-avx512f"}, []string{"-march=x86-64"})
	}
	draw := rand.New(rand.NewPCG(7, 7))
	var list []*loop.Func
	for number := range sweep.Draws(t, 60, 640) {
		g := &productGenerator{Rand: draw, lanes: 2 << draw.IntN(4)}
		list = append(list, g.program(t, fmt.Sprintf("product%d", number)))
	}
	text, err := PrintUnit(list, Options{Parallel: Serial})
	if err != nil {
		t.Fatal(err)
	}
	for _, compiler := range compilers(t) {
		for _, flags := range variants {
			lib := build(t, compiler, text, flags...)
			r := rand.New(rand.NewPCG(1, 1))
			for _, f := range list {
				for range sweep.Draws(t, 4, 8) {
					args := randomArguments(r, f)
					for _, a := range args {
						extreme(r, a.Bytes)
					}
					want := cloneArguments(args)
					if _, err := loop.Evaluate(f, want); err != nil {
						t.Fatal(err)
					}
					lib.call(t, Symbol(f.Name), argumentBlock(f, args, &[2]int64{}))
					last := len(args) - 1
					if !sameElements(tensor.Int32, args[last].Bytes, want[last].Bytes) {
						t.Fatalf("%s %v: got %v, want %v for %v\n%s", compiler, flags, args[last].Bytes, want[last].Bytes, args[:last], loop.Print(f))
					}
				}
			}
		}
	}
}

// A productGenerator draws programs that store sums of products.
type productGenerator struct {
	*rand.Rand
	lanes   int
	wide    tensor.DType
	buffers []*loop.Buffer
}

func (g *productGenerator) program(t *testing.T, name string) *loop.Func {
	g.wide = pick(g, tensor.Int32, tensor.Int32, tensor.Int64, tensor.Uint64)
	result := &loop.Buffer{Name: "Z", Type: loop.Scalar(g.wide), Length: int64(g.lanes)}
	z := &loop.Load{Buffer: result, Index: loop.Int(0), Lanes: g.lanes}
	product := &loop.Binary{Op: ein.Mul, X: g.number(1), Y: g.loaded()}
	value := []loop.Expr{
		product,
		&loop.Binary{Op: ein.Add, X: z, Y: product},
		&loop.Binary{Op: ein.Add, X: product, Y: z},
		&loop.Binary{Op: ein.Sub, X: z, Y: product},
		&loop.Binary{Op: ein.Add, X: product, Y: &loop.Binary{Op: ein.Mul, X: g.number(1), Y: g.loaded()}},
		&loop.Binary{Op: ein.Mul, X: product.Y, Y: product.Y},
	}[g.IntN(6)]
	f := &loop.Func{Name: name, Buffers: append(g.buffers, result), Body: []loop.Stmt{&loop.Store{Buffer: result, Index: loop.Int(0), Value: value}}}
	for _, b := range f.Buffers {
		f.Params = append(f.Params, &loop.Param{Buffer: b})
	}
	if err := loop.Verify(f); err != nil {
		t.Fatalf("%v\n%s", err, loop.Print(f))
	}
	return f
}

func pick[E any](g *productGenerator, list ...E) E { return list[g.IntN(len(list))] }

// number draws an operand, with so many operations at most.
func (g *productGenerator) number(depth int) loop.Expr {
	if depth > 0 && g.IntN(3) == 0 {
		op := pick(g, ein.Add, ein.Sub, ein.Mul, ein.Min, ein.Max)
		return &loop.Binary{Op: op, X: g.loaded(), Y: g.number(depth - 1)}
	}
	if g.IntN(4) == 0 {
		bits := uint64(pick[int64](g, -1, -32769, -32768, 32767, 32768, 65535, 255, -1<<31, 1<<31-1, 1<<31, 3))
		if g.wide == tensor.Int32 {
			bits = uint64(int64(int32(bits)))
		}
		return &loop.Broadcast{X: &loop.Const{Elem: g.wide, Bits: bits}, Lanes: g.lanes}
	}
	return g.loaded()
}

// loaded draws an operand of a buffer's type; clang warns of constants alone that overflow.
func (g *productGenerator) loaded() loop.Expr {
	narrow := pick(g, tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Int16, tensor.Uint16, tensor.Int32, tensor.Uint32, tensor.Int64)
	b := &loop.Buffer{Name: fmt.Sprintf("X%d", len(g.buffers)), Type: loop.Scalar(narrow), Length: int64(g.lanes), ReadOnly: true}
	g.buffers = append(g.buffers, b)
	if g.IntN(3) == 0 {
		return &loop.Broadcast{X: g.widened(&loop.Load{Buffer: b, Index: loop.Int(0), Lanes: 1}), Lanes: g.lanes}
	}
	return g.widened(&loop.Load{Buffer: b, Index: loop.Int(0), Lanes: g.lanes})
}

// widened converts a number to the type of the results.
func (g *productGenerator) widened(e loop.Expr) loop.Expr {
	if e.Type().Elem == g.wide {
		return e
	}
	return &loop.Cast{To: g.wide, X: e}
}

// TestIntervals: what an operation of two numbers gives is in the interval of their intervals.
func TestIntervals(t *testing.T) {
	ends := []int64{-1 << 33, -1 << 31, -1<<31 + 1, -40000, -1, 0, 3, 40000, 1<<31 - 1, 1 << 31, 3 << 30, 1<<32 - 2, 1<<32 - 1}
	all := interval{math.MinInt64, math.MaxInt64}
	rapid.Check(t, func(rt *rapid.T) {
		number := func(name string) (interval, int64) {
			list := []int64{rapid.SampledFrom(ends).Draw(rt, name), rapid.SampledFrom(ends).Draw(rt, name), rapid.SampledFrom(ends).Draw(rt, name)}
			slices.Sort(list)
			return interval{list[0], list[2]}, list[1]
		}
		i, x := number("x")
		j, y := number("y")
		for op, result := range map[ein.BinaryOp]int64{ein.Add: x + y, ein.Sub: x - y, ein.Mul: x * y, ein.Min: min(x, y), ein.Max: max(x, y)} {
			if found := combined(op, i, j, all); result < found.low || result > found.high {
				rt.Errorf("%v of %d and %d is %d, not in %v, by %v and %v", op, x, y, result, found, i, j)
			}
		}
	})
}
