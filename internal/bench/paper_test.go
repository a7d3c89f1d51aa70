package bench

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestPrinted: what papers print is of rows that there are, and in numbers.
func TestPrinted(t *testing.T) {
	var names []string
	for _, row := range slices.Concat(mdhRows(), tcRows()) {
		names = append(names, row.Name)
	}
	for _, table := range paperTables {
		rows := printedIn(table.paper)
		if len(rows) < 10 {
			t.Errorf("%s prints numbers for %d rows", table.paper, len(rows))
		}
		for name, list := range rows {
			if !slices.Contains(names, name) {
				t.Errorf("%s prints numbers for %s, which is no row", table.paper, name)
			}
			for _, p := range list {
				for _, text := range []string{p.first, p.second} {
					if v, err := strconv.ParseFloat(text, 64); text != "-" && (err != nil || v < 0) || p.framework == "" {
						t.Errorf("%s: %+v", name, p)
					}
				}
			}
		}
	}
}

// TestPrintedPortability: the portability that the paper prints over its processors follows from its speedups, where all
// that it counts is printed. Its best framework is the one over which its own has the least speedup, or its own.
func TestPrintedPortability(t *testing.T) {
	checked := 0
	for name, list := range printedIn("mdh") {
		best, want := [2]float64{1, 1}, 0.0
		for _, p := range list {
			for k, text := range []string{p.first, p.second} {
				v, err := strconv.ParseFloat(text, 64)
				switch {
				case p.framework == portabilityMark && k == 0:
					want = v
				case p.framework != portabilityMark && err == nil:
					best[k] = min(best[k], v)
				}
			}
		}
		if got := Pennycook(best[:]); want == 0 || got < want-0.011 || got > want+0.011 {
			t.Errorf("%s: Φ is %.3f by the speedups, %.2f is printed", name, got, want)
		}
		checked++
	}
	if checked < 40 {
		t.Errorf("only %d rows were checked", checked)
	}
}

func TestPaperTables(t *testing.T) {
	mdh, tc, other := times("mdh/fig24/dot/2^24", map[string]float64{"Ricci": 1, "MKL": 1.5}), times("tc/fig6/c3/128x1000x1024", map[string]float64{"Ricci": 1, "MKL": 1.5}), times("other", map[string]float64{"Ricci": 1})
	failed := times("tc/fig6/1lut/10^7x64x50", map[string]float64{"MKL": 1})
	var b strings.Builder
	(&Results{Rows: []RowResult{mdh, tc, other, failed}}).writePapers(&b)
	for _, want := range []string{
		"| mdh/fig24/dot/2^24 | 1 | MKL 1.50 | TVM+Ansor 5.07, 5.60; Pluto 5.40, 4.78; Pluto+ATF 5.39, 4.75; oneMKL 0.64, 1.03 |",
		"| tc/fig6/c3/128x1000x1024 | 1 | Ricci 1000; MKL 1500 | Caffe2+CUBLAS 159, 113; ATen+CUBLAS 142, 110; TC 224, 128 |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the tables lack %q:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "other") || strings.Contains(b.String(), "1lut") {
		t.Errorf("rows that are not compared are in the tables:\n%s", b.String())
	}
}
