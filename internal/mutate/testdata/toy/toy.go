// Package toy is mutated by the tests of package mutate.
package toy

// Sum adds the numbers from 0 to n that are no multiples of a step.
func Sum(n, step int) int {
	sum := 0
	for i := 0; i <= n; i++ {
		if i%step == 0 || i == 7 {
			continue
		}
		sum += i
	}
	return sum
}

// Halvings counts how often a number above 0 is halved to nothing.
func Halvings(n int) int {
	count := 0
	for n > 0 {
		n = n / 2
		count++
	}
	return count
}

// Alone is what no test calls.
func Alone(x, y int) int { return x - y }

// A Point is made by At.
type Point struct{ X, Y int }

// At makes a point.
func At(x, y int) Point { return Point{X: x, Y: y} }
