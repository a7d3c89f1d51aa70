package mapping

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule/mdh"
)

// explain says what options mean for a function on a machine, and which have no effect there.
func (made *Made) explain(f *ein.Func, m *machine.Processor, o Options, p *mdh.Plan, workers map[int]*worker) {
	made.say("mapping options %s", o)
	made.say("  fuse: %s", fusedText(p))
	for _, g := range p.Groups {
		for _, member := range g.Members {
			w, k := workers[member.Statement], member.Configuration
			if len(w.c.Dims) == 0 {
				continue
			}
			if w.why != nil && !w.sharedRefused(k) {
				made.Idle = append(made.Idle, Remark{Text: fmt.Sprintf("the options do not fit S%d, which is computed in the order of the program: %v", member.Statement, w.why)})
				made.say("  S%d: in the order of the program", member.Statement)
				continue
			}
			made.statement(f, m, member.Statement, w, k)
		}
	}
}

func (made *Made) say(format string, args ...any) {
	made.Says = append(made.Says, fmt.Sprintf(format, args...))
}

// fusedText says which statements share loops.
func fusedText(p *mdh.Plan) string {
	var groups []string
	for _, g := range p.Groups {
		if len(g.Members) < 2 {
			continue
		}
		var names []string
		for _, s := range g.Statements() {
			names = append(names, fmt.Sprintf("S%d", s))
		}
		groups = append(groups, strings.Join(names, ", "))
	}
	if groups == nil {
		return "no statements share loops"
	}
	return "statements that share loops: " + strings.Join(groups, "; ")
}

// statement says what the options mean for one statement.
func (made *Made) statement(f *ein.Func, m *machine.Processor, s int, w *worker, k *mdh.Configuration) {
	made.say("  S%d: tile: %s; %s", s, w.tileText(), w.taskText(k, m))
	made.say("      threads: %s; unroll: %s", w.laneText(k), w.unrollText(k))
	made.say("      memory: %s", w.memoryText(k))
	if dims := w.dims(); len(w.o.Tile) > dims && w.o.Given["tile"] {
		made.Idle = append(made.Idle, Remark{Text: fmt.Sprintf("tile has %d numbers, and S%d has %d dimensions that are cut: the last %d have no effect on it", len(w.o.Tile), s, dims, len(w.o.Tile)-dims)})
	}
	if w.o.Shared && w.why != nil {
		made.Idle = append(made.Idle, Remark{Text: fmt.Sprintf("useSharedMemory has no effect on S%d: %v", s, w.why)})
	}
}

// dims counts the dimensions that tile may cut.
func (w *worker) dims() int {
	n := 0
	for d, dim := range w.c.Dims {
		if w.entry(d) >= 0 && !dim.Point() {
			n = max(n, w.entry(d)+1)
		}
	}
	return n
}

// sharedRefused reports whether a configuration is the one that the options ask for, but for
// copies.
func (w *worker) sharedRefused(k *mdh.Configuration) bool {
	return w.o.Shared && len(mdh.Validate(w.c, w.attempt(false), mdh.Options{})) == 0
}

func (w *worker) tileText() string {
	var list []string
	for d, dim := range w.c.Dims {
		if size := w.tile(w.entry(d)); size != mdh.WholeBlock && !dim.Point() {
			list = append(list, fmt.Sprintf("%d of %s", w.block(d), dim.Name()))
		}
	}
	if list == nil {
		return "no blocks"
	}
	return "blocks of " + strings.Join(list, " × ")
}

func (w *worker) taskText(k *mdh.Configuration, m *machine.Processor) string {
	tasks := int64(1)
	var list []string
	layer := k.Partition("COR")
	if layer == 0 {
		return "one task"
	}
	for d, dim := range w.c.Dims {
		l := mdh.Level{Layer: layer, Dim: d + 1}
		if parts := k.Row(l).Parts; parts != 1 && !dim.Reduced() {
			list = append(list, fmt.Sprintf("%d of %s", k.Tile(l), dim.Name()))
			tasks *= parts
		}
	}
	switch {
	case list == nil:
		return "one task"
	case tasks == mdh.AnyParts:
		return fmt.Sprintf("tasks of %s for %d threads", strings.Join(list, " × "), m.Cores)
	}
	return fmt.Sprintf("%d tasks of %s for %d threads", tasks, strings.Join(list, " × "), m.Cores)
}

func (w *worker) laneText(k *mdh.Configuration) string {
	if w.vector >= 0 {
		if lanes := k.Row(mdh.Level{Layer: k.Partition("SIMD"), Dim: w.vector + 1}).Parts; lanes > 1 {
			return fmt.Sprintf("vectors of %d along %s", lanes, w.c.Dims[w.vector].Name())
		}
	}
	return "no vectors"
}

func (w *worker) unrollText(k *mdh.Configuration) string {
	copies := int64(1)
	var list []string
	if layer := k.Partition("REG"); layer > 0 {
		for d, dim := range w.c.Dims {
			if parts := k.Row(mdh.Level{Layer: layer, Dim: d + 1}).Parts; parts > 1 {
				copies *= parts
				list = append(list, fmt.Sprintf("%d of %s", parts, dim.Name()))
			}
		}
	}
	if copies == 1 {
		return "no loop is written out"
	}
	return fmt.Sprintf("%d copies of the statement, %s", copies, strings.Join(list, " × "))
}

func (w *worker) memoryText(k *mdh.Configuration) string {
	var copied []string
	for _, r := range k.Rows {
		for b, place := range r.In {
			if name := k.Inputs[b]; place.Region > 0 && w.model.Layer(place.Region).Copied && !slices.Contains(copied, name) {
				copied = append(copied, name)
			}
		}
	}
	text := "no copies"
	if copied != nil {
		text = "a block of each of " + strings.Join(copied, ", ") + " is copied"
	}
	if w.c.Op == nil {
		return text
	}
	if w.o.Private {
		return text + ", partial results in registers"
	}
	return text + ", partial results in memory"
}
