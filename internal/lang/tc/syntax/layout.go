package syntax

import "strings"

// How the layout works
//
// The printer builds a document: text with places where a line may be broken.
// The breaks of a group are either all taken or none, and none are if the group
// fits into the rest of the line together with the text up to the next possible
// break behind it. A break in a group of its own is taken on demand, which fills
// lines.

// A document is a piece of text with possible line breaks.
type document interface{ isDocument() }

type (
	docText   string
	docConcat []document
	// docBreak is a line end if its group is broken, else its text.
	docBreak string
	// docGroup is a document whose breaks belong together.
	docGroup struct{ content document }
	// docNest indents the lines that begin in its content.
	docNest struct {
		columns int
		content document
	}
)

func (docText) isDocument()   {}
func (docConcat) isDocument() {}
func (docBreak) isDocument()  {}
func (docGroup) isDocument()  {}
func (docNest) isDocument()   {}

// docSpace is a space or a line end.
const docSpace = docBreak(" ")

// fill joins documents with a separator, breaking lines behind it where needed.
func fill(items []document, separator string) document {
	var joined docConcat
	for i, item := range items {
		if i > 0 {
			joined = append(joined, docText(separator), docGroup{docConcat{docSpace, item}})
		} else {
			joined = append(joined, item)
		}
	}
	return joined
}

// A layoutItem is a document with the context in which it is written.
type layoutItem struct {
	indent  int
	broken  bool
	content document
}

// layout writes a document that starts at column indent.
func layout(d document, indent, width int) string {
	var b strings.Builder
	column := indent
	stack := []layoutItem{{indent, true, d}}
	for len(stack) > 0 {
		item := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch d := item.content.(type) {
		case docText:
			b.WriteString(string(d))
			column += len(d)
		case docBreak:
			if item.broken {
				b.WriteString("\n" + strings.Repeat(" ", item.indent))
				column = item.indent
			} else {
				b.WriteString(string(d))
				column += len(d)
			}
		case docGroup:
			broken := !fits(d.content, stack, width-column)
			stack = append(stack, layoutItem{item.indent, broken, d.content})
		default:
			stack = unfold(stack, item)
		}
	}
	return b.String()
}

// unfold pushes the parts of a concatenation or nesting.
func unfold(stack []layoutItem, item layoutItem) []layoutItem {
	switch d := item.content.(type) {
	case docConcat:
		for i := len(d) - 1; i >= 0; i-- {
			stack = append(stack, layoutItem{item.indent, item.broken, d[i]})
		}
	case docNest:
		stack = append(stack, layoutItem{item.indent + d.columns, item.broken, d.content})
	}
	return stack
}

// fits reports whether a group without line ends, and what follows it up to the
// next possible line end, has room in the given number of columns.
func fits(d document, rest []layoutItem, room int) bool {
	stack := []layoutItem{{content: d}}
	for room >= 0 {
		if len(stack) == 0 {
			if len(rest) == 0 {
				return true
			}
			stack = append(stack, rest[len(rest)-1])
			rest = rest[:len(rest)-1]
		}
		item := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch d := item.content.(type) {
		case docText:
			room -= len(d)
		case docBreak:
			if item.broken {
				return true
			}
			room -= len(d)
		case docGroup:
			stack = append(stack, layoutItem{item.indent, item.broken, d.content})
		default:
			stack = unfold(stack, item)
		}
	}
	return false
}
