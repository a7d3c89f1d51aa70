package schedule

import (
	"strings"
	"testing"
)

// TestFetchMarks prints and reads all marks of what is asked for ahead, and refuses those that cannot be.
func TestFetchMarks(t *testing.T) {
	const text = `domain S0[i, j, k]
place B private layout 2 1 fetch 1536/16384 fill 6 next-strip next-panel
  band S0.i tile 4
    accumulate S0 register fetch 24 ahead 1024 spread
      band S0.k fetch A+4 fetch B+6 fetch-tile A/32 fetch-rows A fetch-run B
        band S0.i unroll | S0.j vector 16 unroll
`
	f := parseFunc(t, sums)
	tree, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if printed := Print(tree); printed != text {
		t.Errorf("got\n%s", printed)
	}
	if err := Check(f, tree); err != nil {
		t.Error(err)
	}
	renamed, err := Rename(tree, f, parseFunc(t, strings.NewReplacer("A", "left", "B", "right").Replace(sums)))
	if err != nil {
		t.Fatal(err)
	}
	if printed := Print(renamed); !strings.Contains(printed, "fetch left+4 fetch right+6 fetch-tile left/32 fetch-rows left fetch-run right") {
		t.Errorf("got\n%s", printed)
	}
	for _, row := range []struct{ from, to, want string }{
		{"fetch A+4", "fetch C+4", "S0 reads no C, which it cannot ask for; it reads A, B"},
		{"fetch A+4", "fetch A", "t is a tensor and n a whole number from 1 on"},
		{"fetch A+4", "fetch A+0", "t is a tensor and n a whole number from 1 on"},
		{"fetch-tile A/32", "fetch-tile A+32", "t is a tensor and n a whole number from 1 on"},
		{"register fetch 24", "register", "put 'fetch n' beside it, for sums of n steps or more"},
		{"ahead 1024", "ahead 100000", "results are asked for up to 65536 bytes ahead, found 100000"},
		{"fetch 1536/", "fetch 100000/", "what a block has is asked for up to 65536 bytes ahead, found 100000"},
		{"fetch 1536/16384", "fetch 1536", "fetch n/m"},
		{"layout 2 1 fetch", "layout fetch", "expected place NAME"},
		{"fill 6", "fill", "fill n"},
	} {
		tree, err := Parse(strings.Replace(text, row.from, row.to, 1))
		if err == nil {
			err = Check(f, tree)
		}
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %s", row.to, err, row.want)
		}
	}
}
