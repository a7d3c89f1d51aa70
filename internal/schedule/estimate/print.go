package estimate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/units"
)

// String explains the estimate to a person. Every line begins with #, so that it may
// stand below the text of the schedule.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# estimate %s", duration(r.Seconds))
	if r.Floor.Seconds > 0 {
		fmt.Fprintf(&b, ", %.2f times the floor of %s (%s operations in %s, %s in %s)", r.Seconds/r.Floor.Seconds, duration(r.Floor.Seconds),
			strings.TrimSpace(units.Quantity(float64(r.Floor.Operations))), duration(r.Floor.Compute), bytes(float64(r.Floor.Bytes)), duration(r.Floor.Memory))
	}
	b.WriteString("\n")
	if !r.Measured && slices.ContainsFunc(r.Parts, func(p Part) bool { return p.Launch != nil }) {
		b.WriteString("# the speeds are those that the machine says, and usual ones: docs/machines.md\n")
	} else if !r.Measured {
		b.WriteString("# the speeds of this machine are guesses: ricci doctor --measure\n")
	}
	if r.Assumed > 0 {
		fmt.Fprintf(&b, "# sizes that are open are supposed to be %d\n", r.Assumed)
	}
	sum := 0.0
	for i := range r.Parts {
		sum += r.Parts[i].Seconds
	}
	if sum < r.Seconds {
		what := "the memory"
		if r.Floor.Compute > r.Floor.Memory {
			what = "arithmetic"
		}
		fmt.Fprintf(&b, "# the parts by themselves %s, but %s is not as fast\n", duration(sum), what)
	}
	for i := range r.Parts {
		r.Parts[i].print(&b)
	}
	return b.String()
}

func (p *Part) print(b *strings.Builder) {
	fmt.Fprintf(b, "# %s: %s, limited by %s", strings.Join(p.Statements, ", "), duration(p.Seconds), p.limit())
	if p.Threads > 1 {
		fmt.Fprintf(b, "; %d threads share %d tasks and are busy %.0f %% of the time", p.Threads, p.Tasks, 100*p.Balance)
	}
	b.WriteString("\n")
	if p.Launch != nil {
		p.Launch.print(p, b)
		return
	}
	for _, c := range p.Components {
		if c.Name != instructions {
			continue
		}
		var parts []string
		for _, i := range p.Instructions {
			parts = append(parts, i.Name+" "+duration(i.Seconds))
		}
		fmt.Fprintf(b, "#   instructions %s: %s\n", duration(c.Seconds), strings.Join(parts, ", "))
	}
	if p.Accumulators > 0 {
		noun := "accumulators"
		if p.Accumulators == 1 {
			noun = "accumulator"
		}
		fmt.Fprintf(b, "#   tile         %.0f %s, %.2f loads for each operation\n", p.Accumulators, noun, p.LoadsPerOperation)
	}
	for i, t := range p.Traffic {
		if t.Bytes >= 1 { // less is a rounding of what the caches keep from call to call
			fmt.Fprintf(b, "#   %-12s %s for %s: %s\n", p.Components[i+1].Name, duration(p.Components[i+1].Seconds), bytes(t.Bytes), t.tensors())
		}
	}
}

// limit names what takes longest, of the instructions the largest bound.
func (p *Part) limit() string {
	if p.Bound != instructions || p.Launch != nil {
		return p.Bound
	}
	name, most := p.Bound, 0.0
	for _, c := range p.Instructions {
		if c.Seconds > most {
			name, most = c.Name, c.Seconds
		}
	}
	return name
}

// tensors lists the tensors that move most.
func (t *Traffic) tensors() string {
	names := slices.SortedFunc(maps.Keys(t.Tensors), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.Tensors[b], t.Tensors[a]), strings.Compare(a, b))
	})
	var parts []string
	for _, name := range names[:min(4, len(names))] {
		if t.Tensors[name] < 1 && len(parts) > 0 {
			break
		}
		parts = append(parts, name+" "+bytes(t.Tensors[name]))
	}
	return strings.Join(parts, ", ")
}

// Duration writes seconds with three digits and their unit.
func Duration(seconds float64) string { return duration(seconds) }

// duration writes seconds with three digits.
func duration(seconds float64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}} {
		if seconds >= units.Rounded*unit.size {
			return fmt.Sprintf("%.3g %s", seconds/unit.size, unit.name)
		}
	}
	if seconds > 0 && seconds < 1e-11 {
		return "under 0.01 ns"
	}
	return fmt.Sprintf("%.3g ns", seconds*1e9)
}

// bytes writes a size with three digits.
func bytes(n float64) string { return units.Bytes(n) }
