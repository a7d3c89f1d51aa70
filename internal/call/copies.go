package call

import (
	"context"
	"errors"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// overlap reports whether an output shares bytes with another argument.
func (k *Kernel) overlap(args []*tensor.Tensor) bool {
	for i := range k.arguments {
		if !k.arguments[i].output {
			continue
		}
		for j := range k.arguments {
			if (j < i || !k.arguments[j].output) && k.sharesBytes(args, i, j) {
				return true
			}
		}
	}
	return false
}

func (k *Kernel) sharesBytes(args []*tensor.Tensor, i, j int) bool {
	lowI, highI := k.arguments[i].bytes(args[i])
	lowJ, highJ := k.arguments[j].bytes(args[j])
	return lowI < highJ && lowJ < highI
}

// sharesBytesThere is sharesBytes for a device with memory of its own.
func (k *Kernel) sharesBytesThere(args []*tensor.Tensor, i, j int) bool {
	if args[i].Memory() == nil || args[j].Memory() == nil {
		return false
	}
	lowI, highI := k.arguments[i].bytesThere(args[i])
	lowJ, highJ := k.arguments[j].bytesThere(args[j])
	return lowI < highJ && lowJ < highI
}

// marks says which arguments, that were checked, code cannot use where they are; nil: none.
func (k *Kernel) marks(args []*tensor.Tensor) []bool {
	switch {
	case k.native.allocator != nil:
		return k.marksThere(args)
	case k.overlap(args):
		return k.sharing(args)
	}
	return nil
}

// marksThere is marks for a device with memory of its own: what is on the host has to get there.
func (k *Kernel) marksThere(args []*tensor.Tensor) []bool {
	marks := k.sharing(args)
	for i := range args {
		marks[i] = marks[i] || args[i].Memory() == nil
	}
	if !slices.Contains(marks, true) {
		return nil
	}
	return marks
}

// sharing marks what must not be used in place: inputs that share memory with an
// output, and outputs that share memory with an earlier one.
func (k *Kernel) sharing(args []*tensor.Tensor) []bool {
	there := k.native.allocator != nil
	marks := make([]bool, len(args))
	for i, a := range k.arguments {
		for j, b := range k.arguments {
			if b.output && (j < i || !a.output) {
				marks[i] = marks[i] || there && k.sharesBytesThere(args, i, j) || !there && k.sharesBytes(args, i, j)
			}
		}
	}
	return marks
}

// joinedMarks adds marks to those of a call, which are its own.
func joinedMarks(own, others []bool) []bool {
	if own == nil {
		return others
	}
	for i := range others {
		own[i] = own[i] || others[i]
	}
	return own
}

// Copies returns how many arguments calls of the kernel have copied: since they were on the host and the code works on the memory
// of a device, shared memory with an output, or lay in it otherwise than the kernel was compiled for.
func (k *Kernel) Copies() int64 { return k.copies.Load() }

// runOnCopies computes with copies of the marked arguments that lie in memory as
// the kernel wants; marked outputs are written after the call. Made says that
// outputs that are not in-outs are new.
func (k *Kernel) runOnCopies(ctx context.Context, args []*tensor.Tensor, marks []bool, sizes map[string]int64, made bool) (err error) {
	actual := slices.Clone(args)
	var copies []*tensor.Tensor
	defer func() {
		for _, c := range copies {
			err = errors.Join(err, c.Close())
		}
	}()
	for i := range k.arguments {
		if !marks[i] {
			continue
		}
		same, err := k.arguments[i].copyOf(args[i], k.native.allocator, made && k.arguments[i].tensor.Role == ein.Output)
		if err != nil {
			return err
		}
		k.copies.Add(1)
		actual[i], copies = same, append(copies, same)
	}
	err = k.runNative(ctx, actual, sizes)
	for i, a := range k.arguments {
		if err == nil && a.output && marks[i] {
			err = args[i].CopyFrom(actual[i])
		}
	}
	return err
}
