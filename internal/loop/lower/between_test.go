package lower_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/loop/passes"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/source"
)

// drawTemporaries draws a chain of statements, each of which reads one or two of those before it across.
func drawTemporaries(draw *rand.Rand) string {
	n, count := 2+draw.IntN(12), 5+draw.IntN(4)
	var b strings.Builder
	fmt.Fprintf(&b, "func chain {\n  in T0: float32[%d, %[1]d]\n", n)
	for k := 1; k < count; k++ {
		fmt.Fprintf(&b, "  temp T%d: float32[%d, %[2]d]\n", k, n)
	}
	fmt.Fprintf(&b, "  out T%d: float32[%d, %[2]d]\n", count, n)
	for k := 1; k <= count; k++ {
		fmt.Fprintf(&b, "  for i in 0:%d, j in 0:%[1]d { T%[2]d[i, j] = T%[3]d[j, i] + T%[4]d[i, %[5]di64 - j] }\n", n, k, k-1, max(0, k-1-draw.IntN(2)), n-1)
	}
	return b.String() + "}"
}

// TestBetweenPasses lowers drawn programs as far as each pass on loops: what is there is accepted, reads back, has what
// the next pass needs and what all before have promised, and computes the same, bit by bit.
func TestBetweenPasses(t *testing.T) {
	draw := rand.New(rand.NewPCG(28, 3))
	changed := map[string]int{}
	for n := range 36 {
		program, order := "", ""
		switch n % 6 {
		case 0:
			program, order = drawHeld(draw)
		case 1:
			for woven := false; !woven; program, woven = drawChannels(draw) {
				continue
			}
		case 2, 5:
			program = drawNeighbours(draw)
		case 3:
			program, order, _ = drawWindow(draw)
		case 4:
			program = drawTemporaries(draw)
		}
		p := readProgram(t, program)
		tree, err := schedule.Parse(order)
		switch {
		case order != "":
		case n%6 == 4:
			tree, err = schedule.Canonical(p.f), nil
		default:
			tree, err = standard.Default(p.f, processors[n%2])
		}
		if err != nil {
			t.Fatal(err)
		}
		between(t, p, tree, changed)
	}
	for _, row := range passes.Table() {
		if changed[row.Name] < 3 {
			t.Errorf("the pass %s changes %d programs", row.Name, changed[row.Name])
		}
	}
}

// processors are one with short vectors, and one with long ones.
var processors = []*machine.Processor{
	{VectorBytes: 16, VectorRegisters: 16, L1: 32 << 10, L2: 128 << 10, L3: 1 << 20, Cores: 1},
	{VectorBytes: 64, VectorRegisters: 32, Features: []string{"avx512f", "avx512bw"}, L1: 48 << 10, L2: 2 << 20, L3: 1 << 22, Cores: 1},
}

// between lowers a program as far as each pass, and counts those that change it.
func between(t *testing.T, p program, tree *schedule.Tree, changed map[string]int) {
	t.Helper()
	args := p.arguments(t, 1)
	var text string
	var first *loop.Func
	var promised []passes.Property
	for n, name := range passes.Names() {
		f, err := lower.Lower(p.f, tree, lower.Options{After: name})
		if err != nil {
			t.Fatalf("%v\n%s", err, schedule.Print(tree))
		}
		if n > 0 {
			promised = append(promised, passes.Table()[n-1].Promises...)
		}
		required := slices.Clone(promised)
		if n < len(passes.Table()) {
			required = append(required, passes.Table()[n].Needs...)
		}
		before := text
		text = loop.Print(f)
		if err := loop.Verify(f); err != nil {
			t.Fatalf("behind %s: %v\n%s", name, err, text)
		}
		if read, err := loop.Parse(source.NewFile("loops", text)); err != nil || loop.Print(read) != text {
			t.Errorf("behind %s the loops do not read back: %v\n%s", name, err, text)
		}
		for _, property := range required {
			if err := property.Holds(f); err != nil {
				t.Errorf("behind %s, not %s: %v", name, property.Name, err)
			}
		}
		if n == 0 {
			first = f
			continue
		}
		if text == before {
			continue
		}
		changed[name]++
		want, wantOK := evaluate(t, p, first, args)
		got, ok := evaluate(t, p, f, args)
		if ok != wantOK {
			t.Fatalf("behind %s the loops end %t, before %t\n%s", name, ok, wantOK, text)
		}
		for tensor := range want {
			compared, err := ein.Compare(got[tensor], want[tensor], nil)
			if err != nil {
				t.Fatal(err)
			}
			if ok && !compared.OK() {
				t.Errorf("%s is another behind %s: %v\n%s\n%s", tensor, name, compared.Worst, loop.Print(first), text)
			}
		}
	}
}
