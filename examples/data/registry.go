//go:build ignore

// Registry writes registry.npz: a synthetic registry of persons and new entries of
// some of them with errors, for examples/mdh/record_linkage.mdh:
//
//	go run examples/data/registry.go
//
// It is realistic in its shape: the frequencies of names fall like 1/rank, as in a
// telephone book; a part of the persons has married and changed the family name;
// fields are missing, days and months exchanged, years one off, names misheard, and
// people have moved. It is not in its numbers: no real data was looked at, and
// codes stand for names.
package main

import (
	"log"
	"math"
	"math/rand/v2"

	"github.com/ricci-lang/ricci/tensor"
)

const (
	registered = 400
	entries    = 96
)

// fields are those of the record Person, in its order.
var fields = []string{"given", "family", "birth_name", "day", "month", "year", "sex", "place"}

// The numbers of the fields.
const (
	given = iota
	family
	birthName
	day
	month
	year
	sex
	place
)

type person [8]int32

func main() {
	log.SetFlags(0)
	random := rand.New(rand.NewPCG(1926, 2024))
	registry := make([]person, registered)
	for i := range registry {
		registry[i] = draw(random)
	}
	arrived, who := make([]person, entries), make([]int64, entries)
	for i := range arrived {
		who[i] = random.Int64N(registered)
		arrived[i] = distort(random, registry[who[i]])
	}
	arrays := map[string]*tensor.Tensor{}
	add(arrays, "E_", registry)
	add(arrays, "N_", arrived)
	arrays["person"] = check(tensor.FromSlice(who, entries))
	if err := tensor.SaveAll("examples/data/registry.npz", arrays); err != nil {
		log.Fatal(err)
	}
}

func check(t *tensor.Tensor, err error) *tensor.Tensor {
	if err != nil {
		log.Fatal(err)
	}
	return t
}

func add(arrays map[string]*tensor.Tensor, prefix string, list []person) {
	for k, name := range fields {
		column := make([]int32, len(list))
		for i, p := range list {
			column[i] = p[k]
		}
		arrays[prefix+name] = check(tensor.FromSlice(column, len(column)))
	}
}

// zipf draws a code from 1 to n; code k comes about 1/k as often as code 1.
func zipf(random *rand.Rand, n int) int32 {
	return int32(math.Min(float64(n), math.Exp(random.Float64()*math.Log(float64(n+1)))))
}

func draw(random *rand.Rand) person {
	p := person{zipf(random, 400), zipf(random, 3000), 0, 1 + random.Int32N(28), 1 + random.Int32N(12), 1920 + random.Int32N(90), 1 + random.Int32N(2), zipf(random, 500)}
	p[birthName] = p[family]
	if random.IntN(4) == 0 {
		p[family] = zipf(random, 3000)
	}
	return p
}

// distort makes an entry of a person as it arrives: each error is rare.
func distort(random *rand.Rand, p person) person {
	seldom := func(percent int) bool { return random.IntN(100) < percent }
	if seldom(6) {
		p[given] = zipf(random, 400)
	}
	if seldom(5) {
		p[family] = zipf(random, 3000)
	}
	if seldom(30) {
		p[birthName] = 0
	}
	if seldom(4) {
		p[day], p[month] = p[month], p[day]
	}
	if seldom(3) {
		p[year] += 2*random.Int32N(2) - 1
	}
	if seldom(2) {
		p[sex] = 0
	}
	if seldom(15) {
		p[place] = zipf(random, 500)
	}
	return p
}
