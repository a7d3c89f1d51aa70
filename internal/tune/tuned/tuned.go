// Package tuned keeps the schedules that tuning found, as small text files that
// every compilation looks into.
package tuned

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// A schedule is good for one Configuration: the program, the sizes that are
// compiled in, the layout of the arguments, the compiler and the machine. The
// program is the canonical text of its function, so what things are called does not
// matter. It is also good for one version of Ricci only (version.go): another one makes other code
// of the same schedule, and may have a better default. What other versions found takes part in
// the next search. The hash of the configuration names a file in the directory "tuned" of the
// kernel cache (store.go); its text (text.go) is also the form in which schedules
// are exported, several in a file.
//
// The database of trials (package database) is not needed to use what was learnt,
// and package ricci does not link it. Nothing here is trusted: a schedule is parsed
// and checked against the function before it is used.

// A Configuration is everything that a tuned schedule is good for. Names are
// canonical: sizes n0, n1, …, tensors t0, t1, ….
type Configuration struct {
	Program  string // the text of the function, with all sizes symbolic
	Target   string
	Compiler string
	Machine  string
	Numerics string           // the mode; empty for the default
	Sizes    map[string]int64 // those that are compiled in
	Dynamic  []string         // the others
	Strides  map[string][]int // of arguments that are not dense
	Version  string           // of Ricci
}

// MachineText describes a machine with the threads that a kernel may use.
func MachineText(m *machine.Processor) string {
	return oneLine(fmt.Sprintf("%d threads, caches %d %d %d, vectors %d × %d bytes, %s, %s",
		m.Cores, m.L1, m.L2, m.L3, m.VectorRegisters, m.VectorBytes, machine.HostModel(), machine.HostInstructions()))
}

// described parts the text of the host from what names the machine that schedules are made for.
const described = ", described as "

// DescribedText describes the host where schedules are made for another machine that is described (ricci.Options.Machine):
// whatever its description says is a part of its name, since blocks and the ranks of candidates follow from it.
func DescribedText(m *machine.Processor) string {
	host, plain := *machine.Host(), *m
	host.Cores, plain.Peaks, plain.Grid = m.Cores, nil, nil
	key := cache.NewKey("machine").Add(fmt.Sprintf("%+v", plain), m.Peaks.String())
	if m.Grid != nil { // by its value: an address is another one in each process
		key.Add(fmt.Sprintf("%+v", *m.Grid))
	}
	return MachineText(&host) + described + key.Key().String()[:16]
}

// SameHost reports whether schedules were tuned on the host, for whatever machine and number of threads.
func (s *Schedule) SameHost() bool {
	text, _, _ := strings.Cut(s.Machine, described)
	_, rest, _ := strings.Cut(text, ",") // behind the number of threads
	return strings.HasSuffix(MachineText(machine.Host()), rest)
}

// NumericsText names a mode of numerics in a configuration.
func NumericsText(m numerics.Mode) string {
	if m == numerics.Default {
		return ""
	}
	return m.String()
}

// CompilerText describes what makes the code of a device.
func CompilerText(d device.Device) string { return oneLine(d.Maker()) }

// Key identifies the configuration. It begins with what all versions of Ricci share.
func (c *Configuration) Key() string {
	return c.versionless() + "-" + cache.NewKey("version").Add(c.Version).Key().String()[:16]
}

// versionless is the hash of the configuration without the version.
func (c *Configuration) versionless() string {
	b := cache.NewKey("tuned").Add(c.Program, c.Target, c.Compiler, c.Machine)
	if c.Numerics != "" {
		b.Add("numerics", c.Numerics)
	}
	for _, name := range sorted(c.Sizes) {
		b.Add("size", name).AddInt(c.Sizes[name])
	}
	for _, name := range slices.Sorted(slices.Values(c.Dynamic)) {
		b.Add("dynamic", name)
	}
	for _, name := range sorted(c.Strides) {
		b.Add("strides", name, fmt.Sprint(c.Strides[name]))
	}
	return b.Key().String()
}

// ProgramKey returns a hash of the program alone: configurations that share it are
// neighbours.
func (c *Configuration) ProgramKey() string {
	return cache.NewKey("program").Add(c.Program).Key().String()
}

// A Schedule is what tuning found for a configuration.
type Schedule struct {
	Name string // for people, such as matmul(K=64 M=32 N=16)
	Configuration
	Tree    string  // the text of the schedule tree, in canonical names
	Seconds float64 // of a call
	Default float64 // of a call with the default schedule, in the same measurement
	Space   string  // the space that it is from, and the point in it
	Point   string
	Created time.Time
}

// Speedup is how many times faster than the default the schedule is.
func (s *Schedule) Speedup() float64 { return s.Default / s.Seconds }

// Summary says in a few words what was won.
func (s *Schedule) Summary() string {
	return fmt.Sprintf("%s instead of %s, %.2f times the default's speed", duration(s.Seconds), duration(s.Default), s.Speedup())
}

func duration(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Nanosecond).String()
}

// Function returns the function that the tree is for, in canonical names.
func (c *Configuration) Function() (*ein.Func, error) {
	f, err := ein.ParseFunc("program", c.Program)
	if err != nil {
		return nil, err
	}
	keep := map[string]bool{}
	for _, name := range c.Dynamic {
		keep[name] = true
	}
	for _, s := range f.Sizes {
		if _, known := c.Sizes[s.Name]; known == keep[s.Name] {
			return nil, fmt.Errorf("the size %s must be given or dynamic", s.Name)
		}
	}
	if err := f.CheckSizes(c.Sizes); err != nil {
		return nil, err
	}
	if f, err = f.Specialise(c.Sizes, keep); err != nil {
		return nil, err
	}
	mode, err := numerics.Parse(c.Numerics)
	if err != nil {
		return nil, err
	}
	if f, err = rewrite.Optimise(f, mode); err != nil {
		return nil, err
	}
	if mode == numerics.Fast { // as on machines whose matrix units take such factors
		f = ein.Shorten(f)
	}
	return rewrite.Coalesce(f, func(t *ein.Tensor) bool { return c.Strides[t.Name] == nil }), nil
}

// Check reports whether the schedule is one of its program: what comes from
// outside is checked before it is stored.
func (s *Schedule) Check() (err error) {
	defer source.RecoverInternal("tuned schedule", &err)
	f, err := s.Function()
	if err != nil {
		return fmt.Errorf("the program of the tuned schedule for %s: %w", s.Name, err)
	}
	if _, err = TreeOf(f, s.Tree); err != nil {
		return fmt.Errorf("the tuned schedule for %s: %w", s.Name, err)
	}
	return nil
}

// TreeOf parses the tree of a tuned schedule and checks it against the function that
// it is for. Nobody answers for the dependences of a schedule that is used unasked, so
// one that is unchecked is refused.
func TreeOf(f *ein.Func, text string) (*schedule.Tree, error) {
	tree, err := schedule.Parse(text)
	if err != nil {
		return nil, err
	}
	if tree.Unchecked {
		return nil, errors.New("the schedule is unchecked, and a tuned one is used without being asked for: without the word unchecked it is checked like any other; as it is, it can only be given with --schedule")
	}
	return tree, schedule.Check(f, tree)
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// oneLine makes a text fit for a line of the text form.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
