package bench

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// An Interval says when there are samples enough: when the confidence interval of that level for the mean of each
// candidate reaches at most the part Width of the mean to both sides.
type Interval struct {
	Level float64 `json:"level"`
	Width float64 `json:"width"`
}

// Published is how the MDH paper measures.
func Published() Interval { return Interval{Level: 0.99, Width: 0.05} }

// ParseInterval reads LEVEL/WIDTH, such as 0.99/0.05.
func ParseInterval(text string) (Interval, error) {
	level, width, found := strings.Cut(text, "/")
	part := func(text string) (float64, bool) {
		v, err := strconv.ParseFloat(text, 64)
		return v, err == nil && v > 0 && v < 1
	}
	l, ok := part(level)
	w, also := part(width)
	if !found || !ok || !also {
		return Interval{}, fmt.Errorf("found %q, expected LEVEL/WIDTH, two numbers between 0 and 1: 0.99/0.05 takes samples until the 99 %% interval of each mean is within 5 %%", text)
	}
	return Interval{l, w}, nil
}

// reached reports whether the samples are enough.
func (i Interval) reached(samples []float64) bool {
	width := halfWidth(samples, i.Level)
	return width > 0 && width <= i.Width
}

// halfWidth is the relative half width of the confidence interval of the mean, by Student's distribution; 0 if there
// is none, because there are fewer than two samples.
func halfWidth(samples []float64, level float64) float64 {
	n := len(samples)
	mean := mean(samples)
	if n < 2 || mean <= 0 {
		return 0
	}
	squares := 0.0
	for _, v := range samples {
		squares += (v - mean) * (v - mean)
	}
	deviation := math.Sqrt(squares / float64(n-1))
	// A clock has steps: samples that are equal are known no better than these.
	return max(studentQuantile(level, n-1)*deviation/math.Sqrt(float64(n))/mean, 1e-9)
}

func mean(samples []float64) float64 {
	sum := 0.0
	for _, v := range samples {
		sum += v
	}
	return sum / max(float64(len(samples)), 1)
}

// studentQuantile is the t for which a variable of Student's distribution with that many degrees of freedom is in
// [-t, t] with the given probability, found by halving the angle atan(t/√freedom).
func studentQuantile(probability float64, freedom int) float64 {
	low, high := 0.0, math.Pi/2
	for range 60 {
		if angle := (low + high) / 2; studentProbability(angle, freedom) < probability {
			low = angle
		} else {
			high = angle
		}
	}
	return math.Sqrt(float64(freedom)) * math.Tan(low)
}

// studentProbability is the probability of [-t, t] with t = √freedom·tan(angle): a sum of powers of the cosine
// (Abramowitz and Stegun 26.7.3 and 26.7.4).
func studentProbability(angle float64, freedom int) float64 {
	sin, cos := math.Sincos(angle)
	term, sum := 1.0, 0.0
	if freedom%2 == 1 {
		term = cos
	}
	for k := freedom % 2; k <= freedom-2; k += 2 {
		sum += term
		term *= cos * cos * float64(k+1) / float64(k+2)
	}
	if freedom%2 == 1 {
		return (angle + sin*sum) * 2 / math.Pi
	}
	return sin * sum
}
