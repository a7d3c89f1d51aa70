package call

import (
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/tensor"
)

// A binding is what sizes shapes and scalars stand for.
type binding struct {
	forms []form // without strides
	sizes map[string]int64
}

// bind computes the sizes of a call of a kernel with dynamic sizes, and compares
// the others with those that are compiled in. A call like the last one has its sizes.
func (k *Kernel) bind(args []*tensor.Tensor) (map[string]int64, error) {
	if last := k.bound.Load(); last != nil && last.is(k, args) {
		return last.sizes, nil
	}
	signature := compile.Signature{Shapes: map[string][]int{}, Sizes: map[string]int64{}}
	for name, value := range k.sizes {
		signature.Sizes[name] = value
	}
	now := &binding{forms: make([]form, len(args))}
	for i, a := range k.arguments {
		f := &now.forms[i]
		f.shape = args[i].Shape()
		signature.Shapes[a.name] = f.shape
		if k.def.arguments[i].size {
			f.value = args[i].Int()
			signature.Sizes[a.name] = f.value
		}
	}
	var err error
	if now.sizes, err = k.def.Bind(signature); err == nil {
		k.bound.Store(now)
	}
	return now.sizes, err
}

// is reports whether arguments, whose types are right, have the shapes and values of the binding.
func (b *binding) is(k *Kernel, args []*tensor.Tensor) bool {
	for i := range b.forms {
		f := &b.forms[i]
		for dim, n := range f.shape {
			if args[i].Dim(dim) != n {
				return false
			}
		}
		if k.def.arguments[i].size && args[i].Int() != f.value {
			return false
		}
	}
	return true
}
