package pipelinetest_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
)

// How random scripts are tested
//
// A case is a number: the program, its sizes, the machine and the script depend on nothing
// else, and -first NUMBER -scripts 1 repeats it. Of a script that goes wrong as many steps
// are taken back as can be, so that what is printed is short. A long sweep is
//
//	go test ./internal/pipelinetest -run 'TestScripts|TestVerdicts' -v -long 100

var scripts = flag.Int("scripts", 0, "how many random scripts; 0: as many as -long and -short say")

// scriptCase draws a case with a script; nil where the sizes do not fit. Its loops are not
// made.
func scriptCase(t testing.TB, seed uint64, list []subject, e extents) *pipelinetest.Case {
	t.Helper()
	from := pipelinetest.Seeded(seed)
	one := drawSubject(t, from, seed, list, e)
	if one == nil {
		return nil
	}
	one.Name = fmt.Sprintf("script%d", seed)
	if err := one.DrawSetting(from); err != nil {
		t.Fatal(err)
	}
	if e.known {
		one.Keep = nil
	}
	if err := one.PrepareScript(); err != nil {
		t.Fatalf("%v\n%s", err, one)
	}
	if len(one.Special.Body) == 0 {
		return nil
	}
	one.Script = pipelinetest.DrawScript(from, one.Special)
	return one
}

// codeOf is the code of a refusal; ok is false for other errors.
func codeOf(err error) (code source.Code, ok bool) {
	var list source.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return list[0].Code, slices.Contains([]source.Code{source.ScheduleIllegal, source.ScheduleMisfit, source.TransformMisfit}, list[0].Code)
	}
	return "", false
}

// shrink takes back the steps of a script without which it goes wrong in the same way.
func shrink(one *pipelinetest.Case, wrong func(c *pipelinetest.Case) bool) *pipelinetest.Case {
	best := *one
	for size := len(best.Script.Steps); size > 0; size /= 2 {
		for from := 0; from < len(best.Script.Steps); {
			c := best
			c.Script = best.Script.Without(from, from+size)
			if wrong(&c) {
				best = c
			} else {
				from += size
			}
		}
	}
	return &best
}

// TestScripts takes random scripts for random programs to native code, on some threads.
func TestScripts(t *testing.T) {
	k, list := compiler(t), subjects(t)
	units, wide := 2**long, extents{[]int{1, 2, 3, 4, 5, 7, 9, 13, 17, 19}, 12, false}
	if testing.Short() {
		units = 1
	}
	seed, made, refused := *first, 0, 0
	for unit := range units {
		var cases []*pipelinetest.Case
		for ; len(cases) < 2*perUnit && (*scripts == 0 || seed < *first+uint64(*scripts)); seed++ {
			one := scriptCase(t, seed, list, wide)
			if one == nil {
				continue
			}
			if !follows(t, seed, one) {
				refused++
				continue
			}
			cases = append(cases, one)
		}
		made += len(cases)
		for _, f := range failures(t, k, cases, unit) {
			small := shrink(f.Case, func(c *pipelinetest.Case) bool {
				return c.FollowScript(c.Script) == nil && len(failures(t, k, []*pipelinetest.Case{c}, unit)) > 0
			})
			t.Errorf("%v\n%s", f.Err, small)
		}
	}
	t.Logf("%d scripts run, %d refused", made, refused)
}

// follows makes the loops of a case; whatever is no refusal is reported.
func follows(t *testing.T, seed uint64, one *pipelinetest.Case) bool {
	t.Helper()
	fails := func(c *pipelinetest.Case) error {
		err := c.FollowScript(c.Script)
		if _, refused := codeOf(err); refused {
			return nil
		}
		return err
	}
	if err := fails(one); err != nil {
		t.Errorf("seed %d: %v\n%s", seed, err, shrink(one, func(c *pipelinetest.Case) bool { return fails(c) != nil }))
		return false
	}
	return one.Tree != nil
}

// A tally counts scripts by what Ricci and the oracle say, with an example of each.
type tally map[string]*counted

type counted struct {
	n       int
	example string
}

func (y tally) String() string {
	var b strings.Builder
	for _, what := range slices.SortedFunc(maps.Keys(y), func(a, b string) int { return cmp.Or(y[b].n-y[a].n, strings.Compare(a, b)) }) {
		fmt.Fprintf(&b, "%6d %s\n", y[what].n, what)
		for line := range strings.Lines(y[what].example) {
			fmt.Fprintf(&b, "         %s", line)
		}
	}
	return b.String()
}

// TestVerdicts asks the oracle about random scripts at small sizes: none that is illegal is
// accepted, none that is legal breaks a dependence, and what is accepted computes what
// the evaluator does. Legal ones that are refused for other reasons are counted.
func TestVerdicts(t *testing.T) {
	list, small := subjects(t), extents{[]int{1, 2, 3, 4, 5}, 3, true}
	count := 400 * *long
	switch {
	case *scripts > 0:
		count = *scripts
	case testing.Short():
		count = 60
	}
	told := tally{}
	for seed := *first; seed < *first+uint64(count); seed++ {
		one := scriptCase(t, seed, list, small)
		if one == nil {
			continue
		}
		what, wrong := verdict(one)
		if wrong != "" {
			again := shrink(one, func(c *pipelinetest.Case) bool {
				now, alike := verdict(c)
				return alike != "" && now == what
			})
			t.Errorf("seed %d: %s: %s\n%s", seed, what, wrong, again)
		}
		if told[what] == nil {
			told[what] = &counted{}
			if strings.HasPrefix(what, "legal, refused") || strings.HasPrefix(what, "illegal, refused:") {
				small := shrink(one, func(c *pipelinetest.Case) bool { now, _ := verdict(c); return now == what })
				told[what].example = fmt.Sprint(small)
			}
		}
		told[what].n++
	}
	t.Logf("the oracle and Ricci:\n%s", told)
	if count >= 60 && (told["legal, accepted"] == nil || told["illegal, refused as illegal"] == nil) {
		t.Error("the scripts are all legal, or all illegal")
	}
}

// written reports whether the text of a script makes other loops than its steps.
func written(one *pipelinetest.Case) error {
	text := *one
	if err := text.FollowText(one.Script.String()); err != nil {
		return err
	}
	if got := schedule.Print(text.Tree); got != schedule.Print(one.Tree) {
		return fmt.Errorf("the text makes\n%s", got)
	}
	return nil
}

// verdict says in a few words what the oracle and Ricci say of a script, and what is
// wrong about that, if anything is.
func verdict(one *pipelinetest.Case) (what, wrong string) {
	oracle, why, err := pipelinetest.Judge(one.Script)
	if err != nil {
		return "the oracle fails", err.Error()
	}
	err = one.FollowScript(one.Script)
	code, refused := codeOf(err)
	switch {
	case err == nil && oracle == pipelinetest.Illegal:
		return "illegal, accepted", why
	case err == nil && written(one) != nil:
		return oracle.String() + ", and otherwise as it is written", written(one).Error()
	case err == nil && len(one.Strides) > 0:
		return oracle.String() + ", accepted", ""
	case err == nil:
		if err := interpreted(one); err != nil {
			return oracle.String() + ", accepted and wrong", err.Error()
		}
		return oracle.String() + ", accepted", ""
	case !refused:
		return oracle.String() + ", no loops", err.Error()
	case code == source.ScheduleIllegal && oracle == pipelinetest.Legal && why != "":
		return "legal, refused as illegal: " + why, ""
	case code == source.ScheduleIllegal && oracle == pipelinetest.Legal:
		return "legal, refused as illegal", err.Error()
	case code == source.ScheduleIllegal:
		return fmt.Sprintf("%s, refused as illegal", oracle), ""
	}
	return fmt.Sprintf("%s, refused: %s", oracle, pipelinetest.Reason(err)), ""
}
