package tuned

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/cache"
)

// A Store is the part of a kernel cache that has tuned schedules, one file for each
// configuration. The last writer wins.
type Store struct{ part *cache.Part }

// suffix is that of the files.
const suffix = ".txt"

// In returns the store of a kernel cache.
func In(c *cache.Cache) *Store { return &Store{part: c.Part("tuned", suffix)} }

// Dir returns the directory.
func (s *Store) Dir() string { return s.part.Dir() }

// Empty reports whether nothing was ever stored, which spares computing a key.
func (s *Store) Empty() bool { return !s.part.Exists() }

func (s *Store) path(key string) string { return filepath.Join(s.Dir(), key+suffix) }

// Get returns the schedule for a configuration; nil when there is none. The error
// says that there is one that cannot be used.
func (s *Store) Get(c *Configuration) (*Schedule, error) {
	list, err := s.read(c.Key())
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

func (s *Store) read(key string) ([]*Schedule, error) {
	text, err := s.part.Read(key)
	if err != nil {
		return nil, err
	}
	return ParseAll(string(text))
}

// Others returns what other versions of Ricci have found for a configuration, the newest first.
// What cannot be read is left out.
func (s *Store) Others(c *Configuration) (others []*Schedule) {
	keys, _ := s.part.Keys()
	for _, key := range keys {
		if !strings.HasPrefix(key, c.versionless()) || key == c.Key() {
			continue
		}
		list, err := s.read(key)
		if err == nil && len(list) == 1 && list[0].versionless() == c.versionless() {
			others = append(others, list[0])
		}
	}
	slices.SortStableFunc(others, func(a, b *Schedule) int { return b.Created.Compare(a.Created) })
	return others
}

// Put stores a schedule.
func (s *Store) Put(t *Schedule) error { return s.part.Write(t.Key(), []byte(t.Print())) }

// List returns all schedules that can be read, by name.
func (s *Store) List() ([]*Schedule, error) {
	keys, err := s.part.Keys()
	var list []*Schedule
	for _, key := range keys {
		if more, err := s.read(key); err == nil {
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
	keys, err := s.part.Keys()
	for _, key := range keys {
		text, readErr := s.part.Read(key)
		if readErr != nil && !cache.IsDamaged(readErr) {
			err = errors.Join(err, readErr)
			continue
		}
		list, damaged := ParseAll(string(text))
		if readErr == nil && damaged == nil && len(list) == 1 && list[0].Key() == key && list[0].Check() == nil {
			continue
		}
		if removeErr := s.part.Remove(key); removeErr != nil {
			err = errors.Join(err, removeErr)
		} else {
			removed++
		}
	}
	return removed, err
}

// Remove forgets the schedule of a configuration, if there is one.
func (s *Store) Remove(c *Configuration) error { return s.part.Remove(c.Key()) }

// Clear forgets all schedules and returns how many there were.
func (s *Store) Clear() (n int, err error) {
	keys, err := s.part.Keys()
	for _, key := range keys {
		if removeErr := s.part.Remove(key); removeErr != nil {
			err = errors.Join(err, removeErr)
		} else {
			n++
		}
	}
	return n, err
}
