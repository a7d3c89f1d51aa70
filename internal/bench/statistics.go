package bench

import (
	"math"
	"slices"
)

// A Spread is what many samples of the time of a call say, in seconds.
type Spread struct {
	Median float64 `json:"median_s"`
	Low    float64 `json:"q25_s"`
	High   float64 `json:"q75_s"`
	Least  float64 `json:"min_s"`
	Runs   int     `json:"runs"`
	// Mean has the confidence interval Mean·(1 ± Interval); 0 where there are fewer than two samples.
	Mean     float64 `json:"mean_s,omitempty"`
	Interval float64 `json:"interval,omitempty"`
}

// spreadOf sums samples up; the level is that of the confidence interval.
func spreadOf(samples []float64, level float64) Spread {
	sorted := slices.Sorted(slices.Values(samples))
	return Spread{
		Mean: mean(samples), Interval: halfWidth(samples, level),
		Median: quantile(sorted, 0.5), Low: quantile(sorted, 0.25), High: quantile(sorted, 0.75),
		Least: quantile(sorted, 0), Runs: len(sorted),
	}
}

// quantile interpolates between the elements of a sorted list; 0 for an empty one.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[low]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}

// uncertainty is the relative standard error of the median, from the quartiles:
// of normally distributed samples the distance of the quartiles is 1.35 standard
// deviations, and the median varies 1.25 times as much as the mean.
func (s Spread) uncertainty() float64 {
	if s.Median <= 0 || s.Runs < 2 {
		return math.Inf(1)
	}
	return 1.25 * (s.High - s.Low) / 1.35 / math.Sqrt(float64(s.Runs)) / s.Median
}

// geometricMean of positive numbers; 0 for none.
func geometricMean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}
