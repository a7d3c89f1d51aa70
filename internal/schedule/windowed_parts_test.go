package schedule

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
)

// TestDepthOfPasses compares the least time with that over all numbers of passes.
func TestDepthOfPasses(t *testing.T) {
	m := &machine.Processor{}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, most int64) int64 { return rapid.Int64Range(1, most).Draw(t, name) }
		p := PartsWindows{
			Rows: draw("rows", 600), Columns: draw("columns", 300), Height: draw("height", 90), Pitch: draw("pitch", 330), Images: draw("images", 20),
			Members: draw("members", 6000), Shifts: draw("shifts", ein.PartsShifts), Span: draw("span", 2000) - 1, Room: draw("room", 2*ein.PartsWindowsRoomBytes),
		}
		all, want := (p.Members+ein.PartsLines-1)/ein.PartsLines, math.Inf(1)
		for passes := int64(1); passes <= all; passes++ {
			want = min(want, p.ofSteps((all+passes-1)/passes, m))
		}
		if got := p.Cycles(m); got != want {
			t.Fatalf("%g cycles instead of %g", got, want)
		}
	})
	if p := (PartsWindows{Rows: 1, Columns: 1, Height: 1, Images: 1, Members: 1e18, Shifts: 1, Room: ein.PartsWindowsRoomBytes}); p.Cycles(m) < 1e18 {
		t.Errorf("%g cycles for 10^18 members", p.Cycles(m)) // and they are not counted one after the other
	}
}
