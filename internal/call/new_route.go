package call

import (
	"context"
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// routeByName takes the long way for a call that makes its outputs.
func (d *Def) routeByName(ctx context.Context, args map[string]*tensor.Tensor, sizes map[string]int64, options Options) (*route, error) {
	for i := range d.arguments {
		if p := &d.arguments[i]; p.role == ein.Output && args[p.name] != nil {
			return nil, unusable(d.Def, p.name, "is an output: Run makes it, RunInto takes it")
		}
	}
	signature, err := d.signatureWith(args, sizes)
	if err != nil {
		return nil, err
	}
	for _, t := range d.Func.ByRole(ein.InOut) {
		delete(signature.Strides, t.Name)
	}
	list, _ := d.inOrder(nil, args)
	return d.route(ctx, list, signature, &request{made: true, sizes: sizes, options: &options})
}

// routeInto takes the long way for a call with outputs.
func (d *Def) routeInto(ctx context.Context, args []*tensor.Tensor, sizes map[string]int64, options Options) (*route, error) {
	if len(args) != len(d.arguments) {
		return nil, d.wrongCount(len(args))
	}
	named := map[string]*tensor.Tensor{}
	for i, t := range args {
		named[d.arguments[i].name] = t
	}
	signature, err := d.signatureWith(named, sizes)
	if err != nil {
		return nil, err
	}
	return d.route(ctx, args, signature, &request{sizes: sizes, options: &options})
}

// route makes the route for a call, with a use of its kernel that the caller releases, and
// keeps it.
func (d *Def) route(ctx context.Context, args []*tensor.Tensor, signature compile.Signature, c *request) (*route, error) {
	sizes, err := d.Bind(signature)
	if err != nil {
		return nil, err
	}
	shapes, err := d.Func.Shapes(sizes)
	if err != nil {
		return nil, err
	}
	// What is not usable has been refused.
	hash, often := d.hash(args, c), false
	if table := d.routes.Load(); table != nil {
		for _, old := range (*table)[hash] {
			often = often || old.shared && old.calls.Load() > callsForOwnKernel && old.fits(d, args, c)
		}
	}
	entry, shared, err := d.kernelFor(ctx, signature, sizes, *c.options, often)
	if err != nil {
		return nil, err
	}
	r := &route{made: c.made, given: maps.Clone(c.sizes), options: c.options.forKey(), entry: entry, sizes: sizes, shared: shared, forms: make([]form, len(args))}
	if n := entry.kernel.native; n != nil {
		if r.bytes, err = n.workspace(sizes); err != nil {
			entry.kernel.release()
			return nil, err
		}
	}
	for i := range d.arguments {
		r.describe(i, &d.arguments[i], args[i], compile.Ints(shapes[d.arguments[i].name]), c)
	}
	d.keep(hash, r)
	return r, nil
}

// describe notes what argument i is like.
func (r *route) describe(i int, p *parameter, t *tensor.Tensor, shape []int, c *request) {
	f := &r.forms[i]
	f.shape, f.strides = shape, tensor.RowMajor(shape)
	if p.role != ein.Input && c.made {
		r.outputs = append(r.outputs, i)
	}
	if c.given(p) && c.laidOut(p) {
		f.strides = t.Strides()
	}
	if p.size {
		f.value = t.Int()
	}
	if !r.entry.kernel.arguments[i].lies(f) {
		if r.copies == nil {
			r.copies = make([]bool, len(r.forms))
		}
		r.copies[i] = true
	}
}

// keep adds a route to the table, instead of an older one for the same calls.
func (d *Def) keep(hash uint64, r *route) {
	for {
		old := d.routes.Load()
		table := routes{}
		if old != nil && len(*old) < rememberedRoutes {
			table = maps.Clone(*old)
		}
		list := []*route{r}
		for _, other := range table[hash] {
			if !r.replaces(other) {
				list = append(list, other)
			}
		}
		table[hash] = list
		if d.routes.CompareAndSwap(old, &table) {
			d.last.Store(r)
			return
		}
	}
}

func (r *route) replaces(old *route) bool {
	return r.made == old.made && maps.Equal(r.given, old.given) && r.options.sameKernel(&old.options) && slices.EqualFunc(r.forms, old.forms, form.equal)
}

func (f form) equal(g form) bool {
	return f.value == g.value && slices.Equal(f.shape, g.shape) && slices.Equal(f.strides, g.strides)
}
