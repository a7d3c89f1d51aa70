package c

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// compilerFlags are what the host device compiles with.
var compilerFlags = []string{"-O2", "-std=gnu11", "-fPIC", "-shared", "-march=native", "-fwrapv", "-fno-math-errno",
	"-fno-trapping-math", "-ffp-contract=fast", "-fno-strict-aliasing", "-Wall", "-Wno-unused", "-Wno-parentheses", "-Wno-psabi", "-Wno-overflow", "-Wno-unknown-pragmas"}

// compilers lists the C compilers of this machine, or the one that RICCI_CC names;
// a test without one is skipped.
func compilers(t testing.TB) []string {
	var found []string
	names := []string{"gcc", "clang"}
	if named := os.Getenv("RICCI_CC"); named != "" {
		names = []string{named}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			found = append(found, path)
		}
	}
	if len(found) == 0 {
		t.Skip("no gcc or clang on this machine")
	}
	return found
}

// A library is a loaded translation unit.
type library struct{ *host.Library }

// build compiles text and loads it for the time of the test.
func build(t testing.TB, compiler, text string, flags ...string) library {
	t.Helper()
	if !host.Supported {
		t.Skip(host.ErrUnsupported)
	}
	dir := t.TempDir()
	source, object := filepath.Join(dir, "kernel.c"), filepath.Join(dir, "kernel.so")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := append([]string{}, compilerFlags...)
	if !sweep.Long(t) {
		arguments = append(arguments, "-O1") // half the time; what is compiled as users do, internal/pipelinetest runs
	}
	arguments = append(arguments, flags...)
	arguments = append(arguments, "-o", object, source, "-lm")
	if output, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil || len(output) > 0 {
		t.Fatalf("%s: %v\n%.4000s\n%.20000s", compiler, err, output, text)
	}
	loaded, err := host.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = loaded.Close() })
	return library{loaded}
}

// call runs a kernel over an argument block.
func (l library) call(t testing.TB, name string, args []uint64) int32 {
	t.Helper()
	function, err := l.Function(name)
	if err != nil {
		t.Fatal(err)
	}
	status := function.Call((*int64)(unsafe.Pointer(&args[0])))
	runtime.KeepAlive(args)
	return status
}
