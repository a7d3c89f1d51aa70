package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Family is the make of a compiler, which decides its flags.
type Family string

// The families that understand the C that Ricci writes (GNU vector extensions).
const (
	GCC   Family = "gcc"
	Clang Family = "clang"
)

// oldest is the oldest version of a family whose vector extensions suffice.
var oldest = map[Family]int{GCC: 9, Clang: 10}

// A Compiler is a C compiler that answered to --version.
type Compiler struct {
	Command []string // the program and the arguments that always go first
	Path    string   // of the program, links resolved
	Family  Family
	Version string
	// Instructions are flags that say for which machine code is made; none for this one.
	Instructions []string
	// Strict rounds every operation by itself.
	Strict bool
}

// String names the compiler for people, such as "gcc 12.2.0 (/usr/bin/gcc)".
func (c *Compiler) String() string {
	return fmt.Sprintf("%s %s (%s)", c.Family, c.Version, strings.Join(c.Command, " "))
}

// Identity is a text that changes when the compiler does: it is part of the keys
// of cached kernels.
func (c *Compiler) Identity() string {
	return strings.Join(append([]string{string(c.Family), c.Version, c.Path}, c.Command...), "\x00")
}

// CompilerVariable is the environment variable that chooses the compiler: a
// command such as "clang-19" or "ccache gcc"; "none" means no compiler.
const CompilerVariable = "RICCI_CC"

// Find looks for C compilers, best first. The error says what was tried when
// there is none. Answers are remembered as long as RICCI_CC and PATH stay.
func Find(ctx context.Context) ([]*Compiler, error) { return found.find(ctx, nil) }

// FindRemembered is Find with a memory that outlives the process: a compiler
// whose file has not changed since is not asked for its version.
func FindRemembered(ctx context.Context, memory Memory) ([]*Compiler, error) {
	return found.find(ctx, memory)
}

// found is what the process knows about compilers; asking each one anew for
// every kernel would cost milliseconds.
var found = compilerMemory{turn: newTurn()}

type compilerMemory struct {
	turn      turn
	question  string
	compilers []*Compiler
	err       error
}

func (m *compilerMemory) find(ctx context.Context, memory Memory) ([]*Compiler, error) {
	if err := m.turn.take(ctx); err != nil {
		return nil, err
	}
	defer m.turn.give()
	question := os.Getenv(CompilerVariable) + "\x00" + os.Getenv("PATH")
	if question == m.question && (m.compilers != nil || m.err != nil) {
		return m.compilers, m.err
	}
	compilers, err := find(ctx, os.Getenv(CompilerVariable), memory)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	// A compiler that could not be asked this time may answer the next time.
	if !errors.Is(err, errNoAnswer) {
		m.question, m.compilers, m.err = question, compilers, err
	}
	return compilers, err
}

// names are the programs to look for, best first.
func names() []string {
	list := []string{"gcc", "clang"}
	if runtime.GOOS == "darwin" {
		list = []string{"clang", "gcc"}
	}
	for version := 18; version >= oldest[GCC]; version-- {
		list = append(list, fmt.Sprintf("gcc-%d", version))
	}
	for version := 24; version >= oldest[Clang]; version-- {
		list = append(list, fmt.Sprintf("clang-%d", version))
	}
	return append(list, "cc")
}

// errNoAnswer says that a program did not run to its end: too many processes, no
// memory, no time.
var errNoAnswer = errors.New("no answer")

func find(ctx context.Context, choice string, memory Memory) ([]*Compiler, error) {
	switch {
	case !Supported:
		return nil, ErrUnsupported
	case choice == "none":
		return nil, fmt.Errorf("no C compiler: %s=none", CompilerVariable)
	case choice != "" && strings.TrimSpace(choice) == "":
		return nil, fmt.Errorf("%s=%q names no compiler: write a command such as gcc or \"ccache clang\", or unset it", CompilerVariable, choice)
	case choice != "":
		c, err := identify(ctx, strings.Fields(choice), memory)
		if err != nil {
			return nil, fmt.Errorf("%s=%q: %w", CompilerVariable, choice, err)
		}
		return []*Compiler{c}, nil
	}
	var compilers []*Compiler
	var failures []error
	seen := map[string]bool{}
	for _, name := range names() {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			if seen[real] {
				continue
			}
			seen[real] = true
		}
		c, err := identify(ctx, []string{path}, memory)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		compilers = append(compilers, c)
	}
	if len(compilers) == 0 {
		return nil, errors.Join(append([]error{errors.New("no C compiler found: install gcc or clang, or name one in " + CompilerVariable)}, failures...)...)
	}
	return compilers, nil
}

// identify completes a command to a compiler.
func identify(ctx context.Context, command []string, memory Memory) (*Compiler, error) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return nil, err
	}
	c := &Compiler{Command: append([]string{path}, command[1:]...), Path: path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		c.Path = real
	}
	text, err := c.versionText(ctx, memory)
	if err != nil {
		return nil, err
	}
	if c.Family, c.Version, err = parseVersion(text); err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(c.Command, " "), err)
	}
	return c, nil
}

// ask runs the compiler with --version.
func (c *Compiler) ask(ctx context.Context) (string, error) {
	limit, err := Timeout()
	if err != nil {
		return "", err
	}
	limit = min(limit, questionTimeout)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	question := exec.CommandContext(limited, c.Command[0], slices.Concat(c.Command[1:], []string{"--version"})...)
	question.WaitDelay = time.Second // a child of it may hold the pipe
	killChildren(question)
	var said messages
	question.Stdout = &said
	err = question.Run()
	tried := strings.Join(question.Args, " ")
	switch exit := (*exec.ExitError)(nil); {
	case err == nil:
		return said.text.String(), nil
	case ctx.Err() == nil && limited.Err() != nil:
		return "", fmt.Errorf("%s: %w: it did not finish within %v", tried, errNoAnswer, limit)
	case !errors.As(err, &exit) || exit.ExitCode() < 0:
		return "", fmt.Errorf("%s: %w: %w", tried, errNoAnswer, err)
	}
	return "", fmt.Errorf("%s: %w", tried, err)
}

var (
	clangVersion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`clang version (\d+(?:\.\d+)*)`) })
	gccVersion   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\S*(?:gcc|cc|GCC)\S* \(.*\) (\d+(?:\.\d+)+)`) })
)

// parseVersion reads what --version printed.
func parseVersion(text string) (Family, string, error) {
	family, version := Family(""), ""
	if m := clangVersion().FindStringSubmatch(text); m != nil {
		family, version = Clang, m[1]
	} else if m := gccVersion().FindStringSubmatch(text); m != nil && strings.Contains(text, "Free Software Foundation") {
		family, version = GCC, m[1]
	} else {
		first, _, _ := strings.Cut(text, "\n")
		return "", "", fmt.Errorf("neither gcc nor clang: it says %q", first)
	}
	first, _, _ := strings.Cut(version, ".")
	if major, err := strconv.Atoi(first); err != nil || major < oldest[family] {
		return "", "", fmt.Errorf("%s %s is too old: version %d or newer is needed", family, version, oldest[family])
	}
	return family, version, nil
}
