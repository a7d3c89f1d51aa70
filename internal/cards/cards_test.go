package cards

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/cuda/cudatest"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/tune"
)

// asUnit is the variable by which a test has this program run units.
const asUnit = "RICCI_TEST_UNIT"

func TestMain(m *testing.M) {
	tune.ServeIfWorker()
	switch os.Getenv(asUnit) {
	case "":
		os.Exit(m.Run())
	case "hang":
		time.Sleep(time.Minute)
	case "crash":
		fmt.Fprintln(os.Stderr, "the driver is gone")
		os.Exit(3)
	}
	var o Options
	name := flag.String("unit", "", "")
	flag.StringVar(&o.Device, "device", "", "")
	flag.StringVar(&o.Keep, "keep", "", "")
	flag.DurationVar(&o.Time, "time", 0, "")
	flag.BoolVar(&o.Small, "small", false, "")
	flag.Parse()
	result, err := RunUnit(context.Background(), *name, o)
	if err != nil || json.NewEncoder(os.Stdout).Encode(result) != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestRows: every row is a program, at both of its sizes, and units have names of their own.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, u := range Units() {
		if seen[u.Name] || u.run == nil || u.Limit == 0 {
			t.Errorf("the unit %+v", u)
		}
		seen[u.Name] = true
	}
	for _, r := range rows {
		for _, small := range []bool{false, true} {
			def, sizes, err := r.of(small)
			if err != nil {
				t.Fatal(err)
			}
			signature, err := def.SignatureForSizes(sizes)
			if err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
			operations, bytes, err := def.Work(signature)
			if err != nil || bytes == 0 || small && operations > 4_000_000 {
				t.Errorf("%s: %d operations, %d bytes (%v)", r.name, operations, bytes, err)
			}
		}
	}
}

// TestRun: a run leaves its results in a file, goes on with that, and begins anew for another device; what hangs or crashes costs a unit.
func TestRun(t *testing.T) {
	driver, _ := devices.Named("opencl:0")
	if _, err := driver.Open(t.Context(), device.Settings{}); err != nil {
		t.Skip(err)
	}
	var log strings.Builder
	o := Options{Device: "opencl:0", Time: time.Minute, Out: filepath.Join(t.TempDir(), "out.json"), Self: []string{os.Args[0]}, Log: &log}
	run := func(only, how string, want int) *Report {
		t.Helper()
		t.Setenv(asUnit, how)
		log.Reset()
		o.Only = only
		r, err := Run(t.Context(), o)
		if err != nil || len(r.Results) != want {
			t.Fatalf("%d results, expected %d (%v)\n%s", len(r.Results), want, err, log.String())
		}
		text, err := os.ReadFile(o.Out)
		saved := new(Report)
		if err != nil || json.Unmarshal(text, saved) != nil || len(saved.Results) != want || saved.Device != o.Device {
			t.Errorf("the file has %s (%v)", text, err)
		}
		return r
	}
	if r := run("device", "yes", 1); !r.Results[0].OK || len(r.Results[0].Facts) < 5 {
		t.Errorf("%+v", r)
	}
	if r := run("[dm]e*", "yes", 2); !r.Results[1].OK || strings.Contains(log.String(), "device") {
		t.Errorf("the second run does not go on:\n%s", log.String())
	}
	if r := run("functions", "crash", 3); r.Results[2].OK || len(r.Results[2].Facts) != 1 || r.Failed()[0] != "functions" {
		t.Errorf("a process that fails: %+v", r.Results[2])
	}
	t.Setenv(asUnit, "hang")
	if r := child(t.Context(), o, Unit{Name: "loops/0"}, 100*time.Millisecond, 0); r.OK || !strings.Contains(r.Error, "no end after") {
		t.Errorf("a process that hangs: %+v", r)
	}
	o.Time = time.Nanosecond
	if r := run("loops/*", "yes", 3); len(r.Left) != 4 {
		t.Errorf("without time: %+v", r)
	}
	o.Time, o.Device = time.Minute, "opencl"
	run("device", "yes", 1)
}

// TestTwoAtOnce: two processes work on one card at the same time, one is killed in the middle of its work, and the other one and those that
// come behind it find nothing of that: neither in the cache of kernels that they share nor on the card.
func TestTwoAtOnce(t *testing.T) {
	environment := append(cudatest.Environment(t, "../target/cuda/testdata/shim.h", ""), asUnit+"=yes")
	keep := t.TempDir()
	start := func(unit string) (*exec.Cmd, *strings.Builder) {
		t.Helper()
		command := exec.CommandContext(t.Context(), os.Args[0], "--unit", unit, "--device", "cuda:0", "--keep", keep, "--small")
		said := &strings.Builder{}
		command.Env, command.Stdout, command.Stderr = environment, said, os.Stderr
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		return command, said
	}
	ends := func(command *exec.Cmd, said *strings.Builder) {
		t.Helper()
		var r Result
		if err := command.Wait(); err != nil || json.Unmarshal([]byte(said.String()), &r) != nil || !r.OK {
			t.Errorf("%v: %s", err, said.String())
		}
	}
	killed, _ := start("examples/kronecker.tc")
	other, said := start("memory")
	time.Sleep(300 * time.Millisecond) // a kernel is being compiled, or runs
	if err := killed.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = killed.Wait()
	ends(other, said)
	ends(start("examples/kronecker.tc"))
}

// TestUntuned: where there is no time for tuning a row has the time of its default.
func TestUntuned(t *testing.T) {
	p := &place{device: "opencl:0", cache: t.TempDir(), small: true}
	if _, err := p.open(t.Context(), false); err != nil {
		t.Skip(err)
	}
	q, err := rows[0].prepare(t.Context(), p, true)
	if err != nil {
		t.Fatal(err)
	}
	timing := &Timing{}
	if err := q.untuned(t.Context(), p, timing); err != nil || timing.Default <= 0 || timing.Tuned != timing.Default || timing.Schedule == "" || timing.Stopped == "" {
		t.Errorf("%+v, %v", timing, err)
	}
}
