package main

import (
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// spinnerDelay is how long work takes before it is announced.
const spinnerDelay = time.Second

// A progress is a line at the bottom of the terminal; nil where there is none.
type progress struct{ bar *progressbar.ProgressBar }

// interactive reports whether a person watches the messages.
func (t *terminal) interactive() bool {
	f, ok := t.err.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// progress counts steps, on a terminal only; total is -1 if it is not known.
func (t *terminal) progress(total int, what string) *progress {
	if !t.interactive() {
		return nil
	}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(t.err), progressbar.OptionSetDescription(what), progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(50 * time.Millisecond),
	}
	if total > 0 {
		options = append(options, progressbar.OptionShowCount())
	}
	return &progress{progressbar.NewOptions(total, options...)}
}

// The errors of a progress line are those of the terminal; nothing depends on it.

func (p *progress) step() {
	if p != nil {
		_ = p.bar.Add(1)
	}
}

// describe changes what the line says.
func (p *progress) describe(what string) {
	if p != nil {
		p.bar.Describe(what)
	}
}

// clear makes room for a line of text.
func (p *progress) clear() {
	if p != nil {
		_ = p.bar.Clear()
	}
}

func (p *progress) finish() {
	if p != nil {
		_ = p.bar.Finish()
	}
}

// working shows on a terminal that something takes long. The caller calls the
// result when it is over.
func (t *terminal) working(what string) (stop func()) {
	if !t.interactive() {
		return func() {}
	}
	over, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		defer func() { _ = recover() }() // what only entertains ends no verb
		select {
		case <-over:
			return
		case <-time.After(spinnerDelay):
		}
		p := t.progress(-1, what)
		defer p.finish()
		for {
			p.step()
			select {
			case <-over:
				return
			case <-time.After(spinnerDelay / 8):
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(over)
		<-gone
	})
}
