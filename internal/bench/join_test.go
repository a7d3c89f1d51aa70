package bench

import (
	"slices"
	"strings"
	"testing"
)

// TestJoin checks that rows of several runs become one, the later ones in place of
// earlier ones.
func TestJoin(t *testing.T) {
	run := func(date string, rows ...RowResult) *Results { return &Results{Date: date, Rows: rows} }
	row := func(name string, threads int, ms float64) RowResult {
		r := times(name, map[string]float64{"Ricci": ms})
		r.Threads = threads
		return r
	}
	first := run("monday", row("a", 1, 1), row("a", 2, 2), row("b", 1, 3))
	joined := Join(first, run("tuesday", row("c", 1, 4), row("a", 2, 5)))
	var got []float64
	for _, r := range joined.Rows {
		got = append(got, r.Times[0].Median*1e3)
	}
	if !slices.Equal(got, []float64{1, 5, 3, 4}) || joined.Date != "tuesday" {
		t.Errorf("the joined times are %v of %s", got, joined.Date)
	}
	if first.Rows[1].Times[0].Median != 2e-3 {
		t.Error("joining changes what was joined")
	}
}

// TestPathPicture checks that rows with paths are drawn by their candidates, and only
// where all rows have some.
func TestPathPicture(t *testing.T) {
	row := RowResult{Name: "teml/a", Threads: 1}
	for n, name := range []string{"Ricci, tuned", "Ricci", "Ricci, " + bestPath, "Ricci, " + plutoPath, "C, " + plutoPath, "C, " + sequentialPath} {
		_, path, _ := strings.Cut(name, ", ")
		m := Measured{Candidate: name, Ricci: strings.HasPrefix(name, "Ricci"), Naive: path == sequentialPath, Spread: Spread{Median: float64(1 + n*n)}}
		if n > 1 {
			m.Path = path
		}
		row.Times = append(row.Times, m)
	}
	r := &Results{Machine: "a < b", Rows: []RowResult{row}}
	picture := r.Picture()
	wellFormed(t, picture, "teml/a, 1 thread")
	wellFormed(t, picture, "C, "+plutoPath)
	if n := strings.Count(picture, "<circle"); n != 8 { // four in the legend
		t.Errorf("%d discs, expected 8:\n%s", n, picture)
	}
	if _, names := r.pathRows(); names[0] != "Ricci, tuned" || names[1] != "Ricci" || names[5] != "C, "+plutoPath || names[3] != "Ricci, "+bestPath {
		t.Errorf("the candidates are in the order %q", names)
	}
	r.Rows = append(r.Rows, times("row", map[string]float64{"Ricci": 1}))
	if strings.Contains(r.Picture(), "<circle") {
		t.Error("a row without paths is left out")
	}
}
