package mapping

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/source"
)

// A scanner reads a chain of calls.
type scanner struct {
	text          string
	at            int
	sizes         map[string]int64
	innermostLast bool   // the order of threads
	inner         string // between the parentheses of the last call
}

// most is the greatest number of an option: CUDA's of blocks.
const most = 1<<31 - 1

// Parse reads options: a chain of .name(arguments), with the paper's names, those of the
// shipped interface or the short ones. What stands before the first dot of the chain,
// such as makeNaiveMappingOptions() or Options("naive"), sets the defaults. Numbers are
// expressions over sizes. What is wrong with an option is a *source.LineError.
func Parse(text string, sizes map[string]int64) (Options, error) {
	leading := strings.Count(text[:len(text)-len(strings.TrimLeft(text, " \t\r\n"))], "\n")
	s := &scanner{text: strings.TrimRight(strings.TrimSpace(text), "; \t\r\n"), sizes: sizes}
	wrong := func(at int, err error) error {
		part, _, _ := strings.Cut(s.text[at:max(at, s.at)], "\n")
		return source.LineErrorf(1+leading+strings.Count(s.text[:at], "\n"), "%w", err).At(part)
	}
	if message.MatchString(s.text) {
		o, err := Preset("naive")
		fields, bad := readFields(s.text)
		if err = errors.Join(err, bad); err == nil {
			err = s.setFields(&o, "", fields)
		}
		if err != nil {
			return o, wrong(0, err)
		}
		return o, nil
	}
	o, err := s.start()
	if err != nil {
		return o, wrong(0, err)
	}
	if s.at == 0 && s.text != "" && !strings.HasPrefix(s.text, ".") {
		head, _, _ := strings.Cut(s.text, "(")
		return o, wrong(0, fmt.Errorf("found %q, expected a chain of options such as .tile(32, 32).fuse(max)", source.Excerpt(head)))
	}
	for s.space(); s.at < len(s.text); s.space() {
		at := s.at
		name, arguments, err := s.call()
		switch {
		case err != nil:
		case isNested(name, s.inner):
			err = s.setNested(&o, name, s.inner)
		default:
			err = s.set(&o, name, arguments)
		}
		if err != nil {
			return o, wrong(at, err)
		}
		for i := range o.Idle {
			if o.Idle[i].Line == 0 {
				part, _, _ := strings.Cut(s.text[at:s.at], "\n")
				o.Idle[i].Line, o.Idle[i].Part = 1+leading+strings.Count(s.text[:at], "\n"), part
			}
		}
	}
	return o, nil
}

// space skips blanks, the ends of statements, and C++'s comments.
func (s *scanner) space() {
	for s.at < len(s.text) {
		switch rest := s.text[s.at:]; {
		case strings.ContainsRune(" \t\r\n;", rune(rest[0])):
			s.at++
		case strings.HasPrefix(rest, "//"):
			line, _, _ := strings.Cut(rest, "\n")
			s.at += len(line)
		default:
			return
		}
	}
}

// call reads ".name(argument, …)"; arguments may stand in braces, brackets or quotes. In Python
// the name of a variable stands before the dot at the beginning of a line.
func (s *scanner) call() (name string, arguments []string, err error) {
	rest := s.text[s.at:]
	fail := func() error {
		line, _, _ := strings.Cut(rest, "\n")
		if runes := []rune(line); len(runes) > 40 {
			line = string(runes[:40]) + "…"
		}
		return fmt.Errorf("found %q, expected .OPTION(VALUE, …)", line)
	}
	variable, body, dot := strings.Cut(rest, ".")
	name, after, open := strings.Cut(body, "(")
	name = strings.TrimSpace(name)
	if !dot || !open || name == "" || strings.ContainsAny(name, " .,()\n") || variable != "" && (!affine.IsWord(variable) || s.at == 0 || !strings.ContainsAny(s.text[s.at-1:s.at], "\n;")) {
		return "", nil, fail()
	}
	inner, closed := untilClosed(after)
	if !closed {
		return "", nil, fail()
	}
	s.at += len(rest) - len(after) + len(inner) + 1
	s.inner = inner
	list := strings.TrimFunc(inner, func(r rune) bool { return strings.ContainsRune("{}[]\"' \t\r\n\\", r) })
	if list == "" {
		return name, nil, nil
	}
	depth, start := 0, 0
	for i, r := range list + "," {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth == 0:
			arguments = append(arguments, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	if slices.Contains(arguments, "") {
		return "", nil, fmt.Errorf("found %q, where a value is missing beside a comma", source.Excerpt("."+name+"("+list+")"))
	}
	return name, arguments, nil
}

// untilClosed returns the text up to the parenthesis that closes an open one.
func untilClosed(text string) (inner string, closed bool) {
	depth := 1
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return text[:i], true
		}
	}
	return "", false
}

// set takes one option.
func (s *scanner) set(o *Options, name string, arguments []string) error {
	option, known := aliases[name]
	if !known {
		option = name
	}
	if why, none := ignored[option]; none {
		o.Idle = append(o.Idle, Remark{Text: fmt.Sprintf("%s has no effect: %s", name, why)})
		return nil
	}
	wrong := func(expected string) error {
		return fmt.Errorf("found .%s(%s), expected %s", source.Excerpt(name), source.Excerpt(strings.Join(arguments, ", ")), expected)
	}
	if o.Given == nil {
		o.Given = map[string]bool{}
	}
	o.Given[option] = true
	switch option {
	case "fuse":
		return o.setFusion(name, arguments)
	case "tile", "threads", "blocks", "unroll":
		least := int64(1)
		if option == "tile" {
			least = 0
		}
		values, err := s.numbers(arguments, least)
		switch {
		case err != nil:
			return fmt.Errorf("in .%s(%s): %w", source.Excerpt(name), source.Excerpt(strings.Join(arguments, ", ")), err)
		case option == "unroll" && len(values) != 1:
			return wrong("one number")
		case (option == "threads" || option == "blocks") && (len(values) == 0 || len(values) > 3):
			return wrong("one, two or three numbers")
		}
		s.setNumbers(o, option, name, values)
		if option == "tile" {
			o.uncut(arguments, values)
		}
		return nil
	case "shared", "private", "fix":
		flags := map[string]bool{"true": true, "True": true, "1": true, "false": false, "False": false, "0": false}
		if len(arguments) != 1 {
			return wrong("true or false")
		}
		value, ok := flags[arguments[0]]
		if !ok {
			return wrong("true or false")
		}
		*map[string]*bool{"shared": &o.Shared, "private": &o.Private, "fix": &o.FixParameters}[option] = value
		return nil
	}
	return fmt.Errorf("there is no option %s; the options are %s%s", source.Excerpt(name), strings.Join(optionNames(), ", "), source.DidYouMean(name, optionNames()))
}

// uncut remarks on tiles that are computed and come out as 0, which cuts nothing.
func (o *Options) uncut(words []string, values []int64) {
	for n, w := range words {
		e, err := affine.Parse(w)
		if err != nil || values[n] != 0 {
			continue
		}
		if _, constant := e.IsConst(); !constant {
			o.Idle = append(o.Idle, Remark{Text: fmt.Sprintf("the tile %s is 0, which leaves dimension %d uncut", source.Excerpt(w), n)})
		}
	}
}

// setNumbers takes an option whose values are numbers.
func (s *scanner) setNumbers(o *Options, option, name string, values []int64) {
	switch option {
	case "tile":
		o.Tile = values
	case "blocks":
		o.Blocks = values
	case "unroll":
		o.Unroll = values[0]
	case "threads":
		if s.innermostLast {
			slices.Reverse(values)
		}
		o.Threads = values
		if others := values[1:]; slices.ContainsFunc(others, func(n int64) bool { return n > 1 }) {
			o.Idle = append(o.Idle, Remark{OfLanes: true, Text: fmt.Sprintf("of %s only %d has a meaning: a vector has its lanes along one dimension, and what else is parallel are blocks", name, values[0])})
		}
	}
}

// setFusion takes a strategy by the name of its constant, with or without its scope.
func (o *Options) setFusion(name string, arguments []string) error {
	if len(arguments) == 1 {
		word := arguments[0][strings.LastIndexAny(arguments[0], ":.")+1:]
		for _, f := range []Fusion{Max, Preserve3Coincident, Min} {
			if strings.EqualFold(word, string(f)) {
				o.Fusion = f
				return nil
			}
		}
	}
	return fmt.Errorf("found .%s(%s), expected max, preserve3coincident or min", name, source.Excerpt(strings.Join(arguments, ", ")))
}

// numbers computes expressions over sizes.
func (s *scanner) numbers(words []string, least int64) ([]int64, error) {
	var list []int64
	for _, w := range words {
		e, err := affine.Parse(w)
		if err != nil {
			return nil, fmt.Errorf("%s is no number and no expression over sizes", source.Excerpt(w))
		}
		n, err := e.Eval(s.sizes)
		if err != nil {
			return nil, s.unknown(e, err)
		}
		if n < least || n > most {
			text := w
			if _, constant := e.IsConst(); !constant {
				text = fmt.Sprintf("%s = %d", w, n)
			}
			return nil, fmt.Errorf("found %s, expected numbers from %d to %d", source.Excerpt(text), least, int64(most))
		}
		list = append(list, n)
	}
	return list, nil
}

// unknown says which name of an expression stands for nothing.
func (s *scanner) unknown(e affine.Expr, err error) error {
	symbols := map[string]bool{}
	e.Symbols(symbols)
	names := slices.Sorted(maps.Keys(s.sizes))
	for _, name := range names {
		delete(symbols, name)
	}
	unknown := slices.Sorted(maps.Keys(symbols))
	switch {
	case len(unknown) == 0:
		return err
	case len(names) == 0:
		return fmt.Errorf("%s is no number, and no size has a value here", source.Excerpt(unknown[0]))
	}
	return fmt.Errorf("%s is no size that has a value; these are %s%s", source.Excerpt(unknown[0]), strings.Join(names, ", "), source.DidYouMean(unknown[0], names))
}

func optionNames() []string {
	list := []string{"fuse", "tile", "unroll", "mapToThreads", "mapToBlocks", "useSharedMemory", "usePrivateMemory", "fixParametersBeforeScheduling"}
	for name := range ignored {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
