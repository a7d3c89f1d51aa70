package field

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Counters say what Normalise did, and how large the operator was at the points of its way: as it came (the paper's fused),
// after each pass, the last of which binds sums. What was written, before that, and the kernel are counted by those who have them.
type Counters struct {
	Steps  int // rewritings
	Points []Size
}

// A Size is how large an operator is at a point of its way; what is no operator yet is counted by the nodes of its text.
type Size struct {
	Point    string
	Operator *Operator
	Tree     float64 // terms, each as often as it stands: without splitting, all of them are expanded
	Distinct int     // different terms
	Unrolled float64 // operations of all components once sums are written out, without splitting
}

// SizeOf measures an operator.
func SizeOf(point string, o *Operator) Size {
	size := Size{Point: point, Operator: o}
	if o.Body == nil {
		return size
	}
	m := measurer{tree: map[*Term]float64{}, unrolled: map[*Term]float64{}}
	size.Tree = m.nodes(o.Body)
	size.Unrolled = m.operations(o.Body)
	for _, n := range o.Shape {
		size.Unrolled *= float64(n)
	}
	size.Distinct = len(m.tree)
	return size
}

// Table writes the sizes as a table, behind them those of what the operator was expanded to, and how often rules were applied.
func (c Counters) Table(x *Expansion) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "point\ttree\tterms\tunrolled\t")
	for _, p := range c.Points {
		unrolled := "" // of what is no operator yet
		if p.Operator != nil {
			unrolled = fmt.Sprintf("%.0f", p.Unrolled)
		}
		fmt.Fprintf(w, "%s\t%.0f\t%d\t%s\t\n", p.Point, p.Tree, p.Distinct, unrolled)
	}
	fmt.Fprintf(w, "expanded\t%.0f\t%d\t%.0f\t\n", x.Trees, x.Shared, x.Trees)
	w.Flush()
	fmt.Fprintf(&b, "%d rewritings\n", c.Steps)
	return b.String()
}

type measurer struct{ tree, unrolled map[*Term]float64 }

func (m *measurer) nodes(t *Term) float64 {
	if n, ok := m.tree[t]; ok {
		return n
	}
	n := 1.0
	for _, a := range t.Args {
		n += m.nodes(a)
	}
	m.tree[t] = n
	return n
}

func (m *measurer) operations(t *Term) float64 {
	if n, ok := m.unrolled[t]; ok {
		return n
	}
	n := 0.0
	for _, a := range t.Args {
		n += m.operations(a)
	}
	switch t.Op {
	case Rational, Delta, Epsilon, Tensor, Field, Position, Lift, Partial:
	case Conv, Probe, Compose:
	case Add, Mul:
		n += float64(len(t.Args) - 1)
	case Sum:
		ranges := 1.0
		for _, i := range t.Indices {
			ranges *= float64(i.Range)
		}
		n = n*ranges + ranges - 1
	default:
		n++
	}
	m.unrolled[t] = n
	return n
}
