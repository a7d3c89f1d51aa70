package ricci

import (
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

// Work returns what one call has to do at least, whatever the schedule: the
// arithmetic operations on the elements, with sums over products of several factors parted
// as Ricci parts them, and the bytes of inputs and outputs, each counted once. Speeds and distances from the machine's limits refer to it.
func (d *Def) Work(signature Signature) (operations, bytes int64, err error) {
	sizes, err := d.bind(signature)
	if err != nil {
		return 0, 0, err
	}
	operations, bytes = d.info.Func.Work(sizes)
	f, err := d.info.Func.Specialise(sizes, nil)
	if err != nil {
		return 0, 0, err
	}
	fewer, _ := rewrite.MinimiseOperations(f, numerics.Fast).Work(nil)
	return min(operations, fewer), bytes, nil
}

// Operations returns the operations of Work by kind: those on floats, and those on integers that depend on
// what arrays hold. Work counts the first, and the others only where there are none of these.
func (d *Def) Operations(signature Signature) (floats, integers int64, err error) {
	sizes, err := d.bind(signature)
	if err != nil {
		return 0, 0, err
	}
	floats, integers = d.info.Func.Operations(sizes)
	if floats > 0 {
		floats, _, err = d.Work(signature)
	}
	return floats, integers, err
}
