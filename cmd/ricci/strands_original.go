package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/inside"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand/commandline"
	"github.com/ricci-lang/ricci/internal/strand/session"
)

// runOriginal runs a program with the command line of the original compiler's programs, behind --:
// all errors give the status 1, and all outputs are written to files.
func (t *terminal) runOriginal(ctx context.Context, s *ricci.Strands, path string, all *runFlags) error {
	flags := &all.strands
	every, err := flags.every()
	if err != nil {
		return err
	}
	r, err := t.newStrandRun(s, all)
	if err != nil {
		return err
	}
	r.isOriginal = true
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	line, err := commandline.New(r.program, commandline.Settings{Snapshot: flags.snapshot != "", Name: name})
	if err != nil {
		return err
	}
	request, err := line.Parse(flags.words)
	if err != nil {
		return t.withUsage(line, err)
	}
	if request.Help {
		line.Usage(t.out)
		return nil
	}
	r.limit, r.every, r.print, r.verbose, r.timing = request.Limit, max(every, request.Every), request.Print, request.Verbose, request.Timing
	if request.Workers > 0 {
		r.kernel.Threads = request.Workers
	}
	r.options.ShowStable = r.program.Uses().Queries
	for name, path := range request.Outputs {
		r.outputs[name] = session.PlaceOf(path)
	}
	for name, prefix := range request.Snapshots {
		r.snapshots[name] = session.Place{Stem: prefix, Extension: ".nrrd"}
	}
	if err := r.checkPlaces(); err != nil {
		return err
	}
	inputs := inside.Of(s).Inputs(ctx, t.openImage)
	if err := line.Give(request, inputs); err != nil {
		return err
	}
	return r.run(ctx, inputs)
}

// checkPlaces refuses files in directories that do not exist, before the run.
func (r *strandRun) checkPlaces() error {
	for _, places := range []map[string]session.Place{r.outputs, r.snapshots} {
		for _, name := range sortedKeys(places) {
			directory := filepath.Dir(places[name].Path())
			if info, err := os.Stat(directory); err != nil || !info.IsDir() {
				return fmt.Errorf("the output %s: there is no directory %s", name, directory)
			}
		}
	}
	return nil
}

// withUsage adds the flags to an error about them.
func (t *terminal) withUsage(line *commandline.Line, err error) error {
	var list source.ErrorList
	if errors.As(err, &list) {
		t.diagnostics(list)
		line.Usage(t.err)
		return errSilent
	}
	return err
}
