package mutate

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/ricci-lang/ricci/internal/mutate/active"
)

// memoryLimit is the address space of a run in KiB: mutants may ask for any amount.
const memoryLimit = 8 << 20

// A run is a program with limits, in a directory, that has a kernel cache and temporary files of
// its own.
type run struct {
	command []string
	dir     string
	mutant  int
	record  string        // the file for the mutants that are met; empty: none
	limit   time.Duration // of processor time; it may wait for others much longer
}

// An outcome is how a run ended.
type outcome struct {
	output  string
	failed  bool
	late    bool
	seconds float64 // of processor time, with that of all processes that it started
}

// do runs the program.
func (r run) do(ctx context.Context) (outcome, error) {
	scratch, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return outcome{}, err
	}
	defer os.RemoveAll(scratch)
	ctx, cancel := context.WithTimeout(ctx, 6*r.limit+time.Minute)
	defer cancel()
	limits := fmt.Sprintf("ulimit -t %d -v %d -c 0; exec \"$@\"", int(r.limit.Seconds())+1, memoryLimit)
	c := exec.CommandContext(ctx, "bash", append([]string{"-c", limits, "mutant"}, r.command...)...)
	c.Dir = r.dir
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%d", active.Number, r.mutant), active.Record+"="+r.record,
		"RICCI_CACHE="+scratch+"/cache", "TMPDIR="+scratch, "GOTRACEBACK=single")
	ownGroup(c)
	c.Cancel = func() error { return endGroup(c) }
	c.WaitDelay = time.Second
	output, err := c.CombinedOutput()
	o := outcome{output: string(output), failed: err != nil}
	if c.ProcessState == nil {
		return o, err
	}
	// Children that a killed test leaves behind end with its group.
	if err := endGroup(c); err != nil {
		return o, err
	}
	o.seconds = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	o.late = ctx.Err() != nil || wasKilled(c.ProcessState)
	return o, nil
}
