package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// How parsing works: every node is a line, the depth of its indentation (two
// blanks a level) says whose child it is. A node without children has a leaf.

type line struct {
	number, depth int
	text          string
}

type parser struct {
	lines []line
	next  int
}

// Parse reads the text of a tree. An error names its line.
func Parse(text string) (*Tree, error) {
	p := &parser{}
	for i, raw := range strings.Split(text, "\n") {
		trimmed := strings.TrimLeft(raw, " ")
		body := strings.TrimSpace(trimmed)
		if body == "" || strings.HasPrefix(body, "#") {
			continue
		}
		indent := len(raw) - len(trimmed)
		if indent%2 != 0 {
			return nil, fmt.Errorf("line %d: indented by %d blanks, expected a multiple of 2", i+1, indent)
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
	p.next = 1
	t.AsWritten = p.isNext(asWrittenLine)
	t.Unchecked = p.isNext(uncheckedLine)
	if t.Root, err = p.node(0); err != nil {
		return nil, err
	}
	if p.next < len(p.lines) {
		l := p.lines[p.next]
		return nil, fmt.Errorf("line %d: %q does not belong to the node above: a tree has one root, and each node but a sequence one child", l.number, l.text)
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
		return nil, fmt.Errorf("line %d: found %q, expected domain S0[i, …]; …", l.number, l.text)
	}
	t := &Tree{}
	if strings.TrimSpace(rest) == "" {
		return t, nil
	}
	for s, part := range strings.Split(rest, ";") {
		name, indices, ok := strings.Cut(strings.TrimSpace(part), "[")
		indices, closed := strings.CutSuffix(indices, "]")
		if !ok || !closed || name != statementName(s) {
			return nil, fmt.Errorf("line %d: found %q, expected %s[index, …]", l.number, strings.TrimSpace(part), statementName(s))
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
		return nil, fmt.Errorf("line %d: indented too far below the node above", l.number)
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
	*child, err = p.node(depth + 1)
	return n, err
}

func (p *parser) sequence(depth int) (Node, error) {
	seq := &Sequence{}
	for p.next < len(p.lines) && p.lines[p.next].depth == depth {
		l := p.lines[p.next]
		n, err := p.node(depth)
		if err != nil {
			return nil, err
		}
		f, ok := n.(*Filter)
		if !ok {
			return nil, fmt.Errorf("line %d: found %q, expected filter: the children of a sequence are filters", l.number, l.text)
		}
		seq.Children = append(seq.Children, f)
	}
	return seq, nil
}

// parseHead parses a node with one child and returns where the child goes.
func parseHead(word string, fields []string, l line) (Node, *Node, error) {
	fail := func(expected string) (Node, *Node, error) {
		return nil, nil, fmt.Errorf("line %d: found %q, expected %s", l.number, l.text, expected)
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
			m, ok := parseMember(strings.Fields(part))
			if !ok {
				return fail("band S0.i [S1.i …] [tile n] [skew f*i/n] [vector n] [group n] [parallel] [flip] [unroll] [reverse] [pad] [stream] [coincident] [ahead n] [prefetch i[/n]] | …")
			}
			b.Members = append(b.Members, m)
		}
		return b, &b.Child, nil
	case "accumulate", "place":
		var layout []int
		if word == "place" && len(fields) > 3 && fields[2] == "layout" {
			for _, field := range fields[3:] {
				d, err := strconv.Atoi(field)
				if err != nil {
					return fail("place NAME REGION layout 2 1 …")
				}
				layout = append(layout, d)
			}
			fields = fields[:2]
		}
		if len(fields) != 2 || !slices.Contains(regionNames[:], fields[1]) {
			return fail(word + " NAME register|private|workspace|output|shared")
		}
		region := Region(slices.Index(regionNames[:], fields[1]))
		if word == "place" {
			p := &Place{Tensor: fields[0], Region: region, Layout: layout}
			return p, &p.Child, nil
		}
		s, ok := parseStatement(fields[0])
		if !ok {
			return fail("accumulate S0 REGION")
		}
		a := &Accumulate{Statement: s, Region: region}
		return a, &a.Child, nil
	}
	return fail("sequence, filter, band, accumulate, place or leaf")
}

func parseStatement(name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, "S")
	s, err := strconv.Atoi(digits)
	return s, ok && err == nil && s >= 0 && statementName(s) == name
}

func parseMember(words []string) (*Member, bool) {
	m := &Member{Tile: 1}
	flags := m.flags()
	for i := 0; i < len(words); i++ {
		w := words[i]
		if k := slices.IndexFunc(flags, func(f flag) bool { return f.word == w }); k >= 0 {
			*flags[k].set = true
			continue
		}
		switch w {
		case "tile", "vector", "group", "ahead", "skew", "prefetch":
			if i++; i >= len(words) || !m.parse(w, words[i]) {
				return nil, false
			}
		default:
			l, ok := parseLoop(w)
			if !ok {
				return nil, false
			}
			m.Loops = append(m.Loops, l)
		}
	}
	return m, len(m.Loops) > 0
}

// parse reads what stands behind a word.
func (m *Member) parse(word, text string) (ok bool) {
	switch word {
	case "skew":
		s, ok := parseSkew(text)
		m.Skews = append(m.Skews, s)
		return ok
	case "prefetch":
		m.Prefetch, m.PrefetchTile, ok = ParsePrefetch(text)
		return ok
	}
	n, err := strconv.ParseInt(text, 10, 32)
	switch word {
	case "tile":
		m.Tile = n
	case "group":
		m.Group = int(n)
	case "vector":
		m.Vector = int(n)
	case "ahead":
		m.Ahead = n
	}
	return err == nil && (n > 1 || n == 1 && word != "tile")
}

// A flag is a word that a member has or has not.
type flag struct {
	word string
	set  *bool
}

// flags lists the flags of a member in the order in which they are written.
func (m *Member) flags() []flag {
	return []flag{
		{"parallel", &m.Parallel}, {"flip", &m.Flip}, {"unroll", &m.Unroll}, {"reverse", &m.Reverse}, {"pad", &m.Pad}, {"stream", &m.Stream},
		{"coincident", &m.Coincident},
	}
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
