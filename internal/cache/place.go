package cache

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/ricci-lang/ricci/internal/bounded"
	"github.com/ricci-lang/ricci/internal/trust"
)

// A cache directory carries a tag: the file by which backup programs know caches, with
// a line that says whose it is. Ricci uses an empty directory after tagging it, and
// no other one without its tag; so it never removes what it has not made.
const (
	tagName   = "CACHEDIR.TAG"
	signature = "Signature: 8a477f597d28d172789f06886806bc55\n"
	tagLine   = "# Kernels compiled by Ricci; may be deleted at any time.\n"
	tagLimit  = 1 << 16
)

// An UnfitError says why a directory is not used as a cache.
type UnfitError struct {
	Dir    string
	Reason string
	Repair string
}

// Error says what to do about it, too.
func (e *UnfitError) Error() string {
	return fmt.Sprintf("the cache directory %s is not used: %s; %s", e.Dir, e.Reason, e.Repair)
}

// Open opens the cache in dir, which is made if need be. When dir is empty it is
// RICCI_CACHE, else a directory in the user's cache directory. Where others could
// change what is in it, where it is a directory with something else in it, or where the user has no cache directory, a private
// one in the system's directory for temporary files is used, after a notice.
func Open(dir string, notice func(string)) (*Cache, error) {
	c, err := At(dir)
	var unfit *UnfitError
	if err == nil || isNamed(dir) && !errors.As(err, &unfit) {
		return c, err
	}
	private, privateErr := privateDir()
	if privateErr != nil {
		return nil, errors.Join(err, privateErr)
	}
	if notice != nil {
		notice(fmt.Sprintf("%v; compiled kernels are kept in %s", err, private))
	}
	return openDir(private)
}

// isNamed reports whether the user has named a directory.
func isNamed(dir string) bool { return dir != "" || os.Getenv(Variable) != "" }

// At opens the cache as Open does, but no other one: an *UnfitError says why it cannot be used.
func At(dir string) (*Cache, error) {
	if dir == "" {
		dir = os.Getenv(Variable)
	}
	if dir != "" {
		c, err := openDir(dir)
		if unfit := (*UnfitError)(nil); err != nil && !errors.As(err, &unfit) {
			err = fmt.Errorf("the cache directory cannot be used: %w", err)
		}
		return c, err
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("no user cache directory (%v)", err)
	}
	return openDir(filepath.Join(base, "ricci"))
}

// openDir makes, judges and tags a directory.
func openDir(dir string) (*Cache, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	// What exists is judged before anything is made in it.
	if err := judge(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, err
	}
	if err := judge(dir); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	c := &Cache{dir: dir, root: root}
	if err := c.claim(); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return c, nil
}

// judge returns an *UnfitError where others can change what is in a directory.
func judge(dir string) error {
	err := trust.Directory(dir)
	var blame *trust.Error
	if !errors.As(err, &blame) {
		return err
	}
	e := &UnfitError{Dir: dir, Reason: blame.Error() + ", and so could be given code to run", Repair: "name another one in " + Variable}
	if blame.Repair != "" {
		e.Repair = fmt.Sprintf("repair it by '%s', or %s", blame.Repair, e.Repair)
	}
	return e
}

// claim looks for the tag, and makes it in an empty directory.
func (c *Cache) claim() error {
	const attempts, pause = 3, 2 * time.Millisecond // another process may be making it
	for attempt := 1; ; attempt++ {
		tag, _, err := c.read(tagName, tagLimit)
		switch {
		case err == nil && strings.HasPrefix(string(tag), signature) && strings.Contains(string(tag), "Ricci"):
			return nil
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return fmt.Errorf("%s: %w", filepath.Join(c.dir, tagName), err)
		}
		other, err := c.anyName()
		if err != nil {
			return err
		}
		if other == "" {
			return c.tag()
		}
		if attempt == attempts {
			return &UnfitError{Dir: c.dir, Reason: fmt.Sprintf("it has files (such as %s) and no %s of Ricci, so it may be somebody else's", other, tagName),
				Repair: "name an empty or a new directory in " + Variable + ", or remove this one if it is the cache of an old version of Ricci"}
		}
		time.Sleep(pause)
	}
}

// anyName returns the name of a file in the directory, or "".
func (c *Cache) anyName() (string, error) {
	directory, err := c.root.Open(".")
	if err != nil {
		return "", err
	}
	defer directory.Close()
	names, err := directory.Readdirnames(1)
	if err == io.EOF {
		return "", nil
	}
	return strings.Join(names, ""), err
}

// tag makes the tag of an empty directory. One that cannot be written stays empty, and is no danger.
func (c *Cache) tag() error {
	file, err := c.root.OpenFile(tagName, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil
	}
	_, err = file.WriteString(signature + tagLine)
	return errors.Join(err, file.Close())
}

// privateDir returns a directory of this user in the system's directory for temporary files. One
// that another user could have prepared is not taken; the numbers are for somebody who has
// taken the first names.
func privateDir() (string, error) {
	const most = 8
	var err error
	for _, base := range temporaryDirs() {
		for n := range most {
			dir := filepath.Join(base, fmt.Sprintf("ricci-%d", os.Getuid()))
			if n > 0 {
				dir = fmt.Sprintf("%s-%d", dir, n)
			}
			if err = os.Mkdir(dir, dirMode); err != nil && !errors.Is(err, os.ErrExist) {
				break
			}
			var c *Cache
			if c, err = openDir(dir); err == nil {
				return dir, c.root.Close()
			}
		}
	}
	return "", fmt.Errorf("and no private directory can be made in %s: %w", os.TempDir(), err)
}

// temporaryDirs are where private directories can be.
func temporaryDirs() []string {
	if runtime.GOOS == "windows" {
		return []string{os.TempDir()}
	}
	return []string{os.TempDir(), "/tmp", "/var/tmp"}
}

// read reads a file of the cache of no more than limit bytes. What others could have
// written counts as damaged.
func (c *Cache) read(name string, limit int64) ([]byte, os.FileInfo, error) {
	file, err := bounded.OpenIn(c.root, name)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	if err := trust.File(filepath.Join(c.dir, name), info); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	content, err := bounded.ReadAll(file, filepath.Join(c.dir, name), limit)
	return content, info, err
}
