package numpytest

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

var (
	texts    = flag.Int("texts", 25, "how many drawn texts TestTexts gives to texts/main.py and Ricci")
	textSeed = flag.Int("seed", 1, "which texts are drawn")
	kernels  = flag.Int("kernels", 8, "one of how many texts is compiled, too")
	keep     = flag.String("keep", "", "a `directory` for what the judge writes; empty: a temporary one")
)

// A textCase is a call of a drawn program, and what the judge says of it: results, or why there are none.
type textCase struct {
	Sizes          map[string]int64
	Path           string
	Refused, Doubt string
	Types          map[string]string
	Silent         []string // what the program leaves out or changes, where its author wants to know of it
}

// A drawnText is a program that texts/main.py has drawn.
type drawnText struct {
	Name, Text string
	Cases      []textCase
}

// verdicts collects what is found, by kinds; those of mistakes fail the test.
type verdicts struct {
	t     *testing.T
	count map[string]int
}

func (v verdicts) note(kind string, p drawnText, c *textCase, format string, args ...any) {
	v.count[kind]++
	sizes := ""
	if c != nil {
		sizes = fmt.Sprintf(" %v", c.Sizes)
	}
	text := fmt.Sprintf("%s: program %s%s: %s\n%s", kind, p.Name, sizes, fmt.Sprintf(format, args...), p.Text)
	if strings.HasPrefix(kind, "wrong") {
		v.t.Error(text)
	} else {
		v.t.Log(text)
	}
}

// TestTexts compares the whole of Ricci, from the text on, with a judge that was written from docs/tc.md alone.
func TestTexts(t *testing.T) {
	if *python == "" {
		t.Skip("not asked for: scripts/test-numpy --texts does")
	}
	directory := *keep
	if directory == "" {
		directory = t.TempDir()
	}
	output, err := exec.Command(*python, "texts/main.py", directory, fmt.Sprint(*texts), fmt.Sprint(*textSeed)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	t.Logf("%s", output)
	table, err := os.ReadFile(filepath.Join(directory, "programs.json"))
	if err != nil {
		t.Fatal(err)
	}
	var programs []drawnText
	if err := json.Unmarshal(table, &programs); err != nil {
		t.Fatal(err)
	}
	v := verdicts{t, map[string]int{}}
	for k, p := range programs {
		v.program(p, *kernels > 0 && k%*kernels == 0)
	}
	var lines []string
	for kind, n := range v.count {
		lines = append(lines, fmt.Sprintf("%s: %d", kind, n))
	}
	sort.Strings(lines)
	t.Logf("%d programs, seed %d\n%s", len(programs), *textSeed, strings.Join(lines, "\n"))
}

// program gives a text to Ricci, and compares its calls.
func (v verdicts) program(p drawnText, native bool) {
	legal := false
	for _, c := range p.Cases {
		legal = legal || c.Refused == ""
	}
	program, err := ricci.Parse("text.tc", p.Text)
	var internal *ricci.InternalError
	switch {
	case errors.As(err, &internal):
		v.note("wrong: internal error", p, nil, "%v", err)
		return
	case err != nil && legal && p.doubted():
		v.count["refused by check, as access that the judge cannot prove"]++
		return
	case err != nil && legal:
		v.note("refused by check", p, nil, "%v", err)
		return
	case err != nil:
		v.count["refused by both"]++
		return
	}
	defer program.Close()
	def, err := program.Def("f")
	if err != nil {
		v.note("wrong: no def", p, nil, "%v", err)
		return
	}
	v.count["accepted"]++
	for k := range p.Cases {
		v.call(p, &p.Cases[k], def, native && k < 2)
	}
	v.silent(p, program)
}

// doubted is whether an access is out of bounds, unless data keep the program from evaluating it.
func (p drawnText) doubted() bool {
	return slices.ContainsFunc(p.Cases, func(c textCase) bool { return c.Doubt != "" })
}

// call compares one call with what the judge says of it.
func (v verdicts) call(p drawnText, c *textCase, def *ricci.Def, native bool) {
	args := load(v.t, c.Path+".in.npz")
	sizes := map[string]int64{} // that no input determines
	for _, s := range def.Sizes() {
		if n, given := c.Sizes[s.Name]; s.Origin == "" && given {
			sizes[s.Name] = n
		}
	}
	results, err := def.Evaluate(context.Background(), args, sizes)
	var internal *ricci.InternalError
	switch {
	case errors.As(err, &internal):
		v.note("wrong: internal error", p, c, "%v", err)
	case err != nil && c.Refused == "" && c.Doubt != "":
		v.count["calls refused, as the judge cannot prove an access"]++
	case err != nil && c.Refused == "":
		v.note("refused by a call", p, c, "%v", err)
	case err != nil:
		v.count["calls refused by both"]++
	case c.Refused != "":
		v.note("wrong: accepted", p, c, "the judge: %s", c.Refused)
	default:
		want := load(v.t, c.Path+".out.npz")
		v.compare(p, c, "the evaluator", results, want)
		if native {
			results, err := def.RunWith(context.Background(), args, sizes, ricci.Options{Threads: 1})
			if err != nil {
				v.note("wrong: no kernel", p, c, "%v", err)
				return
			}
			v.compare(p, c, "the kernel", results, want)
		}
	}
}

func (v verdicts) compare(p drawnText, c *textCase, who string, got, want map[string]*tensor.Tensor) {
	v.count["calls compared with "+who]++
	for name, of := range c.Types {
		if got[name] == nil || got[name].DType().String() != of {
			v.note("wrong: type", p, c, "%s of %s is %v, the judge has %s", name, who, got[name].DType(), of)
			return
		}
		if fmt.Sprint(got[name].Shape()) != fmt.Sprint(want[name].Shape()) {
			v.note("wrong: shape", p, c, "%s of %s is %v, the judge has %v", name, who, got[name].Shape(), want[name].Shape())
			return
		}
		if where := differs(got[name], want[name], want[name+".bound"]); where != "" {
			v.note("wrong: number", p, c, "%s of %s: %s", name, who, where)
			return
		}
	}
}

// differs says where two tensors differ by more than bounds; integers must be equal.
func differs(got, want, bounds *tensor.Tensor) string {
	a, b, e := offsets(got), offsets(want), offsets(bounds)
	for k := range a {
		switch got.DType().Kind() {
		case tensor.KindFloat:
			x, y, far := got.FloatAt(a[k]), want.FloatAt(b[k]), bounds.FloatAt(e[k])
			if math.IsInf(far, 1) || x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= 1.25*far {
				continue
			}
			return fmt.Sprintf("element %d is %v, the judge has %v within %v", k, x, y, far)
		default:
			if x, y := got.BitsAt(a[k]), want.BitsAt(b[k]); x != y {
				return fmt.Sprintf("element %d is %d, the judge has %d", k, int64(x), int64(y))
			}
		}
	}
	return ""
}

func offsets(t *tensor.Tensor) (all []int) {
	for o := range t.Offsets() {
		all = append(all, o)
	}
	return all
}

// silent counts programs that do something else than their author thinks, of which Ricci says nothing.
func (v verdicts) silent(p drawnText, program *ricci.Program) {
	said := map[string]bool{}
	for _, d := range program.Warnings() {
		said[string(d.Code)] = true
	}
	for k := range p.Cases {
		c := &p.Cases[k]
		for _, s := range c.Silent {
			codes, _, _ := strings.Cut(s, ":")
			told := false
			for _, code := range strings.Split(codes, "|") {
				told = told || said[code]
			}
			if told {
				v.count["said"]++
			} else {
				v.note("wrong: silent", p, c, "%s", s)
			}
			return
		}
	}
}
