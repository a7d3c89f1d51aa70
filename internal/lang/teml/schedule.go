package teml

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
)

// How a script makes a schedule
//
// A script is a meta-program of which only the loops count. The script of a function
// of a TeML file is that file, below a heading that says which codegen is meant and
// which assignment each statement of the function is; running it again, build makes
// nests of the statements. A script that someone writes for a program in another
// notation has no heading, and build takes the name of a tensor.

// heading begins the script of a function of a TeML file.
const heading = "teml"

var (
	headed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^teml ([0-9]+) of (.*): ([0-9 ]*)$`) })
	// statement matches the first line of a script without a heading.
	statement = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(fun|option|codegen)\b|^[A-Za-z_][A-Za-z_0-9]*[ \t]*(=|\()`)
	})
)

// IsScript reports whether a schedule whose first line is this is a script.
func IsScript(line string) bool { return headed().MatchString(line) || statement().MatchString(line) }

// script is the text from which Run makes the schedule of a function of the file.
func (c *codegen) script(number int, file *source.File, called []*lang.Def, libraries []*library) string {
	ordinals := strings.Trim(fmt.Sprint(c.ordinals), "[]")
	return fmt.Sprintf("%s %d of %s: %s\n%s%s%s", heading, number, oneLine(file.Name), ordinals, writeCalled(called), writeLibraries(libraries), file.Text)
}

// oneLine is the name of a file on one line.
func oneLine(name string) string { return strings.ReplaceAll(name, "\n", " ") }

// A Plan is what a script says about a function: loops, to be generated in this
// order.
type Plan struct {
	f         *ein.Func
	nests     []*transform.Nest
	unchecked bool
	pos       source.Span
	machine   *machine.Processor
	warnings  []*source.Diagnostic
}

// Run runs a script for a function. The name is that of the file that the script is
// from, for messages; a script that was written for the function has its own. The
// error is a source.ErrorList.
func Run(f *ein.Func, m *machine.Processor, name, text string) (*Plan, error) {
	s, err := parseScript(f, m, name, text)
	if err != nil {
		return nil, err
	}
	return s.def.run(s.file, s.parsed, s.known)
}

// A parsedScript is a script and what it is for.
type parsedScript struct {
	file   *source.File
	parsed *syntax.File
	def    *scheduled
	known  *environment
}

func parseScript(f *ein.Func, m *machine.Processor, name, text string) (*parsedScript, error) {
	def, known := &scheduled{f: f, machine: m}, noImports()
	name = cmp.Or(name, "schedule.teml")
	if line, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(line, heading+" ") {
		match := headed().FindStringSubmatch(line)
		if match == nil {
			return nil, fmt.Errorf("expected \"%s NUMBER of FILE: STATEMENTS\"", heading)
		}
		text, name, def.ordinals = rest, match[2], []int{}
		def.codegen, _ = strconv.Atoi(match[1])
		for _, word := range strings.Fields(match[3]) {
			n, _ := strconv.Atoi(word)
			def.ordinals = append(def.ordinals, n)
		}
		var err error
		if known.Table, text, err = readCalled(text); err != nil {
			return nil, err
		}
		if known.libraries, text, err = readLibraries(text); err != nil {
			return nil, err
		}
		if len(def.ordinals) != len(f.Body) {
			return nil, fmt.Errorf("the script is that of a function with %s, and %s has %s", count(len(def.ordinals), "statement"), f.Name, count(len(f.Body), "statement"))
		}
	}
	file := source.NewFile(name, text)
	parsed, diagnostics := syntax.Parse(file)
	for _, i := range parsed.Imports {
		if def.ordinals == nil {
			diagnostics.Errorf(source.CodeImportFailed, i.Pos, "a script for a program in another notation imports nothing").
				WithHelp("write the functions of %s that it calls into the script", filepath.Base(i.Path))
		}
	}
	if diagnostics.HasErrors() {
		return nil, diagnostics.Err()
	}
	return &parsedScript{file, parsed, def, known}, nil
}

// run runs a program for the loops of one function. Errors in the loops of others do not
// matter to it; a script for another notation has no others.
func (d *scheduled) run(file *source.File, parsed *syntax.File, imports *environment) (*Plan, error) {
	diagnostics := &source.Diagnostics{}
	in := run(file, parsed, diagnostics, d, imports)
	if d.ordinals == nil && !diagnostics.HasErrors() {
		in.checkNames(parsed)
	}
	relevant := diagnostics
	switch {
	case d.ordinals == nil:
	case d.reached:
		relevant = &source.Diagnostics{}
	case d.causes != nil:
		relevant = d.causes
	}
	if err := relevant.Err(); err != nil {
		return nil, err
	}
	if n := len(in.assignments); slices.ContainsFunc(d.ordinals, func(k int) bool { return k >= n }) {
		return nil, fmt.Errorf("the heading of the script names the assignments %v, counted from 0, and there are %d", d.ordinals, n)
	}
	if !d.reached {
		pos, help := source.Span{File: file}, "end it with codegen(l), where l is a loop: l = build(C)"
		if loops := in.madeLoops(); len(loops) > 0 {
			last := loops[len(loops)-1]
			pos, help = last.pos, fmt.Sprintf("end it with codegen(%s)", last.target)
		}
		diagnostics.Errorf(source.CodeTeMLCodegen, pos, "the script generates no loops for %s", d.f.Name).WithHelp("%s", help)
		return nil, diagnostics.Err()
	}
	return &Plan{f: d.f, nests: d.nests, unchecked: d.unchecked, pos: d.pos, machine: d.machine}, nil
}

// Tree makes the schedule, which is checked.
func (p *Plan) Tree() (tree *schedule.Tree, err error) {
	tree, p.warnings, err = transform.Tree(p.f, p.nests, p.options())
	return tree, err
}

func (p *Plan) options() transform.Options {
	return transform.Options{Machine: p.machine, Unchecked: p.unchecked, Pos: p.pos}
}

// Warnings says which marks of loops have no effect in the tree that was made.
func (p *Plan) Warnings() []*source.Diagnostic { return p.warnings }

// Nests lists the loops in the order of codegen; unchecked says that their order is not tested.
func (p *Plan) Nests() (nests []*transform.Nest, unchecked bool) { return p.nests, p.unchecked }

// Steps writes the loops after each transformation as pseudo-C, nest by nest; inside says
// whether what std.teml does for one is shown, too. Marks that have no effect in the end say so
// from the beginning.
func (p *Plan) Steps(inside bool) string {
	var b strings.Builder
	seen := map[*transform.Nest]bool{}
	idle := transform.IdleMarks(p.f, p.nests, p.options())
	text := func(s int, values map[string]affine.Expr) string { return statementText(p.f, s, values) }
	for _, nest := range p.nests {
		for _, n := range nest.Steps(inside) {
			if seen[n] {
				continue
			}
			seen[n] = true
			if b.Len() > 0 {
				b.WriteString("\n")
			}
			title := n.Title()
			if step, _ := n.Step(); step != nil && step.Call.Pos.IsValid() {
				title += "  # " + step.Call.Pos.String()
			}
			fmt.Fprintf(&b, "%s\n", title)
			for line := range strings.Lines(n.Print(idle, text)) {
				b.WriteString("  " + line)
			}
		}
	}
	return b.String()
}

// statementText writes a statement without its loops: S0: C[i1, i2] += A[i1, i3];
// values has the indices for which something else is written.
func statementText(f *ein.Func, s int, values map[string]affine.Expr) string {
	text := func(e ein.Expr) string { return ein.Readable(replaceIndices(e, values)) }
	c := f.Body[s]
	var parts []string
	for n, w := range c.Writes {
		subscripts := make([]string, len(w.Subscripts))
		for k, e := range w.Subscripts {
			subscripts[k] = text(e)
		}
		sign := ""
		if op := c.Accumulate; op != nil {
			sign = op.Name
		} else if reduced := ein.Reduced(c); len(reduced) > 0 {
			sign = reduced[0].Combine.Op.Name
		}
		parts = append(parts, fmt.Sprintf("%s[%s] %s= %s", w.Tensor.Name, strings.Join(subscripts, ", "), sign, text(c.Values[n])))
	}
	return fmt.Sprintf("S%d: %s;", s, strings.Join(parts, ", "))
}

// replaceIndices writes values in place of indices, and adds up what then stands in the
// subscripts, such as i1 - 1 + 1.
func replaceIndices(e ein.Expr, values map[string]affine.Expr) ein.Expr {
	if len(values) == 0 {
		return e
	}
	e = ein.Map(e, func(e ein.Expr) ein.Expr {
		switch e := e.(type) {
		case *ein.IndexRef:
			if v, ok := values[e.Index.Name]; ok {
				return &ein.SizeRef{Pos: e.Pos, Size: v}
			}
		case *ein.Access:
			for k, s := range e.Subscripts {
				e.Subscripts[k] = sumUp(s)
			}
		}
		return e
	})
	return sumUp(e)
}

// sumUp writes an affine expression as one sum.
func sumUp(e ein.Expr) ein.Expr {
	if sum, ok := ein.AffineOf(e); ok {
		return &ein.SizeRef{Pos: e.Span(), Size: sum}
	}
	return e
}

// check builds the loops of a function and its schedule. A program with symbolic sizes
// is refused when that fails for symbols and for each of some sizes (trial.go): what a
// transformation needs to know may be known only with the sizes. It is warned of what has no
// effect for any of them; a call says what has none for its sizes.
func (c *codegen) check(in *interpreter, parsed *syntax.File, number int) error {
	attempt := func(f *ein.Func) ([]*source.Diagnostic, error) {
		plan, err := (&scheduled{f: f, ordinals: c.ordinals, codegen: number}).run(in.file, parsed, in.imports)
		if err != nil {
			return nil, err
		}
		_, err = plan.Tree()
		return plan.warnings, err
	}
	var warnings []*source.Diagnostic
	err := c.trials(func(f *ein.Func) (err error) {
		warnings, err = attempt(f)
		return err
	})
	if err != nil {
		return err
	}
	for _, f := range c.inTrials() {
		if len(warnings) == 0 {
			break
		}
		if here, err := attempt(f); err == nil {
			warnings = slices.DeleteFunc(warnings, func(w *source.Diagnostic) bool { return !w.IsAmong(here) })
		}
	}
	c.def.Warnings = warnings
	return nil
}

// checkUnused reports transformations that fit in none of the trials, though no
// codegen may need their loops.
func (in *interpreter) checkUnused(parsed *syntax.File) error {
	before := len(in.diagnostics.List)
	c := in.all()
	in.diagnostics.List = in.diagnostics.List[:before]
	if c == nil {
		return nil
	}
	var always source.ErrorList
	tried := false
	return c.trials(func(f *ein.Func) error {
		diagnostics := &source.Diagnostics{}
		run(in.file, parsed, diagnostics, &scheduled{f: f, ordinals: c.ordinals, codegen: len(in.codegens)}, in.imports)
		here := slices.DeleteFunc(diagnostics.List, func(d *source.Diagnostic) bool {
			return tried && !slices.ContainsFunc(always, func(e *source.Diagnostic) bool { return e.Span == d.Span })
		})
		if always, tried = here, true; len(always) == 0 {
			return nil
		}
		return always
	})
}
