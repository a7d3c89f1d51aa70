package compile

import (
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

// Work returns what one call has to do at least: ricci.Def.Work explains it.
func (d *Def) Work(signature Signature) (operations, bytes int64, err error) {
	sizes, err := d.Bind(signature)
	if err != nil {
		return 0, 0, err
	}
	operations, bytes = d.Func.Work(sizes)
	f, err := d.Func.Specialise(sizes, nil)
	if err != nil {
		return 0, 0, err
	}
	fewer, _ := rewrite.MinimiseOperations(f, numerics.Fast).Work(nil)
	return min(operations, fewer), bytes, nil
}

// Operations returns the operations of Work by kind.
func (d *Def) Operations(signature Signature) (floats, integers int64, err error) {
	sizes, err := d.Bind(signature)
	if err != nil {
		return 0, 0, err
	}
	floats, integers = d.Func.Operations(sizes)
	if floats > 0 {
		floats, _, err = d.Work(signature)
	}
	return floats, integers, err
}
