package testblock

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// Comments that stand alone on consecutive lines form runs. In a run, a block
// starts at "# test:" ("// test:" where comments begin so) and takes the lines below that are indented further. Each
// of them starts with a key; the table keys says how the rest is read. A list may
// continue on the next lines of its block, so values are read by a reader that
// skips line ends with their "#" inside of brackets (reader.go).

// header matches the comment that starts a block.
var header = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:#|//)[ \t]*test:`) })

// A line is a comment that stands alone on its line.
type line struct {
	comment token.Comment
	number  int
	indent  int // columns between "#" and the text
}

// Parse returns the test blocks in the comments of a file, in the order of the
// text. Where there are errors, it returns the blocks that could be read.
func Parse(f *lang.Outline) ([]*Block, *source.Diagnostics) {
	diagnostics := &source.Diagnostics{}
	var blocks []*Block
	lines := alone(f)
	for i := 0; i < len(lines); {
		if !header().MatchString(lines[i].comment.Text) {
			i++
			continue
		}
		end := i + 1
		for end < len(lines) && lines[end].number == lines[end-1].number+1 && lines[end].indent > lines[i].indent {
			end++
		}
		b := &builder{file: f, diagnostics: diagnostics, block: &Block{}, given: map[string]source.Span{}}
		b.read(lines[i:end])
		if end < len(lines) && lines[end].number == lines[end-1].number+1 {
			b.checkIndent(lines[end])
		}
		blocks = append(blocks, b.block)
		i = end
	}
	checkNames(blocks, diagnostics)
	return blocks, diagnostics
}

// alone returns the comments that have nothing before them on their line.
func alone(f *lang.Outline) []line {
	var lines []line
	for _, c := range f.Comments {
		position := f.Source.Position(c.Pos.Start)
		before := f.Source.Text[c.Pos.Start-position.Column+1 : c.Pos.Start]
		if strings.TrimLeft(before, " \t\r\v\f\uFEFF") != "" {
			continue
		}
		text := strings.TrimLeft(c.Text[len(signOf(c)):], " \t")
		indent := len(c.Text) - len(signOf(c)) - len(text)
		if text == "" {
			indent = -1 // an empty comment ends a block
		}
		lines = append(lines, line{comment: c, number: position.Line, indent: indent})
	}
	return lines
}

// signOf is what a comment begins with.
func signOf(c token.Comment) string {
	if strings.HasPrefix(c.Text, "//") {
		return "//"
	}
	return c.Text[:1]
}

// checkNames reports tests of the same name.
func checkNames(blocks []*Block, diagnostics *source.Diagnostics) {
	first := map[string]*Block{}
	for _, b := range blocks {
		if other := first[b.Name]; other != nil && b.Name != "" {
			diagnostics.Errorf(source.CodeTestDuplicate, b.Pos, "two tests have the name '%s'", b.Name).
				WithNote(other.Pos, "the other one").WithHelp("give each test of a file its own name")
			continue
		}
		first[b.Name] = b
	}
}

// A builder reads one block.
type builder struct {
	file        *lang.Outline
	diagnostics *source.Diagnostics
	block       *Block
	defPos      source.Span
	given       map[string]source.Span // what must not be given twice
}

// keys says how the lines of a block are read, and shows their form.
var keys = []struct {
	name string
	read func(b *builder, r *reader) bool
	form string
}{
	{"def", (*builder).readDef, "def NAME"},
	{"size", (*builder).readSizes, "size N = 4, M = 3"},
	{"in", (*builder).readInput, "in A = [[1, 2], [3, 4]]"},
	{"out", (*builder).readOutput, "out C = [7, 8]"},
	{"tolerance", (*builder).readTolerance, "tolerance 1e-5, or tolerance 1e-5 of 1"},
	{"error", (*builder).readError, `error "regexp" or error E0301`},
	{"property", (*builder).readProperty, "property f(A) == g(A)"},
	{"trials", (*builder).readTrials, "trials 20"},
	{"limit", (*builder).readLimit, "limit 20"},
	{"prints", (*builder).readPrints, `prints "x = 3\n"`},
	{"double", (*builder).readDouble, "double"},
}

func keyNames() []string {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = key.name
	}
	return names
}

// read reads the header and the lines of a block.
func (b *builder) read(lines []line) {
	first, last := lines[0].comment, lines[len(lines)-1].comment
	b.block.Pos = first.Pos.Join(last.Pos)
	_, name, _ := strings.Cut(first.Text, "test:")
	b.block.Name = strings.TrimSpace(name)
	if b.block.Name == "" {
		b.diagnostics.Errorf(source.CodeTestHeader, first.Pos, "the test has no name").WithHelp("say what it tests: %s test: a row and a column", signOf(first))
	}
	r := &reader{file: b.file.Source, sign: signOf(first), offset: first.Pos.End, end: last.Pos.End, diagnostics: b.diagnostics}
	for _, l := range lines[1:] {
		if l.comment.Pos.Start < r.offset {
			continue // the line continues the list of the one before
		}
		r.offset = l.comment.Pos.Start + len(r.sign)
		b.readLine(r)
	}
	b.resolveDef()
	if b.block.Def != b.file.Strands && !b.block.Strands.IsZero() {
		b.diagnostics.Errorf(source.CodeTestConflict, b.block.Pos, "limit, prints and double are lines of tests of strands")
	}
	if b.block.Error != nil && len(b.block.Outputs)+len(b.block.Properties) > 0 {
		b.diagnostics.Errorf(source.CodeTestConflict, b.block.Error.Pos, "the test '%s' expects an error and a result", b.block.Name).
			WithHelp("make two tests of it")
	}
}

// readLine reads one key and what belongs to it.
func (b *builder) readLine(r *reader) {
	r.blank()
	start := r.offset
	word := r.word()
	for _, key := range keys {
		if key.name != word {
			continue
		}
		if !key.read(b, r) {
			return
		}
		if r.blank(); r.peek() != 0 {
			r.fail(source.CodeTestLine, "found '%s' after a complete line", r.rest()).WithHelp("the form is: %s", key.form)
		}
		return
	}
	r.offset = max(start+1, r.offset)
	d := b.diagnostics.Errorf(source.CodeTestLine, r.from(start), "'%s' does not start a line of a test block", r.from(start).Text())
	if meant := source.Suggest(word, keyNames()); meant != "" {
		d.WithHelp("did you mean %s?", meant)
	} else {
		d.WithHelp("the words are %s; a blank line ends the block", strings.Join(keyNames(), ", "))
	}
}

// lookAlike matches a line that was probably meant to belong to a block.
var lookAlike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:#|//)[ \t]*(?:(?:in|out|size)\s+\w+\s*[:=]|def\s+\w+\s*$|error\s+(?:"|E\d)|property\s.*==|tolerance\s+\.?\d|trials\s+\d|limit\s+\d|prints\s+"|double\s*$)`)
})

// checkIndent reports a line directly below a block that would be part of it if
// it were indented.
func (b *builder) checkIndent(l line) {
	if lookAlike().MatchString(l.comment.Text) {
		b.diagnostics.Errorf(source.CodeTestLine, l.comment.Pos, "the line is not indented further than 'test:' and is no part of the block").
			WithHelp("indent it, or leave a blank line before it")
	}
}

// resolveDef finds the def of a block without a def line: the nearest above,
// else the nearest below.
func (b *builder) resolveDef() {
	var names []string
	if b.file.Strands != "" && (!b.defPos.IsValid() || b.block.Def == b.file.Strands) {
		b.block.Def = b.file.Strands
		return
	}
	for i, def := range b.file.Defs {
		names = append(names, def.Name)
		if b.defPos.IsValid() && def.Name == b.block.Def {
			return
		}
		if !b.defPos.IsValid() && (i == 0 || def.Pos.Start < b.block.Pos.Start) {
			b.block.Def = def.Name
		}
	}
	for _, def := range b.file.Defs {
		if b.defPos.IsValid() && def.Alias == b.block.Def {
			b.block.Def = def.Name
			return
		}
	}
	switch {
	case b.defPos.IsValid() && !b.file.Imports:
		d := b.diagnostics.Errorf(source.CodeTestDef, b.defPos, "the file has no def '%s'", b.block.Def)
		if meant := source.Suggest(b.block.Def, names); meant != "" {
			d.WithHelp("did you mean %s?", meant)
		}
	case b.block.Def == "":
		b.diagnostics.Errorf(source.CodeTestDef, b.block.Pos, "the file has no def that could be tested").WithHelp("name a def of an imported file: def NAME")
	}
}

// once reports whether something is given for the first time.
func (b *builder) once(what string, pos source.Span) {
	if other, ok := b.given[what]; ok {
		b.diagnostics.Errorf(source.CodeTestDuplicate, pos, "%s is given twice", what).WithNote(other, "the first time")
		return
	}
	b.given[what] = pos
}

func (b *builder) readDef(r *reader) bool {
	name, pos, ok := r.name("the name of a def")
	if ok {
		b.block.Def, b.defPos = name, pos
		b.once("the def", pos)
	}
	return ok
}

func (b *builder) readSizes(r *reader) bool {
	for {
		name, pos, ok := r.name("the name of a size")
		if !ok || !r.expect('=') {
			return false
		}
		number, valuePos, ok := r.number()
		if !ok {
			return false
		}
		value, isInteger := number.Int64()
		if !isInteger || value < 0 {
			b.diagnostics.Errorf(source.CodeTestValue, valuePos, "the size %s is %s, expected a whole number that is not negative", name, number.Text)
		}
		b.once("the size "+name, pos)
		b.block.Sizes = append(b.block.Sizes, Size{Pos: pos, Name: name, Value: value})
		if !r.accept(',') {
			return true
		}
	}
}

func (b *builder) readInput(r *reader) bool {
	t, ok := r.tensor("the name of an input", false)
	if ok {
		b.once("the input "+t.Name, t.Pos)
		b.block.Inputs = append(b.block.Inputs, t)
	}
	return ok
}

func (b *builder) readOutput(r *reader) bool {
	t, ok := r.tensor("the name of an output", true)
	if ok {
		b.once("the output "+t.Name, t.Pos)
		b.block.Outputs = append(b.block.Outputs, t)
	}
	return ok
}

func (b *builder) readTolerance(r *reader) bool {
	number, pos, ok := r.number()
	if !ok {
		return false
	}
	value := number.Float64()
	if !(value >= 0) {
		b.diagnostics.Errorf(source.CodeTestValue, pos, "the tolerance is %s, expected a number that is not negative", number.Text)
	}
	b.once("the tolerance", pos)
	b.block.Tolerance = &value
	if r.blank(); !strings.HasPrefix(r.rest(), "of ") {
		return true
	}
	r.word()
	if number, pos, ok = r.number(); !ok {
		return false
	}
	if b.block.Scale = number.Float64(); !(b.block.Scale > 0) {
		b.diagnostics.Errorf(source.CodeTestValue, pos, "the tolerance is a part of %s, expected a number that is positive", number.Text)
	}
	return true
}

func (b *builder) readTrials(r *reader) bool { return b.readCount(r, "trials", &b.block.Trials) }

func (b *builder) readLimit(r *reader) bool { return b.readCount(r, "super-steps", &b.block.Limit) }

// readCount reads a number of things.
func (b *builder) readCount(r *reader, things string, to *int) bool {
	number, pos, ok := r.number()
	if !ok {
		return false
	}
	const most = 1 << 20
	value, isInteger := number.Int64()
	if !isInteger || value < 1 || value > most {
		b.diagnostics.Errorf(source.CodeTestValue, pos, "found %s %s, expected a whole number from 1 to %d", number.Text, things, most)
		return true
	}
	b.once("the number of "+things, pos)
	*to = int(value)
	return true
}

// readPrints reads a part of what is printed; several lines of a block are one text.
func (b *builder) readPrints(r *reader) bool {
	r.blank()
	text, ok := r.string()
	if ok && b.block.Prints != nil {
		text = *b.block.Prints + text
	}
	b.block.Prints = &text
	return ok
}

func (b *builder) readDouble(r *reader) bool {
	b.once("double", r.from(r.offset))
	b.block.Double = true
	return true
}

func (b *builder) readError(r *reader) bool {
	r.blank()
	start := r.offset
	if r.peek() == '"' {
		text, ok := r.string()
		if !ok {
			return false
		}
		pattern, err := regexp.Compile(text)
		if err != nil {
			b.diagnostics.Errorf(source.CodeTestPattern, r.from(start), "the pattern is not a regular expression: %v", err).
				WithHelp("write \\ before a character that stands for itself, such as \\(")
			return true
		}
		b.block.Error = &Error{Pos: r.from(start), Pattern: pattern}
		b.once("the expected error", r.from(start))
		return true
	}
	code := source.Code(r.word())
	if _, known := source.Lookup(code); !known {
		r.offset = max(r.offset, start)
		b.diagnostics.Errorf(source.CodeTestPattern, r.from(start), "'%s' is not a code of the error index", code).
			WithHelp(`the form is error E0301, or error "regular expression"`)
		return false
	}
	b.block.Error = &Error{Pos: r.from(start), Code: code}
	b.once("the expected error", r.from(start))
	return true
}

func (b *builder) readProperty(r *reader) bool {
	r.blank()
	start := r.offset
	end := start + len(r.rest())
	r.offset = end
	e, diagnostics := syntax.ParseExpr(b.file.Source, start, end)
	b.diagnostics.List = append(b.diagnostics.List, diagnostics.List...)
	if e == nil {
		return false
	}
	equality, ok := e.(*syntax.Binary)
	if !ok || equality.Op != "==" {
		b.diagnostics.Errorf(source.CodeTestProperty, e.Span(), "the property is not an equality").WithHelp("the form is: property f(A) == g(A)")
		return false
	}
	b.block.Properties = append(b.block.Properties, Property{Pos: e.Span(), Left: equality.X, Right: equality.Y})
	return true
}
