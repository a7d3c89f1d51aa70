package tc

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

const head = "def f(int R, int64(2) A) -> (s) {\n"

// A windowed program makes tensors that begin where their ranges say, often below
// zero, and sums over them without, sometimes with, a range. What it means is
// computed here by loops over the elements themselves.
type windowed struct {
	r       *rand.Rand
	tensors []window
}

// A window is a tensor t(y,d) whose element is a formula, and its ranges.
type window struct {
	name    string
	lo, hi  [2]int // of y and d
	a, b, c int
}

func (w window) at(y, d int) int { return w.a*y*y + w.b*d + w.c*y*d }

// A factor reads a window at sign·index + offset in each dimension.
type factor struct {
	window
	sign, offset [2]int
	padded       bool // pad(t(y,d), 0), of plain indices
}

func (f factor) text() string {
	var subscripts [2]string
	for k, index := range []string{"y", "d"} {
		subscripts[k] = index
		if f.sign[k] < 0 {
			subscripts[k] = "-" + index
		}
		if f.offset[k] != 0 {
			subscripts[k] += fmt.Sprintf("%+d", f.offset[k])
		}
	}
	text := fmt.Sprintf("%s(%s)", f.name, strings.Join(subscripts[:], ","))
	if f.padded {
		return "pad(" + text + ", 0)"
	}
	return text
}

// value is the factor at a point, and whether it is in bounds.
func (f factor) value(at [2]int) (int, bool) {
	var p [2]int
	for k := range p {
		p[k] = f.sign[k]*at[k] + f.offset[k]
		if p[k] < f.lo[k] || p[k] >= f.hi[k] {
			return 0, f.padded
		}
	}
	return f.window.at(p[0], p[1]), true
}

// allowed are the values of an index at which the factor is in bounds.
func (f factor) allowed(k int) (lo, end int) {
	if f.sign[k] > 0 {
		return f.lo[k] - f.offset[k], f.hi[k] - f.offset[k]
	}
	return f.offset[k] - f.hi[k] + 1, f.offset[k] - f.lo[k] + 1
}

func (p *windowed) draw(lo, hi int) int { return lo + p.r.IntN(hi-lo+1) }

// bound writes a number, sometimes by the run-time scalar R = 2.
func (p *windowed) bound(n int) string {
	switch {
	case n == -2 && p.r.IntN(2) == 0:
		return "-R"
	case n == 3 && p.r.IntN(2) == 0:
		return "R+1"
	}
	return fmt.Sprint(n)
}

func (p *windowed) window(name string) (window, string) {
	w := window{name: name, a: p.draw(-2, 3), b: p.draw(-2, 3), c: p.draw(-2, 3)}
	for k := range w.lo {
		w.lo[k] = p.draw(-3, 3)
		w.hi[k] = w.lo[k] + p.draw(1, 5)
	}
	return w, fmt.Sprintf("  %s(y,d) = int64(%d*y*y + %d*d + %d*y*d) where y in %s:%s, d in %s:%s\n", name, w.a, w.b, w.c,
		p.bound(w.lo[0]), p.bound(w.hi[0]), p.bound(w.lo[1]), p.bound(w.hi[1]))
}

func (p *windowed) factor() factor {
	f := factor{window: p.tensors[p.r.IntN(len(p.tensors))], sign: [2]int{1, 1}, padded: p.r.IntN(6) == 0}
	for k := range f.sign {
		if f.padded || p.r.IntN(2) == 0 {
			continue
		}
		f.offset[k] = p.draw(-2, 2)
		if p.r.IntN(4) == 0 {
			f.sign[k] = -1
		}
	}
	return f
}

// meaning is what a program must do: compute the sums, or be refused.
type meaning struct {
	text    string
	refused bool
	min     []int // of the result
	sums    []int64
}

// program draws the text and computes the meaning.
func (p *windowed) program() meaning {
	var body strings.Builder
	for _, name := range []string{"t", "u"} {
		w, text := p.window(name)
		p.tensors = append(p.tensors, w)
		body.WriteString(text)
	}
	factors := []factor{p.factor()}
	if p.r.IntN(2) == 0 {
		factors = append(factors, p.factor())
	}
	var ranges [2][2]int
	m := meaning{}
	var where []string
	for k, index := range []string{"y", "d"} {
		lo, end, plain := -1000, 1000, false
		for _, f := range factors {
			if !f.padded {
				first, last := f.allowed(k)
				lo, end, plain = max(lo, first), min(end, last), true
			}
		}
		if !plain { // pad only: all of the lesser of the dimensions
			for _, f := range factors {
				lo, end = max(lo, f.lo[k]), min(end, f.hi[k])
			}
		}
		switch {
		case end > lo && p.r.IntN(5) < 2:
			lo = p.draw(lo, end-1)
			end = p.draw(lo+1, end)
			where = append(where, fmt.Sprintf("%s in %s:%s", index, p.bound(lo), p.bound(end)))
		case plain:
			for _, f := range factors {
				if first, _ := f.allowed(k); !f.padded && f.lo[k] < 0 && first < 0 {
					m.refused = true // else its first elements would be left out
				}
			}
			lo = max(lo, 0)
		}
		if end <= lo {
			m.refused = true
		}
		ranges[k] = [2]int{lo, end}
	}
	left, kept := p.left()
	texts := make([]string, len(factors))
	for n, f := range factors {
		texts[n] = f.text()
	}
	fmt.Fprintf(&body, "  s%s +=! %s", left, strings.Join(texts, " * "))
	if len(where) > 0 {
		body.WriteString(" where " + strings.Join(where, ", "))
	}
	m.text = head + body.String() + "\n}\n"
	if !m.refused {
		m.sum(factors, ranges, kept)
	}
	return m
}

// left draws the left side, and returns which dimensions it keeps.
func (p *windowed) left() (text string, kept []int) {
	switch p.r.IntN(4) {
	case 0:
		return "(y)", []int{0}
	case 1:
		return "(d)", []int{1}
	case 2:
		return "(y,d)", []int{0, 1}
	}
	return "", nil
}

// sum adds the products of the factors at all points.
func (m *meaning) sum(factors []factor, ranges [2][2]int, kept []int) {
	size := 1
	for _, k := range kept {
		m.min = append(m.min, ranges[k][0])
		size *= ranges[k][1] - ranges[k][0]
	}
	m.sums = make([]int64, size)
	for y := ranges[0][0]; y < ranges[0][1]; y++ {
		for d := ranges[1][0]; d < ranges[1][1]; d++ {
			at, n := [2]int{y, d}, 0
			for _, k := range kept {
				n = n*(ranges[k][1]-ranges[k][0]) + at[k] - ranges[k][0]
			}
			product := 1
			for _, f := range factors {
				v, _ := f.value(at)
				product *= v
			}
			m.sums[n] += int64(product)
		}
	}
}

// TestBelowZero compares sums over tensors that begin below zero with full sums
// that loops of the test compute: a program is refused, or it leaves nothing out.
func TestBelowZero(t *testing.T) {
	refused, computed := 0, 0
	for n := range sweep.Draws(t, 1000, 20000) {
		p := &windowed{r: rand.New(rand.NewPCG(7, uint64(n)))}
		m := p.program()
		unit, diags := Compile(source.NewFile("below.tc", m.text), Options{})
		var codes []source.Code
		for _, d := range diags.List {
			if d.Severity == source.Error {
				codes = append(codes, d.Code)
			}
		}
		if len(codes) > 0 {
			refused++
			if strings.Contains(m.text[len(head):], "R") { // of which nothing is known
				continue
			}
			if !m.refused {
				t.Fatalf("program %d is refused, and is right:\n%s%v", n, m.text, diags.List)
			}
			if codes[0] != source.CodeBelowZero && codes[0] != source.CodeEmptyRange {
				t.Fatalf("program %d is refused for another reason:\n%s%v", n, m.text, diags.List)
			}
			continue
		}
		computed++
		m.compare(t, n, unit.Program.Func("f"))
	}
	t.Logf("%d refused, %d computed", refused, computed)
	if refused < 100 || computed < 100 {
		t.Errorf("%d refused, %d computed: the draws do not try both", refused, computed)
	}
}

func (m *meaning) compare(t *testing.T, n int, f *ein.Func) {
	t.Helper()
	r, err := tensor.New(tensor.Int32)
	if err != nil {
		t.Fatal(err)
	}
	r.SetInt(2)
	a, err := tensor.New(tensor.Int64, 2)
	if err != nil {
		t.Fatal(err)
	}
	sizes, err := f.Bind(map[string][]int64{"R": {}, "A": {2}}, map[string]int64{"R": 2})
	if err != nil {
		if !m.refused {
			t.Fatalf("program %d: %v\n%s", n, err, m.text)
		}
		return // by a condition on R
	}
	if m.refused {
		t.Fatalf("program %d leaves elements out, and is accepted:\n%s", n, m.text)
	}
	results, err := ein.Evaluate(f, map[string]*tensor.Tensor{"R": r, "A": a}, ein.EvalOptions{Sizes: sizes})
	if err != nil {
		t.Fatalf("program %d: %v\n%s", n, err, m.text)
	}
	var got []int64
	for offset := range results["s"].Offsets() {
		got = append(got, results["s"].IntAt(offset))
	}
	if !slices.Equal(got, m.sums) {
		t.Fatalf("program %d gives %v, want %v\n%s", n, got, m.sums, m.text)
	}
	for k, dim := range f.Tensor("s").Dims {
		if first, err := dim.Min.Eval(sizes); err != nil || first != int64(m.min[k]) {
			t.Fatalf("program %d: dimension %d of s begins at %d, want %d\n%s", n, k, first, m.min[k], m.text)
		}
	}
}
