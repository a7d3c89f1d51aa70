package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ricci-lang/ricci/internal/device"
)

// A caller that waits for another one's search obeys its own context.
func TestFindWaits(t *testing.T) {
	m := compilerMemory{turn: newTurn()}
	if err := m.turn.take(context.Background()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	answer := make(chan error)
	go func() {
		_, err := m.find(ctx, nil)
		answer <- err
	}()
	cancel()
	if err := <-answer; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A compiler that was killed is asked again, one that is wrong is not.
func TestFailuresRemembered(t *testing.T) {
	if !Supported {
		t.Skip(ErrUnsupported)
	}
	command := filepath.Join(t.TempDir(), "compiler")
	t.Setenv(CompilerVariable, command)
	for _, test := range []struct {
		script     string
		remembered bool
	}{{"kill -9 $$", false}, {"exit 1", true}, {"echo tcc 0.9", true}} {
		if err := os.WriteFile(command, []byte("#!/bin/sh\n"+test.script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		m := compilerMemory{turn: newTurn()}
		if _, err := m.find(context.Background(), nil); err == nil || (m.err != nil) != test.remembered {
			t.Errorf("%s: %v, remembered %v", test.script, err, m.err)
		}
	}
}

// A failure to make the pool that is not the compiler's is tried again.
func TestPoolIsTriedAgain(t *testing.T) {
	c := &Compiler{Command: []string{t.TempDir()}, Family: GCC} // unknown so far
	tries := 0
	load := func(err error) func(context.Context, string) (*Library, error) {
		return func(context.Context, string) (*Library, error) {
			tries++
			return nil, err
		}
	}
	for _, err := range []error{errors.New("no space"), &device.RefusedError{Message: "no header"}, errors.New("not reached")} {
		if _, got := Pool(context.Background(), c, load(err)); got == nil {
			t.Error("no error")
		}
	}
	if tries != 2 {
		t.Errorf("%d tries, expected 2", tries)
	}
}
