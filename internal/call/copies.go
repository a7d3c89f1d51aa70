package call

import (
	"context"
	"errors"
	"slices"

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

// sharing marks what must not be used in place: inputs that share memory with an
// output, and outputs that share memory with an earlier one.
func (k *Kernel) sharing(args []*tensor.Tensor) []bool {
	marks := make([]bool, len(args))
	for i, a := range k.arguments {
		for j, b := range k.arguments {
			if b.output && (j < i || !a.output) && k.sharesBytes(args, i, j) {
				marks[i] = true
			}
		}
	}
	return marks
}

// runOnCopies computes with copies of the marked arguments that lie in memory as
// the kernel wants; marked outputs are written after the call.
func (k *Kernel) runOnCopies(ctx context.Context, args []*tensor.Tensor, marks []bool, sizes map[string]int64) (err error) {
	actual := slices.Clone(args)
	var owners []*tensor.Tensor
	defer func() {
		for _, owner := range owners {
			err = errors.Join(err, owner.Close())
		}
	}()
	for i := range k.arguments {
		if !marks[i] {
			continue
		}
		same, owner, err := k.arguments[i].copyOf(args[i])
		if err != nil {
			return err
		}
		actual[i], owners = same, append(owners, owner)
	}
	err = k.runNative(ctx, actual, sizes)
	for i, a := range k.arguments {
		if err == nil && a.output && marks[i] {
			err = args[i].CopyFrom(actual[i])
		}
	}
	return err
}
