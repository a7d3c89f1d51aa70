//go:build linux || darwin || freebsd

// Package isltest asks the integer set library, where it is installed, for a
// second opinion in tests.
package isltest

import (
	"testing"

	"github.com/ebitengine/purego"
)

// A Library is a loaded libisl with a context of its own, for one goroutine.
type Library struct {
	context uintptr
	read    func(context uintptr, text string) uintptr
	empty   func(set uintptr) int32
	free    func(set uintptr) uintptr
}

// Open loads libisl, which comes with gcc, or skips the test.
func Open(t testing.TB) *Library {
	t.Helper()
	handle, err := purego.Dlopen("libisl.so.23", purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Skip("libisl.so.23 is not installed")
	}
	l := &Library{}
	var allocate func() uintptr
	purego.RegisterLibFunc(&allocate, handle, "isl_ctx_alloc")
	purego.RegisterLibFunc(&l.read, handle, "isl_set_read_from_str")
	purego.RegisterLibFunc(&l.empty, handle, "isl_set_is_empty")
	purego.RegisterLibFunc(&l.free, handle, "isl_set_free")
	l.context = allocate()
	return l
}

// Empty reports whether the set of a text such as "[N] -> { [i] : 0 <= i < N }" is
// empty for all values of its parameters; ok is false when isl does not read it.
func (l *Library) Empty(text string) (empty, ok bool) {
	set := l.read(l.context, text)
	if set == 0 {
		return false, false
	}
	defer l.free(set)
	answer := l.empty(set)
	return answer == 1, answer >= 0
}
