package trial

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/ricci-lang/ricci/internal/bounded"
	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A request is a line from the tuner to a worker; exactly one part is set.
type request struct {
	Setup   *setup    `json:"setup,omitempty"`
	Call    *called   `json:"call,omitempty"`
	Write   *written  `json:"write,omitempty"`
	Time    *timed    `json:"time,omitempty"`
	Compile *compiled `json:"compile,omitempty"`
}

// setup prepares a new worker.
type setup struct {
	Layout   layout `json:"layout"`
	Device   string `json:"device"`
	CacheDir string `json:"cache_dir,omitempty"` // empty: there is none
	Threads  int64  `json:"threads"`
	Strict   bool   `json:"strict,omitempty"` // the mode of numerics
}

// called asks for one call, and for digests of the outputs.
type called struct {
	Slot   int    `json:"slot"`   // where the loaded code stays
	Inputs string `json:"inputs"` // file
	Code   code   `json:"code"`
}

// written asks for the outputs of the last call in a file.
type written struct {
	Outputs string `json:"outputs"`
}

// timed asks for samples of the code in a slot. Sampling ends early when the
// least of some samples is above Limit (if not 0).
type timed struct {
	Slot    int     `json:"slot"`
	Seconds float64 `json:"seconds"` // the sum of samples that is sufficient
	Least   int     `json:"least"`   // samples
	Most    int     `json:"most"`
	Limit   float64 `json:"limit"`
}

// response is a line from a worker.
type response struct {
	Error   string            `json:"error,omitempty"`   // what the candidate did
	Broken  string            `json:"broken,omitempty"`  // why the worker cannot do its work
	Lost    bool              `json:"lost,omitempty"`    // the candidate's error is that the device is gone
	Refused string            `json:"refused,omitempty"` // what the compiler says of a text that it does not take
	Lacks   string            `json:"lacks,omitempty"`   // what the device has no room for
	Takes   *device.Footprint `json:"takes,omitempty"`   // what a compiled candidate takes
	Samples []float64         `json:"samples,omitempty"` // seconds for one call
	Seconds float64           `json:"seconds,omitempty"` // of a first call
	Digests []uint64          `json:"digests,omitempty"` // of its outputs, in the order of the layout
}

// A server is the state of a worker process.
type server struct {
	setup  setup
	inputs string // file of the arguments of the last call
	arrays map[string]*placed
	device device.Device
	slots  map[int]*loaded
}

// loaded is code that can be called.
type loaded struct {
	code device.Code
	call device.Call
}

// Serve is the life of a worker process: it answers the requests that it reads
// until there are no more. It returns at once when the tuner is gone, even if a
// candidate still runs; the process has to end then.
func Serve(in io.Reader, out io.Writer) error {
	// Where memory runs out, Linux ends this process and not the tuner.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	s := &server{arrays: map[string]*placed{}, slots: map[int]*loaded{}}
	requests, over := make(chan request), make(chan error, 2)
	go func() {
		decoder := json.NewDecoder(bufio.NewReader(in))
		for {
			var r request
			if err := decoder.Decode(&r); err != nil {
				over <- err
				return
			}
			requests <- r
		}
	}()
	go func() {
		answers := json.NewEncoder(out)
		for r := range requests {
			answer, err := s.answer(r)
			var broken *brokenError
			switch {
			case errors.As(err, &broken):
				answer.Broken = broken.err.Error()
			case err != nil:
				answer.Error, answer.Lost = err.Error(), errors.Is(err, device.ErrLost)
			}
			if err := answers.Encode(answer); err != nil {
				over <- err
				return
			}
		}
	}()
	if err := <-over; !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// A brokenError is no candidate's fault: a file that cannot be read or written.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return e.err.Error() }

// broken marks an error, if it is one.
func broken(err error) error {
	if err == nil {
		return nil
	}
	return &brokenError{err}
}

func (s *server) answer(r request) (_ response, err error) {
	defer source.RecoverInternal("measurement", &err)
	switch {
	case r.Setup != nil:
		return response{}, s.prepare(*r.Setup)
	case r.Call != nil:
		return s.call(*r.Call)
	case r.Write != nil:
		return response{}, s.writeOutputs(r.Write.Outputs)
	case r.Time != nil:
		return s.time(*r.Time)
	case r.Compile != nil:
		return s.compile(*r.Compile)
	}
	return response{}, errors.New("an empty request")
}

// prepare opens the device and makes room for the arguments.
func (s *server) prepare(given setup) (err error) {
	s.setup = given
	driver, found := devices.Named(given.Device)
	if !found {
		return fmt.Errorf("there is no device %q", given.Device)
	}
	settings := device.Settings{Threads: int(given.Threads), Strict: given.Strict}
	if given.CacheDir != "" {
		if settings.Cache, err = cache.Open(given.CacheDir, nil); err != nil {
			return err
		}
	}
	if s.device, err = driver.Open(context.Background(), settings); err != nil {
		return err
	}
	if err := s.device.Works(context.Background()); err != nil {
		return err
	}
	for _, a := range given.Layout {
		if s.arrays[a.Name], err = a.placeOn(s.memory()); err != nil {
			return err
		}
	}
	return nil
}

// memory gives that of the device, nil where it works on the host's.
func (s *server) memory() tensor.Allocator {
	if a := s.device.Allocator(); a != nil {
		return a
	}
	return nil
}

// close gives up the code of a slot.
func (l *loaded) close() error {
	err := l.code.Close()
	if l.call.Workspace != nil {
		err = errors.Join(err, l.call.Workspace.Close())
	}
	return err
}

// load makes the code of a slot callable.
func (s *server) load(slot int, c code) (*loaded, error) {
	if old := s.slots[slot]; old != nil {
		delete(s.slots, slot)
		if err := old.close(); err != nil {
			return nil, err
		}
	}
	object, err := bounded.ReadFile(c.Object, bounded.Object)
	if err != nil {
		return nil, broken(err)
	}
	l := &loaded{}
	if l.code, err = s.device.Load(context.Background(), object, c.Plan); errors.Is(err, device.ErrNoMemory) || errors.Is(err, device.ErrLost) {
		return nil, err
	} else if err != nil {
		return nil, broken(err)
	}
	if c.Workspace > 0 {
		if l.call.Workspace, err = tensor.NewOn(s.memory(), tensor.Uint8, int(c.Workspace)); err != nil {
			return nil, err
		}
	}
	if err := s.fill(&l.call, c); err != nil {
		return nil, err
	}
	l.code.Prepare(&l.call)
	s.slots[slot] = l
	return l, nil
}

// fill puts the arguments and sizes into a call.
func (s *server) fill(call *device.Call, c code) error {
	for _, a := range c.Plan.Arguments {
		call.Arguments = append(call.Arguments, s.arrays[a.Name].view)
	}
	call.Block = make([]int64, loop.HeaderWords)
	for _, w := range c.Plan.Launches[0].Words {
		switch p := s.arrays[w.Tensor]; {
		case w.Tensor == "":
			call.Block = append(call.Block, c.Sizes[w.Size]) // 0 where an argument could be packed
		case p == nil:
			return fmt.Errorf("it wants an unknown argument %q", w.Tensor)
		default:
			call.Block = append(call.Block, int64(p.view.Address()))
		}
	}
	return nil
}

// call runs a candidate for the first time, on fresh arrays.
func (s *server) call(c called) (response, error) {
	l, err := s.load(c.Slot, c.Code)
	if err != nil {
		return response{}, err
	}
	s.inputs = c.Inputs
	if err := s.fresh(true); err != nil {
		return response{}, broken(err)
	}
	seconds, err := s.invoke(l, 1)
	if err != nil {
		return response{}, err
	}
	answer := response{Seconds: seconds}
	for _, a := range s.setup.Layout {
		p := s.arrays[a.Name]
		if err := p.pull(); err != nil {
			return response{}, err
		}
		if !p.intact() {
			return response{}, fmt.Errorf("it wrote outside of the array %s", a.Name)
		}
		if a.Output {
			answer.Digests = append(answer.Digests, xxhash.Sum64(p.bytes()))
		}
	}
	return answer, nil
}

// fresh reads the inputs and in-outs again, and spoils what is only written.
// Without all it is the in-outs only.
func (s *server) fresh(all bool) error {
	file, err := os.Open(s.inputs)
	if err != nil {
		return err
	}
	defer file.Close()
	for _, a := range s.setup.Layout {
		p := s.arrays[a.Name]
		switch {
		case a.Input && (all || a.Output):
			if _, err := io.ReadFull(file, p.bytes()); err != nil {
				return err
			}
		case a.Input:
			if _, err := file.Seek(int64(a.Bytes), io.SeekCurrent); err != nil {
				return err
			}
			continue
		case all:
			fill(p.bytes())
		default:
			continue
		}
		if err := p.push(); err != nil {
			return err
		}
	}
	return nil
}

// writeOutputs writes the file of results.
func (s *server) writeOutputs(path string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return broken(err)
	}
	defer func() { err = broken(errors.Join(err, file.Close())) }()
	for _, a := range s.setup.Layout {
		if a.Output {
			if _, err := file.Write(s.arrays[a.Name].bytes()); err != nil {
				return err
			}
		}
	}
	return nil
}

// invoke calls the code n times, and says how long that took: by the clock of the device, where it has one.
func (s *server) invoke(l *loaded, n int) (seconds float64, err error) {
	timed, hasClock := l.code.(device.Timed)
	start := time.Now()
	for range n {
		if hasClock {
			var more float64
			more, err = timed.LaunchTimed(context.Background(), &l.call)
			seconds += more
		} else {
			_, err = l.code.Launch(context.Background(), nil, &l.call)
		}
		if errors.Is(err, device.ErrFault) {
			return 0, fmt.Errorf("a subscript is out of bounds (site %d, value %d)", l.call.Fault[0], l.call.Fault[1])
		} else if err != nil {
			return 0, err
		}
	}
	if !hasClock {
		seconds = time.Since(start).Seconds()
	}
	return max(seconds, leastSeconds), nil
}

// leastSeconds stands for what is too short for a clock.
const leastSeconds = 1e-9

// The clock's resolution and the call's own cost are small against this.
const sampleSeconds = 50e-6

// time takes samples.
func (s *server) time(t timed) (response, error) {
	l := s.slots[t.Slot]
	if l == nil {
		return response{}, fmt.Errorf("slot %d is empty", t.Slot)
	}
	calls, err := s.warmUp(l)
	if err != nil {
		return response{}, err
	}
	var samples []float64
	for sum := 0.0; len(samples) < t.Least || sum < t.Seconds && len(samples) < t.Most; {
		seconds, err := s.invoke(l, calls)
		if err != nil {
			return response{}, err
		}
		sum += seconds
		samples = append(samples, seconds/float64(calls))
		if t.Limit > 0 && len(samples) >= min(3, t.Least) && slices.Min(samples) > t.Limit {
			break
		}
	}
	return response{Samples: samples}, nil
}

// warmUp calls the code until the caches and branch predictors know it, and
// returns how many calls make a sample. In-outs start from their first values.
func (s *server) warmUp(l *loaded) (calls int, err error) {
	if err := s.fresh(false); err != nil {
		return 0, broken(err)
	}
	for calls = 1; ; calls *= 2 {
		seconds, err := s.invoke(l, calls)
		if err != nil {
			return 0, err
		}
		if seconds >= sampleSeconds || calls >= 1<<14 {
			return calls, nil
		}
	}
}
