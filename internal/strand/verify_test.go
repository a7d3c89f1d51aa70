package strand_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

const small = `strand s real float32 int int32 {
  image img: 2
  kernel tent 1 { 1, 1 | 1, -1 }
  const c: int
  global g: int
  param k: int
  output id: int
  state x: real
  temp n: int
  temp r: real
  temp near: strand{}
  temp o: strand
  temp list: int{}
  initialize {
    c = 1i32
    g = 2i32
  }
  create collection for n = 0i32 to 3i32 new (n)
  begin {
    id = k
    x = 0f32
  }
  update {
    id = id + g
    stabilize
  }
  global update {
    g = g + c
  }
}
`

// TestVerify changes a program that is right, and looks for what Verify says.
func TestVerify(t *testing.T) {
	parse(t, small)
	update := func(text string) [2]string { return [2]string{"id = id + g\n", text + "\n"} }
	for _, row := range []struct {
		change [2]string
		want   string
	}{
		{update("id = 1f32"), "a float32 stands where a int32 belongs"},
		{update("id = n"), "uses a local outside its scope"},
		{update("if g == 0i32 { n = 1i32 } id = n"), "uses a local outside its scope"},
		{update("for n = 0i32 to 2i32 { r = 1f32 } x = r"), "uses a local outside its scope"},
		{update("g = 1i32"), "the global g is assigned in update"},
		{update("k = 1i32"), "the param k is assigned in update"},
		{update("all die"), "all strands end in update"},
		{update("reduce n by sum over all as o { } value 1i32"), "a set of strands is folded in update"},
		{update("query near radius 1f32"), "strands have no state pos"},
		{update("each n in near { }"), "near is read in update where it may have no value"},
		{update("build list ([1i32, 2i32])"), "an element of list has 2 parts"},
		{update("new (1i32, 2i32)"), "a strand is created from 2 values, expected 1"},
		{update("sample img clamp tent at (x) { x = 0 [1] }"), "img is probed at 1 coordinates"},
		{update("sample img clamp tent at (x, x) { x = 1 [0, 0] }"), "img has no component 1"},
		{update("sample img clamp tent at (x, x) of \"F\" { x = 0 [0, 0] }"), ""},
		{update("eigen 2 (x, x, x) values (x, r)"), ""},
		{update("eigen 4 (x) values (x)"), "eigenvalues of a matrix of 4 rows"},
		{update("eigen 3 (x, x, x) values (x, r)"), "the upper triangle of 3 rows has 3 entries"},
		{update("eigen 2 (x, x, x) values (x, r, x)"), "3 eigenvalues and 0 parts of eigenvectors of 2 rows"},
		{update("eigen 2 (x, x, x)"), "0 eigenvalues and 0 parts"},
		{update("eigen 2 (x, x, r) values (x, r)"), "uses a local outside its scope"},
		{update("eigen 2 (x, x, x) values (id, r)"), "id is a int32 and is set to a float32"},
		{[2]string{"image img: 2", "image img: 2 [3] input from \"a.nrrd\" \"an image\""}, ""},
		{[2]string{"temp n: int", "input list2: real{} from \"l.nrrd\" \"numbers\" loaded table: real[2]{} from \"t.nrrd\" temp n: int"}, ""},
		{[2]string{"temp n: int", "input y: real from \"l.nrrd\" temp n: int"}, "y is read from a file"},
		{[2]string{"temp n: int", "loaded y: real{} temp n: int"}, "y is loaded from nowhere"},
		{[2]string{"collection", "array"}, ""},
		{[2]string{"    x = 0f32\n", ""}, "x has no value after begin"},
		{[2]string{"    c = 1i32\n", ""}, "c has no value after initialize"},
		{[2]string{"g = g + c", "c = g"}, "the const c is assigned in global update"},
		{[2]string{"g = g + c", "stabilize"}, "stabilize stands in global update"},
		{[2]string{"g = g + c", "g = id"}, "uses a local outside its scope"},
		{[2]string{"output id", "state id"}, "no state is an output"},
		{[2]string{"state x: real", "state x: strand"}, "x keeps a strand"},
		{[2]string{"temp r: real", "temp x: real"}, "the name x is declared twice"},
		{[2]string{"update {\n    id = id + g\n    stabilize\n  }\n  global", "global"}, "there is no update"},
		{[2]string{"tent 1 { 1, 1 | 1, -1 }", "tent 2 { 1 }"}, "the kernel tent of support 2 has 1 pieces"},
	} {
		text := strings.Replace(small, row.change[0], row.change[1], 1)
		if text == small {
			t.Fatalf("%q is not there", row.change[0])
		}
		p, err := strand.Parse(source.NewFile("program", text))
		if err != nil {
			t.Errorf("%q: %v", row.change[1], err)
			continue
		}
		if err = strand.Verify(p); err == nil {
			parse(t, text) // and what is printed of it
		}
		if got := errorText(err); row.want == "" && err != nil || !strings.Contains(got, row.want) {
			t.Errorf("%q: got %s, expected %s", row.change[1], got, row.want)
		}
	}
	for _, exit := range []string{"die", "new (k)"} {
		text := strings.Replace(strings.Replace(small, "collection", "array", 1), "stabilize", "if id == 3i32 { "+exit+" } stabilize", 1)
		p, err := strand.Parse(source.NewFile("program", text))
		if err != nil || !strings.Contains(errorText(strand.Verify(p)), "strands of an array are created or die") {
			t.Errorf("an array with %s: %v", exit, err)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
