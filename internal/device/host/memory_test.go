package host

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// notes is a Memory that counts.
type notes map[string]string

func (n notes) Recall(name string) ([]byte, bool) {
	text, found := n[name]
	return []byte(text), found
}

func (n notes) Remember(name string, text []byte) error {
	n[name] = string(text)
	return nil
}

const fakeAnswer = "gcc (Fake) 99.1\nCopyright Free Software Foundation\n"

// A compiler whose answer is remembered is not run again until its file changes.
func TestRememberedCompiler(t *testing.T) {
	if !Supported {
		t.Skip(ErrUnsupported)
	}
	// It cannot run: whatever is known about it comes from the memory.
	path := filepath.Join(t.TempDir(), "gcc")
	if err := os.WriteFile(path, []byte("no program"), 0o755); err != nil {
		t.Fatal(err)
	}
	memory := notes{}
	c := &Compiler{Command: []string{path}, Path: path}
	memory[c.fileIdentity()] = fakeAnswer
	found, err := find(context.Background(), path, memory)
	if err != nil || len(found) != 1 || found[0].Version != "99.1" {
		t.Fatalf("got %v, %v", found, err)
	}
	if err := os.WriteFile(path, []byte("another program"), 0o755); err != nil {
		t.Fatal(err)
	}
	if found, err := find(context.Background(), path, memory); err == nil {
		t.Errorf("another file has the same answer: %v", found)
	}
	if len(memory) != 1 {
		t.Errorf("a failure was remembered: %v", memory)
	}
}

// What may run another compiler next time is asked every time.
func TestWrappersAreAsked(t *testing.T) {
	if !Supported {
		t.Skip(ErrUnsupported)
	}
	path := filepath.Join(t.TempDir(), "gcc")
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncat <<END\n"+fakeAnswer+"END\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	memory := notes{}
	for _, command := range []string{path, path + " -pipe"} {
		found, err := find(context.Background(), command, memory)
		if err != nil || found[0].Version != "99.1" || len(memory) != 0 {
			t.Errorf("%s: %v, %v, memory %v", command, found, err, memory)
		}
	}
}
