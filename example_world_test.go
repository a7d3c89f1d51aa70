package ricci_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// A program of strands runs step by step: here square roots, each until it is exact enough.
func ExampleWorld() {
	program := ricci.MustParse("roots.diderot", `#version 2.0
input int n;
strand root(int i) {
  output real r = real(i);
  update {
    r = 0.5 * (r + real(i) / r);
    if (|r^2 - real(i)| < 0.001) { stabilize; }
  }
}
create_array { root(i) | i in 1 .. n }`)
	ctx := context.Background()
	n, err := tensor.FromSlice([]int32{4}, 1)
	if err != nil {
		log.Fatal(err)
	}
	world, err := program.Strands().World(ctx, ricci.WorldInputs{Values: map[string]*tensor.Tensor{"n": n}}, ricci.WorldOptions{SuperSteps: true})
	if err != nil {
		log.Fatal(err)
	}
	defer world.Close()
	for world.Count().Active > 0 {
		if err := world.Step(ctx); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%+v\n", world.Count())
	}
	roots, err := world.Output("r")
	if err != nil {
		log.Fatal(err)
	}
	for k := range roots.Tensor.Len() {
		fmt.Printf("%.3f ", roots.Tensor.Float(k))
	}
	// Output:
	// {Steps:1 Active:3 Stable:1}
	// {Steps:2 Active:3 Stable:1}
	// {Steps:3 Active:1 Stable:3}
	// {Steps:4 Active:0 Stable:4}
	// 1.000 1.414 1.732 2.000
}
