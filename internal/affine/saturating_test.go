package affine

import (
	"math"
	"testing"
)

func TestSaturating(t *testing.T) {
	const most = math.MaxInt64
	for _, test := range []struct{ x, y, product, sum int64 }{
		{0, most, 0, most}, {most, 0, 0, most}, {1, most, most, most}, {3, 5, 15, 8},
		{most / 2, 2, most - 1, most/2 + 2}, {most/2 + 1, 2, most, most/2 + 3}, {1 << 40, 1 << 40, most, 1 << 41}, {most, most, most, most},
	} {
		if got := MultiplySaturating(test.x, test.y); got != test.product {
			t.Errorf("%d × %d is %d, want %d", test.x, test.y, got, test.product)
		}
		if got := AddSaturating(test.x, test.y); got != test.sum {
			t.Errorf("%d + %d is %d, want %d", test.x, test.y, got, test.sum)
		}
	}
}
