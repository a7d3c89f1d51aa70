package cuda

import (
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/target"
)

// TestImage: PTX for the architecture of a machine, or for the nearest one that the compiler knows; the text where nothing compiles.
func TestImage(t *testing.T) {
	f := newFake(t)
	none := libraries{nil, func() (*compiler, error) { return openCompiler("libno-nvrtc.so") }, noClang}
	for _, test := range []struct {
		libraries    libraries
		machine      string
		text         string
		strict       bool
		code, flags  string
		architecture int
	}{
		{f.libraries, "a100", "text", false, "ptx", "--gpu-architecture=compute_80 --std=c++17 -w\n", 80},
		{f.libraries, "cuda", "text", true, "ptx", "--gpu-architecture=compute_70 --std=c++17 -w --fmad=false\n", 70},
		{f.libraries, "h100", "old compiler", false, "ptx", "--gpu-architecture=compute_86 ", 86},
		{none, "h100", "text", false, "text", "", 90},
	} {
		on, err := machine.Named(test.machine).Scheduled()
		if err != nil {
			t.Fatal(err)
		}
		f.said()
		got, err := image(t.Context(), test.libraries, &target.Module{Code: test.text, Symbol: "k"}, on, device.ImageOptions{Strict: test.strict})
		said := f.said()
		if err != nil || strings.TrimRight(string(got.Code), "\x00") != test.code || got.IsText != (test.code == test.text) || got.Architecture != test.architecture || got.Memory != 2 ||
			!strings.Contains(said, test.flags) || strings.Count(said, "compile") != strings.Count(said, "destroy") {
			t.Errorf("%s: %+v, %v\n%s", test.machine, got, err, said)
		}
	}
	on, err := machine.Named("a100").Scheduled()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := image(t.Context(), f.libraries, &target.Module{Code: "wrong", Symbol: "k"}, on, device.ImageOptions{CompileOptions: device.CompileOptions{ReproducerDir: t.TempDir()}}); err == nil || !strings.Contains(err.Error(), "refused the kernel k (error 6)") {
		t.Errorf("a text that is refused: %v", err)
	}
	if got := near(90); !slices.Equal(got[:3], []int{90, 89, 86}) || slices.Contains(got, 75) {
		t.Errorf("near 90 are %v: those before have no such matrix units", got)
	}
	if got := near(70); !slices.Equal(got[:3], []int{70, 75, 80}) {
		t.Errorf("near 70 are %v", got)
	}
}
