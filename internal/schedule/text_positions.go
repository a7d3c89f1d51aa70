package schedule

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// TextPositions say where nodes and the members of bands stand in the text of a tree.
type TextPositions struct {
	file    *source.File
	domain  int // the line of the domain
	nodes   map[Node]source.Span
	members map[*Member]source.Span
}

// NewTextPositions returns the places in a text in which nothing has a place yet.
func NewTextPositions(file *source.File) *TextPositions {
	return &TextPositions{file: file, nodes: map[Node]source.Span{}, members: map[*Member]source.Span{}}
}

// line is the text of a line without blanks around it.
func (p *TextPositions) line(number int) source.Span {
	return (&source.LineError{Line: number}).Span(p.file)
}

// Put says on which line of the text a node of a tree stands that was made from another form.
func (p *TextPositions) Put(n Node, line int) { p.nodes[n] = p.line(line) }

// PutMember is Put for a loop.
func (p *TextPositions) PutMember(m *Member, line int) { p.members[m] = p.line(line) }

// note keeps the place of a node, and those of its members.
func (p *TextPositions) note(n Node, number int) {
	span := p.line(number)
	p.nodes[n] = span
	b, ok := n.(*Band)
	if !ok {
		return
	}
	text, start := span.Text(), span.Start
	for _, word := range []string{"band", "permutable"} {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \t"), word+" "); ok {
			start, text = start+len(text)-len(rest), rest
		}
	}
	for k, part := range strings.Split(text, "|") {
		trimmed := strings.TrimSpace(part)
		at := start + strings.Index(part, trimmed)
		p.members[b.Members[k]] = source.Span{File: p.file, Start: at, End: at + len(trimmed)}
		start += len(part) + 1
	}
}

// A spot is a node that speaks of one of its members, and perhaps of a mark of it.
type spot struct {
	*Band
	member *Member
	marks  []string // the first that the member has
}

func on(b *Band, m *Member, marks ...string) spot { return spot{b, m, marks} }

// An end is a leaf, which stands in no text, below another node.
type end struct {
	*Leaf
	above Node
}

// ofDomain is the place of the first line.
func (p *TextPositions) ofDomain() source.Span {
	if p == nil {
		return source.Span{}
	}
	return p.line(p.domain)
}

// of is the place of a node, or of what a spot speaks of; invalid where it stands in no text.
func (p *TextPositions) of(n Node) source.Span {
	if p == nil {
		return source.Span{}
	}
	if e, ok := n.(end); ok {
		n = e.above
	}
	s, ok := n.(spot)
	if !ok {
		return p.nodes[n]
	}
	member := p.members[s.member]
	for _, mark := range s.marks {
		if span, ok := p.mark(member, mark); ok {
			return span
		}
	}
	return member
}

// mark is the place of a mark, with its argument, in a member.
func (p *TextPositions) mark(member source.Span, mark string) (span source.Span, ok bool) {
	words := regexp.MustCompile(`\S+`).FindAllStringIndex(member.Text(), -1)
	for k, w := range words {
		if member.Text()[w[0]:w[1]] != mark {
			continue
		}
		if takesArgument(mark) && k+1 < len(words) {
			w[1] = words[k+1][1]
		}
		return source.Span{File: p.file, Start: member.Start + w[0], End: member.Start + w[1]}, true
	}
	return span, false
}

// takesArgument reports whether an argument stands behind the word of a mark.
func takesArgument(word string) bool {
	return slices.ContainsFunc(memberMarks(), func(k markOf[Member]) bool { return k.Word == word && k.Argument != "" })
}
