package cards

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/tensor"
)

// How kernels that are written by hand run
//
// Each is a file of CUDA C: what somebody writes for a row who knows CUDA and has an hour. Its kernels take what Ricci's do: a workspace, a record of faults,
// the inputs and outputs of the def, and then sizes. So a plan describes them, and devices compile, load and time them as they do all others.

//go:embed peers/*.cu
var handFiles embed.FS

// A hand is a computation of a row that was written by hand.
type hand struct {
	file      string // of peers, without .cu
	sizes     string // that its kernels take
	workspace int    // bytes
	launches  []handLaunch
}

// A handLaunch is a kernel with its groups and items, expressions over sizes; the last axis is x.
type handLaunch struct{ symbol, groups, items string }

// hands are by the names of rows.
var hands = map[string]hand{
	"copy":        {file: "copy", sizes: "N", launches: []handLaunch{{"copy", "(N+255)/256", "256"}}},
	"total":       {file: "total", sizes: "N", workspace: 4096, launches: []handLaunch{{"total_parts", "min(1024, (N+255)/256)", "256"}, {"total", "1", "256"}}},
	"row-sums":    {file: "row_sums", sizes: "M", launches: []handLaunch{{"row_sums", "N", "256"}}},
	"transpose":   {file: "transpose", sizes: "N M", launches: []handLaunch{{"transpose", "(N+7)/8; (M+31)/32", "8; 32"}}},
	"softmax":     {file: "softmax", sizes: "D", launches: []handLaunch{{"softmax", "N", "256"}}},
	"layer-norm":  {file: "layer_norm", sizes: "D", launches: []handLaunch{{"layer_norm", "N", "256"}}},
	"scan":        {file: "scan", sizes: "N", launches: []handLaunch{{"scan", "B", "256"}}},
	"gemm-512":    product,
	"gemm-2048":   product,
	"gemm-8192":   product,
	"gemm-skinny": product,
	"tbmm":        {file: "tbmm", sizes: "N M K", launches: []handLaunch{{"tbmm", "B; (N+7)/8; (K+31)/32", "1; 8; 32"}}},
	"ccsdt":       {file: "ccsdt", sizes: "A B C D E F G", launches: []handLaunch{{"ccsdt", "(A*B*C*D*E*F+255)/256", "256"}}},
	"conv2d":      {file: "conv2d", sizes: "IP H W OP KH KW", launches: []handLaunch{{"conv2d", "B*OP; (H-KH+8)/8; (W-KW+32)/32", "1; 8; 32"}}},
	"gconv":       {file: "gconv", sizes: "G C F H W KH KW", launches: []handLaunch{{"gconv", "N*G*F; (H-KH+8)/8; (W-KW+32)/32", "1; 8; 32"}}},
	"jacobi-2d":   {file: "jacobi2d", sizes: "H W", launches: []handLaunch{{"jacobi2d", "(H+5)/8; (W+29)/32", "8; 32"}}},
	"jacobi-3d":   {file: "jacobi3d", sizes: "D H W", launches: []handLaunch{{"jacobi3d", "D-2; (H+5)/8; (W+29)/32", "1; 8; 32"}}},
	"histogram":   {file: "histogram", sizes: "E", launches: []handLaunch{{"histogram", "B", "256"}}},
}

var product = hand{file: "gemm", sizes: "M K N", launches: []handLaunch{{"gemm", "(M+15)/16; (N+15)/16", "16; 16"}}}

// text is the file.
func (h hand) text() (string, error) {
	text, err := handFiles.ReadFile("peers/" + h.file + ".cu")
	return string(text), err
}

// plan describes the kernels for a device: arguments are a0, a1, …, and sizes n0, n1, …
func (h hand) plan(arguments int, sizes map[string]int64) (*plan.Plan, error) {
	p := &plan.Plan{Version: plan.Version, Name: h.file, Target: "cuda"}
	var words []plan.Word
	var params, declared []string
	for i := range arguments {
		name := fmt.Sprintf("a%d", i)
		p.Arguments, words = append(p.Arguments, plan.Argument{Name: name}), append(words, plan.Word{Tensor: name})
		declared, params = append(declared, fmt.Sprintf("  buffer %s float32[1] argument", name)), append(params, name)
	}
	for i := range strings.Fields(h.sizes) {
		name := fmt.Sprintf("n%d", i)
		words = append(words, plan.Word{Size: name})
		declared, params = slices.Insert(declared, 0, fmt.Sprintf("  var %s int64", name)), append(params, fmt.Sprintf("%s %q", name, "size "+name))
	}
	var grids []string
	for i, l := range h.launches {
		groups, err := along(l.groups, sizes)
		if err != nil {
			return nil, err
		}
		items, err := along(l.items, sizes)
		if err != nil {
			return nil, err
		}
		grids = append(grids, fmt.Sprintf("  grid groups %s items %s {\n  }", axes(fmt.Sprintf("g%d_", i), groups), axes(fmt.Sprintf("i%d_", i), items)))
		p.Launches = append(p.Launches, plan.Launch{Symbol: l.symbol, Group: numbers(items), Words: words})
	}
	p.Host = fmt.Sprintf("kernel %q workspace 0 {\n%s\n  params %s nonnegative\n%s\n}\n", h.file, strings.Join(declared, "\n"), strings.Join(params, ", "), strings.Join(grids, "\n"))
	return p, nil
}

// along evaluates expressions over sizes, with a semicolon between two.
func along(list string, sizes map[string]int64) (values []int64, err error) {
	for _, text := range strings.Split(list, ";") {
		e, err := affine.Parse(text)
		if err != nil {
			return nil, err
		}
		n, err := e.Eval(sizes)
		if err != nil {
			return nil, err
		}
		values = append(values, n)
	}
	return values, nil
}

// axes names and counts what is along each axis, as the text of a grid does.
func axes(prefix string, values []int64) string {
	var list []string
	for i, n := range values {
		list = append(list, fmt.Sprintf("%s%d = %d", prefix, i, n))
	}
	return strings.Join(list, ", ")
}

func numbers(values []int64) (list []string) {
	for _, n := range values {
		list = append(list, strconv.FormatInt(n, 10))
	}
	return list
}

// handTolerance is how far results may be from Ricci's, relative to the largest of them: sums are in another order.
const handTolerance = 1e-3

// byHand times what was written by hand, once its results are those of Ricci.
func (r row) byHand(ctx context.Context, p *place, q *prepared) (seconds float64, err error) {
	h := hands[r.name]
	text, err := h.text()
	if err != nil {
		return 0, err
	}
	d, err := p.open(ctx, false)
	if err != nil {
		return 0, err
	}
	if d.Driver().Target != "cuda" {
		return 0, fmt.Errorf("%s is no card of NVIDIA's", p.device)
	}
	object, err := d.Compile(ctx, &target.Module{Code: text, Symbol: h.file}, device.CompileOptions{})
	if err != nil {
		return 0, err
	}
	want, err := q.def.RunWith(ctx, q.args, q.sizes, q.options)
	if err != nil {
		return 0, err
	}
	b, err := h.bind(ctx, d, object, q.def, q.args, q.sizes, want)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	const times = 10
	for n := range times {
		took, err := b.code.LaunchTimed(ctx, &b.call)
		if err != nil {
			return 0, err
		}
		if n == 0 {
			if err := b.agrees(want); err != nil {
				return 0, err
			}
		}
		if n == 0 || took < seconds {
			seconds = took
		}
	}
	return seconds, nil
}

// A boundHand is loaded kernels with arrays of their own.
type boundHand struct {
	code    device.Timed
	call    device.Call
	outputs map[string]*tensor.Tensor
}

// bind loads the kernels of an object, and makes their arrays; outputs have the shapes of those of like.
func (h hand) bind(ctx context.Context, d device.Device, object []byte, def *ricci.Def, args map[string]*tensor.Tensor, sizes map[string]int64, like map[string]*tensor.Tensor) (_ *boundHand, err error) {
	b := &boundHand{outputs: map[string]*tensor.Tensor{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	place := func(t *tensor.Tensor, err error) error {
		if err == nil {
			b.call.Arguments = append(b.call.Arguments, t)
		}
		return err
	}
	for _, input := range def.Inputs() {
		if err := place(args[input.Name].To(d.Allocator())); err != nil {
			return nil, err
		}
	}
	for _, output := range def.Outputs() {
		t, err := tensor.NewOn(d.Allocator(), output.DType, like[output.Name].Shape()...)
		if err := place(t, err); err != nil {
			return nil, err
		}
		b.outputs[output.Name] = t
	}
	if h.workspace > 0 {
		if b.call.Workspace, err = tensor.NewOn(d.Allocator(), tensor.Uint8, h.workspace); err != nil {
			return nil, err
		}
	}
	described, err := h.plan(len(b.call.Arguments), sizes)
	if err != nil {
		return nil, err
	}
	b.call.Block = make([]int64, loop.HeaderWords+len(b.call.Arguments))
	for _, name := range strings.Fields(h.sizes) {
		b.call.Block = append(b.call.Block, sizes[name])
	}
	code, err := d.Load(ctx, object, described)
	if err != nil {
		return nil, err
	}
	timed, can := code.(device.Timed)
	if !can {
		return nil, errors.Join(errors.New("the device has no clock"), code.Close())
	}
	b.code = timed
	return b, nil
}

// agrees compares what the kernels have left with other results.
func (b *boundHand) agrees(want map[string]*tensor.Tensor) error {
	for name, t := range b.outputs {
		floats, err := want[name].Convert(tensor.Float64)
		if err != nil {
			return err
		}
		values, err := tensor.ToSlice[float64](floats)
		if err != nil {
			return err
		}
		largest := 0.0
		for _, x := range values {
			largest = max(largest, x, -x)
		}
		if ok, where := tensor.AllClose(t, want[name], 0, handTolerance*largest); !ok {
			return fmt.Errorf("%s%v is another number than Ricci's", name, where)
		}
	}
	return nil
}

// close gives all back.
func (b *boundHand) close() (err error) {
	if b.code != nil {
		err = b.code.Close()
	}
	for _, t := range append(b.call.Arguments, b.call.Workspace) {
		if t != nil {
			err = errors.Join(err, t.Close())
		}
	}
	return err
}
