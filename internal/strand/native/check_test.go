package native_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/native"
	"github.com/ricci-lang/ricci/internal/strand/strandtest"
	"github.com/ricci-lang/ricci/tensor"
)

// TestCompare: numbers may differ in their last digits, and integers may not.
func TestCompare(t *testing.T) {
	output := func(list ...float32) []*strand.Output {
		data, err := tensor.FromSlice(list, len(list))
		if err != nil {
			t.Fatal(err)
		}
		return []*strand.Output{{Name: "v", Data: data}}
	}
	nan := float32(math.NaN())
	f := native.Compare(output(1, 2.00001, 3.001, nan, nan), output(1, 2, 3, nan, 1))[0]
	if f.Numbers != 5 || f.Equal != 2 || f.Far != 2 || !strings.Contains(f.Text, "element [4] is NaN, evaluated 1") {
		t.Errorf("found %+v", f)
	}
	if native.Compare(output(1), output(1, 2)) != nil {
		t.Error("outputs of different shapes are compared")
	}
}

// TestCheck compares the kernel of drawn probes with their evaluation.
func TestCheck(t *testing.T) {
	if list, err := host.Find(context.Background()); err != nil || len(list) == 0 {
		t.Skip("there is no C compiler, gcc or clang: ", err)
	}
	p, given := strandtest.Probes(rand.New(rand.NewPCG(5, 33)), tensor.Float32)
	list, err := native.Check(context.Background(), p, given, 0, 0, compile.Options{NoCache: true})
	if err != nil || len(list) != 1 || list[0].Equal != list[0].Numbers || list[0].Numbers == 0 {
		t.Errorf("%v: %v", list, err)
	}
	if !p.Create.Collection {
		part, err := native.Check(context.Background(), p, given, 0, 3, compile.Options{NoCache: true})
		if err != nil || part[0].Equal != part[0].Numbers || part[0].Numbers == 0 || part[0].Numbers*list[0].Numbers/3 < list[0].Numbers {
			t.Errorf("three strands: %v: %v of %v", part, err, list)
		}
	} else {
		t.Error("the strands are no array")
	}
	changing := parse(t, strings.Replace(strings.Replace(strand.Print(p), "  temp k", "  temp last: int\n  temp k", 1), "  create array for", "  create array before {\n    last = 1i32\n  }\n  for", 1))
	changing.Create.Body = append(changing.Create.Body, changing.Create.Before...)
	if _, err := native.Check(context.Background(), changing, given, 0, 0, compile.Options{NoCache: true}); err == nil || !strings.Contains(err.Error(), "the variable last, which the loops of the creation change has no native form yet") {
		t.Errorf("a program without a kernel is checked: %v", err)
	}
}
