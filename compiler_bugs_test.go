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
