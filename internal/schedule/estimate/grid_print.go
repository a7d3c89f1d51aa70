package estimate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// print explains a launch: how its groups fill the cores, and what each layer takes.
func (l *Launch) print(p *Part, lines *strings.Builder) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(lines, "#   %-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	times := ""
	if l.Times > 1 {
		times = fmt.Sprintf("%.0f launches of ", l.Times)
	}
	line("grid", "%s%.0f groups of %d items on %d cores, %d at the same time on each: %s", times, l.Groups, l.Items, l.Cores, l.Together, l.limit())
	for _, c := range p.Components {
		if c.Seconds <= 0 {
			continue
		}
		line(c.Name, "%s%s", duration(c.Seconds), l.detail(p, c.Name))
	}
}

// limit says why a core has no more groups at the same time.
func (l *Launch) limit() string {
	switch l.Limit {
	case "no more groups":
		return "there are no more"
	case "registers":
		return fmt.Sprintf("it has no registers for more, with %d for each item", l.Registers)
	case localMemory:
		return fmt.Sprintf("it has no local memory for more, with %s for each group", bytes(float64(l.Local)))
	}
	return "it has no more " + l.Limit
}

// detail is what is said of a component beside its time.
func (l *Launch) detail(p *Part, name string) string {
	switch name {
	case launching:
		return ""
	case transactions:
		var parts []string
		for _, t := range slices.SortedFunc(maps.Keys(l.Wanted), func(a, b string) int {
			return cmp.Or(cmp.Compare(l.Wanted[a], l.Wanted[b]), strings.Compare(a, b))
		}) {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", t, 100*l.Wanted[t]))
		}
		return "; of what they move is wanted: " + strings.Join(parts, ", ")
	}
	for _, t := range p.Traffic {
		if name == t.From+" to "+t.Layer {
			return fmt.Sprintf(" for %s: %s", bytes(t.Bytes), t.tensors())
		}
	}
	return ""
}
