package field

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A Domain says where an image can be probed by kernels up to a support.
type Domain struct {
	Image   *Param // the first with that image
	Grid    *Grid
	Support int
}

// Domains are the images of an operator, each with the largest support of the kernels that it is convolved with. Borders make
// no difference. It is asked before Normalise, which may find that an image does not matter.
func Domains(o *Operator, b *Binding) ([]Domain, error) {
	var list []Domain
	number := map[any]int{}
	seen := map[*Term]bool{}
	var failed error
	var walk func(*Term)
	walk = func(t *Term) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		for _, a := range t.Args {
			walk(a)
		}
		if t.Op != Conv {
			return
		}
		grid, kernel := b.Grids[t.Param], b.Kernels[t.Kernel]
		if grid == nil || kernel == nil {
			failed = fmt.Errorf("the image %s or the kernel %s is not bound", t.Param.Name, t.Kernel.Name)
			return
		}
		n, ok := number[grid.image()]
		if !ok {
			n = len(list)
			number[grid.image()] = n
			list = append(list, Domain{t.Param, grid, kernel.Support})
		}
		list[n].Support = max(list[n].Support, kernel.Support)
	}
	walk(o.Body)
	return list, failed
}

// Inside is the test whether all images of an operator can be probed at the position: Support−1 < x_a < size_a − Support on
// all axes of all domains, which holds for no NaN. Its places are computed before it.
func Inside(o *Operator, position *Param, b *Binding) (places []Definition, test ein.Expr, err error) {
	domains, err := Domains(o, b)
	if err != nil {
		return nil, nil, err
	}
	e := newExpander(b)
	needed := map[*ein.Local]bool{}
	test = nil
	for _, d := range domains {
		at, _, err := e.place(d.Grid, d.Image.Dim, position)
		if err != nil {
			return nil, nil, err
		}
		if len(d.Grid.Sizes) != len(at) {
			return nil, nil, fmt.Errorf("the image %s is bound to %d sizes", d.Image.Name, len(d.Grid.Sizes))
		}
		for a, x := range at {
			needed[x] = true
			size := &ein.Cast{To: b.Real, X: d.Grid.Sizes[a]}
			support := func(n int) ein.Expr { return ein.FloatConst(b.Real, float64(n)) }
			ref := &ein.LocalRef{Local: x}
			test = and(test, &ein.Binary{Op: ein.Lt, X: support(d.Support - 1), Y: ref})
			test = and(test, &ein.Binary{Op: ein.Lt, X: ref, Y: &ein.Binary{Op: ein.Sub, X: size, Y: support(d.Support)}})
		}
	}
	if test == nil { // a field that is closed is everywhere
		test = ein.IntConst(tensor.Bool, 1)
	}
	return newEmitter(e).placed(needed), test, nil
}

func and(x, y ein.Expr) ein.Expr {
	if x == nil {
		return y
	}
	return &ein.Binary{Op: ein.And, X: x, Y: y}
}
