package testblock

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// The limits of literals, which are written by hand.
const (
	maxRank     = 16
	maxElements = 1 << 20
)

// A reader reads the text of a block from offset to end. Outside of brackets it
// stops at the end of the line; inside, a line end, the blanks after it and the
// sign of the next comment are blank.
type reader struct {
	file        *source.File
	sign        string // of comments
	offset, end int
	brackets    int
	diagnostics *source.Diagnostics
}

// peek returns the next byte, 0 at the end of the line.
func (r *reader) peek() byte {
	if r.offset >= r.end || r.file.Text[r.offset] == '\n' {
		return 0
	}
	return r.file.Text[r.offset]
}

// blank skips white space.
func (r *reader) blank() {
	for r.offset < r.end {
		switch c := r.file.Text[r.offset]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
			r.offset++
		case c == '\n' && r.brackets > 0:
			next := strings.TrimLeft(r.file.Text[r.offset+1:r.end], " \t\r\v\f")
			r.offset = r.end - len(next)
			if r.sign != "" && strings.HasPrefix(next, r.sign) {
				r.offset += len(r.sign)
			}
		default:
			return
		}
	}
}

// rest returns the rest of the line without blanks at its end.
func (r *reader) rest() string {
	text, _, _ := strings.Cut(r.file.Text[r.offset:r.end], "\n")
	return strings.TrimRight(text, " \t\r\v\f")
}

func (r *reader) from(start int) source.Span {
	return source.Span{File: r.file, Start: start, End: r.offset}
}

// fail reports what is found at the current place.
func (r *reader) fail(code source.Code, format string, args ...any) *source.Diagnostic {
	span := source.Span{File: r.file, Start: r.offset, End: min(r.end, r.offset+max(1, len(r.rest())))}
	return r.diagnostics.Errorf(code, span, format, args...)
}

// found describes the current place in a message.
func (r *reader) found() string {
	if text := r.rest(); text != "" {
		return "'" + text + "'"
	}
	return "the end of the line"
}

func (r *reader) accept(c byte) bool {
	if r.blank(); r.peek() != c {
		return false
	}
	r.offset++
	return true
}

func (r *reader) expect(c byte) bool {
	if !r.accept(c) {
		r.fail(source.CodeTestLine, "found %s, expected '%c'", r.found(), c)
		return false
	}
	return true
}

// word reads letters, digits and underscores, in Diderot Greek letters and ' too; it may be empty.
func (r *reader) word() string {
	start := r.offset
	for c := r.peek(); c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || r.sign == "//" && (c >= 0x80 || c == '\''); c = r.peek() {
		r.offset++
	}
	return r.file.Text[start:r.offset]
}

// part reads what stands behind the name of an output of a sequence: -len or -data.
func (r *reader) part() string {
	for _, part := range []string{"-len", "-data"} {
		if r.sign == "//" && strings.HasPrefix(r.rest(), part) {
			r.offset += len(part)
			return part
		}
	}
	return ""
}

func (r *reader) name(what string) (string, source.Span, bool) {
	r.blank()
	start := r.offset
	name := r.word()
	if name == "" || strings.Trim(name, "0123456789") == "" {
		r.offset = start
		r.fail(source.CodeTestLine, "found %s, expected %s", r.found(), what)
		return "", source.Span{}, false
	}
	return name, r.from(start), true
}

// string reads a quoted string with the escapes of Go.
func (r *reader) string() (string, bool) {
	quoted, err := strconv.QuotedPrefix(r.rest())
	if err != nil {
		r.fail(source.CodeTestValue, "the string that starts here is not closed or has an unknown escape").WithHelp(`write \\ for a backslash and \" for a quote`)
		return "", false
	}
	r.offset += len(quoted)
	text, err := strconv.Unquote(quoted)
	return text, err == nil
}

// number reads an element.
func (r *reader) number() (Number, source.Span, bool) {
	r.blank()
	start := r.offset
	if c := r.peek(); c == '-' {
		r.offset++
	}
	for last := byte(0); ; r.offset++ {
		c := r.peek()
		exponentSign := (c == '+' || c == '-') && (last == 'e' || last == 'E') && !strings.ContainsAny(r.from(start).Text(), "xX")
		if c != '.' && !exponentSign && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			break
		}
		last = c
	}
	pos := r.from(start)
	if number := (Number{Text: pos.Text()}); number.valid() {
		return number, pos, true
	}
	if pos.Start == pos.End {
		r.fail(source.CodeTestValue, "found %s, expected a number", r.found())
	} else {
		r.diagnostics.Errorf(source.CodeTestValue, pos, "'%s' is not a number", pos.Text()).WithHelp("elements are written 3, -1.5, 2e-3, 0x1F, true, false, nan, inf or -inf")
	}
	return Number{}, pos, false
}

func (n Number) valid() bool {
	switch n.Text {
	case "true", "false", "nan", "inf", "-inf":
		return true
	}
	if _, ok := n.Int64(); ok {
		return true
	}
	if _, ok := n.Uint64(); ok {
		return true
	}
	digits := strings.TrimLeft(n.Text, "-")
	if digits == "" || strings.Trim(digits, "0123456789.eE+-") != "" {
		return false // words such as infinity, and hexadecimal fractions
	}
	_, err := strconv.ParseFloat(n.Text, 64)
	return err == nil
}

// tensor reads NAME [: type] = value.
func (r *reader) tensor(what string, expected bool) (Tensor, bool) {
	var t Tensor
	var ok bool
	if t.Name, t.Pos, ok = r.name(what); !ok {
		return t, false
	}
	if expected {
		t.Name += r.part()
	}
	if r.accept(':') {
		if t.Type, ok = r.typeOf(); !ok {
			return t, false
		}
	}
	if !r.expect('=') {
		return t, false
	}
	start := r.offset
	if t.Value, ok = r.value(); !ok {
		return t, false
	}
	switch t.Value.(type) {
	case *Random, *Iota:
		if expected {
			r.diagnostics.Errorf(source.CodeTestValue, r.from(start), "an expected output cannot be random or iota").
				WithHelp("leave the out line away to compare with the reference evaluator")
			return t, false
		}
	}
	return t, true
}

// typeOf reads a scalar type with optional dimensions.
func (r *reader) typeOf() (*Type, bool) {
	word, pos, ok := r.name("a type")
	if !ok {
		return nil, false
	}
	t := &Type{Pos: pos}
	if t.DType, ok = syntax.ScalarType(word); !ok {
		d := r.diagnostics.Errorf(source.CodeTestValue, pos, "'%s' is not a type", word)
		if meant := source.Suggest(word, syntax.ScalarWords()); meant != "" {
			d.WithHelp("did you mean %s?", meant)
		}
		return nil, false
	}
	if !r.accept('(') {
		return t, true
	}
	t.Dims = []Dim{}
	for more := !r.accept(')'); more; more = r.accept(',') {
		r.blank()
		start := r.offset
		word := r.word()
		dim := Dim{Name: word}
		if value, err := strconv.ParseInt(word, 10, 64); err == nil {
			dim = Dim{Value: value}
		} else if word == "" || strings.Trim(word, "0123456789") == "" {
			r.offset = start
			r.fail(source.CodeTestValue, "found %s, expected a size or a number", r.found())
			return nil, false
		}
		t.Dims = append(t.Dims, dim)
	}
	if len(t.Dims) > 0 && !r.expect(')') {
		return nil, false
	}
	t.Pos = r.from(pos.Start)
	return t, true
}

// value reads a literal, a generator or a path.
func (r *reader) value() (Value, bool) {
	r.blank()
	switch c := r.peek(); {
	case c == '"':
		path, ok := r.string()
		return &File{Path: path}, ok
	case c == '[':
		return r.list()
	}
	start := r.offset
	switch r.word() {
	case "random":
		return r.random()
	case "iota":
		return &Iota{}, true
	case "const":
		if !r.expect('(') {
			return nil, false
		}
		number, _, ok := r.number()
		return &Const{Number: number}, ok && r.expect(')')
	}
	r.offset = start
	number, _, ok := r.number()
	return &Literal{Elements: []Number{number}}, ok
}

func (r *reader) random() (Value, bool) {
	if !r.accept('(') {
		return &Random{}, true
	}
	number, pos, ok := r.number()
	if !ok {
		return nil, false
	}
	seed, ok := number.Uint64()
	if !ok {
		r.diagnostics.Errorf(source.CodeTestValue, pos, "the seed is %s, expected a whole number that is not negative", number.Text)
	}
	return &Random{Seed: seed, HasSeed: true}, r.expect(')')
}

// list reads nested lists of one shape.
func (r *reader) list() (Value, bool) {
	literal, start := &Literal{}, r.offset
	shape, ok := r.items(literal, 1)
	literal.Shape = shape
	for ; !ok && r.brackets > 0 && r.offset < r.end; r.offset++ { // pass the rest of a broken list
		switch r.file.Text[r.offset] {
		case '[':
			r.brackets++
		case ']':
			r.brackets--
		}
	}
	r.brackets = 0
	if len(literal.Elements) > maxElements {
		r.diagnostics.Errorf(source.CodeTestValue, r.from(start), "the literal has more than %d elements", maxElements).WithHelp("put them into a .npy file")
		return nil, false
	}
	return literal, ok
}

// items reads a list and returns its shape.
func (r *reader) items(literal *Literal, depth int) ([]int, bool) {
	open := r.offset
	r.offset++
	r.brackets++
	if depth > maxRank {
		r.fail(source.CodeTestValue, "the literal has more than %d dimensions", maxRank)
		return nil, false
	}
	var inner []int // the shape of the items
	count := 0
	for more := !r.accept(']'); more; {
		r.blank()
		start := r.offset
		var shape []int
		ok := true
		if r.peek() == '[' {
			shape, ok = r.items(literal, depth+1)
		} else {
			var number Number
			number, _, ok = r.number()
			literal.Elements = append(literal.Elements, number)
		}
		if !ok {
			return nil, false
		}
		if count > 0 && !slices.Equal(shape, inner) {
			r.diagnostics.Errorf(source.CodeTestValue, r.from(start), "the item has the shape %s, those before it have %s", shapeText(shape), shapeText(inner)).
				WithNote(source.Span{File: r.file, Start: open, End: open + 1}, "the list starts here")
			return nil, false
		}
		inner = shape
		count++
		if r.accept(']') {
			more = false
		} else if !r.accept(',') {
			r.fail(source.CodeTestValue, "found %s, expected ',' or ']' in a list", r.found()).
				WithNote(source.Span{File: r.file, Start: open, End: open + 1}, "the list starts here")
			return nil, false
		}
	}
	r.brackets--
	return append([]int{count}, inner...), true
}

// shapeText formats a shape as (2, 3); that of a number is ().
func shapeText(shape []int) string {
	texts := make([]string, len(shape))
	for i, extent := range shape {
		texts[i] = strconv.Itoa(extent)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}
