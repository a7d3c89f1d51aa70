package ricci

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target/c"
)

// A toolchain is what native code needs: a compiler that works, a place for
// compiled libraries, the thread pool.
type toolchain struct {
	compiler *host.Compiler
	cache    *cache.Cache // nil: libraries are not kept
	parallel int64        // address of the thread pool
	options  Options
	loading  *loading // the pool on its way; nil: it is there
}

// A loading is a pool that is compiled while the kernel is.
type loading struct {
	cancel  context.CancelFunc
	done    chan struct{}
	address int64
	err     error
}

// errUnproven says that the compiler that was thought to work did not make the pool.
var errUnproven = errors.New("the compiler cannot be used")

// chooseToolchain finds what the target of the options needs; nil means that the
// evaluator runs the kernel.
func chooseToolchain(ctx context.Context, options Options) (*toolchain, error) {
	return chooseFrom(ctx, options, findToolchain)
}

// chooseQuickly is chooseToolchain, but the pool may still be on its way: wait tells
// whether the compiler made it.
func chooseQuickly(ctx context.Context, options Options) (*toolchain, error) {
	return chooseFrom(ctx, options, expectToolchain)
}

func chooseFrom(ctx context.Context, options Options, find func(context.Context, Options) (*toolchain, error)) (*toolchain, error) {
	switch options.Target {
	case Eval:
		return nil, nil
	case Auto, C, "":
	default:
		d := &Diagnostic{Code: source.NoSuchTarget, Message: fmt.Sprintf("there is no target %q", options.Target)}
		return nil, ErrorList{d.WithHelp("the targets are auto, c and eval")}
	}
	t, err := find(ctx, options)
	switch {
	case err == nil || ctx.Err() != nil:
		return t, err
	case options.Target == C:
		d := &Diagnostic{Code: source.NoSuchTarget, Message: "the target c is not available: " + err.Error()}
		return nil, ErrorList{d.WithHelp("install gcc or clang, or use the target auto or eval")}
	}
	options.notice("running on the reference evaluator, which is slow: %v", err)
	return nil, nil
}

func findToolchain(ctx context.Context, options Options) (*toolchain, error) {
	t := &toolchain{options: options}
	compilers, err := t.compilers(ctx)
	if err != nil {
		return nil, err
	}
	var failures []error
	for _, t.compiler = range compilers {
		t.parallel, err = t.pool(ctx)
		if err == nil || ctx.Err() != nil {
			return t, err
		}
		// Not wrapped: a compiler that cannot compile the pool is no defect of
		// Ricci, whatever its error says.
		failures = append(failures, fmt.Errorf("%s cannot be used: %v", t.compiler, err))
	}
	return nil, errors.Join(failures...)
}

// pool loads the thread pool, and returns its address.
func (t *toolchain) pool(ctx context.Context) (int64, error) {
	return host.Pool(ctx, t.compiler, func(ctx context.Context, text string) (*host.Library, error) {
		library, _, err := t.library(ctx, "thread pool", text)
		return library, err
	})
}

// expectToolchain takes the best compiler and begins to load the pool with it.
func expectToolchain(ctx context.Context, options Options) (*toolchain, error) {
	t := &toolchain{options: options}
	compilers, err := t.compilers(ctx)
	if err != nil {
		return nil, err
	}
	t.compiler = compilers[0]
	quiet := *t // what it has to say the kernel's compilation says too, in its turn
	quiet.options.Notice = nil
	ctx, cancel := context.WithCancel(ctx)
	l := &loading{cancel: cancel, done: make(chan struct{})}
	t.loading = l
	go func() {
		defer close(l.done)
		defer source.RecoverInternal("thread pool", &l.err)
		l.address, l.err = quiet.pool(ctx)
	}()
	return t, nil
}

// wait ends when the pool is there, or with the reason why it is not.
func (t *toolchain) wait(ctx context.Context) error {
	if t.loading == nil {
		return nil
	}
	<-t.loading.done
	if t.loading.err != nil {
		return errors.Join(ctx.Err(), errUnproven)
	}
	t.parallel = t.loading.address
	return nil
}

// abandon stops the loading of a pool that nobody waits for any more.
func (t *toolchain) abandon() {
	if t.loading != nil {
		t.loading.cancel()
		<-t.loading.done
	}
}

// compilers opens the cache and finds the compilers, of which the cache knows the
// versions: a run whose kernel is kept starts no process. They keep to the level and the numerics of the options.
func (t *toolchain) compilers(ctx context.Context) ([]*host.Compiler, error) {
	list, err := t.allCompilers(ctx)
	if err != nil {
		return nil, err
	}
	mode, err := t.options.numerics()
	if err != nil {
		return nil, err
	}
	l, lesser := t.options.level(machine.Host())
	var kept []*host.Compiler
	for _, compiler := range list {
		as := *compiler
		if as.Strict = mode == numerics.Strict; lesser {
			as.Instructions = c.Target{}.Flags(l.Name)
		}
		kept = append(kept, &as)
	}
	return kept, nil
}

func (t *toolchain) allCompilers(ctx context.Context) (_ []*host.Compiler, err error) {
	if !t.options.NoCache {
		if t.cache, err = cache.Open(t.options.CacheDir, t.options.Notice); err == nil {
			return host.FindRemembered(ctx, t.cache)
		}
		t.options.notice("compiled kernels are not kept: %v", err)
	}
	return host.Find(ctx)
}

// reproducerDir is where programs that Ricci or a compiler failed on are saved.
func reproducerDir(options Options) string {
	if options.NoCache {
		return ""
	}
	c, err := cache.Open(options.CacheDir, nil)
	if err != nil {
		return ""
	}
	dir, err := c.ReproducerDir()
	if err != nil || !isWritable(dir) {
		return ""
	}
	return dir
}

// libraryKey is the key of what the compiler makes of a C text.
func (t *toolchain) libraryKey(text string) cache.Key {
	return cache.NewKey("library").Add(text, t.compiler.Identity(), strings.Join(t.compiler.Flags(), " "), host.Features()).Key()
}

// library compiles a C text and loads it, or finds it compiled. The entry is nil
// when the library could not be kept.
func (t *toolchain) library(ctx context.Context, name, text string) (*host.Library, *cache.Entry, error) {
	key := t.libraryKey(text)
	if t.cache != nil {
		if entry, found := t.cache.Get(key); found {
			if library, err := host.OpenBytes(entry.Data); err == nil {
				return library, entry, nil
			}
		}
	}
	object, err := t.compile(ctx, text, host.CompileOptions{})
	if err != nil {
		return nil, nil, err
	}
	var entry *cache.Entry
	if t.cache != nil {
		if entry, err = t.cache.Put(key, cache.Entry{Kind: "library", Name: name}, object); err != nil {
			t.options.notice("compiled kernels are not kept: %v", err)
		}
	}
	library, err := host.OpenBytes(object)
	return library, entry, err
}

// compile compiles a C text, with the user's time and directories.
func (t *toolchain) compile(ctx context.Context, text string, options host.CompileOptions) ([]byte, error) {
	options.Timeout, options.ReproducerDir, options.Notice = t.options.CompileTimeout, reproducerDir(t.options), t.options.Notice
	if t.cache != nil {
		// Where the cache cannot be written, the system's directory must do.
		if dir, err := t.cache.TempDir(); err == nil && isWritable(dir) {
			options.TempDir = dir
		}
	}
	return t.compiler.Compile(ctx, text, options)
}

func isWritable(dir string) bool {
	file, err := os.CreateTemp(dir, "probe-*")
	if err != nil {
		return false
	}
	return errors.Join(file.Close(), os.Remove(file.Name())) == nil
}
