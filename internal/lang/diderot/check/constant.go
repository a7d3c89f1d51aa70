package check

import (
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// constOf evaluates a const, or takes the value that the command line gives it.
func (c *checker) constOf(v *typed.Variable, g *syntax.Variable) {
	if !v.Type.IsValue() && v.Type.Kind != typed.Nothing || v.Type.IsDynamic() {
		c.errorf(source.CodeDiderotValue, g.Pos, "the const %s is of type %v, and no value of a known size", v.Name, v.Type).WithHelp("leave const out: a global that nothing assigns keeps its value")
		v.Type = &typed.Type{}
	}
	if text, given := c.options.Constants[v.Name]; given && v.Type.Kind != typed.Nothing {
		c.given(v, text)
	}
	switch {
	case g.Value == nil && v.Value == nil:
		c.errorf(source.CodeDiderotUnset, v.Pos, "the const %s has no value", v.Name).WithHelp("write const %v %s = …; or give it on the command line: --const %s=…", v.Type, v.Name, v.Name)
		v.Type = &typed.Type{}
	case g.Value != nil:
		x := c.value(g.Value, v.Type, "the const "+v.Name)
		if v.Value != nil || x.Type().Kind == typed.Nothing {
			break
		}
		if v.Constant = c.constant(x, "the value of a const"); v.Constant != nil {
			v.Value = x
		}
	}
	if v.Constant == nil {
		v.Type = &typed.Type{}
	}
}

// given reads the value of a const on the command line.
func (c *checker) given(v *typed.Variable, text string) {
	file := source.NewFile("--const "+v.Name, "#version 2.0\nconst int v = "+text+";\nstrand s() { output int x = 0; update { stabilize; } }\ncreate_array { s() | i in 0..0 }")
	parsed, diagnostics := syntax.Parse(file)
	var e syntax.Expr
	if !diagnostics.HasErrors() && len(parsed.Program.Globals) == 1 {
		e = parsed.Program.Globals[0].(*syntax.Variable).Value
	}
	if text, isText := unquoted(v.Type, text); isText {
		v.Constant = &typed.Value{Text: text}
		v.Value = &typed.Literal{Node: typed.Node{Pos: v.Pos, T: v.Type}, Value: v.Constant}
		return
	}
	before := len(c.diagnostics.List)
	if e != nil {
		x := c.expr(e, v.Type)
		if value := c.folder.fold(x); coercible(x.Type(), v.Type) && value != nil && x.Type().Kind != typed.Nothing {
			x = coerce(x, v.Type)
			v.Value, v.Constant = x, c.folder.fold(x)
		}
	}
	if v.Constant == nil {
		c.diagnostics.List = c.diagnostics.List[:before]
		c.errorf(source.CodeDiderotGiven, v.Pos, "the const %s is of type %v, and %q on the command line is no such value", v.Name, v.Type, text).WithHelp("write the value as in a program: --const %s=…", v.Name)
	}
}

// unquoted is the value of a string without quotes.
func unquoted(t *typed.Type, text string) (string, bool) {
	return text, t.Kind == typed.String && !strings.HasPrefix(text, `"`)
}

// unknownConstants reports values on the command line for consts that are not there.
func (c *checker) unknownConstants() {
	var known, given []string
	for _, v := range c.program.Variables {
		if v.Role == typed.Const {
			known = append(known, v.Name)
		}
	}
	for name := range c.options.Constants {
		given = append(given, name)
	}
	slices.Sort(given)
	for _, name := range given {
		if !slices.Contains(known, name) {
			help := "the program has no consts"
			if len(known) > 0 {
				help = "its consts are " + listed(known)
			}
			c.errorf(source.CodeDiderotGiven, source.Span{}, "the command line gives a value to the const %s, which the program does not have%s", name, source.DidYouMean(name, known)).WithHelp("%s", help)
		}
	}
}
