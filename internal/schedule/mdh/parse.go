package mdh

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/source"
)

// Heading is the word with which the text of a configuration begins.
const Heading = "mdh"

// groupHeading is the word with which the line of a group begins.
const groupHeading = "group"

// What a text may ask for: levels, and groups in groups.
const maxLevels, maxDepth = 1 << 12, 64

// A reader parses tables.
type reader struct {
	lines  []string
	next   int
	models func(statement int) *machine.Machine
}

// ParsePlan reads the text of a plan: a table of parameters or a low-level expression for
// each statement, and what groups share. models returns the model that a statement's
// configuration names as "host"; other models are those of package system.
func ParsePlan(text string, models func(statement int) *machine.Machine) (*Plan, error) {
	r := &reader{models: models}
	for line := range strings.Lines(text) {
		r.lines = append(r.lines, strings.TrimSpace(line))
	}
	p := &Plan{}
	for r.skip() {
		g, err := r.part(0)
		if err != nil {
			return nil, err
		}
		p.Groups = append(p.Groups, g)
	}
	if len(p.Groups) == 0 {
		return nil, fmt.Errorf("there is no configuration, expected: mdh S0 on host")
	}
	return p, nil
}

// part reads a group, or a statement as the group of itself.
func (r *reader) part(depth int) (*Group, error) {
	if words := strings.Fields(r.lines[r.next]); words[0] == groupHeading {
		return r.group(words[1:], depth)
	}
	m, err := r.member()
	if err != nil {
		return nil, err
	}
	return Single(m.Statement, m.Configuration), nil
}

// member reads a table or a low-level expression.
func (r *reader) member() (*Member, error) {
	if r.skip() {
		switch word, _, _ := strings.Cut(r.lines[r.next], " "); word {
		case Heading:
			return r.table()
		case ExpressionHeading:
			return r.expression()
		}
	}
	return nil, r.fail("mdh S0 on host, or lowlevel S0 on host")
}

// isHeading reports whether a line begins a member or a group.
func isHeading(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	return word == Heading || word == ExpressionHeading || word == groupHeading
}

// skip goes to the next line with text and reports whether there is one.
func (r *reader) skip() bool {
	for r.next < len(r.lines) && (r.lines[r.next] == "" || r.lines[r.next][0] == '#') {
		r.next++
	}
	return r.next < len(r.lines)
}

func (r *reader) fail(expected string) error {
	if r.next >= len(r.lines) {
		return source.LineErrorf(r.next, "the text ends, expected %s", expected)
	}
	return source.LineErrorf(r.next+1, "found %q, expected %s", source.Excerpt(r.lines[r.next]), expected)
}

// group reads what the statements of a group share, and their configurations, some of them
// in groups of their own.
func (r *reader) group(words []string, depth int) (*Group, error) {
	g := &Group{line: r.next + 1}
	count := slices.Index(words, "shared")
	ok := count > 0 && len(words) >= count+2 && depth < maxDepth
	names := words[:max(0, count)]
	if ok {
		n, err := strconv.Atoi(words[count+1])
		g.Shared, ok = n, err == nil && n >= 0
		words = words[count+2:]
	}
	if ok && len(words) > 0 {
		ok = words[0] == "place" && len(words) > 1
		for _, word := range words[1:] {
			p, is := readPlacement(word)
			g.Placed, ok = append(g.Placed, p), ok && is
		}
	}
	if !ok {
		return nil, r.fail("group S0 S1 … shared NUMBER [place NAME[:REGION][LAYOUT] …]")
	}
	r.next++
	for len(g.Members) < count {
		if !r.skip() {
			return nil, r.fail("mdh S0 on host, or lowlevel S0 on host")
		}
		part, err := r.part(depth + 1)
		if err != nil {
			return nil, err
		}
		if g.Members = append(g.Members, part.Members...); !part.isPlain() {
			g.Inner = append(g.Inner, part)
		}
	}
	if g.names() != strings.Join(names, " ") {
		return nil, source.LineErrorf(g.line, "the group is of %s, and below are the configurations of %s", strings.Join(names, " "), g.names())
	}
	return g, nil
}

// heading reads "WORD S0 on MODEL".
func (r *reader) heading() (*Member, error) {
	words := strings.Fields(r.lines[r.next])
	m := &Member{Configuration: &Configuration{}}
	k := m.Configuration
	digits, ok := strings.CutPrefix(words[min(1, len(words)-1)], "S")
	n, err := strconv.Atoi(digits)
	if len(words) != 4 || words[2] != "on" || !ok || err != nil || n < 0 {
		return nil, r.fail(words[0] + " S0 on MODEL")
	}
	m.Statement = n
	if k.Model = machine.Named(words[3]); words[3] == machine.HostName && r.models != nil {
		k.Model = r.models(n)
	}
	if k.Model == nil {
		names := append([]string{machine.HostName}, modelNames()...)
		return nil, r.fail("a model: " + strings.Join(names, ", ") + source.DidYouMean(words[3], names))
	}
	return m, nil
}

// table reads a heading and the lines below.
func (r *reader) table() (*Member, error) {
	m, err := r.heading()
	if err != nil {
		return nil, err
	}
	k := m.Configuration
	r.next++
	if !r.skip() {
		return nil, r.fail("level #PRT D1 D2 …")
	}
	heads := strings.Fields(r.lines[r.next])
	marked := heads[len(heads)-1] == marksHead
	if marked {
		heads = heads[:len(heads)-1]
	}
	if err := k.readColumns(heads); err != nil {
		return nil, source.LineErrorf(r.next+1, "%w", err)
	}
	r.next++
	return m, r.rows(k, marked)
}

func modelNames() (names []string) {
	for _, m := range machine.Models() {
		names = append(names, m.Name)
	}
	return names
}

// readColumns takes the names of the buffers from the heads of the columns, and checks
// that those are the ones that columns() writes.
func (k *Configuration) readColumns(heads []string) error {
	list := &k.Inputs
	for _, h := range heads { // a parameter that is misspelt still names its buffer
		if h == "S1" {
			list = &k.Outputs
		}
		if _, name, ok := strings.Cut(h, ":"); ok && !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	if want := k.columns(); !slices.Equal(heads, want) {
		return fmt.Errorf("found the columns %q, expected %q", source.Shorten(strings.Join(heads, " ")), source.Shorten(strings.Join(want, " ")))
	}
	return nil
}

// rows reads the rows of a table up to the one of the scalar function.
func (r *reader) rows(k *Configuration, marked bool) error {
	var rows [][]string
	heads := k.columns()
	if marked {
		heads = append(heads, marksHead)
	}
	for r.skip() {
		cells := strings.Fields(r.lines[r.next])
		r.next++
		if cells[0] == "f" {
			return r.finish(k, rows, cells[1:])
		}
		if rows = append(rows, cells); len(cells) != len(heads) || len(rows) > maxLevels {
			r.next--
			return r.fail(fmt.Sprintf("%d cells: %s", len(heads), strings.Join(heads, " ")))
		}
	}
	return r.fail("a row f with the parameters S3 to S6")
}

func (r *reader) finish(k *Configuration, rows [][]string, scalar []string) error {
	k.Layers = len(k.Model.Layers)
	if len(rows)%k.Layers != 0 {
		return source.LineErrorf(r.next, "%d rows, expected one for each dimension on each of the %d layers of %s", len(rows), k.Layers, k.Model.Name)
	}
	k.Dims = len(rows) / k.Layers
	for at, cells := range rows {
		row, err := k.readRow(at, cells)
		if err != nil {
			return source.LineErrorf(r.next-len(rows)+at, "level %s: %w", k.LevelOf(at), err)
		}
		k.Rows = append(k.Rows, row)
	}
	if err := k.readScalar(scalar); err != nil {
		return source.LineErrorf(r.next, "%w", err)
	}
	return nil
}

// readRow reads the cells of the level of row at.
func (k *Configuration) readRow(at int, cells []string) (Row, error) {
	var row Row
	if cells[0] != k.LevelOf(at).String() {
		return row, fmt.Errorf("found %q; the rows are the levels in their order", cells[0])
	}
	if !row.readParts(cells[1]) {
		return row, fmt.Errorf("found %q as the number of parts, expected 1, 2, … or *, with x and the size of the parts behind it where that is less than what is inside, and + where the last part is padded", cells[1])
	}
	cells = cells[2:]
	phase := func(p Phase) error {
		position, ok := k.parseLevel(cells[0])
		if !ok {
			return fmt.Errorf("%s: found %q, expected a position such as (1,1)", orderNames[p], cells[0])
		}
		if row.Assign[p], ok = k.Model.ParseLevel(cells[1]); !ok {
			return fmt.Errorf("%s: found %q, expected a level of %s such as %s", assignNames[p], cells[1], k.Model.Name, k.Model.LevelName(machine.Level{Layer: 1, Dim: 1}))
		}
		row.Order[p], cells = position, cells[2:]
		return nil
	}
	places := func(count int) (list []Place, err error) {
		list = make([]Place, count)
		for b := range list {
			if list[b], err = k.readPlace(cells[b], cells[count+b]); err != nil {
				return nil, err
			}
		}
		cells = cells[2*count:]
		return list, nil
	}
	if err := phase(Decompose); err != nil {
		return row, err
	}
	var err error
	if row.In, err = places(len(k.Inputs)); err != nil {
		return row, err
	}
	for _, p := range []Phase{Scalar, Recompose} {
		if err := phase(p); err != nil {
			return row, err
		}
	}
	if row.Out, err = places(len(k.Outputs)); err == nil && len(cells) > 0 && cells[0] != noMarks {
		err = row.readMarks(cells[0])
	}
	return row, err
}

// parseLevel reads "(2,1)" as a position.
func (k *Configuration) parseLevel(text string) (int, bool) {
	var l Level
	if _, err := fmt.Sscanf(text, "(%d,%d)", &l.Layer, &l.Dim); err != nil || l.String() != text || l.Layer < 1 || l.Dim < 1 || l.Dim > k.Dims || l.Layer > k.Layers {
		return 0, false
	}
	return (l.Layer-1)*k.Dims + l.Dim - 1, true
}

func (k *Configuration) readPlace(region, layout string) (Place, error) {
	p := Place{Region: k.Model.Region(region)}
	if p.Region == 0 {
		return p, fmt.Errorf("found %q, expected a region of %s", region, k.Model.Name)
	}
	ok := false
	if p.Layout, ok = readLayout(layout); !ok {
		return p, fmt.Errorf("found %q, expected a layout such as [1,2]", layout)
	}
	return p, nil
}

// readLayout reads "[2,1]".
func readLayout(text string) (layout []int, ok bool) {
	inner, opened := strings.CutPrefix(text, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	layout = []int{}
	for _, word := range strings.Split(inner, ",") {
		if inner == "" {
			break
		}
		n, err := strconv.Atoi(word)
		if err != nil || strconv.Itoa(n) != word {
			return nil, false
		}
		layout = append(layout, n)
	}
	return layout, opened && closed
}

// readScalar reads "S3:A=RM S4:A=[1,2] …".
func (k *Configuration) readScalar(cells []string) error {
	read := func(names []string, region, layout string) ([]Place, error) {
		var list []Place
		for _, name := range names {
			if len(cells) < 2 {
				return nil, fmt.Errorf("%s:%s is missing", region, name)
			}
			a, okA := strings.CutPrefix(cells[0], region+":"+name+"=")
			b, okB := strings.CutPrefix(cells[1], layout+":"+name+"=")
			if !okA || !okB {
				return nil, fmt.Errorf("found %q, expected %s:%s=REGION %s:%s=LAYOUT", source.Excerpt(strings.Join(cells[:2], " ")), region, name, layout, name)
			}
			p, err := k.readPlace(a, b)
			if err != nil {
				return nil, err
			}
			list, cells = append(list, p), cells[2:]
		}
		return list, nil
	}
	var err error
	if k.ScalarInputs, err = read(k.Inputs, "S3", "S4"); err != nil {
		return err
	}
	if k.ScalarOutputs, err = read(k.Outputs, "S5", "S6"); err != nil {
		return err
	}
	if len(cells) > 0 {
		return fmt.Errorf("found %q behind the last parameter", cells[0])
	}
	return nil
}
