package rewrite_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/tensor"
)

// integers draws statements on images of bytes and 16 bits: sums, products, limits, differences,
// means, divisions and choices, in types of all widths.
type integers struct {
	t      *rapid.T
	locals []string // of type int32
}

func (g *integers) pick(what string, list ...string) string {
	return rapid.SampledFrom(list).Draw(g.t, what)
}

// constant draws numbers near the ends of types, which matter most.
func (g *integers) constant(of string) string {
	c := rapid.SampledFrom([]int64{0, 1, 2, 3, 9, 77, 127, 128, 255, 256, 300, 32767, 32768, 65535, -1, -20, -128, -256, -32768}).Draw(g.t, "constant")
	if strings.HasSuffix(of, "64") && rapid.IntRange(0, 3).Draw(g.t, "wide") == 0 {
		c = rapid.SampledFrom([]int64{1 << 31, 1 << 32, -1 << 31, 1<<32 - 1, 1 << 62}).Draw(g.t, "wide constant")
	}
	switch of {
	case "uint8":
		c &= 255
	case "int16":
		c = int64(int16(c))
	case "uint16":
		c &= 65535
	case "uint32", "uint64":
		c = max(c, -c)
	}
	return fmt.Sprintf("(%d%s)", c, strings.Replace(strings.Replace(of, "uint", "u", 1), "int", "i", 1))
}

func (g *integers) read() string {
	if len(g.locals) > 0 && rapid.IntRange(0, 3).Draw(g.t, "table") == 0 {
		return fmt.Sprintf("%s[int64(max(0i32, min(39i32, %s)))]", g.pick("tensor", "a", "s", "w"), g.pick("local", g.locals...))
	}
	return g.pick("tensor", "a", "b", "s", "v", "w", "x") + "[i" + g.pick("shift", "", " + 1i64", " + 2i64") + "]"
}

func (g *integers) value(of string, depth int) string {
	if depth == 0 {
		switch {
		case len(g.locals) > 0 && rapid.IntRange(0, 2).Draw(g.t, "local") == 0:
			return fmt.Sprintf("%s(%s)", of, g.pick("local", g.locals...))
		case rapid.IntRange(0, 3).Draw(g.t, "leaf") == 0:
			return g.constant(of)
		}
		return fmt.Sprintf("%s(%s)", of, g.read())
	}
	x := func() string { return g.value(of, depth-1) }
	switch rapid.IntRange(0, 11).Draw(g.t, "node") {
	case 0:
		return fmt.Sprintf("(%s %s %s)", x(), g.pick("ring", "+", "-", "*"), x())
	case 1:
		return fmt.Sprintf("%s(%s, %s)", g.pick("limit", "min", "max"), g.constant(of), x())
	case 2:
		return fmt.Sprintf("min(%s, max(%s, %s %s %s))", g.constant(of), g.constant(of), x(), g.pick("sum", "+", "-"), x())
	case 3:
		a, b := g.value(of, 0), g.value(of, 0)
		return fmt.Sprintf("max(%s - %s, %s - %s)", a, b, b, a)
	case 4:
		return fmt.Sprintf("((%s + %s%s) / %s)", x(), x(), g.pick("round", "", " + 1"+suffix(of)), "2"+suffix(of))
	case 5:
		return fmt.Sprintf("(%s %s %s)", x(), g.pick("division", "/", "%"), g.constant(of))
	case 6:
		return fmt.Sprintf("(%s %s %s ? %s : %s)", x(), g.pick("comparison", "<", "<=", "==", "!=", ">", ">="), x(), x(), x())
	case 7:
		other := g.pick("type", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
		return fmt.Sprintf("%s(%s)", of, g.value(other, depth-1))
	case 8:
		return "max(" + g.value(of, 0) + ", -" + g.value(of, 0) + ")"
	case 9:
		return fmt.Sprintf("(%s %s %s)", x(), g.pick("bits", "&", "|", "^"), g.pick("mask", x(), g.constant(of)))
	case 10:
		count := g.pick("count", "0", "1", "4", "7", "8", "9", "15", "17", "40") + suffix(of)
		if rapid.IntRange(0, 3).Draw(g.t, "drawn") == 0 {
			count = x()
		}
		return fmt.Sprintf("(%s %s %s)", g.pick("counted", x(), "popcount("+x()+")", "clz("+x()+")"), g.pick("shift", "<<", ">>"), count)
	}
	name := fmt.Sprintf("d%d", len(g.locals))
	value := g.value("int32", depth-1)
	g.locals = append(g.locals, name)
	body := g.value(of, depth-1)
	body = fmt.Sprintf("(let %s = %s in max(%s(max(%s, -%s)), %s))", name, value, of, name, name, body)
	g.locals = g.locals[:len(g.locals)-1]
	return body
}

func suffix(of string) string {
	return strings.Replace(strings.Replace(of, "uint", "u", 1), "int", "i", 1)
}

// program draws a function with a temporary that is reduced, or not.
func (g *integers) program() string {
	middle := g.pick("temporary", "int32", "int16", "uint16")
	result := g.pick("result", "uint8", "int8", "int16", "uint16")
	reduced := g.pick("reduction", "", ", k in 0:3 reduce +", ", k in 0:3 reduce max", ", k in 0:2 reduce min")
	temporary := g.value(middle, 2)
	outer := g.pick("outer", "uint8", "int16", "int32", "uint32", "int64", "uint64")
	value := fmt.Sprintf("%s(min(%s, max(%s, %s + %s(T[i]))))", result, g.constant(outer), g.constant(outer), g.value(outer, 2), outer)
	return fmt.Sprintf(`func f {
  in a: uint8[40]
  in b: uint8[40]
  in s: int8[40]
  in v: int16[40]
  in w: int32[40]
  in x: uint32[40]
  out R: %s[32]
  out M: %s[]
  out F: float32[32]
  temp T: %s[32]
  for i in 0:32%s { T[i] = %s }
  for i in 0:32 { R[i] = %s }
  for i in 0:32 reduce max { M[] = %s }
  for i in 0:32 { F[i] = float32(%s) }
}`, result, result, middle, reduced, temporary, value, fmt.Sprintf("%s(%s)", result, g.value(outer, 1)), g.float())
}

// float draws integers of 64 bits that become floats.
func (g *integers) float() string {
	term := func() string {
		return g.pick("term", "i", "7i64", "1i64 + i", "int64("+g.read()+")", "int64("+g.value("int32", 1)+")")
	}
	return "(" + term() + ") " + g.pick("ring", "+", "-", "*") + " (" + term() + ")"
}

// anyBits fills the inputs with any numbers of their types.
func anyBits(f *ein.Func, seed uint64) map[string]*tensor.Tensor {
	r := rand.New(rand.NewPCG(seed, 7))
	args := map[string]*tensor.Tensor{}
	for _, x := range f.Inputs() {
		array, err := tensor.New(x.Type, 40)
		if err != nil {
			panic(err)
		}
		for offset := range array.Offsets() {
			bits := r.Uint64()
			if r.IntN(4) == 0 { // 0, 1, the ends of the type
				bits = []uint64{0, 1, ^uint64(0), 1 << (8*x.Type.Size() - 1), 1<<(8*x.Type.Size()-1) - 1}[r.IntN(5)]
			}
			array.SetBitsAt(offset, bits&(1<<(8*x.Type.Size())-1))
		}
		args[x.Name] = array
	}
	return args
}

// TestNarrow compares random programs on integers before and after the pass.
func TestNarrow(t *testing.T) {
	changed, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := (&integers{t: t}).program()
		f, err := ein.ParseFunc("f", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		g := rewrite.Narrow(f)
		if err := ein.Verify(g); err != nil {
			t.Fatalf("%v\n%s\n%s", err, text, ein.Print(g))
		}
		if all++; ein.Print(f) != ein.Print(g) {
			changed++
		}
		args := anyBits(f, rapid.Uint64().Draw(t, "seed"))
		want, err := ein.Evaluate(f, args, ein.EvalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := ein.Evaluate(g, args, ein.EvalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for name := range want {
			if !tensor.Equal(got[name], want[name]) {
				t.Fatalf("%s differs\n%s\n%s", name, text, ein.Print(g))
			}
		}
	})
	if changed*10 < all {
		t.Errorf("%d of %d programs are narrowed", changed, all)
	}
	t.Logf("%d of %d programs are narrowed", changed, all)
}
