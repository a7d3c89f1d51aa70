package host

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestProcessorTime checks that children of a compiler have a limit of their own.
func TestProcessorTime(t *testing.T) {
	driver := &Compiler{Command: []string{"sh", "-c", "sleep 0.3; sh -c 'echo limit $(ulimit -t); exit 1'"}, Family: GCC}
	_, err := driver.Compile(context.Background(), addText, CompileOptions{ReproducerDir: t.TempDir(), Timeout: 77 * time.Second})
	if err == nil || !strings.Contains(err.Error(), "limit 78") {
		t.Errorf("got %v", err)
	}
}
