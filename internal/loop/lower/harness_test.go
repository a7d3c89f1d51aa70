package lower_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/fetch"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/target/c"
	"github.com/ricci-lang/ricci/tensor"
)

// A program is a function and the sizes of the test.
type program struct {
	f        *ein.Func
	sizes    map[string]int64
	expected *expected
}

// expected is what the reference evaluator says of a program, which it runs once.
type expected struct {
	once         sync.Once
	args         map[string]*tensor.Tensor
	want, bounds map[string]*tensor.Tensor
	err          error
}

func newProgram(f *ein.Func, sizes map[string]int64) program { return program{f, sizes, &expected{}} }

// expect returns what the evaluator says of random arguments.
func (p program) expect(t testing.TB) *expected {
	t.Helper()
	p.expected.once.Do(func() {
		e := p.expected
		e.args = p.arguments(t, 1)
		e.want, e.bounds, e.err = ein.EvaluateWithBounds(p.f, e.args, ein.EvalOptions{Sizes: p.sizes})
	})
	return p.expected
}

var sizesLine = regexp.MustCompile(`(\w+)=(-?\d+)`)

// readProgram parses ein text whose first line is a comment with the sizes.
func readProgram(t testing.TB, text string) program {
	t.Helper()
	f, err := ein.ParseFunc("program", text)
	if err != nil {
		t.Fatal(err)
	}
	p := newProgram(f, map[string]int64{})
	line := regexp.MustCompile(`(?m)^# sizes.*$`).FindString(text)
	for _, m := range sizesLine.FindAllStringSubmatch(line, -1) {
		p.sizes[m[1]], _ = strconv.ParseInt(m[2], 10, 64)
	}
	return p
}

// arguments makes random inputs. Integers stay small, so that they may serve as
// subscripts.
func (p program) arguments(t testing.TB, seed uint64) map[string]*tensor.Tensor {
	t.Helper()
	shapes, err := p.f.Shapes(p.sizes)
	if err != nil {
		t.Fatal(err)
	}
	args := map[string]*tensor.Tensor{}
	for k, x := range p.f.ByRole(ein.Input, ein.InOut) {
		a := newTensor(t, x.Type, shapes[x.Name])
		tensor.FillRandom(a, seed+uint64(k))
		if x.Type.IsInteger() {
			for o := range a.Offsets() {
				a.SetIntAt(o, int64(uint64(a.IntAt(o))%5))
			}
		}
		for _, s := range p.f.Sizes {
			if s.Tensor == x && s.Dim == ein.ScalarValue {
				a.SetInt(p.sizes[s.Name])
			}
		}
		args[x.Name] = a
	}
	return args
}

// defaultTree is the default schedule for the sizes, which must not be the fallback.
func (p program) defaultTree(t testing.TB, machine *machine.Processor) *schedule.Tree {
	t.Helper()
	g, err := p.f.Specialise(p.sizes, nil)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := standard.Default(g, machine)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Fallback != nil {
		t.Errorf("%v\n%s", tree.Fallback, g)
	}
	return tree
}

func newTensor(t testing.TB, d tensor.DType, shape []int64) *tensor.Tensor {
	t.Helper()
	a, err := tensor.New(d, ints(shape)...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// kernel compiles a loop program with the C compiler.
func kernel(t testing.TB, f *loop.Func, optimisation string) host.Function {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil || !host.Supported {
		t.Skip("no gcc on this machine, or no way to load what it makes")
	}
	text, err := c.Print(f, c.Options{Parallel: c.Serial})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, object := filepath.Join(dir, "k.c"), filepath.Join(dir, "k.so")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := []string{optimisation, "-std=gnu11", "-fPIC", "-shared", "-march=native", "-fwrapv", "-fno-math-errno", "-ffp-contract=fast",
		"-fno-strict-aliasing", "-Wno-psabi", "-o", object, source, "-lm"}
	if output, err := exec.Command(gcc, flags...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.3000s\n%.20000s", err, output, text)
	}
	library, err := host.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = library.Close() })
	entry, err := library.Function(c.Symbol(f.Name))
	if err != nil {
		t.Fatal(err)
	}
	return entry
}

// outputs allocates the outputs and copies the in-outs.
func (p program) outputs(t testing.TB, args map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	t.Helper()
	shapes, err := p.f.Shapes(p.sizes)
	if err != nil {
		t.Fatal(err)
	}
	outputs := map[string]*tensor.Tensor{}
	for _, x := range p.f.Outputs() {
		a := newTensor(t, x.Type, shapes[x.Name])
		if x.Role == ein.InOut {
			if err := a.CopyFrom(args[x.Name]); err != nil {
				t.Fatal(err)
			}
		}
		outputs[x.Name] = a
	}
	return outputs
}

// evaluate runs a lowered function in the loop evaluator.
func evaluate(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
	t.Helper()
	outputs := p.outputs(t, args)
	fault, err := loop.Evaluate(f, words(p, f, args, outputs))
	if err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(args)
	return outputs, fault == nil
}

// execute runs a lowered function on the machine.
func execute(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
	t.Helper()
	entry := kernel(t, f, "-O2") // as package host
	outputs := p.outputs(t, args)
	bytes, err := f.WorkspaceBytes(p.sizes, 1)
	if err != nil {
		t.Fatal(err)
	}
	workspace := make([]byte, bytes+64)
	block, fault := p.block(f, args, outputs, workspace)
	status := entry.Call((*int64)(unsafe.Pointer(&block[0])))
	runtime.KeepAlive(args)
	runtime.KeepAlive(workspace)
	runtime.KeepAlive(fault)
	return outputs, status == 0
}

// block makes the argument block of a kernel, and the words for a fault.
func (p program) block(f *loop.Func, args, outputs map[string]*tensor.Tensor, workspace []byte) ([]uint64, []int64) {
	for i := range workspace { // undefined contents
		workspace[i] = 0xa5
	}
	base := (uintptr(unsafe.Pointer(unsafe.SliceData(workspace))) + 63) &^ 63
	fault := make([]int64, 2)
	block := []uint64{0, 1, uint64(base), uint64(looptest.Address(fault))}
	for _, w := range f.Params {
		if w.Buffer == nil {
			block = append(block, uint64(p.sizes[w.Var.Name]))
			continue
		}
		a := outputs[w.Buffer.Name]
		if a == nil {
			a = args[w.Buffer.Name]
		}
		block = append(block, uint64(uintptr(a.Pointer())))
	}
	return block, fault
}

// A runner runs a lowered program, and reports whether it came to its end.
type runner func(testing.TB, program, *loop.Func, map[string]*tensor.Tensor) (outputs map[string]*tensor.Tensor, ok bool)

// marked lets a tree ask for what is ahead, as all makers of trees do, where the nearest cache has so many bytes.
func marked(f *ein.Func, tree *schedule.Tree, l1 int64) *schedule.Tree {
	fetch.Mark(f, tree, &machine.Processor{L1: l1}, nil)
	return tree
}

// verify lowers a program for a tree, runs it and compares with the evaluator. The sizes in
// keep stay symbolic.
func verify(t testing.TB, p program, tree *schedule.Tree, keep map[string]bool, run runner) {
	t.Helper()
	verifyFor(t, p, tree, keep, run, &machine.Processor{})
}

// verifyFor is verify where the tree asks for what is ahead on a processor.
func verifyFor(t testing.TB, p program, tree *schedule.Tree, keep map[string]bool, run runner, processor *machine.Processor) {
	t.Helper()
	if parsed, err := schedule.Parse(schedule.Print(tree)); err != nil || schedule.Print(parsed) != schedule.Print(tree) {
		t.Fatalf("the tree does not read back: %v\n%s", err, schedule.Print(tree))
	}
	g, err := p.f.Specialise(p.sizes, keep)
	if err != nil {
		t.Fatal(err)
	}
	fetch.Mark(g, tree, processor, nil)
	f, err := lower.Lower(g, tree, lower.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, schedule.Print(tree))
	}
	if err := loop.Verify(f); keep == nil && err != nil {
		t.Errorf("%v\n%s", err, schedule.Print(tree))
	}
	e := p.expect(t)
	got, ok := run(t, p, f, e.args)
	if ok != (e.err == nil) {
		t.Fatalf("the evaluator says %v, the kernel %t", e.err, ok)
	}
	for name := range e.want {
		compared, err := ein.Compare(got[name], e.want[name], e.bounds[name])
		if err != nil {
			t.Fatal(err)
		}
		if !compared.OK() {
			t.Errorf("%s: %d of %d elements differ; %v\n%s\n%s", name, compared.Mismatches, compared.Elements, compared.Worst, schedule.Print(tree), ein.Print(g))
		}
	}
}
