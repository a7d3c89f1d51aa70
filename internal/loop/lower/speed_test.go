package lower_test

import (
	"os"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"

	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/target/c"
	"github.com/ricci-lang/ricci/tensor"
)

func TestSpeed(t *testing.T) {
	file := os.Getenv("SPEED")
	if file == "" {
		t.Skip()
	}
	text, _ := os.ReadFile(file)
	p := readProgram(t, string(text))
	g, err := p.f.Specialise(p.sizes, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := schedule.Host()
	m.Cores = 1
	start := time.Now()
	tree, err := schedule.Default(g, m)
	if err != nil {
		t.Fatal(err)
	}
	if by := os.Getenv("SPEEDTREE"); by != "" {
		text, _ := os.ReadFile(by)
		if tree, err = schedule.Parse(string(text)); err != nil {
			t.Fatal(err)
		}
	}
	t.Log("\n"+schedule.Print(tree), time.Since(start))
	start = time.Now()
	f, err := lower.Lower(g, tree, lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log("lower", time.Since(start))
	args := p.arguments(t, 1)
	outputs := p.outputs(t, args)
	if text, err := c.Print(f, c.Options{Parallel: c.Serial}); err == nil {
		os.WriteFile("/tmp/sp/k.c", []byte(text), 0o644)
	}
	entry := kernel(t, f)
	t.Log("compiled", time.Since(start))
	workspace := make([]byte, f.Workspace+64)
	base := (uintptr(unsafe.Pointer(unsafe.SliceData(workspace))) + 63) &^ 63
	fault := make([]int64, 2)
	block := []uint64{0, 1, uint64(base), uint64(uintptr(unsafe.Pointer(&fault[0])))}
	bytes := 0
	for _, w := range f.Params {
		a := outputs[w.Buffer.Name]
		if a == nil {
			a = args[w.Buffer.Name]
		}
		bytes += a.Len() * a.DType().Size()
		block = append(block, uint64(uintptr(a.Pointer())))
	}
	best := time.Hour
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for i := 0; i < 20; i++ {
		start := threadTime()
		purego.SyscallN(entry, uintptr(unsafe.Pointer(&block[0])))
		best = min(best, threadTime()-start)
	}
	points := int64(1)
	for _, i := range g.Body[0].Indices {
		n, _ := i.Extent.IsConst()
		points *= n
	}
	t.Logf("%v: %.1f Gpoints/s, %.1f GB/s", best, float64(points)/best.Seconds()/1e9, float64(bytes)/best.Seconds()/1e9)
	_ = tensor.Float32
}

func threadTime() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts)
	return time.Duration(ts.Nano())
}
