package search

import (
	"math/big"

	"github.com/ricci-lang/ricci/internal/space"
)

// random draws points without repetition: the numbers of the points are permuted by
// a cycle-walking Feistel network, so that nothing needs to be remembered.
type random struct {
	config
	next *big.Int
	keys [4]uint64
	half uint // bits of half a number
}

func newRandom(c config) Strategy {
	r := &random{config: c, next: new(big.Int)}
	for i := range r.keys {
		r.keys[i] = c.rng.Uint64()
	}
	bits := new(big.Int).Sub(c.space.Count(), big.NewInt(1)).BitLen()
	r.half = max(1, uint(bits+1)/2)
	return r
}

func (r *random) Next() (space.Point, bool) {
	n := r.space.Count()
	if r.next.Cmp(n) >= 0 {
		return nil, false
	}
	at := new(big.Int).Set(r.next)
	for first := true; first || at.Cmp(n) >= 0; first = false {
		at = r.permute(at)
	}
	r.next.Add(r.next, big.NewInt(1))
	return r.space.At(at), true
}

func (r *random) Report(space.Point, float64, bool) {}

// permute is a bijection of the numbers of 2·half bits.
func (r *random) permute(n *big.Int) *big.Int {
	mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), r.half), big.NewInt(1))
	left, right := new(big.Int).Rsh(n, r.half), new(big.Int).And(n, mask)
	for _, k := range r.keys {
		mixed := scramble(right, k)
		left.Xor(left, mixed.And(mixed, mask))
		left, right = right, left
	}
	return left.Or(left.Lsh(left, r.half), right)
}

// scramble hashes a number to one of as many bits, 64 at a time.
func scramble(n *big.Int, key uint64) *big.Int {
	words := n.Bits()
	state := key
	for _, w := range words {
		state = mix(state ^ uint64(w))
	}
	result := new(big.Int)
	for range max(1, len(words)) {
		result.Lsh(result, 64)
		state = mix(state)
		result.Or(result, new(big.Int).SetUint64(state))
	}
	return result
}

// mix is the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
