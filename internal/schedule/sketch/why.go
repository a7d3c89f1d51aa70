package sketch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/schedule/estimate"
)

// Why says in lines how a schedule was chosen; none where no rule made it.
func (c *Choice) Why() (lines []string) {
	if len(c.Launches) == 0 {
		return nil
	}
	lines = append(lines, fmt.Sprintf("chosen from %d candidates of the rules for groups and items, by the estimate%s:", c.Judged, c.supposed))
	for k, l := range c.Launches {
		about := ""
		if at := slices.IndexFunc(Rules(), func(r Rule) bool { return r.Name == l.Rule }); at >= 0 {
			about = Rules()[at].About
		}
		lines = append(lines, fmt.Sprintf("%s: %s, %s (%s)%s", l.statements(), l.Rule, estimate.Duration(l.Seconds), about, c.others[k]))
	}
	return lines
}

// statements names what a launch does.
func (c *Candidate) statements() string {
	if c.First == c.Last {
		return fmt.Sprintf("S%d", c.First)
	}
	return fmt.Sprintf("S%d to S%d", c.First, c.Last)
}

// compared says of each launch what the best of another rule would take, or the best launches of its statements one by one.
func (s *sketcher) compared(launches []*Candidate) (list []string) {
	for _, l := range launches {
		var words []string
		window := s.windows[l.First][l.Last-l.First]
		if k := slices.IndexFunc(window, func(c *Candidate) bool { return c.Rule != l.Rule && !c.refused }); k >= 0 {
			words = append(words, fmt.Sprintf("%s %s", window[k].Rule, estimate.Duration(window[k].Seconds)))
		}
		if apart, ok := s.apart(l); ok {
			words = append(words, "one by one "+estimate.Duration(apart))
		}
		if len(words) > 0 {
			words[0] = "; otherwise " + words[0]
		}
		list = append(list, strings.Join(words, ", "))
	}
	return list
}

// apart is how long the statements of a launch take in launches of their own.
func (s *sketcher) apart(l *Candidate) (seconds float64, ok bool) {
	for n := l.First; n <= l.Last; n++ {
		c := best(s.windows[n][0])
		if c == nil {
			return 0, false
		}
		seconds += c.Seconds
	}
	return seconds, l.Last > l.First
}
