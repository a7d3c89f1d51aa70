package check

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
)

// A signature is the Signature of a row, taken apart.
type signature struct {
	row    *typed.Row
	params []*pattern
	result *pattern
}

// A pattern is a type of a signature. Sizes are numbers or letters; letters are bound where they are first met.
type pattern struct {
	kind       patternKind
	shape      []size
	dim        string // of an image or field
	continuity string // a letter
	less       int    // how much is taken from the continuity
	element    *pattern
	length     size // of a sequence; empty for any length
}

type patternKind uint8

const (
	boolPattern patternKind = iota
	intPattern
	stringPattern
	tensorPattern
	fieldPattern
	imagePattern
	kernelPattern
	sequencePattern
	elementPattern  // T
	strandPattern   // S
	constantPattern // a constant int
	numbersPattern  // any number of them
)

// A size is a number, a letter, or a letter for a list of sizes.
type size struct {
	number int
	letter string
}

func (s size) isList() bool { return s.letter == "σ" || s.letter == "τ" }

// signatures is read only.
var signatures = func() map[*typed.Row]*signature {
	table := map[*typed.Row]*signature{}
	for _, row := range typed.Rows() {
		table[row] = readSignature(row)
	}
	return table
}()

func readSignature(row *typed.Row) *signature {
	left, right, _ := strings.Cut(row.Signature, "->")
	s := &signature{row: row, result: readPattern(strings.TrimSpace(right))}
	for _, word := range splitOutside(left) {
		s.params = append(s.params, readPattern(word))
	}
	return s
}

// splitOutside splits at commas that stand in no brackets.
func splitOutside(text string) []string {
	var list []string
	depth, start := 0, 0
	text = strings.TrimSpace(text)
	for n, c := range text {
		switch c {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case ',':
			if depth == 0 {
				list, start = append(list, strings.TrimSpace(text[start:n])), n+1
			}
		}
	}
	if text == "" {
		return nil
	}
	return append(list, strings.TrimSpace(text[start:]))
}

var patternWords = map[string]*pattern{
	"bool": {kind: boolPattern}, "int": {kind: intPattern}, "string": {kind: stringPattern}, "real": {kind: tensorPattern},
	"T": {kind: elementPattern}, "S": {kind: strandPattern}, "const": {kind: constantPattern}, "const…": {kind: numbersPattern},
}

// readPattern reads a type: a word, tensor[σ,d], field#k-1(n)[σ], image(n)[σ], kernel#k, or a sequence of one.
func readPattern(text string) *pattern {
	if p := patternWords[text]; p != nil {
		return p
	}
	head, brackets := text, ""
	if n := strings.LastIndex(text, "["); n >= 0 {
		head, brackets = text[:n], strings.TrimSuffix(text[n+1:], "]")
	}
	p := &pattern{}
	if open := strings.Index(head, "("); open >= 0 {
		p.dim = strings.TrimSuffix(head[open+1:], ")")
		head = head[:open]
	}
	head, continuity, _ := strings.Cut(head, "#")
	p.continuity, continuity, _ = strings.Cut(continuity, "-")
	p.less, _ = strconv.Atoi(continuity)
	switch head {
	case "tensor":
		p.kind = tensorPattern
	case "field":
		p.kind = fieldPattern
	case "image":
		p.kind = imagePattern
	case "kernel":
		p.kind = kernelPattern
		return p
	default:
		p.kind, p.element = sequencePattern, readPattern(head)
		if brackets != "" {
			p.length = readSize(brackets)
		}
		return p
	}
	for _, word := range splitOutside(brackets) {
		p.shape = append(p.shape, readSize(word))
	}
	return p
}

func readSize(word string) size {
	if unicode.IsDigit([]rune(word)[0]) {
		n, _ := strconv.Atoi(word)
		return size{number: n}
	}
	return size{letter: word}
}
