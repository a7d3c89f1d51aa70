package transform

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
)

// A Call is where a program applies a transformation, and the text of that; it may be zero.
type Call struct {
	Pos  source.Span
	Text string
}

// longestCall is how long the text of a call may be in a message.
const longestCall = 60

// Written returns the step as the program writes it; what it does is added where that does
// not say it, as in "tile(l1, 32): interchange(l, 2, 3)".
func (s *Step) Written() string {
	canonical := s.String()
	text := strings.Join(strings.Fields(s.Call.Text), " ")
	if text == "" || len(text) > longestCall {
		return canonical
	}
	bare := strings.NewReplacer("[", "", "]", "", " ", "").Replace
	if strings.HasPrefix(text, s.Transformation.Name+"(") && strings.HasSuffix(bare(text), bare(s.argumentsText())) {
		return text
	}
	return text + ": " + canonical
}

// argumentsText is the end of the text of the step, from behind its nests.
func (s *Step) argumentsText() string {
	text := ""
	for _, a := range s.Arguments {
		text += ", " + a.String()
	}
	return text + ")"
}

// words speak of the loops of nests where the tree that was made of them is refused.
// They are valid for that one tree.
type words struct {
	f      *ein.Func
	levels map[*schedule.Member]string
}

// Statement names a statement by the tensor that it writes.
func (w words) Statement(s int) string {
	name, which, all := written(w.f, s), 0, 0
	for k := range w.f.Body {
		if written(w.f, k) == name {
			if all++; k <= s {
				which++
			}
		}
	}
	if all > 1 {
		return fmt.Sprintf("statement %d of %s", which, name)
	}
	return "the statement of " + name
}

// Index names an index with its statement.
func (w words) Index(s int, index string) string { return index + " of " + w.Statement(s) }

// Loop names a loop as the nests do, with its level.
func (w words) Loop(m *schedule.Member) string { return w.levels[m] }

// Node is empty: the messages say by themselves what they are about, and where is the
// transformation that is blamed.
func (w words) Node(schedule.Node) string { return "" }

// Advice is empty: it is the nests that are written.
func (w words) Advice(string) string { return "" }

// depths notes how many levels are around each loop of a list, itself included.
func depths(list []*node, above int, of map[*level]int) {
	for _, n := range list {
		inside := above
		if n.loop != nil && !n.loop.Unroll {
			inside++
		}
		if n.loop != nil {
			of[n.loop] = inside
		}
		depths(n.body, inside, of)
	}
}

// levelText names a loop and its level.
func levelText(l *level, depth int) string {
	if l.Unroll {
		return l.name + ", which is written out,"
	}
	return fmt.Sprintf("%s at level %d", l.name, depth)
}
