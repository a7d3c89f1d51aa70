package c

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// TestEvery loads lanes some elements apart, of which the last one ends at a page that cannot
// be read, all of them and the first few.
func TestEvery(t *testing.T) {
	page := syscall.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	for i := range memory[:page] {
		memory[i] = byte(i*7 + i/256)
	}
	if err := syscall.Mprotect(memory[page:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	for _, compiler := range compilers(t) {
		for _, elem := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int16, tensor.Uint8} {
			for _, lanes := range sweep.Some(t, []int{2, 4, 8, 16, 32}, 2) {
				testEvery(t, compiler, elem, lanes, memory[:page])
			}
		}
	}
}

// testEvery compares the lanes of all steps, and those of their first parts, with the elements.
func testEvery(t *testing.T, compiler string, elem tensor.DType, lanes int, memory []byte) {
	const steps = mostEveryNarrow + 1
	size := elem.Size()
	var list []*loop.Func
	for step := 2; step <= steps; step++ {
		span := int64((lanes-1)*step + 1)
		src := &loop.Buffer{Name: "src", Type: loop.Scalar(elem), Length: span, ReadOnly: true}
		dst := &loop.Buffer{Name: "dst", Type: loop.Scalar(elem), Length: int64(lanes * (lanes + 1))}
		f := &loop.Func{Name: string(rune('a' + step)), Buffers: []*loop.Buffer{src, dst}, Params: []*loop.Param{{Buffer: src}, {Buffer: dst}}}
		for valid := range lanes + 1 {
			load := &loop.Load{Buffer: src, Index: &loop.Ramp{Base: loop.Int(0), Stride: int64(step), Lanes: lanes}, Lanes: lanes}
			if valid < lanes {
				load.Mask = &loop.Binary{Op: ein.Lt, X: &loop.Ramp{Base: loop.Int(0), Stride: 1, Lanes: lanes}, Y: &loop.Broadcast{X: loop.Int(int64(valid)), Lanes: lanes}}
			}
			f.Body = append(f.Body, &loop.Store{Buffer: dst, Index: loop.Int(int64(valid * lanes)), Value: load})
		}
		if err := loop.Verify(f); err != nil {
			t.Fatal(err)
		}
		list = append(list, f)
	}
	text, err := PrintUnit(list, Options{})
	if err != nil {
		t.Fatal(err)
	}
	library := build(t, compiler, text, "-w")
	for k, f := range list {
		step := k + 2
		in := memory[len(memory)-((lanes-1)*step+1)*size:]
		out := make([]byte, lanes*(lanes+1)*size)
		library.call(t, Symbol(f.Name), []uint64{0, 1, 0, 0, uint64(looptest.Address(in)), uint64(looptest.Address(out))})
		for n := range lanes * (lanes + 1) {
			valid, lane := n/lanes, n%lanes
			want := string(make([]byte, size))
			if lane < valid {
				want = string(in[lane*step*size : (lane*step+1)*size])
			}
			if got := string(out[n*size : (n+1)*size]); got != want {
				t.Fatalf("%s, %d of %d lanes, step %d: lane %d is %x, want %x", elem, valid, lanes, step, lane, got, want)
			}
		}
	}
}

// TestStoreEvery stores lanes some elements apart, of which the last one ends at a page that cannot
// be written, all of them or the first few, and leaves what lies between them.
func TestStoreEvery(t *testing.T) {
	page := syscall.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	if err := syscall.Mprotect(memory[page:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	for _, compiler := range compilers(t) {
		for _, elem := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int16, tensor.Uint8} {
			for _, lanes := range sweep.Some(t, []int{2, 4, 8, 16, 32}, 2) {
				testStoreEvery(t, compiler, elem, lanes, memory[:page])
			}
		}
	}
}

// testStoreEvery compares the lanes of all steps, and what lies between them.
func testStoreEvery(t *testing.T, compiler string, elem tensor.DType, lanes int, memory []byte) {
	size := elem.Size()
	var list []*loop.Func
	var steps, valid []int
	for step := 2; step <= mostEvery+1; step++ {
		for _, n := range []int{lanes, lanes - 1, 1} {
			src := &loop.Buffer{Name: "src", Type: loop.Scalar(elem), Length: int64(lanes), ReadOnly: true}
			dst := &loop.Buffer{Name: "dst", Type: loop.Scalar(elem), Length: int64((n-1)*step + 1)}
			f := &loop.Func{Name: fmt.Sprintf("store%d", len(list)), Buffers: []*loop.Buffer{src, dst}, Params: []*loop.Param{{Buffer: src}, {Buffer: dst}}}
			store := &loop.Store{Buffer: dst, Index: &loop.Ramp{Base: loop.Int(0), Stride: int64(step), Lanes: lanes}, Value: &loop.Load{Buffer: src, Index: loop.Int(0), Lanes: lanes}}
			if n < lanes {
				store.Mask = &loop.Binary{Op: ein.Lt, X: &loop.Ramp{Base: loop.Int(0), Stride: 1, Lanes: lanes}, Y: &loop.Broadcast{X: loop.Int(int64(n)), Lanes: lanes}}
			}
			f.Body = []loop.Stmt{store}
			if err := loop.Verify(f); err != nil {
				t.Fatal(err)
			}
			list, steps, valid = append(list, f), append(steps, step), append(valid, n)
		}
	}
	text, err := PrintUnit(list, Options{})
	if err != nil {
		t.Fatal(err)
	}
	library := build(t, compiler, text, "-w")
	in := make([]byte, lanes*size)
	for i := range in {
		in[i] = byte(i*11 + 3)
	}
	for k, f := range list {
		step := steps[k]
		out := memory[len(memory)-((valid[k]-1)*step+1)*size:]
		for i := range memory {
			memory[i] = 0x5a
		}
		library.call(t, Symbol(f.Name), []uint64{0, 1, 0, 0, uint64(looptest.Address(in)), uint64(looptest.Address(out))})
		for n := range len(out) / size {
			want := strings.Repeat("\x5a", size)
			if n%step == 0 {
				want = string(in[n/step*size : (n/step+1)*size])
			}
			if got := string(out[n*size : (n+1)*size]); got != want {
				t.Fatalf("%s, %d of %d lanes, step %d: element %d is %x, want %x", elem, valid[k], lanes, step, n, got, want)
			}
		}
	}
}
