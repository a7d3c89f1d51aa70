package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/klauspost/cpuid/v2"
	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/bench"
	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/device/measure"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/units"
	"github.com/ricci-lang/ricci/tensor"
)

func newDoctor(t *terminal) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Show what was found on this machine",
		Long: `Doctor shows the compilers, instruction sets, caches and libraries that Ricci found,
and what is missing.

Where the system tells of no cache behind the second level, as on virtual machines that
hide it, doctor looks for one: it times loads from working sets of growing size. That
takes some seconds; --measure does it on every machine.

With --measure it measures the peaks of the machine, its arithmetic units and its layers
of memory, and which of some ways of computing are faster, and keeps all that in the cache. That takes some seconds, and half a minute or
more where the caches are large; nothing else should run meanwhile. Schedules, 'ricci roofline' and 'ricci bench' use them.`,
		Example: "  ricci doctor\n  ricci doctor --measure\n  ricci doctor --machine > here.machine\n  ricci doctor --machine --device evaluator\n  ricci doctor --json",
		Args:    cobra.NoArgs,
	}
	asMachine := cmd.Flags().Bool("machine", false, "print this machine as a text, to be edited and given to --machine of other commands (docs/machines.md)")
	var name string
	cmd.Flags().StringVar(&name, "device", "", "with --machine: the machine of the device `NAME` of 'ricci devices' (default: this one)")
	completeValues(cmd, map[string]completion{"device": fixed(ricci.DeviceNames())})
	measureNow := cmd.Flags().Bool("measure", false, "measure the peaks of this machine and keep them")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if name != "" && (!*asMachine || *measureNow) {
			return usagef("--device %s: it says whose machine --machine prints; what is measured is this one", name)
		}
		if err := checkDevice(name); err != nil {
			return err
		}
		if *asMachine && !*measureNow {
			return t.printMachine(cmd.Context(), name)
		}
		report := diagnosis{Version: version(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Processor: machine.HostModel(), Cores: cpuid.CPU.PhysicalCores,
			Threads: runtime.GOMAXPROCS(0), Instructions: cpuid.CPU.FeatureSet(), Caches: machine.HostCaches(), Devices: ricci.Devices(cmd.Context(), ricci.Options{}), Peers: bench.FindPeers(cmd.Context())}
		c, err := openCache(t)
		if err == nil {
			report.CacheDir = c.Dir()
			report.CacheBytes, _ = c.Size()
			if err := writable(c.Dir()); err != nil {
				report.CacheNote = fmt.Sprintf("no file can be written in %s: %v", c.Dir(), err)
			}
			report.Peaks = describePeaks(device.LoadPeaks(c, machine.Host()))
		} else {
			report.CacheNote = err.Error()
		}
		if known, hasLast := machine.PrivateCaches(report.Caches); *measureNow || !hasLast {
			if report.Latencies, err = t.latencies(cmd.Context()); err != nil {
				return err
			}
			if found, ok := measure.FindLastLevel(report.Latencies, max(known, guessedCaches)); ok {
				report.LastLevel = &found
			}
		}
		report.Assumed = assumedCaches(machine.Host())
		if *measureNow {
			if report.CacheNote != "" {
				c = nil
				t.notice("the peaks will not be kept: %s; set %s to a writable directory", report.CacheNote, cache.Variable)
			}
			peaks, err := measurePeaks(cmd.Context(), t, c)
			if err != nil {
				return err
			}
			report.Peaks = describePeaks(peaks)
		}
		if *asMachine {
			return t.printMachine(cmd.Context(), "")
		}
		return t.result(report, func() error { return report.print(t) })
	}
	return cmd
}

// printMachine writes the machine at hand, or that of a device, in its text form.
func (t *terminal) printMachine(ctx context.Context, name string) error {
	text := ricci.HostMachine(ricci.Options{})
	if name != "" {
		var err error
		if text, err = ricci.DeviceMachine(ctx, ricci.Options{Device: name}); err != nil {
			return err
		}
	}
	return t.result(struct {
		Machine string `json:"machine"`
	}{text}, func() error {
		_, err := io.WriteString(t.out, text)
		return err
	})
}

// A diagnosis is what doctor reports.
type diagnosis struct {
	Version      string               `json:"version"`
	System       string               `json:"system"` // such as linux/amd64
	Go           string               `json:"go"`
	Processor    string               `json:"processor"`
	Cores        int                  `json:"cores"`   // physical; 0 when unknown
	Threads      int                  `json:"threads"` // that this process may use at once
	Instructions []string             `json:"instructions"`
	Caches       []machine.CacheLevel `json:"caches"`
	Devices      []ricci.DeviceReport `json:"devices"`
	CacheDir     string               `json:"cache_dir"`
	CacheBytes   int64                `json:"cache_bytes"`
	CacheNote    string               `json:"cache_note,omitempty"`
	// Latencies were measured now, and LastLevel found by them, where they were.
	Latencies []measure.Latency  `json:"latencies,omitempty"`
	LastLevel *measure.LastLevel `json:"last_level,omitempty"`
	// Assumed are the caches that schedules are made for: what the system says, or a guess.
	Assumed []machine.CacheLevel `json:"assumed_caches"`
	// Peaks were measured by --measure, now or before.
	Peaks *describedPeaks `json:"peaks,omitempty"`
	// Peers are the libraries that 'ricci bench' compares with.
	Peers []bench.PeerStatus `json:"peers"`
}

// guessedCaches is what is taken for the known caches where the system tells of none.
const guessedCaches = 512 << 10

func assumedCaches(m *machine.Processor) []machine.CacheLevel {
	return []machine.CacheLevel{{Name: "L1d", Bytes: m.L1}, {Name: "L2", Bytes: m.L2}, {Name: "L3", Bytes: m.L3}}
}

func (t *terminal) latencies(ctx context.Context) ([]measure.Latency, error) {
	stop := t.working("looking for the last cache")
	defer stop()
	return measure.Latencies(ctx)
}

// describedPeaks are machine.Peaks with words that say what each rate counts.
type describedPeaks struct {
	Threads int              `json:"threads"`
	Rates   []measure.Peak   `json:"rates"`
	Layers  []machine.Memory `json:"layers"`
	// Ratios say which ways of computing are faster.
	Ratios []machine.NamedRatio `json:"ratios,omitempty"`
}

func describePeaks(p *machine.Peaks) *describedPeaks {
	if p == nil {
		return nil
	}
	return &describedPeaks{Threads: p.Threads, Rates: measure.Describe(p), Layers: p.Layers, Ratios: p.Ratios.List()}
}

// measurePeaks measures this machine and keeps the result in the cache, if there
// is one.
func measurePeaks(ctx context.Context, t *terminal, c *cache.Cache) (*machine.Peaks, error) {
	bar := (*progress)(nil)
	options := device.MeasureOptions{Progress: func(_, rounds int) {
		if bar == nil {
			bar = t.progress(rounds, "measuring the machine")
		}
		bar.step()
	}}
	machine := machine.Host()
	peaks, err := devices.All()[0].Measure(ctx, machine, options)
	bar.finish()
	if err != nil || c == nil {
		return peaks, err
	}
	return peaks, device.StorePeaks(c, machine, peaks)
}

func (d *diagnosis) print(t *terminal) error {
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	line("version", "%s", d.Version)
	line("system", "%s, %s", d.System, d.Go)
	line("processor", "%s", d.Processor)
	line("cores", "%d physical, %d usable threads", d.Cores, d.Threads)
	line("instructions", "%s", strings.Join(d.Instructions, " "))
	d.printCaches(line)
	d.printDevices(line)
	d.printPeers(line)
	if d.CacheNote != "" {
		line("kernel cache", "unusable: %s; compiled kernels, tuned schedules and measured peaks are kept there, so set %s to a writable directory", d.CacheNote, cache.Variable)
	} else {
		line("kernel cache", "%s, %s", d.CacheDir, units.Bytes(d.CacheBytes))
	}
	if d.Peaks == nil {
		line("peaks", "not measured: ricci doctor --measure")
	} else {
		printPeaks(d.Peaks, line)
	}
	return w.Flush()
}

// printDevices writes what runs programs, and what it is made of.
func (d *diagnosis) printDevices(line func(name, format string, args ...any)) {
	used := false
	for _, one := range d.Devices {
		state := "can be used"
		switch {
		case !one.Usable:
			state = "lacks " + strings.Join(one.Missing, "; ")
		case !used:
			used, state = true, "used"
		}
		line("device "+one.Name, "%s: %s", one.About, state)
		for _, p := range one.Parts {
			switch {
			case p.Path == "" && p.Version != "": // no file: something that a driver tells of
				line(p.Kind, "%s: %s; %s", p.Name, p.Version, p.Use)
			case p.Path == "":
				line(p.Kind, "%s: not found (%s)", p.Name, p.Use)
			case p.Use != "" && p.Version != "":
				line(p.Kind, "%s %s: %s (%s)", p.Name, p.Version, p.Path, p.Use)
			case p.Use != "":
				line(p.Kind, "%s: %s (%s)", p.Name, p.Path, p.Use)
			default:
				line(p.Kind, "%s %s (%s)", p.Name, p.Version, p.Path)
			}
		}
	}
}

// printCaches writes what the system says of the caches, what was measured, and what schedules
// guess where neither is there.
func (d *diagnosis) printCaches(line func(name, format string, args ...any)) {
	for _, c := range d.Caches {
		line("cache "+c.Name, "%s (the system says so)", units.Bytes(c.Bytes))
	}
	for _, c := range d.Assumed {
		if !slices.ContainsFunc(d.Caches, func(known machine.CacheLevel) bool { return known.Name == c.Name }) {
			line("cache "+c.Name, "the system does not say; schedules are made for %s (guessed)", units.Bytes(c.Bytes))
		}
	}
	switch l := d.LastLevel; {
	case l != nil:
		line("last cache", "about %s (measured: a load takes %s, and %s from memory)", units.Bytes(l.Bytes), bench.SecondsText(l.Seconds), bench.SecondsText(l.Memory))
	case d.Latencies != nil:
		line("last cache", "none was found behind the others (measured: loads are soon as slow as from memory, %s)", bench.SecondsText(d.Latencies[len(d.Latencies)-1].Seconds))
	}
}

// printPeers writes what benchmarks can compare with, and how to get the rest.
func (d *diagnosis) printPeers(line func(name, format string, args ...any)) {
	missing := false
	for _, p := range d.Peers {
		if p.Found {
			line("benchmark peer", "%s", p.Name)
			continue
		}
		missing = true
		line("benchmark peer", "%s: not found (%s)", p.Name, p.Reason)
	}
	if missing {
		line("", "on Debian: %s", bench.InstallLine)
	}
}

// printPeaks writes the measured speeds of one thread, and of all of them.
func printPeaks(p *describedPeaks, line func(name, format string, args ...any)) {
	for _, r := range p.Rates {
		unit := "OP/s"
		if t, err := tensor.ParseDType(r.Type); err == nil && t.IsFloat() {
			unit = "FLOP/s"
		}
		instructions := ""
		if r.Instructions != "" {
			instructions = fmt.Sprintf(" (%s)", r.Instructions)
		}
		line("peak "+r.Type, "%s with 1 thread, %s with %d: %s%s", rateText(r.One, unit), rateText(r.All, unit), p.Threads, r.Operation, instructions)
	}
	line("bandwidth", "GB/s with 1 thread/with %d; a copy counts both directions, a streaming store passes by the caches", p.Threads)
	for _, l := range p.Layers {
		line("bandwidth "+l.Name, "read %s, write %s, copy %s, streaming write %s, streaming copy %s",
			bandwidthText(l.Read), bandwidthText(l.Write), bandwidthText(l.Copy), bandwidthText(l.Stream), bandwidthText(l.StreamCopy))
	}
	for _, r := range p.Ratios {
		line("ratio "+r.Name, "%.3g: %s", r.Value, r.Meaning)
	}
}

// rateText writes a number per second with a prefix: 246 GFLOP/s.
func rateText(v float64, unit string) string {
	if v >= 1e12 {
		return fmt.Sprintf("%.3g T%s", v/1e12, unit)
	}
	return fmt.Sprintf("%.3g G%s", v/1e9, unit)
}

func bandwidthText(s machine.Speed) string {
	return fmt.Sprintf("%.3g/%.3g", s.One/1e9, s.All/1e9)
}
