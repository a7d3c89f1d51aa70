package pipelinetest

import (
	"errors"
	"io"
	"os"
	"os/exec"
)

// A Witness says on stderr which case was running when the process ended: a fault in a kernel ends
// it at once, on threads of which Go knows nothing without a word. A nil one says nothing.
type Witness struct {
	file  *os.File // the case that runs, if any
	alive io.Closer
	shell *exec.Cmd
}

// testify waits until the process has ended, or has closed the other end of the pipe. A file that is
// not empty then has the case.
const testify = `cat >/dev/null
if [ -s "$1" ]; then echo "The process ended while this case ran:"; cat "$1"; fi >&2
rm -f "$1"`

// NewWitness starts a witness, or returns nil where there is no shell.
func NewWitness() (*Witness, error) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return nil, nil
	}
	file, err := os.CreateTemp("", "ricci-case-*.txt")
	if err != nil {
		return nil, err
	}
	w := &Witness{file: file, shell: exec.Command(shell, "-c", testify, "sh", file.Name())}
	w.shell.Stderr = os.Stderr
	if w.alive, err = w.shell.StdinPipe(); err == nil {
		err = w.shell.Start()
	}
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	return w, nil
}

// Begin says that a case runs from now on.
func (w *Witness) Begin(one *Case) error {
	if w == nil {
		return nil
	}
	_, err := w.file.WriteAt([]byte(one.String()+"\n"), 0)
	return err
}

// End says that no case runs any longer.
func (w *Witness) End() error {
	if w == nil {
		return nil
	}
	return w.file.Truncate(0)
}

// Close ends the witness.
func (w *Witness) Close() error {
	if w == nil {
		return nil
	}
	return errors.Join(w.file.Close(), w.alive.Close(), w.shell.Wait())
}
