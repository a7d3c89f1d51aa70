package bench

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/machine"
)

// formatVersion is that of result files.
const formatVersion = 1

// Results are what one run of the benchmark found.
type Results struct {
	Format  int    `json:"format"`
	Version string `json:"version"` // of Ricci
	Machine string `json:"machine"`
	Date    string `json:"date"`
	Device  string `json:"device,omitempty"`
	// Description is that of the machine in full (docs/machines.md).
	Description string         `json:"description,omitempty"`
	Compiler    string         `json:"compiler,omitempty"` // of C
	Peers       []PeerStatus   `json:"peers,omitempty"`
	Interval    *Interval      `json:"interval,omitempty"` // until which samples were taken
	Peaks       *machine.Peaks `json:"peaks,omitempty"`    // at the start of the run
	Rows        []RowResult    `json:"rows"`
	LeftOut     []LeftOut      `json:"left_out,omitempty"`
}

// LeftOut is a row that was not measured, and why.
type LeftOut struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// leaveOut notes a row, once for all numbers of threads.
func (r *Results) leaveOut(name, reason string) {
	if !slices.ContainsFunc(r.LeftOut, func(l LeftOut) bool { return l.Name == name }) {
		r.LeftOut = append(r.LeftOut, LeftOut{name, reason})
	}
}

// A RowResult is one row of the suite with one number of threads.
type RowResult struct {
	Name       string           `json:"name"`
	Group      string           `json:"group"`
	Sizes      map[string]int64 `json:"sizes"`
	Threads    int              `json:"threads"`
	Operations int64            `json:"operations"`
	Integers   bool             `json:"integers,omitempty"` // the operations are on integers
	Bytes      int64            `json:"bytes"`              // that must be moved
	// Floor is the least time that the machine allows, by its peaks as measured
	// between the runs of this row; FloorBy says what sets it.
	Floor   float64    `json:"floor_s,omitempty"`
	FloorBy string     `json:"floor_by,omitempty"`
	Times   []Measured `json:"times"`
	// Best names the fastest candidate that is not Ricci and packed nothing before,
	// Ratio is Ricci's speed over its speed, and RatioPacked that over the packed one,
	// where Ricci, too, may keep constant inputs packed if the row has such;
	// OfFloor is the part of the machine's limit that Ricci reaches.
	Best        string   `json:"best,omitempty"`
	Ratio       float64  `json:"ratio,omitempty"`
	RatioPacked float64  `json:"ratio_packed,omitempty"`
	OfFloor     float64  `json:"of_floor,omitempty"`
	Goal        Goal     `json:"goal,omitzero"`
	Notes       []string `json:"notes,omitempty"`
}

// Measured is the outcome of one candidate.
type Measured struct {
	Candidate string `json:"candidate"`
	Ricci     bool   `json:"ricci,omitempty"`
	Naive     bool   `json:"naive,omitempty"`
	// Path names how the loops were transformed by hand, Naive being how they were.
	Path string `json:"path,omitempty"`
	// Other is the name of another program of the same result, which is compared with
	// the row's in a table of its own.
	Other string `json:"other,omitempty"`
	// Packed candidates got constant operands in a layout of their choice before the
	// time is taken.
	Packed bool `json:"packed,omitempty"`
	Spread
	First   float64 `json:"first_s,omitempty"` // preparing and the first call
	Missing string  `json:"missing,omitempty"` // why there is no time
	Wrong   string  `json:"wrong,omitempty"`   // how the results differ from the others
}

// ok reports whether the candidate counts.
func (m *Measured) ok() bool { return m.Missing == "" && m.Wrong == "" && m.Median > 0 }

// A Goal is what a row is to reach; zero fields ask for nothing.
type Goal struct {
	Best   float64 `json:"best,omitempty"`   // speed over the best peer
	Packed float64 `json:"packed,omitempty"` // speed over the best peer that packed before
	Naive  float64 `json:"naive,omitempty"`  // speed over the best naive C
	Floor  float64 `json:"floor,omitempty"`  // part of the machine's limit
	// Seconds is the most that a call may take.
	Seconds float64 `json:"seconds,omitempty"`
}

// missed says which part of the goal the row misses; empty when it is reached.
func (r *RowResult) missed() string {
	ricci := r.ricci()
	if ricci == nil {
		return "no result"
	}
	if r.Goal.Seconds > 0 && ricci.Median > r.Goal.Seconds {
		return fmt.Sprintf("%s of at most %s", SecondsText(ricci.Median), SecondsText(r.Goal.Seconds))
	}
	if r.Goal.Best > 0 && r.Best != "" && r.Ratio < r.Goal.Best {
		return fmt.Sprintf("%.2f of %.2f × best", r.Ratio, r.Goal.Best)
	}
	if r.Goal.Packed > 0 && r.RatioPacked > 0 && r.RatioPacked < r.Goal.Packed {
		return fmt.Sprintf("%.2f of %.2f × packed", r.RatioPacked, r.Goal.Packed)
	}
	if ratio := r.overNaive(); r.Goal.Naive > 0 && ratio > 0 && ratio < r.Goal.Naive {
		return fmt.Sprintf("%.2f of %.2f × naive", ratio, r.Goal.Naive)
	}
	if r.Goal.Floor > 0 && r.OfFloor > 0 && r.OfFloor < r.Goal.Floor {
		return fmt.Sprintf("%.2f of %.2f of the limit", r.OfFloor, r.Goal.Floor)
	}
	return ""
}

// ricci is the measurement of the compiler under test, nil if it failed.
func (r *RowResult) ricci() *Measured {
	for i := range r.Times {
		if m := &r.Times[i]; m.Ricci && !m.Packed && m.Other == "" && m.ok() {
			return m
		}
	}
	return nil
}

// Failed says of which rows there is no result of Ricci's, whose remarks say why; nil if all have one. Rows that were left
// out are no failure beside others.
func (r *Results) Failed() error {
	if len(r.Rows) == 0 && len(r.LeftOut) > 0 {
		return fmt.Errorf("no row was measured: %s was left out: %s", r.LeftOut[0].Name, r.LeftOut[0].Reason)
	}
	var rows []string
	for i := range r.Rows {
		if row := &r.Rows[i]; row.ricci() == nil {
			rows = append(rows, fmt.Sprintf("%s, %s", row.Name, threadsText(row.Threads)))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d rows have no result of Ricci's (the remarks say why): %s", len(rows), len(r.Rows), strings.Join(rows, "; "))
}

// overNaive is Ricci's speed over the faster naive C.
func (r *RowResult) overNaive() float64 {
	ricci, naive := r.ricci(), r.fastest(func(m *Measured) bool { return m.Naive })
	if ricci == nil || naive == nil {
		return 0
	}
	return naive.Median / ricci.Median
}

// fastest returns the fastest candidate of a kind that counts and runs the row's own
// program, nil if there is none.
func (r *RowResult) fastest(of func(*Measured) bool) *Measured {
	var best *Measured
	for i := range r.Times {
		if m := &r.Times[i]; m.ok() && m.Other == "" && of(m) && (best == nil || m.Median < best.Median) {
			best = m
		}
	}
	return best
}

// limit notes the least time that the peaks allow; nil ones are not known.
func (r *RowResult) limit(peaks *machine.Peaks, w *work) {
	if peaks == nil {
		return
	}
	if limit, ok := peaks.LimitOf(w.dtype, w.operations, w.read, w.written, r.Threads); ok {
		r.Floor, r.FloorBy = limit.Seconds, limit.Layer
		if limit.IsCompute {
			r.FloorBy = w.dtype.String()
		}
	}
}

// conclude fills in what follows from the times.
func (r *RowResult) conclude() {
	ricci := r.ricci()
	if ricci == nil {
		return
	}
	if best := r.fastest(func(m *Measured) bool { return !m.Ricci && !m.Packed }); best != nil {
		r.Best, r.Ratio = best.Candidate, best.Median/ricci.Median
	}
	if best := r.fastest(func(m *Measured) bool { return m.Packed && !m.Ricci }); best != nil {
		own := ricci
		if packed := r.fastest(func(m *Measured) bool { return m.Packed && m.Ricci }); packed != nil {
			own = packed
		}
		r.RatioPacked = best.Median / own.Median
	}
	if r.Floor > 0 {
		r.OfFloor = r.Floor / ricci.Median
	}
}

// Parse reads results that were written as JSON; the path is for messages.
func Parse(path string, text []byte) (*Results, error) {
	r := new(Results)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s holds no results of ricci bench: %w", path, err)
	}
	if r.Format != formatVersion {
		return nil, fmt.Errorf("%s has results of the format %d; this Ricci reads the format %d", path, r.Format, formatVersion)
	}
	return r, nil
}
