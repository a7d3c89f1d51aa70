package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ricci-lang/ricci/internal/source"
)

// How parsing works: every node is a line, the depth of its indentation (two
// blanks a level) says whose child it is. A node without children has a leaf. Where
// nodes and members stand is noted (text_positions.go).

type line struct {
	number, depth int
	text          string
}

type parser struct {
	lines  []line
	next   int
	places *TextPositions
}

// Parse reads the text of a tree. An error names its line.
func Parse(text string) (*Tree, error) { return ParseFile(source.NewFile("schedule", text)) }

// ParseFile reads a tree from a file, in which messages about it point. An error that says
// what is wrong with a line is a *source.LineError.
func ParseFile(file *source.File) (*Tree, error) {
	p := &parser{places: NewTextPositions(file)}
	for i, raw := range strings.Split(file.Text, "\n") {
		if i == 0 {
			raw = strings.TrimPrefix(raw, "\ufeff")
		}
		trimmed := strings.TrimLeft(raw, " ")
		body := strings.TrimSpace(trimmed)
		if body == "" || strings.HasPrefix(body, "#") {
			continue
		}
		indent := len(raw) - len(trimmed)
		if indent%2 != 0 {
			return nil, source.LineErrorf(i+1, "indented by %d blanks, expected a multiple of 2", indent)
		}
		p.lines = append(p.lines, line{i + 1, indent / 2, body})
	}
	if len(p.lines) == 0 {
		return nil, fmt.Errorf("the schedule is empty, expected a line that starts with domain")
	}
	t, err := parseDomain(p.lines[0])
	if err != nil {
		return nil, err
	}
	t.TextPositions = p.places
	t.TextPositions.domain = p.lines[0].number
	p.next = 1
	t.AsWritten = p.isNext(asWrittenLine)
	t.Unchecked = p.isNext(uncheckedLine)
	if t.Root, err = p.node(0); err != nil {
		return nil, err
	}
	if p.next < len(p.lines) {
		l := p.lines[p.next]
		return nil, source.LineErrorf(l.number, "%q does not belong to the node above: a tree has one root, and each node but a sequence one child", source.Excerpt(l.text))
	}
	return t, nil
}

// isNext passes a line that says something of the whole tree, when it is the next.
func (p *parser) isNext(text string) bool {
	if p.next >= len(p.lines) || p.lines[p.next].depth > 0 || p.lines[p.next].text != text {
		return false
	}
	p.next++
	return true
}

func parseDomain(l line) (*Tree, error) {
	rest, ok := strings.CutPrefix(l.text+" ", "domain ")
	if !ok {
		return nil, source.LineErrorf(l.number, "found %q, expected domain S0[i, …]; …", source.Excerpt(l.text))
	}
	t := &Tree{}
	if strings.TrimSpace(rest) == "" {
		return t, nil
	}
	for s, part := range strings.Split(rest, ";") {
		name, indices, ok := strings.Cut(strings.TrimSpace(part), "[")
		indices, closed := strings.CutSuffix(indices, "]")
		if !ok || !closed || name != statementName(s) {
			return nil, source.LineErrorf(l.number, "found %q, expected %s[index, …]", source.Excerpt(strings.TrimSpace(part)), statementName(s)).At(strings.TrimSpace(part))
		}
		statement := Statement{Name: name}
		for _, i := range strings.Split(indices, ",") {
			if i = strings.TrimSpace(i); i != "" {
				statement.Indices = append(statement.Indices, i)
			}
		}
		t.Statements = append(t.Statements, statement)
	}
	return t, nil
}

// node parses the node at a depth, or a leaf when the next line is not so deep.
func (p *parser) node(depth int) (Node, error) {
	if p.next >= len(p.lines) || p.lines[p.next].depth < depth {
		return &Leaf{}, nil
	}
	l := p.lines[p.next]
	if l.depth > depth {
		return nil, source.LineErrorf(l.number, "indented too far below the node above")
	}
	p.next++
	word, rest, _ := strings.Cut(l.text, " ")
	switch word {
	case "sequence":
		return p.sequence(depth + 1)
	case "leaf":
		return &Leaf{}, nil
	}
	n, child, err := parseHead(word, strings.Fields(rest), l)
	if err != nil {
		return nil, err
	}
	p.places.note(n, l.number)
	*child, err = p.node(depth + 1)
	return n, err
}

func (p *parser) sequence(depth int) (Node, error) {
	seq := &Sequence{}
	p.places.note(seq, p.lines[p.next-1].number)
	for p.next < len(p.lines) && p.lines[p.next].depth == depth {
		l := p.lines[p.next]
		n, err := p.node(depth)
		if err != nil {
			return nil, err
		}
		f, ok := n.(*Filter)
		if !ok {
			return nil, source.LineErrorf(l.number, "found %q, expected filter: the children of a sequence are filters", source.Excerpt(l.text))
		}
		seq.Children = append(seq.Children, f)
	}
	return seq, nil
}

// parseHead parses a node with one child and returns where the child goes.
func parseHead(word string, fields []string, l line) (Node, *Node, error) {
	fail := func(expected string) (Node, *Node, error) {
		return nil, nil, source.LineErrorf(l.number, "found %q, expected %s", source.Excerpt(l.text), expected)
	}
	switch word {
	case "filter":
		f := &Filter{}
		for _, name := range fields {
			s, ok := parseStatement(strings.TrimSuffix(name, ","))
			if !ok {
				return fail("filter S0, S1, …")
			}
			f.Statements = append(f.Statements, s)
		}
		return f, &f.Child, nil
	case "band":
		b := &Band{}
		if len(fields) > 0 && fields[0] == "permutable" {
			b.Permutable, fields = true, fields[1:]
		}
		for _, part := range strings.Split(strings.Join(fields, " "), "|") {
			m, wrong, expected := parseMember(strings.Fields(part))
			if wrong != "" {
				meant := source.DidYouMean(wrong, strings.FieldsFunc(expected, func(r rune) bool { return !unicode.IsLower(r) }))
				return nil, nil, source.LineErrorf(l.number, "found %q in %q, expected %s%s", source.Excerpt(wrong), source.Excerpt(l.text), expected, meant).At(wrong)
			} else if m == nil {
				return fail(expected)
			}
			b.Members = append(b.Members, m)
		}
		return b, &b.Child, nil
	case "accumulate":
		a, ok := parseAccumulate(fields)
		if !ok {
			return fail("accumulate S0 " + strings.Join(regionNames[:], "|") + marksForm(accumulateMarks()))
		}
		return a, &a.Child, nil
	case "place":
		p, ok := parsePlace(fields)
		if !ok {
			return fail("place NAME " + strings.Join(regionNames[:Output], "|") + "|" + Local.String() + " [layout 2 1 …]" + marksForm(placeMarks()))
		}
		return p, &p.Child, nil
	}
	return fail("sequence, filter, band, accumulate, place or leaf")
}

func parseAccumulate(fields []string) (*Accumulate, bool) {
	if len(fields) < 2 {
		return nil, false
	}
	s, ok := parseStatement(fields[0])
	region := slices.Index(regionNames[:], fields[1])
	a := &Accumulate{Statement: s, Region: Region(region)}
	return a, ok && region >= 0 && parseMarks(accumulateMarks(), a, fields[2:])
}

// parsePlace accepts all regions: Check refuses those that are for accumulators only.
func parsePlace(fields []string) (*Place, bool) {
	if len(fields) < 2 {
		return nil, false
	}
	region := slices.Index(regionNames[:], fields[1])
	p := &Place{Tensor: fields[0], Region: Region(region)}
	if fields = fields[2:]; len(fields) > 0 && fields[0] == "layout" {
		for fields = fields[1:]; len(fields) > 0; fields = fields[1:] {
			d, err := strconv.Atoi(fields[0])
			if err != nil {
				break
			}
			p.Layout = append(p.Layout, d)
		}
		if p.Layout == nil {
			return nil, false
		}
	}
	return p, region >= 0 && parseMarks(placeMarks(), p, fields)
}

func parseStatement(name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, "S")
	s, err := strconv.Atoi(digits)
	return s, ok && err == nil && s >= 0 && statementName(s) == name
}

// parseSkew reads "2*i/16".
func parseSkew(text string) (s Skew, ok bool) {
	factor, rest, ok := strings.Cut(text, "*")
	index, tile, ok2 := strings.Cut(rest, "/")
	var err, err2 error
	s.Index = index
	s.Factor, err = strconv.ParseInt(factor, 10, 32)
	s.Tile, err2 = strconv.ParseInt(tile, 10, 32)
	return s, ok && ok2 && index != "" && err == nil && err2 == nil && s.Factor != 0 && s.Tile >= 1
}

// parseLoop reads "S0.i", "S0.i+2", "S0.j-1*i" or "S0.k+2*i+1*j-1".
func parseLoop(word string) (Loop, bool) {
	name, rest, ok := strings.Cut(word, ".")
	s, okName := parseStatement(name)
	if !ok || !okName {
		return Loop{}, false
	}
	l := Loop{Statement: s}
	parts := strings.FieldsFunc(strings.NewReplacer("+", " +", "-", " -").Replace(rest), func(r rune) bool { return r == ' ' })
	if len(parts) == 0 || strings.Join(parts, "") != rest {
		return Loop{}, false
	}
	for _, part := range parts[1:] {
		number, by, skew := strings.Cut(part, "*")
		n, err := strconv.ParseInt(number, 10, 32)
		if err != nil || n == 0 || l.Shift != 0 || skew && (by == "" || strings.ContainsAny(by, "|,.*")) {
			return Loop{}, false
		}
		if skew {
			l.By = append(l.By, Term{by, n})
		} else {
			l.Shift = n
		}
	}
	l.Index = parts[0]
	return l, !strings.ContainsAny(l.Index, "+-|,.*")
}
