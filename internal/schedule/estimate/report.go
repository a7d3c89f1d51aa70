package estimate

import (
	"fmt"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

func errUnknownTensor(name, function string) error {
	return fmt.Errorf("the schedule places %s, which is no tensor of %s", name, function)
}

// A Report says how long a function takes, and why.
type Report struct {
	Function string  `json:"function"`
	Seconds  float64 `json:"seconds"`
	Floor    Floor   `json:"floor"`
	Parts    []Part  `json:"parts"`
	// Measured says that the speeds of the machine were measured, not guessed.
	Measured bool `json:"measured"`
	// Assumed is the extent that stands for every size that is not known; 0 when all are.
	Assumed int64 `json:"assumed,omitempty"`
}

// A Floor is the least time that any schedule needs on the machine.
type Floor struct {
	Seconds    float64 `json:"seconds"`
	Compute    float64 `json:"compute"` // operations over the peak
	Memory     float64 `json:"memory"`  // bytes over the bandwidth
	Operations int64   `json:"operations"`
	Bytes      int64   `json:"bytes"`
}

// A Part is a subtree that runs by itself.
type Part struct {
	Statements []string    `json:"statements"`
	Seconds    float64     `json:"seconds"`
	Bound      string      `json:"bound"` // the name of the largest component
	Components []Component `json:"components"`
	// Instructions divides the component of that name; of the bounds of the
	// innermost body only the largest counts.
	Instructions []Component `json:"instructions"`
	Threads      int         `json:"threads"`
	Tasks        int64       `json:"tasks"`
	Balance      float64     `json:"balance"` // the part of the threads' time that is used
	// Of the innermost reduction: how many vectors or scalars accumulate, and how
	// many loads there are for each arithmetic instruction.
	Accumulators      float64   `json:"accumulators,omitempty"`
	LoadsPerOperation float64   `json:"loads_per_operation"`
	Traffic           []Traffic `json:"traffic"`
	// Launch says how a part runs as a grid; nil of parts that threads run.
	Launch *Launch `json:"launch,omitempty"`
}

// A Component is a resource with the time that the part needs of it.
type Component struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// Traffic is what comes to a layer of memory from the one behind it, and goes back.
type Traffic struct {
	Layer   string             `json:"layer"`
	From    string             `json:"from"`
	Bytes   float64            `json:"bytes"`
	Tensors map[string]float64 `json:"tensors"`
}

// details are what the walk notes for the report.
type details struct{ accumulators, tasks, threads float64 }

// instructions is the name of the component that is not memory.
const instructions = "instructions"

// overlap is the part of the other components that the largest one does not hide.
const overlap = 0.25

// part makes the report of a part and readies the walker for the next one.
func (m *Model) part(w *walker, u usage) Part {
	p := Part{Threads: u.threads, Tasks: int64(max(1, w.found.tasks)), Balance: 1, Accumulators: w.found.accumulators}
	if w.found.tasks > 0 {
		p.Balance = w.found.tasks / (math.Ceil(w.found.tasks/w.found.threads) * w.found.threads)
	}
	if u.work.operations > 0 {
		p.LoadsPerOperation = u.work.loads / u.work.operations
	}
	seen := map[int]bool{}
	for _, r := range u.references {
		if !seen[r.statement] {
			seen[r.statement] = true
			p.Statements = append(p.Statements, fmt.Sprintf("S%d", r.statement))
		}
	}
	cycle := m.speeds.cycle(u.threads)
	p.add(instructions, u.work.cycles()*cycle)
	for _, c := range u.work.bounds() {
		if c.cycles > 0 {
			p.Instructions = append(p.Instructions, Component{c.name, c.cycles * cycle})
		}
	}
	for l := range m.speeds.layers {
		t, seconds := m.traffic(w, &u, l)
		p.Traffic = append(p.Traffic, t)
		p.add(t.From+" to "+t.Layer, seconds)
	}
	largest, sum := 0.0, 0.0
	for _, c := range p.Components {
		sum += c.Seconds
		if c.Seconds > largest {
			largest, p.Bound = c.Seconds, c.Name
		}
	}
	p.Seconds = largest + overlap*(sum-largest)
	w.found = details{}
	return p
}

// traffic is what comes through a layer of memory, and how long it takes.
func (m *Model) traffic(w *walker, u *usage, l int) (Traffic, float64) {
	layer := &m.speeds.layers[l]
	t := Traffic{Layer: layer.name, From: layer.behind, Tensors: map[string]float64{}}
	lines, cold := 0.0, 1-m.warm(layer, u.threads)
	for k, tensor := range m.tensors {
		n, last := cold*u.misses[l*len(m.tensors)+k], l == len(m.speeds.layers)-1
		switch {
		case w.streamed[k] && last: // it is not brought first
			n /= 2
		case w.streamed[k]:
			n = 0
		}
		if n <= 0 {
			continue
		}
		t.Bytes += n * m.speeds.line
		t.Tensors[tensor.Name] = n * m.speeds.line
		if layer.streams {
			n *= slowest(u.references, k)
		}
		switch {
		case w.streamed[k]:
			n *= 2 * layer.streamed(u.threads)
		case tensor.Role != ein.Input:
			n *= layer.written(u.threads)
		}
		lines += n
	}
	return t, lines * layer.seconds(u.threads)
}

// warm returns which part of the arguments is in a layer when a call begins: earlier
// calls have left them there. The floor supposes the same.
func (m *Model) warm(l *layer, threads int) float64 {
	total := 0.0
	for _, n := range m.most {
		total += n
	}
	if l.private {
		total /= float64(threads)
	}
	return kept(total / l.bytes)
}

// slowest returns how much longer a line of a tensor takes than in a stream.
func slowest(references []reference, tensor int) float64 {
	slow := 1.0
	for k := range references {
		if references[k].access.tensor == tensor {
			slow = max(slow, references[k].slow)
		}
	}
	return slow
}

func (p *Part) add(name string, seconds float64) {
	p.Components = append(p.Components, Component{name, seconds})
}

// floor fills in the least time.
func (m *Model) floor(r *Report) {
	sizes := map[string]int64{}
	for _, s := range m.f.Sizes {
		sizes[s.Name] = assumedExtent
		r.Assumed = assumedExtent
	}
	var read, written int64
	r.Floor.Operations, r.Floor.Bytes = m.f.Work(sizes)
	for _, t := range m.f.Outputs() {
		written += int64(m.most[m.number[t]])
	}
	written = min(written, r.Floor.Bytes)
	read = r.Floor.Bytes - written
	if limit, ok := m.speeds.peaks.LimitOf(m.counted(), r.Floor.Operations, read, written, m.speeds.cores); ok {
		if m.multipliesParts() {
			if peak := m.speeds.peaks.Parts(m.speeds.cores); peak > 0 {
				limit.Compute = min(limit.Compute, float64(r.Floor.Operations)/peak)
				limit.Seconds = max(limit.Compute, limit.Memory)
			}
		}
		r.Floor.Seconds, r.Floor.Compute, r.Floor.Memory = limit.Seconds, limit.Compute, limit.Memory
	}
}

// multipliesParts reports whether there are products of float32, which a matrix unit may take in parts.
func (m *Model) multipliesParts() bool {
	return slices.ContainsFunc(m.f.Body, func(c *ein.Comprehension) bool {
		_, _, group := ein.MatrixOf(c)
		return group == 1
	})
}

// counted is the type that operations are counted on: that of the first tensor where
// there are no floats, and bfloat16 where products of it may be for a matrix unit.
func (m *Model) counted() tensor.DType {
	for _, c := range m.f.Body {
		if x, _, group := ein.DotOf(c); group > 0 && x.Tensor.Type.IsFloat() {
			return x.Tensor.Type
		}
	}
	if len(m.tensors) == 0 || slices.ContainsFunc(m.tensors, func(t *ein.Tensor) bool { return t.Type.IsFloat() }) {
		return m.widest()
	}
	return m.tensors[0].Type
}

// widest is the float type that most of the work is done in.
func (m *Model) widest() tensor.DType {
	found := tensor.Float32
	for _, t := range m.tensors {
		if t.Type == tensor.Float64 {
			found = t.Type
		}
	}
	return found
}
