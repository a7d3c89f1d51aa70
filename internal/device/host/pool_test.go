package host

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"
)

func testPool(t testing.TB) int64 {
	t.Helper()
	address, err := Pool(context.Background(), testCompiler(t), func(ctx context.Context, text string) (*Library, error) {
		return load(t, text), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// sumText adds the squares below args[3] into per-iteration cells and counts the
// visits of each, nested regions included.
const sumText = `#include <stdint.h>
typedef void parallel(void (*)(void *, int64_t, int64_t), void *, int64_t, int64_t);
struct context { int64_t *cells; parallel *run; int64_t threads, offset; };
static void inner(void *p, int64_t begin, int64_t end) {
  struct context *c = p;
  for (int64_t i = begin; i < end; i++) c->cells[c->offset + i]++;
}
static void outer(void *p, int64_t begin, int64_t end) {
  struct context *c = p;
  for (int64_t i = begin; i < end; i++) {
    struct context here = {c->cells, c->run, c->threads, i * 8};
    c->run(inner, &here, 8, c->threads);
  }
}
int32_t visit(const int64_t *a) {
  struct context c = {(int64_t *)a[2], (parallel *)a[0], a[1], 0};
  c.run(outer, &c, a[3], a[1]);
  return 0;
}`

// A visitor runs the function of sumText.
type visitor struct {
	parallel int64
	visit    Function
}

func newVisitor(t testing.TB) visitor {
	l := load(t, sumText)
	t.Cleanup(func() { _ = l.Close() })
	return visitor{parallel: testPool(t), visit: function(t, l, "visit")}
}

// check runs a region of count iterations, each with a region of its own, and
// complains unless every cell was visited once.
func (v visitor) check(count, threads int64) error {
	cells := make([]int64, count*8+1)
	// The garbage collector moves no slice on the heap; it only has to live
	// until the call returns.
	args := [4]int64{v.parallel, threads, int64(uintptr(unsafe.Pointer(&cells[0]))), count}
	v.visit.Call(&args[0])
	defer runtime.KeepAlive(cells)
	for i, visits := range cells[:count*8] {
		if visits != 1 {
			return fmt.Errorf("%d iterations on %d threads: cell %d was visited %d times", count, threads, i, visits)
		}
	}
	return nil
}

func TestPool(t *testing.T) {
	v := newVisitor(t)
	rounds := 200
	if testing.Short() {
		rounds = 30
	}
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for round := range rounds {
				if err := v.check(int64((round*7+g)%41), int64(round%9+1)); err != nil {
					t.Error(err)
					return
				}
				if round%50 == 0 {
					runtime.GC()
				}
			}
		})
	}
	group.Wait()
	// Sleeping workers must not disturb the start of a child process, and must
	// wake again afterwards.
	if out, err := exec.Command("echo", "child").Output(); err != nil || string(out) != "child\n" {
		t.Errorf("child: %q %v", out, err)
	}
	time.Sleep(20 * time.Millisecond)
	if err := v.check(100, 4); err != nil {
		t.Error("after a rest: ", err)
	}
}

// Callers that pause meet workers that spin, are about to sleep, sleep, or wake
// for another caller.
func TestPoolPauses(t *testing.T) {
	v := newVisitor(t)
	pauses := []time.Duration{0, 20 * time.Microsecond, 190 * time.Microsecond, 210 * time.Microsecond, time.Millisecond, 5 * time.Millisecond}
	for _, callers := range []int{1, 8} {
		var group sync.WaitGroup
		for caller := range callers {
			group.Go(func() {
				for round := range 60 {
					time.Sleep(pauses[(round+caller)%len(pauses)])
					if err := v.check(int64(1+(round*5+caller)%33), int64(2+round%5)); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		group.Wait()
	}
}

func BenchmarkParallel(b *testing.B) {
	parallel := testPool(b)
	l := load(b, sumText)
	defer l.Close()
	visit := function(b, l, "visit")
	cells := make([]int64, 801)
	for b.Loop() {
		args := [4]int64{parallel, 2, int64(uintptr(unsafe.Pointer(&cells[0]))), 2}
		visit.Call(&args[0])
	}
	runtime.KeepAlive(cells)
}
