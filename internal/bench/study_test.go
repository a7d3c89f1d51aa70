package bench

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestStudies runs computations of studies that have C by hand, in a quick run some of them, at sizes that no block
// divides: whoever computes something else is found by the others.
func TestStudies(t *testing.T) {
	odd := map[string]int64{
		"N": 3, "N1": 5, "N2": 35, "N3": 9, "P": 5, "Q": 37, "K": 5, "R": 3, "S": 2, "C": 3, "H": 12, "W": 75, "I": 19, "J": 1031, "E": 333, "B": 7,
		"D": 19, "L1": 11, "E1": 23, "L2": 3, "E2": 17,
	}
	var hands []study
	for _, s := range append(append([]study{}, mdhStudies...), tcStudies...) {
		if s.hand != "" {
			hands = append(hands, s)
		}
	}
	if len(hands) < 8 {
		t.Fatalf("only %d computations have C by hand", len(hands))
	}
	var rows []Row
	for _, s := range sweep.Some(t, hands, 4) {
		row := studyRows("odd", []study{s})[0]
		row.Name = s.name + " " + s.def
		for name := range row.Sizes {
			row.Sizes[name] = min(row.Sizes[name], odd[name])
			if name[0] == 'M' { // of the matrices of capsules
				row.Sizes[name] = 4
			}
		}
		macros := enumAll
		if s.macros != nil {
			macros = s.macros
		}
		row.Hand = handText(s.hand, macros(row.Sizes))
		rows = append(rows, row)
	}
	o := testOptions(t, rows...)
	o.Threads, o.Runs = []int{2}, 1
	results, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range results.Rows {
		hand := false
		for _, m := range row.Times {
			hand = hand || m.Candidate == handCandidate
			if !m.ok() {
				t.Errorf("%s, %s: %s%s", row.Name, m.Candidate, m.Missing, m.Wrong)
			}
		}
		if !hand {
			t.Errorf("%s has no C by hand", row.Name)
		}
	}
}

// TestFigures: every program of Figure 16 has a row, and Section 5 its numbers of measurements: the columns of its tables,
// with the ninth contraction that they leave out. Its future work has rows, too.
func TestFigures(t *testing.T) {
	counts, programs := map[string]int{}, map[string]bool{}
	for _, row := range mdhRows() {
		counts[row.Group]++
		if name := strings.Split(row.Name, "/")[2]; row.Group != "mdh/future" && !strings.HasPrefix(name, "abcdef") {
			programs[name] = true
		}
		if !strings.HasPrefix(row.Name, row.Group+"/") {
			t.Errorf("%s is of the group %s", row.Name, row.Group)
		}
	}
	if want := map[string]int{"mdh/fig16": 9, "mdh/fig24": 8, "mdh/fig25": 5, "mdh/fig26": 9, "mdh/fig27": 6, "mdh/fig29": 16, "mdh/b4": 1, "mdh/future": 4}; !maps.Equal(counts, want) {
		t.Errorf("the figures have %v rows, expected %v", counts, want)
	}
	quick := slices.DeleteFunc(slices.Concat(mdhRows(), tcRows()), func(r Row) bool { return !r.Quick })
	if len(quick) != 5 {
		t.Errorf("the quick suite has %d rows of studies, expected 5: %v", len(quick), quick)
	}
	// 21 programs: the two contractions are rows of their own, Mandelbrot is none of them.
	if len(programs) != 21-2+1 {
		t.Errorf("%d programs: %v", len(programs), programs)
	}
}

// TestMemory: a candidate without memory for its arguments is not started, and a row without it for the first is left out.
func TestMemory(t *testing.T) {
	o := testOptions(t, testRow(nil))
	row := &o.Rows[0]
	w, err := newWork(t.Context(), row)
	if err != nil {
		t.Fatal(err)
	}
	bytes := w.read + w.written
	for _, test := range []struct {
		available int64
		fits      bool
	}{{0, true}, {bytes, false}, {bytes * 2, true}} {
		o.available = func() int64 { return test.available }
		r := &runner{Options: o, children: map[string]*child{}}
		c := r.contestants(row, 1)[0]
		err := r.prepare(t.Context(), c, w)
		r.stop()
		if err != nil || (c.result.Missing == "") != test.fits {
			t.Errorf("with %d bytes for %d: %v, %q", test.available, bytes, err, c.result.Missing)
		}
		if err := r.fits(w); (err == nil) != test.fits {
			t.Errorf("with %d bytes for %d the row fits: %v", test.available, bytes, err)
		}
	}
	o.available = func() int64 { return 1 }
	_, err = (&runner{Options: o}).row(t.Context(), row, 1)
	if large := (*tooLargeError)(nil); !errors.As(err, &large) {
		t.Fatalf("the row is not left out: %v", err)
	}
	results := new(Results)
	for range 2 { // numbers of threads
		results.leaveOut(row.Name, err.Error())
	}
	if len(results.LeftOut) != 1 || !strings.HasPrefix(results.LeftOut[0].Reason, "its arguments take 968 B of memory, and 1 B are available") {
		t.Errorf("%+v", results.LeftOut)
	}
	var b strings.Builder
	if err := results.Markdown(&b); err != nil || !strings.Contains(b.String(), "product was left out: its arguments take") {
		t.Errorf("%v: %s", err, b.String())
	}
	if joined := Join(results, &Results{Rows: []RowResult{{Name: row.Name}}}); len(joined.LeftOut) != 0 {
		t.Error("a row that was measured later is still left out")
	}
}
