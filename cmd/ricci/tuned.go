package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/tune/database"
	"github.com/ricci-lang/ricci/internal/tune/tuned"
)

// workerCommand starts this program as a worker.
func workerCommand() ([]string, error) {
	path, err := os.Executable()
	return []string{path, workerVerb}, err
}

func tunedStore(t *terminal) (*tuned.Store, error) {
	c, err := openCache(t)
	if err != nil {
		return nil, err
	}
	return tuned.In(c), nil
}

// exportTuned writes all tuned schedules as text.
func exportTuned(t *terminal, path string) error {
	store, err := tunedStore(t)
	if err != nil {
		return err
	}
	list, err := store.List()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Schedules that 'ricci tune' found; 'ricci tune --import' reads them.\n")
	for _, s := range list {
		fmt.Fprintf(&b, "\n%s", s.Print())
	}
	if err := t.writeOutput(path, []byte(b.String())); err != nil || path == dash {
		return err
	}
	return t.result(map[string]any{"file": path, "schedules": len(list)}, func() error {
		_, err := fmt.Fprintf(t.out, "%s: %s\n", path, schedulesText(len(list)))
		return err
	})
}

func schedulesText(n int) string {
	if n == 1 {
		return "1 schedule"
	}
	return fmt.Sprintf("%d schedules", n)
}

// importTuned reads tuned schedules, of which each is checked before any is stored.
func importTuned(ctx context.Context, t *terminal, path string, adopt bool) error {
	text, err := t.readFile(path)
	if err != nil {
		return err
	}
	list, err := tuned.ParseAll(text)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.ToSlash(path), err)
	}
	best, err := devices.Best(ctx, device.Settings{Ready: device.Asked})
	if err != nil {
		return err
	}
	compiler, version, foreign, otherVersion := tuned.CompilerText(best), tuned.Version(), 0, 0
	for _, s := range list {
		if err := s.Check(); err != nil {
			t.notice("%s: the schedule for %s cannot be used, and none was imported", filepath.ToSlash(path), s.Name)
			return err
		}
		switch own := s.Compiler == compiler && s.SameHost(); {
		case own && s.Version == version:
		case adopt && own: // for its number of threads, and its machine
			s.Version = version
		case adopt:
			s.Machine, s.Compiler, s.Version = tuned.MachineText(machine.Host()), compiler, version
		case own:
			otherVersion++
		default:
			foreign++
		}
	}
	store, err := tunedStore(t)
	if err != nil {
		return err
	}
	for _, s := range list {
		if err := store.Put(s); err != nil {
			return err
		}
	}
	if t.json {
		return t.writeResult(true, map[string]any{"schedules": len(list), "other_version": otherVersion, "other_machine": foreign})
	}
	fmt.Fprintf(t.out, "%s imported\n", schedulesText(len(list)))
	if otherVersion > 0 {
		t.notice("%d of them are from another version of Ricci and are not used until 'ricci tune' has tried them again; --adopt uses them as they are", otherVersion)
	}
	if foreign > 0 {
		t.notice("%d of them are from another machine or compiler and are not used here; --adopt uses them", foreign)
	}
	return nil
}

// clearTuned forgets tuned schedules and the trials behind them, and returns their numbers.
func clearTuned(ctx context.Context, c *cache.Cache) (schedules, trials int, err error) {
	if schedules, err = tuned.In(c).Clear(); err != nil {
		return 0, 0, err
	}
	if _, err := os.Stat(filepath.Join(c.Dir(), database.FileName)); err == nil {
		db, err := database.Open(ctx, c.Dir())
		if err != nil {
			return schedules, 0, err
		}
		trials, err = db.Clear(ctx)
		if err := errors.Join(err, db.Close()); err != nil {
			return schedules, trials, err
		}
	}
	return schedules, trials, nil
}

// tunedReport is the --json form of a tuned schedule.
type tunedReport struct {
	Key     string    `json:"key"`
	Name    string    `json:"name"`
	Seconds float64   `json:"seconds"`
	Default float64   `json:"default"`
	Version string    `json:"version"`
	Created time.Time `json:"created"`
	Tree    string    `json:"schedule"`
}

func tunedReports(list []*tuned.Schedule) []tunedReport {
	reports := make([]tunedReport, len(list))
	for i, s := range list {
		reports[i] = tunedReport{s.Key(), s.Name, s.Seconds, s.Default, s.Version, s.Created, s.Tree}
	}
	return reports
}
