package build_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/abi"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/build"
	"github.com/ricci-lang/ricci/internal/device/cuda/cudatest"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// A cardCase is a def in a library for a card, with a call of it by testdata/card.c.
type cardCase struct {
	name, text string
	sizes      map[string]int64
	ways       string // of the client
	same       string // "y x": y lies in the memory of x
	schedule   string // of a library of its own; empty: that of the rules
	long       bool   // for sweeps
}

// fixedSize is compiled in; all others are open.
const fixedSize = "L"

var cardCases = []cardCase{
	{
		name: "scaled", ways: "etcs", sizes: map[string]int64{"L": 100},
		text: "def scaled(float(L) x, float a, double b, int16 c, uint8 d) -> (y) { y(i) = a * x(i) + float(b) * float(c) - float(d) }",
	},
	{
		name: "product", ways: "etc", sizes: map[string]int64{"M": 33, "K": 17, "N": 40},
		text: "def product(float(M,K) A, float(K,N) B) -> (C, s) { T(i,j) +=! A(i,k) * B(k,j)  s(i) max=! T(i,j)  C(i,j) = T(i,j) - s(i) }",
	},
	{
		name: "picked", ways: "w", sizes: map[string]int64{"N": 70, "M": 9},
		text: "def picked(float(N) x, int32(M) at) -> (y) { y(i) = x(at(i)) where i in 0:M }",
	},
}

// insideCard says that a test runs in a process that finds the card.
const insideCard = "RICCI_TEST_CARD_LIBRARY"

// TestCard builds libraries for a card, and has a program in C call them on its memory: results are those of the reference, nothing is
// done but in the stream of the caller, and nobody waits for it.
func TestCard(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc: apt-get install gcc")
	}
	if os.Getenv(insideCard) == "" {
		cudatest.Again(t, "TestCard", append(cudatest.Environment(t, "../target/cuda/testdata/shim.h", ""), insideCard+"=yes"))
		return
	}
	client, text, cases := cardClient(t), "", []cardCase{}
	for _, c := range cardCases {
		if !c.long || sweep.Long(t) {
			cases, text = append(cases, c), text+c.text+"\n"
		}
	}
	program := ricci.MustParse("cards.tc", text)
	library := cardLibrary(t, program, nil, ricci.Options{})
	for _, c := range cases {
		own := library
		if c.schedule != "" {
			own = cardLibrary(t, program, []string{c.name}, ricci.Options{Schedule: c.schedule})
		}
		c.run(t, client, program, own)
	}
}

// cardClient compiles the program in C.
func cardClient(t *testing.T) (path string) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "card")
	if err := os.WriteFile(filepath.Join(dir, "ricci.h"), []byte(abi.Header), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-rdynamic", "-I", dir, "-o", path, "testdata/card.c", "-pthread", "-ldl").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// cardLibrary builds a library of some defs, or of all, and returns its path.
func cardLibrary(t *testing.T, program *ricci.Program, defs []string, options ricci.Options) string {
	t.Helper()
	options.Device, options.NoCache = "cuda", true
	sizes := map[string]int64{fixedSize: cardCases[0].sizes[fixedSize]}
	paths, err := program.Build(t.Context(), defs, ricci.BuildOptions{Emit: ricci.EmitSO, Dir: t.TempDir(), Sizes: sizes, Options: options})
	if err != nil {
		t.Fatal(err)
	}
	return paths[0]
}

// run calls the def, and asks the reference about the results.
func (c *cardCase) run(t *testing.T, client string, program *ricci.Program, library string) {
	t.Helper()
	d, err := program.Def(c.name)
	if err != nil {
		t.Fatal(err)
	}
	given, err := argument.Resolve(d, argument.Request{Sizes: c.sizes, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	words, outputs := c.words(t, d, library, given)
	if out, err := exec.Command(client, append([]string{library, c.name, c.ways}, words...)...).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", c.name, err, out)
		return
	}
	results := map[string]*tensor.Tensor{}
	for name, file := range outputs {
		data, err := os.ReadFile(file.path)
		if err != nil {
			t.Fatal(err)
		}
		copy(bytesOf(file.tensor), data)
		results[name] = file.tensor
	}
	if _, err := d.Check(t.Context(), given.Args, results, c.sizes); err != nil {
		t.Errorf("%s: %v", c.name, err)
	}
}

// A kept array has its elements in a file.
type kept struct {
	path   string
	tensor *tensor.Tensor
}

// words are the arguments of the client: those of the descriptor, whose elements are in files.
func (c *cardCase) words(t *testing.T, d *ricci.Def, library string, given *argument.Arguments) (words []string, outputs map[string]kept) {
	t.Helper()
	data, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	var descriptor build.Descriptor
	if err := json.Unmarshal([]byte(descriptionIn(t, data, c.name)), &descriptor); err != nil {
		t.Fatal(err)
	}
	if descriptor.Device != 2 || descriptor.Architecture < 70 {
		t.Errorf("the descriptor is one of the device %d, of sm_%d", descriptor.Device, descriptor.Architecture)
	}
	signature, err := d.SignatureOf(given.Args)
	if err != nil {
		t.Fatal(err)
	}
	shapes, err := d.OutputShapes(signature.Shapes, c.sizes)
	if err != nil {
		t.Fatal(err)
	}
	outputs = map[string]kept{}
	for _, a := range descriptor.Arguments {
		x, role := given.Args[a.Name], a.Role
		switch {
		case role != "in":
			p := d.Outputs()[slices.IndexFunc(d.Outputs(), func(p ricci.Param) bool { return p.Name == a.Name })]
			y := tensor.Must(tensor.New(p.DType, shapes[a.Name]...))
			if x != nil {
				if err := y.CopyFrom(x); err != nil {
					t.Fatal(err)
				}
			}
			x = y
		case len(a.Shape) == 0:
			role = "number"
		}
		path := filepath.Join(t.TempDir(), a.Name)
		if err := os.WriteFile(path, bytesOf(x), 0o600); err != nil {
			t.Fatal(err)
		}
		var shape []string
		for k := range x.Rank() {
			shape = append(shape, fmt.Sprint(x.Dim(k)))
		}
		if a.Role != "in" {
			outputs[a.Name] = kept{path, x}
		}
		if output, input, _ := strings.Cut(c.same, " "); output == a.Name && a.Role == "out" {
			role = fmt.Sprintf("same%d", slices.IndexFunc(descriptor.Arguments, func(b build.DescriptorArgument) bool { return b.Name == input }))
		}
		words = append(words, fmt.Sprintf("%s:%d:%d:%s:%s", role, a.DLPack[0], a.DLPack[1], strings.Join(shape, "x"), path))
	}
	for _, s := range descriptor.Sizes {
		if s.Given {
			words = append(words, fmt.Sprintf("size:%d", c.sizes[s.Name]))
		}
	}
	return words, outputs
}

// bytesOf are the elements of a dense array.
func bytesOf(x *tensor.Tensor) []byte {
	n := x.DType().Size()
	for k := range x.Rank() {
		n *= x.Dim(k)
	}
	return unsafe.Slice((*byte)(x.Pointer()), n)
}
