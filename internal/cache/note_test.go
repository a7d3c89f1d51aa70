package cache

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestNotes(t *testing.T) {
	c := open(t, t.TempDir())
	if _, found := c.Recall("gcc"); found {
		t.Error("an empty cache remembers")
	}
	for _, text := range []string{"one\ntwo\n", ""} {
		if err := c.Remember("gcc", []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, found := open(t, c.Dir()).Recall("gcc"); !found || string(got) != text {
			t.Errorf("got %q, %v, expected %q", got, found, text)
		}
	}
	if _, found := c.Recall("clang"); found {
		t.Error("another name has the same note")
	}
	old := time.Now().Add(-TrimAge - time.Hour)
	if err := os.Chtimes(filepath.Join(c.Dir(), noteName("gcc")), old, old); err != nil {
		t.Fatal(err)
	}
	c.Recall("gcc") // renews it
	if _, err := c.Prune(PruneOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.Dir(), noteName("gcc")), []byte("damaged\n"), 0o644); err != nil {
		t.Fatal("the note was pruned", err)
	}
	if _, found := c.Recall("gcc"); found {
		t.Error("a damaged note was believed")
	}
	if _, err := c.Clear(); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(filepath.Join(c.Dir(), notesPart)); err != nil || len(list) > 0 {
		t.Errorf("Clear left the notes: %v %v", list, err)
	}
}
