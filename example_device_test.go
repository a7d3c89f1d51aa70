package ricci_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// A device is opened, arrays are made in its memory, and kernels work on them there. This runs on whatever there is: a card, a device of OpenCL, or the
// processor, whose memory is that of the host.
func ExampleOpenDevice() {
	ctx := context.Background()
	device, err := ricci.OpenDevice(ctx, ricci.Options{}) // or Device: "cuda:0"
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	step := ricci.MustParse("step.tc", `def step(float(N) x) -> (y) { y(i) = x(i) + x(N - 1 - i) }`).MustDef("step")
	host := tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4}, 4))
	x := tensor.Must(host.To(device.Allocator()))
	y := tensor.Must(tensor.NewOn(device.Allocator(), tensor.Float32, 4))
	kernel, err := step.CompileFor(ctx, map[string]*tensor.Tensor{"x": x}, ricci.Options{On: device})
	if err != nil {
		log.Fatal(err)
	}
	defer kernel.Close()
	for range 3 {
		if err := kernel.Run(ctx, x, y); err != nil { // on a device with memory of its own it is queued
			log.Fatal(err)
		}
		x, y = y, x
	}
	if err := device.Wait(ctx); err != nil { // or read x
		log.Fatal(err)
	}
	fmt.Println(x, "after", kernel.Copies(), "copies")
	// Output: [20. 20. 20. 20.] after 0 copies
}
