package notations

import "testing"

func TestOf(t *testing.T) {
	for name, extension := range map[string]string{"a.mdh": ".mdh", "a.teil": ".teil", "dir.mdh/a.tc": ".tc", "a.tc": ".tc", "": ".tc", "x.unknown": ".tc"} {
		if got := Of(name).Extension; got != extension {
			t.Errorf("%q is a file of %s, expected %s", name, got, extension)
		}
	}
	for name, known := range map[string]bool{"a.mdh": true, "dir.mdh/a.tc": true, "a": false, "a.txt": false, "a.TC": false} {
		if _, err := For(name); (err == nil) != known {
			t.Errorf("%q is a file of a notation: %v", name, err)
		}
	}
	seen := map[string]bool{}
	for _, n := range All() {
		if seen[n.Extension] || n.Name == "" || n.Compile == nil || n.Format == nil || n.Outline == nil || n.Dump == nil {
			t.Errorf("the row of %s is incomplete or there twice", n.Extension)
		}
		seen[n.Extension] = true
	}
}
