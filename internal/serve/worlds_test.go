package serve

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

const roots = `"program": {"notation": "diderot", "text": "#version 2.0\ninput int n;\ninput string name = \"root\";\ninput image(1)[] img;\n` +
	`strand root(int i) {\n  output real r = real(i);\n  update { r = 0.5 * (r + real(i) / r);  if (|r^2 - real(i)| < 0.001) { print(name, i, \" \"); stabilize; } }\n}\n` +
	`create_array { root(i) | i in 1 .. n }"}`

// TestProgramsAreKept: the same text is one program while it is among the last ones, and used ones are not given up.
func TestProgramsAreKept(t *testing.T) {
	var s programs
	text := func(n int) *programText {
		line := fmt.Sprintf("def f(float(N) x) -> (y) { y(i) = %d * x(i) }", n)
		return &programText{Text: &line}
	}
	first, giveBack, err := s.use(text(0))
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 * mostPrograms {
		_, done, err := s.use(text(n))
		if err != nil {
			t.Fatal(err)
		}
		done()
	}
	again, done, err := s.use(text(0))
	if err != nil || again != first || len(s.kept) != mostPrograms {
		t.Errorf("%v: another program: %t, %d are kept", err, again != first, len(s.kept))
	}
	done()
	giveBack()
	for n := range mostPrograms {
		_, done, err := s.use(text(100 + n))
		if err != nil {
			t.Fatal(err)
		}
		done()
	}
	if again, _, _ := s.use(text(0)); again == first {
		t.Error("a program that nobody used for long is still there")
	}
	x := tensor.Must(tensor.FromSlice([]float32{1}, 1))
	options := ricci.Options{Device: "evaluator"}
	if _, err := first.MustDef("f").RunWith(t.Context(), map[string]*tensor.Tensor{"x": x}, nil, options); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("what is given up is not closed: %v", err)
	}
	second, giveBack, err := s.use(text(1))
	if err != nil {
		t.Fatal(err)
	}
	s.drop(text(1))
	if other, done, err := s.use(text(1)); err != nil || other == second {
		t.Errorf("%v: a program that was dropped is given again", err)
	} else {
		done()
	}
	if _, err := second.MustDef("f").RunWith(t.Context(), map[string]*tensor.Tensor{"x": x}, nil, options); err != nil {
		t.Errorf("a program that was dropped while it is used: %v", err)
	}
	giveBack()
	if _, err := second.MustDef("f").RunWith(t.Context(), map[string]*tensor.Tensor{"x": x}, nil, options); err == nil {
		t.Error("a program that was dropped is not closed when nobody uses it")
	}
	wrong := "def f("
	if _, _, err := s.use(&programText{Text: &wrong}); err == nil {
		t.Error("a wrong program has no error")
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// TestWorlds: a world runs from request to request, and each request that is wrong is refused and changes nothing.
func TestWorlds(t *testing.T) {
	c := converse(t)
	const given = `"inputs": {"n": {"shape": [], "dtype": "int8", "data": "BA=="}, "name": {"text": "r"}, "img": {"shape": [2], "dtype": "float32", "data": "AAAAAAAAAAA=", "directions": [[2]], "origin": [1]}}`
	for k, row := range []struct{ method, params, want string }{
		{"check", roots, `"inputs":[{"name":"n","type":"int","required":true,"image":false},{"name":"name"`},
		{"world", roots + `, ` + given + `, "options": {"device": "evaluator"}`, `{"world":1,"steps":0,"active":4,"stable":0,"printed":"",`},
		{"world", roots + `, ` + given + `, "options": {"target": "eval"}`, `unknown field`},
		{"world", roots, `E1403`},
		{"world", roots + `, "inputs": {"m": {"text": "r"}}`, `no input m`},
		{"world", roots + `, "inputs": {"m": null}`, `m has no value`},
		{"world", roots + `, "inputs": {"img": {"shape": [2], "data": "AAAAAAAAAAA=", "dtype": "float32", "directions": [[1],[2]], "origin": [1]}}`, `one for each spatial axis`},
		{"world", double, `no strands`},
		{"advance", `"world": 1, "steps": 1`, `"steps":1,"active":3,"stable":1,"printed":"r1 "`},
		{"outputs", `"world": 1, "states": true`, `"r":{"dtype":"float32","shape":[4]`},
		{"advance", `"world": 1, "steps": -1`, `expected at least 0`},
		{"advance", `"world": 2`, `there is no world 2`},
		{"outputs", `"world": 1, "outputs": {"r": {"path": "/there/is/none.npy"}}`, `no such file`},
		{"advance", `"world": 1`, `"active":0,"stable":4,"printed":"r`},
		{"doctor", ``, `"worlds":1`},
		{"close", `"world": 1`, `"stable":4,"printed":""`},
		{"close", `"world": 1`, `there is no world 1`},
		{"doctor", ``, `"worlds":0`},
		{"world", roots + `, ` + given + `, "options": {"device": "evaluator"}`, `{"world":2,`}, // the end of the session closes it
	} {
		text, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		c.ask(`{"id": ` + string(text) + `, "method": "` + row.method + `", "params": {` + row.params + `}}`)
		a := c.next()
		got := string(a.Result)
		if a.Error != nil {
			got = a.Error.Kind + ": " + a.Error.Rendered
		}
		if !strings.Contains(got, row.want) || strings.HasPrefix(got, internal) {
			t.Errorf("%s %s: %s, expected %s", row.method, row.params, got, row.want)
		}
	}
	c.in.Close()
	if err := <-c.done; err != nil {
		t.Error(err)
	}
}
