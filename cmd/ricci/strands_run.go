package main

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/session"
	"github.com/ricci-lang/ricci/tensor"
)

// advance takes the world to its end.
func (r *strandRun) advance(ctx context.Context, world session.World, out *bufio.Writer) error {
	r.trace("run with %d strands ...", world.Count(strand.All))
	start := time.Now()
	run := session.Run{World: world, Limit: r.limit, Every: r.every}
	if r.every > 0 {
		run.Snapshot = func(step int, list []*strand.Output) error { return r.save(ctx, list, r.snapshots, step) }
	}
	line := r.t.strandProgress(r.limit)
	defer line.finish()
	if line != nil && (r.every > 0 || r.options.ForceBSP || r.program.Uses().Communicates()) {
		run.Stepped = func() {
			line.describe(fmt.Sprintf("step %d, %s active, %s stable", world.Steps(), grouped(world.Count(strand.Active)), grouped(world.Count(strand.Stable))))
			line.step()
			if out.Buffered() > 0 {
				line.clear()
				_ = out.Flush() // its error is that of the last Flush, too
			}
		}
	}
	steps, err := run.Run(ctx)
	line.finish()
	if err != nil {
		return err
	}
	took := time.Since(start).Seconds()
	if r.program.Create.Collection {
		r.trace("done: %d steps, in %g seconds; %d stable strands", steps, took, world.Count(strand.Stable))
	} else {
		r.trace("done: %d steps, in %g seconds", steps, took)
	}
	if r.timing && !r.verbose {
		if err := out.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(r.t.out, "usr=%g\n", took)
	}
	return nil
}

// strandProgress is a line about super-steps, on a terminal only.
func (t *terminal) strandProgress(limit int) *progress {
	if limit == 0 {
		limit = -1
	}
	return t.progress(limit, "step 0")
}

// grouped writes a number with spaces between thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + " " + text[at:]
	}
	return text
}

// save writes outputs to their places; a step is that of a snapshot, or negative. An interrupt waits
// until all are written.
func (r *strandRun) save(ctx context.Context, list []*strand.Output, places map[string]session.Place, step int) error {
	r.t.writing.Lock()
	defer r.t.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	images := session.Images(list)
	for k, o := range list {
		place, is := r.place(places, o)
		if !is {
			continue
		}
		if step >= 0 {
			place = place.Step(step)
		}
		if err := r.write(o, images[k], place.Path()); err != nil {
			return err
		}
	}
	return nil
}

// write writes an output to a file, as a picture where that is one.
func (r *strandRun) write(o *strand.Output, m *tensor.Image, path string) error {
	nrrd := isNRRD(path) || !slices.Contains(tensor.Extensions(), strings.ToLower(filepath.Ext(path)))
	if m == nil && nrrd {
		r.t.plainNotice(fmt.Sprintf("%s has no elements, so that %s is not written", o.Name, path))
		return nil
	}
	if m == nil {
		m = session.Image(o)
	}
	v := session.Variable(r.program, o)
	if isPicture(path) {
		picture, err := r.picture(path, o, r.spans[v.Name])
		if err != nil {
			return err
		}
		return tensor.Save(path, picture)
	}
	if isText(path) && len(m.Tensor.Shape()) <= 2 {
		return tensor.SaveText(path, m.Tensor)
	}
	if nrrd {
		return tensor.SaveNRRD(path, m, tensor.NRRDLayout{})
	}
	return tensor.Save(path, m.Tensor)
}

// picture is an output as samples of one. Strands in a line make a picture that is one sample high.
func (r *strandRun) picture(path string, o *strand.Output, span *interval) (*tensor.Tensor, error) {
	data := o.Data
	if len(o.Kinds) > 0 && o.Kinds[0] == "space" && (len(o.Kinds) == 1 || o.Kinds[1] != "space") {
		line, err := data.Reshape(append([]int{1}, data.Shape()...)...)
		if err != nil {
			return nil, err
		}
		data = line
	}
	if span == nil && isSamples(data) {
		return data, nil
	}
	return r.t.quantised(path, data, span, tensor.Uint8)
}

// isText reports whether a name is one for which the original writes lines of numbers.
func isText(path string) bool {
	return slices.Contains([]string{".txt", ".text", ".ascii"}, filepath.Ext(path))
}
