// Moon finds the edges of a picture: a program that uses Ricci as a library.
//
//	go run ./examples/go/moon examples/data/moon.png edges.png
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: moon FROM.png TO.png")
		os.Exit(2)
	}
	if err := edges(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "moon:", err)
		var diagnostic *ricci.Diagnostic
		if errors.As(err, &diagnostic) {
			fmt.Fprintln(os.Stderr, "try: ricci explain", diagnostic.Code)
		}
		os.Exit(1)
	}
}

func edges(ctx context.Context, from, to string) error {
	program, err := ricci.ParseFile("examples/tc/image.tc")
	if err != nil {
		return err
	}
	defer program.Close()
	def, err := program.Def("edges")
	if err != nil {
		return err
	}
	fmt.Println(def)

	image, err := tensor.Load(from)
	if err != nil {
		return err
	}
	results, err := def.Run(ctx, map[string]*tensor.Tensor{"image": image})
	if err != nil {
		return err
	}
	fmt.Println("writing", to, results["edge"].Shape())
	return tensor.Save(to, results["edge"])
}
