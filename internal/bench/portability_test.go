package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// platform has rows with the mean times of frameworks; 0 is one that cannot do it.
func platform(machine string, rows map[string]map[string]float64) *Results {
	r := &Results{Version: "v1", Machine: machine, Device: "host", Interval: &Interval{0.99, 0.05}}
	for _, name := range sortedKeys(rows) {
		row := RowResult{Name: name, Group: "g", Threads: 4, Sizes: map[string]int64{"N": 1}}
		for _, framework := range sortedKeys(rows[name]) {
			m := Measured{Candidate: framework, Ricci: framework == "Ricci"}
			if mean := rows[name][framework]; mean > 0 {
				m.Spread = Spread{Median: 2 * mean, Mean: mean, Interval: 0.01, Runs: 9}
			} else {
				m.Missing = "crashes"
			}
			row.Times = append(row.Times, m)
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

func sortedKeys[V any](m map[string]V) []string {
	var list []string
	for name := range m {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// TestPaper computes what the MDH paper prints in Figures 31 and 33 for two processors from the speedups that it prints in
// Figures 24 and 26.
func TestPaper(t *testing.T) {
	rows := func(matmul, contraction map[string]float64) map[string]map[string]float64 {
		return map[string]map[string]float64{"matmul": matmul, "contraction": contraction}
	}
	skylake := rows(map[string]float64{"Ricci": 1, "TVM": 1.15, "Pluto": 12.25, "Pluto+ATF": 4.78, "oneMKL": 0.69}, map[string]float64{"Ricci": 1, "TVM": 1.60, "Pluto": 147.45})
	broadwell := rows(map[string]float64{"Ricci": 1, "TVM": 1.11, "Pluto": 5.26, "Pluto+ATF": 2.85, "oneMKL": 0.66}, map[string]float64{"Ricci": 1, "TVM": 1.06, "Pluto": 0})
	p, err := PortabilityOf([]string{"a", "b"}, []*Results{platform("skylake", skylake), platform("broadwell", broadwell)})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]float64{
		"matmul":      {"Ricci": 0.67, "TVM": 0.60, "Pluto": 0.08, "Pluto+ATF": 0.18, "oneMKL": 1},
		"contraction": {"Ricci": 1, "TVM": 0.75, "Pluto": 0, "Pluto+ATF": 0, "oneMKL": 0},
	}
	for _, row := range p.Rows {
		if len(row.Frameworks) != 5 {
			t.Errorf("%s has %d frameworks", row.Name, len(row.Frameworks))
		}
		for _, f := range row.Frameworks {
			// The printed speedups are rounded, too.
			if got, want := f.Portability, want[row.Name][f.Name]; math.Abs(got-want) > 0.0101 {
				t.Errorf("%s, %s: %.4f, the paper prints %.2f", row.Name, f.Name, got, want)
			}
		}
	}
}

func TestPennycook(t *testing.T) {
	for _, test := range []struct {
		efficiencies []float64
		want         float64
	}{{nil, 0}, {[]float64{1}, 1}, {[]float64{1, 0.5}, 2.0 / 3}, {[]float64{1, 0.5, 0.25}, 3.0 / 7}, {[]float64{1, 0, 1}, 0}} {
		if got := Pennycook(test.efficiencies); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%v: %g, expected %g", test.efficiencies, got, test.want)
		}
	}
}

// TestPortabilityProperties draws times of frameworks on platforms.
func TestPortabilityProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frameworks := []string{"Ricci", "A", "B", "C"}[:rapid.IntRange(2, 4).Draw(t, "frameworks")]
		var list []*Results
		var files []string
		for n := range rapid.IntRange(2, 5).Draw(t, "platforms") {
			times := map[string]float64{}
			for k, f := range frameworks {
				times[f] = rapid.Float64Range(0.001, 10).Draw(t, f)
				if k > 1 && rapid.Bool().Draw(t, "missing") {
					times[f] = 0
				}
			}
			list = append(list, platform(fmt.Sprint("machine ", n), map[string]map[string]float64{"p": times}))
			files = append(files, fmt.Sprint(n))
		}
		before, err := PortabilityOf(files, list)
		if err != nil {
			t.Fatal(err)
		}
		fastest := make([]bool, len(list))
		for _, f := range before.Rows[0].Frameworks {
			low, high := slices.Min(f.Efficiencies), slices.Max(f.Efficiencies)
			if f.Portability > high+1e-12 || high > 1 || low > 0 && f.Portability < low-1e-12 || low == 0 && f.Portability != 0 {
				t.Errorf("%s has %g of the efficiencies %v", f.Name, f.Portability, f.Efficiencies)
			}
			for k, e := range f.Efficiencies {
				fastest[k] = fastest[k] || e == 1
			}
		}
		if slices.Contains(fastest, false) {
			t.Errorf("on a platform nobody is the fastest: %v", before.Rows[0].Frameworks)
		}
		// Neither the order of the platforms nor the speed of one of them matters.
		slices.Reverse(list)
		for i := range list[0].Rows[0].Times {
			list[0].Rows[0].Times[i].Mean *= 3
		}
		after, err := PortabilityOf(files, list)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range before.Rows[0].Frameworks {
			if g := after.Rows[0].framework(f.Name, len(list)); math.Abs(f.Portability-g.Portability) > 1e-9 {
				t.Errorf("%s has %g in the other order, before %g", f.Name, g.Portability, f.Portability)
			}
		}
	})
}

func TestPortabilityRefusals(t *testing.T) {
	rows := func(names ...string) map[string]map[string]float64 {
		m := map[string]map[string]float64{}
		for _, n := range names {
			m[n] = map[string]float64{"Ricci": 1, "MKL": 2}
		}
		return m
	}
	changed := func(r *Results, change func(*Results)) *Results {
		change(r)
		return r
	}
	for _, test := range []struct {
		second *Results
		want   string
	}{
		{nil, "1 platforms: portability is over two or more"},
		{platform("one", rows("a", "b")), "are both of the device host of one machine (one)"},
		{changed(platform("two", rows("a", "b")), func(r *Results) { r.Version = "v2" }), "f0 is of v1 and f1 of v2"},
		{changed(platform("two", rows("a", "b")), func(r *Results) { r.Device = "" }), "f1 does not say which device it is of"},
		{platform("two", rows("a")), "f1 lacks rows that others have: b; measure them there too, or choose rows that all have by --filter"},
		{platform("two", rows("c", "d", "e", "f", "g", "h", "i", "a", "b")), "f0 lacks rows that others have: c, d, e, f, g and 2 more;"},
		{changed(platform("two", rows("a", "b")), func(r *Results) { r.Rows[1].Sizes = map[string]int64{"N": 2} }), "b has other sizes in f1 than in f0"},
		{changed(platform("two", rows("a", "b")), func(r *Results) { r.Rows[0].Times[0].Mean = 0 }), "f1 has no means, only medians"},
		{changed(platform("two", rows("b")), func(r *Results) { r.Rows = nil; r.leaveOut("a", "x"); r.leaveOut("b", "x") }), "no row was measured on all platforms"},
	} {
		list, files := []*Results{platform("one", rows("a", "b"))}, []string{"f0"}
		if test.second != nil {
			list, files = append(list, test.second), append(files, "f1")
		}
		if _, err := PortabilityOf(files, list); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, expected %q", err, test.want)
		}
	}
	alone := map[string]map[string]float64{"a": {"Ricci": 1, "MKL": 0}}
	if _, err := PortabilityOf([]string{"a", "b"}, []*Results{platform("one", alone), platform("two", alone)}); err == nil || !strings.Contains(err.Error(), `times of 1 frameworks ["Ricci"]`) {
		t.Errorf("one framework: %v", err)
	}
}

// TestPortabilityRows: the result with the most threads counts, wrong and packed ones do not, rows that one machine leaves
// out are named, and so are wide intervals.
func TestPortabilityRows(t *testing.T) {
	one, two := platform("one", map[string]map[string]float64{"a": {"Ricci": 1, "MKL": 2}, "b": {"Ricci": 1}}), platform("two", map[string]map[string]float64{"a": {"Ricci": 2, "MKL": 1}})
	two.leaveOut("b", "its arguments take 9 GB")
	single := platform("two", map[string]map[string]float64{"a": {"Ricci": 1, "MKL": 1}}).Rows[0]
	single.Threads = 1
	two.Rows = append([]RowResult{single}, two.Rows...)
	row := &two.Rows[1]
	row.Times[0].Interval = 0.2
	row.Times = append(row.Times, Measured{Candidate: "oneDNN", Spread: row.Times[0].Spread, Wrong: "element 1"}, Measured{Candidate: "oneDNN, packed", Packed: true, Spread: Spread{Mean: 1e-9, Median: 1e-9}})
	p, err := PortabilityOf([]string{"f0", "f1"}, []*Results{one, two})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Frameworks, []string{"MKL", "Ricci"}) || len(p.Rows) != 1 {
		t.Fatalf("%+v", p)
	}
	for _, f := range p.Rows[0].Frameworks {
		if math.Abs(f.Portability-2.0/3) > 1e-12 {
			t.Errorf("%s has %g of %v", f.Name, f.Portability, f.Efficiencies)
		}
	}
	var b strings.Builder
	if err := p.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| a | 0.67 | 0.67 |", "| a | f1 | 1.00 | 0.50 |", "b is not compared: f1: its arguments take 9 GB.", "f1, a, MKL: the 99 % interval of the mean is ±20 %, not ±5 %."} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the tables lack %q:\n%s", want, b.String())
		}
	}
}
