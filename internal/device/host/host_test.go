package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/source"
)

// testCompiler returns the machine's compiler; without one there is nothing to
// test here.
func testCompiler(t testing.TB) *Compiler {
	t.Helper()
	compilers, err := Find(context.Background())
	if err != nil {
		t.Skip(err)
	}
	return compilers[0]
}

func load(t testing.TB, text string) *Library {
	t.Helper()
	object, err := testCompiler(t).Compile(context.Background(), text, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	library, err := OpenBytes(object)
	if err != nil {
		t.Fatal(err)
	}
	return library
}

func function(t testing.TB, l *Library, name string) Function {
	t.Helper()
	f, err := l.Function(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const addText = `#include <stdint.h>
int32_t add(int64_t *a) { a[2] = a[0] + a[1]; return (int32_t)a[3]; }`

func TestCall(t *testing.T) {
	l := load(t, addText)
	defer l.Close()
	add := function(t, l, "add")
	args := [4]int64{40, 2, 0, 7}
	if status := add.Call(&args[0]); status != 7 || args[2] != 42 {
		t.Errorf("status %d, sum %d", status, args[2])
	}
	if n := testing.AllocsPerRun(100, func() {
		args := [4]int64{1, 2}
		add.Call(&args[0])
	}); n != 0 {
		t.Errorf("%v allocations for a call", n)
	}
	if _, err := l.Function("subtract"); err == nil || !strings.Contains(err.Error(), "subtract") {
		t.Errorf("a missing function: %v", err)
	}
}

func TestOpenPath(t *testing.T) {
	object, err := testCompiler(t).Compile(context.Background(), addText, CompileOptions{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "add.so")
	if err := os.WriteFile(path, object, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	function(t, l, "add")
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.so")); err == nil {
		t.Error("a missing library was loaded")
	}
}

// Libraries opened one after the other from memory must not be confused.
func TestOpenBytesManyTimes(t *testing.T) {
	for want := int32(0); want < 5; want++ {
		l := load(t, strings.Replace(addText, "(int32_t)a[3]", string(rune('0'+want)), 1))
		args := [4]int64{}
		if got := function(t, l, "add").Call(&args[0]); got != want {
			t.Fatalf("library %d answered %d", want, got)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A library that Go has forgotten stays loaded; the next one must not be taken
// for it.
func TestForgottenLibraries(t *testing.T) {
	text := "int f(const long *args) { return "
	functions := make([]Function, 8)
	for i := range functions {
		functions[i] = function(t, load(t, fmt.Sprintf("%s%d; }", text, i)), "f")
		runtime.GC()
		runtime.GC()
	}
	for i, f := range functions {
		if got := f.Call(new(int64)); got != int32(i) {
			t.Errorf("function %d is function %d", i, got)
		}
	}
}

func TestCompileFailure(t *testing.T) {
	dir := t.TempDir()
	_, err := testCompiler(t).Compile(context.Background(), "int f( {", CompileOptions{ReproducerDir: dir})
	var internal *source.InternalError
	var refused *device.RefusedError
	if !errors.As(err, &internal) || !errors.As(err, &refused) {
		t.Fatalf("got %v", err)
	}
	saved, _ := filepath.Glob(filepath.Join(dir, "reproducer-*.c"))
	if len(saved) != 1 || !strings.Contains(err.Error(), saved[0]) {
		t.Errorf("reproducer %v is not named in %v", saved, err)
	}
}

// A compiler that fails by an error of its own is asked for less, which the user hears of.
func TestCompilerCrash(t *testing.T) {
	for name, message := range map[string]string{
		"gcc":   "f.c:1:1: internal compiler error: in fold",
		"clang": "clang: error: clang frontend command failed with exit code 139 (use -v to see invocation)",
	} {
		t.Run(name, func(t *testing.T) {
			c := *testCompiler(t)
			script := filepath.Join(t.TempDir(), "compiler")
			text := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in\n*-O1*) exec %s \"$@\";;\nesac\necho '%s' >&2\nexit 4\n", strings.Join(c.Command, " "), message)
			if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
			c.Command = []string{script}
			dir := t.TempDir()
			var notices []string
			options := CompileOptions{ReproducerDir: dir, Notice: func(n string) { notices = append(notices, n) }}
			if _, err := c.Compile(context.Background(), "int f(const long *args) { return 0; }", options); err != nil {
				t.Error(err)
			}
			if len(notices) != 1 || !strings.Contains(notices[0], "-O1") {
				t.Errorf("got the notices %q", notices)
			}
			_, err := c.Compile(context.Background(), "int f( {", options)
			var refused *device.RefusedError
			if saved, _ := filepath.Glob(filepath.Join(dir, "*")); !errors.As(err, &refused) || len(saved) != 1 || len(notices) != 1 {
				t.Errorf("got %v, the reproducers %v and the notices %q", err, saved, notices)
			}
		})
	}
}

// TestFullDisk checks that a compiler without room is no defect of Ricci.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	full := &Compiler{Command: []string{"sh", "-c", "echo 'fatal error: error writing to /tmp/x.s: No space left on device' >&2; exit 1"}, Family: GCC}
	_, err := full.Compile(context.Background(), addText, CompileOptions{ReproducerDir: dir})
	var internal *source.InternalError
	if err == nil || errors.As(err, &internal) || !strings.Contains(err.Error(), "No space left") {
		t.Errorf("got %v", err)
	}
	if saved, _ := filepath.Glob(filepath.Join(dir, "*")); len(saved) > 0 {
		t.Errorf("a reproducer was saved: %v", saved)
	}
}

func TestCompileStops(t *testing.T) {
	c := testCompiler(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Compile(ctx, addText, CompileOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	sleeper := &Compiler{Command: []string{"sh", "-c", "sleep 30; exit 1"}, Family: GCC}
	begin := time.Now()
	_, err := sleeper.Compile(context.Background(), addText, CompileOptions{Timeout: 50 * time.Millisecond})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 20*time.Second {
		t.Errorf("after %v: %v", time.Since(begin), err)
	}
}

func TestAssembly(t *testing.T) {
	text, err := testCompiler(t).Compile(context.Background(), addText, CompileOptions{Emit: Assembly})
	if err != nil || !strings.Contains(string(text), "add:") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestParseVersion(t *testing.T) {
	const fsf = "\nCopyright (C) 2022 Free Software Foundation, Inc.\n"
	for _, c := range []struct{ text, family, version string }{
		{"gcc (Debian 12.2.0-14+deb12u1) 12.2.0" + fsf, "gcc", "12.2.0"},
		{"cc (Ubuntu 13.2.0-23ubuntu4) 13.2.0" + fsf, "gcc", "13.2.0"},
		{"x86_64-linux-gnu-gcc-11 (GCC) 11.4.1 20231218 (Red Hat 11.4.1-3)" + fsf, "gcc", "11.4.1"},
		{"Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu", "clang", "14.0.6"},
		{"Apple clang version 15.0.0 (clang-1500.3.9.4)", "clang", "15.0.0"},
		{"gcc (GCC) 4.8.5" + fsf, "", ""},
		{"tcc version 0.9.27 (x86_64 Linux)", "", ""},
		{"", "", ""},
	} {
		family, version, err := parseVersion(c.text)
		if string(family) != c.family || version != c.version || (err == nil) != (c.family != "") {
			t.Errorf("%q: %s %s %v", c.text, family, version, err)
		}
	}
}

func TestFindObeysVariable(t *testing.T) {
	if !Supported {
		t.Skip(ErrUnsupported)
	}
	for choice, message := range map[string]string{"none": "none", "/no/such/cc": "/no/such/cc", "echo": "neither gcc nor clang"} {
		t.Setenv(CompilerVariable, choice)
		if _, err := Find(context.Background()); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", choice, err)
		}
	}
}

// TestInspect: what is missing is said, and a device that lacks nothing can be used.
func TestInspect(t *testing.T) {
	r := inspect(context.Background(), device.Settings{})
	if r.Usable != (len(r.Missing) == 0) || r.Name != "host" || len(r.Parts) < len(libraries) {
		t.Errorf("%+v", r)
	}
	t.Setenv(CompilerVariable, "none")
	if r := inspect(context.Background(), device.Settings{}); r.Usable || len(r.Missing) == 0 {
		t.Errorf("without a compiler: %+v", r)
	}
}

func BenchmarkCall(b *testing.B) {
	l := load(b, addText)
	defer l.Close()
	add := function(b, l, "add")
	b.ReportAllocs()
	for b.Loop() {
		args := [4]int64{1, 2}
		add.Call(&args[0])
	}
}
