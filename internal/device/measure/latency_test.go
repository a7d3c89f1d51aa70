package measure

import "testing"

func curveOf(levels ...Latency) (curve []Latency) {
	for bytes := int64(smallestSet); bytes <= largestSet; bytes *= 2 {
		for _, l := range levels {
			if bytes <= l.Bytes {
				curve = append(curve, Latency{bytes, l.Seconds})
				break
			}
		}
	}
	return curve
}

// A last cache is found behind those that are known, by its plateau, and not where there is none.
func TestFindLastLevel(t *testing.T) {
	const ns = 1e-9
	all := curveOf(Latency{32 << 10, 1 * ns}, Latency{1 << 20, 4 * ns}, Latency{32 << 20, 15 * ns}, Latency{largestSet, 100 * ns})
	none := curveOf(Latency{32 << 10, 1 * ns}, Latency{1 << 20, 4 * ns}, Latency{largestSet, 100 * ns})
	if found, ok := FindLastLevel(all, 1<<20); !ok || found.Bytes != 32<<20 || found.Seconds != 15*ns || found.Memory != 100*ns {
		t.Errorf("found %+v, %v, expected 32 MB", found, ok)
	}
	if found, ok := FindLastLevel(none, 1<<20); ok {
		t.Errorf("found %+v, where there is none", found)
	}
	if _, ok := FindLastLevel(nil, 1<<20); ok {
		t.Error("found a cache in nothing")
	}
}
