package native_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/native"
)

// births is a program of strands that create others. A list of four numbers fails those that begin or run beyond it.
const births = `strand s real float32 int int32 {
  input list: int{} = 4i32, 5i32, 6i32, 7i32
  output age: int
  output started: int
  param n: int
  param where: int
  temp i: int
  temp x: int
  temp y: int
  create collection for i = 0i32 to 3i32 new (i, 0i32)
  begin {
    print ("born ", n, "\n")
    element x of list at where
    age = 0i32
    started = 0i32
  }
  start {
    started = started + 1i32
    START
  }
  update {
    age = age + 1i32
    UPDATE
    if age > 3i32 {
      print (n, " ends\n")
      stabilize
    }
  }
}
`

// TestBirths: strands that end in the step in which they create others, that fail as they create or as they are created, and
// what is printed meanwhile.
func TestBirths(t *testing.T) {
	for name, of := range map[string]struct{ start, update, contains string }{
		"the creator ends":    {"", "if n < 4i32 {\n print (n, \" before\\n\")\n new (n + 4i32, 1i32)\n new (n + 8i32, 2i32)\n print (n, \" behind\\n\")\n stabilize\n }", "0 before\nborn 4\nborn 8\n0 behind\n1 before\nborn 5\n"},
		"the creator dies":    {"", "if n < 4i32 {\n new (n + 4i32, 1i32)\n die\n }", "born 4\nborn 5\nborn 6\nborn 7\n4 ends"},
		"a start that ends":   {"if n == 1i32 {\n new (n + 4i32, 1i32)\n new (n + 8i32, 1i32)\n die\n }", "", "started int32 [5] [list]\n[1 1 1 1 1]"},
		"a start of each":     {"continue", "if age == 1i32 && n < 8i32 {\n new (n + 4i32, 1i32)\n }\n if age < 3i32 {\n continue\n }", "started int32 [12] [list]\n[1 1 1 1 1 1 1 1 1 1 1 1]"},
		"in a loop":           {"", "if age == 2i32 && n < 4i32 {\n for i = 1i32 to 20i32 {\n new (n + i * 4i32, 1i32)\n }\n}", "born 80\n"},
		"a child fails":       {"", "if n == 2i32 {\n new (9i32, 3i32)\n new (8i32, 4i32)\n }", "strand 2 in step 1: element 4 of list is read"},
		"its creator too":     {"", "if n == 2i32 {\n new (8i32, 4i32)\n element y of list at 7i32\n }", "strand 2 in step 1: element 4 of list is read"},
		"its creator before":  {"", "if n == 2i32 {\n element y of list at 7i32\n new (8i32, 4i32)\n }", "strand 2 in step 1: element 7 of list is read"},
		"another one before":  {"", "if n == 2i32 {\n new (8i32, 4i32)\n }\n if n == 1i32 {\n element y of list at 7i32\n }", "strand 1 in step 1: element 7 of list is read"},
		"another one behind":  {"", "if n == 2i32 {\n new (8i32, 4i32)\n }\n if n == 3i32 {\n element y of list at 7i32\n }", "strand 2 in step 1: element 4 of list is read"},
		"a child fails later": {"", "if n < 3i32 {\n new (n + 4i32, 1i32)\n }\n if n == 5i32 {\n element y of list at -1i32\n }", "strand 5 in step 2: element -1 of list is read"},
	} {
		t.Run(name, func(t *testing.T) {
			p := parse(t, strings.NewReplacer("START", of.start, "UPDATE", of.update).Replace(births))
			o := on(t, "evaluator", 1, numerics.Strict)
			for _, o.Lanes = range []int{1, 4} {
				o.Room = 3 - o.Lanes/2
				if what := compare(t, p, strand.Given{}, 8, o); !strings.Contains(what, of.contains) {
					t.Errorf("got %s", what)
				}
			}
		})
	}
}

// TestBreed: strands that create others without an end are stopped by the limit of memory, at the statement.
func TestBreed(t *testing.T) {
	p := parse(t, strings.NewReplacer("START", "", "UPDATE", "new (n, 1i32)\nnew (n, 2i32)\n age = 0i32").Replace(births))
	o := on(t, "evaluator", 1, numerics.Strict)
	o.Memory = 1 << 18
	w, err := native.New(t.Context(), p, strand.Given{}, o)
	if what := seen(w, err, 0, false); !strings.Contains(what, "error[E1413]: strand 0 in step") || !strings.Contains(what, "there are") {
		t.Errorf("got %s", what)
	}
}
