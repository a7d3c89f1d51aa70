package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// PruneOptions says what to remove. Zero values remove nothing.
type PruneOptions struct {
	OlderThan time.Duration // entries that have not been used for so long
	MaxBytes  int64         // the least recently used, until no more than this remains
}

// Removed says what a Prune, Verify or Clear removed.
type Removed struct {
	Entries int   `json:"entries"`
	Objects int   `json:"objects"`
	Bytes   int64 `json:"bytes"`
}

// List returns all intact entries, last used first.
func (c *Cache) List() ([]Entry, error) {
	all, err := c.scan()
	if err != nil {
		return nil, err
	}
	var list []Entry
	for _, e := range all {
		if !e.damaged {
			list = append(list, e)
		}
	}
	return list, nil
}

// scan reads every entry, the damaged ones included, last used first.
func (c *Cache) scan() ([]Entry, error) {
	var list []Entry
	err := walk(filepath.Join(c.dir, "entries"), func(path string, info fs.FileInfo) {
		e, err := c.readEntry(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return
		case err != nil:
			e = &Entry{Key: filepath.Base(path), damaged: true}
		}
		list = append(list, *e)
	})
	sort.SliceStable(list, func(i, j int) bool { return list[i].Used.After(list[j].Used) })
	return list, err
}

// walk visits the files below dir; one that disappears meanwhile is skipped.
func walk(dir string, visit func(path string, info fs.FileInfo)) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		if info, err := d.Info(); err == nil {
			visit(path, info)
		}
		return nil
	})
}

// Size returns the bytes of all objects.
func (c *Cache) Size() (bytes int64, err error) {
	err = walk(filepath.Join(c.dir, "objects"), func(_ string, info fs.FileInfo) { bytes += info.Size() })
	return bytes, err
}

// Prune removes old entries, damaged ones, and what no entry refers to.
func (c *Cache) Prune(options PruneOptions) (Removed, error) {
	entries, err := c.scan()
	if err != nil {
		return Removed{}, err
	}
	oldest := time.Now().Add(-options.OlderThan)
	kept := map[string]bool{}
	var bytes int64
	var removed Removed
	for _, e := range entries {
		grown := bytes
		if !kept[e.Object] {
			grown += e.Bytes
		}
		old := options.OlderThan > 0 && e.Used.Before(oldest)
		tooMuch := options.MaxBytes > 0 && grown > options.MaxBytes
		if e.damaged || old || tooMuch {
			err = errors.Join(err, c.removeEntry(e.Key, &removed))
			continue
		}
		kept[e.Object], bytes = true, grown
	}
	dropped := map[string]bool{}
	for _, e := range entries {
		if !e.damaged && !kept[e.Object] {
			dropped[e.Object] = true
		}
	}
	return removed, errors.Join(err, c.sweep(kept, dropped, &removed))
}

func (c *Cache) removeEntry(name string, removed *Removed) error {
	if len(name) < 2 {
		return nil
	}
	err := os.Remove(filepath.Join(c.dir, "entries", name[:2], name))
	if err == nil {
		removed.Entries++
	}
	return ignoreMissing(err)
}

// sweep removes the objects of removed entries, and old files without an entry.
func (c *Cache) sweep(kept, dropped map[string]bool, removed *Removed) error {
	abandoned := time.Now().Add(-orphanAge)
	var errs error
	remove := func(path string, info fs.FileInfo) {
		if err := os.Remove(path); err != nil {
			errs = errors.Join(errs, ignoreMissing(err))
			return
		}
		removed.Objects++
		removed.Bytes += info.Size()
	}
	err := walk(filepath.Join(c.dir, "objects"), func(path string, info fs.FileInfo) {
		hash := strings.TrimSuffix(filepath.Base(path), ".so")
		if !kept[hash] && (dropped[hash] || info.ModTime().Before(abandoned)) {
			remove(path, info)
		}
	})
	return errors.Join(errs, err, c.removeOld("tmp", abandoned), c.removeOld("reproducers", time.Now().Add(-TrimAge)), c.removeOld(notesPart, time.Now().Add(-TrimAge)))
}

// removeOld removes what was last changed before a time from a part of the cache.
func (c *Cache) removeOld(part string, before time.Time) error {
	dir := filepath.Join(c.dir, part)
	list, err := os.ReadDir(dir)
	errs := ignoreMissing(err)
	for _, d := range list {
		if info, err := d.Info(); err == nil && info.ModTime().Before(before) {
			errs = errors.Join(errs, os.RemoveAll(filepath.Join(dir, d.Name())))
		}
	}
	return errs
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Verify checks every entry and object, and removes what is damaged.
func (c *Cache) Verify() (Removed, error) {
	entries, err := c.scan()
	if err != nil {
		return Removed{}, err
	}
	var removed Removed
	for _, e := range entries {
		if !e.damaged {
			problem := c.checkObject(&e)
			if !errors.Is(problem, errDamaged) {
				err = errors.Join(err, problem)
				continue
			}
		}
		err = errors.Join(err, c.removeEntry(e.Key, &removed))
	}
	return removed, err
}

// Clear removes everything.
func (c *Cache) Clear() (Removed, error) {
	entries, err := c.scan()
	if err != nil {
		return Removed{}, err
	}
	removed := Removed{Entries: len(entries)}
	err = walk(filepath.Join(c.dir, "objects"), func(_ string, info fs.FileInfo) {
		removed.Objects++
		removed.Bytes += info.Size()
	})
	// Entries go first: an entry without its object would be a failed look-up.
	for _, part := range []string{"entries", "objects", "tmp", "reproducers", notesPart} {
		err = errors.Join(err, os.RemoveAll(filepath.Join(c.dir, part)))
	}
	return removed, err
}

// trim prunes once a day. The stamp is renewed first, so that of many processes
// one does the work.
func (c *Cache) trim() {
	stamp := filepath.Join(c.dir, "trimmed")
	if info, err := os.Stat(stamp); err == nil && time.Since(info.ModTime()) < trimInterval {
		return
	}
	if err := os.WriteFile(stamp, nil, 0o644); err != nil {
		return
	}
	now := time.Now()
	_ = os.Chtimes(stamp, now, now)
	// Trimming is housekeeping: what it cannot remove today it tries tomorrow.
	_, _ = c.Prune(PruneOptions{OlderThan: TrimAge, MaxBytes: TrimBytes})
}
