package bench

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

func TestSpread(t *testing.T) {
	s := spreadOf([]float64{5, 1, 3, 2, 4}, 0.99)
	if want := (Spread{Median: 3, Low: 2, High: 4, Least: 1, Runs: 5, Mean: 3, Interval: s.Interval}); s != want {
		t.Errorf("%+v, expected %+v", s, want)
	}
	if q := quantile([]float64{1, 2}, 0.5); q != 1.5 {
		t.Errorf("the median of 1 and 2 is %g", q)
	}
	if m := geometricMean([]float64{1, 4, 16}); math.Abs(m-4) > 1e-12 {
		t.Errorf("the geometric mean is %g", m)
	}
	if u := (Spread{Median: 1, Runs: 1}).uncertainty(); !math.IsInf(u, 1) {
		t.Errorf("one sample has the uncertainty %g", u)
	}
}

// times makes a row with these medians in milliseconds; quartiles are 1 % off.
func times(name string, medians map[string]float64) RowResult {
	r := RowResult{Name: name, Group: "group", Threads: 1, Operations: 1e9, Bytes: 1e6, Floor: 0.5e-3, FloorBy: "float32"}
	for _, candidate := range []string{"Ricci", "naive C", "MKL", "oneDNN, packed"} {
		median, ok := medians[candidate]
		if !ok {
			continue
		}
		median *= 1e-3
		r.Times = append(r.Times, Measured{
			Candidate: candidate, Ricci: candidate == "Ricci", Naive: candidate == "naive C", Packed: strings.HasSuffix(candidate, "packed"),
			Spread: Spread{Median: median, Low: median * 0.99, High: median * 1.01, Least: median * 0.98, Runs: 25},
		})
	}
	r.conclude()
	return r
}

func TestConclusions(t *testing.T) {
	r := times("row", map[string]float64{"Ricci": 1, "naive C": 10, "MKL": 1.2, "oneDNN, packed": 0.8})
	if r.Best != "MKL" || math.Abs(r.Ratio-1.2) > 1e-9 || math.Abs(r.RatioPacked-0.8) > 1e-9 || math.Abs(r.OfFloor-0.5) > 1e-9 {
		t.Errorf("%+v", r)
	}
	if n := r.overNaive(); math.Abs(n-10) > 1e-9 {
		t.Errorf("%g times naive", n)
	}
	for _, test := range []struct {
		goal Goal
		want string
	}{
		{Goal{}, ""},
		{Goal{Best: 1.1, Packed: 0.7, Naive: 9, Floor: 0.4}, ""},
		{Goal{Best: 1.3}, "1.20 of 1.30 × best"},
		{Goal{Packed: 0.95}, "0.80 of 0.95 × packed"},
		{Goal{Naive: 12}, "10.00 of 12.00 × naive"},
		{Goal{Seconds: 1e-4}, "1.000 ms of at most 100.00 µs"},
		{Goal{Floor: 0.6}, "0.50 of 0.60 of the limit"},
	} {
		r.Goal = test.goal
		if got := r.missed(); got != test.want {
			t.Errorf("%+v: %q, expected %q", test.goal, got, test.want)
		}
	}
	r.Times[2].Wrong = "element 3"
	r.conclude()
	if r.Best != "naive C" {
		t.Errorf("a candidate with wrong results wins: %s", r.Best)
	}
}

func TestCompare(t *testing.T) {
	old := &Results{Format: formatVersion, Machine: "m", Rows: []RowResult{
		times("same", map[string]float64{"Ricci": 1, "MKL": 1}),
		times("faster", map[string]float64{"Ricci": 2, "MKL": 1}),
		times("slower", map[string]float64{"Ricci": 1, "MKL": 1}),
		times("gone", map[string]float64{"Ricci": 1}),
	}}
	new := &Results{Format: formatVersion, Machine: "m", Rows: []RowResult{
		times("same", map[string]float64{"Ricci": 2, "MKL": 2}), // the clock is half as fast
		times("faster", map[string]float64{"Ricci": 1, "MKL": 1}),
		times("slower", map[string]float64{"Ricci": 1.5, "MKL": 1}),
		times("added", map[string]float64{"Ricci": 1}),
	}}
	c := Compare(old, new)
	if c.Faster != 1 || c.Slower != 1 || len(c.Rows) != 3 || c.Rows[0].Significant || c.Rows[0].Yardstick != "MKL" {
		t.Errorf("%+v", c)
	}
	if want := math.Cbrt(2 / 1.5); math.Abs(c.GeometricMean-want) > 1e-9 {
		t.Errorf("the mean is %g, expected %g", c.GeometricMean, want)
	}
	if diff := cmp.Diff([]string{"gone, 1 thread"}, c.OnlyOld) + cmp.Diff([]string{"added, 1 thread"}, c.OnlyNew); diff != "" {
		t.Error(diff)
	}
	var b strings.Builder
	if err := c.Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"SLOWER", "faster\n", "3 rows: 1 faster, 1 slower", "only in the old file: gone"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := c.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	if want := "| slower, 1 thread | 1.000 ms | 1.500 ms | 0.667 |"; !strings.Contains(b.String(), want) || !strings.Contains(b.String(), "3 rows: 1 faster") {
		t.Errorf("no %q in\n%s", want, b.String())
	}
	if chart := c.Chart(); strings.Count(chart, "<rect") != 1+len(c.Rows) || !strings.Contains(chart, "0.67 ×") {
		t.Errorf("drawn as\n%s", chart)
	}
}

func TestFile(t *testing.T) {
	want := &Results{Format: formatVersion, Version: "v", Machine: "m", Date: "d",
		Peers: []PeerStatus{{Name: "MKL", Package: "libmkl-rt", Reason: "no file"}},
		Peaks: &machine.Peaks{Threads: 2, Rates: []machine.Rate{{Type: tensor.Float32, Unit: "vector", Speed: machine.Speed{One: 1, All: 2}}}},
		Rows:  []RowResult{times("row", map[string]float64{"Ricci": 1, "MKL": 2})},
	}
	path := filepath.Join(t.TempDir(), "r.json")
	write := func() {
		text, err := json.Marshal(want)
		if err == nil {
			err = os.WriteFile(path, text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write()
	read := func() (*Results, error) {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return Parse(path, text)
	}
	got, err := read()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	want.Format = 99
	write()
	if _, err := read(); err == nil {
		t.Error("a file of another format is read")
	}
}

func TestMarkdown(t *testing.T) {
	r := &Results{Machine: "m", Rows: []RowResult{times("row", map[string]float64{"Ricci": 1, "naive C": 10, "MKL": 2}), times("bytes", map[string]float64{"Ricci": 2})}}
	r.Rows[1].Integers, r.Rows[1].FloorBy = true, "int8"
	var b strings.Builder
	if err := r.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| row | 1000.0 GFLOP/s | ±1 % | MKL 500.0 GFLOP/s | 2.00 |  | 100.0 GFLOP/s | 10.0 | 50 % | float32 |  |",
		"| bytes | 500.0 GOP/s |",
		"| group | 1 | 2 | 2.00 | 10.0 | 0.35 |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no line %q in\n%s", want, b.String())
		}
	}
}

// TestPictures checks that the drawings are well-formed and name what they show.
func TestPictures(t *testing.T) {
	results := &Results{Machine: "a < b", Rows: []RowResult{times("row & column", map[string]float64{"Ricci": 1, "MKL": 2})}}
	peaks := &machine.Peaks{Threads: 2,
		Rates: []machine.Rate{{Type: tensor.Float32, Unit: "vector", Speed: machine.Speed{One: 1e11, All: 2e11}}},
		Layers: []machine.Memory{
			{Name: "L1", Bytes: 1 << 15, Bandwidths: machine.Bandwidths{Read: machine.Speed{One: 3e11, All: 6e11}}},
			{Name: "memory", Shared: true, Bandwidths: machine.Bandwidths{Read: machine.Speed{One: 1e10, All: 2e10}}},
		}}
	for _, intensity := range []float64{0, 0.25, 170, 1e6} {
		r := &Roofline{Def: "mm<>", Type: "float32", Intensity: intensity, Operations: 1e9, Bytes: 1e9, Peaks: peaks, dtype: tensor.Float32,
			Points: []RooflinePoint{{Threads: 1, Rate: 5e10, Limit: 1, LimitBy: "memory"}, {Threads: 2, Rate: 9e10, Limit: 1, LimitBy: "float32"}}}
		wellFormed(t, r.SVG(), "mm<>")
		if text := r.Text(); !strings.Contains(text, "the bandwidth of main memory") || !strings.Contains(text, "the arithmetic on float32") {
			t.Errorf("the text says no limit:\n%s", text)
		}
	}
	wellFormed(t, results.Chart(), "row & column, 1 thread")
}

// A kernel that does next to nothing has no limit that says something.
func TestRooflineOfLittle(t *testing.T) {
	for _, test := range []struct {
		r    Roofline
		want string
	}{
		{Roofline{}, "nothing is computed and nothing moved"},
		{Roofline{Operations: 1, Bytes: 8, Type: "float32", Peaks: &machine.Peaks{}}, "the limit is under 1 ns, and any call takes longer"},
	} {
		test.r.Points = []RooflinePoint{{Threads: 1, Limit: 2e-10, OfLimit: 0.0019}}
		if text := test.r.Text(); !strings.Contains(text, test.want) || strings.Contains(text, "which is 0 ns") {
			t.Errorf("the text is\n%s", text)
		}
	}
}

// Layers that are as fast as each other are one roof, named after both.
func TestBandwidthRoofs(t *testing.T) {
	layer := func(name string, read float64) machine.Memory {
		return machine.Memory{Name: name, Bandwidths: machine.Bandwidths{Read: machine.Speed{One: read, All: read}}}
	}
	for _, test := range []struct {
		name   string
		layers []machine.Memory
		want   string
	}{
		{"apart", []machine.Memory{layer("L1", 400), layer("L2", 200), layer("memory", 20)}, "L1 400 L2 200 memory 20"},
		{"as slow as memory", []machine.Memory{layer("L2", 200), layer("L3", 19), layer("memory", 18)}, "L2 200 L3, memory 18"},
		{"the outer one faster, in the noise", []machine.Memory{layer("L3", 18), layer("memory", 19)}, "L3, memory 18"},
		{"a slope of small steps", []machine.Memory{layer("L1", 25), layer("L2", 23), layer("L3", 20)}, "L1, L2 23 L3 20"},
		{"one not measured", []machine.Memory{layer("L1", 0), layer("memory", 18)}, "memory 18"},
	} {
		var list []string
		for _, roof := range bandwidthRoofs(&machine.Peaks{Threads: 2, Layers: test.layers}, 1) {
			list = append(list, fmt.Sprintf("%s %g", roof.name, roof.bandwidth))
		}
		if got := strings.Join(list, " "); got != test.want {
			t.Errorf("%s: %s, expected %s", test.name, got, test.want)
		}
	}
}

func wellFormed(t *testing.T, text, label string) {
	t.Helper()
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "%!") {
		t.Errorf("the picture has a number that is none:\n%s", text)
	}
	d := xml.NewDecoder(strings.NewReader(text))
	found := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := token.(xml.CharData); ok && strings.Contains(string(data), label) {
			found = true
		}
	}
	if !found {
		t.Errorf("the picture does not show %q", label)
	}
}

func TestAgreement(t *testing.T) {
	list := []*contestant{{elements: []float64{1, 2, 3}}, {elements: []float64{1, 2.0000001, 3}}, {elements: []float64{1, 2.1, 3}}, {elements: []float64{1, 2, math.NaN()}}, {elements: []float64{1}}}
	compareElements(list, &work{dtype: tensor.Float32, terms: 10, outputs: []output{{tensor.Float32, 3}}})
	for i, wrong := range []bool{false, false, true, true, true} {
		if got := list[i].result.Wrong != ""; got != wrong {
			t.Errorf("candidate %d is wrong: %v (%s)", i, got, list[i].result.Wrong)
		}
	}
}

// TestAgreementOfIntegers: an output of large floats makes nobody tolerant with integers beside it, of which only
// some of many may differ, and only where they hang on floats.
func TestAgreementOfIntegers(t *testing.T) {
	const count = 400
	samples := func(changed int) []float64 {
		list := []float64{1e6}
		for i := range count {
			list = append(list, float64(i))
		}
		for i := range changed {
			list[1+i]++
		}
		return list
	}
	for _, test := range []struct {
		changed int
		floats  bool
		wrong   bool
	}{{0, false, false}, {1, false, true}, {2, true, false}, {3, true, true}} {
		list := []*contestant{{elements: samples(0)}, {elements: samples(test.changed)}, {elements: samples(0)}}
		compareElements(list, &work{dtype: tensor.Float32, terms: 1000, floats: test.floats, outputs: []output{{tensor.Float32, 1}, {tensor.Int32, count}}})
		if got := list[1].result.Wrong != ""; got != test.wrong || list[0].result.Wrong != "" {
			t.Errorf("%+v: wrong is %v (%s)", test, got, list[1].result.Wrong)
		}
	}
}

// TestOthers checks what is said about rows that are compared with another program.
func TestOthers(t *testing.T) {
	row := func(name string, other float64) RowResult {
		r := times(name, map[string]float64{"Ricci": 1, "naive C": 4})
		for _, m := range []Measured{{Candidate: "Ricci, nested", Ricci: true}, {Candidate: "naive C, nested", Naive: true}} {
			m.Other, m.Spread = "nested", Spread{Median: other, Runs: 1}
			r.Times = append(r.Times, m)
		}
		r.conclude()
		return r
	}
	r := &Results{Rows: []RowResult{row("operator/x/2-9", 0.002), row("operator/x/4-9", 0.0005)}}
	for i := range r.Rows {
		if row := &r.Rows[i]; row.ricci().Median != 1e-3 || math.Abs(row.overNaive()-4) > 1e-9 || row.Best != "naive C" {
			t.Errorf("the other program counts as the row's: %+v", row)
		}
	}
	var b strings.Builder
	if err := r.Markdown(&b); err != nil || !strings.Contains(b.String(), "| operator/x/2-9 | 1 | nested | 2.000 ms | 2.0 | 2.000 ms | 0.5 |") {
		t.Errorf("%v\n%s", err, b.String())
	}
	picture := r.Picture()
	wellFormed(t, picture, "operator/x, naive C, 1 thread")
	if !strings.Contains(picture, "polyline") {
		t.Error("no curves are drawn")
	}
	r.Rows = append(r.Rows, times("row", map[string]float64{"Ricci": 1, "MKL": 4}))
	r.Rows[2].Group = "alone"
	if strings.Contains(r.Picture(), "polyline") {
		t.Error("the row of another group is not drawn")
	}
}

// Files without a common row have no mean, and a peer above the limit is remarked.
func TestNothingToCompare(t *testing.T) {
	old := &Results{Rows: []RowResult{times("a", map[string]float64{"Ricci": 1})}}
	new := &Results{Rows: []RowResult{times("b", map[string]float64{"Ricci": 1})}}
	var b strings.Builder
	if err := Compare(old, new).Print(&b); err != nil || strings.Contains(b.String(), "geometric mean") || !strings.Contains(b.String(), "no row in common") {
		t.Errorf("%v: %s", err, &b)
	}
}

func TestAboveTheLimit(t *testing.T) {
	r := &Results{Rows: []RowResult{times("noisy", map[string]float64{"Ricci": 1, "MKL": 0.5})}}
	const remark = "MKL is above the limit (160 %)"
	for floor, expected := range map[float64]bool{0: false, 0.0004: false, 0.0008: true} {
		r.Rows[0].Floor = floor
		var b strings.Builder
		if err := r.Markdown(&b); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); strings.Contains(text, remark) != expected || strings.Contains(text, "Ricci is above") {
			t.Errorf("floor %v: %s", floor, text)
		}
	}
	r.Rows[0].Floor = 0.0008
	for by, why := range map[string]string{"float32": "it needs fewer operations than the program has", "memory": "the machine's speed changed"} {
		r.Rows[0].FloorBy = by
		var b strings.Builder
		if err := r.Markdown(&b); err != nil || !strings.Contains(b.String(), remark+": "+why) {
			t.Errorf("%v: limited by %s:\n%s", err, by, b.String())
		}
	}
}

// TestTunedTable: rows with both schedules are compared in a table of their own.
func TestTunedTable(t *testing.T) {
	both := times("both", map[string]float64{"Ricci": 2, "naive C": 8})
	both.Times = append(both.Times, Measured{Candidate: tunedCandidate, Ricci: true, Spread: Spread{Median: both.named(defaultCandidate).Median / 1.25, Runs: 1}})
	failed := times("failed", map[string]float64{"Ricci": 2})
	failed.Times = append(failed.Times, Measured{Candidate: tunedCandidate, Ricci: true, Missing: "crashed"})
	var b strings.Builder
	if err := (&Results{Rows: []RowResult{both, failed}}).Markdown(&b); err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(b.String(), "## Tuning")
	table, _, _ = strings.Cut(table, "\n##")
	if !found || !strings.Contains(table, "| both | 1 | 2.000 ms | 1.600 ms | 1.25 |") || strings.Contains(table, "failed") {
		t.Errorf("the table:\n%s", b.String())
	}
}
