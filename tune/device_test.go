package tune

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/tune/tuned"
)

// TestDevice: a search on a device with groups of items varies these; what is found is filed under the device, where later compilations
// find it, and those for other devices do not.
func TestDevice(t *testing.T) {
	driver, _ := devices.Named("opencl:0")
	if _, err := driver.Open(t.Context(), device.Settings{}); err != nil {
		t.Skip(err)
	}
	o := testOptions(t.TempDir(), 2)
	o.Strategy, o.Compile.Device = "random", "opencl:0"
	outcome := runTest(t, t.Context(), o)
	if outcome.Evaluated != 2 || outcome.Failures["crashed"] > 0 {
		t.Errorf("%+v", outcome)
	}
	def, signature, err := matmul()
	if err != nil {
		t.Fatal(err)
	}
	first, err := tuningOf(t.Context(), def, signature, o.Compile)
	if err != nil {
		t.Fatal(err)
	}
	again, err := tuningOf(t.Context(), def, signature, o.Compile)
	if err != nil || again.Configuration.Key() != first.Configuration.Key() {
		t.Errorf("the device has another key when it is asked again (%v):\n%+v\n%+v", err, first.Configuration, again.Configuration)
	}
	s, err := newSpace("", "", first)
	if err != nil || !strings.Contains(strings.Join(s.points.Names(), ", ")+", ", " items, ") || !slices.Contains(s.points.Names(), "S0.launch") {
		t.Fatalf("the parameters are %v (%v)", s.points.Names(), err)
	}
	tree, err := s.maker.Tree(s.points.Random(rand.New(rand.NewPCG(1, 2))))
	if err != nil {
		t.Fatal(err)
	}
	text, err := first.Canonical(tree)
	if err != nil {
		t.Fatal(err)
	}
	if err := tuned.In(first.Cache).Put(&tuned.Schedule{Name: "mm", Configuration: *first.Configuration, Tree: text, Seconds: 1, Default: 2}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]ricci.ScheduleKind{"opencl:0": ricci.TunedSchedule, "evaluator": ricci.DefaultSchedule} {
		o.Compile.Device = name
		kernel, err := def.Compile(t.Context(), signature, o.Compile)
		if err != nil || kernel.Schedule() != want {
			t.Errorf("%s: %v, expected %s", name, err, want)
			continue
		}
		kernel.Close()
	}
}
