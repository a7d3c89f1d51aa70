package opencl

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/mdh"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target"
	target_opencl "github.com/ricci-lang/ricci/internal/target/opencl"
)

// TestFigures compares the MDH paper's configurations for CUDA and OpenCL, with fewer parts, with the evaluator of loops, bit for bit.
func TestFigures(t *testing.T) {
	d := opened(t)
	paths, err := filepath.Glob("../../schedule/mdh/testdata/figure*.small")
	if err != nil || len(paths) != 3 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		function, _, _ := strings.Cut(string(text), "domain ")
		f, err := ein.ParseFunc(path, function)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := schedule.Parse(strings.TrimPrefix(string(text), function))
		if err == nil {
			err = schedule.Check(f, tree)
		}
		if err != nil {
			t.Fatal(err)
		}
		onDevice(t, d, f, tree)
	}
}

// TestSpaceOfMDH compares points of MDH's space for a device with the evaluator of loops.
func TestSpaceOfMDH(t *testing.T) {
	d := opened(t)
	m, err := machine.Named("opencl").Scheduled()
	if err != nil {
		t.Fatal(err)
	}
	f, err := ein.ParseFunc("product", "func product { in A: float32[13, 40] in B: float32[40, 11] out C: float32[13, 11]\n for i in 0:13, j in 0:11, k in 0:40 reduce + { C[i, j] = A[i, k] * B[k, j] } }")
	if err != nil {
		t.Fatal(err)
	}
	s, err := mdh.NewSpace(f, m, mdh.SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	points, err := space.New(s.Groups...)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(7, 7))
	for range sweep.Draws(t, 1, 200) {
		if tree, err := s.Tree(points.Random(random)); err == nil {
			onDevice(t, d, f, tree)
		}
	}
}

// onDevice runs a function under a schedule on a device and by the evaluator of loops.
func onDevice(t *testing.T, d *Device, f *ein.Func, tree *schedule.Tree) {
	t.Helper()
	args, err := eintest.Arguments(1, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := lower.Lower(f, tree, lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	words, _, err := scheduletest.Subject{F: f, G: f, Args: args}.Words(kernel)
	if err != nil {
		t.Fatal(err)
	}
	module, err := (target_opencl.Target{}).Print(kernel, target.Options{Numerics: numerics.Strict})
	if err != nil {
		t.Fatalf("%v\n%s", err, schedule.Print(tree))
	}
	compareWith(t, d, words, kernel, module.Code)
}
