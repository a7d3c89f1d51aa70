package loop_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
)

const gridHead = `
	var N int64
	buffer A float32[64] argument readonly
	buffer B float32[64] argument
	buffer W float32[64] workspace at 0
	buffer T float32[16] local
	buffer own float32[4] private
	params N "size N" nonnegative, A, B
	site "A" 0 [0, 64) "A(i)"`

// TestVerifyRefusesGrids changes right programs in one place, and expects the reason.
func TestVerifyRefusesGrids(t *testing.T) {
	for _, test := range []struct{ right, wrong, want string }{
		{`grid groups g = N items i = 4 { }`, `parallel p = 0 .. 4 step 1 { grid groups g = N items i = 4 { } }`, "around or beside grids"},
		{`grid groups g = N items i = 4 { }`, `grid groups g = N items i = 4 { grid groups h = 1 items j = 1 { } }`, "a grid inside of a grid"},
		{`grid groups g = N items i = 4 { }`, `grid groups g = N items i = 4 { } store B[0] = float32(1)`, "store B[0] = float32(1) is around or beside grids"},
		{`if N > 3 { grid groups g = N items i = 4 { } }`, `if A[3] > float32(1) { grid groups g = N items i = 4 { } }`, "reads memory"},
		{`let m int64 = N for t = 0 .. m step 1 { grid groups g = N + t items i = 4 { } }`, `let m int64 = cast(int64, A[0]) grid groups g = m items i = 4 { }`, "reads memory"},
		{`grid groups g = N items i = 4 { }`, `grid groups g = 3, h = g items i = 4 { }`, "outside its scope"},
		{`grid groups g = N items i = 4 { }`, `grid groups g = N > 3 items i = 4 { }`, "no int64"},
		{`grid groups g = N items i = 4 { }`, `grid groups g = N items i = 0 { }`, "a group has 0 items along i"},
		{`grid groups a = 1, b = 1, c = 1 items i = 4 { }`, `grid groups a = 1, b = 1, c = 1, d = 1 items i = 4 { }`, "4 axes of groups"},
		{`grid groups g = N items i = 4 width 4 { }`, `grid groups g = N items i = 4 width 8 { }`, "a group of 4 items has sub-groups of 8"},
		{`grid groups g = N items i = 12 width 4 { }`, `grid groups g = N items i = 12 width 6 { }`, "sub-groups of 6"},
		{`grid groups g = 16 items i = 4 { store B[g * 4 + i] = A[g + 16 * i] }`, `grid groups g = 16 items i = 4 { store B[g * 4 + i + 1] = A[0] }`, "store to B[g * 4 + i + 1]"},
		{`grid groups g = 16 items i = 4 { store B[g * 4 + i] = A[g + 16 * i] }`, `grid groups g = 16 items i = 4 { store B[g * 4 + i] = A[g + 17 * i] }`, "load from A[g + 17 * i]"},
		{`grid groups g = (N + 3) / 4 items i = 4 { if g * 4 + i < N && N < 65 { store B[g * 4 + i] = float32(1) } }`, `grid groups g = (N + 3) / 4 items i = 4 { if g * 4 < N && N < 66 { store B[g * 4 + i] = float32(1) } }`, "store to B[g * 4 + i]"},
		// Memory.
		{`grid groups g = 2 items i = 16 local T { store T[i] = float32(1) }`, `grid groups g = 2 items i = 16 { store T[i] = float32(1) }`, "outside its alloc"},
		{`grid groups g = 2 items i = 16 local T { store T[i] = float32(1) }`, `grid groups g = 2 items i = 17 local T { store T[i] = float32(1) }`, "store to T[i]"},
		{`grid groups g = 2 items i = 16 local T { }`, `grid groups g = 2 items i = 16 local own { }`, "own is no local buffer of this grid alone"},
		{`grid groups g = 2 items i = 16 local T { }`, `grid groups g = 2 items i = 16 local T { } grid groups h = 2 items j = 16 local T { }`, "T is no local buffer of this grid alone"},
		{`grid groups g = 2 items i = 4 { alloc own { store own[i] = float32(1) } }`, `grid groups g = 2 items i = 4 { alloc W { store W[i] = float32(1) } }`, "allocates W in region workspace"},
		{`grid groups g = 2 items i = 4 { alloc own { } }`, `grid groups g = 2 items i = 4 { alloc T { } }`, "allocates T in region local"},
		{`grid groups g = 2 items i = 4 { alloc own { } }`, `alloc own { grid groups g = 2 items i = 4 { } }`, "alloc own is around or beside grids"},
		// What items do.
		{`grid groups g = 2 items i = 4 { for k = 0 .. i step 1 { } }`, `grid groups g = 2 items i = 4 { parallel k = 0 .. i step 1 { } }`, "a parallel loop over k is inside of a grid"},
		{`grid groups g = 2 items i = 4 { }`, `grid groups g = 2 items i = 4 { transpose W[0 by 4] = A[0 by 4], 4, 4 }`, "transpose W[0 by 4] = A[0 by 4], 4, 4 is inside of a grid"},
		{`grid groups g = 2 items i = 4 { barrier }`, `barrier`, "a barrier outside of a grid"},
		{`grid groups g = 2 items i = 4 { barrier }`, `grid groups g = 2 items i = 4 { barrier } for t = 0 .. 3 step 1 { barrier global }`, "barrier global is around or beside"},
		{`grid groups g = 2 items i = 4 width 4 { shuffle v float32 = A[i] xor 2 }`, `shuffle v float32 = A[0] xor 2`, "a shuffle outside of a grid"},
		// Copies that run ahead.
		{`grid groups g = 2 items i = 4 local T { copy T[i * 4] = A[i * 4; 4] commit wait 0 }`, `copy T[0] = A[0; 4]`, "copy T[0] = A[0; 4] is outside of a grid"},
		{`grid groups g = 2 items i = 4 { commit }`, `commit`, "commit is outside of a grid"},
		{`grid groups g = 2 items i = 4 { wait 7 }`, `grid groups g = 2 items i = 4 { wait 8 }`, "leaves 8 batches on their way"},
		{`grid groups g = 2 items i = 4 local T { copy T[i * 4] = A[i * 4; 4] }`, `grid groups g = 2 items i = 4 local T { copy T[i * 4 + 1] = A[i * 4; 4] }`, "copy to T[i * 4 + 1]"},
		{`grid groups g = 2 items i = 4 local T { copy T[i * 4] = W[i * 20; 4] }`, `grid groups g = 2 items i = 4 local T { copy T[i * 4] = W[i * 21; 4] }`, "copy from W[i * 21]"},
		{`grid groups g = 2 items i = 4 local T { copy T[i * 4] = A[i * 4; 2] }`, `grid groups g = 2 items i = 2 local T { copy T[i * 8] = A[i * 4; 8] }`, "not 4, 8 or 16 bytes"},
		{`grid groups g = 2 items i = 4 local T { copy T[i] = A[i] }`, `grid groups g = 2 items i = 4 local T { copy B[i] = A[i] }`, "from region argument to argument"},
		{`grid groups g = 2 items i = 4 local T { copy T[i] = A[i] }`, `grid groups g = 2 items i = 4 local T { copy T[i] = T[i + 4] }`, "from region local to local"},
		{`grid groups g = 2 items i = 4 local T { if g < 1 { commit wait 0 } }`, `grid groups g = 2 items i = 4 local T { if i < 1 { commit } }`, "not all items of a group meet commit"},
		{`grid groups g = 2 items i = 4 local T { if g < 1 { commit wait 0 } }`, `grid groups g = 2 items i = 4 local T { for k = 0 .. i step 1 { wait 0 } }`, "not all items of a group meet wait 0"},
		// Swizzles.
		{`grid groups g = 2 items i = 4 local T { store T[swizzle(i * 4, 4, 2, 8)] = A[0; 4] }`, `grid groups g = 2 items i = 4 local T { store T[swizzle(i * 4 + 1, 4, 2, 8)] = A[0; 4] }`, "4 lanes of T from i * 4 + 1 on are not in one unit of 4"},
		{`grid groups g = 2 items i = 4 local T { store T[swizzle(i * 4, 4, 2, 8)] = A[0; 4] }`, `grid groups g = 2 items i = 4 local T { store T[swizzle(i * 4, 2, 4, 8)] = A[0; 4] }`, "not in one unit of 2"},
		{`grid groups g = 2 items i = 4 local T { store T[swizzle(ramp(i, 1, 4), 2, 4, 16)] = A[0; 4] }`, `grid groups g = 2 items i = 4 local T { store T[swizzle(i * 6, 2, 4, 16)] = A[0] }`, "store to T[i * 6]"},
		{`grid groups g = 2 items i = 4 local T { store T[swizzle(i, 4, 4, 16)] = A[0] }`, `grid groups g = 2 items i = 4 local T { store T[swizzle(i, 8, 4, 32)] = A[0] }`, "does not consist of swizzled blocks of 32"},
		{`grid groups g = 2 items i = 4 local T { store T[swizzle(i, 4, 4, 16)] = A[0] }`, `grid groups g = 2 items i = 4 local T { store T[swizzle(i, 4, 4, 8)] = A[0] }`, "by units of 4, 4 of them, every 8 elements"},
		{`grid groups g = 2 items i = 4 local T { store T[swizzle(i, 4, 4, 16)] = A[0] }`, `grid groups g = 2 items i = 4 local T { store T[swizzle(i, 3, 4, 12)] = A[0] }`, "by units of 3"},
		{`grid groups g = 2 items i = 4 local T { store T[swizzle(i, 4, 4, 16)] = A[0] }`, `grid groups g = 2 items i = 4 local T { store B[swizzle(i, 4, 4, 16)] = A[0] }`, "B is swizzled, and no array of numbers in local memory"},
		{`grid groups g = 2 items i = 4 local T { store T[swizzle(i, 4, 4, 16)] = A[0] }`, `grid groups g = 2 items i = 4 local T { store T[swizzle(i, 4, 4, 16) + 1] = A[0] }`, "a swizzle that is no subscript"},
		// Who meets.
		{`grid groups g = 2 items i = 4 { if g < 1 { barrier } }`, `grid groups g = 2 items i = 4 { if g + i < 1 { barrier } }`, "not all items of a group meet a barrier"},
		{`grid groups g = 2 items i = 4 { let c int64 = g + N for k = 0 .. c step 1 { barrier } }`, `grid groups g = 2 items i = 4 { let c int64 = g + i for k = 0 .. c step 1 { barrier } }`, "not all items of a group meet a barrier"},
		{`grid groups g = 2 items i = 4 { if A[g] > float32(0) { barrier } }`, `grid groups g = 2 items i = 4 { if A[i] > float32(0) { barrier } }`, "not all items of a group meet a barrier"},
		{`grid groups g = 2 items i = 4 { if A[g] > float32(0) { barrier } }`, `grid groups g = 2 items i = 4 { if B[g] > float32(0) { barrier } }`, "not all items of a group meet a barrier"},
		{`grid groups g = 2 items w = 2, i = 4 width 4 { if w == 1 { shuffle v float32 = A[i] xor 2 } }`, `grid groups g = 2 items w = 2, i = 4 width 4 { if w == 1 { barrier } }`, "not all items of a group meet a barrier"},
		{`grid groups g = 2 items w = 2, i = 4 width 4 { if w == 1 { shuffle v float32 = A[i] xor 2 } }`, `grid groups g = 2 items w = 2, i = 4 width 8 { if w == 1 { shuffle v float32 = A[i] xor 2 } }`, "not all items of a sub-group meet shuffle v"},
		{`grid groups g = 2 items i = 4 width 4 { shuffle v float32 = A[i] xor 2 if g < 1 { barrier } }`, `grid groups g = 2 items i = 4 width 4 { shuffle v int64 = g xor 2 if v < 1 { barrier } }`, "not all items of a group meet a barrier"},
		{`grid groups g = 2 items i = 4 { check i < 2, 0, i }`, `grid groups g = 2 items i = 4 { check i < 2, 0, i barrier }`, "ends some of the items that meet"},
		{`grid groups g = 2 items i = 4 { check g < 2, 0, g barrier }`, `grid groups g = 2 items i = 4 { if i < 1 { check g < 2, 0, g } barrier }`, "ends some of the items that meet"},
		// Shuffles.
		{`grid groups g = 2 items i = 4 width 4 { shuffle v float32 = A[i] xor 2 }`, `grid groups g = 2 items i = 4 { shuffle v float32 = A[i] xor 2 }`, "a grid without sub-groups"},
		{`grid groups g = 2 items i = 4 width 4 { shuffle v float32 = A[i] xor 2 }`, `grid groups g = 2 items i = 4 width 4 { shuffle v float32 = A[i] xor 4 }`, "a shuffle by 4 in sub-groups of 4"},
		{`grid groups g = 2 items i = 4 width 4 { shuffle v float32 = A[i] down 2 }`, `grid groups g = 2 items i = 4 width 4 { shuffle v int64 = A[i] down 2 }`, "a shuffle of float32"},
		{`grid groups g = 2 items i = 4 width 4 { shuffle v float32 = A[i] up 1 }`, `grid groups g = 2 items i = 4 width 4 { shuffle v float32x2 = A[i; 2] up 1 }`, "a shuffle of float32x2"},
	} {
		if err := loop.Verify(parse(t, gridHead, test.right)); err != nil {
			t.Errorf("%s: %v", test.right, err)
		}
		if err := loop.Verify(parse(t, gridHead, test.wrong)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\ngot %v, want %q", test.wrong, err, test.want)
		}
	}
}

// TestCapacity: grids that a device has no room for are refused, and those that just fit are not.
func TestCapacity(t *testing.T) {
	f := parse(t, gridHead, `grid groups g = 7, h = N items i = 2, j = 16 local T { } grid groups a = 3, b = 9 items c = 4 { }`)
	if err := loop.VerifyFor(f, loop.Capacity{}); err != nil {
		t.Error(err)
	}
	least := loop.Capacity{Local: 64, Items: 32, Along: [3]int64{16, 2, 0}, Groups: [3]int64{9, 3, 0}}
	if err := loop.VerifyFor(f, least); err != nil {
		t.Error(err)
	}
	for want, less := range map[string]func(c *loop.Capacity){
		"takes 64 bytes of local memory, of which there are 63": func(c *loop.Capacity) { c.Local = 63 },
		"a group has 32 items, of at most 31":                   func(c *loop.Capacity) { c.Items = 31 },
		"16 items along j":                                      func(c *loop.Capacity) { c.Along[0] = 15 },
		"2 items along i":                                       func(c *loop.Capacity) { c.Along[1] = 1 },
		"9 groups along x, of at most 8":                        func(c *loop.Capacity) { c.Groups[0] = 8 },
		"3 groups along y, of at most 2":                        func(c *loop.Capacity) { c.Groups[1] = 2 },
	} {
		c := least
		less(&c)
		if err := loop.VerifyFor(f, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
