package mutate

import (
	"fmt"
	"testing"
)

func TestTry(t *testing.T) {
	for _, r := range Rooms() {
		s, err := load("/work/w-mutate", r)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		by := map[string]int{}
		for _, f := range s.sources {
			n += len(f.candidates)
			for _, m := range f.candidates {
				by[m.Operator]++
			}
		}
		fmt.Println(r.Name, n, by)
	}
	d, err := Draw("/work/w-mutate", "/tmp/mut/try", Rooms(), 250, 1)
	if err != nil {
		t.Fatal(err)
	}
	for k, m := range d.Mutants {
		if k%25 == 0 {
			fmt.Println(m)
		}
	}
}
