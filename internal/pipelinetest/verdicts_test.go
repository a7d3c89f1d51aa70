package pipelinetest_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
)

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
	list, small := subjects(t), extents{list: []int{1, 2, 3, 4, 5}, chains: 3, known: true}
	count := sweep.Draws(t, 160, 3200)
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
			if testing.Verbose() && (strings.HasPrefix(what, "legal, refused") || strings.HasPrefix(what, "illegal, refused:")) {
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
		if err := one.Interpret(); err != nil {
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
		if err := anyway(one); err != nil {
			return fmt.Sprintf("%s, wrong without the check", oracle), err.Error()
		}
		return fmt.Sprintf("%s, refused as illegal", oracle), ""
	}
	return fmt.Sprintf("%s, refused: %s", oracle, pipelinetest.Reason(err)), ""
}

// anyway runs the loops of an illegal script: whatever they compute, they stay in bounds.
func anyway(one *pipelinetest.Case) error {
	loose := *one
	script := *one.Script
	script.Unchecked = true
	err := loose.FollowScript(&script)
	if _, refused := codeOf(err); refused {
		return nil
	}
	if err != nil || len(one.Strides) > 0 {
		return err
	}
	return loose.Interpret()
}

// TestDynamic follows random scripts with sizes that stay symbolic. What is accepted is legal
// at the sizes of the case, and right; scripts that are refused although they are legal there
// are counted.
func TestDynamic(t *testing.T) {
	list, e := subjects(t), extents{list: []int{1, 2, 3, 4, 5, 9}, chains: 3, dynamic: true}
	count := sweep.Draws(t, 40, 400)
	switch {
	case *scripts > 0:
		count = *scripts
	case testing.Short():
		count = 20
	}
	told := tally{}
	for seed := *first; seed < *first+uint64(count); seed++ {
		one := scriptCase(t, seed, list, e)
		if one == nil || len(one.Special.Sizes) == 0 {
			continue
		}
		what, wrong := dynamicVerdict(one)
		if wrong != "" {
			t.Errorf("seed %d: %s: %s\n%s", seed, what, wrong, shrink(one, func(c *pipelinetest.Case) bool {
				now, alike := dynamicVerdict(c)
				return alike != "" && now == what
			}))
		}
		if told[what] == nil {
			told[what] = &counted{}
			if strings.HasPrefix(what, "legal, refused") && testing.Verbose() {
				small := shrink(one, func(c *pipelinetest.Case) bool { now, _ := dynamicVerdict(c); return now == what })
				told[what].example = fmt.Sprint(small)
			}
		}
		told[what].n++
	}
	t.Logf("symbolic sizes, the oracle at some sizes:\n%s", told)
}

// dynamicVerdict says in a few words what becomes of a script with symbolic sizes, and what the
// oracle says of it at some sizes.
func dynamicVerdict(one *pipelinetest.Case) (what, wrong string) {
	oracle, why, accepted := pipelinetest.Legal, "", true
	for k := range int64(4) {
		fixed := *one
		fixed.Keep, fixed.Sizes = nil, map[string]int64{}
		for n, s := range one.Func.Sizes {
			fixed.Sizes[s.Name] = one.Sizes[s.Name] + k*(1+(k+int64(n))%3)
		}
		if s := one.Func.Sizes; k > 0 && (one.Func.CheckSizes(fixed.Sizes) != nil || slices.ContainsFunc(s, func(s *ein.Size) bool { return s.Dim == ein.ScalarValue })) {
			continue
		}
		if err := fixed.PrepareScript(); err != nil {
			return "the sizes do not fit", err.Error()
		}
		here, fits := one.Script.For(fixed.Special)
		if !fits {
			return "the steps do not fit all sizes", ""
		}
		verdict, broken, err := pipelinetest.Judge(here)
		if err != nil {
			return "the oracle fails", err.Error()
		}
		accepted = accepted && fixed.FollowScript(here) == nil
		switch {
		case verdict == pipelinetest.Illegal:
			oracle, why = verdict, fmt.Sprintf("%v: %s", fixed.Sizes, broken)
		case verdict == pipelinetest.Unknown && oracle == pipelinetest.Legal:
			oracle = verdict
		}
	}
	err := one.FollowScript(one.Script)
	code, refused := codeOf(err)
	switch {
	case err == nil && oracle == pipelinetest.Illegal:
		return "illegal, accepted", why
	case err == nil:
		if err := one.Interpret(); err != nil {
			return oracle.String() + ", accepted and wrong", err.Error()
		}
		if one.Unproved != nil {
			plain := *one
			if plain.FollowScript(one.Script.Without(0, len(one.Script.Steps))) == nil && plain.Unproved != nil {
				return oracle.String() + ", refused: not proved to stay in bounds, as without the script", ""
			}
			return oracle.String() + ", refused: not proved to stay in bounds", ""
		}
		return oracle.String() + ", accepted", ""
	case !refused:
		return oracle.String() + ", no loops", err.Error()
	case oracle != pipelinetest.Legal:
		return oracle.String() + ", refused", ""
	case !accepted:
		return "legal, refused for known sizes, too", ""
	case code == source.ScheduleIllegal:
		return "legal, refused as illegal", ""
	}
	_, reason, _ := strings.Cut(pipelinetest.Reason(err), ": ")
	return "legal, refused: " + strings.Join(slices.DeleteFunc(strings.Fields(reason), func(word string) bool { return strings.ToUpper(word) == word }), " "), ""
}
