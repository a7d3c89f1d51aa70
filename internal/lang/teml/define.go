package teml

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How a function of the generated program is made
//
// It has assignments in the order in which the meta-program made them; that is what
// it means, in whatever order codegen lists their loops. A tensor that is read before
// the function writes it is an argument: an input, or, when it is assigned later or
// in part, one whose old value is read. The results are the tensors that nothing
// later in the function reads, or those that codegen lists; the rest is temporary.

// A definition is a function that is being made.
type definition struct {
	in       *interpreter
	name     string
	pos      source.Span
	list     []*assignment
	fresh    map[*assignment]bool // whose init was merged into them
	lowering *lowering
	f        *ein.Func
}

// newDefinition prepares a function of some assignments.
func (in *interpreter) newDefinition(name string, pos source.Span, list []*assignment) *definition {
	d := &definition{in: in, name: name, pos: pos, fresh: map[*assignment]bool{}, lowering: &lowering{tensors: map[*real]*ein.Tensor{}, sizes: in.sizes}}
	d.merge(list)
	return d
}

// merge leaves out each init that gives an accumulator the neutral element with which
// its fold starts anyway.
func (d *definition) merge(list []*assignment) {
	for n, a := range list {
		if a.fill != nil && a.fill.isConstant() {
			for _, next := range list[n+1:] {
				if next.real == a.real && next.fold != "" && !next.fresh && next.whole && a.fill.isNeutral(next.fold) && !next.value.reads(a.real) {
					d.fresh[next] = true
				}
				if next.writes(a.real) || next.uses(a.real) {
					break
				}
			}
			if n+1 < len(list) && slices.ContainsFunc(list[n+1:], func(next *assignment) bool { return next.real == a.real && d.fresh[next] }) {
				continue
			}
		}
		d.list = append(d.list, a)
	}
}

func (f *fill) isConstant() bool { return f.value != nil && f.element == nil }

// isNeutral reports whether the fold by an operation starts with the value.
func (f *fill) isNeutral(fold string) bool {
	v, _ := asFloat(f.value)
	return (fold == "+" || fold == "-") && v == 0 || fold == "*" && v == 1
}

// reads reports whether a tree has a tensor as a leaf.
func (t *Tree) reads(r *real) bool {
	found := false
	t.walk(func(n *Tree) { found = found || n.real == r })
	return found
}

// inputs lists the tensors whose old values an assignment reads.
func (a *assignment) inputs(fresh bool) []*real {
	var list []*real
	add := func(r *real) {
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	if a.part != nil {
		return a.part.reads
	}
	if a.fold != "" && !a.fresh && !fresh || a.fill != nil && a.fill.element != nil {
		add(a.real)
	}
	if a.value != nil {
		a.value.walk(func(n *Tree) {
			if n.real != nil {
				add(n.real)
			}
		})
	}
	return list
}

// make builds the function. outputs are what codegen lists, or empty.
func (d *definition) make(outputs []syntax.Name) *lang.Def {
	d.f = &ein.Func{Pos: d.pos, Name: d.name}
	d.roles(outputs)
	for _, a := range d.list {
		d.f.Body = append(d.f.Body, d.lowering.comprehension(a, d.fresh[a]))
		d.f.Direct = d.f.Direct || a.part != nil && a.part.of.call.Def.Func.Direct
		for _, c := range a.ranges.conditions {
			if !slices.ContainsFunc(d.f.Requires, func(other *ein.Condition) bool { return other.Expr.Equal(c.Expr) }) {
				d.f.Requires = append(d.f.Requires, c)
			}
		}
	}
	d.sizes()
	return d.describe()
}

// roles decides what is an argument, a result and a temporary, and declares the tensors.
func (d *definition) roles(outputs []syntax.Name) {
	assigned, written, role := map[*real]bool{}, map[*real]bool{}, map[*real]ein.Role{}
	for _, a := range d.list {
		for _, r := range a.targets() {
			assigned[r] = true
		}
	}
	needsOld := func(r *real) {
		if role[r] = ein.Input; assigned[r] {
			role[r] = ein.InOut
		}
	}
	var order []*real
	see := func(r *real) {
		if !slices.Contains(order, r) {
			order = append(order, r)
		}
	}
	last := map[*real]int{}
	for n, a := range d.list {
		for _, r := range a.inputs(d.fresh[a]) {
			if see(r); !written[r] {
				d.available(r, a)
				needsOld(r)
			}
			if r != a.real && !a.isInside(r) {
				last[r] = n
			}
		}
		for _, r := range a.targets() {
			if see(r); !a.whole && !written[r] {
				needsOld(r)
			}
			if _, known := role[r]; !known {
				role[r] = ein.Temp
			}
			written[r], last[r] = true, -1
		}
	}
	for r, n := range last {
		if n < 0 && role[r] == ein.Temp && len(outputs) == 0 && !d.isHelper(r) {
			role[r] = ein.Output
		}
	}
	for _, o := range outputs {
		r := d.in.reals[o.Name]
		if r == nil || !assigned[r] {
			d.in.fail(source.CodeTeMLCodegen, o.Pos, "%s is not assigned in %s", o.Name, d.name).help("list tensors that the loops assign")
		}
		if role[r] == ein.Temp {
			role[r] = ein.Output
		}
	}
	d.declare(order, role, outputs)
}

// isHelper reports whether a tensor was made for a sum inside of an expression.
func (d *definition) isHelper(r *real) bool {
	return r.hidden || slices.ContainsFunc(d.list, func(a *assignment) bool {
		return slices.ContainsFunc(a.before, func(b *assignment) bool { return b.real == r })
	})
}

// available reports a tensor whose assignment the function lacks.
func (d *definition) available(r *real, reader *assignment) {
	for _, a := range d.in.assignments {
		if a == reader {
			return
		}
		if a.real == r && r == reader.real && a.fill == nil && !slices.Contains(d.list, a) {
			d.in.fail(source.CodeTeMLCodegen, d.pos, "the loops continue %s, but do not compute what it has before", r.name).
				note(a.pos, "%s is assigned here", r.name).help("give that assignment a name of its own, and list its loops too: first = @%s: …, l = build(first)", r.name)
		}
		if a.writes(r) && a.fill == nil && !slices.Contains(d.list, a) {
			d.in.fail(source.CodeTeMLCodegen, d.pos, "the loops compute %s of %s, but not %s itself", reader.real.name, r.name, r.name).
				note(a.pos, "%s is assigned here", r.name).help("build loops for %s too, and list them: l = build(%s)", r.name, r.name)
		}
	}
}

// declare adds the tensors: inputs, results and temporaries, each in the order of the program, but
// results that codegen lists first, in its order.
func (d *definition) declare(order []*real, role map[*real]ein.Role, outputs []syntax.Name) {
	rank := func(r *real) int {
		at := slices.IndexFunc(outputs, func(o syntax.Name) bool { return d.in.reals[o.Name] == r })
		if at < 0 || role[r] == ein.Input || role[r] == ein.Temp {
			return len(outputs)
		}
		return at
	}
	groups := []func(ein.Role) bool{
		func(r ein.Role) bool { return r == ein.Input },
		func(r ein.Role) bool { return r == ein.InOut || r == ein.Output },
		func(r ein.Role) bool { return r == ein.Temp },
	}
	slices.SortStableFunc(order, func(x, y *real) int {
		return cmp.Or(rank(x)-rank(y), x.pos.Start-y.pos.Start)
	})
	for _, belongs := range groups {
		for _, r := range order {
			if belongs(role[r]) {
				t := d.lowering.tensor(r)
				t.Role = role[r]
				d.f.Tensors = append(d.f.Tensors, t)
			}
		}
	}
}

// sizes declares the sizes that the function uses.
func (d *definition) sizes() {
	used := map[string]bool{}
	for _, t := range d.f.Tensors {
		for _, dim := range t.Dims {
			dim.Extent.Symbols(used)
		}
	}
	for _, c := range d.f.Requires {
		c.Expr.Symbols(used)
	}
	for _, c := range d.f.Body {
		for _, i := range c.Indices {
			i.Min.Symbols(used)
			i.Extent.Symbols(used)
		}
		for _, v := range c.Values {
			ein.Walk(v, func(e ein.Expr) bool {
				if ref, ok := e.(*ein.SizeRef); ok {
					ref.Size.Symbols(used)
				}
				return true
			})
		}
	}
	for _, s := range d.in.sizeOrder {
		if used[s.name] {
			d.f.Sizes = append(d.f.Sizes, &ein.Size{Pos: s.pos, Name: s.name})
		}
	}
	d.f.FindOrigins()
}

// describe returns the def with its ranges, by the iterators of the program.
func (d *definition) describe() *lang.Def {
	def := &lang.Def{Name: d.name, Pos: d.pos, Func: d.f, Tensors: d.f.Tensors}
	for n, a := range d.list {
		s := &lang.Statement{Pos: a.pos}
		for k, i := range d.f.Body[n].Indices {
			s.Indices = append(s.Indices, lang.Index{Pos: a.pos, Name: a.order[k], Min: i.Min, Extent: i.Extent, Combine: i.Combine.Kind})
		}
		def.Statements = append(def.Statements, s)
	}
	return def
}

// nameOfFile is the name of the function that codegen without a name makes.
func nameOfFile(file *source.File) string {
	base := strings.TrimSuffix(filepath.Base(file.Name), filepath.Ext(file.Name))
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, base)
	if name == "" || !affine.IsWord(name) {
		name = "teml_" + name
	}
	return name
}
