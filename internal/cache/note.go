package cache

import (
	"bytes"
	"os"
	"path/filepath"
	"time"
)

// notesPart is the directory of notes.
const notesPart = "notes"

func (c *Cache) notePath(name string) string {
	return filepath.Join(c.dir, notesPart, NewKey("note").Add(name).Key().String())
}

// Recall returns what Remember stored under a name. A damaged note counts as
// absent.
func (c *Cache) Recall(name string) ([]byte, bool) {
	path := c.notePath(name)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	_, text, found := bytes.Cut(data, []byte("\n"))
	if !found || !bytes.Equal(withChecksum(text), data) {
		return nil, false
	}
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > trimInterval {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // else Prune takes it for old
	}
	return text, true
}

// Remember stores a small text under a name, for the next process.
func (c *Cache) Remember(name string, text []byte) error {
	return c.write(c.notePath(name), withChecksum(text))
}
