package host

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// whereText notes the cores of the threads of a region: that of the caller before
// it and after it, and that where the worker began to work, or -1 when it had none.
const whereText = `#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
typedef void parallel(void (*)(void *, int64_t, int64_t), void *, int64_t, int64_t);
struct context { pthread_t caller; int64_t *out; };
static void body(void *p, int64_t begin, int64_t end) {
  struct context *c = p;
  if (!pthread_equal(c->caller, pthread_self()) && c->out[2] < 0) c->out[2] = sched_getcpu();
  for (volatile int spins = 0; spins < 50000; spins++) {}
}
int32_t where(const int64_t *a) {
  struct context c = {pthread_self(), (int64_t *)a[1]};
  c.out[2] = -1;
  c.out[0] = sched_getcpu();
  ((parallel *)a[0])(body, &c, 8, 2);
  c.out[1] = sched_getcpu();
  return 0;
}`

// Caller and worker must not share a core while another one is free for them,
// also when the worker slept.
func TestPoolSpreads(t *testing.T) {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil || allowed.Count() < 2 {
		t.Skip("one core")
	}
	parallel := testPool(t)
	l := load(t, whereText)
	defer l.Close()
	where := function(t, l, "where")
	apart, together := 0, 0
	for round := range 60 {
		time.Sleep(time.Duration(round%3) * time.Millisecond)
		out := new([3]int64)
		var pin runtime.Pinner // also keeps it off the stack, which may move
		pin.Pin(out)
		args := [2]int64{parallel, int64(uintptr(unsafe.Pointer(out)))}
		where.Call(&args[0])
		pin.Unpin()
		switch {
		case out[2] < 0 || out[0] != out[1]: // no worker came, or the caller moved
		case out[2] == out[0]:
			together++
		default:
			apart++
		}
	}
	t.Logf("%d regions on two cores, %d on one", apart, together)
	// The kernel may move a worker once it has begun, which is rare.
	if together > apart/4+2 {
		t.Errorf("caller and worker shared a core in %d regions of %d", together, together+apart)
	}
}

// oneCoreVariable tells the test below that it is the process with one core.
const oneCoreVariable = "RICCI_TEST_ONE_CORE"

// A process that was given one core gets its regions done, and no thread of it
// leaves the core.
func TestPoolOneCore(t *testing.T) {
	if core, err := strconv.Atoi(os.Getenv(oneCoreVariable)); err == nil {
		checkOneCore(t, core)
		return
	}
	testCompiler(t)
	runtime.LockOSThread() // its affinity goes to the child
	defer runtime.UnlockOSThread()
	var old, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &old); err != nil {
		t.Skip(err)
	}
	core := 0
	for !old.IsSet(core) {
		core++
	}
	one.Set(core)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Skip(err)
	}
	defer func() { _ = unix.SchedSetaffinity(0, &old) }()
	child := exec.Command(os.Args[0], "-test.run=^TestPoolOneCore$", "-test.timeout=60s")
	child.Env = append(os.Environ(), oneCoreVariable+"="+strconv.Itoa(core))
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func checkOneCore(t *testing.T, core int) {
	v := newVisitor(t)
	for round := range 100 {
		if round%10 == 0 {
			time.Sleep(time.Millisecond)
		}
		if err := v.check(20, 4); err != nil {
			t.Fatal(err)
		}
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Skip(err)
	}
	for _, task := range tasks {
		id, err := strconv.Atoi(task.Name())
		if err != nil {
			t.Fatal(err)
		}
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(id, &set); err != nil {
			continue // the thread has ended
		}
		if set.Count() != 1 || !set.IsSet(core) {
			t.Errorf("thread %d may use %d cores", id, set.Count())
		}
	}
}
