package cards

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/cuda/cudatest"
	"github.com/ricci-lang/ricci/internal/target"
)

// TestByHand: what was written by hand for a row has the results of the reference, on a card that is none. All texts are compiled at once.
func TestByHand(t *testing.T) {
	const inside = "RICCI_TEST_BY_HAND"
	if os.Getenv(inside) == "" {
		cudatest.Again(t, "TestByHand", append(cudatest.Environment(t, "../target/cuda/testdata/shim.h", ""), inside+"=yes"))
		return
	}
	p, texts, known := &place{device: "cuda:0"}, map[string]string{}, map[string]bool{}
	for name, h := range hands {
		text, err := h.text()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		texts[h.file] = text
	}
	all := ""
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		all += texts[file]
	}
	d, err := p.open(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	object, err := d.Compile(t.Context(), &target.Module{Code: all, Symbol: "hands"}, device.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		h := hands[r.name]
		if known[r.name] = true; h.file == "" || h.file == product.file && r.name != "gemm-8192" { // that one has odd sizes
			continue
		}
		def, sizes, err := r.of(true)
		if err != nil {
			t.Fatal(err)
		}
		if sizes["N"] > 3001 {
			sizes["N"] = 3001 // fibres are slow
		}
		resolved, err := argument.Resolve(def, argument.Request{Sizes: sizes})
		if err != nil {
			t.Fatal(err)
		}
		want, err := def.Evaluate(t.Context(), resolved.Args, sizes)
		if err != nil {
			t.Fatal(err)
		}
		b, err := h.bind(t.Context(), d, object, def, resolved.Args, sizes, want)
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		if _, err := b.code.LaunchTimed(t.Context(), &b.call); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
		if err := b.agrees(want); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
		if err := b.close(); err != nil {
			t.Error(err)
		}
	}
	for name := range hands {
		if !known[name] {
			t.Errorf("there is no row %s", name)
		}
	}
}
