package schedule

import (
	"fmt"
	"strings"
)

// Words name the parts of a tree in messages. Whoever wrote a tree reads its text; what
// was made of something else is spoken of in the words of that.
type Words interface {
	Statement(s int) string           // S0
	Index(s int, index string) string // S0.i
	Loop(m *Member) string            // "S0.i tile 8 parallel"
	Node(n Node) string               // in "band S0.i": what a message begins with, or ""
	Advice(text string) string        // how to write the tree, or "" where it is made by something else
}

// treeWords are those of the text of a tree.
type treeWords struct{}

func (treeWords) Statement(s int) string           { return statementName(s) }
func (treeWords) Index(s int, index string) string { return statementName(s) + "." + index }
func (treeWords) Loop(m *Member) string            { return `"` + m.String() + `"` }
func (treeWords) Node(n Node) string {
	if _, ok := n.(*Leaf); ok {
		return "" // it stands in no text
	}
	return `in "` + nodeText(n) + `"`
}

func (treeWords) Advice(text string) string { return text }

// nodeWords is what a message about a node, or a spot in it, begins with.
func (c *checker) nodeWords(n Node) string {
	switch s := n.(type) {
	case spot:
		n = s.Band
	case end:
		n = s.Leaf
	}
	return c.words.Node(n)
}

// accumulateAt advises to put accumulators of a statement somewhere.
func (c *checker) accumulateAt(s int, where string) string {
	return c.words.Advice("; expected accumulate " + c.words.Statement(s) + " " + where)
}

// noIndex says that a statement lacks an index, and which ones it has.
func (c *checker) noIndex(s int, index string) string {
	return fmt.Sprintf("%s has no index %s; it has %s", c.words.Statement(s), index, strings.Join(c.tree.Statements[s].Indices, ", "))
}

// statements lists statements by their names.
func (c *checker) statements(list []int) string {
	text := ""
	for i, s := range list {
		if i > 0 {
			text += ", "
		}
		text += c.words.Statement(s)
	}
	return text
}
