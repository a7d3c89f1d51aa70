package loop_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
)

const hostText = `kernel "steps" workspace 0 {
  var N int64
  buffer X int32[64] argument
  params X, N "size N" nonnegative
  let half int64 = N / 2
  for t = 1 .. 4 step 2 {
    grid groups g = half, h = t items i = 4 {
      store X[i] = int32(0)
    }
  }
  if N > 100 {
    grid groups g.1 = 1 items i.1 = 1 {
      store X[0] = int32(1)
    }
  }
  grid groups g.2 = N - 8 items i.2 = 1 {
    store X[0] = int32(2)
  }
}
`

// TestLaunches: loops, conditions and names around grids are the host's; what is left of the program for it reads back.
func TestLaunches(t *testing.T) {
	whole, err := loop.Parse(source.NewFile("k.loop", hostText))
	if err != nil {
		t.Fatal(err)
	}
	part, err := loop.Parse(source.NewFile("host.loop", loop.Print(loop.HostPart(whole))))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		n    int64
		want string
	}{
		{9, "0 [4 1] [4 1]; 0 [4 3] [4 3]; 2 [1] [4]"},
		{8, "0 [4 1] [4 1]; 0 [4 3] [4 3]"},
		{101, "0 [50 1] [50 1]; 0 [50 3] [50 3]; 1 [1] [50]; 2 [93] [50]"},
		{0, ""},
	} {
		for _, f := range []*loop.Func{whole, part} {
			var list []string
			err := loop.Launches(t.Context(), f, []int64{0, test.n}, func(l loop.Launch) error {
				list = append(list, fmt.Sprint(l.Number, l.Groups, l.Values))
				return nil
			})
			if got := strings.Join(list, "; "); err != nil || got != test.want {
				t.Errorf("N = %d: %s, %v; expected %s", test.n, got, err, test.want)
			}
		}
	}
	failed, launches := errors.New("the device is gone"), 0
	err = loop.Launches(t.Context(), part, []int64{0, 9}, func(loop.Launch) error { launches++; return failed })
	if !errors.Is(err, failed) || launches != 1 {
		t.Errorf("%d launches, %v", launches, err)
	}
}
