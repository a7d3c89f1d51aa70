package ricci_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/source"
)

// compileGiven compiles a def for sizes with a schedule.
func compileGiven(t *testing.T, program string, sizes map[string]int64, options ricci.Options) (*ricci.Kernel, error) {
	t.Helper()
	p, err := ricci.Parse("test.tc", program)
	if err != nil {
		t.Fatal(err)
	}
	def, err := p.Def("")
	if err != nil {
		t.Fatal(err)
	}
	signature, err := def.SignatureForSizes(sizes)
	if err != nil {
		t.Fatal(err)
	}
	return def.Compile(t.Context(), signature, options)
}

const blur = `def blur(float(N) X) -> (T, Y) { T(i) = X(i) * 2
Y(i) = T(i) + T(i+1) where i in 0:N-1 }`

func TestGivenSchedule(t *testing.T) {
	sizes := map[string]int64{"N": 100}
	tests := []struct {
		name, schedule string
		code           ricci.Code // "" when it is legal
	}{
		{"legal", "domain S0[i]; S1[i]\nsequence\n  filter S0\n    band S0.i tile 7\n      band S0.i\n  filter S1\n    band S1.i\n", ""},
		{"comments", "# mine\n\ndomain S0[i]; S1[i]\nsequence\n  filter S0\n    band S0.i\n  filter S1\n    band S1.i\n", ""},
		{"other order", "domain S0[i]; S1[i]\nsequence\n  filter S1\n    band S1.i\n  filter S0\n    band S0.i\n", source.ScheduleIllegal},
		{"other names", "domain S0[k]; S1[k]\nsequence\n  filter S0\n    band S0.k\n  filter S1\n    band S1.k\n", source.ScheduleMisfit},
		{"no points", "domain S0[i]; S1[i]\nsequence\n  filter S0\n    band S0.i tile 4\n  filter S1\n    band S1.i\n", source.ScheduleMisfit},
		{"no tree", "bands", source.ScheduleSyntax},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for range 2 { // the second time from the cache
				kernel, err := compileGiven(t, blur, sizes, ricci.Options{Schedule: test.schedule})
				if test.code == "" {
					if err != nil {
						t.Fatal(err)
					}
					if want := ricci.GivenSchedule; kernel.Target() == ricci.C && kernel.Schedule() != want {
						t.Errorf("the schedule is %s, expected %s", kernel.Schedule(), want)
					}
					if err := kernel.Close(); err != nil {
						t.Error(err)
					}
					continue
				}
				var list ricci.ErrorList
				switch {
				case err == nil && kernel.Target() == ricci.Eval:
					t.Skip("no C compiler: install gcc or clang")
				case !errors.As(err, &list) || list[0].Code != test.code:
					t.Errorf("got %v, expected %s", err, test.code)
				}
			}
		})
	}
}

// TestGivenScheduleIsPointedAt: what is wrong with a schedule is shown in its text.
func TestGivenScheduleIsPointedAt(t *testing.T) {
	const inOrder = "domain S0[i]; S1[i]\nsequence\n  filter S0\n    band S0.i\n  filter S1\n    "
	for _, test := range []struct {
		schedule, want string // the text at the caret
		note           bool   // of the last note
		help           string
	}{
		{inOrder + "band S1.i   tile  8 pad | S1.i vector 3", "vector 3", false, ""},
		{inOrder + "band  S1.i pad", "pad", false, ""},
		{inOrder + "band S1.i tile 8 | S1.i tile 9 parallel", "band S1.i tile 8 | S1.i tile 9 parallel", false, ""},
		{inOrder + "band S1.i | S1.i parallel", "S1.i parallel", false, ""},
		{inOrder + "band S1.i unroll\n      place T privat", "place T privat", false, ""},
		{inOrder + "band S1.i unroll\n      place Q private", "place Q private", false, ""},
		{inOrder + "band S1.i tille 8", "tille", false, ""},
		{"# my own\r\n\r\ndomain S0[i]; S1[j]\r\nband S0.i", "domain S0[i]; S1[j]", false, "the first line for blur is"},
		{"domain S0[i]; T1[j]\nband S0.i", "T1[j]", false, ""},
		{"domain S0[i]; S1[i]\nsequence\n  filter S1\n    band S1.i\n  filter S0\n    band S0.i", "sequence", true, "one after the other"},
		{"domain S0[i]; S1[i]\nband S0.i S1.i+1 parallel\n  sequence\n    filter S0\n    filter S1", "parallel", true, "or make the loop serial"},
		{"domain S0[i]; S1[i]\nband S0.i S1.i+1 reverse\n  sequence\n    filter S0\n    filter S1", "reverse", true, "or run the loop forwards"},
		{"domain S0[i]; S1[i]\nband S0.i S1.i\n  sequence\n    filter S0\n    filter S1", "S0.i S1.i", true, "or shift S1 in the loop, so that it comes later"},
	} {
		_, err := compileGiven(t, blur, map[string]int64{"N": 100}, ricci.Options{Schedule: test.schedule, ScheduleFile: "mine.txt"})
		var list ricci.ErrorList
		if !errors.As(err, &list) {
			t.Errorf("%s\ngot %v", test.schedule, err)
			continue
		}
		at := list[0].Span
		if test.note {
			at = list[0].Notes[len(list[0].Notes)-1].Span
		}
		if !at.IsValid() || at.File.Name != "mine.txt" || at.Text() != test.want {
			t.Errorf("%s\ngot %s %q, expected %q: %v", test.schedule, at, at.Text(), test.want, err)
		}
		if help := list[0].Help; !strings.Contains(help, test.help) || strings.Contains(help, "serial") != strings.Contains(test.help, "serial") {
			t.Errorf("%s\nhelp: %s, expected %q", test.schedule, help, test.help)
		}
	}
}

// Parameters that break a constraint are pointed at, and options that do not exist.
func TestGivenParametersArePointedAt(t *testing.T) {
	sizes := map[string]int64{"M": 64, "N": 64, "K": 64}
	text, err := parse(t, matmul).Stage(context.Background(), ricci.StageMDH, sizes, ricci.Options{})
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\(1,1\) +\S+`)
	for _, test := range []struct{ schedule, want string }{
		{row.ReplaceAllString(text, "(1,1)  99"), "(1,1)  99 "},
		{"# mine\n.tile(32, 32)\n.fuse(most)", ".fuse(most)"},
	} {
		_, err := compileGiven(t, matmul, sizes, ricci.Options{Schedule: test.schedule, ScheduleFile: "mine.txt"})
		var list ricci.ErrorList
		if !errors.As(err, &list) || list[0].Span.File.Name != "mine.txt" || !strings.HasPrefix(list[0].Span.Text(), test.want) {
			t.Errorf("%s\n%v", test.schedule, err)
		}
	}
}

// A schedule that is given decides about the kernel: the default one is another.
func TestGivenScheduleHasItsOwnKernel(t *testing.T) {
	sizes := map[string]int64{"N": 101}
	plain := "domain S0[i]; S1[i]\nsequence\n  filter S0\n    band S0.i\n  filter S1\n    band S1.i\n"
	for _, options := range []ricci.Options{{}, {Schedule: plain}, {}} {
		kernel, err := compileGiven(t, blur, sizes, options)
		if err != nil {
			t.Fatal(err)
		}
		want := ricci.DefaultSchedule
		if options.Schedule != "" {
			want = ricci.GivenSchedule
		}
		if kernel.Target() == ricci.C && kernel.Schedule() != want {
			t.Errorf("the schedule is %s, expected %s", kernel.Schedule(), want)
		}
		if err := kernel.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Temporaries of passes have names of their own under the names of the program and
// under canonical ones; a schedule that places one is translated.
func TestGivenScheduleNamesTemporaries(t *testing.T) {
	p, err := ricci.Parse("test.tc", `def f(float(N) X) -> (Y) { T(i) = exp(X(i))
Y(i) = T(i) + T(i+1) where i in 0:N-1 }`)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{"N": 300}
	text, err := p.Defs()[0].Stage(t.Context(), ricci.StageSchedule, sizes, ricci.Options{Untuned: true})
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.Defs()[0].Stage(t.Context(), ricci.StageSchedule, sizes, ricci.Options{Schedule: text})
	if err != nil || strings.TrimSpace(again) != strings.TrimSpace(text) {
		t.Errorf("%v\n%s\nexpected\n%s", err, again, text)
	}
	if _, err := compileGiven(t, `def f(float(N) X) -> (Y) { T(i) = exp(X(i))
Y(i) = T(i) + T(i+1) where i in 0:N-1 }`, sizes, ricci.Options{Schedule: text}); err != nil {
		t.Error(err)
	}
}

// TestScriptSeesProgram schedules a temporary that Ricci would compute where it is used:
// a script names what the program assigns.
func TestScriptSeesProgram(t *testing.T) {
	const program = "def u(float(N) A) -> (C) { t(i) = A(i) * 2\nC(i) = t(i) + 1 }"
	for script, want := range map[string]string{
		"codegen(build(t), parallelize(build(C), 1))": "",
		"codegen(fuse_outer(build(t), build(C), 1))":  "",
		"codegen(build(C))":                           "no nest has the statement of t",
	} {
		kernel, err := compileGiven(t, program, map[string]int64{"N": 10}, ricci.Options{Schedule: script})
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, expected %q", script, err, want)
		case err == nil:
			if err := kernel.Close(); err != nil {
				t.Error(err)
			}
			tree, err := kernel.Def().Stage(t.Context(), ricci.StageSchedule, map[string]int64{"N": 10}, ricci.Options{Schedule: script})
			if err != nil {
				t.Fatal(err)
			}
			again, err := compileGiven(t, program, map[string]int64{"N": 10}, ricci.Options{Schedule: tree})
			if err != nil {
				t.Errorf("the tree of %s is refused: %v\n%s", script, err, tree)
			} else if err := again.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestScheduleSeesProgram does so from Go.
func TestScheduleSeesProgram(t *testing.T) {
	p, err := ricci.Parse("test.tc", "def u(float(N) A) -> (C) { t(i) = A(i) * 2\nC(i) = t(i) + 1 }")
	if err != nil {
		t.Fatal(err)
	}
	def, err := p.Def("")
	if err != nil {
		t.Fatal(err)
	}
	s := def.Schedule(map[string]int64{"N": 10}, ricci.Options{}).Of("t").FuseOuter("C", 1)
	text, err := s.Text()
	if err != nil {
		t.Fatal(err)
	}
	if want := "domain S0[i]; S1[i]\nas written\nband S0.i S1.i\n"; !strings.HasPrefix(text, want) {
		t.Errorf("%s", text)
	}
	resolved, err := argument.Resolve(def, argument.Request{Sizes: map[string]int64{"N": 10}})
	if err != nil {
		t.Fatal(err)
	}
	results, err := def.RunWith(t.Context(), resolved.Args, nil, ricci.Options{Schedule: text})
	if err == nil {
		_, err = def.Check(t.Context(), resolved.Args, results, nil)
	}
	if err != nil {
		t.Error(err)
	}
}
