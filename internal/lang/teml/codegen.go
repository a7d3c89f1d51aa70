package teml

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
)

// A codegen is one function that the program generates.
type codegen struct {
	def      *lang.Def
	ordinals []int // the assignments of the function's statements, by their numbers in the program
	explicit bool  // it has loops of its own
}

// scheduled asks a run of a program for the loops of one function instead of its
// functions: with them nests are built of the statements of f.
type scheduled struct {
	f        *ein.Func
	ordinals []int // as those of codegen; nil for a function that is no TeML's
	codegen  int   // the number of the codegen that makes the function
	machine  *machine.Processor

	causes    *source.Diagnostics // why the codegen failed, where it did
	reached   bool                // the codegen; the answer follows
	nests     []*transform.Nest
	unchecked bool
	pos       source.Span
}

func whole(n int) value { return number{affine.Const(int64(n))} }

// codegen generates a function of loops in the order of the list; of all assignments
// so far where there are none, with the default schedule.
func (in *interpreter) codegen(s *syntax.Codegen) {
	number := len(in.codegens)
	in.codegens = append(in.codegens, nil)
	if d := in.loops.def; in.loops.external() && d.reached {
		in.fail(source.CodeTeMLCodegen, s.Pos, "a script makes one schedule for %s, and this is its second codegen", d.f.Name).note(d.pos, "the first one").
			help("leave one of them out, or list all nests in one: codegen(l1, l2)")
	}
	var nests []*transform.Nest
	for _, e := range s.Loops {
		in.addNests(&nests, in.eval(e, nil), e.Span())
	}
	if d := in.loops.def; d != nil {
		if number == d.codegen {
			d.reached = true
			d.nests, d.unchecked, d.pos = in.joined(nests), s.Unchecked != nil, s.Pos
		}
		return
	}
	list := in.assignments
	if len(s.Loops) > 0 {
		list = in.assignmentsOf(nests, s.Pos)
	}
	if len(list) == 0 {
		in.fail(source.CodeTeMLCodegen, s.Pos, "there is nothing to generate").help("assign a tensor first")
	}
	name := nameOfFile(in.file)
	if s.Name != nil {
		name = s.Name.Name
	}
	for _, other := range in.codegens[:number] {
		if other != nil && other.def.Name == name {
			in.fail(source.CodeTeMLCodegen, s.Pos, "the function %s is generated already", name).note(other.def.Pos, "here").help("name it: codegen NAME(l)")
		}
	}
	in.codegens[number] = in.generate(name, s.Pos, list, s.Outputs)
	in.codegens[number].explicit = len(s.Loops) > 0
}

// generate makes a function of some assignments.
func (in *interpreter) generate(name string, pos source.Span, list []*assignment, outputs []syntax.Name) *codegen {
	d := in.newDefinition(name, pos, list)
	c := &codegen{def: d.make(outputs)}
	for _, a := range d.list {
		c.ordinals = append(c.ordinals, slices.Index(in.assignments, a))
	}
	return c
}

func (in *interpreter) addNests(nests *[]*transform.Nest, v value, pos source.Span) {
	switch v := v.(type) {
	case loop:
		*nests = append(*nests, v.nest)
		for _, n := range v.pending {
			// A nest that is given twice, as in fuse_outer(l, l, 1), is judged by the run that knows the function.
			if !slices.ContainsFunc(n.Statements(), func(s int) bool { return slices.Contains(v.nest.Statements(), s) }) {
				*nests = append(*nests, n)
			}
		}
	case list:
		for _, item := range v {
			in.addNests(nests, item, pos)
		}
	default:
		in.wrongKind(v, "a loop", pos)
	}
}

// of lists the assignments that a nest has.
func (in *interpreter) of(n *transform.Nest) []*assignment {
	var list []*assignment
	for _, s := range n.Statements() {
		if d := in.loops.def; d != nil && n.Func() == d.f {
			if k := d.ordinals[s]; k < len(in.assignments) { // run refuses what is not
				list = append(list, in.assignments[k])
			}
			continue
		}
		for a, number := range in.loops.number {
			if number == s {
				list = append(list, a)
			}
		}
	}
	return list
}

// assignmentsOf lists the assignments of nests and what they need, in the order of
// the program.
func (in *interpreter) assignmentsOf(nests []*transform.Nest, pos source.Span) []*assignment {
	var list []*assignment
	for _, n := range nests {
		for _, a := range in.of(n) {
			if slices.Contains(list, a) {
				in.fail(source.CodeTeMLCodegen, pos, "the assignment of %s is generated twice", a.real.name).note(a.pos, "the assignment").
					help("each assignment belongs to one of the loops; branches of one nest are alternatives")
			}
			list = append(list, a)
		}
	}
	for _, a := range slices.Clone(list) {
		list = in.withNeeds(list, a)
	}
	slices.SortFunc(list, func(a, b *assignment) int { return slices.Index(in.assignments, a) - slices.Index(in.assignments, b) })
	return list
}

// withNeeds adds to a list the temporaries of an assignment, and the inits before it
// of the tensors that it accesses.
func (in *interpreter) withNeeds(list []*assignment, a *assignment) []*assignment {
	add := func(b *assignment) {
		if !slices.Contains(list, b) {
			list = in.withNeeds(append(list, b), b)
		}
	}
	for _, b := range in.assignments[:slices.Index(in.assignments, a)] {
		if b.fill != nil && (a.writes(b.real) || a.uses(b.real)) || a.needsPart(b) {
			add(b)
		}
	}
	for _, b := range a.before {
		add(b)
	}
	return list
}

// joined adds to the listed nests those of inits and temporaries, each before the
// first nest that needs it.
func (in *interpreter) joined(nests []*transform.Nest) []*transform.Nest {
	if in.loops.external() {
		return nests
	}
	byOrdinal := func(a, b *assignment) int { return slices.Index(in.assignments, a) - slices.Index(in.assignments, b) }
	emitted := map[*assignment]bool{}
	for _, n := range nests {
		for _, a := range in.of(n) {
			emitted[a] = true
		}
	}
	var out []*transform.Nest
	for _, n := range nests {
		var needed []*assignment
		for _, a := range in.of(n) {
			needed = in.withNeeds(needed, a)
		}
		slices.SortFunc(needed, byOrdinal)
		for _, a := range needed {
			// An init that is merged into a fold is no statement of the function.
			if !emitted[a] && slices.Contains(in.loops.def.ordinals, slices.Index(in.assignments, a)) {
				emitted[a] = true
				out = append(out, in.nestOf(a))
			}
		}
		out = append(out, n)
	}
	return out
}
