package notations

import "testing"

func TestOf(t *testing.T) {
	for name, extension := range map[string]string{"a.mdh": ".mdh", "a.teil": ".teil", "dir.mdh/a.tc": ".tc", "a.tc": ".tc", "": ".tc", "x.unknown": ".tc"} {
		if got := Of(name).Extension; got != extension {
			t.Errorf("%q is a file of %s, expected %s", name, got, extension)
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
