package c

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/loop"
)

// How arrays on the stack are declared
//
// Each stands in the braces of what uses it, so that arrays that are not needed at the same time
// share their place on the stack. gcc (up to 14, its bug 90348) takes an array for unused from the end
// of its braces to where its address is computed next. Of a loop that is written out it computes
// the address once for all iterations: from the second one on another array may have the same
// place. So the arrays in such a loop are declared before it.
//
// In other loops, too, gcc may compute addresses before the loop, and gives the arrays places of their
// own then. Where the stack has no room for that, they lie in one array, the room, which all of them
// share as the braces say.

// mostApart is how many bytes more the arrays of a loop may take than those that are needed
// together, which are 1 MB at most (machine.StackBytes); callers leave 2 MB to a kernel.
const mostApart = 1 << 18

// around prints an outermost loop by body, and declares arrays before it that do not stand in the
// braces of what uses them.
func (k *kernel) around(s *loop.For, body func(*loop.For)) {
	if k.outside != nil {
		body(s)
		return
	}
	k.withRoom(s.Body, func() {
		if s.Kind == loop.Unrolled && tripCount(s) > 1 {
			k.outOf(s, body)
			return
		}
		body(s)
	})
}

// withRoom prints what a loop does, with the room for its arrays where they need one.
func (k *kernel) withRoom(list []loop.Stmt, body func()) {
	arrays, together := k.arraysIn(list)
	apart := -together
	for _, b := range arrays {
		apart += sharedBytes(b)
	}
	if k.room != "" || apart <= mostApart {
		body()
		return
	}
	k.line("{")
	k.indent++
	k.room, k.inUse = k.scope.declare(new(string), "room"), 0
	k.line("u8 %s[%d] __attribute__((aligned(64)));", k.room, together)
	body()
	k.room = ""
	k.indent--
	k.line("}")
}

// outOf prints a loop that is written out, with its arrays before it.
func (k *kernel) outOf(s *loop.For, body func(*loop.For)) {
	arrays, _ := k.arraysIn(s.Body)
	if k.room != "" {
		arrays = slices.DeleteFunc(arrays, isShared)
	}
	if len(arrays) == 0 {
		body(s)
		return
	}
	k.line("{")
	k.indent++
	for _, b := range arrays {
		k.array(b)
	}
	k.outside = arrays
	body(s)
	k.outside = nil
	k.indent--
	k.line("}")
}

// arraysIn lists the arrays of statements, but for those of functions of their own, and says how
// large the room has to be that they can share.
func (k *kernel) arraysIn(list []loop.Stmt) (arrays []*loop.Buffer, together int64) {
	for _, s := range list {
		own, inside := int64(0), int64(0)
		if a, ok := s.(*loop.Alloc); ok && a.Buffer.Region != loop.Thread {
			arrays, own = union(arrays, a.Buffer), sharedBytes(a.Buffer)
		}
		if f, ok := s.(*loop.For); ok && k.isOutlined(f) {
			continue
		}
		for _, body := range loop.StmtBodies(s) {
			more, bytes := k.arraysIn(body)
			arrays, inside = union(arrays, more...), max(inside, bytes)
		}
		together = max(together, own+inside)
	}
	return arrays, together
}

// isShared reports whether an array may be in the room: others are registers mostly.
func isShared(b *loop.Buffer) bool { return b.Region == loop.Private }

// sharedBytes is how many bytes of the room an array takes.
func sharedBytes(b *loop.Buffer) int64 {
	if !isShared(b) {
		return 0
	}
	return (b.Length*int64(b.Type.Lanes*b.Type.Elem.Size()) + 63) &^ 63
}

// union adds arrays that are not in a list.
func union(list []*loop.Buffer, more ...*loop.Buffer) []*loop.Buffer {
	for _, b := range more {
		if !slices.Contains(list, b) {
			list = append(list, b)
		}
	}
	return list
}

// alloc prints an array and what uses it, up to the end of the braces that they stand in.
func (k *kernel) alloc(s *loop.Alloc) {
	inUse := k.inUse
	switch {
	case s.Buffer.Region == loop.Thread:
		k.ownArray(s.Buffer)
	case k.room != "" && isShared(s.Buffer):
		place := primary("%s", k.room)
		if inUse > 0 {
			place = binary(place, "+", primary("%d", inUse), levelAdd)
		}
		k.line("%s = (%s)%s;", k.pointer(s.Buffer), k.pointerType(s.Buffer), place.at(levelUnary))
		k.inUse += sharedBytes(s.Buffer)
	case !slices.Contains(k.outside, s.Buffer):
		k.array(s.Buffer)
	}
	k.block(s.Body, true)
	k.inUse = inUse
}

// array declares an array on the stack.
func (k *kernel) array(b *loop.Buffer) {
	alignment := ""
	if b.Region == loop.Private {
		alignment = " __attribute__((aligned(64)))"
	}
	k.line("%s %s[%d]%s;", k.elementType(b), k.scope.declare(b, b.Name), max(1, b.Length), alignment)
}
