package build_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
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
	symbol     string // of the function; empty: name
	guards     int    // that trip
	descriptor []byte // nil: it is in the library
}

// fixedSize is compiled in; all others are open.
const fixedSize = "L"

var cardCases = []cardCase{
	{
		name: "scaled", ways: "efstxc", sizes: map[string]int64{"L": 100},
		text: "def scaled(float(L) x, float a, double b, int16 c, uint8 d) -> (y) { y(i) = a * x(i) + float(b) * float(c) - float(d) }",
	},
	{
		name: "product", ways: "eftc", sizes: map[string]int64{"M": 33, "K": 17, "N": 40},
		text: "def product(float(M,K) A, float(K,N) B) -> (C, s) { T(i,j) +=! A(i,k) * B(k,j)  s(i) max=! T(i,j)  C(i,j) = T(i,j) - s(i) }",
	},
	{
		name: "picked", ways: "fwx", sizes: map[string]int64{"N": 70}, same: "y x",
		text: "def picked(float(N) x, int32(N) at) -> (y, z) { y(i) = x(at(i))  z(i) += x(N-1-i) }",
	},
	{
		name: "classes", ways: "e", sizes: map[string]int64{"N": 30, "class": 7}, long: true,
		text: "def classes(float(N) x, int16 class) -> (y) { y(i,k) = x(i) * float(k) where k in 0:class }",
	},
	{
		name: "total", ways: "ftc", sizes: map[string]int64{"L": 100}, long: true,
		text: "def total(float(L,L,L) x) -> (s) { s +=! x(i,j,k) }",
	},
	{
		name: "deep", ways: "f", sizes: map[string]int64{"L": 100}, schedule: deep,
		text: "def deep(float(L,L) A, float(L,L) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }",
	},
	{
		name: "blocks", ways: "ft", sizes: map[string]int64{"M": 19, "K": 21, "N": 5}, long: true, schedule: blocks,
		text: "def blocks(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }",
	},
}

// blocks has a loop of the host around its groups.
const blocks = `domain S0[i, j, k]
accumulate S0 output
  band S0.k tile 8
    band S0.i groups | S0.j items 8
      band S0.k
`

// deep has 100 KiB of local memory, more than a kernel of CUDA can declare.
const deep = `domain S0[i, j, k]
band S0.i tile 100 groups | S0.j tile 100 groups
  accumulate S0 register
    band S0.k tile 100
      place A local pad 28
        place B local pad 28
          band S0.k
            band S0.i tile 10 items 10 | S0.j tile 10 items 10
              band S0.i | S0.j
`

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
	old := cardCases[1]
	old.ways = "wft" // memory that is not of the stream is waited for
	t.Setenv(cudatest.Variable, "old")
	old.run(t, client, program, library)
	t.Setenv(cudatest.Variable, "")
	checkSmall(t, client, program)
	checkFault(t, client, program, library)
	if sweep.Long(t) {
		checkGuards(t, client)
	}
	if sweep.Long(t) { // python/tests/test_card.py does so, too
		checkLoaded(t, client, program)
	}
}

// checkSmall: a library whose groups have more local memory than a card gives them says so there.
func checkSmall(t *testing.T, client string, program *ricci.Program) {
	t.Helper()
	c := deepCase()
	library := cardLibrary(t, program, []string{c.name}, ricci.Options{Schedule: deep})
	t.Setenv(cudatest.Variable, "shared 48")
	c.ways = "w"
	const want = "a group of ricci_deep has 102400 bytes of shared memory, and this card gives fewer (1)"
	if out, _, err := c.call(t, client, c.def(t, program), library, c.arguments(t, program)); err == nil || !strings.Contains(out, want) {
		t.Errorf("a small card: %v\n%s", err, out)
	}
	cudatest.Again(t, "TestDeep", os.Environ())
	t.Setenv(cudatest.Variable, "")
	cudatest.Again(t, "TestDeep", os.Environ())
}

// deepCase is the case whose launches give groups local memory.
func deepCase() cardCase {
	return cardCases[slices.IndexFunc(cardCases, func(c cardCase) bool { return c.schedule == deep })]
}

// TestDeep runs it on a card, which has room for it or refuses it; TestCard starts it for both.
func TestDeep(t *testing.T) {
	if os.Getenv(insideCard) == "" {
		t.Skip("TestCard starts it")
	}
	c := deepCase()
	program := ricci.MustParse("deep.tc", c.text)
	d, given := c.def(t, program), c.arguments(t, program)
	results, err := d.RunWith(t.Context(), given.Args, given.Sizes, ricci.Options{Device: "cuda:0", Schedule: deep, NoCache: true})
	if os.Getenv(cudatest.Variable) != "" {
		if err == nil || !strings.Contains(err.Error(), "102400 bytes of local memory, of which there are 49152") {
			t.Errorf("a small card: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Check(t.Context(), given.Args, results, given.Sizes); err != nil {
		t.Error(err)
	}
}

// checkGuards calls a def whose products are parted, with a guard that trips and with one that does not.
func checkGuards(t *testing.T, client string) {
	t.Helper()
	c := cardCase{name: "mttkrp", ways: "wf", sizes: map[string]int64{"I": 32, "J": 32, "K": 64, fixedSize: 64},
		text: "def mttkrp(float(I,K,L) T, float(L,J) C, float(K,J) D) -> (O) { O(i,j) +=! T(i,k,l) * C(l,j) * D(k,j) }"}
	program := ricci.MustParse("guarded.tc", c.text)
	paths, err := program.Build(t.Context(), nil, ricci.BuildOptions{Emit: ricci.EmitSO, Dir: t.TempDir(), Sizes: c.sizes, Options: ricci.Options{Device: "cuda", NoCache: true}})
	if err != nil {
		t.Fatal(err)
	}
	c.run(t, client, program, paths[0])
	given := c.arguments(t, program)
	given.Args["T"].SetFloat(math.Inf(1), 0, 0, 0)
	c.guards = 1
	c.judge(t, client, c.def(t, program), paths[0], given)
}

// checkLoaded calls a def by libraries for a running program.
func checkLoaded(t *testing.T, client string, program *ricci.Program) {
	t.Helper()
	c := cardCases[1]
	signature, err := c.def(t, program).SignatureOf(c.arguments(t, program).Args)
	if err != nil {
		t.Fatal(err)
	}
	l, err := c.def(t, program).Library(t.Context(), signature, ricci.Options{Device: "cuda:0", NoCache: true}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c.symbol, c.descriptor, c.ways = "kernel", l.Descriptor, "t"
	c.run(t, client, program, strings.Join(l.Libraries, ":"))
}

// checkFault calls a def with a subscript that is out of bounds.
func checkFault(t *testing.T, client string, program *ricci.Program, library string) {
	t.Helper()
	c := cardCases[2]
	c.ways = "w"
	given := c.arguments(t, program)
	given.Args["at"].SetInt(70, 3)
	out, _, err := c.call(t, client, c.def(t, program), library, given)
	if want := "13: cards.tc:3:56: error[E0611]: x is read at 70 in dimension 0"; err == nil || !strings.HasPrefix(out, want) || !strings.Contains(out, "^^^^^^") {
		t.Errorf("%v, expected %s\n%s", err, want, out)
	}
}

// TestCardText: where nothing compiles for cards the library has the text of its kernels, which is compiled at the first call; where there is nothing either,
// an error says what to install.
func TestCardText(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc: apt-get install gcc")
	}
	const libraries = "RICCI_TEST_CARD_LIBRARIES"
	fake := os.Getenv(libraries)
	if fake == "" && !sweep.Long(t) {
		t.Skip("a sweep: RICCI_LONG=1")
	}
	if fake == "" {
		fake, bin, none := cudatest.Libraries(t, "../target/cuda/testdata/shim.h"), t.TempDir(), t.TempDir()
		for _, tool := range []string{"gcc", "as", "ld"} { // and no clang
			path, err := exec.LookPath(tool)
			if err == nil {
				err = os.Symlink(path, filepath.Join(bin, tool))
			}
			if err != nil {
				t.Skip(err)
			}
		}
		if err := os.Symlink(filepath.Join(fake, "libcuda.so.1"), filepath.Join(none, "libcuda.so.1")); err != nil {
			t.Fatal(err)
		}
		cudatest.Again(t, "TestCardText", append(os.Environ(), libraries+"="+fake+":"+none, "PATH="+bin, "RICCI_TEST_PATH="+os.Getenv("PATH"), "LD_LIBRARY_PATH="+none))
		return
	}
	fake, none, _ := strings.Cut(fake, ":")
	c, notices := cardCases[0], ""
	program := ricci.MustParse("cards.tc", c.text)
	client, library := cardClient(t), cardLibrary(t, program, nil, ricci.Options{Notice: func(text string) { notices += text }})
	if !strings.Contains(notices, "the library has the text of scaled") {
		t.Skip("something here compiles for cards: ", notices)
	}
	t.Setenv("PATH", os.Getenv("RICCI_TEST_PATH"))
	t.Setenv("LD_LIBRARY_PATH", fake)
	c.ways = "ft"
	c.run(t, client, program, library)
	t.Setenv("LD_LIBRARY_PATH", none)
	c.ways = ""
	if out, _, err := c.call(t, client, c.def(t, program), library, c.arguments(t, program)); err == nil || !strings.Contains(out, "14: scaled: the run-time compiler of CUDA, of which this library has the text of its kernels: there is no libnvrtc.so") {
		t.Errorf("without a compiler: %v, %s", err, out)
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
	c.judge(t, client, c.def(t, program), library, c.arguments(t, program))
}

// judge calls a def with some arguments, and asks the reference about the results.
func (c *cardCase) judge(t *testing.T, client string, d *ricci.Def, library string, given *argument.Arguments) {
	t.Helper()
	out, outputs, err := c.call(t, client, d, library, given)
	if err != nil {
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

func (c *cardCase) def(t *testing.T, program *ricci.Program) *ricci.Def {
	t.Helper()
	d, err := program.Def(c.name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// arguments draws those of a call.
func (c *cardCase) arguments(t *testing.T, program *ricci.Program) *argument.Arguments {
	t.Helper()
	given, err := argument.Resolve(c.def(t, program), argument.Request{Sizes: c.sizes, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	return given
}

// call runs the client, and returns what it says and where it leaves outputs.
func (c *cardCase) call(t *testing.T, client string, d *ricci.Def, library string, given *argument.Arguments) (said string, outputs map[string]kept, err error) {
	t.Helper()
	words, outputs := c.words(t, d, library, given)
	out, err := exec.Command(client, append([]string{library, cmp.Or(c.symbol, c.name), c.ways}, words...)...).CombinedOutput()
	return string(out), outputs, err
}

// A kept array has its elements in a file.
type kept struct {
	path   string
	tensor *tensor.Tensor
}

// words are the arguments of the client: those of the descriptor, whose elements are in files.
func (c *cardCase) words(t *testing.T, d *ricci.Def, library string, given *argument.Arguments) (words []string, outputs map[string]kept) {
	t.Helper()
	text := c.descriptor
	if text == nil {
		data, err := os.ReadFile(library)
		if err != nil {
			t.Fatal(err)
		}
		text = []byte(descriptionIn(t, data, c.name))
	}
	var descriptor build.Descriptor
	if err := json.Unmarshal(text, &descriptor); err != nil {
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
	if c.guards > 0 {
		words = append(words, fmt.Sprintf("guards:%d", c.guards))
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

// TestCardExamples calls defs of the examples, of which some sizes are compiled in, by libraries for a card.
func TestCardExamples(t *testing.T) {
	if !sweep.Long(t) {
		t.Skip("a sweep: RICCI_LONG=1")
	}
	if os.Getenv(insideCard) == "" {
		cudatest.Again(t, "TestCardExamples", append(cudatest.Environment(t, "../target/cuda/testdata/shim.h", ""), insideCard+"=yes"))
		return
	}
	client, called := cardClient(t), 0
	a100, _ := ricci.MachineText("a100")
	for i, d := range exampleDefs(t) {
		if i%10 != 0 && i%20 != 5 && !sweep.All(t) {
			continue
		}
		options := ricci.Options{Device: "cuda", NoCache: true}
		if i%2 == 1 {
			options.Machine = a100
		}
		given := someArguments(d)
		if given == nil {
			continue
		}
		sizes, err := sizesOf(d, given)
		if err != nil {
			t.Fatal(err)
		}
		fixed := map[string]int64{}
		for k, s := range d.Sizes() {
			if (i+k)%2 == 0 {
				fixed[s.Name] = sizes[s.Name]
			}
		}
		paths, err := d.Build(t.Context(), ricci.BuildOptions{Emit: ricci.EmitSO, Dir: t.TempDir(), Sizes: fixed, Name: "f", Options: options})
		if err != nil {
			t.Logf("%s with %v: %v", d, fixed, err)
			continue
		}
		if _, err := d.Evaluate(t.Context(), given.Args, given.Sizes); err != nil {
			t.Logf("%s: the arguments that were drawn are none for it: %v", d, err)
			continue
		}
		c := cardCase{name: d.Name(), symbol: "f", sizes: sizes, ways: "w"}
		called++
		c.judge(t, client, d, paths[0], given)
	}
	if t.Logf("called: %d", called); called < 10 {
		t.Error("too few were called")
	}
}

// sizesOf are all sizes of a call.
func sizesOf(d *ricci.Def, given *argument.Arguments) (map[string]int64, error) {
	signature, err := d.SignatureOf(given.Args)
	if err != nil {
		return nil, err
	}
	for name, n := range given.Sizes {
		signature.Sizes[name] = n
	}
	return d.SizesFor(signature)
}
