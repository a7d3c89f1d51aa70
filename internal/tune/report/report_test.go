package report

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/tune"
)

var update = flag.Bool("update", false, "record the golden files again")

// page is a run on a space of three parameters: tile matters most, order a little,
// noise not at all.
func page(t *testing.T, n int) *Page {
	t.Helper()
	values := func(list ...int64) func([]int64) []int64 { return func([]int64) []int64 { return list } }
	s, err := space.New(
		space.Group{{Name: "tile <i>", Values: values(1, 2, 4, 8, 16, 32)}},
		space.Group{{Name: "order", Values: values(0, 1), Text: func(v int64) string { return []string{"i & k", "k"}[v] }}},
		space.Group{{Name: "noise", Values: values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)}},
	)
	if err != nil {
		t.Fatal(err)
	}
	o := &tune.Outcome{Stopped: tune.EvaluationsDone, Elapsed: 90 * time.Second, Evaluations: n, Pruned: 1}
	for i := range n {
		p := space.Point{1 << (i * 7 % 6), int64(i * 5 % 2), int64(1 + i*11%14)}
		if i%3 == 0 {
			p[1] = 1 - p[1]
		}
		m := tune.Measurement{Point: p, At: time.Duration(i) * time.Second, Earlier: i < 3, Seed: i == 0}
		m.Seconds = 1e-4 * (1 + math.Abs(math.Log2(float64(p[0]))-3)) * (1 + 0.3*float64(p[1])) * (1 + 0.01*float64(i*13%7))
		if i%9 == 5 {
			m.Err = errors.New("crashed: signal 11\nat <0x1>")
		}
		o.Measurements = append(o.Measurements, m)
		if !m.Failed() && (o.Best.Point == nil || m.Seconds < o.Best.Seconds) {
			o.Best = m
		}
	}
	o.Default = &o.Measurements[0]
	o.Measurements = append(o.Measurements, tune.Measurement{Point: space.Point{1, 0, 1}, Pruned: true})
	return &Page{
		Title: "matmul <M=512>", Command: "ricci tune matmul.tc -s M=512", Space: s, Outcome: o,
		Facts: []Fact{{"strategy", "bandit"}, {"seed", "1"}}, Machine: []Fact{{"processor", "an example & more"}},
		Verdict: Verdict{Raced: true, Tuned: true, Default: 2e-4, Best: 1e-4, Rival: 1e-4}, Kept: "domain S0[i]\nband S0.i tile 8", Default: "domain S0[i]\nband S0.i",
		Cause: func(err error) string { return strings.SplitN(err.Error(), ":", 2)[0] },
	}
}

// TestPage: the page is well-formed, refers to nothing outside of itself, shows every
// candidate, and escapes what it is given.
func TestPage(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, page(t, 60)); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	d := xml.NewDecoder(strings.NewReader(text))
	counts := map[string]int{}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok {
			counts[e.Name.Local]++
			for _, a := range e.Attr {
				if a.Name.Local == "src" || a.Name.Local == "href" || a.Name.Local == "onload" {
					t.Errorf("%s refers to %s", e.Name.Local, a.Value)
				}
			}
		}
	}
	if regexp.MustCompile(`(?i)https?://|url\(|@import|<script`).MatchString(text) {
		t.Error("the page uses something outside of itself")
	}
	curve := text[strings.Index(text, `id="curve"`):strings.Index(text, `id="parameters"`)]
	if dots, crosses := strings.Count(curve, `class="dot`), strings.Count(curve, `class="failed"`); dots != 2*53 || crosses != 2*7 {
		t.Errorf("%d dots and %d crosses in two curves of 53 candidates that worked and 7 that failed", dots, crosses)
	}
	for _, want := range []string{
		"matmul &lt;M=512&gt;", "an example &amp; more", "spared by the cost model", "the number of evaluations was reached",
		"<td>crashed</td>", "prefers-color-scheme: dark", "@media print", "tile &lt;i&gt;",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if counts["section"] != 7 || counts["svg"] != 5 {
		t.Errorf("%d sections and %d drawings, want 7 and 5", counts["section"], counts["svg"])
	}
	golden(t, "page.html", text)
}

// TestVerdict: what stands on top is how the race ended, not what the search measured.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		verdict Verdict
		want    []string
	}{
		{Verdict{Raced: true, Tuned: true, Default: 3e-4, Best: 2e-4, Rival: 2e-4}, []string{"best<b>200 µs</b>", "default<b>300 µs</b>", "1.50×", "Its winner is kept"}},
		{Verdict{Raced: true, Default: 3e-4, Best: 3e-4, Rival: 2.99e-4}, []string{"best<b>300 µs</b>", "1.00×", "the fastest took 299 µs", "the default stays"}},
		{Verdict{Raced: true, Default: 3e-4, Best: 3e-4}, []string{"1.00×", "no candidate ran by turns"}},
		{Verdict{Tuned: true}, []string{"times of the search", "clearly faster and is kept"}},
		{Verdict{}, []string{"times of the search", "so the default stays"}},
	} {
		p := page(t, 20)
		p.Verdict = c.verdict
		var b strings.Builder
		if err := Write(&b, p); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%+v: the page lacks %q", c.verdict, want)
			}
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the page is not that of %s (-update records it again)", path)
	}
}

// TestEffects: what was built into the times is found, noise is told from it.
func TestEffects(t *testing.T) {
	p := page(t, 200)
	list := effects(p.Space, p.Outcome.Measurements)
	if len(list) != 3 || list[0].Name != "tile <i>" || list[1].Name != "order" {
		t.Fatalf("%d effects, the largest is %v", len(list), list[0].Name)
	}
	if !list[0].Matters || list[0].Share < 60 || !list[1].Matters || list[2].Matters {
		t.Errorf("tile %.0f %% %v, order %.0f %% %v, noise %.0f %% of %.0f %% %v", list[0].Share, list[0].Matters, list[1].Share, list[1].Matters, list[2].Share, list[2].Chance, list[2].Matters)
	}
}

// TestExplained compares η² with cases that are clear.
func TestExplained(t *testing.T) {
	for _, c := range []struct {
		classes []level
		want    float64
	}{
		{[]level{{"a", []float64{1, 1, 1}}, {"b", []float64{2, 2}}}, 1},
		{[]level{{"a", []float64{1, 3}}, {"b", []float64{3, 1}}}, 0},
		{[]level{{"a", []float64{0, 2}}, {"b", []float64{2, 4}}}, 0.5},
		{[]level{{"a", []float64{5, 5}}, {"b", []float64{5, 5}}}, 0},
	} {
		var all []float64
		for _, l := range c.classes {
			all = append(all, l.costs...)
		}
		if got := between(all, c.classes); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: η² is %g, want %g", c.classes, got, c.want)
		}
	}
}

// TestClassify: few values stay apart, many are put into classes that cover them all.
func TestClassify(t *testing.T) {
	var few, many []sample
	for i := range 100 {
		few = append(few, sample{float64(i % 4), 0})
		many = append(many, sample{float64(i * i), 0})
	}
	text := func(v float64) string { return fmt.Sprint(v) }
	if list := classify(few, text); len(list) != 4 || len(list[2].costs) != 25 || list[2].text != "2" {
		t.Errorf("four values give %v", list)
	}
	list, n := classify(many, text), 0
	for _, l := range list {
		n += len(l.costs)
	}
	if len(list) != 10 || n != 100 || list[0].text != "0…81" {
		t.Errorf("100 values give %d classes of %d samples, the first is %s", len(list), n, list[0].text)
	}
}

// TestSmall: a run of one candidate, and one without a default.
func TestSmall(t *testing.T) {
	p := page(t, 1)
	p.Outcome.Default = nil
	var b strings.Builder
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "Too few candidates") {
		t.Error("one candidate has effects")
	}
}
