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
	"regexp"
	"sync"
	"time"

	"github.com/ricci-lang/ricci/internal/bounded"
	"github.com/ricci-lang/ricci/internal/scratch"
)

// How it works
//
// An entry maps a key, a hash over everything that decides what a kernel is, to
// a record: some metadata and the hash of an object, the compiled library.
//
//	CACHEDIR.TAG                   says that the directory is Ricci's (place.go)
//	entries/<2 digits>/<key>       a checksum line, then the record as JSON
//	objects/<2 digits>/<hash>.so   named by its contents; entries may share one
//	tmp/                           what is being made (package scratch)
//	reproducers/                   programs that a compiler failed on
//	notes/<key>                    a checksum line, then a small text (note.go)
//
// Other packages keep parts of their own beside these (Part).
//
// Nothing is ever changed in place. A file is written under tmp, flushed and
// renamed, the object before the entry that names it, so a process that is
// killed leaves at worst a file that nobody refers to, and one in tmp that the next one removes. Files are not locked: two
// writers of one key write the same thing, and the last rename wins. Both parts
// are checked on every read (a damaged library would kill the process that loads
// it); what does not match its checksum is removed and counts as absent. Get returns the
// very bytes that it has checked: what becomes of the file afterwards does not matter.
//
// What is loaded from here runs with the rights of the user. So a directory that others
// can change is never opened, and no path of the cache leads out of it (os.Root); a file
// in it that belongs to somebody else, or that others can write to, counts as damaged.
// Removed are only files of the names above.
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
type Cache struct {
	dir  string // absolute
	root *os.Root
}

// Modes of what is made. Nobody else has business here.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// entryLimit is the most that is read of an entry or a part.
const entryLimit = 16 << 20

// isHash matches the names of keys and objects.
var isHash = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[0-9a-f]{64}$") })

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
	Data    []byte          `json:"-"`              // the object, as it was checked; filled in by Get
	damaged bool            // what List found wrong
}

// Dir returns the directory.
func (c *Cache) Dir() string { return c.dir }

// TempDir returns a directory for what is being made, by package scratch, which Prune and Clear
// clean of what dead processes have left.
func (c *Cache) TempDir() (string, error) { return c.subdirectory(tmpPart) }

// ReproducerDir returns a directory for programs that a compiler failed on; Prune
// removes those older than TrimAge.
func (c *Cache) ReproducerDir() (string, error) { return c.subdirectory(reproducersPart) }

// The directories of the cache itself.
const (
	entriesPart     = "entries"
	objectsPart     = "objects"
	tmpPart         = "tmp"
	reproducersPart = "reproducers"
	notesPart       = "notes"
)

func (c *Cache) subdirectory(name string) (string, error) {
	return filepath.Join(c.dir, name), c.root.MkdirAll(name, dirMode)
}

func entryName(key string) string { return filepath.Join(entriesPart, key[:2], key) }

func objectName(hash string) string { return filepath.Join(objectsPart, hash[:2], hash+objectSuffix) }

const objectSuffix = ".so"

// Get looks a key up. The entry and its object have been checked.
func (c *Cache) Get(key Key) (*Entry, bool) {
	name := entryName(key.String())
	e, err := c.readEntry(name)
	if err == nil && e.Key != key.String() {
		err = errDamaged
	}
	if err == nil {
		err = c.readObject(e)
	}
	if err == nil {
		if now := time.Now(); now.Sub(e.Used) > touchInterval {
			// A cache that cannot be written still serves.
			_ = c.root.Chtimes(name, now, now)
		}
		return e, true
	}
	// What merely cannot be read now (too many open files, say) stays.
	if errors.Is(err, errDamaged) {
		_ = c.root.Remove(name)
	}
	return nil, false
}

// Put stores an object and the entry for it. Key, Object, Bytes, Created, Used
// and Path of the entry are filled in.
func (c *Cache) Put(key Key, e Entry, object []byte) (*Entry, error) {
	sum := sha256.Sum256(object)
	e.Object, e.Bytes = hex.EncodeToString(sum[:]), int64(len(object))
	if err := c.write(objectName(e.Object), object); err != nil {
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
	if err := c.write(entryName(e.Key), withChecksum(record)); err != nil {
		return nil, err
	}
	e.Used, e.Path = e.Created, filepath.Join(c.dir, objectName(e.Object))
	c.trim()
	return &e, nil
}

// write makes a file appear with all its contents or not at all.
func (c *Cache) write(name string, data []byte) error {
	temp, err := c.TempDir()
	if err != nil {
		return err
	}
	work, err := scratch.NewDir(temp, "put")
	if err != nil {
		return err
	}
	defer work.Close()
	aside := filepath.Join(tmpPart, filepath.Base(work.Path), "new")
	file, err := c.root.OpenFile(aside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	// Clear may remove the directory between the two calls.
	const attempts = 10
	for range attempts {
		if err = c.root.MkdirAll(filepath.Dir(name), dirMode); err == nil {
			err = c.root.Rename(aside, name)
		}
		if !errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	return err
}

// withChecksum prepends the line that withoutChecksum checks.
func withChecksum(record []byte) []byte {
	sum := sha256.Sum256(record)
	return append([]byte(hex.EncodeToString(sum[:])+"\n"), record...)
}

// withoutChecksum returns what withChecksum was given; false when it is damaged.
func withoutChecksum(data []byte) ([]byte, bool) {
	_, record, found := bytes.Cut(data, []byte("\n"))
	return record, found && bytes.Equal(withChecksum(record), data)
}

var errDamaged = errors.New("damaged")

// readEntry reads and checks an entry, but not its object.
func (c *Cache) readEntry(name string) (*Entry, error) {
	data, info, err := c.read(name, entryLimit)
	if err != nil {
		return nil, err
	}
	record, whole := withoutChecksum(data)
	e := new(Entry)
	if !whole || json.Unmarshal(record, e) != nil || !isHash().MatchString(e.Object) {
		return nil, errDamaged
	}
	e.Used, e.Path = info.ModTime(), filepath.Join(c.dir, objectName(e.Object))
	return e, nil
}

// readObject reads the object of an entry and compares it with its hash. A damaged one is
// removed; a missing one makes the entry as useless as a damaged one.
func (c *Cache) readObject(e *Entry) error {
	data, _, err := c.read(objectName(e.Object), bounded.Object)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: no object", errDamaged)
	}
	if err == nil {
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != e.Object {
			err = errDamaged
		}
	}
	if errors.Is(err, errDamaged) {
		_ = c.root.Remove(objectName(e.Object))
	}
	e.Data = data
	return err
}
