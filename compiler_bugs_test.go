package ricci_test

import (
	"context"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// gcc 12 makes wrong vectors of scalars that are copied in turn between blocks on the stack;
// the flags of package host keep it from that.
func TestBlocksCopiedInTurn(t *testing.T) {
	p, err := ricci.Parse("rows.tc", `def f(float(N,K) A, float(K,M) B) -> (C, r) {
  C(i,j) +=! A(i,k) * B(k,j)
  r(i) max=! C(i,j)
}`)
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Def("f")
	if err != nil {
		t.Fatal(err)
	}
	const script = `
x = fuse_union(tile(build(C), 2, 3), tile(shift(build(r), 2, 1), 2, 3), 2)
a = promote(x, 1, B, register)
b = stripmine(unroll_partial(a, 2, 1), 2, 6)
c = pack(pack(promote(b, 0, r), 3, r, 1), 1, r)
codegen(unroll(unroll_partial(stripmine(c, 2, 2), 2, 1), 1))
`
	in := tensors{"A": random(t, tensor.Float32, 1, 17, 5), "B": random(t, tensor.Float32, 2, 5, 2)}
	want, err := d.Evaluate(context.Background(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := compile(t, d, in, ricci.Options{Target: ricci.C, Schedule: script})
	product, rows := random(t, tensor.Float32, 3, 17, 2), random(t, tensor.Float32, 4, 17)
	if err := k.Run(context.Background(), in["A"], in["B"], product, rows); err != nil {
		t.Fatal(err)
	}
	if ok, at := tensor.AllClose(rows, want["r"], 1e-6, 1e-6); !ok {
		t.Errorf("wrong at %v", at)
	}
}

// gcc 12 lets arrays of a loop that is written out share a place on the stack while both are used;
// package c declares them before the loop.
func TestArraysInUnrolledLoops(t *testing.T) {
	p, err := ricci.Parse("transposed.tc", "def f(uint32(M,N) A) -> (C) { C(i,j) = A(j,i) * uint32(2) where i in 0:N, j in 0:M }")
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Def("f")
	if err != nil {
		t.Fatal(err)
	}
	const tree = `domain S0[i, j]
band S0.i tile 64 parallel coincident | S0.j tile 64 unroll pad coincident
  place C private layout 2 1
    place A private
      band S0.i | S0.j vector 8
`
	in := tensors{"A": random(t, tensor.Uint32, 1, 65, 64)}
	want, err := d.Evaluate(context.Background(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := compile(t, d, in, ricci.Options{Target: ricci.C, Schedule: tree})
	got := random(t, tensor.Uint32, 2, 64, 65)
	if err := k.Run(context.Background(), in["A"], got); err != nil {
		t.Fatal(err)
	}
	if !tensor.Equal(got, want["C"]) {
		t.Errorf("C is not A transposed, times 2")
	}
}
