// Command bench compares Ricci's default schedules with naive C, the same loops
// as a person would write them, compiled by the same compiler with -O3.
//
//	go run ./bench [-runs 15] [-filter conv] [-json]
//
// Runs of both sides alternate, so that a noisy neighbour hits both, and medians
// are compared. Ricci runs with one thread and with all of them.
package main

import (
	"context"
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"sort"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/tensor"
)

//go:embed naive/*.c
var naive embed.FS

//go:embed kernels.tc
var kernels string

// A row is a kernel of kernels.tc at one size. The naive C is naive/NAME.c, a
// function "int32_t naive(const int64_t *args)" whose args are the addresses of
// the inputs and outputs; the sizes are macros.
type row struct {
	def   string
	sizes map[string]int64
}

var rows = []row{
	{"matmul", map[string]int64{"M": 256, "N": 256, "K": 256}},
	{"matmul", map[string]int64{"M": 512, "N": 512, "K": 512}},
	{"matmul", map[string]int64{"M": 1024, "N": 1024, "K": 1024}},
	{"matmul_nt", map[string]int64{"M": 512, "N": 512, "K": 512}},
	{"fcrelu", map[string]int64{"B": 128, "I": 1000, "O": 1024}},
	{"conv2d", map[string]int64{"N": 4, "C": 32, "H": 58, "W": 58, "F": 32, "KH": 3, "KW": 3}},
	{"softmax", map[string]int64{"N": 512, "D": 1000}},
	{"saxpy", map[string]int64{"N": 1 << 22}},
	{"dot", map[string]int64{"N": 1 << 22}},
	{"blur", map[string]int64{"H": 1024, "W": 1024}},
	{"jacobi2d", map[string]int64{"N": 1024, "M": 1024}},
}

type measurement struct {
	Kernel   string  `json:"kernel"`
	Sizes    string  `json:"sizes"`
	Naive    float64 `json:"naive_s"`
	One      float64 `json:"ricci_1_thread_s"`
	All      float64 `json:"ricci_all_threads_s"`
	RatioOne float64 `json:"speedup_1_thread"`
	RatioAll float64 `json:"speedup_all_threads"`
	GFLOPS   float64 `json:"gflops_1_thread"`
	GBS      float64 `json:"gbs_1_thread"`
}

func main() {
	runs := flag.Int("runs", 15, "runs of each candidate")
	filter := flag.String("filter", "", "only kernels whose name contains this")
	asJSON := flag.Bool("json", false, "machine-readable output")
	flag.Parse()
	if err := run(context.Background(), *runs, *filter, *asJSON); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, runs int, filter string, asJSON bool) error {
	program, err := ricci.Parse("bench/kernels.tc", kernels)
	if err != nil {
		return err
	}
	compilers, err := host.Find(ctx)
	if err != nil {
		return err
	}
	var results []measurement
	for _, r := range rows {
		if !strings.Contains(r.def, filter) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s %s\n", r.def, sizesText(r.sizes))
		m, err := r.measure(ctx, program, compilers[0], runs)
		if err != nil {
			return fmt.Errorf("%s: %w", r.def, err)
		}
		results = append(results, m)
	}
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(results)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "kernel\tsizes\tnaive C ms\tRicci 1 thread ms\tRicci %d threads ms\tspeed-up 1\tspeed-up %d\tGFLOP/s 1\tGB/s 1\t\n", runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(0))
	for _, m := range results {
		fmt.Fprintf(w, "%s\t%s\t%.3f\t%.3f\t%.3f\t%.1f\t%.1f\t%.1f\t%.1f\t\n", m.Kernel, m.Sizes, m.Naive*1e3, m.One*1e3, m.All*1e3, m.RatioOne, m.RatioAll, m.GFLOPS, m.GBS)
	}
	return w.Flush()
}

// measure times the three candidates in turn.
func (r row) measure(ctx context.Context, program *ricci.Program, compiler *host.Compiler, runs int) (measurement, error) {
	m := measurement{Kernel: r.def, Sizes: sizesText(r.sizes)}
	def, err := program.Def(r.def)
	if err != nil {
		return m, err
	}
	arguments, err := argument.Resolve(def, argument.Request{Sizes: r.sizes})
	if err != nil {
		return m, err
	}
	signature, err := def.SignatureOf(arguments.Args)
	if err != nil {
		return m, err
	}
	args, err := allArguments(def, arguments)
	if err != nil {
		return m, err
	}
	naive, err := r.compileNaive(ctx, compiler, args)
	if err != nil {
		return m, err
	}
	candidates := []func() error{naive}
	for _, threads := range []int{1, 0} {
		kernel, err := def.Compile(ctx, signature, ricci.Options{Target: ricci.C, Threads: threads})
		if err != nil {
			return m, err
		}
		defer kernel.Close()
		candidates = append(candidates, func() error { return kernel.Run(ctx, args...) })
	}
	medians, err := interleaved(candidates, runs)
	if err != nil {
		return m, err
	}
	operations, bytes, err := def.Work(signature)
	m.Naive, m.One, m.All = medians[0], medians[1], medians[2]
	m.RatioOne, m.RatioAll = m.Naive/m.One, m.Naive/m.All
	m.GFLOPS, m.GBS = float64(operations)/m.One/1e9, float64(bytes)/m.One/1e9
	return m, err
}

// allArguments returns inputs and allocated outputs in the order of Kernel.Run.
func allArguments(def *ricci.Def, a *argument.Arguments) ([]*tensor.Tensor, error) {
	shapes := map[string][]int{}
	var args []*tensor.Tensor
	for _, p := range def.Inputs() {
		shapes[p.Name] = a.Args[p.Name].Shape()
		args = append(args, a.Args[p.Name])
	}
	outputs, err := def.OutputShapes(shapes, nil)
	if err != nil {
		return nil, err
	}
	for _, p := range def.Outputs() {
		t, err := tensor.New(p.DType, outputs[p.Name]...)
		if err != nil {
			return nil, err
		}
		args = append(args, t)
	}
	return args, nil
}

// compileNaive builds naive/NAME.c with the sizes as macros.
func (r row) compileNaive(ctx context.Context, compiler *host.Compiler, args []*tensor.Tensor) (func() error, error) {
	text, err := naive.ReadFile("naive/" + r.def + ".c")
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("#pragma GCC optimize(\"O3\")\n")
	for _, name := range sorted(r.sizes) {
		fmt.Fprintf(&b, "#define %s %d\n", name, r.sizes[name])
	}
	b.Write(text)
	object, err := compiler.Compile(ctx, b.String(), host.CompileOptions{})
	if err != nil {
		return nil, err
	}
	library, err := host.OpenBytes(object)
	if err != nil {
		return nil, err
	}
	function, err := library.Function("naive")
	if err != nil {
		return nil, err
	}
	return func() error {
		words := make([]int64, len(args))
		for i, t := range args {
			words[i] = int64(uintptr(t.Pointer()))
		}
		function.Call(&words[0])
		runtime.KeepAlive(args)
		return nil
	}, nil
}

// interleaved runs the candidates in turn and returns their medians in seconds;
// the first round warms up and does not count.
func interleaved(candidates []func() error, runs int) ([]float64, error) {
	times := make([][]float64, len(candidates))
	for i := 0; i <= runs; i++ {
		for c, call := range candidates {
			start := time.Now()
			if err := call(); err != nil {
				return nil, err
			}
			if i > 0 {
				times[c] = append(times[c], time.Since(start).Seconds())
			}
		}
	}
	medians := make([]float64, len(candidates))
	for c, list := range times {
		sort.Float64s(list)
		medians[c] = list[len(list)/2]
	}
	return medians, nil
}

func sizesText(sizes map[string]int64) string {
	parts := make([]string, 0, len(sizes))
	for _, name := range sorted(sizes) {
		parts = append(parts, fmt.Sprintf("%s=%d", name, sizes[name]))
	}
	return strings.Join(parts, " ")
}

func sorted(sizes map[string]int64) []string {
	names := make([]string, 0, len(sizes))
	for name := range sizes {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
