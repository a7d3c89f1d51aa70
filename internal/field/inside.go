package field

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// A Test asks whether images can be probed. What it depends on is computed in Stages before; Holds is true of no NaN.
type Test struct {
	Stages []Stage
	Holds  ein.Expr
}

// Inside is the test whether all images of an operator can be probed at a position: Support−1 < x_a < size_a − Support on all
// axes of all images, each with the largest support of the kernels that it is convolved with. Borders make no difference.
//
// A field that is composed is asked at the place of its coordinates. Where that depends on samples there is a test of its own,
// which may be made, samples and all, only where those before it hold. An operator is inside where all hold; of a field that
// is closed there is none. It is asked before Normalise, which may find that an image does not matter.
func (s *Store) Inside(o *Operator, position *Param, b *Binding) ([]Test, error) {
	w := &asker{Store: s, b: b, seen: map[visit]bool{}}
	dim := 1
	for _, n := range position.Shape {
		dim *= n
	}
	var place []*Term
	for n := range dim {
		place = append(place, s.Component(position, []Index{At(n)}[:len(position.Shape)]...))
	}
	here := &asked{place: place}
	w.places = []*asked{here}
	if err := w.walk(o.Body, here); err != nil {
		return nil, err
	}
	return w.tests()
}

// An asked is a place at which images are asked.
type asked struct {
	place   []*Term
	domains []domain
}

// A domain says where an image can be probed by kernels up to a support.
type domain struct {
	image   *Param // the first with that image
	grid    *Grid
	support int
}

type visit struct {
	term *Term
	at   *asked
}

// An asker finds the images of an operator, and where they are asked.
type asker struct {
	*Store
	b      *Binding
	places []*asked
	list   []*asked // those with images, in an order in which each depends on images of those before it only
	seen   map[visit]bool
}

func (w *asker) walk(t *Term, at *asked) error {
	if w.seen[visit{t, at}] {
		return nil
	}
	w.seen[visit{t, at}] = true
	if t.Op == Compose {
		return w.composed(t, at)
	}
	for _, a := range t.Args {
		if err := w.walk(a, at); err != nil {
			return err
		}
	}
	if t.Op == Conv {
		return w.image(t, at)
	}
	return nil
}

// composed asks the coordinates here, and the field at their values.
func (w *asker) composed(t *Term, at *asked) error {
	there := &asked{}
	for _, g := range t.Args[1:] {
		if err := w.walk(g, at); err != nil {
			return err
		}
		p, _, err := w.Normalise(w.Operator(nil, w.ProbeAt(g, at.place...)), NormaliseOptions{})
		if err != nil {
			return err
		}
		there.place = append(there.place, p.Body)
	}
	if n := slices.IndexFunc(w.places, func(known *asked) bool { return slices.Equal(known.place, there.place) }); n >= 0 {
		there = w.places[n]
	} else {
		w.places = append(w.places, there)
	}
	return w.walk(t.Args[0], there)
}

func (w *asker) image(t *Term, at *asked) error {
	grid, kernel := w.b.Grids[t.Param], w.b.Kernels[t.Kernel]
	if grid == nil || kernel == nil {
		return fmt.Errorf("the image %s or the kernel %s is not bound", t.Param.Name, t.Kernel.Name)
	}
	if len(grid.Sizes) != len(at.place) || len(at.place) != t.Param.Dim {
		return fmt.Errorf("the image %s of %d dimensions is bound to %d sizes, and asked at %d coordinates", t.Param.Name, t.Param.Dim, len(grid.Sizes), len(at.place))
	}
	if !slices.Contains(w.list, at) {
		w.list = append(w.list, at)
	}
	n := slices.IndexFunc(at.domains, func(d domain) bool { return d.grid.image() == grid.image() })
	if n < 0 {
		n = len(at.domains)
		at.domains = append(at.domains, domain{t.Param, grid, kernel.Support})
	}
	at.domains[n].support = max(at.domains[n].support, kernel.Support)
	return nil
}

// tests makes one test of all places that need no samples, and one of each other.
func (w *asker) tests() (list []Test, err error) {
	first, e := Test{}, newExpander(w.b)
	var needed []*ein.Local
	for _, at := range w.list {
		samples := slices.ContainsFunc(at.place, func(p *Term) bool { return p.has(fields) })
		to, places := e, &needed
		if samples {
			to, places = newExpander(w.b), new([]*ein.Local)
		}
		test := first.Holds
		if samples {
			test = nil
		}
		test, err := to.inside(at, test, places)
		switch {
		case err != nil:
			return nil, err
		case samples:
			list = append(list, Test{to.emit(nil, *places).Stages, test})
		default:
			first.Holds = test
		}
	}
	if first.Holds != nil {
		first.Stages = e.emit(nil, needed).Stages
		list = append([]Test{first}, list...)
	}
	return list, nil
}

// inside is a test, and that at one more place.
func (e *expander) inside(a *asked, test ein.Expr, needed *[]*ein.Local) (ein.Expr, error) {
	at := &spot{}
	for _, p := range a.place {
		v, err := e.value(p, map[Index]int{}, nil)
		if err != nil {
			return nil, err
		}
		at.position = append(at.position, v)
	}
	for _, d := range a.domains {
		place, _ := e.place(d.grid, d.image.Dim, at)
		*needed = append(*needed, place...)
		for k, x := range place {
			size := &ein.Cast{To: e.b.Real, X: d.grid.Sizes[k]}
			support := func(n int) ein.Expr { return ein.FloatConst(e.b.Real, float64(n)) }
			ref := &ein.LocalRef{Local: x}
			test = and(test, &ein.Binary{Op: ein.Lt, X: support(d.support - 1), Y: ref})
			test = and(test, &ein.Binary{Op: ein.Lt, X: ref, Y: &ein.Binary{Op: ein.Sub, X: size, Y: support(d.support)}})
		}
	}
	return test, nil
}

func and(x, y ein.Expr) ein.Expr {
	if x == nil {
		return y
	}
	return &ein.Binary{Op: ein.And, X: x, Y: y}
}
