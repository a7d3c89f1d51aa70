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
	"strings"
	"sync"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/ricci-lang/ricci/internal/bounded"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/scratch"
	"github.com/ricci-lang/ricci/internal/source"
)

// Emit is what a compilation makes.
type Emit string

// The products of a compilation.
const (
	SharedLibrary Emit = "so"
	Assembly      Emit = "asm"
)

// CompileOptions says how to compile. The zero value makes a shared library.
type CompileOptions struct {
	Emit Emit // SharedLibrary when empty
	// Portable makes code for all machines of the architecture, not only for this one.
	Portable bool
	Flags    []string      // in addition to those of the compiler
	TempDir  string        // for intermediate files; the system's when empty
	Timeout  time.Duration // what RICCI_CC_TIMEOUT says when zero, else two minutes
	// ReproducerDir receives the C text when the compiler refuses it; empty: the
	// system's directory for temporary files.
	ReproducerDir string
	// Notice receives what the user may want to know of a compilation that succeeded; nil discards it.
	Notice func(message string)
}

// commonFlags hold for every family. Integers wrap in Ricci, and no result
// depends on errno or floating-point traps.
var commonFlags = []string{
	"-O2", "-std=gnu11", "-fwrapv", "-fno-math-errno", "-fno-trapping-math",
	"-fno-strict-aliasing", "-fno-fast-math", "-w", // RICCI_CC may have flags of its own
}

// contraction says whether a product and a sum may be fused.
func (c *Compiler) contraction() string {
	if c.Strict {
		return "-ffp-contract=off"
	}
	return "-ffp-contract=fast"
}

// Flags returns the flags that decide what code the compiler makes for this
// machine. Whoever compiles for another one must not use them.
func (c *Compiler) Flags() []string { return c.flags(false) }

// flags are those of Flags, or only those that hold for all machines of the architecture.
func (c *Compiler) flags(portable bool) []string {
	flags := append(slices.Clone(commonFlags), c.contraction())
	switch {
	case portable:
	case len(c.Instructions) > 0:
		flags = append(flags, c.Instructions...)
	case runtime.GOARCH == "arm64":
		flags = append(flags, "-mcpu=native")
	default:
		flags = append(flags, "-march=native")
	}
	// Vectors of neighbouring scalars had gcc 12 take elements of arrays that are copied in turn from
	// the wrong iteration. Since arrays.go of target/c keeps their places apart the tests pass without
	// the flag, but nothing is gained: the vectors of Ricci are written out, and products, layers and
	// transpositions take 0.99 to 1.02 of the time, their compilation as long.
	if c.Family == GCC {
		flags = append(flags, "-fno-tree-slp-vectorize")
	}
	// Without it clang splits 64-byte vectors into halves, at a third of the speed.
	if c.Family == Clang && (cpuid.CPU.Supports(cpuid.AVX512F) || portable && runtime.GOARCH == "amd64") {
		flags = append(flags, "-mprefer-vector-width=512")
	}
	return flags
}

// Compile compiles C text and returns the bytes of the product. C that the
// compiler refuses is an InternalError whose text names a file with the program.
func (c *Compiler) Compile(ctx context.Context, text string, options CompileOptions) ([]byte, error) {
	product, err := c.compile(ctx, text, options)
	if errors.Is(err, errCrashed) {
		options.Flags = append(slices.Clip(options.Flags), simpler)
		if product, err = c.compile(ctx, text, options); err == nil && options.Notice != nil {
			options.Notice(fmt.Sprintf("%s failed by an error of its own, and compiled with %s instead, which may be slower; %s names another compiler", c, simpler, CompilerVariable))
		}
	}
	return product, err
}

// simpler is for a compiler that fails at correct C, mostly in a transformation that is left out then:
// gcc 12 crashes where it removes partial redundancies of some masks.
const simpler = "-O1"

// errCrashed says that a compiler reported an error of its own.
var errCrashed = errors.New("the compiler failed by an error of its own")

// ownErrors matches what gcc and clang write then.
var ownErrors = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`internal compiler error|frontend command failed`) })

// compile runs the compiler once.
func (c *Compiler) compile(ctx context.Context, text string, options CompileOptions) ([]byte, error) {
	timeout, err := options.Timeout, error(nil)
	if timeout == 0 {
		if timeout, err = Timeout(); err != nil {
			return nil, err
		}
	}
	work, err := scratch.NewDir(options.TempDir, "cc")
	if err != nil {
		return nil, fmt.Errorf("cannot make a directory for the compiler: %w", err)
	}
	defer work.Close()
	output := filepath.Join(work.Path, "kernel.out")
	arguments := slices.Concat(c.Command[1:], c.flags(options.Portable), options.Flags)
	if options.Emit == Assembly {
		arguments = append(arguments, "-S", "-fverbose-asm", "-o", output, "-x", "c", "-")
	} else {
		arguments = append(arguments, "-fPIC", "-shared", "-o", output, "-x", "c", "-", "-lm")
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	command := exec.CommandContext(limited, c.Command[0], arguments...)
	command.Stdin = strings.NewReader(text)
	command.Env = append(os.Environ(), "LC_ALL=C", "TMPDIR="+work.Path)
	var said messages
	command.Stdout, command.Stderr = &said, &said
	command.WaitDelay = time.Second
	killChildren(command)
	err = command.Start()
	if err == nil {
		limitProcessorTime(command.Process, timeout)
		err = command.Wait()
	}
	if err != nil {
		if limited.Err() != nil && ctx.Err() == nil {
			return nil, &TimeoutError{Compiler: c.String(), Limit: timeout, Tried: command.Args}
		}
		return nil, c.failure(ctx, err, said.text.String(), text, options)
	}
	object, err := bounded.ReadFile(output, bounded.Object)
	if err != nil {
		return nil, fmt.Errorf("%s left no output: %w", c, err)
	}
	return object, nil
}

// outOfResources matches what compilers write when the disk or the memory is full, or
// when the system has ended one of their processes.
var outOfResources = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`No space left on device|Disk quota exceeded|Cannot allocate memory|virtual memory exhausted|out of memory|Killed|Terminated signal`)
})

// failure explains why the compiler did not do its work: it was stopped, it
// could not run, or it refused the text, which is a defect of Ricci.
func (c *Compiler) failure(ctx context.Context, err error, messages, text string, options CompileOptions) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.As(err, &exit):
		return fmt.Errorf("cannot run %s: %w", c, err)
	case exit.ExitCode() < 0 || outOfResources().MatchString(messages):
		return fmt.Errorf("%s was stopped: %w\n%s", c, err, strings.TrimSpace(messages))
	}
	if ownErrors().MatchString(messages) && !slices.Contains(options.Flags, simpler) {
		return errCrashed
	}
	saved := ""
	if path, err := scratch.SaveReproducer(options.ReproducerDir, text, ".c"); err == nil {
		saved = "; the C text is in " + path
	}
	return &source.InternalError{Stage: "the C compiler", Err: &device.RefusedError{
		Message: fmt.Sprintf("%s refused the generated code%s\n%s", c, saved, strings.TrimSpace(messages)),
	}}
}
