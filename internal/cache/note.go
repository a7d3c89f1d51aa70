package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// A Part is a directory of the cache for small texts of one kind, whose names end
// with a suffix. What the rest of the cache promises holds for it, too.
type Part struct {
	cache        *Cache
	name, suffix string
}

// Part returns the part of that name, which need not exist.
func (c *Cache) Part(name, suffix string) *Part { return &Part{cache: c, name: name, suffix: suffix} }

// Dir returns the directory.
func (p *Part) Dir() string { return filepath.Join(p.cache.dir, p.name) }

func (p *Part) path(key string) string { return filepath.Join(p.name, key+p.suffix) }

// Exists reports whether anything was ever written.
func (p *Part) Exists() bool {
	_, err := p.cache.root.Stat(p.name)
	return err == nil
}

// isKeyName matches the names of texts in parts: hashes, and what is made of them.
var isKeyName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[0-9a-f]+(-[0-9a-f]+)*$") })

// Keys lists what was written, sorted. Files of other names than hashes are somebody else's.
func (p *Part) Keys() ([]string, error) {
	entries, err := fs.ReadDir(p.cache.root.FS(), p.name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var keys []string
	for _, e := range entries {
		if key, isKey := strings.CutSuffix(e.Name(), p.suffix); isKey && isKeyName().MatchString(key) {
			keys = append(keys, key)
		}
	}
	return keys, err
}

// IsDamaged reports whether an error of Read says that others may have written the text.
func IsDamaged(err error) bool { return errors.Is(err, errDamaged) }

// Read returns a text. Its error is fs.ErrNotExist where there is none.
func (p *Part) Read(key string) ([]byte, error) {
	text, _, err := p.cache.read(p.path(key), entryLimit)
	return text, err
}

// Write keeps a text, for every process.
func (p *Part) Write(key string, text []byte) error { return p.cache.write(p.path(key), text) }

// Remove forgets a text, if there is one.
func (p *Part) Remove(key string) error { return ignoreMissing(p.cache.root.Remove(p.path(key))) }

func noteName(name string) string {
	return filepath.Join(notesPart, NewKey("note").Add(name).Key().String())
}

// Recall returns what Remember stored under a name. A damaged note counts as
// absent.
func (c *Cache) Recall(name string) ([]byte, bool) {
	path := noteName(name)
	data, info, err := c.read(path, entryLimit)
	if err != nil {
		return nil, false
	}
	text, whole := withoutChecksum(data)
	if !whole {
		return nil, false
	}
	if time.Since(info.ModTime()) > trimInterval {
		now := time.Now()
		_ = c.root.Chtimes(path, now, now) // else Prune takes it for old
	}
	return text, true
}

// Remember stores a small text under a name, for the next process.
func (c *Cache) Remember(name string, text []byte) error {
	return c.write(noteName(name), withChecksum(text))
}
