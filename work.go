package ricci

import "github.com/ricci-lang/ricci/internal/compile"

// Work returns what one call has to do at least, whatever the schedule: the
// arithmetic operations on the elements, with sums over products of several factors parted
// as Ricci parts them, and the bytes of inputs and outputs, each counted once. Speeds and distances from the machine's limits refer to it.
func (d *Def) Work(signature Signature) (operations, bytes int64, err error) {
	return d.source.Work(compile.Signature(signature))
}

// Operations returns the operations of Work by kind: those on floats, and those on integers that depend on
// what arrays hold. Work counts the first, and the others only where there are none of these.
func (d *Def) Operations(signature Signature) (floats, integers int64, err error) {
	return d.source.Operations(compile.Signature(signature))
}
