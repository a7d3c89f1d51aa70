package cuda

import (
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/target"
)

// TestKernelsOf: what the assembler says is read, in the words of CUDA 11 and 12.
func TestKernelsOf(t *testing.T) {
	got := kernelsOf(`ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_80'
ptxas info    : Function properties for first
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, 400 bytes smem, 360 bytes cmem[0]
ptxas info    : Compiling entry function 'second' for 'sm_90'
ptxas info    : Function properties for second
    48 bytes stack frame, 20 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers
`)
	want := []kernelTakes{{"first", device.Footprint{Registers: 32, Local: 400}, 0}, {"second", device.Footprint{Registers: 255, Private: 48}, 44}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, expected %+v", got, want)
	}
	if text := want[1].String(); text != "second: 255 registers of an item, 48 B of an item in memory, 44 B of spills" {
		t.Error(text)
	}
	if list := kernelsOf("nothing of it: Used 3 registers"); list != nil {
		t.Errorf("%+v", list)
	}
}

// TestAssemble: instructions are made without a driver, for the architecture of a machine; clang stands in, and without both the error says what to install.
func TestAssemble(t *testing.T) {
	f, module := newFake(t), &target.Module{Code: "text", Symbol: "k"}
	none := libraries{nil, func() (*compiler, error) { return openCompiler("libno-nvrtc.so") }, noClang}
	for _, test := range []struct{ machine, flags string }{{"a100", "sm_80"}, {"h100", "sm_90"}, {"cuda", "sm_70"}} {
		on, err := machine.Named(test.machine).Scheduled()
		if err != nil {
			t.Fatal(err)
		}
		f.said()
		text, err := assemble(t.Context(), libraries{nil, f.compiler, noClang}, device.Settings{}, module, on)
		if said := f.said(); err != nil || text != "// NVRTC 12.4 for "+test.flags+"\nptx" || !strings.Contains(said, "--gpu-architecture="+test.flags) || !strings.HasSuffix(said, "destroy\n") {
			t.Errorf("%s: %q, %v\n%s", test.machine, text, err, said)
		}
		if _, err := assemble(t.Context(), none, device.Settings{}, module, on); err == nil || !strings.Contains(err.Error(), "nvrtc") {
			t.Errorf("without a compiler: %v", err)
		}
	}
	on, err := machine.Named("a100").Scheduled()
	if err != nil {
		t.Fatal(err)
	}
	told := &target.Module{Code: "told", Symbol: "k", Dynamic: map[string]int64{"k": 65520}} // what launches give is the group's, too
	if text, err := assemble(t.Context(), libraries{nil, f.compiler, noClang}, device.Settings{}, told, on); err != nil || !strings.Contains(text, "// k: 3 registers of an item, 65.5 kB of local memory of a group\n") {
		t.Errorf("%q, %v", text, err)
	}
}
