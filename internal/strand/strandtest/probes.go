package strandtest

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// Probes draws a program whose strands each probe an image at a place of its own, inside unless there is a border, for
// derivatives of all orders, and write what they find. Nothing in it depends on the last bits of a number.
func Probes(source Source, real tensor.DType) (*strand.Program, strand.Given) {
	p := &strand.Program{Name: "probes", Real: real, Int: tensor.Int32}
	d := &drawer{source: source, p: p}
	given := d.image()
	i := p.Images[0]
	s := &strand.Sample{Image: i, Border: strand.Border(d.pick(5)), Kernel: p.Kernels[d.pick(len(p.Kernels))]}
	data := given.Images["img"]
	if s.Border == strand.NoBorder {
		total := data.Components
		for a := range data.Sizes {
			data.Sizes[a] = 2*s.Kernel.Support + d.pick(4)
			total *= data.Sizes[a]
		}
		for len(data.Samples) < total {
			data.Samples = append(data.Samples, float64(d.pick(64)-20)/4)
		}
		data.Samples = data.Samples[:total]
	}
	n := d.variable("n", strand.Parameter, strand.Type{Elem: strand.Int}).Parts[0]
	k := d.variable("k", strand.Temporary, strand.Type{Elem: strand.Int})
	p.Create = strand.Create{Iterators: []strand.Iterator{{Variable: k, Low: d.number(0), High: d.number(10)}}, Arguments: []ein.Expr{ref(k.Parts[0])}}
	wanted := 1 + d.pick(6)
	found := d.variable("found", strand.State, strand.Type{Elem: strand.Real, Shape: []int{wanted + 1}})
	found.Output = true
	for _, l := range found.Parts {
		p.Begin = append(p.Begin, assign(l, ein.FloatConst(real, 0)))
	}
	for _, size := range data.Sizes {
		at := d.temporary(strand.Real).Parts[0]
		low, high := float64(s.Kernel.Support)-1, float64(size-s.Kernel.Support)
		if s.Border != strand.NoBorder {
			far := 2 * float64(d.pick(2)) // else windows inside are as frequent as others
			low, high = -1-far*float64(size), float64(size)*(1+far)
		}
		// another fraction of the way for each strand and axis
		step := float64(d.pick(900)+50) / 1000
		part := binary(ein.Sub, binary(ein.Mul, &ein.Cast{To: real, X: ref(n)}, ein.FloatConst(real, step)), floorOf(binary(ein.Mul, &ein.Cast{To: real, X: ref(n)}, ein.FloatConst(real, step))))
		p.Update = append(p.Update, assign(at, binary(ein.Add, ein.FloatConst(real, low), binary(ein.Mul, part, ein.FloatConst(real, 0.999*(high-low))))))
		s.At = append(s.At, at)
	}
	for range outsideOf(s) { // one for all strands, or for each another
		outside := d.temporary(strand.Real).Parts[0]
		value := ein.Expr(ein.FloatConst(real, float64(d.pick(64)-20)/4))
		if d.chance(50) {
			value = binary(ein.Add, value, &ein.Cast{To: real, X: ref(n)})
		}
		p.Update = append(p.Update, assign(outside, value))
		s.Outside = append(s.Outside, outside)
	}
	for m := range wanted {
		c := strand.Component{To: found.Parts[m], Voxel: d.pick(i.Components())}
		for range i.Dim {
			c.Orders = append(c.Orders, d.pick(3))
		}
		s.Wanted = append(s.Wanted, c)
	}
	p.Update = append(p.Update, s, assign(found.Parts[wanted], ref(s.At[0])), &strand.Exit{Kind: strand.Stabilize})
	return p, given
}

func floorOf(e ein.Expr) ein.Expr {
	f, _ := ein.LookupBuiltin("floor")
	return &ein.Call{Func: f, Args: []ein.Expr{e}}
}

// outsideOf is how many components stand outside of an image that is sampled.
func outsideOf(s *strand.Sample) int {
	if s.Border == strand.Constant {
		return s.Image.Components()
	}
	return 0
}
