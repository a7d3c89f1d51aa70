// Package cudatest is a card of CUDA for tests: libraries in place of the driver, of NVRTC and of cuBLAS, which run kernels on the processor (testdata/card.cpp).
package cudatest

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

//go:embed testdata/card.cpp
var source []byte

// Variable says in the environment of a process what goes wrong with its cards: words of testdata/card.cpp.
const Variable = "FAKE_CARD"

// Build makes the libraries in a directory, for which shim is the header that has CUDA's words.
func Build(ctx context.Context, shim, dir string) error {
	shim, err := filepath.Abs(shim)
	if err != nil {
		return err
	}
	text, driver := filepath.Join(dir, "card.cpp"), filepath.Join(dir, "libcuda.so.1")
	if err := os.WriteFile(text, source, 0o600); err != nil {
		return err
	}
	command := exec.CommandContext(ctx, "g++", "-shared", "-fPIC", "-O1", fmt.Sprintf("-DSHIM=%q", shim), "-o", driver, text)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	for _, other := range []string{"libnvrtc.so.12", "libcublas.so.12"} {
		if err := os.Symlink("libcuda.so.1", filepath.Join(dir, other)); err != nil {
			return err
		}
	}
	return nil
}

// Libraries builds the libraries for a test, and returns their directory; without g++ the test is skipped.
func Libraries(t *testing.T, shim string) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++ (apt-get install g++): ", err)
	}
	dir = t.TempDir()
	if err := Build(t.Context(), shim, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Environment is that of processes that find the libraries. Wrong are the words of what goes wrong.
func Environment(t *testing.T, shim, wrong string) []string {
	t.Helper()
	return append(os.Environ(), "LD_LIBRARY_PATH="+Libraries(t, shim), Variable+"="+wrong)
}

// Again runs a test of this program once more, in a process that has the cards.
func Again(t *testing.T, name string, environment []string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+name+"$", "-test.v")
	command.Env = environment
	output, err := command.CombinedOutput()
	t.Logf("%s", output)
	if err != nil {
		t.Error(err)
	}
}
