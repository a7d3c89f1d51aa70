package field

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
)

// A probeKey says which numbers come from one Sample.
type probeKey struct {
	grid   *Grid
	kernel *Kernel
	place  string
}

// A probed is a Sample that is being collected. Its numbers are known by the component of the voxel, the axes of the world
// along which the derivative is still to be taken, and the orders of those along the axes of the image.
type probed struct {
	*Sample
	numbers map[string]scaled
}

// A madePlace is a position in the index space of an image.
type madePlace struct {
	at     []*ein.Local
	values []scaled
}

// convolution is V[α] ⊛ H^β at a position.
func (e *expander) convolution(t *Term, alpha, beta []int, at *spot) (scaled, error) {
	grid, kernel, dim := e.b.Grids[t.Param], e.b.Kernels[t.Kernel], t.Param.Dim
	switch {
	case grid == nil:
		return scaled{}, fmt.Errorf("the image %s is not bound", t.Param.Name)
	case kernel == nil:
		return scaled{}, fmt.Errorf("the kernel %s is not bound", t.Kernel.Name)
	case len(grid.Matrix) != dim*dim || len(grid.Shift) != dim:
		return scaled{}, fmt.Errorf("the image %s of %d dimensions is bound to a map of %d and %d numbers", t.Param.Name, dim, len(grid.Matrix), len(grid.Shift))
	case len(at.position) != dim:
		return scaled{}, fmt.Errorf("the image %s of %d dimensions is probed at %d coordinates", t.Param.Name, dim, len(at.position))
	}
	place, name := e.place(grid, dim, at)
	key := probeKey{grid, e.kernel(kernel), name}
	p := e.probes[key]
	if p == nil {
		p = &probed{&Sample{Grid: grid, Kernel: key.kernel, At: place}, map[string]scaled{}}
		e.probes[key] = p
		e.samples = append(e.samples, p.Sample)
	}
	slices.Sort(beta)
	return e.derivative(p, number(alpha, t.Param.Shape), beta, make([]int, dim)), nil
}

// derivative takes one derivative of world space at a time: Σ_i Matrix[i,j] ∂/∂x_i of what is left.
func (e *expander) derivative(p *probed, voxel int, world, orders []int) scaled {
	key := fmt.Sprint(voxel, world, orders)
	if v, ok := p.numbers[key]; ok {
		return v
	}
	var v scaled
	if len(world) == 0 {
		to := e.local("s")
		p.Wanted = append(p.Wanted, Wanted{To: to, Voxel: voxel, Orders: slices.Clone(orders)})
		v = e.atom(&ein.LocalRef{Local: to})
	} else {
		var list []scaled
		for i := range orders {
			m := e.atom(p.Grid.Matrix[i*len(orders)+world[0]])
			if m.isZero() {
				continue
			}
			along := slices.Clone(orders)
			along[i]++
			list = append(list, e.mul([]scaled{m, e.derivative(p, voxel, world[1:], along)}))
		}
		v = e.add(list)
	}
	p.numbers[key] = v
	return v
}

// kernel is the first kernel that is equal.
func (e *expander) kernel(k *Kernel) *Kernel {
	for _, known := range e.kernels {
		if known == k || known.Name == k.Name && known.equal(k) {
			return known
		}
	}
	e.kernels = append(e.kernels, k)
	return k
}

// place is the position in the index space of an image, and a name of it.
func (e *expander) place(grid *Grid, dim int, at *spot) ([]*ein.Local, string) {
	position := make([]scaled, dim)
	var name strings.Builder
	fmt.Fprintf(&name, "%p", grid.image())
	for n := range position {
		position[n] = e.given(at.position[n])
		fmt.Fprint(&name, " ", position[n].name())
	}
	if known, ok := e.places.known[name.String()]; ok {
		return known, name.String()
	}
	made := madePlace{}
	for a := range dim {
		var list []scaled
		for n, p := range position {
			list = append(list, e.mul([]scaled{e.atom(grid.Matrix[a*dim+n]), p}))
		}
		v := e.add(append(list, e.atom(grid.Shift[a])))
		made.values = append(made.values, v)
		if l, ok := v.isLocal(); ok {
			made.at = append(made.at, l)
		} else {
			made.at = append(made.at, e.local("x"))
		}
	}
	e.made = append(e.made, made)
	e.places.known[name.String()] = made.at
	return made.at, name.String()
}

// given is a number as a constant, or as one that is given: what is computed gets a local.
func (e *expander) given(v scaled) scaled {
	if v.of == nil || v.of.op == Tensor && v.by.Cmp(ratOne) == 0 {
		return v
	}
	key := v.key()
	c := e.computed[key]
	if c == nil {
		c = &computed{e.local("p"), v}
		e.computed[key], e.byLocal[c.to] = c, c
		e.coordinates = append(e.coordinates, c)
	}
	return e.atom(&ein.LocalRef{Local: c.to})
}

// A computed is a coordinate of a place that is computed.
type computed struct {
	to    *ein.Local
	value scaled
}

// key tells a number from others in an expansion.
func (v scaled) key() string {
	if v.of == nil {
		return v.by.RatString()
	}
	return fmt.Sprint(v.of.id, "*", v.by.RatString())
}

// isLocal returns the local that a number is, if it is one.
func (v scaled) isLocal() (*ein.Local, bool) {
	if v.of == nil || v.of.op != Tensor || v.by.Cmp(ratOne) != 0 {
		return nil, false
	}
	r, ok := v.of.atom.(*ein.LocalRef)
	if !ok {
		return nil, false
	}
	return r.Local, true
}

// name names a given number, for all expansions.
func (v scaled) name() string {
	if v.of == nil {
		return v.by.RatString()
	}
	if l, ok := v.isLocal(); ok {
		return fmt.Sprintf("%p", l)
	}
	return fmt.Sprintf("%p", v.of.atom)
}
