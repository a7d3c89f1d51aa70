package cache

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/ricci-lang/ricci/internal/scratch"
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
	err := c.walk(entriesPart, "", func(path string, _ fs.FileInfo) {
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

// walk visits the files of a part with a directory for each two digits: those whose names are
// a hash and the suffix. Others are not the cache's, and one that disappears meanwhile is skipped.
func (c *Cache) walk(part, suffix string, visit func(path string, info fs.FileInfo)) error {
	return fs.WalkDir(c.root.FS(), part, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		hash, isOurs := strings.CutSuffix(d.Name(), suffix)
		if !isOurs || !isHash().MatchString(hash) || !d.Type().IsRegular() || filepath.ToSlash(filepath.Join(part, hash[:2], d.Name())) != path {
			return nil
		}
		if info, err := d.Info(); err == nil {
			visit(filepath.FromSlash(path), info)
		}
		return nil
	})
}

// Size returns the bytes of all objects.
func (c *Cache) Size() (bytes int64, err error) {
	err = c.walk(objectsPart, objectSuffix, func(_ string, info fs.FileInfo) { bytes += info.Size() })
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
	err := c.root.Remove(entryName(name))
	if err == nil {
		removed.Entries++
	}
	return ignoreMissing(err)
}

// sweep removes the objects of removed entries, and old files without an entry.
func (c *Cache) sweep(kept, dropped map[string]bool, removed *Removed) error {
	abandoned := time.Now().Add(-orphanAge)
	var errs error
	err := c.walk(objectsPart, objectSuffix, func(path string, info fs.FileInfo) {
		hash := strings.TrimSuffix(filepath.Base(path), objectSuffix)
		if !kept[hash] && (dropped[hash] || info.ModTime().Before(abandoned)) {
			errs = errors.Join(errs, c.removeObject(path, info, removed))
		}
	})
	return errors.Join(errs, err, c.removeAbandoned(), c.removeOld(reproducersPart, isReproducer, TrimAge), c.removeOld(notesPart, isHash().MatchString, TrimAge))
}

func (c *Cache) removeObject(path string, info fs.FileInfo, removed *Removed) error {
	err := c.root.Remove(path)
	if err == nil {
		removed.Objects++
		removed.Bytes += info.Size()
	}
	return ignoreMissing(err)
}

// isReproducer knows the names of scratch.SaveReproducer.
func isReproducer(name string) bool { return strings.HasPrefix(name, scratch.ReproducerPrefix) }

// isOldWork knows the names of what earlier versions of Ricci made aside.
func isOldWork(name string) bool {
	for _, prefix := range []string{"put-", "probe-", "ricci-cc-"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// removeAbandoned removes what dead processes have left unfinished.
func (c *Cache) removeAbandoned() error {
	_, err := scratch.Sweep(filepath.Join(c.dir, tmpPart))
	return errors.Join(err, c.removeOld(tmpPart, isOldWork, orphanAge))
}

// removeOld removes of a part what is the cache's by its name and was last changed so long ago.
func (c *Cache) removeOld(part string, isOurs func(name string) bool, age time.Duration) error {
	list, err := fs.ReadDir(c.root.FS(), part)
	errs := ignoreMissing(err)
	for _, d := range list {
		if info, err := d.Info(); err == nil && isOurs(d.Name()) && time.Since(info.ModTime()) >= age {
			errs = errors.Join(errs, ignoreMissing(c.root.RemoveAll(filepath.Join(part, d.Name()))))
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
			problem := c.readObject(&e)
			if !errors.Is(problem, errDamaged) {
				err = errors.Join(err, problem)
				continue
			}
		}
		err = errors.Join(err, c.removeEntry(e.Key, &removed))
	}
	return removed, err
}

// Clear removes everything that nobody is making right now. Directories stay: somebody may be about to
// write into an empty one.
func (c *Cache) Clear() (Removed, error) {
	var removed Removed
	var errs error
	// Entries go first: an entry without its object would be a failed look-up.
	err := c.walk(entriesPart, "", func(path string, _ fs.FileInfo) {
		errs = errors.Join(errs, c.removeEntry(filepath.Base(path), &removed))
	})
	errs = errors.Join(errs, err)
	err = c.walk(objectsPart, objectSuffix, func(path string, info fs.FileInfo) { errs = errors.Join(errs, c.removeObject(path, info, &removed)) })
	errs = errors.Join(errs, err, c.removeOld(reproducersPart, isReproducer, 0), c.removeOld(notesPart, isHash().MatchString, 0), c.removeAbandoned())
	return removed, errs
}

// trim prunes once a day. The stamp is renewed first, so that of many processes
// one does the work.
func (c *Cache) trim() {
	const stamp = "trimmed"
	if info, err := c.root.Stat(stamp); err == nil && time.Since(info.ModTime()) < trimInterval {
		return
	}
	if err := c.root.WriteFile(stamp, nil, fileMode); err != nil {
		return
	}
	now := time.Now()
	_ = c.root.Chtimes(stamp, now, now)
	// Trimming is housekeeping: what it cannot remove today it tries tomorrow.
	_, _ = c.Prune(PruneOptions{OlderThan: TrimAge, MaxBytes: TrimBytes})
}
