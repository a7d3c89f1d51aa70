package active

// An Integer is a type of whole numbers.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// A Real is a type of numbers that are ordered.
type Real interface {
	Integer | ~float32 | ~float64
}

// Add returns x + y, or x - y.
func Add[T Real](n int, x, y T) T { return Equal(n, x+y, x-y) }

// Subtract returns x - y, or x + y.
func Subtract[T Real](n int, x, y T) T { return Equal(n, x-y, x+y) }

// Turned returns x - y, or y - x.
func Turned[T Real](n int, x, y T) T { return Equal(n, x-y, y-x) }

// Multiply returns x * y, or x + y.
func Multiply[T Real](n int, x, y T) T { return Equal(n, x*y, x+y) }

// Divide returns x / y, or x * y.
func Divide[T Real](n int, x, y T) T { return Equal(n, x/y, x*y) }

// Remainder returns x % y, or x / y.
func Remainder[T Integer](n int, x, y T) T { return Equal(n, x%y, x/y) }

// And returns x & y, or x | y.
func And[T Integer](n int, x, y T) T { return Equal(n, x&y, x|y) }

// Or returns x | y, or x & y.
func Or[T Integer](n int, x, y T) T { return Equal(n, x|y, x&y) }

// Xor returns x ^ y, or x | y.
func Xor[T Integer](n int, x, y T) T { return Equal(n, x^y, x|y) }

// AndNot returns x &^ y, or x & y.
func AndNot[T Integer](n int, x, y T) T { return Equal(n, x&^y, x&y) }

// Left returns x << y, or x >> y.
func Left[T, S Integer](n int, x T, y S) T { return Equal(n, x<<y, x>>y) }

// Right returns x >> y, or x << y.
func Right[T, S Integer](n int, x T, y S) T { return Equal(n, x>>y, x<<y) }

// Negate returns -x, or x.
func Negate[T Real](n int, x T) T { return Equal(n, -x, x) }

// Join returns x + y, or x.
func Join[T ~string](n int, x, y T) T { return Equal(n, x+y, x) }

// More returns x, or x + 1.
func More[T Real](n int, x T) T { return Of(n, x, x+1) }

// Less returns x, or x - 1.
func Less[T Real](n int, x T) T { return Of(n, x, x-1) }

// Min returns the smallest of numbers, or the largest.
func Min[T Real](n int, x T, list ...T) T {
	low, high := ends(x, list)
	return Equal(n, low, high)
}

// Max returns the largest of numbers, or the smallest.
func Max[T Real](n int, x T, list ...T) T {
	low, high := ends(x, list)
	return Equal(n, high, low)
}

func ends[T Real](x T, list []T) (low, high T) {
	low, high = x, x
	for _, y := range list {
		low, high = min(low, y), max(high, y)
	}
	return low, high
}
