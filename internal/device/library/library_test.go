package library

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"
)

// TestOpen calls the C library, and names what is not there.
func TestOpen(t *testing.T) {
	l, err := Open("libthat-is-not-there.so", "libc.so.6", "libSystem.B.dylib")
	if err != nil {
		t.Skip("no C library is found: ", err)
	}
	length, err := l.Function("strlen")
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("driver\x00")
	if n := length.Call(uintptr(unsafe.Pointer(&text[0]))); n != 6 {
		t.Errorf("strlen gives %d", n)
	}
	if _, err := l.Function("no_such_function"); err == nil || !strings.Contains(err.Error(), "no_such_function") {
		t.Errorf("a function that is not there: %v", err)
	}
	if _, err := Open("liba-gone.so", "libb-gone.so"); err == nil || err.Error() != "there is no liba-gone.so, libb-gone.so" {
		t.Errorf("libraries that are not there: %v", err)
	}
	rubbish := filepath.Join(t.TempDir(), "librubbish.so")
	if err := os.WriteFile(rubbish, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open("liba-gone.so", rubbish); err == nil || !strings.Contains(err.Error(), rubbish+" cannot be loaded: ") {
		t.Errorf("a file that is no library: %v", err)
	}
}
