package fold

import (
	"maps"
	"strings"
)

// facts are conditions, as they are printed, that hold or do not.
type facts map[string]bool

// opposites are the comparisons that hold where others do not.
var opposites = map[string]string{"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}

// about returns whether a condition holds, if that is known.
func (f facts) about(n *node) (holds, ok bool) {
	if holds, ok = f[n.String()]; ok {
		return holds, true
	}
	if opposite, isComparison := opposites[n.op]; isComparison && len(n.args) == 2 {
		holds, ok = f[(&node{kind: operation, op: opposite, args: n.args}).String()]
	}
	return !holds, ok
}

// with returns the facts where a condition holds, or does not.
func (f facts) with(n *node, holds bool) facts {
	more := facts{}
	maps.Copy(more, f)
	more.add(n, holds)
	return more
}

func (f facts) add(n *node, holds bool) {
	f[n.String()] = holds
	switch {
	case n.op == "!":
		f.add(n.args[0], !holds)
	case n.op == "&&" && holds, n.op == "||" && !holds:
		f.add(n.args[0], holds)
		f.add(n.args[1], holds)
	}
}

// A part of a text is a line, or branches of which the preprocessor takes one.
type part struct {
	line     string
	branches []branch
}

// A branch is what stands behind an #if, #elif or #else.
type branch struct {
	directive string // the whole line
	condition *node  // nil for #else
	parts     []part
}

// Conditions returns a text without the branches of #if that the preprocessor never takes, and without the
// conditions of those that it always takes; of other conditions what is left to be found out. It leaves a text
// alone whose directives it does not understand.
func Conditions(text string) string {
	if !strings.Contains(text, "#if") {
		return text
	}
	parts, rest, ok := split(strings.Split(text, "\n"))
	if !ok || len(rest) > 0 {
		return text
	}
	return strings.Join(chosen(parts, facts{}), "\n")
}

// split reads lines up to a directive that ends a branch.
func split(lines []string) (parts []part, rest []string, ok bool) {
	for len(lines) > 0 {
		switch directive, _ := cutDirective(lines[0]); directive {
		case "#if":
			var p part
			if p, lines, ok = splitBranches(lines); !ok {
				return nil, nil, false
			}
			parts = append(parts, p)
		case "#ifdef", "#ifndef":
			return nil, nil, false
		case "#elif", "#else", "#endif":
			return parts, lines, true
		default:
			parts, lines = append(parts, part{line: lines[0]}), lines[1:]
		}
	}
	return parts, nil, true
}

// splitBranches reads an #if up to its #endif.
func splitBranches(lines []string) (p part, rest []string, ok bool) {
	for len(lines) > 0 {
		b := branch{directive: lines[0]}
		directive, condition := cutDirective(lines[0])
		if directive == "#endif" {
			return p, lines[1:], true
		}
		if directive != "#else" {
			if b.condition, ok = parse(condition); !ok {
				return part{}, nil, false
			}
		}
		if b.parts, lines, ok = split(lines[1:]); !ok {
			return part{}, nil, false
		}
		p.branches = append(p.branches, b)
	}
	return part{}, nil, false
}

// cutDirective returns the word that a line of the preprocessor begins with, and what follows it.
func cutDirective(line string) (directive, rest string) {
	if !strings.HasPrefix(line, "#") {
		return "", ""
	}
	directive, rest, _ = strings.Cut(line, " ")
	return directive, rest
}

// chosen returns the lines that are left of parts.
func chosen(parts []part, known facts) (lines []string) {
	for _, p := range parts {
		if p.branches == nil {
			lines = append(lines, p.line)
			continue
		}
		lines = append(lines, chosenBranches(p.branches, known)...)
	}
	return lines
}

func chosenBranches(branches []branch, known facts) (lines []string) {
	open := false // whether a directive has been written
	for _, b := range branches {
		condition, always := b.condition, b.condition == nil
		if !always {
			condition = condition.simplified(known, true)
			if condition.is(0) {
				continue
			}
			always = condition.isNumber()
		}
		if always {
			if inner := chosen(b.parts, known); open && len(inner) > 0 {
				lines = append(lines, "#else")
				lines = append(lines, inner...)
			} else {
				lines = append(lines, inner...)
			}
			break
		}
		directive := b.directive
		if condition.String() != b.condition.String() || open == strings.HasPrefix(directive, "#if") {
			directive = map[bool]string{false: "#if ", true: "#elif "}[open] + condition.String()
		}
		lines = append(lines, directive)
		lines = append(lines, chosen(b.parts, known.with(condition, true))...)
		known, open = known.with(condition, false), true
	}
	if open {
		lines = append(lines, "#endif")
	}
	return lines
}
