package build

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/ricci-lang/ricci/internal/abi"
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/call"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target/c"
)

// A Descriptor says how a function on tensors is called; docs/serve.md explains its members.
type Descriptor struct {
	ABI       int    `json:"abi"`
	Name      string `json:"name"`
	Signature string `json:"signature"`
	Call      string `json:"call"`
	Shapes    string `json:"shapes"`
	Device    int    `json:"device"`
	// Architecture is the least of a card that has the code, such as 80; 0 for a processor.
	Architecture int                  `json:"architecture,omitempty"`
	Arguments    []DescriptorArgument `json:"arguments"`
	Sizes        []DescriptorSize     `json:"sizes"`
	Conditions   []plan.Condition     `json:"conditions"`
	Workspace    plan.Workspace       `json:"workspace"`
	Threads      int64                `json:"threads"`
	Schedule     string               `json:"schedule"`
}

// A DescriptorArgument is a tensor of a call.
type DescriptorArgument struct {
	plan.Argument
	DLPack  [2]int   `json:"dlpack"`  // code and bits
	Extents []*int64 `json:"extents"` // nil where one depends on an open size
}

// A DescriptorSize is a size. Given says that the caller gives the value, or that the shape of an output tells it.
type DescriptorSize struct {
	plan.Size
	Given bool `json:"given,omitempty"`
}

// describeTensors fills in what the functions on tensors know.
func (l *library) describeTensors(job *compile.Job, schedule string) error {
	kernel := l.function.Loops()
	if n := len(l.function.Kernels); n > 0 {
		kernel = l.function.Kernels[n-1].Kernel // the best one
	}
	p, err := plan.Make(plan.Kernel{
		Name: l.def.Name, Func: l.def.Func, Files: l.def.Files, Sizes: l.fixed, Strides: job.Strides, Loop: kernel, Symbol: l.name, Schedule: schedule,
	})
	if err != nil {
		return err
	}
	t := &c.LibraryTensors{Name: l.def.Name, Inputs: len(l.def.Func.Inputs()), Threads: l.threads}
	if t.Sizes, err = l.tensorSizes(); err != nil {
		return err
	}
	for _, f := range p.Faults {
		t.Faults = append(t.Faults, l.faultText(f))
	}
	d := &Descriptor{
		ABI: abi.Version, Name: l.def.Name, Signature: l.signature, Call: "ricci_call_" + l.name, Shapes: "ricci_shapes_" + l.name, Device: onProcessor,
		Arguments: []DescriptorArgument{}, Sizes: l.describeSizes(p, t.Sizes), Conditions: p.Conditions, Workspace: p.Workspace, Threads: job.Options.ThreadCount(), Schedule: schedule,
	}
	if card := l.function.Card; card != nil {
		d.Device, d.Architecture, d.Threads = l.memory, card.Architecture, 0
	}
	if d.Conditions == nil {
		d.Conditions = []plan.Condition{}
	}
	for i, tensor := range append(l.def.Func.Inputs(), l.def.Func.Outputs()...) {
		code, bits := abi.TypeOf(tensor.Type)
		a := DescriptorArgument{Argument: p.Arguments[i], DLPack: [2]int{code, bits}, Extents: []*int64{}}
		for _, dim := range tensor.Dims {
			if n, fixed := dim.Extent.Subst(l.known).IsConst(); fixed {
				a.Extents = append(a.Extents, &n)
			} else {
				a.Extents = append(a.Extents, nil)
			}
		}
		d.Arguments = append(d.Arguments, a)
	}
	text, err := json.Marshal(d)
	if err != nil {
		return source.Internalf("build", l.def.Pos, "the descriptor: %w", err)
	}
	t.Descriptor, l.descriptor, l.function.Tensors = string(text), d, t
	return nil
}

// describeSizes lists those that are compiled in, then the others in the order of the function.
func (l *library) describeSizes(p *plan.Plan, open []c.LibrarySize) []DescriptorSize {
	list := []DescriptorSize{}
	for _, s := range p.Sizes {
		if s.Value != nil {
			list = append(list, DescriptorSize{Size: s})
		}
	}
	for _, o := range open {
		s := p.Sizes[slices.IndexFunc(p.Sizes, func(s plan.Size) bool { return s.Name == o.Name })]
		if s.Value != nil {
			continue
		}
		if o.Argument < 0 {
			s.Argument, s.Dim = "", 0
		}
		list = append(list, DescriptorSize{Size: s, Given: o.Argument < 0 || p.Arguments[o.Argument].Role == ein.Output.String()})
	}
	return list
}

// tensorSizes lists the sizes that are not compiled in, and scalars whose values are, in an order in which each follows from those before.
func (l *library) tensorSizes() (list []c.LibrarySize, err error) {
	all := append(l.def.Func.Inputs(), l.def.Func.Outputs()...)
	found := map[string]affine.Expr{}
	for name, value := range l.fixed {
		found[name] = affine.Const(value)
	}
	var open []*ein.Size
	for _, s := range l.def.Func.Sizes {
		if _, fixed := l.fixed[s.Name]; !fixed || s.Dim == ein.ScalarValue && s.Tensor != nil && s.Tensor.Role == ein.Input {
			open = append(open, s)
		}
	}
	for progress := true; progress && len(open) > 0; {
		progress = false
		var waiting []*ein.Size
		for _, s := range open {
			one := c.LibrarySize{Name: s.Name, Argument: slices.Index(all, s.Tensor), Dimension: s.Dim}
			if s.Tensor != nil && s.Dim != ein.ScalarValue && !follows(s, found, &one) {
				waiting = append(waiting, s)
				continue
			}
			list, progress = append(list, one), true
			found[s.Name] = affine.Symbol(s.Name)
		}
		open = waiting
	}
	for _, s := range open { // each depends on another: the caller has to say them
		list = append(list, c.LibrarySize{Name: s.Name, Argument: -1, Dimension: -1})
	}
	return list, nil
}

// follows says how a size follows from the extent where it is found; false where others have to be known first. An extent in which
// it is multiplied by another size does not tell it.
func follows(s *ein.Size, found map[string]affine.Expr, one *c.LibrarySize) bool {
	extent := s.Tensor.Dims[s.Dim].Extent
	if _, isSize := extent.IsSymbol(); isSize {
		return true
	}
	coefficient, rest, linear := extent.Linear(s.Name)
	if !linear || coefficient == 0 {
		one.Argument, one.Dimension = -1, -1
		return true
	}
	symbols := map[string]bool{}
	rest.Symbols(symbols)
	for name := range symbols {
		if _, known := found[name]; !known {
			return false
		}
	}
	one.Coefficient, one.Rest = coefficient, rest.Subst(found)
	return true
}

// faultText is what is said of a subscript that is out of bounds, before and behind the subscript: what is the same for two of them.
func (l *library) faultText(f plan.Fault) [2]string {
	render := func(subscript int64) string {
		var b bytes.Buffer
		source.Render(&b, call.FaultOf(l.def, f, l.fixed, subscript), source.RenderOptions{})
		return b.String()
	}
	one, other := render(7), render(-88)
	head, tail := 0, 0
	for head < min(len(one), len(other)) && one[head] == other[head] {
		head++
	}
	for tail < min(len(one), len(other))-head && one[len(one)-1-tail] == other[len(other)-1-tail] {
		tail++
	}
	return [2]string{one[:head], one[len(one)-tail:]}
}
