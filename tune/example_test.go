package tune_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tune"
)

// A program that tunes calls ServeIfWorker first thing in main, because candidates
// run in processes of their own.
func ExampleRun() {
	// In main: tune.ServeIfWorker()
	program, err := ricci.Parse("scale.tc", `def scale(float(N) X, float a) -> (Y) { Y(i) = a * X(i) }`)
	if err != nil {
		log.Fatal(err)
	}
	def, err := program.Def("scale")
	if err != nil {
		log.Fatal(err)
	}
	signature, err := def.SignatureForSizes(map[string]int64{"N": 1000})
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "tune-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	outcome, err := tune.Run(context.Background(), def, signature, tune.Options{
		Compile:     ricci.Options{CacheDir: dir}, // the user's cache when empty
		Evaluations: 2,
	})
	if err != nil {
		fmt.Println(err) // no C compiler, for example
		return
	}
	// From now on Compile and Run use what was found.
	log.Printf("%.2f times the speed of the default", outcome.Speedup())
}
