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

// around declares the arrays of an outermost loop that is written out, prints it by body, and closes
// the braces around both.
func (k *kernel) around(s *loop.For, body func()) {
	if k.outside != nil || s.Kind != loop.Unrolled || tripCount(s) < 2 {
		body()
		return
	}
	arrays := k.arraysIn(s.Body)
	if len(arrays) == 0 {
		body()
		return
	}
	k.line("{")
	k.indent++
	for _, b := range arrays {
		k.array(b)
	}
	k.outside = arrays
	body()
	k.outside = nil
	k.indent--
	k.line("}")
}

// arraysIn lists the arrays of statements, but for those of functions of their own.
func (k *kernel) arraysIn(list []loop.Stmt) (arrays []*loop.Buffer) {
	for _, s := range list {
		if a, ok := s.(*loop.Alloc); ok && !slices.Contains(arrays, a.Buffer) {
			arrays = append(arrays, a.Buffer)
		}
		if f, ok := s.(*loop.For); ok && k.isOutlined(f) {
			continue
		}
		for _, body := range loop.StmtBodies(s) {
			for _, b := range k.arraysIn(body) {
				if !slices.Contains(arrays, b) {
					arrays = append(arrays, b)
				}
			}
		}
	}
	return arrays
}

// alloc prints what uses an array in braces with it.
func (k *kernel) alloc(s *loop.Alloc) {
	k.line("{")
	k.indent++
	if !slices.Contains(k.outside, s.Buffer) {
		k.array(s.Buffer)
	}
	k.block(s.Body)
	k.indent--
	k.line("}")
}

// array declares an array on the stack.
func (k *kernel) array(b *loop.Buffer) {
	alignment := ""
	if b.Region == loop.Private {
		alignment = " __attribute__((aligned(64)))"
	}
	k.line("%s %s[%d]%s;", k.elementType(b), k.scope.declare(b, b.Name), max(1, b.Length), alignment)
}
