package measure

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"time"
	"unsafe"

	"github.com/ricci-lang/ricci/tensor"
)

// A Latency is the time of one load that waits for the one before it, somewhere in so many bytes.
type Latency struct {
	Bytes   int64   `json:"bytes"`
	Seconds float64 `json:"seconds"`
}

// The working sets of Latencies: from smallestSet to largestSet, of which a cache that one core sees
// has a small part, by half octaves as far as fineSet, and by octaves behind it.
const (
	smallestSet = 16 << 10
	fineSet     = 64 << 20
	largestSet  = 512 << 20
	lineBytes   = 64
)

// A working set is walked through in so many rounds of so long a time. The fastest counts: others
// have interrupted the rest.
const (
	latencyRounds = 5
	latencyTime   = 8 * time.Millisecond
)

// Latencies walks through working sets in an order that no prefetcher foresees, each line once,
// and times a load. It needs no compiler. The memory is in huge pages where the system has them,
// so that the tables of pages are not what is measured.
func Latencies(ctx context.Context) ([]Latency, error) {
	buffer, err := tensor.New(tensor.Uint64, largestSet/8)
	if err != nil {
		return nil, err
	}
	defer runtime.KeepAlive(buffer) // its memory goes with it
	words := unsafe.Slice((*uint64)(buffer.Pointer()), largestSet/8)
	random := rand.New(rand.NewPCG(1, 2))
	var list []Latency
	for bytes := int64(smallestSet); bytes <= largestSet; bytes *= 2 {
		for _, size := range []int64{bytes, bytes / 2 * 3} {
			if err := ctx.Err(); err != nil {
				return list, err
			}
			if size == bytes || size < fineSet {
				list = append(list, Latency{size, chase(words, int(size/lineBytes), random)})
			}
		}
	}
	return list, nil
}

// chase returns the time of a load in a circle through the first lines of a memory.
func chase(words []uint64, lines int, random *rand.Rand) float64 {
	const step = lineBytes / 8
	for n := range lines {
		words[n*step] = uint64(n * step)
	}
	for n := lines - 1; n > 0; n-- { // Sattolo: one circle through all
		k := random.IntN(n)
		words[n*step], words[k*step] = words[k*step], words[n*step]
	}
	best := math.Inf(1)
	at := uint64(0)
	for range latencyRounds {
		start, count := time.Now(), 0
		for time.Since(start) < latencyTime {
			const batch = 4096
			for range batch / 4 {
				at = words[at]
				at = words[at]
				at = words[at]
				at = words[at]
			}
			count += batch
		}
		best = min(best, time.Since(start).Seconds()/float64(count))
	}
	if at >= uint64(len(words)) { // never; the walk must not be optimised away
		return 0
	}
	return best
}

// A LastLevel is the last cache, as latencies show it.
type LastLevel struct {
	Bytes   int64   `json:"bytes"`    // about; neighbours of a virtual machine may have a part of it
	Seconds float64 `json:"seconds"`  // of a load from it
	Memory  float64 `json:"memory_s"` // of a load from memory
}

// FindLastLevel looks for a cache that is larger than known bytes, those of the caches before it.
// In it loads take much less time than in memory: the largest working set whose loads are nearer
// to its own (in the logarithm) is its size. Without one, loads are as slow as memory from soon
// behind the known caches on.
func FindLastLevel(curve []Latency, known int64) (LastLevel, bool) {
	if len(curve) == 0 {
		return LastLevel{}, false
	}
	memory := curve[len(curve)-1].Seconds
	const beyond = 2 // times the known caches: the next set still lies in them in part
	var inside *Latency
	for n := range curve {
		if curve[n].Bytes >= beyond*known {
			inside = &curve[n]
			break
		}
	}
	if inside == nil || inside.Seconds*clearly > memory {
		return LastLevel{}, false
	}
	found := LastLevel{Bytes: inside.Bytes, Seconds: inside.Seconds, Memory: memory}
	for _, l := range curve {
		if l.Bytes > found.Bytes && l.Seconds*l.Seconds <= inside.Seconds*memory {
			found.Bytes = l.Bytes
		}
	}
	return found, true
}

// clearly is how many times as long loads from memory take than those from the last cache, at least.
const clearly = 2
