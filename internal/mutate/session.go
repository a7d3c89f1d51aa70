package mutate

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Session draws mutants, compiles what judges them, and judges one after the other.
type Session struct {
	Root      string // of the project
	Directory string // for everything that is made; what is there already is used again
	Rooms     []Room
	Each      int // mutants of a room
	Seed      uint64
	Tests     string          // a regular expression for the names of the tests that judge
	Seconds   float64         // of processor time that the tests of a mutant may take
	For       time.Duration   // how long; 0: until all are judged
	Workers   int             // how many mutants are judged at once
	Now       []string        // the names of the rooms whose mutants are judged in this run; empty: all
	Keys      map[string]bool // of the mutants that are taken; empty: a drawing of all
	Say       func(format string, arguments ...any)

	Mutants  []Mutant
	Verdicts map[int]Verdict
	judges   map[string]*Judge
	court    court
}

// Start draws and compiles.
func (s *Session) Start(ctx context.Context) error {
	d, err := Draw(s.Root, s.Directory, s.Rooms, s.Each, s.Seed, s.Keys)
	if err != nil {
		return err
	}
	s.Mutants = d.Mutants
	s.Rooms = slices.DeleteFunc(s.Rooms, func(r Room) bool { // those that have none of the keys
		return !slices.ContainsFunc(s.Mutants, func(m Mutant) bool { return m.Room == r.Name })
	})
	s.judges = map[string]*Judge{}
	for _, room := range s.Rooms {
		for _, folder := range room.Judges {
			if s.judges[folder] != nil {
				continue
			}
			if s.judges[folder], err = s.judge(ctx, folder, d.Overlay); err != nil {
				return err
			}
		}
	}
	s.court.root = s.Root
	if s.court.print, err = newFingerprinter(ctx, s.Root, s.Directory, d.Overlay); err != nil {
		return err
	}
	return s.readVerdicts()
}

// judge makes the judge of a package, or takes the one that is there.
func (s *Session) judge(ctx context.Context, folder, overlay string) (*Judge, error) {
	file := filepath.Join(s.Directory, strings.ReplaceAll(folder, "/", "-")+".json")
	j := &Judge{}
	if text, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(text, j); err != nil {
			return nil, err
		}
		for _, t := range j.Tests {
			t.judge = j
		}
		return j, nil
	}
	begin := time.Now()
	j, err := build(s.Root, s.Directory, folder, overlay)
	if err != nil {
		return nil, err
	}
	if err := j.measure(ctx, s.Root, s.Tests, s.Workers, s.Say); err != nil {
		return nil, err
	}
	s.Say("%s: %d tests, %.1f s of processor time (measured in %.0f s)", folder, len(j.Tests), cost(j.Tests), time.Since(begin).Seconds())
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	return j, os.WriteFile(file, text, 0o644)
}

// Run judges the mutants that have no verdict yet.
func (s *Session) Run(ctx context.Context) error {
	begin := time.Now()
	waiting := slices.DeleteFunc(s.turns(), func(m Mutant) bool {
		_, done := s.Verdicts[m.Number]
		return done || len(s.Now) > 0 && !slices.Contains(s.Now, m.Room)
	})
	var noting sync.Mutex
	return inParallel(s.Workers, len(waiting), func(k int) error {
		m := waiting[k]
		if s.For > 0 && time.Since(begin) > s.For {
			return nil
		}
		v, err := s.court.judge(ctx, m, s.tests(m.Room), s.Seconds)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
		noting.Lock()
		defer noting.Unlock()
		s.Say("%s", v.describe(m))
		return s.note(v)
	})
}

// turns are the mutants, of all rooms in turn, so that a part of them is a fair sample.
func (s *Session) turns() []Mutant {
	var list []Mutant
	of := map[string][]Mutant{}
	for _, m := range s.Mutants {
		of[m.Room] = append(of[m.Room], m)
	}
	for k := range len(s.Mutants) {
		for _, room := range s.Rooms {
			if k < len(of[room.Name]) {
				list = append(list, of[room.Name][k])
			}
		}
	}
	return list
}

func (s *Session) tests(name string) (list []*Test) {
	k := slices.IndexFunc(s.Rooms, func(r Room) bool { return r.Name == name })
	for _, folder := range s.Rooms[k].Judges {
		list = append(list, s.judges[folder].Tests...)
	}
	return list
}

func (v Verdict) describe(m Mutant) string {
	switch {
	case v.Noticed:
		return fmt.Sprintf("noticed   %s (%s %s, %.1f s)", m, v.By, v.How, v.Seconds)
	case v.Differs == "" && v.Meet == 0:
		return fmt.Sprintf("not met   %s", m)
	case v.Differs == "":
		return fmt.Sprintf("the same  %s (%d of %d tests, %.1f s)", m, v.Ran, v.Meet, v.Seconds)
	}
	return fmt.Sprintf("SURVIVES  %s (%d of %d tests, %.1f s): %s", m, v.Ran, v.Meet, v.Seconds, v.Differs)
}

func (s *Session) verdictFile() string { return filepath.Join(s.Directory, "verdicts.jsonl") }

func (s *Session) readVerdicts() error {
	s.Verdicts = map[int]Verdict{}
	text, err := os.ReadFile(s.verdictFile())
	if os.IsNotExist(err) {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		var v Verdict
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return err
		}
		s.Verdicts[v.Number] = v
		for _, j := range s.judges { // what earlier runs learnt
			for _, t := range j.Tests {
				if t.String() == v.By {
					t.Noticed, t.Asked = t.Noticed+1, t.Asked+1
				}
			}
		}
	}
	return err
}

// note keeps a verdict.
func (s *Session) note(v Verdict) error {
	s.Verdicts[v.Number] = v
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(s.verdictFile(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(text, '\n')); err != nil {
		return err
	}
	return f.Close()
}
