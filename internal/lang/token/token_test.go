package token

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/source"
)

var sample = Language{
	Code: source.CodeTeILSyntax, Comments: []string{"--", "#"}, Point: true,
	Signs:    append([]Spelling{{"∈", "in"}, {"→", "->"}}, Spellings("->", "red+", "(", ")", ",", "+", "-")...),
	Reserved: func(word string) bool { return word == "in" },
	Foreign:  []Foreign{{"\"'", "there are no strings"}},
	MaxDepth: 200, TooDeep: "write less",
}

func scanSample(text string, diagnostics *source.Diagnostics) ([]Token, []Comment) {
	return sample.Scan(source.NewFile("sample", text), 0, len(text), diagnostics)
}

// TestScan writes the tokens of texts: kind, text, and | before those that begin a line.
func TestScan(t *testing.T) {
	cases := []struct{ text, want string }{
		{"", "|0:"},
		{"\uFEFFa b_1\r\n c", "|1:a 1:b_1 |1:c |0:"},
		{"1 .5 2. 1e-3 0x1e-3 1x.y", "|2:1 2:.5 2:2. 2:1e-3 2:0x1e 3:- 2:3 2:1x.y |0:"},
		{"a→b∈c->d red+red", "|1:a 3:-> 1:b 1:in 1:c 3:-> 1:d 1:red+ 1:red |0:"},
		{"a--b\nc # d\r\n", "|1:a |1:c |0:"},
		{"a ? 'é b", "|1:a 1:b! |0:"},
	}
	for _, c := range cases {
		diagnostics := &source.Diagnostics{}
		tokens, _ := scanSample(c.text, diagnostics)
		var words []string
		for _, found := range tokens {
			word := fmt.Sprintf("%d:%s", found.Kind, found.Text)
			if found.Newline {
				word = "|" + word
			}
			if found.Damaged {
				word += "!"
			}
			words = append(words, word)
		}
		if diff := cmp.Diff(c.want, strings.Join(words, " ")); diff != "" {
			t.Errorf("%q:\n%s", c.text, diff)
		}
	}
}

// TestComments checks the text of comments, and the help for strange characters.
func TestComments(t *testing.T) {
	diagnostics := &source.Diagnostics{}
	_, comments := scanSample("a -- b\r\n# c\n? \" é", diagnostics)
	var texts []string
	for _, c := range comments {
		texts = append(texts, c.Text, c.Pos.Text())
	}
	for _, d := range diagnostics.List {
		texts = append(texts, d.Message+": "+d.Help)
	}
	want := []string{"-- b", "-- b", "# c", "# c", `the character "?" means nothing here: comments start with -- or #`,
		`the character "\"" means nothing here: there are no strings`,
		`the character "é" means nothing here: names are made of the letters a to z and A to Z, digits and _`}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Error(diff)
	}
}

// TestGuard checks that a failure is reported once, that something is passed, that the
// depth is restored, and that other panics go through.
func TestGuard(t *testing.T) {
	p, _ := sample.NewParser(source.NewFile("sample", strings.Repeat("(", 2*sample.MaxDepth)+" in a, b) c"))
	var nested func()
	nested = func() {
		p.Enter()
		defer p.Leave()
		p.Expect("(", "")
		nested()
	}
	p.Guard(nested, func() {
		for p.Is("(") {
			p.Take()
		}
	})
	if p.Depth != 0 {
		t.Errorf("the depth is %d", p.Depth)
	}
	p.Guard(func() { p.Name("a name") }, func() {})
	var names []string
	p.List(")", "behind the names", func() { names = append(names, p.Name("a name").Name) })
	p.Guard(func() { p.Take(); p.Expect("+", "behind c") }, func() {})
	var got []string
	for _, d := range p.Diagnostics.List {
		got = append(got, d.Message)
	}
	want := []string{"the expression is nested more than 200 deep", "found 'in', expected a name",
		"found the end of the file, expected '+' behind c"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a", "b"}, names); diff != "" {
		t.Error(diff)
	}
	defer func() {
		if recover() != "other" {
			t.Error("another panic is caught")
		}
	}()
	p.Guard(func() { panic("other") }, func() {})
}

// TestErrorsEnd checks that a text of nothing but mistakes has a bounded number of
// messages.
func TestErrorsEnd(t *testing.T) {
	found := &source.Diagnostics{}
	scanSample(strings.Repeat("?", 1000), found)
	if len(found.List) != maxErrors {
		t.Errorf("%d messages", len(found.List))
	}
}
