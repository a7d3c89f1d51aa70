// Package cards is what a machine with a card is asked in the few minutes for which there is one: tests of a device, and a benchmark.
package cards

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/ricci-lang/ricci/internal/bounded"
	"github.com/ricci-lang/ricci/internal/scratch"
)

// How it works
//
// Everything is in one program (ricci-gpu, which scripts/gpu builds): the drawers of programs, the examples, the rows of the benchmark. It
// needs the driver of the device and nothing else. The work is cut into units, each of which runs in a process of its own: one that
// crashes, or whose device does not come back, is ended, and has failed. The results are written to a file of JSON after each unit, and
// those in the file are not done again, so that a run which was cut off goes on. Tests come first; what is left of the time the
// rows of the benchmark share.

// Options say what to run, and where.
type Options struct {
	Device string        // such as cuda:0
	Time   time.Duration // of all
	Out    string        // file of the results, which a run that is called again goes on with
	Only   string        // a pattern of path.Match for the units; empty: all
	Again  bool          // leave out what the file has
	Small  bool          // sizes for processors, whatever the device is
	Keep   string        // directory for the cache of kernels and what was tuned; empty: beside Out
	Self   []string      // the command line that runs a unit, before its name
	Log    io.Writer
}

// A Unit is work for one process.
type Unit struct {
	Name  string
	Limit time.Duration // after which it has failed
	Row   bool          // of the benchmark: it takes the time that it is given
	run   func(context.Context, *place) (Result, error)
}

// A place is where a unit runs.
type place struct {
	device string
	cache  string
	time   time.Duration // for a row
	small  bool
}

// A Result is what a unit found.
type Result struct {
	Unit     string   `json:"unit"`
	OK       bool     `json:"ok"`
	Error    string   `json:"error,omitempty"`
	Seconds  float64  `json:"seconds"`            // that the unit took
	Compared int      `json:"compared,omitempty"` // programs that were run and compared
	Refused  int      `json:"refused,omitempty"`  // programs that the target has no words for, or that the device cannot run
	Facts    []string `json:"facts,omitempty"`
	Row      *Timing  `json:"row,omitempty"`
}

// A Report is the file of results.
type Report struct {
	Device  string   `json:"device"`
	Program string   `json:"program"` // that ran: results of another one are not kept
	Began   string   `json:"began"`
	Results []Result `json:"results"`
	Left    []string `json:"left"` // units that did not run, for want of time
}

// Failed lists the units that have failed.
func (r *Report) Failed() (names []string) {
	for _, one := range r.Results {
		if !one.OK {
			names = append(names, one.Unit)
		}
	}
	return names
}

// load reads what an earlier run of the same program has found on the device.
func load(o Options, program string) *Report {
	fresh := &Report{Device: o.Device, Program: program, Began: time.Now().UTC().Format(time.RFC3339)}
	text, err := bounded.ReadFile(o.Out, bounded.Object)
	if err != nil || o.Again {
		return fresh
	}
	old := new(Report)
	if json.Unmarshal(text, old) != nil || old.Device != o.Device || old.Program != program {
		return fresh
	}
	return old
}

// save writes the file.
func (r *Report) save(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return scratch.Replace(path, func(w io.Writer) error { _, err := w.Write(append(text, '\n')); return err })
}

// share is the part of the time that tests may take; the benchmark has the rest.
const share = 0.45

// leastRow is how long a row takes at least; with less no other one begins.
const leastRow = 5 * time.Second

// Run runs the units that are not done, until they are or the time is over.
func Run(ctx context.Context, o Options) (*Report, error) {
	start := time.Now()
	end := start.Add(o.Time)
	program, err := identity()
	if err != nil {
		return nil, err
	}
	r := load(o, program)
	units := slices.DeleteFunc(Units(), func(u Unit) bool {
		matches, _ := filepath.Match(o.Only, u.Name)
		return o.Only != "" && !matches || slices.ContainsFunc(r.Results, func(done Result) bool { return done.Unit == u.Name })
	})
	rows := 0
	for _, u := range units {
		if u.Row {
			rows++
		}
	}
	r.Left = nil
	for _, u := range units {
		left := time.Until(end)
		limit, each := u.Limit, time.Duration(0)
		switch {
		case ctx.Err() != nil:
			limit = 0
		case u.Row:
			each = min(u.Limit/2, (left-2*leastRow)/time.Duration(rows)) // so that the last one has what others have
			rows--
			if limit = min(2*each+leastRow, left); each < leastRow {
				limit = 0
			}
		case rows > 0 && time.Since(start) > time.Duration(share*float64(o.Time)):
			limit = 0
		default:
			limit = min(limit, left)
		}
		if limit <= 0 {
			r.Left = append(r.Left, u.Name)
			continue
		}
		result := child(ctx, o, u, limit, each)
		if ctx.Err() != nil {
			r.Left = append(r.Left, u.Name)
			continue
		}
		r.Results = append(r.Results, result)
		fmt.Fprintln(o.Log, result.line())
		if err := r.save(o.Out); err != nil {
			return r, err
		}
	}
	return r, errors.Join(ctx.Err(), r.save(o.Out))
}

// identity changes with the program.
func identity() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, %d bytes, %s", filepath.Base(path), info.Size(), info.ModTime().UTC().Format(time.RFC3339)), nil
}

// child runs a unit in a process.
func child(ctx context.Context, o Options, u Unit, limit, each time.Duration) (result Result) {
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	command := exec.CommandContext(limited, o.Self[0], append(slices.Clone(o.Self[1:]), "--unit", u.Name, "--device", o.Device, "--keep", o.keep(), "--time", each.String(), fmt.Sprintf("--small=%t", o.Small))...)
	command.Cancel = func() error { return command.Process.Kill() }
	command.WaitDelay = time.Second
	var said tail
	command.Stderr = &said
	output, err := command.Output()
	if err == nil {
		err = json.Unmarshal(output, &result)
	}
	if err != nil {
		result = Result{Error: fmt.Sprintf("the process failed: %v", err)}
		if limited.Err() != nil {
			result.Error = fmt.Sprintf("no end after %s", limit.Round(time.Second))
		}
		if text := said.String(); text != "" {
			result.Facts = []string{text}
		}
	}
	result.Unit, result.Seconds = u.Name, time.Since(start).Seconds()
	return result
}

// keep is the directory for what is kept from unit to unit.
func (o Options) keep() string {
	if o.Keep != "" {
		return o.Keep
	}
	return o.Out + ".kept"
}

// A tail is the end of what a process says.
type tail struct{ text []byte }

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	const most = 2000
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(p), nil
}

// String returns it.
func (t *tail) String() string { return string(t.text) }

// line is a result for people.
func (r Result) line() string {
	text := fmt.Sprintf("%-28s %6.1f s  ", r.Unit, r.Seconds)
	switch {
	case !r.OK:
		return text + "FAILED: " + r.Error
	case r.Row != nil:
		return text + r.Row.line()
	case r.Compared > 0:
		return fmt.Sprintf("%s%d compared, %d refused", text, r.Compared, r.Refused)
	}
	return text + "ok"
}

// RunUnit does the work of a unit in this process; a row takes the time of the options.
func RunUnit(ctx context.Context, name string, o Options) (Result, error) {
	at := slices.IndexFunc(Units(), func(u Unit) bool { return u.Name == name })
	if at < 0 {
		return Result{}, fmt.Errorf("there is no unit %q", name)
	}
	if err := os.MkdirAll(o.keep(), 0o700); err != nil {
		return Result{}, err
	}
	result, err := Units()[at].run(ctx, &place{device: o.Device, cache: o.keep(), time: o.Time, small: o.Small})
	if result.OK = err == nil; err != nil {
		result.Error = err.Error()
	}
	return result, nil
}
