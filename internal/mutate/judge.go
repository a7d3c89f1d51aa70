package mutate

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Judge is the tests of a package, compiled with the mutants.
type Judge struct {
	Package string
	Binary  string
	Flags   []string
	Tests   []*Test
}

// A Test is one function of a judge.
type Test struct {
	Name    string
	Seconds float64 // of processor time
	Meets   map[int]bool
	Noticed int // how many mutants
	Asked   int // how often

	judge *Judge
}

// String names the test and its package.
func (t *Test) String() string { return t.judge.Package + " " + t.Name }

// build compiles the tests of a package with the mutants.
func build(root, directory, folder, overlay string) (*Judge, error) {
	j := &Judge{Package: folder, Binary: filepath.Join(directory, strings.ReplaceAll(folder, "/", "-")+".test")}
	if err := goTool(root, "test", "-c", "-vet=off", "-overlay", overlay, "-o", j.Binary, "./"+folder); err != nil {
		return nil, err
	}
	help, _ := exec.Command(j.Binary, "-help").CombinedOutput() // which ends with an error
	if strings.Contains(string(help), "rapid.seed") {
		// As many draws as in scripts/test, the same in every run, and no time for making what
		// fails smaller, nor files of it.
		j.Flags = []string{"-rapid.checks=30", "-rapid.seed=1", "-rapid.shrinktime=0s", "-rapid.nofailfile"}
	}
	return j, nil
}

func goTool(root string, arguments ...string) error {
	c := exec.Command("go", arguments...)
	c.Dir = root
	if output, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(arguments, " "), err, output)
	}
	return nil
}

// measure runs each test whose name matches alone, without a mutation.
func (j *Judge) measure(ctx context.Context, root, run string, workers int, say func(string, ...any)) error {
	list, err := exec.CommandContext(ctx, j.Binary, "-test.list", run).Output()
	if err != nil {
		return err
	}
	names := slices.DeleteFunc(strings.Fields(string(list)), func(name string) bool { return strings.HasPrefix(name, "Benchmark") })
	tests := make([]*Test, len(names))
	err = inParallel(workers, len(names), func(k int) error {
		t := &Test{Name: names[k], judge: j}
		o, met, err := record(ctx, t.run(root, 0, 10*time.Minute, t.Name))
		if err != nil {
			return err
		}
		if o.failed {
			say("%s fails without a mutation and is left out\n%s", t, tail(o.output))
			return nil
		}
		t.Seconds, t.Meets = o.seconds, met
		tests[k] = t
		return nil
	})
	j.Tests = slices.DeleteFunc(tests, func(t *Test) bool { return t == nil })
	return err
}

// run is a run of tests of one judge.
func (t *Test) run(root string, mutant int, limit time.Duration, names ...string) run {
	command := append([]string{t.judge.Binary, "-test.run", "^(" + strings.Join(names, "|") + ")$", "-test.failfast", "-test.timeout", "0"}, t.judge.Flags...)
	return run{command: command, dir: filepath.Join(root, t.judge.Package), mutant: mutant, limit: limit}
}

// record does a run and returns the mutants that it met.
func record(ctx context.Context, r run) (outcome, map[int]bool, error) {
	file, err := os.CreateTemp("", "met")
	if err != nil {
		return outcome{}, nil, err
	}
	defer os.Remove(file.Name())
	if err := file.Close(); err != nil {
		return outcome{}, nil, err
	}
	r.record = file.Name()
	o, err := r.do(ctx)
	if err != nil {
		return o, nil, err
	}
	text, err := os.ReadFile(file.Name())
	if err != nil {
		return o, nil, err
	}
	met := map[int]bool{}
	for _, line := range strings.Fields(string(text)) {
		n, err := strconv.Atoi(line)
		if err != nil {
			return o, nil, err
		}
		met[n] = true
	}
	return o, met, nil
}

// A Verdict is what the judges say of a mutant.
type Verdict struct {
	Number  int
	Noticed bool
	By      string // the test that failed
	How     string // "fails", "does not end"
	Meet    int    // how many tests meet the mutant
	Ran     int    // how many of them ran
	Seconds float64
	Differs string // of a survivor: what differs in the fingerprint; empty: nothing
}

// A court judges mutants, several at once.
type court struct {
	root  string
	print *fingerprinter // nil: none
	mutex sync.Mutex     // of what the tests have noticed
}

// judge runs the tests that meet a mutant until one of them notices it, or so many seconds of
// processor time are used. A tenth of these decide most; then the fingerprint says whether there is
// anything to notice, and where there is nothing, the rest of the tests are not asked.
func (c *court) judge(ctx context.Context, m Mutant, tests []*Test, seconds float64) (Verdict, error) {
	v := Verdict{Number: m.Number}
	var left []*Test
	for _, t := range tests {
		if t.Meets[m.Number] {
			left = append(left, t)
		}
	}
	v.Meet = len(left)
	own := tests[0].judge
	left, err := c.hear(ctx, &v, m, own, left, seconds/10)
	if err != nil || v.Noticed {
		return v, err
	}
	if c.print != nil {
		if v.Differs, err = c.print.differs(ctx, m); err != nil || v.Differs == "" {
			return v, err
		}
	}
	_, err = c.hear(ctx, &v, m, own, left, seconds)
	return v, err
}

// hear asks tests for so many seconds, and returns those that are left. Of a mutant that is known to
// make a difference all tests of the room's own package are asked.
func (c *court) hear(ctx context.Context, v *Verdict, m Mutant, own *Judge, tests []*Test, seconds float64) (left []*Test, err error) {
	for len(tests) > 0 && ctx.Err() == nil {
		c.mutex.Lock()
		group, rest := next(tests, own)
		c.mutex.Unlock()
		tests = rest
		if v.Ran > 0 && v.Seconds+cost(group) > seconds && !(v.Differs != "" && group[0].judge == own) {
			left = append(left, group...)
			continue
		}
		noticed, err := c.ask(ctx, v, m, group)
		if err != nil || noticed {
			return nil, err
		}
	}
	return append(left, tests...), ctx.Err()
}

// next takes the tests that are asked together: the one that promises most for its time, and
// others of its judge that cost little. The tests of the room's own package promise more.
func next(left []*Test, own *Judge) (group, rest []*Test) {
	const nearer = 5
	promise := func(t *Test) float64 {
		if t.judge == own {
			return nearer * t.promise()
		}
		return t.promise()
	}
	best := left[0]
	for _, t := range left {
		if promise(t) > promise(best) {
			best = t
		}
	}
	const together = 0.4
	sum := 0.0
	for _, t := range left {
		if t == best || t.judge == best.judge && promise(t) > promise(best)/8 && sum+t.Seconds < together {
			group = append(group, t)
			sum += t.Seconds
		} else {
			rest = append(rest, t)
		}
	}
	return group, rest
}

// promise is how many mutants a test notices in a second.
func (t *Test) promise() float64 {
	return (float64(t.Noticed) + 0.5) / (float64(t.Asked) + 2) / (t.Seconds + 0.02)
}

func cost(tests []*Test) (sum float64) {
	for _, t := range tests {
		sum += t.Seconds
	}
	return sum
}

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// ask runs some tests of a judge, and notes who noticed the mutant.
func (c *court) ask(ctx context.Context, v *Verdict, m Mutant, group []*Test) (bool, error) {
	var names []string
	for _, t := range group {
		names = append(names, t.Name)
	}
	limit := time.Duration((1 + 5*cost(group)) * float64(time.Second))
	o, err := group[0].run(c.root, m.Number, limit, names...).do(ctx)
	v.Seconds += o.seconds
	v.Ran += len(group)
	if err != nil || ctx.Err() != nil {
		return false, err
	}
	if o.failed {
		v.Noticed, v.How, v.By = true, "fails", group[0].String()
		if o.late {
			v.How = "does not end"
		}
		if found := failure.FindStringSubmatch(o.output); found != nil {
			v.By = group[0].judge.Package + " " + found[1]
		}
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, t := range group {
		t.Asked++
		if t.String() == v.By {
			t.Noticed++
		}
	}
	return o.failed, nil
}

// tail is the end of what a program said.
func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-12):], "\n")
}
