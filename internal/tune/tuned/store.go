package tuned

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Store is a directory of tuned schedules, one file for each configuration. Files
// are written aside and renamed; there are no locks, and the last writer wins.
type Store struct{ dir string }

// suffix is that of the files.
const suffix = ".txt"

// In returns the store of a kernel cache, which need not exist.
func In(cacheDir string) *Store { return &Store{dir: filepath.Join(cacheDir, "tuned")} }

// Dir returns the directory.
func (s *Store) Dir() string { return s.dir }

// Empty reports whether nothing was ever stored, which spares computing a key.
func (s *Store) Empty() bool {
	_, err := os.Stat(s.dir)
	return err != nil
}

func (s *Store) path(key string) string { return filepath.Join(s.dir, key+suffix) }

// Get returns the schedule for a configuration; nil when there is none. The error
// says that there is one that cannot be used.
func (s *Store) Get(c *Configuration) (*Schedule, error) {
	list, err := s.read(s.path(c.Key()))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case len(list) != 1 || list[0].Key() != c.Key():
		return nil, errors.New("the file " + s.path(c.Key()) + " is for something else")
	}
	return list[0], nil
}

func (s *Store) read(path string) ([]*Schedule, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseAll(string(text))
}

// Others returns what other versions of Ricci have found for a configuration, the newest first.
// What cannot be read is left out.
func (s *Store) Others(c *Configuration) (others []*Schedule) {
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), c.versionless()) || e.Name() == c.Key()+suffix {
			continue
		}
		list, err := s.read(filepath.Join(s.dir, e.Name()))
		if err == nil && len(list) == 1 && list[0].versionless() == c.versionless() {
			others = append(others, list[0])
		}
	}
	slices.SortStableFunc(others, func(a, b *Schedule) int { return b.Created.Compare(a.Created) })
	return others
}

// Put stores a schedule.
func (s *Store) Put(t *Schedule) (err error) {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(s.dir, ".put-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // fails after the rename, as it should
	_, err = file.WriteString(t.Print())
	if err := errors.Join(err, file.Chmod(0o644), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), s.path(t.Key()))
}

// List returns all schedules that can be read, by name.
func (s *Store) List() ([]*Schedule, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []*Schedule
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		if more, err := s.read(filepath.Join(s.dir, e.Name())); err == nil {
			list = append(list, more...)
		}
	}
	slices.SortStableFunc(list, func(a, b *Schedule) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

// Verify removes the files that nobody can use: those that are no tuned schedule, are for
// another configuration than their name says, or have a tree that is not one of their
// program. It returns how many there were.
func (s *Store) Verify() (removed int, err error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, e := range entries {
		key, isSchedule := strings.CutSuffix(e.Name(), suffix)
		if !isSchedule {
			continue
		}
		path := s.path(key)
		text, readErr := os.ReadFile(path)
		if readErr != nil {
			err = errors.Join(err, readErr)
			continue
		}
		list, damaged := ParseAll(string(text))
		if damaged == nil && len(list) == 1 && list[0].Key() == key && list[0].Check() == nil {
			continue
		}
		if removeErr := os.Remove(path); removeErr != nil {
			err = errors.Join(err, removeErr)
		} else {
			removed++
		}
	}
	return removed, err
}

// Remove forgets the schedule of a configuration, if there is one.
func (s *Store) Remove(c *Configuration) error {
	err := os.Remove(s.path(c.Key()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Clear forgets all schedules and returns how many there were.
func (s *Store) Clear() (n int, err error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, e := range entries {
		if removeErr := os.Remove(filepath.Join(s.dir, e.Name())); removeErr != nil {
			err = errors.Join(err, removeErr)
		} else if strings.HasSuffix(e.Name(), suffix) {
			n++
		}
	}
	return n, err
}
