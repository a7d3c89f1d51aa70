package ricci_test

import (
	"context"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// The ways to call a def from Go, beside Kernel.Run, whose kernel does next to nothing here:
//
//	go test -run '^$' -bench 'BenchmarkCalls' -count 5 .
func BenchmarkCalls(b *testing.B) {
	d := parse(b, scaled)
	x, s, y := random(b, tensor.Float32, 1, 4), tensor.Scalar(float32(2)), random(b, tensor.Float32, 3, 4)
	k := compile(b, d, tensors{"A": x, "s": s}, ricci.Options{Target: ricci.C})
	options := ricci.Options{Target: ricci.C}
	bound, err := k.Bind(x, s, y)
	if err != nil {
		b.Fatal(err)
	}
	defer bound.Close()
	typed := ricci.MustTyped[scaledArguments](d, options)
	slices := scaledArguments{A: []float32{1, 2, 3, 4}, S: 2, B: make([]float32, 4)}
	args := tensors{"A": x, "s": s}
	ctx := context.Background()
	dynamic := compile(b, d, args, ricci.Options{Target: ricci.C, Dynamic: []string{"N"}})
	for _, way := range []struct {
		name string
		call func() error
	}{
		{"Call.Run", bound.Run},
		{"Kernel.Run", func() error { return k.Run(ctx, x, s, y) }},
		{"Kernel.Run,dynamic", func() error { return dynamic.Run(ctx, x, s, y) }},
		{"Def.RunInto", func() error { return d.RunIntoWith(ctx, nil, options, x, s, y) }},
		{"Typed.Run", func() error { return typed.Run(ctx, &slices) }},
		{"Def.Run", func() error { _, err := d.RunWith(ctx, args, nil, options); return err }},
		{"tensor.New", func() error { _, err := tensor.New(tensor.Float32, 4); return err }},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := way.call(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type scaledArguments struct {
	A []float32
	S float32
	B []float32
}
