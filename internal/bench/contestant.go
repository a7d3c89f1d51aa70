package bench

import (
	"context"
	"slices"
	"time"
)

// A contestant is a candidate of a row, and what is known about it so far.
type contestant struct {
	name        string
	job         *job
	environment []string
	child       *child
	calls       int
	call        time.Duration // about
	samples     []float64
	elements    []float64
	result      Measured
	// oracle says that it is only there to compare results with.
	oracle bool
}

// A candidate whose call takes longer than slowCall gets as many as take about slowTime,
// at least the one that prepare times.
const (
	slowCall = time.Second
	slowTime = 6 * time.Second
)

// enough reports whether a slow candidate has all its samples.
func (c *contestant) enough() bool {
	return c.call > slowCall && len(c.samples) >= max(int(slowTime/c.call), 1)
}

// sample runs a batch of calls.
func (c *contestant) sample() {
	a, err := c.child.ask(&request{Run: &runRequest{Calls: c.calls, Warm: c.call < slowCall/10}})
	if err != nil {
		c.result.Missing = err.Error()
		return
	}
	c.samples = append(c.samples, a.Seconds)
}

// tooSlow reports whether a naive program is not worth waiting for.
func (c *contestant) tooSlow(ctx context.Context, w *work) (bool, error) {
	if c.result.Other == "" {
		return w.tooSlow(), nil
	}
	own, err := newWork(ctx, &Row{File: c.job.File, Text: c.job.Text, Imports: c.job.Imports, Def: c.job.Def, Sizes: c.job.Sizes})
	return err == nil && own.tooSlow(), err
}

// present lists the contestants that can run.
func present(list []*contestant) []*contestant {
	return slices.DeleteFunc(slices.Clone(list), func(c *contestant) bool { return c.broken() })
}

// timed lists the contestants that are more than oracles.
func timed(list []*contestant) []*contestant {
	return slices.DeleteFunc(slices.Clone(list), func(c *contestant) bool { return c.oracle })
}

func (c *contestant) broken() bool { return c.result.Missing != "" }

// A field is who runs in a row: Ricci first, then what a reader would write, and the libraries.
type field struct {
	base job // of Ricci, with what tuning found
	list []*contestant
}

// contestants lists who runs in a row.
func (r *runner) contestants(row *Row, threads int) []*contestant {
	f := &field{base: job{File: row.File, Text: row.Text, Imports: row.Imports, Def: row.Def, Sizes: row.Sizes, Threads: threads, CacheDir: r.CacheDir, Seed: 1, Device: r.Device}}
	f.ricci(row, r.Tuned, r.RicciOnly)
	if r.RicciOnly {
		return f.list
	}
	if !r.onHost() {
		f.add("naive C", nil, func(j *job) { j.Kind = naiveKind }).Naive = true
		f.list[len(f.list)-1].oracle = true
		return f.list
	}
	f.naive(row, threads)
	for _, other := range row.Others {
		f.other(other)
	}
	if row.Hand != "" {
		f.add(handCandidate, threadVariables("OMP_NUM_THREADS")(threads), func(j *job) { j.Kind, j.Shim = shimKind, row.Hand })
	}
	if r.Peers {
		f.peers(row, threads)
	}
	return f.list
}

// add adds a contestant whose job is that of the row with a change. It returns its result, to say
// what it is.
func (f *field) add(name string, environment []string, change func(*job)) *Measured {
	j := f.base
	change(&j)
	c := &contestant{name: name, job: &j, environment: environment, result: Measured{Candidate: name}}
	f.list = append(f.list, c)
	return &c.result
}

// ricci adds Ricci by the tuned and the default schedule, with constant inputs, and by the paths of
// the row.
func (f *field) ricci(row *Row, tuned, only bool) {
	if tuned {
		f.add(tunedCandidate, nil, func(j *job) { j.Kind = ricciKind })
	}
	if !tuned || !only {
		f.add(defaultCandidate, nil, func(j *job) { j.Kind, j.Untuned = ricciKind, true })
	}
	if len(row.Constant) > 0 && !only {
		f.add("Ricci, packed", nil, func(j *job) { j.Kind, j.Untuned, j.Constant = ricciKind, !tuned, row.Constant }).Packed = true
	}
	for _, p := range row.Paths {
		if p.Def != "" && !only {
			f.add("Ricci, "+p.Name, nil, func(j *job) { j.Kind, j.Untuned, j.File, j.Text, j.Def = ricciKind, true, p.File, p.Text, p.Def }).Path = p.Name
		}
	}
	for _, c := range f.list {
		c.result.Ricci = true
	}
}

// naive adds the C of the row's paths, or else the loops that a reader would write.
func (f *field) naive(row *Row, threads int) {
	openMP := threadVariables("OMP_NUM_THREADS")(threads)
	for _, p := range row.Paths {
		if p.C != "" {
			m := f.add("C, "+p.Name, openMP, func(j *job) { j.Kind, j.Shim, j.Flags = shimKind, p.C, p.Flags })
			m.Naive, m.Path = p.Baseline, p.Name
		}
	}
	if len(row.Paths) > 0 {
		return
	}
	f.add("naive C", nil, func(j *job) { j.Kind = naiveKind }).Naive = true
	if threads > 1 {
		f.add("naive C, OpenMP", openMP, func(j *job) { j.Kind = openMPKind }).Naive = true
	}
}

// other adds who runs another program.
func (f *field) other(o Other) {
	m := f.add("Ricci, "+o.Name, nil, func(j *job) { j.Def, j.Kind, j.Untuned = o.Def, ricciKind, true })
	m.Ricci, m.Other = true, o.Name
	m = f.add("naive C, "+o.Name, nil, func(j *job) { j.Def, j.Kind = o.Def, naiveKind })
	m.Naive, m.Other = true, o.Name
}

// peers adds the libraries that can do the row.
func (f *field) peers(row *Row, threads int) {
	for _, p := range peers() {
		text, ok := p.shim(row.Peers)
		if !ok {
			continue
		}
		libraries := [][]string{}
		if len(p.libraries) > 0 {
			libraries = append(libraries, p.libraries)
		}
		f.add(p.Name, p.environment(threads), func(j *job) { j.Kind, j.Shim, j.Libraries, j.Flags = shimKind, text, libraries, p.flags }).Packed = p.packed
	}
}
