package machine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// ParseMachine reads the text form of a machine. All that is wrong with it is reported, each with its line.
func ParseMachine(file *source.File) (*Machine, error) {
	p := &parser{file: file, m: new(Machine)}
	offset := 0
	for line := range strings.Lines(file.Text) {
		p.line(line, offset)
		offset += len(line)
	}
	p.closeLayer()
	if p.m.Name == "" && len(p.diagnostics.List) == 0 {
		p.errorf(source.Span{File: file, Start: 0, End: 0}, "a machine begins with its name: machine NAME")
	}
	p.checkNames()
	return p.m, p.diagnostics.Err()
}

type parser struct {
	file        *source.File
	m           *Machine
	layer       *Layer // to which facts belong; nil outside
	places      map[string]source.Span
	said        map[string]bool // facts of the layer
	constraints []source.Span
	diagnostics source.Diagnostics
}

func (p *parser) errorf(span source.Span, format string, args ...any) *source.Diagnostic {
	return p.diagnostics.Errorf(source.MachineSyntax, span, format, args...)
}

// statements are the words that begin a line, facts apart.
var statements = []string{"machine", "programs", "axes", "memory", "core", "constraint"}

// line reads one line, which begins at an offset of the file.
func (p *parser) line(text string, offset int) {
	code := withoutComment(text)
	trimmed := strings.TrimSpace(code)
	if trimmed == "" {
		return
	}
	start := offset + strings.Index(text, trimmed)
	span := source.Span{File: p.file, Start: start, End: start + len(trimmed)}
	word, rest, _ := strings.Cut(trimmed, " ")
	rest = strings.TrimSpace(rest)
	if !slices.Contains(statements, word) {
		p.fact(span, word, rest)
		return
	}
	if p.closeLayer(); word == "constraint" {
		p.constraint(span, rest)
		return
	}
	if rest == "" || len(strings.Fields(rest)) > 1 {
		p.errorf(span, "expected one name behind %q", word)
		return
	}
	switch word {
	case "machine":
		if p.m.Name != "" {
			p.errorf(span, "the machine has a name: %s", p.m.Name)
		}
		p.m.Name = rest
	case "axes":
		p.m.Axes = rest
	case "programs":
		if p.m.Trees = rest == "trees"; !p.m.Trees {
			p.errorf(span, "there are no programs %q", rest).WithHelp("write 'programs trees' for a machine with caches, cores and vectors, and leave the line out otherwise")
		}
	default:
		p.open(span, word == "core", rest)
	}
}

// withoutComment cuts what is behind a # that is not in quotes.
func withoutComment(text string) string {
	quoted := false
	for i, r := range text {
		switch {
		case r == '"':
			quoted = !quoted
		case r == '#' && !quoted:
			return text[:i]
		}
	}
	return text
}

// open begins a layer.
func (p *parser) open(span source.Span, core bool, name string) {
	if p.places == nil {
		p.places = map[string]source.Span{}
	}
	if before, twice := p.places[name]; twice {
		p.errorf(span, "two layers are named %s", name).WithNote(before, "the first one")
	}
	if n := len(p.m.Layers); !core && n > 0 && p.m.Layers[n-1].Core {
		p.errorf(span, "the memory %s stands behind a core layer", name).WithHelp("memories come first, from the slowest to the fastest, then cores from the outermost to the innermost")
	}
	p.places[name] = span
	p.layer, p.said = &Layer{Name: name, Core: core}, map[string]bool{}
	if !core {
		p.layer.Region = name
	}
}

func (p *parser) closeLayer() {
	if p.layer != nil {
		p.m.Layers = append(p.m.Layers, *p.layer)
	}
	p.layer = nil
}

// fact reads a fact about the layer at hand.
func (p *parser) fact(span source.Span, word, text string) {
	if p.layer == nil {
		p.errorf(span, "found %q, expected %s", word, strings.Join(statements, ", ")).WithHelp("facts stand below the layer that they are about%s", source.DidYouMean(word, statements))
		return
	}
	kind, of := "a memory", ofMemories
	if p.layer.Core {
		kind, of = "a core layer", ofCores
	}
	var words []string
	at := -1
	for i, k := range layerKeys {
		if k.of&of != 0 {
			words = append(words, k.name)
		}
		if k.name == word && k.of&of != 0 {
			at = i
		}
	}
	if at < 0 {
		p.errorf(span, "%s has no fact %q", kind, word).WithHelp("the facts of %s are %s%s", kind, strings.Join(words, ", "), source.DidYouMean(word, words))
		return
	}
	k := layerKeys[at]
	if p.said[word] && !k.repeatable {
		p.errorf(span, "the %s of %s is said twice", word, p.layer.Name)
	}
	p.said[word] = true
	text, origin, ok := cutOrigin(text)
	if !ok {
		p.errorf(span, "there is no origin %q", origin).WithHelp("the origins are (system), (measured) and (assumed); without one you say so")
	}
	if err := k.set(p.layer, text); err != nil {
		p.errorf(span, "%s: %v", word, err)
		return
	}
	if origin != Given {
		p.layer.note(word, origin)
	}
}

// cutOrigin parts a value from who knows it.
func cutOrigin(text string) (value string, o Origin, ok bool) {
	open := strings.LastIndex(text, "(")
	if open < 0 || !strings.HasSuffix(text, ")") {
		return text, Given, true
	}
	o = Origin(text[open+1 : len(text)-1])
	return strings.TrimSpace(text[:open]), o, slices.Contains([]Origin{System, Measured, Assumed}, o)
}

// constraint reads what is behind the word.
func (p *parser) constraint(span source.Span, text string) {
	var c Constraint
	quote := strings.Index(text, `"`)
	reason, err := "", strconv.ErrSyntax
	if quote >= 0 {
		reason, err = strconv.Unquote(strings.TrimSpace(text[quote:]))
	}
	if err != nil || reason == "" {
		p.errorf(span, "a constraint ends with its reason in quotes").WithHelp(`such as "a block has at most 1024 threads", which messages repeat`)
		return
	}
	c.Reason = reason
	words := strings.Fields(text[:quote])
	if len(words) == 0 || !p.kind(&c, words[0]) {
		p.errorf(span, "expected the kind of the constraint").WithHelp("the kinds are %s", strings.Join(sortedKinds(), ", "))
		return
	}
	for words = words[1:]; len(words) > 0; words = words[2:] {
		at := slices.IndexFunc(constraintKeys, func(k constraintKey) bool { return k.name == words[0] })
		if at < 0 || len(words) == 1 {
			p.errorf(span, "found %q, expected of, layers, regions, axis or at-most, each with a value", words[0])
			return
		}
		if err := constraintKeys[at].set(&c, words[1]); err != nil {
			p.errorf(span, "%s: %v", words[0], err)
			return
		}
	}
	p.m.Constraints, p.constraints = append(p.m.Constraints, c), append(p.constraints, span)
}

func (p *parser) kind(c *Constraint, word string) bool {
	for kind, name := range kindNames {
		if name == word {
			c.Kind = kind
			return true
		}
	}
	return false
}

func sortedKinds() []string {
	var names []string
	for _, name := range kindNames {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// checkNames reports names of layers and regions that the machine does not have.
func (p *parser) checkNames() {
	for _, l := range p.m.Layers {
		if l.PrivateTo != "" && !p.isCore(l.PrivateTo) {
			p.errorf(p.places[l.Name], "%s is private to %s, which is no core layer of the machine", l.Name, l.PrivateTo)
		}
	}
	for i, c := range p.m.Constraints {
		for _, name := range c.Layers {
			if p.m.Find(name) == 0 {
				p.errorf(p.constraints[i], "the machine has no layer %s", name)
			}
		}
		for _, name := range c.Regions {
			if p.m.Region(name) == 0 {
				p.errorf(p.constraints[i], "the machine has no memory with the region %s", name)
			}
		}
	}
}

func (p *parser) isCore(name string) bool {
	n := p.m.Find(name)
	return n > 0 && p.m.Layer(n).Core
}
