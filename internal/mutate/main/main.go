// Command main draws mutants of Ricci's code and runs the tests that judge them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/ricci-lang/ricci/internal/mutate"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "scripts/mutate:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context) error {
	s := mutate.Session{Say: func(format string, arguments ...any) { fmt.Printf(format+"\n", arguments...) }}
	each := flag.Int("each", 5, "how many mutants of each room")
	rooms := flag.String("rooms", "", "the `names` of rooms, with commas between; empty: all")
	judges := flag.Int("judges", 0, "how many of the packages that judge a room are asked, the quickest first; 0: all")
	directory := flag.String("dir", "", "a `directory` to keep what is compiled and judged, so that the same command goes on there; empty: a temporary one")
	least := flag.Float64("least", 0.95, "the part of the mutants with a difference that must be noticed")
	flag.Uint64Var(&s.Seed, "seed", 1, "of the drawing")
	flag.Float64Var(&s.Seconds, "seconds", 60, "of processor time that the tests of a mutant may take")
	flag.DurationVar(&s.For, "for", 0, "how long mutants are judged; 0: until all are")
	flag.IntVar(&s.Workers, "workers", runtime.GOMAXPROCS(0), "how many mutants are judged at once")
	keys := flag.String("keys", "", "a `file` in the form of survivors.txt whose mutants are taken, instead of drawn ones")
	flag.StringVar(&s.Tests, "run", ".", "a `regexp` for the names of the tests that judge")
	now := flag.String("now", "", "the `names` of the rooms, of those that are drawn, whose mutants are judged in this run; empty: all")
	flag.Parse()
	if *now != "" {
		s.Now = strings.Split(*now, ",")
	}
	s.Each = *each
	for _, r := range mutate.Rooms() {
		if *rooms == "" || slices.Contains(strings.Split(*rooms, ","), r.Name) {
			if *judges > 0 {
				r.Judges = r.Judges[:min(*judges, len(r.Judges))]
			}
			s.Rooms = append(s.Rooms, r)
		}
	}
	if len(s.Rooms) == 0 {
		return fmt.Errorf("no room is named %s", *rooms)
	}
	var err error
	if *keys != "" {
		if s.Keys, err = mutate.ReadKeys(*keys); err != nil {
			return err
		}
	}
	if s.Root, err = os.Getwd(); err != nil {
		return err
	}
	if s.Directory, err = filepath.Abs(*directory); err != nil {
		return err
	}
	if *directory == "" {
		if s.Directory, err = os.MkdirTemp("", "mutate"); err != nil {
			return err
		}
		defer os.RemoveAll(s.Directory)
	}
	if err := s.Start(ctx); err != nil {
		return err
	}
	if err := s.Run(ctx); err != nil {
		return err
	}
	return s.Report(*least)
}
