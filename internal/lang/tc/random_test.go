package tc

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A programmer draws programs that are often, not always, accepted.
type programmer struct {
	t       *rapid.T
	tensors []drawnTensor
	indices []string
	where   []string
}

type drawnTensor struct {
	name    string
	rank    int
	integer bool
}

func (g *programmer) pick(what string, list ...string) string {
	return rapid.SampledFrom(list).Draw(g.t, what)
}

func (g *programmer) number(what string, lo, hi int) int {
	return rapid.IntRange(lo, hi).Draw(g.t, what)
}

// program draws a def over the sizes M, N and K and the scalar s.
func (g *programmer) program() string {
	g.tensors = []drawnTensor{{"A", 1, false}, {"B", 2, false}, {"J", 1, true}, {"D", 1, false}, {"G", 3, false}}
	head := helpers + "def f(int s, float(" + g.pick("dim", "M", "N", "5") + ") A, float(" + g.pick("dim", "M", "N", "4") + ", " + g.pick("dim", "N", "K") +
		") B, int(" + g.pick("dim", "M", "K") + ") J, float(" + g.pick("dim", "N", "K", "6") + ") D, float(M, N, K) G) -> (O) {\n"
	var body []string
	n := g.number("statements", 1, 3)
	for k := 1; k <= n; k++ {
		name := fmt.Sprintf("t%d", k)
		if k == n || g.number("again", 0, 5) == 0 {
			name = "O"
		}
		if k < n && g.number("call", 0, 2) == 0 {
			body = append(body, "  "+g.call(name))
			continue
		}
		body = append(body, "  "+g.statement(name))
	}
	return head + strings.Join(body, "\n") + "\n}"
}

// helpers are defs that the drawn one may call.
const helpers = `def g(float(P) X, float(P) Y) -> (Z) { s +=! Y(b)  u(a) = X(a) + s  Z(a) = u(a) + Y(a+1) }
def h(int q, float(P) X, float v) -> (Z) { Z(a) max=! X(q*a+b) * v where b in 0:q }
def up(float(P) X) -> (Z) { Z(a) += X(a-1) where a in 1:P+1 }
`

// call draws a call or concat of tensors with one dimension.
func (g *programmer) call(name string) string {
	vector := func() string {
		list := []string{}
		for _, t := range g.tensors {
			if t.rank == 1 && !t.integer {
				list = append(list, t.name)
			}
		}
		return g.pick("vector", append(list, "up("+list[0]+")", "B(0)", "B(s)", "up(B(M-1))")...)
	}
	text := ""
	switch g.number("callee", 0, 3) {
	case 0:
		text = name + " = g(" + vector() + ", " + vector() + ")"
	case 1:
		text = name + " = h(" + g.pick("stride", "1", "2", "s", "s+1", "K", "N/2") + ", " + vector() + ", " + g.pick("scalar", "2", "s", "A(0)", "pad(A(N-1), 0)") + ")"
	case 2:
		text = name + " = concat(" + vector() + ", " + vector() + ")"
	default:
		text = name + " = up(" + vector() + ")"
	}
	g.tensors = append(g.tensors, drawnTensor{name, 1, false})
	return text
}

func (g *programmer) statement(name string) string {
	g.indices, g.where = []string{"i", "j", "k", "l"}[:g.number("indices", 1, 3)], nil
	value := g.value(2)
	op := "="
	rank := len(g.indices)
	if g.number("reduce", 0, 2) == 0 {
		rank = g.number("rank", 0, rank)
		op = g.pick("operator", "+=!", "max=!", "*=!", "+=")
	}
	for _, t := range g.tensors {
		if t.name == name {
			rank = min(t.rank, len(g.indices))
		}
	}
	left := name
	if rank > 0 {
		subscripts := slices.Clone(g.indices[:rank])
		for k, i := range subscripts {
			if g.number("shifted", 0, 7) == 0 {
				subscripts[k] = g.pick("shift", i+"+1", i+"-2", i+"+s", "M+"+i)
			}
		}
		left += "(" + strings.Join(subscripts, ",") + ")"
	}
	for _, i := range g.indices {
		switch g.number("range", 0, 7) {
		case 0:
			g.where = append(g.where, i+" in "+g.bound()+":"+g.bound()+g.pick("empty", "", " or empty"))
		case 1:
			g.where = append(g.where, "exists "+g.access())
		case 2:
			g.where = append(g.where, i+" or empty")
		}
	}
	if op == "+=!" && rank > 0 && g.number("scan", 0, 4) == 0 {
		left += " scan(" + g.indices[0] + ")"
	}
	g.tensors = append(g.tensors, drawnTensor{name, rank, false})
	if op == "max=!" && rank > 0 && rank == len(g.indices)-1 && g.number("arg", 0, 2) == 0 {
		g.tensors = append(g.tensors, drawnTensor{"p" + name, rank, true})
		left, op = "("+left+", p"+left+")", "argmax=!"
	}
	text := left + " " + op + " " + value
	if len(g.where) > 0 {
		text += " where " + strings.Join(g.where, ", ")
	}
	return text
}

func (g *programmer) bound() string {
	return g.pick("bound", "0", "1", "3", "-1", "N", "M", "s", "N-1", "M+1", "K+s", "N/2", "M/s", "A.0", "min(M, N)")
}

func (g *programmer) value(depth int) string {
	if depth == 0 {
		return g.access()
	}
	switch g.number("value", 0, 7) {
	case 0:
		return g.pick("boundary", "clamp", "mirror", "wrap") + "(" + g.value(depth-1) + ")"
	case 1:
		return "pad(" + g.value(depth-1) + ", " + g.pick("padding", "0", "1.5", "A(0)") + ")"
	case 2:
		return "(" + g.value(depth-1) + " > 0 ? " + g.value(depth-1) + " : float(" + g.subscript() + "))"
	case 3, 4:
		return g.value(depth-1) + g.pick("op", " + ", " * ", " - ") + g.value(depth-1)
	}
	return g.access()
}

func (g *programmer) access() string {
	t := rapid.SampledFrom(g.tensors).Draw(g.t, "tensor")
	if t.rank == 0 {
		return t.name
	}
	subscripts := make([]string, t.rank)
	for n := range subscripts {
		subscripts[n] = g.subscript()
	}
	return t.name + "(" + strings.Join(subscripts, ",") + ")"
}

func (g *programmer) subscript() string {
	i, j := rapid.SampledFrom(g.indices).Draw(g.t, "index"), rapid.SampledFrom(g.indices).Draw(g.t, "index")
	switch g.number("subscript", 0, 18) {
	case 18:
		for _, t := range g.tensors {
			if t.integer && t.rank == 1 && t.name != "J" {
				return t.name + "(" + i + ")"
			}
		}
	case 0:
		return i + "+" + j
	case 1:
		return i + "-" + j
	case 2:
		return g.pick("factor", "2", "3", "s", "K") + "*" + i + g.pick("offset", "", "+1", "+"+j)
	case 3:
		return i + g.pick("offset", "+1", "-1", "+s", "-s", "+3")
	case 4:
		return g.pick("size", "N", "M", "K", "A.0") + "-1-" + i
	case 5:
		return i + g.pick("divide", "/2", "%3", "/s", "%N")
	case 6:
		return "J(" + i + ")"
	case 7:
		return g.pick("choose", "min", "max") + "(" + i + ", " + g.pick("with", "2", "N-1", j) + ")"
	case 8:
		return i + "*" + j
	case 9:
		return g.pick("constant", "0", "1", "N-1", "s")
	}
	return i
}

// evaluateRandomly runs a function for a few sizes that satisfy its conditions
// and returns the number of successful runs.
func evaluateRandomly(t *rapid.T, f *ein.Func, program string) int {
	runs := 0
	for range 6 {
		env := map[string]int64{"s": int64(rapid.IntRange(-2, 3).Draw(t, "s"))}
		for _, name := range []string{"M", "N", "K"} {
			env[name] = int64(rapid.IntRange(0, 6).Draw(t, name))
		}
		shapes, scalars, args := map[string][]int64{}, map[string]int64{}, map[string]*tensor.Tensor{}
		usable := true
		for _, in := range f.ByRole(ein.Input, ein.InOut) {
			shape := make([]int64, len(in.Dims))
			for k, d := range in.Dims {
				n, err := d.Extent.Eval(env)
				usable = usable && err == nil && n >= 0
				shape[k] = max(n, 0)
			}
			shapes[in.Name] = shape
			args[in.Name] = randomTensor(t, in, shape, env["s"])
		}
		scalars["s"] = env["s"]
		if !usable {
			continue
		}
		sizes, err := f.Bind(shapes, scalars)
		if err != nil {
			continue
		}
		_, err = ein.Evaluate(f, args, ein.EvalOptions{Sizes: sizes})
		var internal *source.InternalError
		if errors.As(err, &internal) {
			t.Fatalf("%v\nsizes %v\n%s\n%s", err, sizes, program, ein.Print(f))
		}
		if err == nil {
			runs++
		}
	}
	return runs
}

func randomTensor(t *rapid.T, in *ein.Tensor, shape []int64, s int64) *tensor.Tensor {
	ints := make([]int, len(shape))
	for k, n := range shape {
		ints[k] = int(n)
	}
	made, err := tensor.New(in.Type, ints...)
	if err != nil {
		t.Fatal(err)
	}
	state := uint64(len(shape) + 7)
	for offset := range made.Offsets() {
		state = state*6364136223846793005 + 1442695040888963407
		made.SetIntAt(offset, int64(state>>60)%5-1)
	}
	if in.Name == "s" {
		made.SetInt(s)
	}
	return made
}

// TestAcceptedProgramsStayInBounds draws programs: whatever is accepted verifies
// and never reads or writes out of bounds for sizes that satisfy its conditions.
func TestAcceptedProgramsStayInBounds(t *testing.T) {
	drawn, accepted, runs := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := &programmer{t: t}
		program := g.program()
		unit, diags := Compile(source.NewFile("random.tc", program), Options{})
		drawn++
		if diags.HasErrors() {
			return
		}
		accepted++
		f := unit.Program.Func("f")
		if err := ein.Verify(f); err != nil {
			t.Fatalf("%v\n%s\n%s", err, program, ein.Print(f))
		}
		runs += evaluateRandomly(t, f, program)
	})
	t.Logf("%d programs, %d accepted, %d runs", drawn, accepted, runs)
	if drawn > 50 && runs == 0 {
		t.Error("no program was accepted and run")
	}
}
