package space

import (
	"fmt"
	"strconv"
	"strings"
)

// Text shows a point to a person: name=value, … .
func (s *Space) Text(p Point) string {
	parts := make([]string, len(p))
	for i := range p {
		parts[i] = s.names[i] + "=" + s.ValueText(i, p[i])
	}
	return strings.Join(parts, " ")
}

// ValueText shows a value of a parameter to a person.
func (s *Space) ValueText(parameter int, value int64) string {
	for _, t := range s.trees {
		if d := parameter - t.first; d < len(t.group) {
			return t.text(d, value)
		}
	}
	return strconv.FormatInt(value, 10)
}

func (t *tree) text(d int, value int64) string {
	if f := t.group[d].Text; f != nil {
		return f(value)
	}
	return strconv.FormatInt(value, 10)
}

// texts lists values, shortened.
func (t *tree) texts(d int, values []int64) string {
	const shown = 12
	var parts []string
	for i, v := range values {
		if i == shown {
			parts = append(parts, fmt.Sprintf("… (%d values)", len(values)))
			break
		}
		parts = append(parts, t.text(d, v))
	}
	if parts == nil {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// Key identifies a point among those of its space: its values with commas.
func (s *Space) Key(p Point) string {
	var b []byte
	for i, v := range p {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, v, 10)
	}
	return string(b)
}

// Parse reads what Key printed and checks that it is a point of the space.
func (s *Space) Parse(key string) (Point, error) {
	var p Point
	if key != "" {
		for _, word := range strings.Split(key, ",") {
			v, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("found %q, expected integers with commas between them", key)
			}
			p = append(p, v)
		}
	}
	_, err := s.Index(p)
	return p, err
}
