package report

import (
	"cmp"
	"html/template"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/tune"
)

// An effect is how much a parameter mattered: η², the part of the variance of the
// logarithm of the time that the values of the parameter explain by themselves,
// against what chance explains.
type effect struct {
	Name    string
	Share   float64 // η², in percent
	Chance  float64 // the mean of η² under permutations of the times, in percent
	Matters bool    // fewer than one permutation in twenty explains as much
	Chart   template.HTML
}

const (
	permutations = 200
	mostValues   = 10 // more values than these are put into classes of equal size
)

// sample is a candidate that worked: its value of the parameter and log10 of seconds.
type sample struct{ value, cost float64 }

// level is a value, or a class of neighbouring ones, with the times of its candidates.
type level struct {
	text  string
	costs []float64
}

// effects returns the effect of every parameter that has different values, the
// largest first.
func effects(s *space.Space, list []tune.Measurement) []effect {
	var found []effect
	for i, name := range s.Names() {
		var samples []sample
		for _, m := range list {
			if !m.Failed() && m.Seconds > 0 {
				samples = append(samples, sample{float64(m.Point[i]), math.Log10(m.Seconds)})
			}
		}
		classes := classify(samples, func(v float64) string { return s.ValueText(i, int64(v)) })
		if len(classes) < 2 || len(samples) < 3 {
			continue
		}
		share, chance, exceeded := explained(classes, rand.New(rand.NewPCG(1, uint64(i))))
		found = append(found, effect{
			Name: name, Share: 100 * share, Chance: 100 * chance,
			Matters: float64(exceeded) < 0.05*permutations, Chart: levelsChart(name, classes),
		})
	}
	slices.SortStableFunc(found, func(a, b effect) int { return cmp.Compare(b.Share-b.Chance, a.Share-a.Chance) })
	return found
}

// classify groups samples by value, or by classes where there are many values.
func classify(samples []sample, text func(float64) string) []level {
	sorted := slices.Clone(samples)
	slices.SortStableFunc(sorted, func(a, b sample) int { return cmp.Compare(a.value, b.value) })
	distinct := map[float64]bool{}
	for _, s := range sorted {
		distinct[s.value] = true
	}
	least := 1 // samples of a class
	if len(distinct) > mostValues {
		least = (len(sorted) + mostValues - 1) / mostValues
	}
	var list []level
	for i := 0; i < len(sorted); {
		j := i
		for j < len(sorted) && (j-i < least || sorted[j].value == sorted[j-1].value) && (least > 1 || sorted[j].value == sorted[i].value) {
			j++
		}
		l := level{text: text(sorted[i].value)}
		if last := sorted[j-1].value; last != sorted[i].value {
			l.text += "…" + text(last)
		}
		for _, s := range sorted[i:j] {
			l.costs = append(l.costs, s.cost)
		}
		list, i = append(list, l), j
	}
	return list
}

// explained returns η² of classes, its mean over permutations, and how many of
// these explain as much.
func explained(classes []level, rng *rand.Rand) (share, chance float64, exceeded int) {
	var all []float64
	for _, c := range classes {
		all = append(all, c.costs...)
	}
	share = between(all, classes)
	for range permutations {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		e := between(all, classes)
		chance += e / permutations
		if e >= share {
			exceeded++
		}
	}
	return share, chance, exceeded
}

// between is the part of the variance of the costs, dealt out to classes in order,
// that is between the classes.
func between(all []float64, classes []level) float64 {
	mean := average(all)
	total, explained, at := 0.0, 0.0, 0
	for _, x := range all {
		total += (x - mean) * (x - mean)
	}
	for _, c := range classes {
		n := len(c.costs)
		d := average(all[at:at+n]) - mean
		explained += float64(n) * d * d
		at += n
	}
	if total == 0 {
		return 0
	}
	return explained / total
}

func average(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}
