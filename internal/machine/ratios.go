package machine

import (
	"fmt"
	"strconv"
)

// How the facts of instructions are known
//
// Rules choose between ways of computing the same values: a vector is read in every multiplication, or held in a
// register; lanes are stored under a mask, or one by one. Which is faster hangs on the processor, and on what compilers
// make for it, and no feature bit says so. So each such fact is a ratio of times of two loops, which `ricci doctor
// --measure` measures (device/measure/ratios.go), and the families of processors on which it was measured once have
// it beforehand (families.go). A ratio that nobody knows is 0, and rules do as if it were 1.

// Ratios say how many times as long some ways of computing take as others do.
type Ratios struct {
	FoldedLoads  float64 `json:"folded_loads,omitempty"`
	MaskedStores float64 `json:"masked_stores,omitempty"`
	Gathers      float64 `json:"gathers,omitempty"`
	ByteCasts    float64 `json:"byte_casts,omitempty"`
	// What it costs, or helps, to ask for lines ahead.
	AskedSums     float64 `json:"asked_sums,omitempty"`
	AskedNearSums float64 `json:"asked_near_sums,omitempty"`
	AskedRows     float64 `json:"asked_rows,omitempty"`
	SharedSets    float64 `json:"shared_sets,omitempty"`
}

// ratioFacts is the table of all ratios, in the order in which they are printed.
var ratioFacts = []struct {
	name, meaning string
	at            func(*Ratios) *float64
	ofMemory      bool // it hangs on the caches, and holds whatever the instructions are
}{
	{"folded-loads", "the time of a register tile of products as compilers make it, who may read vectors in every multiplication again, to that of one that holds them in registers", func(r *Ratios) *float64 { return &r.FoldedLoads }, false},
	{"masked-stores", "the time of storing some lanes of a vector under a mask to that of storing one lane by itself", func(r *Ratios) *float64 { return &r.MaskedStores }, false},
	{"gathers", "the time of loading the lanes of a vector from anywhere by one instruction to that of a load and an insertion for each", func(r *Ratios) *float64 { return &r.Gathers }, false},
	{"byte-casts", "the time of making a vector of bytes of one of floats as compilers do to that of making it by way of 16 bits", func(r *Ratios) *float64 { return &r.ByteCasts }, false},
	{"asked-sums", "the time of a sum of what comes from main memory that asks for lines ahead to that of one that leaves it to the hardware", func(r *Ratios) *float64 { return &r.AskedSums }, true},
	{"asked-near-sums", "the time of a sum of what the last cache holds that asks for lines ahead to that of one that does not", func(r *Ratios) *float64 { return &r.AskedNearSums }, true},
	{"asked-rows", "the time of a transposition in main memory that asks for the lines of the next row ahead, far from those of this one, to that of one that does not", func(r *Ratios) *float64 { return &r.AskedRows }, true},
	{"shared-sets", "the time of running sums down rows a page apart, which share a set of the nearest cache, that take as many rows at a time as the set has lines, and so twice as many lines, to that of sums that take half as many rows", func(r *Ratios) *float64 { return &r.SharedSets }, true},
}

// Pays reports whether one way of computing is no slower than the other by their ratio, as it is taken to be where nobody
// has measured it.
func Pays(ratio float64) bool { return ratio <= 1 }

// ratioKeys are the rows of layerKeys for ratios.
func ratioKeys() []layerKey {
	var keys []layerKey
	for _, f := range ratioFacts {
		keys = append(keys, layerKey{name: f.name, of: ofCores, value: "RATIO", measured: true, meaning: f.meaning,
			get: func(l *Layer) string { return ratioText(*f.at(&l.Ratios)) },
			set: func(l *Layer, text string) error { return setRatio(f.at(&l.Ratios), text) }})
	}
	return keys
}

func ratioText(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func setRatio(to *float64, text string) error {
	const most = 1e6
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0 && v <= most) {
		return fmt.Errorf("expected a ratio of two times, such as 1.4")
	}
	*to = v
	return nil
}

// or returns the ratios, and where they are not known those of others.
func (r Ratios) or(others Ratios) Ratios {
	for _, f := range ratioFacts {
		if to := f.at(&r); *to == 0 {
			*to = *f.at(&others)
		}
	}
	return r
}

// ofMemory returns the ratios that hold whatever the instructions are.
func (r Ratios) ofMemory() (kept Ratios) {
	for _, f := range ratioFacts {
		if f.ofMemory {
			*f.at(&kept) = *f.at(&r)
		}
	}
	return kept
}

// A NamedRatio is a ratio with the words of the text form.
type NamedRatio struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Meaning string  `json:"meaning"`
}

// List returns the ratios that are known.
func (r Ratios) List() []NamedRatio {
	var list []NamedRatio
	for _, f := range ratioFacts {
		if v := *f.at(&r); v != 0 {
			list = append(list, NamedRatio{f.name, v, f.meaning})
		}
	}
	return list
}

// Set sets a ratio by its name in the text form; false where there is none of that name.
func (r *Ratios) Set(name string, value float64) bool {
	for _, f := range ratioFacts {
		if f.name == name {
			*f.at(r) = value
			return true
		}
	}
	return false
}
