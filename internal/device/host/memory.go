package host

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ricci-lang/ricci/internal/bounded"
)

// A Memory keeps small texts from one process to the next.
type Memory interface {
	Recall(name string) ([]byte, bool)
	Remember(name string, text []byte) error
}

// versionText returns what the compiler says about its version, without running it
// if the memory has the answer of the very same file.
func (c *Compiler) versionText(ctx context.Context, memory Memory) (string, error) {
	name := c.fileIdentity()
	if memory == nil || name == "" {
		return c.ask(ctx)
	}
	if text, found := memory.Recall(name); found {
		return string(text), nil
	}
	text, err := c.ask(ctx)
	if err == nil {
		// What cannot be kept is asked again next time.
		_ = memory.Remember(name, []byte(text))
	}
	return text, err
}

// fileIdentity is a text that changes when the compiler is replaced. It is empty
// for what may lead to different compilers at different times: commands of several
// words, scripts, wrappers such as ccache, and the programs of /usr/bin on macOS.
func (c *Compiler) fileIdentity() string {
	base := filepath.Base(c.Path)
	isCompiler := strings.Contains(base, string(GCC)) || strings.Contains(base, string(Clang))
	if len(c.Command) > 1 || !isCompiler || runtime.GOOS == "darwin" && filepath.Dir(c.Path) == "/usr/bin" {
		return ""
	}
	file, err := bounded.Open(c.Path)
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err := file.Stat()
	var magic [2]byte
	if _, readErr := file.ReadAt(magic[:], 0); err != nil || readErr != nil || string(magic[:]) == "#!" {
		return ""
	}
	return fmt.Sprintf("compiler %s\x00%s\x00%d\x00%d", c.Command[0], c.Path, info.Size(), info.ModTime().UnixNano())
}
