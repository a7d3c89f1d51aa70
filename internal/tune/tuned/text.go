package tuned

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ricci-lang/ricci/internal/source"
)

// The text form. A schedule is a block of lines "word value", the program and the
// tree follow indented; "end" ends it. Blank lines and lines that start with # mean
// nothing between blocks.
//
//	tuned matmul(K=64 M=32 N=16)
//	target c
//	…
//	program
//	  func f { …
//	schedule
//	  domain S0[i0, i1, i2]
//	  …
//	end

const (
	first    = "tuned"
	last     = "end"
	program  = "program"
	tree     = "schedule"
	indented = "  "
)

// A field is a line of a block.
type field struct {
	word  string
	print func(s *Schedule) string
	parse func(s *Schedule, text string) error
}

func textField(word string, at func(s *Schedule) *string) field {
	return field{word, func(s *Schedule) string { return oneLine(*at(s)) }, func(s *Schedule, text string) error {
		*at(s) = text
		return nil
	}}
}

func numberField(word string, at func(s *Schedule) *float64) field {
	return field{word, func(s *Schedule) string { return strconv.FormatFloat(*at(s), 'g', -1, 64) }, func(s *Schedule, text string) (err error) {
		if *at(s), err = strconv.ParseFloat(text, 64); err != nil {
			return fmt.Errorf("found %q, expected a number of seconds", source.Excerpt(text))
		}
		return nil
	}}
}

// fields lists the lines in their order; those that print nothing are left out.
func fields() []field {
	return []field{
		textField(first, func(s *Schedule) *string { return &s.Name }),
		textField("target", func(s *Schedule) *string { return &s.Target }),
		textField("compiler", func(s *Schedule) *string { return &s.Compiler }),
		textField("machine", func(s *Schedule) *string { return &s.Machine }),
		textField("numerics", func(s *Schedule) *string { return &s.Numerics }),
		{"sizes", printSizes, parseSizes},
		{"dynamic", func(s *Schedule) string { return strings.Join(s.Dynamic, " ") }, func(s *Schedule, text string) error {
			s.Dynamic = strings.Fields(text)
			return nil
		}},
		{"strides", printStrides, parseStrides},
		numberField("seconds", func(s *Schedule) *float64 { return &s.Seconds }),
		numberField("default", func(s *Schedule) *float64 { return &s.Default }),
		textField("version", func(s *Schedule) *string { return &s.Version }),
		textField("space", func(s *Schedule) *string { return &s.Space }),
		textField("point", func(s *Schedule) *string { return &s.Point }),
		{"created", func(s *Schedule) string { return s.Created.UTC().Format(time.RFC3339) }, func(s *Schedule, text string) (err error) {
			if s.Created, err = time.Parse(time.RFC3339, text); err != nil {
				return fmt.Errorf("found %q, expected a time such as 2026-01-02T15:04:05Z", source.Excerpt(text))
			}
			return nil
		}},
	}
}

// Print returns the text of a schedule.
func (s *Schedule) Print() string {
	var b strings.Builder
	for _, f := range fields() {
		if value := f.print(s); value != "" {
			fmt.Fprintf(&b, "%s %s\n", f.word, value)
		}
	}
	for _, part := range []struct{ word, text string }{{program, s.Program}, {tree, s.Tree}} {
		fmt.Fprintln(&b, part.word)
		for _, line := range strings.Split(strings.TrimRight(part.text, "\n"), "\n") {
			fmt.Fprintln(&b, strings.TrimRight(indented+line, " "))
		}
	}
	fmt.Fprintln(&b, last)
	return b.String()
}

// ParseAll reads the schedules of a text. An error names its line.
func ParseAll(text string) ([]*Schedule, error) {
	var list []*Schedule
	var s *Schedule
	var part *string // the text that indented lines belong to
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " \r")
		inside, isIndented := strings.CutPrefix(line, indented)
		word, value, _ := strings.Cut(line, " ")
		var err error
		switch {
		case s != nil && part != nil && (isIndented || line == ""):
			*part += inside + "\n"
		case line == "" || strings.HasPrefix(line, "#"):
		case s == nil && (word != first || oneLine(value) == ""):
			err = fmt.Errorf("found %q, expected %s NAME", source.Excerpt(line), first)
		case s == nil:
			s = &Schedule{Name: value}
		case word == last:
			err = s.complete()
			list, s, part = append(list, s), nil, nil
		case word == program:
			part = &s.Program
		case word == tree:
			part = &s.Tree
		default:
			err = s.parseField(word, value)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	if s != nil {
		return nil, fmt.Errorf("the tuned schedule for %s is cut off: there is no line %q", source.Excerpt(s.Name), last)
	}
	return list, nil
}

func (s *Schedule) parseField(word, value string) error {
	list := fields()
	at := slices.IndexFunc(list, func(f field) bool { return f.word == word && word != first })
	if at < 0 {
		return fmt.Errorf("found %q, expected target, sizes, seconds, program, schedule, end or the like", source.Excerpt(word))
	}
	return list[at].parse(s, value)
}

func (s *Schedule) complete() error {
	for _, part := range []struct{ word, text string }{{program, s.Program}, {tree, s.Tree}} {
		if strings.TrimSpace(part.text) == "" {
			return fmt.Errorf("the tuned schedule for %s has no %s", s.Name, part.word)
		}
	}
	if !(s.Seconds > 0 && s.Default > 0) {
		return fmt.Errorf("the tuned schedule for %s does not say how fast it is: seconds and default are positive numbers", s.Name)
	}
	s.Program, s.Tree = strings.TrimRight(s.Program, "\n")+"\n", strings.TrimRight(s.Tree, "\n")+"\n"
	return nil
}

func printSizes(s *Schedule) string {
	var parts []string
	for _, name := range sorted(s.Sizes) {
		parts = append(parts, fmt.Sprintf("%s=%d", name, s.Sizes[name]))
	}
	return strings.Join(parts, " ")
}

func parseSizes(s *Schedule, text string) error {
	s.Sizes = map[string]int64{}
	for _, part := range strings.Fields(text) {
		name, value, _ := strings.Cut(part, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return fmt.Errorf("found %q, expected SIZE=N", source.Excerpt(part))
		}
		s.Sizes[name] = n
	}
	return nil
}

func printStrides(s *Schedule) string {
	var parts []string
	for _, name := range sorted(s.Strides) {
		parts = append(parts, name+"="+strings.Trim(strings.ReplaceAll(fmt.Sprint(s.Strides[name]), " ", ","), "[]"))
	}
	return strings.Join(parts, " ")
}

func parseStrides(s *Schedule, text string) error {
	s.Strides = map[string][]int{}
	for _, part := range strings.Fields(text) {
		name, values, _ := strings.Cut(part, "=")
		for _, value := range strings.Split(values, ",") {
			n, err := strconv.Atoi(value)
			if err != nil {
				return fmt.Errorf("found %q, expected TENSOR=STRIDE,…", source.Excerpt(part))
			}
			s.Strides[name] = append(s.Strides[name], n)
		}
	}
	return nil
}
