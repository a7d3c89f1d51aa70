// Package cache keeps compiled kernels on disk, shared by all processes of a
// user.
package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// How it works
//
// An entry maps a key, a hash over everything that decides what a kernel is, to
// a record: some metadata and the hash of an object, the compiled library.
//
//	entries/<2 digits>/<key>       a checksum line, then the record as JSON
//	objects/<2 digits>/<hash>.so   named by its contents; entries may share one
//	tmp/                           files that are being written
//	reproducers/                   programs that a compiler failed on
//	notes/<key>                    a checksum line, then a small text (note.go)
//
// Nothing is ever changed in place. A file is written under tmp, flushed and
// renamed, the object before the entry that names it, so a process that is
// killed leaves at worst a file that nobody refers to. There are no locks: two
// writers of one key write the same thing, and the last rename wins. Both parts
// are checked on every read (a damaged library would kill the process that loads
// it); what does not match its checksum is removed and counts as absent. An
// object that disappears between Get and its use is the caller's miss.
//
// The time of last use is the modification time of the entry's file, renewed at
// most once an hour. Writing trims the cache once a day.

// Variable is the environment variable that moves the cache.
const Variable = "RICCI_CACHE"

// The automatic trim: what has not been used for so long, or exceeds so much.
const (
	TrimAge   = 90 * 24 * time.Hour
	TrimBytes = 1 << 30
)

const (
	touchInterval = time.Hour
	trimInterval  = 24 * time.Hour
	// orphanAge is how long a file without an entry is left alone: its writer
	// may be about to write the entry.
	orphanAge = time.Hour
)

// A Cache is a directory of compiled kernels. Its methods may be called from
// many goroutines and processes.
type Cache struct{ dir string }

// Entry is what a key is mapped to.
type Entry struct {
	Key     string          `json:"key"`
	Kind    string          `json:"kind"`           // what the caller uses it for
	Name    string          `json:"name"`           // for people: the function and its sizes
	Object  string          `json:"object"`         // hash of the object
	Bytes   int64           `json:"bytes"`          // size of the object
	Created time.Time       `json:"created"`        //
	Meta    json.RawMessage `json:"meta,omitempty"` // the caller's record
	Used    time.Time       `json:"used,omitzero"`  // filled in by Get and List
	Path    string          `json:"path,omitempty"` // of the object; filled in by Get and List
	damaged bool            // what List found wrong
}

// Open opens the cache in dir, which is made if need be. When dir is empty it is
// RICCI_CACHE, else a directory in the user's cache directory; where that cannot
// be made, one in the system's temporary directory, after a notice.
func Open(dir string, notice func(string)) (*Cache, error) {
	if dir == "" {
		dir = os.Getenv(Variable)
	}
	if dir != "" {
		if err := makeDir(dir); err != nil {
			return nil, fmt.Errorf("the cache directory cannot be used: %w", err)
		}
		return &Cache{dir: dir}, nil
	}
	base, err := os.UserCacheDir()
	if err == nil {
		dir = filepath.Join(base, "ricci")
		if err = makeDir(dir); err == nil {
			return &Cache{dir: dir}, nil
		}
	}
	dir, fallbackErr := temporaryDir()
	if fallbackErr != nil {
		return nil, errors.Join(err, fallbackErr)
	}
	if notice != nil {
		notice(fmt.Sprintf("no user cache directory (%v); compiled kernels are kept in %s", err, dir))
	}
	return &Cache{dir: dir}, nil
}

// makeDir makes a directory and marks it for backup programs.
func makeDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tag := "Signature: 8a477f597d28d172789f06886806bc55\n# Kernels compiled by Ricci; may be deleted at any time.\n"
	return os.WriteFile(filepath.Join(dir, "CACHEDIR.TAG"), []byte(tag), 0o644)
}

// temporaryDir returns a directory of this user in the system's temporary
// directory. Code is loaded from it, so one that another user could have
// prepared is not accepted.
func temporaryDir() (string, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("ricci-%d", os.Getuid()))
	if err := os.Mkdir(dir, 0o700); err == nil || (errors.Is(err, os.ErrExist) && ownedAndPrivate(dir)) {
		return dir, nil
	}
	return os.MkdirTemp("", "ricci-")
}

// Dir returns the directory.
func (c *Cache) Dir() string { return c.dir }

// TempDir returns a directory for files that are being made, which Prune cleans.
func (c *Cache) TempDir() (string, error) { return c.subdirectory("tmp") }

// ReproducerDir returns a directory for programs that a compiler failed on; Prune
// removes those older than TrimAge.
func (c *Cache) ReproducerDir() (string, error) { return c.subdirectory("reproducers") }

func (c *Cache) subdirectory(name string) (string, error) {
	dir := filepath.Join(c.dir, name)
	return dir, os.MkdirAll(dir, 0o755)
}

func (c *Cache) entryPath(key Key) string {
	name := key.String()
	return filepath.Join(c.dir, "entries", name[:2], name)
}

func (c *Cache) objectPath(hash string) string {
	return filepath.Join(c.dir, "objects", hash[:2], hash+".so")
}

// Get looks a key up. The entry and its object have been checked.
func (c *Cache) Get(key Key) (*Entry, bool) {
	path := c.entryPath(key)
	e, err := c.readEntry(path)
	if err == nil && e.Key != key.String() {
		err = errDamaged
	}
	if err == nil {
		err = c.checkObject(e)
	}
	if err == nil {
		if now := time.Now(); now.Sub(e.Used) > touchInterval {
			// A cache that cannot be written still serves.
			_ = os.Chtimes(path, now, now)
		}
		return e, true
	}
	// What merely cannot be read now (too many open files, say) stays.
	if errors.Is(err, errDamaged) {
		_ = os.Remove(path)
	}
	return nil, false
}

// Put stores an object and the entry for it. Key, Object, Bytes, Created, Used
// and Path of the entry are filled in.
func (c *Cache) Put(key Key, e Entry, object []byte) (*Entry, error) {
	sum := sha256.Sum256(object)
	e.Object, e.Bytes = hex.EncodeToString(sum[:]), int64(len(object))
	if err := c.write(c.objectPath(e.Object), object); err != nil {
		return nil, err
	}
	return c.putEntry(key, e)
}

// Link stores one more entry for the object of another one.
func (c *Cache) Link(key Key, e Entry, other *Entry) (*Entry, error) {
	e.Object, e.Bytes = other.Object, other.Bytes
	return c.putEntry(key, e)
}

func (c *Cache) putEntry(key Key, e Entry) (*Entry, error) {
	e.Key, e.Created, e.Used, e.Path = key.String(), time.Now().UTC().Truncate(time.Second), time.Time{}, ""
	record, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	if err := c.write(c.entryPath(key), withChecksum(record)); err != nil {
		return nil, err
	}
	e.Used, e.Path = e.Created, c.objectPath(e.Object)
	c.trim()
	return &e, nil
}

// write makes a file appear at path with all its contents or not at all.
func (c *Cache) write(path string, data []byte) error {
	temp, err := c.TempDir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(temp, "put-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // fails after the rename, as it should
	_, err = file.Write(data)
	if err := errors.Join(err, file.Chmod(0o644), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// withChecksum prepends the line that readEntry checks.
func withChecksum(record []byte) []byte {
	sum := sha256.Sum256(record)
	return append([]byte(hex.EncodeToString(sum[:])+"\n"), record...)
}

var errDamaged = errors.New("damaged")

// readEntry reads and checks an entry, but not its object.
func (c *Cache) readEntry(path string) (*Entry, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, record, found := bytes.Cut(data, []byte("\n"))
	if !found || !bytes.Equal(withChecksum(record), data) {
		return nil, errDamaged
	}
	e := new(Entry)
	if err := json.Unmarshal(record, e); err != nil || len(e.Object) != 2*sha256.Size {
		return nil, errDamaged
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	e.Used, e.Path = info.ModTime(), c.objectPath(e.Object)
	return e, nil
}

// checkObject compares the object of an entry with its hash. A damaged one is
// removed; a missing one makes the entry as useless as a damaged one.
func (c *Cache) checkObject(e *Entry) error {
	data, err := os.ReadFile(e.Path)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: no object", errDamaged)
	}
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != e.Object {
		_ = os.Remove(e.Path)
		return errDamaged
	}
	return nil
}
