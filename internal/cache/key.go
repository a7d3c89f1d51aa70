package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// A Key is the hash over everything that decides what a kernel is.
type Key [sha256.Size]byte

// String returns the key in hexadecimal digits.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// A KeyBuilder hashes a list of texts. Each is preceded by its length, so that
// different lists have different keys.
type KeyBuilder struct{ sum hash.Hash }

// NewKey starts a key of a kind.
func NewKey(kind string) *KeyBuilder {
	b := &KeyBuilder{sum: sha256.New()}
	return b.Add(kind)
}

// Add hashes more texts.
func (b *KeyBuilder) Add(texts ...string) *KeyBuilder {
	for _, text := range texts {
		b.AddInt(int64(len(text)))
		b.sum.Write([]byte(text))
	}
	return b
}

// AddInt hashes numbers.
func (b *KeyBuilder) AddInt(numbers ...int64) *KeyBuilder {
	var word [8]byte
	for _, n := range numbers {
		binary.LittleEndian.PutUint64(word[:], uint64(n))
		b.sum.Write(word[:])
	}
	return b
}

// Key returns the key of what was added so far.
func (b *KeyBuilder) Key() Key { return Key(b.sum.Sum(nil)) }
