package pipelinetest_test

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// How random scripts are tested
//
// A case is a number: the program, its sizes, the machine and the script depend on nothing
// else, and -first NUMBER -scripts 1 repeats it. Of a script that goes wrong as many steps
// are taken back as can be, so that what is printed is short. A long sweep is
//
//	RICCI_LONG=10 go test ./internal/pipelinetest -run 'TestScripts|TestVerdicts|TestDynamic' -v

var scripts = flag.Int("scripts", 0, "how many random scripts; 0: as many as RICCI_LONG and -short say")

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
	if e.dynamic {
		one.Keep, one.Strides = map[string]bool{}, nil
		for _, s := range one.Func.Sizes {
			one.Keep[s.Name] = true
		}
	}
	if err := one.PrepareScript(); err != nil {
		t.Fatalf("%v\n%s", err, one)
	}
	if len(one.Special.Body) == 0 {
		return nil
	}
	var err error
	if one.Script, err = pipelinetest.DrawScript(from, one.Special, one.Machine); err != nil {
		t.Fatalf("%v\n%s", err, one)
	}
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
	units, wide := sweep.Draws(t, 2, 20), extents{list: []int{1, 2, 3, 4, 5, 7, 9, 13, 17, 19}, chains: 12, large: true}
	if testing.Short() {
		units = 1
	}
	seed, made, refused, unchecked, unproved := *first, 0, 0, 0, 0
	for unit := range units {
		var cases []*pipelinetest.Case
		for ; len(cases) < 2*perUnit && (*scripts == 0 || seed < *first+uint64(*scripts)); seed++ {
			one := scriptCase(t, seed, list, wide)
			if one == nil {
				continue
			}
			fits := follows(t, seed, one)
			if !fits && seed%3 == 0 { // what is illegal may compute anything, where it belongs
				one.Script.Unchecked = true
				if fits = follows(t, seed, one); fits {
					unchecked++
				}
			}
			switch {
			case !fits:
				refused++
			case one.Unproved != nil:
				unproved++ // and right, all the same
				fallthrough
			default:
				cases = append(cases, one)
			}
		}
		made += len(cases)
		for _, f := range failures(t, k, cases, unit, drawn) {
			small := shrink(f.Case, func(c *pipelinetest.Case) bool {
				return c.FollowScript(c.Script) == nil && len(failures(t, k, []*pipelinetest.Case{c}, unit, drawn)) > 0
			})
			t.Errorf("%v\n%s", f.Err, small)
		}
	}
	t.Logf("%d scripts run, %d of them unchecked, %d not proved to stay in bounds for symbolic sizes; %d refused", made, unchecked, unproved, refused)
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

// TestScriptRegressions follows the scripts of testdata/scripts/wrong, each of which went wrong
// once, as its name and its comment say.
func TestScriptRegressions(t *testing.T) {
	k := compiler(t)
	files, err := filepath.Glob("testdata/scripts/wrong/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	var cases []*pipelinetest.Case
	for n, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		program, script := archive.Files[0], archive.Files[1]
		sizes := map[string]int{}
		for _, m := range sizePattern.FindAllStringSubmatch(string(archive.Comment), -1) {
			sizes[m[1]], _ = strconv.Atoi(m[2])
		}
		one := subject{program.Name, string(program.Data), defs(t, program.Name, string(program.Data))[0]}.sized(t, 1, func(name string) int { return sizes[name] })
		one.Name, one.Threads = fmt.Sprintf("wrong%d", n), 2
		one.Machine = &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 32 << 10, L2: 1 << 20, L3: 32 << 20, Cores: 2}
		if err := one.FollowText(string(script.Data)); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		interpret(t, one)
		cases = append(cases, one)
	}
	run(t, k, cases, 0)
}
