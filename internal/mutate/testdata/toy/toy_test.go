package toy

import "testing"

func TestSum(t *testing.T) {
	for _, test := range []struct{ n, step, want int }{{0, 2, 0}, {5, 2, 9}, {8, 3, 20}, {9, 3, 20}, {14, 5, 83}} {
		if got := Sum(test.n, test.step); got != test.want {
			t.Errorf("Sum(%d, %d) = %d, expected %d", test.n, test.step, got, test.want)
		}
	}
}

func TestHalvings(t *testing.T) {
	for n, want := range []int{0, 1, 2, 2, 3, 3, 3, 3, 4} {
		if got := Halvings(n); got != want {
			t.Errorf("Halvings(%d) = %d, expected %d", n, got, want)
		}
	}
}

func TestAt(t *testing.T) {
	if got := At(1, 2); got != (Point{1, 2}) {
		t.Error(got)
	}
}
