package check

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

const consts = `#version 2.0
const int N = 3;
const real scale;
const vec2 place = [0, 0];
const string name = "a";
strand s(int i) {
  output real[N] x = {scale, 2, place[0]};
  update { print(name); stabilize; }
}
create_array { s(i) | i in 0 .. N }
`

// TestGivenConstants replaces consts as the command line does.
func TestGivenConstants(t *testing.T) {
	for _, test := range []struct {
		given map[string]string
		wrong string // in the error, or nothing
	}{
		{map[string]string{"scale": "2"}, ""},
		{map[string]string{"scale": "sqrt(2.0)", "place": "[1, -1]", "name": "b c"}, ""},
		{map[string]string{"scale": "1.0", "name": `"quoted"`}, ""},
		{map[string]string{}, "the const scale has no value"},
		{map[string]string{"scale": "1.0", "N": "2.5"}, `the const N is of type int, and "2.5" on the command line is no such value`},
		{map[string]string{"scale": "1.0", "N": "4"}, "the state variable x is of type real[4], but this is real[3]"},
		{map[string]string{"scale": "x"}, `"x" on the command line is no such value`},
		{map[string]string{"scale": "1.0; int"}, "is no such value"},
		{map[string]string{"scale": "true"}, "is no such value"},
		{map[string]string{"scale": "1.0", "names": "x"}, "the const names, which the program does not have; did you mean name?"},
	} {
		err := checked(source.NewFile("test.diderot", consts), Options{Constants: test.given}).Err()
		if test.wrong == "" && err != nil || test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)) {
			t.Errorf("%v: %v, want %q", test.given, err, test.wrong)
		}
	}
}

func TestGivenConstantIsTheValue(t *testing.T) {
	program, diagnostics := Program(read(t, consts), Options{Constants: map[string]string{"scale": "1/4.0", "N": "1 + 2", "name": "b"}})
	if err := diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[int]string{0: "const int N = +(1, 2) is 3", 1: "const real scale = div(real(1), 4) is 1/4", 3: `const string name = "b" is "b"`} {
		if got := strings.Split(written(t, program), "\n")[text]; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestLongInt checks where ints wrap and which numbers are ints.
func TestLongInt(t *testing.T) {
	text := func(value string) string {
		return "#version 2.0\nconst int n = " + value + ";\nstrand s(int i) {\n output int x = n;\n update { stabilize; } }\ncreate_array { s(i) | i in 0 .. 1 }\n"
	}
	for _, test := range []struct {
		value, short, long string
	}{
		{"2147483647 + 1", "-2147483648", "2147483648"},
		{"-2147483648", "-2147483648", "-2147483648"},
		{"|-2147483648|", "-2147483648", "2147483648"},
		{"2147483648", "", "2147483648"},
		{"-9223372036854775808 - 1", "", "9223372036854775807"},
		{"9223372036854775808", "", ""},
		{"-7 / 2", "-3", "-3"},
		{"-7 % 3", "-1", "-1"},
		{"{1, 2, 3}[1] + length({4, 5})", "4", "4"},
		{"1 if 2.5 > 2 && !(\"a\" == \"b\") else 1 / 0", "1", "1"},
	} {
		for long, want := range map[bool]string{false: test.short, true: test.long} {
			f, diagnostics := syntax.Parse(source.NewFile("test.diderot", text(test.value)))
			if err := diagnostics.Err(); err != nil {
				t.Fatal(err)
			}
			program, diagnostics := Program(f, Options{LongInt: long})
			got := ""
			if !diagnostics.HasErrors() {
				_, got, _ = strings.Cut(strings.Split(written(t, program), "\n")[0], " is ")
			}
			if got != want {
				t.Errorf("%s, 64 bits %v: %s, want %s (%v)", test.value, long, got, want, diagnostics.Err())
			}
		}
	}
}

// TestHeaders compares declared images with what files say.
func TestHeaders(t *testing.T) {
	spatial := func(axes string) (list []bool) {
		for _, c := range axes {
			list = append(list, c == 's')
		}
		return list
	}
	headers := map[string]*lang.ImageHeader{
		"plane": {Sizes: []int{30, 20}, Spatial: spatial("ss")}, "vectors": {Sizes: []int{3, 30, 20}, Spatial: spatial("-ss")}, "plain": {Sizes: []int{3, 30, 20}},
		"matrices": {Sizes: []int{3, 2, 9, 9, 9}, Spatial: spatial("--sss")}, "one": {Sizes: []int{1, 9, 9}, Spatial: spatial("-ss")},
		"last": {Sizes: []int{30, 20, 3}, Spatial: spatial("ss-")}, "none": {Sizes: []int{30, 20}, Spatial: spatial("--")},
		"huge": {Sizes: []int{math.MaxInt, math.MaxInt, 0, 9, 9}, Spatial: spatial("---ss")}, "line": {Sizes: []int{7}, Spatial: spatial("s")},
	}
	header := func(path string) (*lang.ImageHeader, error) {
		if h := headers[path]; h != nil {
			return h, nil
		}
		return nil, errors.New("no such file")
	}
	for _, test := range []struct{ global, wrong string }{
		{`image(2)[] img = load_image("plane");`, ""},
		{`image(2)[] img = load_image("missing");`, ""},
		{`image(2)[3] img = load_image("plain");`, ""},
		{`image(3)[] img = load_image("plain");`, ""},
		{`image(3)[2,3] img = load_image("matrices");`, ""},
		{`image(3)[6] img = load_image("matrices");`, ""},
		{`image(2)[] img = load_image("one");`, ""},
		{`field#2(3)[2,3] img = bspln3 ⊛ load_image("matrices");`, ""},
		{`input image(2)[] img = load_image("vectors");`, "image(2)[] is expected, but the axes of the file have the sizes [3 30 20], the fastest first, of which the last 2 are those of the space"},
		{`image(2)[3] img = load_image("last");`, "[30 20 3], the fastest first, and those of the space, 1, 2, are not the last ones"},
		{`image(2)[] img = load_image("none");`, "[30 20], the fastest first, of which none is one of the space"},
		{`image(2)[] img = load_image("huge");`, "image(2)[] is expected"},
		{`image(2)[] img = load_image("line");`, "of which the last one is that of the space"},
		{`int[2] n = size(load_image("plane"));`, ""},
		{`int[2] n = size(load_image("last"));`, "the type of the image is not known here"},
		{`image(3)[] img = load_image("plane");`, "image(3)[] is expected"},
		{`image(1)[] img = load_image("plane");`, "image(1)[] is expected"},
		{`field#1(2)[] img = ctmr ⊛ load_image("vectors");`, "image(2)[] is expected"},
	} {
		text := "#version 2.0\n" + test.global + "\nstrand s(int i) {\n output int x = i;\n update { stabilize; } }\ncreate_array { s(i) | i in 0 .. 1 }\n"
		err := checked(source.NewFile("test.diderot", text), Options{Header: header}).Err()
		if test.wrong == "" && err != nil || test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)) {
			t.Errorf("%s: %v, want %q", test.global, err, test.wrong)
		}
	}
}
