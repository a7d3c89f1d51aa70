package schedule

import (
	"fmt"
	"strings"
)

func statementName(s int) string { return fmt.Sprintf("S%d", s) }

// The lines that may stand between the domain and the root.
const (
	asWrittenLine = "as written"
	uncheckedLine = "unchecked"
)

// Print returns the text of a tree; Parse reads it back.
func Print(t *Tree) string {
	var b strings.Builder
	parts := make([]string, len(t.Statements))
	for i, s := range t.Statements {
		parts[i] = fmt.Sprintf("%s[%s]", s.Name, strings.Join(s.Indices, ", "))
	}
	fmt.Fprintln(&b, strings.TrimSpace("domain "+strings.Join(parts, "; ")))
	if t.AsWritten {
		fmt.Fprintln(&b, asWrittenLine)
	}
	if t.Unchecked {
		fmt.Fprintln(&b, uncheckedLine)
	}
	printNode(&b, t.Root, 0)
	return b.String()
}

func printNode(b *strings.Builder, n Node, depth int) {
	fmt.Fprintln(b, strings.Repeat("  ", depth)+nodeText(n))
	for _, c := range Children(n) {
		if _, leaf := c.(*Leaf); !leaf {
			printNode(b, c, depth+1)
		}
	}
}

// nodeText is the line of one node.
func nodeText(n Node) string {
	switch n := n.(type) {
	case *Sequence:
		return "sequence"
	case *Filter:
		names := make([]string, len(n.Statements))
		for i, s := range n.Statements {
			names[i] = statementName(s)
		}
		return "filter " + strings.Join(names, ", ")
	case *Band:
		parts := make([]string, len(n.Members))
		for i, m := range n.Members {
			parts[i] = m.String()
		}
		head := "band "
		if n.Permutable {
			head = "band permutable "
		}
		return head + strings.Join(parts, " | ")
	case *Accumulate:
		return strings.TrimSpace(fmt.Sprintf("accumulate %s %s %s", statementName(n.Statement), n.Region, marksText(accumulateMarks(), n)))
	case *Place:
		text := fmt.Sprintf("place %s %s", n.Tensor, n.Region)
		if n.Layout != nil {
			text += " layout " + strings.Trim(fmt.Sprint(n.Layout), "[]")
		}
		return strings.TrimSpace(text + " " + marksText(placeMarks(), n))
	}
	return "leaf"
}

// String returns the text of a member, such as "S0.i S1.i tile 6 parallel".
func (m *Member) String() string {
	var words []string
	for _, l := range m.Loops {
		word := statementName(l.Statement) + "." + l.Index
		for _, t := range l.By {
			word += fmt.Sprintf("%+d*%s", t.Factor, t.Index)
		}
		if l.Shift != 0 {
			word += fmt.Sprintf("%+d", l.Shift)
		}
		words = append(words, word)
	}
	if marks := marksText(memberMarks(), m); marks != "" {
		words = append(words, marks)
	}
	return strings.Join(words, " ")
}
