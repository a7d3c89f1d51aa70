package guard

import (
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// lowering is the state of one function's way to TeIL.
type lowering struct {
	f           *ein.Func
	sizes       *affine.Facts // what a call has tested
	program     *syntax.Program
	names       map[*ein.Tensor]string
	taken       map[string]bool
	obligations []obligation
	places      []func(*affine.Facts) bool // whether subscripts that are gathered are places, where sizes are known to be so
	folds       map[*ein.Operator]*syntax.Fold
	complete    map[*ein.Operator]*ein.Operator // those without an identity, with one
}

// lower makes a TeIL program of a function.
func lower(f *ein.Func) (*lowering, error) {
	l := &lowering{
		f: f, sizes: sizeFacts(f, f.Requires), names: map[*ein.Tensor]string{}, taken: map[string]bool{},
		folds: map[*ein.Operator]*syntax.Fold{}, complete: map[*ein.Operator]*ein.Operator{},
		program: &syntax.Program{Pos: f.Pos, Name: syntax.Name{Pos: f.Pos, Name: word(f.Name)}},
	}
	for _, s := range f.Sizes {
		l.taken[s.Name] = true
	}
	for _, s := range f.Sizes {
		if t := s.Tensor; t != nil && s.Dim == ein.ScalarValue && t.Role == ein.Input {
			if l.names[t] = s.Name; word(s.Name) != s.Name { // as a size and as a scalar it has one name
				l.names[t] = l.fresh(s.Name)
			}
		}
	}
	for _, t := range f.Tensors {
		for _, d := range t.Dims {
			if !l.sizes.Proves(d.Extent.AddConst(-1)) && l.mayBeEmpty(d.Extent) {
				return nil, missing(emptyDimension, t.Pos)
			}
		}
		if l.names[t] == "" {
			l.names[t] = l.fresh(t.Name)
		}
		l.allocate(t.Pos, l.names[t], t.Type, extents(t), marks[t.Role])
	}
	for _, c := range f.Body {
		s := &statement{lowering: l, c: c, locals: map[*ein.Local]value{}, values: map[*ein.Local]ein.Expr{}, path: ein.Alternatives{nil}}
		if err := s.lower(); err != nil {
			return nil, err
		}
		for _, written := range l.program.Statements {
			if op := unknown(written.Value); op != nil {
				return nil, &inexpressible{construct: missingOperation, pos: op.Pos, detail: op.Op.Name}
			}
		}
	}
	for _, t := range f.ByRole(ein.InOut) { // TeIL wants them assigned
		if !writes(f, t) {
			l.assign(t.Pos, l.names[t], l.variable(t.Pos, t))
		}
	}
	if pos, hidden := l.hiddenSize(); hidden {
		return nil, missing(hiddenSize, pos)
	}
	return l, nil
}

// hiddenSize finds where the program uses a size that its text does not declare, since it is
// given by its name alone.
func (l *lowering) hiddenSize() (source.Span, bool) {
	known := map[string]bool{}
	for _, s := range l.f.Sizes {
		known[s.Name] = s.Tensor != nil && s.Dim == ein.ScalarValue && s.Tensor.Role == ein.Input
	}
	for _, a := range l.program.Allocs {
		for _, d := range a.Dims {
			if a.Mark != syntax.Unmarked { // a local declares no size
				d.Value.Symbols(known)
			}
		}
	}
	var found []source.Span
	visit := func(sizes []syntax.Size) {
		for _, a := range sizes {
			used := map[string]bool{}
			a.Value.Symbols(used)
			for name := range used {
				if !known[name] {
					found = append(found, a.Pos)
				}
			}
		}
	}
	for _, a := range l.program.Allocs {
		visit(a.Dims)
	}
	for _, s := range l.program.Statements {
		syntax.Walk(s.Value, func(e syntax.Expr) {
			if o, ok := e.(*syntax.Operation); ok {
				visit(o.Args)
			}
		})
	}
	if len(found) == 0 {
		return source.Span{}, false
	}
	return found[0], true
}

// readable returns the program with the names of its scalars for the sizes that are their values.
func (l *lowering) readable() *syntax.Program {
	names := map[string]affine.Expr{}
	for _, s := range l.f.Sizes {
		if t := s.Tensor; t != nil && s.Dim == ein.ScalarValue && l.names[t] != s.Name {
			names[s.Name] = affine.Symbol(l.names[t])
		}
	}
	if len(names) == 0 {
		return l.program
	}
	return withSizes(l.program, func(x affine.Expr) affine.Expr { return x.Subst(names) })
}

func writes(f *ein.Func, t *ein.Tensor) bool {
	return slices.ContainsFunc(f.Body, func(c *ein.Comprehension) bool {
		return slices.ContainsFunc(c.Writes, func(w *ein.Write) bool { return w.Tensor == t })
	})
}

var marks = map[ein.Role]syntax.Mark{ein.Input: syntax.In, ein.Output: syntax.Out, ein.InOut: syntax.InOut, ein.Temp: syntax.Unmarked}

// mayBeEmpty reports whether the program allows an extent to be 0.
func (l *lowering) mayBeEmpty(extent affine.Expr) bool {
	for _, s := range l.f.Sizes {
		if s.MayBeZero && extent.Uses(s.Name) {
			return true
		}
	}
	return false
}

func (l *lowering) allocate(pos source.Span, name string, t tensor.DType, dims []affine.Expr, mark syntax.Mark) {
	a := &syntax.Alloc{Pos: pos, Name: syntax.Name{Pos: pos, Name: name}, Type: &syntax.Name{Pos: pos, Name: t.String()}, Mark: mark, MarkPos: pos}
	for _, d := range dims {
		a.Dims = append(a.Dims, syntax.Size{Pos: pos, Value: d})
	}
	l.program.Allocs = append(l.program.Allocs, a)
}

func (l *lowering) assign(pos source.Span, name string, e syntax.Expr) {
	l.program.Statements = append(l.program.Statements, &syntax.Statement{Pos: pos, Targets: []syntax.Name{{Pos: pos, Name: name}}, Value: e})
}

func (l *lowering) variable(pos source.Span, t *ein.Tensor) *syntax.Var {
	return &syntax.Var{Pos: pos, Name: l.names[t]}
}

// word makes a name of TeIL: letters, digits and _, and no word of the language.
func word(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
	if _, operation := syntax.Lookup(name); operation || keyword[name] {
		return name + "_"
	}
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
}

var keyword = map[string]bool{"alloc": true, "param": true, "def": true, "in": true, "out": true, "inout": true, "id": true, "direct": true, "fold": true}
