package mutate

import (
	"cmp"
	"slices"
	"strings"
)

// An edit replaces a range of a file's bytes by a pattern of text, in which $0, $1 … stand for
// ranges inside of it, edited in turn. Edits of a file are nested or apart, as the nodes are that
// they are made for; of two of the same range the first one is outside.
type edit struct {
	from, to int
	pattern  string
	parts    []span
}

type span struct{ from, to int }

// render applies edits to a text.
func render(text string, edits []edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(x, y edit) int {
		return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.rank(), y.rank()), cmp.Compare(y.to, x.to))
	})
	return renderRange(text, span{0, len(text)}, edits)
}

// rank puts what is inserted before what is replaced behind it.
func (e edit) rank() int {
	if e.from == e.to {
		return 0
	}
	return 1
}

// renderRange renders a range with the sorted edits that may lie in it.
func renderRange(text string, r span, edits []edit) string {
	var out strings.Builder
	at := r.from
	for k := 0; k < len(edits); {
		e := edits[k]
		inside := k + 1
		for inside < len(edits) && edits[inside].to <= e.to && edits[inside].from < e.to {
			inside++
		}
		if e.from < at || e.to > r.to {
			k++ // outside of this range
			continue
		}
		out.WriteString(text[at:e.from])
		out.WriteString(e.apply(text, edits[k+1:inside]))
		at = e.to
		k = inside
	}
	out.WriteString(text[at:r.to])
	return out.String()
}

// apply fills in the pattern; inner are the edits inside.
func (e edit) apply(text string, inner []edit) string {
	var out strings.Builder
	for i := 0; i < len(e.pattern); i++ {
		if e.pattern[i] == '$' && i+1 < len(e.pattern) && e.pattern[i+1] >= '0' && e.pattern[i+1] <= '9' {
			i++
			out.WriteString(renderRange(text, e.parts[e.pattern[i]-'0'], inner))
			continue
		}
		out.WriteByte(e.pattern[i])
	}
	return out.String()
}
