package call

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/compile"
)

const rowSums = `def rows(float(N,M) A, float(K) w) -> (B) { B(i) +=! A(i,k) * w(0) }`

// runRows calls rowSums with an n × m array.
func runRows(t *testing.T, d *Def, n, m int, options Options) {
	t.Helper()
	run(t, d, tensors{"A": array(t, n, m), "w": array(t, 3)}, options)
}

// kernels counts the kernels that are remembered: those for one shape, and those with dynamic sizes.
func kernels(d *Def) (own, shared int) {
	d.memory.mutex.Lock()
	defer d.memory.mutex.Unlock()
	for _, r := range d.memory.byKey {
		<-r.ready
		if r.kernel.dynamic {
			shared++
		} else {
			own++
		}
	}
	return own, shared
}

func expectKernels(t *testing.T, d *Def, own, shared int) {
	t.Helper()
	if gotOwn, gotShared := kernels(d); gotOwn != own || gotShared != shared {
		t.Errorf("%d kernels for one shape and %d for several, expected %d and %d", gotOwn, gotShared, own, shared)
	}
}

// A def that is called with ever new shapes gets one kernel with the sizes dynamic that differ, and
// says so once.
func TestEverNewShapes(t *testing.T) {
	var notices []string
	options := onEvaluator()
	options.OwnKernels, options.Notice = 2, func(m string) { notices = append(notices, m) }
	d := parse(t, rowSums)
	for n := range 30 {
		runRows(t, d, n+3, 7, options)
	}
	if len(notices) != 1 || !strings.Contains(notices[0], "one kernel with N dynamic") {
		t.Fatalf("notices %q", notices)
	}
	expectKernels(t, d, 2, 1)
	// Another size varies, too: a second shared kernel. A shape that comes back gets its own.
	for range 20 {
		runRows(t, d, 9, 8, options)
	}
	expectKernels(t, d, 3, 2)
	if len(notices) != 1 {
		t.Errorf("notices %q", notices)
	}
	d = parse(t, rowSums)
	options.OwnKernels = -1
	for n := range 4 {
		runRows(t, d, n+3, 7, options)
	}
	expectKernels(t, d, 4, 0)
}

// Where there is no good kernel with dynamic sizes, each shape has its own, as before.
func TestEverNewShapesRefused(t *testing.T) {
	d := parse(t, rowSums)
	options := onEvaluator()
	options.OwnKernels, options.Notice = 1, func(m string) { t.Errorf("a notice: %s", m) }
	d.family(compile.Signature{}, options).refused = true
	for n := range 3 {
		runRows(t, d, n+2, 4, options)
	}
	expectKernels(t, d, 3, 0)
}
