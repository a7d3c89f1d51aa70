package mdh

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
)

// This file reads Table 1 and Tables 2 to 4 of the paper a second time, without a look at
// validate.go and model.go, and compares.

// A paper judges a configuration by the text of the paper.
type paper struct {
	c      *Computation
	k      *Configuration
	broken map[string]bool // parameters
}

// judgeByPaper returns the parameters that are outside of their ranges, or break a constraint
// of their model; with exact, parts divide sizes as Definition 28 wants it.
func judgeByPaper(c *Computation, k *Configuration, exact bool) map[string]bool {
	p := &paper{c, k, map[string]bool{}}
	p.partitioning(exact)
	for phase, names := range [][2]string{{"D1", "D2"}, {"S1", "S2"}, {"R1", "R2"}} {
		orders, levels := map[int]bool{}, map[machine.Level]bool{}
		for _, r := range k.Rows {
			orders[r.Order[phase]], levels[r.Assign[phase]] = true, true
		}
		for n := range k.Layers * k.Dims { // onto, and as many: a bijection
			p.want(names[0], orders[n])
			p.want(names[1], levels[machine.Level{Layer: n/k.Dims + 1, Dim: n%k.Dims + 1}])
		}
	}
	place := func(region, layout string, b *Buffer, q Place) {
		p.want(region, 1 <= q.Region && q.Region <= k.Model.Memories())
		p.want(layout, len(q.Layout) == b.Rank())
		for d := range b.Rank() {
			p.want(layout, slices.Contains(q.Layout, d+1))
		}
	}
	for b, input := range c.Inputs {
		for _, r := range k.Rows {
			place("D3", "D4", input, r.In[b])
		}
		place("S3", "S4", input, k.ScalarInputs[b])
	}
	for b, output := range c.Outputs {
		for _, r := range k.Rows {
			place("R3", "R4", output, r.Out[b])
		}
		place("S5", "S6", output, k.ScalarOutputs[b])
	}
	if len(p.broken) == 0 {
		p.tables()
	}
	return p.broken
}

func (p *paper) want(parameter string, holds bool) {
	if !holds {
		p.broken[parameter] = true
	}
}

// partitioning walks all parts of all layers: every point is in one, and none is empty.
func (p *paper) partitioning(exact bool) {
	for d, dim := range p.c.Dims {
		n := int(max(1, dim.N))
		hit, idle, ok := make([]int, n), false, true
		tiles := make([]int, p.k.Layers+1)
		tiles[p.k.Layers] = 1
		for layer := p.k.Layers; layer >= 1; layer-- {
			r := p.k.Row(Level{layer, d + 1})
			if ok = ok && r.Parts >= 1 && r.Parts < 1<<20 && r.Size >= 0 && (r.Size == 0 || !exact); !ok {
				break
			}
			if r.Size > 0 { // which the parts inside fill
				ok = ok && layer < p.k.Layers || r.Size == 1
				tiles[layer] = int(r.Size)
			}
			tiles[layer-1] = tiles[layer] * int(r.Parts)
		}
		if !ok {
			p.broken["0"] = true
			continue
		}
		var visit func(layer, low, high int, whole bool)
		visit = func(layer, low, high int, whole bool) {
			if layer > p.k.Layers {
				for i := low; i < high; i++ {
					hit[i]++
				}
				return
			}
			tile := tiles[layer]
			for q := range int(p.k.Row(Level{layer, d + 1}).Parts) {
				from, to := low+q*tile, min(low+(q+1)*tile, high)
				if from >= high {
					idle = idle || whole && !p.lanes(layer, d, tile, exact, high-low == 1)
					return
				}
				if exact && to-from != tile {
					ok = false
				}
				visit(layer+1, from, to, whole && q == 0)
			}
		}
		visit(1, 0, n, true)
		for _, times := range hit {
			ok = ok && times == 1
		}
		p.want("0", ok && !idle)
	}
}

// lanes reports whether parts are lanes of a vector, which may be more than there are points
// unless those outside are points.
func (p *paper) lanes(layer, d, tile int, exact, point bool) bool {
	n := p.k.Row(Level{layer, d + 1}).Assign[0].Layer
	return !exact && !point && tile == 1 && n >= 1 && n <= p.k.Layers && p.k.Model.Layers[n-1].Name == "SIMD"
}

// tables are the constraints of Tables 2, 3 and 4.
func (p *paper) tables() {
	type combined struct {
		layer   string
		regions string
	}
	threads := map[string]string{"cuda": "THR", "cuda+wrp": "THR", "opencl": "WI", "multi-gpu": "THR", "multi-node-multi-gpu": "THR"}
	rows := map[string][]combined{
		"cuda":                 {{"BLK", "DM"}, {"THR", "DM SM"}},
		"cuda+wrp":             {{"BLK", "DM"}, {"WRP", "DM SM"}},
		"opencl":               {{"WG", "GM"}, {"WI", "GM LM"}},
		"multi-gpu":            {{"BLK", "DM"}, {"THR", "DM SM"}},
		"multi-node-multi-gpu": {{"BLK", "DM"}, {"THR", "DM SM"}},
	}
	m := p.k.Model
	for phase := range 3 {
		product := int64(1)
		for _, r := range p.k.Rows {
			if m.Layers[r.Assign[phase].Layer-1].Name == threads[m.Name] {
				product *= r.Parts
			}
		}
		p.want("0", product <= 1024)
	}
	for _, row := range rows[m.Name] {
		for at, r := range p.k.Rows {
			if m.Layers[r.Assign[2].Layer-1].Name != row.layer || r.Parts <= 1 || p.c.Dims[at%p.k.Dims].Operator() == "++" {
				continue
			}
			for _, q := range r.Out {
				p.want("R3", slices.Contains(strings.Fields(row.regions), m.Layers[q.Region-1].Region))
			}
		}
	}
}

// spoil changes one value of one parameter, to a valid one now and then.
func spoil(t *rapid.T, k *Configuration) {
	r := &k.Rows[below(t, len(k.Rows), "row")]
	phase := below(t, 3, "phase")
	place := func(list []Place) {
		if len(list) == 0 {
			return
		}
		q := &list[below(t, len(list), "buffer")]
		q.Layout = slices.Clone(q.Layout)
		switch n := len(q.Layout); below(t, 5, "place") {
		case 0:
			q.Region = rapid.SampledFrom([]int{-1, 0, k.Model.Memories() + 1, len(k.Model.Layers), 1}).Draw(t, "region")
		case 1:
			q.Layout = append(q.Layout, n+1)
		case 2:
			q.Layout = q.Layout[:max(0, n-1)]
		case 3:
			if n > 0 {
				q.Layout[below(t, n, "at")] = rapid.IntRange(0, n+1).Draw(t, "dimension")
			}
		case 4:
			q.Region = 1 + below(t, k.Model.Memories(), "memory")
		}
	}
	switch below(t, 9, "parameter") {
	case 0:
		r.Parts = max(-1, r.Parts+rapid.Int64Range(-2, 2).Draw(t, "parts"))
	case 1:
		r.Size = rapid.Int64Range(-1, 5).Draw(t, "size")
	case 2:
		r.Parts *= rapid.SampledFrom([]int64{0, 2, 3, 1 << 12}).Draw(t, "times")
	case 3:
		r.Order[phase] = rapid.IntRange(-1, len(k.Rows)).Draw(t, "order")
	case 4:
		r.Assign[phase] = machine.Level{Layer: rapid.IntRange(0, k.Layers+1).Draw(t, "layer"), Dim: rapid.IntRange(0, k.Dims+1).Draw(t, "dim")}
	case 5:
		place(r.In)
	case 6:
		place(r.Out)
	case 7:
		place(k.ScalarInputs)
	case 8:
		place(k.ScalarOutputs)
	}
}

// TestPaper draws configurations on the models of the paper, valid ones and others, and compares
// what Validate says with the paper: what breaks a constraint there is refused by the name
// of its parameter, and what is refused beyond that has a reason that the model or the order
// of the program gives.
func TestPaper(t *testing.T) {
	models := slices.DeleteFunc(machine.Models(), func(m *machine.Machine) bool {
		return slices.Contains([]string{"a100", "h100", "opencl-processor"}, m.Name) // like those of the paper, with quantities
	})
	drawn, valid, broken := 0, 0, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		s := scheduletest.Draw(t, eintest.Options{NoHalf: true, Statements: 1})
		if len(s.G.Body) == 0 {
			return
		}
		c := ComputationOf(s.G, 0)
		if len(c.Dims) == 0 {
			return
		}
		m := models[below(t, len(models), "model")]
		k := drawAny(t, c, m)
		for range below(t, 3, "spoilt") {
			spoil(t, k)
		}
		exact := below(t, 2, "exact") == 1
		found, want := Validate(c, k, Options{Exact: exact}), judgeByPaper(c, k, exact)
		for name := range want {
			broken[name]++
		}
		says := fmt.Sprintf("%v (exact %t)\n%s\n%s\n%s", want, exact, errorsOf(found), s.G, k.Table(c.Name))
		switch {
		case len(want) == 0 && len(found) == 0:
			valid++
		case len(want) > 0 && len(found) == 0:
			t.Fatalf("accepted against %s", says)
		case len(want) > 0 && !slices.ContainsFunc(found, func(v Violation) bool { return want[v.Parameter] || beyondPaper(m, v) }):
			t.Fatalf("refused for another parameter than %s", says)
		case len(want) == 0 && !slices.ContainsFunc(found, func(v Violation) bool { return beyondPaper(m, v) }):
			t.Fatalf("refused against %s", says)
		}
	})
	t.Logf("%d valid; broken %v", valid, broken)
	if drawn >= 100 && valid == 0 || len(broken) < min(6, drawn/16) {
		t.Errorf("%d valid ones of %d; broken: %v", valid, drawn, broken)
	}
}

// beyondPaper reports whether a violation is of a constraint that the paper's tables do not have: one that
// the model adds, or the order of a computation whose reduced dimensions keep it.
func beyondPaper(m *machine.Machine, v Violation) bool {
	if strings.Contains(v.Message, "is combined in order") || strings.Contains(v.Message, "is not associative") {
		return true
	}
	return slices.ContainsFunc(m.Constraints, func(c machine.Constraint) bool {
		ofPaper := c.Kind == machine.CombineIn && c.Layers[0] != "GPU" && c.Layers[0] != "NOD" || c.Kind == machine.PartsTogether && c.Limit == 1024 && len(c.Layers) == 1
		return strings.Contains(v.Message, c.Reason) && !ofPaper
	})
}
