package c

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/loop"
)

// How threads find memory of their own
//
// Buffers that are too large for the stack of a thread lie in the workspace, behind the rest: there are as many parts
// as threads at most. Nobody tells a function of iterations which thread it is. It takes a part that is free, by the
// word in front of it, and gives it back at its end. As many functions run at once as there are threads, so that one is
// free, or is soon where a thread is about to give its own back.

// ownEnd gives the part back.
const ownEnd = "__atomic_store_n((i64 *)own, 0, __ATOMIC_RELEASE);"

// usesOwn reports whether statements have buffers in a thread's part of the workspace.
func usesOwn(body []loop.Stmt) bool {
	found := false
	loop.Walk(body, loop.Visitor{Stmt: func(s loop.Stmt) {
		a, ok := s.(*loop.Alloc)
		found = found || ok && a.Buffer.Region == loop.Thread
	}})
	return found
}

// ownStart is the address of the first part.
func (k *kernel) ownStart() code {
	start := loop.Expr(loop.Int(k.f.Workspace))
	if k.f.OwnStart != nil {
		start = k.f.OwnStart
	}
	address := primary("args[%d]", loop.WordWorkspace)
	if isConst(start, 0) {
		return address
	}
	return binary(address, "+", k.expr(start), levelAdd)
}

// ownArray declares a buffer in the part of the thread: the first one where nothing runs beside.
func (k *kernel) ownArray(b *loop.Buffer) {
	part := primary("own")
	if !k.hasOwn {
		part = k.ownStart()
	}
	k.line("%s = (%s)%s;", k.pointer(b), k.pointerType(b), binary(part, "+", primary("%d", b.Offset), levelAdd).at(levelUnary))
}

// leaveOwn gives the part back, if one was taken.
func (k *kernel) leaveOwn() {
	if k.hasOwn {
		k.line("%s", ownEnd)
	}
}

// ownHelper defines the function that takes a part.
func (u *unit) ownHelper() string {
	name := "r_own" + u.suffix
	if u.once(name) {
		fmt.Fprintf(&u.helpers, `
/* takes a free one of some parts of the workspace */
static __attribute__((noinline)) i64 %s(i64 parts, i64 size, i64 count) {
  for (i64 part = 0;; part = part + 1 < count ? part + 1 : 0) {
    i64 *taken = (i64 *)(parts + part * size);
    if (!__atomic_load_n(taken, __ATOMIC_RELAXED) && !__atomic_exchange_n(taken, 1, __ATOMIC_ACQUIRE)) return (i64)taken;
  }
}
`, name)
	}
	return name
}
