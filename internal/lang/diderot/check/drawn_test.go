package check

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// templates are expressions of a type; ⟨T⟩ is a hole for one of type T. Where a real belongs an int may stand. The names of
// fields have their continuity: field1 is anything with one continuous derivative.
var templates = map[string][]string{
	"bool": {"b", "true", "!⟨bool⟩", "(⟨bool⟩ && ⟨bool⟩)", "(⟨bool⟩ == ⟨bool⟩)", "(⟨real⟩ <= ⟨real⟩)", "(⟨int⟩ != ⟨int⟩)", `("a" == ⟨string⟩)`,
		"inside(⟨vec2⟩, ⟨field0⟩)", "all{ (⟨int⟩ > k) | k in 0 .. ⟨int⟩ }", "(⟨bool⟩ if ⟨bool⟩ else ⟨bool⟩)"},
	"int": {"i", "3", "-⟨int⟩", "(⟨int⟩ + ⟨int⟩)", "(⟨int⟩ / ⟨int⟩)", "(⟨int⟩ % ⟨int⟩)", "|(⟨int⟩)|", "length(⟨reals⟩)", "size(img)[i]",
		"sum{ (k * ⟨int⟩) | k in 0 .. ⟨int⟩ }", "max(⟨int⟩, ⟨int⟩)", "(⟨int⟩ if ⟨bool⟩ else ⟨int⟩)", "whole(⟨real⟩, ⟨bool⟩)"},
	"string": {"t", `"text"`, `(⟨string⟩ if ⟨bool⟩ else ⟨string⟩)`},
	"real": {"r", "1.5", "⟨int⟩", "-⟨real⟩", "(⟨real⟩ - ⟨real⟩)", "(⟨real⟩ * ⟨real⟩)", "(⟨real⟩ / ⟨real⟩)", "|⟨vec2⟩|", "(⟨vec2⟩ • ⟨vec2⟩)", "(⟨vec2⟩ × ⟨vec2⟩)",
		"(⟨mat2⟩ : ⟨mat2⟩)", "trace(⟨mat2⟩)", "det(⟨mat2⟩)", "v[1]", "m[0, 1]", "sqrt(⟨real⟩)", "(⟨real⟩)^(⟨int⟩)", "(⟨real⟩)^0.5", "atan2(⟨real⟩, ⟨real⟩)",
		"pair[i + 1]", "(⟨reals⟩)[|(⟨int⟩)|]", "(⟨field0⟩)(⟨vec2⟩)", "lerp(⟨real⟩, ⟨real⟩, ⟨real⟩)", "clamp(⟨real⟩, ⟨real⟩, ⟨real⟩)", "evals(⟨mat2⟩)[0]",
		"mean{ (k * r) | k in 0 .. 3 }", "min(⟨reals⟩)", "half(⟨real⟩)", "probe(⟨field1⟩, ⟨vec2⟩)", "(⟨real⟩ if ⟨bool⟩ else ⟨real⟩)"},
	"vec2": {"v", "[⟨real⟩, ⟨real⟩]", "(⟨vec2⟩ + ⟨vec2⟩)", "(⟨real⟩ * ⟨vec2⟩)", "(⟨vec2⟩ / ⟨real⟩)", "(⟨mat2⟩ • ⟨vec2⟩)", "normalize(⟨vec2⟩)", "modulate(⟨vec2⟩, ⟨vec2⟩)",
		"m[:, 1]", "evecs(⟨mat2⟩)[i]", "(⟨vector0⟩)(⟨vec2⟩)", "lerp(⟨vec2⟩, ⟨vec2⟩, ⟨real⟩)", "(⟨vec2⟩ if ⟨bool⟩ else ⟨vec2⟩)"},
	"mat2":    {"m", "[⟨vec2⟩, ⟨vec2⟩]", "identity[2]", "zeros[2, 2]", "(⟨vec2⟩ ⊗ ⟨vec2⟩)", "transpose(⟨mat2⟩)", "inv(⟨mat2⟩)", "(⟨mat2⟩ • ⟨mat2⟩)", "(⟨mat2⟩ - ⟨mat2⟩)", "(∇⊗⟨vector1⟩)(⟨vec2⟩)"},
	"reals":   {"many", "(⟨reals⟩ @ ⟨real⟩)", "(⟨real⟩ @ ⟨reals⟩)", "(⟨reals⟩ @ ⟨reals⟩)", "({⟨real⟩, r} @ ⟨real⟩)", "{ (r + ⟨real⟩) | k in 0 .. ⟨int⟩ }", "{ (x * 2.0) | x in ⟨reals⟩ }"},
	"field0":  {"⟨field1⟩", "(⟨field0⟩ + ⟨field1⟩)", "(∇•⟨vector1⟩)", "(∇×⟨vector1⟩)", "|⟨vector0⟩|"},
	"field1":  {"G", "⟨field2⟩", "(⟨field1⟩ * ⟨field2⟩)", "(⟨real⟩ - ⟨field1⟩)", "(sin(⟨field1⟩))", "((⟨vector1⟩)[1])", "(⟨vec2⟩ • ⟨vector1⟩)", "(⟨field1⟩^3)"},
	"field2":  {"F", "(⟨field2⟩ * ⟨field2⟩)", "(⟨field2⟩ / ⟨real⟩)", "P", "(ctmr#2 ⊛ img)"},
	"vector0": {"⟨vector1⟩", "(∇⟨field1⟩)", "(⟨field0⟩ * ⟨vector1⟩)"},
	"vector1": {"(∇⟨field2⟩)", "[⟨field1⟩, ⟨field2⟩]", "(⟨vec2⟩ + ⟨vector1⟩)", "(normalize(⟨vector1⟩))", "(⟨mat2⟩ • ⟨vector1⟩)"},
}

const preamble = `#version 2.0
image(2)[] img = load_image("img.nrrd");
field#2(2)[] F = bspln3 ⊛ img;
field#1(2)[] G = ctmr ⊛ mirror(img);
field(2)[] P(x) = (x • x) * x[0];
input bool b = true;
input string t = "t";
input real r = 1.0;
input vec2 v = [1, 2];
mat2 m = [v, v];
real[2] pair = {1, 2};
real[] many = {};
function real half(real x) = 0.5 * x;
function int whole(real x, bool c) = 1 if c && x > 0.0 else 2;
function real probe(field#1(2)[] f, vec2 x) = f(x);
strand s(int i) {
  output real o = 0.0;
  update {
    o = `

const postamble = ";\n    stabilize;\n  }\n}\ncreate_array { s(i) | i in 0 .. 3 }\n"

// A drawing makes an expression. Where wrong counts down to zero, an expression of another type is planted.
type drawing struct {
	t       *rapid.T
	holes   int
	wrong   int
	planted string
}

// of draws an expression of a type; deep ones are made of what has no holes, if there is such a thing.
func (d *drawing) of(kind string, depth int) string {
	if d.holes++; d.holes == d.wrong {
		d.planted = "true"
		if kind == "bool" {
			d.planted = "1.5"
		}
		return d.planted
	}
	list := templates[kind]
	if depth <= 0 {
		list = list[:1]
	}
	text := rapid.SampledFrom(list).Draw(d.t, kind)
	for {
		before, rest, found := strings.Cut(text, "⟨")
		if !found {
			return text
		}
		hole, after, _ := strings.Cut(rest, "⟩")
		text = before + d.of(hole, depth-1) + after
	}
}

func read(t testing.TB, text string) *syntax.File {
	t.Helper()
	f, diagnostics := syntax.Parse(source.NewFile("drawn.diderot", text))
	if err := diagnostics.Err(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f
}

// TestDrawn checks programs that are right by construction, and that the layout of a program changes nothing.
func TestDrawn(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := &drawing{t: r, wrong: -1}
		text := preamble + d.of("real", 4) + postamble
		f := read(t, text)
		program, diagnostics := Program(f, Options{})
		if err := diagnostics.Err(); err != nil {
			r.Fatalf("%v\n%s", err, text)
		}
		verify(t, program)
		again, _ := Program(read(t, syntax.Format(f)), Options{})
		if written(t, program) != written(t, again) {
			r.Fatalf("the layout changes the typed tree of\n%s", text)
		}
	})
}

func written(t *testing.T, p *typed.Program) string {
	t.Helper()
	var b strings.Builder
	if err := typed.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPlanted plants one expression of a wrong type: it is one error.
func TestPlanted(t *testing.T) {
	planted := 0
	rapid.Check(t, func(r *rapid.T) {
		d := &drawing{t: r, wrong: rapid.IntRange(1, 12).Draw(r, "wrong")}
		text := preamble + d.of("real", 4) + postamble
		_, diagnostics := Program(read(t, text), Options{})
		want := 0
		if d.planted != "" {
			want = 1
			planted++
		}
		errors := 0
		for _, x := range diagnostics.List {
			if x.Severity == source.Error {
				errors++
			}
		}
		if errors != want {
			r.Fatalf("%d errors, %d planted: %v\n%s", errors, want, diagnostics.Err(), text)
		}
	})
	if planted == 0 {
		t.Error("nothing was planted")
	}
}
