package transform

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
)

var (
	loopLine      = regexp.MustCompile(`^for \(([^ ]+) = (.*); ([^ ]+) <= (.*); ([^ ]+)\+\+\)( \{)?(  // .*)?$`)
	backwardsLine = regexp.MustCompile(`^for \(([^ ]+) = (.*); ([^ ]+) >= (.*); ([^ ]+)--\)( \{)?(  // .*)?$`)
	testLine      = regexp.MustCompile(`^if \((.*)\)$`)
	statementLine = regexp.MustCompile(`^S([0-9]+)(\((.*)\))?;$`)
	relation      = regexp.MustCompile(`^(.*) (>=|<=) (.*)$`)
)

// A program executes pseudo-C as C would, by its braces and not by its indentation, which
// must agree with them.
type program struct {
	t     *rapid.T
	f     *ein.Func
	lines []string
	env   map[string]int64
	visit func(point string)
}

// An action runs a part of the text in the present env.
type action func()

// execute calls visit for each execution of a statement, such as "S1 [2 3]".
func execute(t *rapid.T, f *ein.Func, text string, visit func(point string)) {
	p := &program{t, f, strings.Split(strings.TrimSuffix(text, "\n"), "\n"), map[string]int64{}, visit}
	var all []action
	for len(p.lines) > 0 && text != "" {
		all = append(all, p.statement("", map[string]bool{}))
	}
	for _, do := range all {
		do()
	}
}

// next takes the next line that is not a comment.
func (p *program) next(indent string) string {
	for {
		if len(p.lines) == 0 {
			p.t.Fatal("the text ends too early")
		}
		line, ok := strings.CutPrefix(p.lines[0], indent)
		if !ok || strings.HasPrefix(line, " ") {
			p.t.Fatalf("%q is not indented by %d", p.lines[0], len(indent))
		}
		p.lines = p.lines[1:]
		if !strings.HasPrefix(line, "//") {
			return line
		}
	}
}

func (p *program) expr(text string, scope map[string]bool) affine.Expr {
	e, err := affine.Parse(strings.ReplaceAll(text, "'", "$"))
	if err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	used := map[string]bool{}
	e.Symbols(used)
	for name := range used {
		if !scope[name] {
			p.t.Fatalf("%s: %s is not the iterator of a loop around", text, name)
		}
	}
	return e
}

func (p *program) eval(e affine.Expr) int64 {
	n, err := e.Eval(p.env)
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

// statement reads a statement of C.
func (p *program) statement(indent string, scope map[string]bool) action {
	line := p.next(indent)
	if m := loopLine.FindStringSubmatch(line); m != nil {
		return p.loop(m, indent, scope, false)
	}
	if m := backwardsLine.FindStringSubmatch(line); m != nil {
		return p.loop(m, indent, scope, true)
	}
	if m := testLine.FindStringSubmatch(line); m != nil {
		var guards []affine.Expr
		for part := range strings.SplitSeq(m[1], " && ") {
			sides := relation.FindStringSubmatch(part)
			if sides == nil {
				p.t.Fatalf("%q is no relation", part)
			}
			g := p.expr(sides[1], scope).Sub(p.expr(sides[3], scope))
			if sides[2] == "<=" {
				g = g.Scale(-1)
			}
			guards = append(guards, g)
		}
		then := p.statement(indent+"  ", scope)
		return func() {
			if !slices.ContainsFunc(guards, func(g affine.Expr) bool { return p.eval(g) < 0 }) {
				then()
			}
		}
	}
	m := statementLine.FindStringSubmatch(line)
	if m == nil {
		p.t.Fatalf("%q is no statement", line)
	}
	var number int
	fmt.Sscan(m[1], &number)
	var parts []string
	for _, i := range p.f.Body[number].Indices {
		parts = append(parts, i.Name)
	}
	if m[2] != "" {
		parts = arguments(m[3])
	}
	if len(parts) != len(p.f.Body[number].Indices) {
		p.t.Fatalf("%q has not the indices of the statement", line)
	}
	var values []affine.Expr
	for _, text := range parts {
		values = append(values, p.expr(text, scope))
	}
	return func() {
		point := make([]int64, len(values))
		for k, v := range values {
			point[k] = p.eval(v)
		}
		p.visit(fmt.Sprint("S", number, " ", point))
	}
}

// arguments cuts a list at the commas that are in no parentheses.
func arguments(text string) (list []string) {
	depth, from := 0, 0
	for at, r := range text + "," {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth == 0:
			list = append(list, text[from:at])
			from = at + 1
		}
	}
	return list
}

// loop reads what follows the head of a loop; its iterator is in scope nowhere else.
func (p *program) loop(head []string, indent string, scope map[string]bool, backwards bool) action {
	name := strings.ReplaceAll(head[1], "'", "$")
	if head[1] != head[3] || head[1] != head[5] || scope[name] {
		p.t.Fatalf("%q does not count an iterator of its own", head[0])
	}
	lower, upper := p.expr(head[2], scope), p.expr(head[4], scope)
	if backwards {
		lower, upper = upper, lower
	}
	inner := maps.Clone(scope)
	inner[name] = true
	var body []action
	for {
		body = append(body, p.statement(indent+"  ", inner))
		if head[6] == "" {
			break
		}
		if len(p.lines) > 0 && p.lines[0] == indent+"}" {
			p.lines = p.lines[1:]
			break
		}
	}
	return func() {
		first, last := p.eval(lower), p.eval(upper)
		for k := range max(0, last-first+1) {
			if p.env[name] = first + k; backwards {
				p.env[name] = last - k
			}
			for _, do := range body {
				do()
			}
		}
		delete(p.env, name)
	}
}

// samePoints executes the text of a nest: each point of its statements runs once, and
// nothing else.
func samePoints(t *rapid.T, f *ein.Func, n *Nest) {
	seen, text := map[string]int{}, n.String()
	execute(t, f, text, func(point string) { seen[point]++ })
	want := 0
	for _, s := range n.Statements() {
		indices := f.Body[s].Indices
		point := make([]int64, len(indices))
		var visit func(k int)
		visit = func(k int) {
			if k == len(indices) {
				want++
				if p := fmt.Sprint("S", s, " ", point); seen[p] != 1 {
					t.Fatalf("%s is executed %d times by\n%s", p, seen[p], text)
				}
				return
			}
			first, _ := indices[k].Min.IsConst()
			extent, _ := indices[k].Extent.IsConst()
			for point[k] = first; point[k] < first+extent; point[k]++ {
				visit(k + 1)
			}
		}
		visit(0)
	}
	if want != len(seen) {
		t.Fatalf("%d points, expected %d\n%s", len(seen), want, text)
	}
}

// TestIterationSets executes random nests as they are printed.
func TestIterationSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scheduletest.Draw(t, eintest.Options{NoHalf: true, Statements: 3})
		for _, n := range drawNests(t, s.G) {
			samePoints(t, s.G, n)
		}
	})
}

// TestIterationSetsOfTrees executes the text of the nests of trees: of default
// schedules, and of one with blocks of blocks, whose loops have names of their own.
func TestIterationSetsOfTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scheduletest.Draw(t, eintest.Options{NoHalf: true, Statements: 3})
		tree, err := standard.Default(s.G, scheduletest.Machine(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range Of(s.G, tree) {
			samePoints(t, s.G, n)
		}
	})
	f, err := ein.ParseFunc("test", "func f {\n  in X: float32[25, 25]\n  out Y: float32[25, 25]\n  for i in 0:25, j in 0:25 { Y[i, j] = X[j, i] }\n}")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := schedule.Parse("domain S0[i, j]\nband S0.i tile 12 | S0.j tile 10 | S0.i tile 6 | S0.j tile 4 | S0.i tile 3 | S0.i | S0.j\n")
	if err != nil {
		t.Fatal(err)
	}
	n := Of(f, tree)[0]
	rapid.Check(t, func(t *rapid.T) { samePoints(t, f, n) })
	for _, line := range []string{"for (i''' = 0; i''' <= 2; i'''++)", "for (j'' = 0; j'' <= 2; j''++)", "for (i' = 0; "} {
		if !strings.Contains(n.String(), line) {
			t.Errorf("%q is missing in\n%s", line, n)
		}
	}
}

// TestShiftedIterationSets executes the text of loops that run over other values than
// the indices: skewed, shifted, fused with another range or name, and cut.
func TestShiftedIterationSets(t *testing.T) {
	counts := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		between := func(lo, hi int, what string) int64 { return int64(rapid.IntRange(lo, hi).Draw(t, what)) }
		f, err := ein.ParseFunc("test", fmt.Sprintf(`func f {
  in X: float32[20, 20]
  out B: float32[20, 20]
  out C: float32[20, 20]
  for i in %d:%d, j in 0:%d { B[i, j] = X[i, j] }
  for y in %d:%d, j in 1:%d { C[y, j] = B[y, j] }
}`, between(0, 3, "least"), between(4, 7, "end"), between(1, 7, "columns"), between(0, 3, "least"), between(4, 7, "end"), between(2, 7, "columns")))
		if err != nil {
			t.Fatal(err)
		}
		apply := func(name string, nests []*Nest, args ...int64) *Nest {
			tr, _ := Lookup(name)
			n, err := tr.Apply(nests, Ints(args...), Call{})
			if err != nil {
				return nests[0]
			}
			counts[name]++
			return n
		}
		change := func(n *Nest, least int, names ...string) *Nest {
			for range rapid.IntRange(least, 4).Draw(t, "steps") {
				switch name := rapid.SampledFrom(names).Draw(t, "step"); name {
				case "shift":
					n = apply(name, []*Nest{n}, between(1, 2, "level"), between(-3, 3, "shift"))
				case "skew":
					n = apply(name, []*Nest{n}, 1, 2, rapid.SampledFrom([]int64{1, 2, -1, -2}).Draw(t, "factor"))
				case "interchange":
					n = apply(name, []*Nest{n}, 1, 2)
				default: // what unroll and fuse_inner change is a block
					r := between(1, 2, "level")
					n = apply("stripmine", []*Nest{n}, r, between(2, 5, "factor"))
					if name != "stripmine" {
						n = apply("unroll", []*Nest{n}, r+1)
					}
					if name == "fuse_inner" {
						n = apply(name, []*Nest{n}, r+1)
					}
				}
			}
			return n
		}
		a, b := change(Build(f, 0), 0, "shift"), change(Build(f, 1), 0, "shift")
		n := apply("fuse_union", []*Nest{a, b}, between(1, 2, "levels"))
		samePoints(t, f, change(n, 2, "skew", "skew", "interchange", "stripmine", "unroll", "fuse_inner"))
	})
	for _, name := range []string{"shift", "fuse_union", "skew", "interchange", "stripmine"} {
		if counts[name] == 0 {
			t.Errorf("%s was never applied: %v", name, counts)
		}
	}
	t.Log(counts)
}
