package cuda

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target"
	target_cuda "github.com/ricci-lang/ricci/internal/target/cuda"
)

// How compilers of CUDA are asked
//
// No card is needed to compile. NVRTC makes the code of each architecture (its assembler runs, too); clang makes PTX by a back end of
// its own, behind clang.cuh, which declares what NVIDIA's headers do. Both get all texts at once: the goldens of the
// targets, every builtin function, drawn programs of loops, and drawn functions under drawn schedules.

// architectures are those that texts are for, and versions the ones of PTX that know them.
var architectures, versions = []string{"70", "75", "80", "90"}, map[string]string{"70": "60", "75": "63", "80": "70", "90": "78"}

// texts are what compilers are to accept: the first one has many kernels, in a sweep there are others with one builtin function
// each, whose bodies take compilers seconds.
func texts(t *testing.T, mode numerics.Mode) (list []string) {
	t.Helper()
	count := 0
	text := func(f *loop.Func) string {
		if target.Check(target_cuda.Target{}, f) != nil {
			return ""
		}
		count++
		m, err := (target_cuda.Target{}).Print(f, target.Options{Name: fmt.Sprintf("k%d", count), Numerics: mode})
		if err != nil {
			t.Fatalf("%v\n%s", err, loop.Print(f))
		}
		return fmt.Sprintf("namespace n%d {\n%s\n}\n", count, m.Code)
	}
	many := ""
	for _, golden := range goldenLoops(t) {
		many += text(parsed(t, golden))
	}
	for seed := range uint64(sweep.Draws(t, 2, 20)) {
		many += text(looptest.Grids(rand.New(rand.NewPCG(seed, 17)), "drawn"))
	}
	for seed, left := 0, sweep.Draws(t, 3, 20); left > 0; seed++ {
		p, ok := scheduletest.PairOf(seed)
		if !ok {
			continue
		}
		left--
		f, _, err := p.Lower()
		if err != nil {
			t.Fatal(err)
		}
		many += text(f)
	}
	list = append(list, many)
	if !sweep.Long(t) {
		return list
	}
	for _, builtin := range ein.Builtins() {
		both := ""
		for _, typ := range []string{"float32", "float64"} {
			arguments := strings.Join([]string{"X[i]", "X[i]", "X[i]", "X[i]"}[:builtin.Arity], ", ")
			both += text(parsed(t, `kernel "k" workspace 0 {
  buffer X `+typ+`[8] argument
  params X
  for i = 0 .. 8 step 1 {
    store X[i] = `+builtin.Name+`(`+arguments+`)
  }
}
`))
		}
		list = append(list, both)
	}
	return list
}

func parsed(t *testing.T, text string) *loop.Func {
	t.Helper()
	f, err := loop.Parse(source.NewFile("kernel.loop", text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// goldenLoops are the programs of the goldens of both targets of grids.
func goldenLoops(t *testing.T) (list []string) {
	t.Helper()
	for _, pattern := range []string{"../../target/cuda/testdata/golden/*.txtar", "../../target/items/testdata/golden/*.txtar"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("no goldens %s: %v", pattern, err)
		}
		for _, path := range paths {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, string(archive.Files[0].Data))
		}
	}
	return list
}

// TestNVRTC: NVIDIA's compiler accepts the texts for every architecture, and refuses what is no CUDA C.
func TestNVRTC(t *testing.T) {
	c, err := system.compiler()
	if err != nil {
		t.Skip("no NVRTC (scripts/cuda-compilers): ", err)
	}
	for _, mode := range sweep.Some(t, []numerics.Mode{numerics.Default, numerics.Strict}, 2) {
		for _, code := range append(texts(t, mode), peers(t)) {
			for _, a := range sweep.Some(t, architectures, 4) {
				if _, log, failed := c.build(&target.Module{Code: code, Symbol: "accepted"}, flags("sm_"+a, mode == numerics.Strict)); failed != 0 {
					t.Errorf("NVRTC %s refuses for sm_%s (error %d)\n%s\n%s", c.version(), a, failed, log, code)
				}
			}
		}
	}
	takesWithNVRTC(t, c)
	if _, _, code := c.build(&target.Module{Code: "__global__ void k(int *x) { x[0] = y; }", Symbol: "wrong"}, []string{"--gpu-architecture=sm_70"}); code == 0 {
		t.Error("NVRTC accepts a variable that nobody has declared")
	}
}

// takesWithNVRTC: its assembler says what the kernels of a text take.
func takesWithNVRTC(t *testing.T, c *compiler) {
	t.Helper()
	text := `extern "C" __global__ void k(float *x) { __shared__ float s[100]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[threadIdx.x ^ 1]; }`
	program, log, err := c.built(&target.Module{Code: text, Symbol: "k"}, append(flags("sm_80", false), "--ptxas-options=-v"), device.CompileOptions{})
	defer c.destroy(program)
	if list := kernelsOf(log); err != nil || len(list) != 1 || list[0].name != "k" || list[0].takes.Registers < 4 || list[0].takes.Local != 400 {
		t.Errorf("the assembler says %+v, %v:\n%s", list, err, log)
	}
}

// peers are the kernels that were written by hand to be compared with.
func peers(t *testing.T) (text string) {
	t.Helper()
	paths, err := filepath.Glob("../../cards/peers/*.cu")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no peers: %v", err)
	}
	for _, path := range paths {
		one, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text += string(one)
	}
	return text
}

// TestClang: clang's back end for NVIDIA's cards accepts the texts.
func TestClang(t *testing.T) {
	for _, code := range texts(t, numerics.Strict) {
		for _, a := range sweep.Some(t, architectures, 4) {
			if err := acceptedByClang(t, a, code); err != nil {
				t.Error(err)
			}
		}
	}
}

// acceptedByClang returns why clang does not make PTX of a text for an architecture; without clang the test is skipped.
func acceptedByClang(t *testing.T, architecture, code string) error {
	t.Helper()
	found, err := findClang()
	if err != nil {
		t.Skip("no clang (apt-get install clang-19): ", err)
	}
	path := filepath.Join(t.TempDir(), "accepted.cu")
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), found.path, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_"+architecture, "-Xclang", "-target-feature", "-Xclang", "+ptx"+versions[architecture],
		"-nocudainc", "-nocudalib", "-std=c++17", "-O1", "-w",
		"-include", "clang.cuh", "-S", "-o", "-", path)
	output, err := command.Output()
	if err != nil || !strings.Contains(string(output), ".target sm_"+architecture) {
		return fmt.Errorf("%s for sm_%s: %w\n%s\n%s", found.path, architecture, err, errorOutput(err), code)
	}
	return nil
}

func errorOutput(err error) []byte {
	if e, ok := err.(*exec.ExitError); ok {
		return e.Stderr
	}
	return nil
}
