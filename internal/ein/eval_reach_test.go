package ein

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// indicesOf takes the position of a term apart, the last index runs fastest.
func indicesOf(k int, extents []int64) []int {
	index := make([]int, len(extents))
	for d := len(extents) - 1; d >= 0; d-- {
		index[d], k = k%int(extents[d]), k/int(extents[d])
	}
	return index
}

// largestInterval is the magnitude of the largest sum of neighbours, and that of all.
func largestInterval(list []float64) (largest, all float64) {
	for from := range list {
		sum := 0.0
		for _, x := range list[from:] {
			sum += x
			largest = max(largest, math.Abs(sum))
		}
		if from == 0 {
			all = math.Abs(sum)
		}
	}
	return largest, all
}

// reachByDefinition takes the terms in every order of the indices, deals them out to lanes, and adds
// every interval of a lane.
func reachByDefinition(list []float64, extents []int64) (within, merged float64) {
	deal := func(walked []float64, classes int, class func(k int) int) {
		dealt, together := make([][]float64, classes), 0.0
		for k, x := range walked {
			dealt[class(k)] = append(dealt[class(k)], x)
		}
		for _, lane := range dealt {
			largest, all := largestInterval(lane)
			within, together = max(within, largest), together+all
		}
		merged = max(merged, float64(classes-1)*together)
	}
	for _, order := range orders(len(extents)) {
		places := make([]int, len(list))
		for k := range places {
			places[k] = k
		}
		slices.SortStableFunc(places, func(a, b int) int {
			x, y := indicesOf(a, extents), indicesOf(b, extents)
			for _, d := range order {
				if x[d] != y[d] {
					return x[d] - y[d]
				}
			}
			return 0
		})
		walked := make([]float64, len(list))
		for k, place := range places {
			walked[k] = list[place]
		}
		inner := int(extents[order[len(order)-1]])
		for _, lanes := range []int{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 128} {
			if lanes == 1 || lanes < inner {
				deal(walked, lanes, func(k int) int { return k % inner % lanes })
			}
		}
	}
	patches := int(math.Pow(4, float64(len(extents))))
	if len(extents) > 1 && patches < len(list) {
		deal(list, patches, func(k int) (class int) {
			for _, i := range indicesOf(k, extents) {
				class = 4*class + i%4
			}
			return class
		})
	}
	return within, merged
}

// TestReachIsWhatItsDefinitionSays on whole numbers, where nothing rounds; an old value goes before all.
func TestReachIsWhatItsDefinitionSays(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 26))
	for _, extents := range [][]int64{{1}, {2}, {17}, {140}, {3, 5}, {5, 13}, {9, 8}, {1, 20}, {20, 1}, {2, 3, 4}, {5, 6, 7}, {2, 2, 3, 5}, {2, 3, 2, 2, 3}} {
		for range 8 {
			list := make([]float64, product(extents))
			drift := float64(random.IntN(5) - 2)
			for k := range list {
				list[k] = float64(random.IntN(21)-10) + drift
			}
			within, merged := reachByDefinition(list, extents)
			s := &summing{extents: extents}
			if w, m := s.reach(list); w != within || m != merged {
				t.Errorf("%v of %v: the largest sum is %v, merging takes %v; expected %v and %v", extents, list, w, m, within, merged)
			}
			if w, m := s.reach(append([]float64{-1000}, list...)); w != within+1000 || m != merged+1000 {
				t.Errorf("%v of -1000 and %v: the largest sum is %v, merging takes %v; expected %v and %v", extents, list, w, m, within+1000, merged+1000)
			}
			more := append([]float64{1, 2, 3}, list...) // of indices that are not known
			within, merged = reachByDefinition(more, []int64{int64(len(more))})
			if w, m := s.reach(more); w != within || m != merged {
				t.Errorf("%d terms of %v: the largest sum is %v, merging takes %v; expected %v and %v", len(more), extents, w, m, within, merged)
			}
		}
	}
	if all := orders(3); len(all) != 6 || !slices.Equal(all[0], []int{0, 1, 2}) {
		t.Errorf("the orders of three indices are %v", all)
	}
	if all := orders(4); len(all) != 4 || !slices.Equal(all[0], []int{0, 1, 2, 3}) || !slices.Equal(all[3], []int{1, 2, 3, 0}) {
		t.Errorf("the orders of four indices are %v", all)
	}
}

// TestBoundsOfReach: the bound of a sum of numbers of both signs follows from its reach, that of prefixes
// from the least and the greatest one.
func TestBoundsOfReach(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 26))
	for _, n := range []int{50, 700} {
		x := make([]float32, n)
		list, sizes, total := make([]float64, n), 0.0, 0.0
		for k := range x {
			x[k] = float32(random.NormFloat64())
			list[k] = float64(x[k])
			sizes, total = sizes+math.Abs(list[k]), total+list[k]
		}
		within, merged := reachByDefinition(list, []int64{int64(n)})
		_, bounds := evaluateWithBounds(t, fmt.Sprintf("func f { in X: float32[%[1]d] out y: float32[] for i in 0:%[1]d reduce + { y[] = X[i] } }", n), tensors{"X": arrayOf(t, x)})
		ofOneSign := float64(n-1) * (sizes + math.Abs(total)) / 2
		if n > 500 && float64(n-1)*within+merged > ofOneSign {
			t.Errorf("%d numbers are not enough: their reach is %v", n, within)
		}
		if got, want := bounds["y"].Float(), 0x1p-24*min(ofOneSign, float64(n-1)*within+merged); math.Abs(got-want) > 1e-6*want {
			t.Errorf("the bound of a sum of %d numbers is %v, expected %v", n, got, want)
		}
		_, bounds = evaluateWithBounds(t, fmt.Sprintf("func f { in X: float32[%[1]d] out y: float32[%[1]d] for i in 0:%[1]d scan + { y[i] = X[i] } }", n), tensors{"X": arrayOf(t, x)})
		sum, low, high := 0.0, 0.0, 0.0
		for k, v := range list {
			sum += v
			low, high = min(low, sum), max(high, sum)
			got, want := bounds["y"].Float(k), 0x1p-24*float64(k)*(high-low)
			if k > 20 && (got > want*(1+1e-6) || got < 0.2*want) {
				t.Errorf("the bound of the sum of the first %d numbers is %v, expected at most %v", k+1, got, want)
			}
		}
	}
}
