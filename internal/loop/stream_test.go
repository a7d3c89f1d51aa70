package loop_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestStreamAndLanes reads, checks and prints the stores that stream, what is fetched
// ahead, and the values that move between lanes.
func TestStreamAndLanes(t *testing.T) {
	const text = `kernel "k" workspace 0 {
  buffer A float32[32] argument readonly
  buffer B float32[32] argument
  buffer R float32x8[2] register
  buffer N int64[2] register
  buffer H float32x8[1] register
  params A, B
  let v float32x16 = A[0; 16]
  prefetch B[31; write]
  prefetch A[16]
  prefetch A[16; ahead 400]
  prefetch A[16; ahead 400, second]
  prefetch B[16; write, ahead 400]
  let n int64 = lead(B[3], 16)
  store B[n + 1] = float32(0)
  store B[16; stream] = shift(v, 1, float32(0)) + broadcast(lane(v, 3), 16)
  store B[0] = lane(shift(v, -2, float32(1)), 0)
  transpose B[0 by 8; stream] = A[0 by 4; ahead], 8, 4
  alloc R {
    alloc N {
      store N[1] = 5
      for i = 0 .. 3 step 1 {
        store B[i * 8 + 5; stream; row R[1] behind N, i == 0] = A[i * 8; 8]
      }
      store B[29; mask ramp(0, 1, 8) < broadcast(3, 8); stream; row R[1] behind N, false, tail 3] = A[24; 8]
      endrow B[32; row R[1] behind N]
      alloc H {
        store B[16; stream; row R[1] behind N heads H, true] = A[24; 8]
        endrow B[24; row R[0] behind N heads H]
      }
    }
  }
}
`
	f, err := loop.Parse(source.NewFile("test", text))
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Verify(f); err != nil {
		t.Error(err)
	}
	if got := loop.Print(f); got != text {
		t.Errorf("printed\n%s", got)
	}
	for old, wrong := range map[string]string{"B[16; stream]": "B[17; stream]", "lane(v, 3)": "lane(v, 16)", "shift(v, 1,": "shift(v, 16,",
		"prefetch B[31; write]": "prefetch B[32]", "prefetch A[16]": "prefetch A[16; write]", "prefetch A[16; ahead 400]": "prefetch A[32; ahead 400]", "write, ahead": "write, second, ahead", "B[0 by 8; stream]": "B[1 by 8; stream]",
		"stream; row R[1]": "row R[1]", "behind N, i": "behind R, i", "row R[1] behind N, i == 0": "row R[2] behind N, i == 0", "i == 0": "i", "endrow B[32; row R": "endrow A[32; row R", "endrow B[32": "endrow B[33",
		", tail 3": "", "tail 3": "tail 8", "; mask ramp(0, 1, 8) < broadcast(3, 8)": "", "(3, 8); stream": "(4, 8); stream",
		"N heads H, true": "N heads R, true", "endrow B[24": "endrow B[32", "R[0] behind N heads H": "R[1] behind N heads H", "alloc H": "if true"} {
		f, err := loop.Parse(source.NewFile("test", strings.Replace(text, old, wrong, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if loop.Verify(f) == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
}
