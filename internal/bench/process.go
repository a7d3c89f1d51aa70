package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// A child is a worker in a process of its own, which sleeps while it has nothing
// to do: the threads of a library that wait for work by spinning would take time
// from the next candidate.
type child struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	errors  *messages
	broken  error // after which it answers nothing any more
}

// start runs a worker; command is the program with the arguments that make it one.
func start(ctx context.Context, command, environment []string) (*child, error) {
	c := &child{command: exec.CommandContext(ctx, command[0], command[1:]...), errors: new(messages)}
	c.command.Env = append(os.Environ(), environment...)
	c.command.Stderr = c.errors
	detach(c.command)
	var err error
	if c.in, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(out)
	if err := c.command.Start(); err != nil {
		return nil, fmt.Errorf("cannot start a process for a candidate: %w", err)
	}
	return c, nil
}

// ask sends a request and waits for the reply, while all other workers sleep.
func (c *child) ask(q *request) (*reply, error) {
	if c.broken != nil {
		return nil, c.broken
	}
	text, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	resume(c.command.Process)
	defer suspend(c.command.Process)
	_, err = c.in.Write(append(text, '\n'))
	var line []byte
	if err == nil {
		line, err = c.out.ReadBytes('\n')
	}
	a := new(reply)
	if err == nil {
		err = json.Unmarshal(line, a)
	}
	switch {
	case err != nil:
		c.stop() // its messages are complete then
		c.broken = fmt.Errorf("the process of the candidate ended: %w (%v)%s", err, c.command.ProcessState, c.errors)
		return nil, c.broken
	case a.Missing:
		return nil, fmt.Errorf("%w (%s)", errMissing, a.Error)
	case a.Error != "":
		return nil, errors.New(a.Error)
	}
	return a, nil
}

// stop ends the process and waits for it.
func (c *child) stop() {
	_ = c.in.Close()
	_ = c.command.Process.Kill() // it may have ended by itself
	_ = c.command.Wait()
}

// messages keeps the beginning of what a process wrote to its standard error,
// where a crash says what it is.
type messages struct{ text []byte }

const messageBytes = 600

func (t *messages) Write(p []byte) (int, error) {
	t.text = append(t.text, p[:min(len(p), messageBytes-len(t.text))]...)
	return len(p), nil
}

// String starts a new line when there is anything.
func (t *messages) String() string {
	if len(t.text) == 0 {
		return ""
	}
	return "\n" + strings.TrimSpace(string(t.text))
}
