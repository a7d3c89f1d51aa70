package makers

import (
	"errors"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
)

const fused = `domain S0[i]; S1[i]
band S0.i S1.i tile 64
  sequence
    filter S0
      band S0.i vector 16
    filter S1
      band S1.i vector 16
`

// TestWhere: errors of parameters and of expressions point at the row, or the heading, that they
// are about.
func TestWhere(t *testing.T) {
	f := parseFunc(t, `func pairs {
  in x: float32[1000]
  out y: float32[1000]
  out z: float32[1000]
  for i in 0:1000 { y[i] = x[i] }
  for i in 0:1000 { z[i] = y[i] }
}`)
	tree, err := schedule.Parse(fused)
	if err != nil {
		t.Fatal(err)
	}
	described, err := Describe(f, processor, tree)
	if err != nil {
		t.Fatal(err)
	}
	comments, table, _ := strings.Cut(described, "\n\n")
	_, expression, _ := strings.Cut(comments, "# group")
	expression = "group" + strings.ReplaceAll(expression, "\n# ", "\n")
	for _, test := range []struct {
		text          string
		replace       []string
		line, message string
	}{
		{table, []string{"shared 1", "shared 5"}, "group S0 S1 shared 5", "the group of S0 S1: it shares 5 loops, and S0 has 3"},
		{table, []string{"shared 1", "shared 1 place x"}, "group S0 S1 shared 1 place x", "x has a place"},
		{expression, []string{"shared 1", "shared 5"}, "group S0 S1 shared 5", "it shares 5 loops"},
		{table, []string{"group S0 S1", "group S0 S7", "mdh S1", "mdh S7"}, "mdh S7 on host", "there is no statement S7 in pairs"},
		{table, []string{"(4,1)  16 ", "(4,1)  15 "}, "(1,1)  1 ", "parameter 0 at level (1,1)"},
		{expression, []string{"p(4,1) in 16", "p(4,1) in 15"}, "lowlevel S0 on host", "parameter 0 at level (1,1)"}, // of one part, which is left out
		{expression, []string{"p(7,1) in 16", "p(7,1) in 3", "p(5,1) in 4", "p(5,1) in 30"}, "++ i  (L2,0)  p(4,1) in 16", "parameter 0 at level (4,1)"},
	} {
		text := strings.NewReplacer(test.replace...).Replace(test.text)
		_, _, err := FromText(f, processor, nil, "", text)
		var at *source.LineError
		if !errors.As(err, &at) || !strings.Contains(err.Error(), test.message) || !strings.HasPrefix(strings.TrimSpace(strings.Split(text, "\n")[at.Line-1]), test.line) {
			t.Errorf("%v in\n%s", err, text)
		}
	}
}

// TestWhereOrderIsLost: a dependence that parameters break is lost at the row of a loop.
func TestWhereOrderIsLost(t *testing.T) {
	f := parseFunc(t, `func mirrored {
  in x: float32[1000]
  out y: float32[1000]
  out z: float32[1000]
  for i in 0:1000 { y[i] = x[i] }
  for i in 0:1000 { z[i] = y[999i64 - i] }
}`)
	tree, err := schedule.Parse(fused)
	if err != nil {
		t.Fatal(err)
	}
	text, err := Describe(f, processor, tree)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = FromText(f, processor, nil, "mine.txt", text)
	var list source.ErrorList
	if !errors.As(err, &list) || list[0].Code != source.ScheduleIllegal {
		t.Fatal(err)
	}
	for _, note := range list[0].Notes {
		if note.Span.File.Name == "mine.txt" {
			if row := note.Span.Text(); !strings.HasPrefix(row, "(4,1)  16") {
				t.Errorf("it points at %q", row)
			}
			return
		}
	}
	t.Errorf("nothing points at the schedule: %v", err)
}

// TestIdleParameters: layouts that change nothing are said, once for each statement.
func TestIdleParameters(t *testing.T) {
	f := parseFunc(t, `func copy {
  in x: float32[100, 70]
  out y: float32[100, 70]
  for i in 0:100, j in 0:70 { y[i, j] = x[i, j] }
}`)
	text, err := Describe(f, processor, schedule.Canonical(f))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ from, to, want string }{
		{"S4:x=[1,2]", "S4:x=[2,1]", "the layouts of S0 in S4 have no effect"},
		{"S6:y=[1,2]", "S6:y=[2,1]", "the layouts of S0 in S6 have no effect"},
		{"MM    [1,2]\n", "MM    [2,1]\n", "the layouts of S0 in R4 have no effect"},
		{"S4", "S4", ""},
	} {
		_, idle, err := FromText(f, processor, nil, "", strings.ReplaceAll(text, test.from, test.to))
		if said := strings.Join(idle.Options, "\n"); err != nil || !strings.HasPrefix(said, test.want) || (said == "") != (test.want == "") {
			t.Errorf("%s: %v, %q, expected %q", test.to, err, said, test.want)
		}
	}
}
