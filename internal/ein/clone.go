package ein

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
)

// Clone returns a deep copy: its sizes, tensors, indices, locals and operators
// are new objects that refer only to each other.
func (f *Func) Clone() *Func { return f.Substitute(nil) }

// Substitute returns a deep copy in which sizes are replaced by expressions over
// other sizes, in every extent, condition and value. Sizes without an entry stay;
// the replaced ones stay declared. A SizeRef that becomes a number becomes a Const.
func (f *Func) Substitute(env map[string]affine.Expr) *Func {
	return newCopier(func(e affine.Expr) affine.Expr {
		if len(env) == 0 {
			return e
		}
		return e.Subst(env)
	}).function(f)
}

// A copier makes deep copies. The maps give every shared object one copy, so
// that identity by pointer survives; extent rewrites every size expression.
type copier struct {
	extent    func(affine.Expr) affine.Expr
	tensors   map[*Tensor]*Tensor
	indices   map[*Index]*Index
	locals    map[*Local]*Local
	operators map[*Operator]*Operator
}

func newCopier(extent func(affine.Expr) affine.Expr) *copier {
	return &copier{
		extent: extent, tensors: map[*Tensor]*Tensor{}, indices: map[*Index]*Index{},
		locals: map[*Local]*Local{}, operators: map[*Operator]*Operator{},
	}
}

func (c *copier) function(f *Func) *Func {
	g := &Func{Pos: f.Pos, Name: f.Name, Direct: f.Direct, SaysOrEmpty: f.SaysOrEmpty, Remarks: slices.Clone(f.Remarks)}
	for _, t := range f.Tensors {
		g.Tensors = append(g.Tensors, c.tensor(t))
	}
	for _, s := range f.Sizes {
		size := *s
		size.Tensor = c.tensor(s.Tensor)
		g.Sizes = append(g.Sizes, &size)
	}
	for _, r := range f.Requires {
		g.Requires = append(g.Requires, &Condition{Pos: r.Pos, Expr: c.extent(r.Expr), Reason: r.Reason})
	}
	for _, s := range f.Body {
		g.Body = append(g.Body, c.comprehension(s))
	}
	return g
}

func (c *copier) tensor(t *Tensor) *Tensor {
	if t == nil {
		return nil
	}
	if copied, ok := c.tensors[t]; ok {
		return copied
	}
	copied := *t
	c.tensors[t] = &copied
	copied.Dims = make([]Dim, len(t.Dims))
	for i, d := range t.Dims {
		copied.Dims[i] = Dim{Min: c.extent(d.Min), Extent: c.extent(d.Extent)}
	}
	return &copied
}

func (c *copier) comprehension(s *Comprehension) *Comprehension {
	copied := &Comprehension{Pos: s.Pos, Accumulate: c.operator(s.Accumulate)}
	for _, i := range s.Indices {
		copied.Indices = append(copied.Indices, c.index(i))
	}
	for _, w := range s.Writes {
		copied.Writes = append(copied.Writes, &Write{Pos: w.Pos, Tensor: c.tensor(w.Tensor), Subscripts: c.exprs(w.Subscripts)})
	}
	copied.Values = c.exprs(s.Values)
	return copied
}

func (c *copier) index(i *Index) *Index {
	if copied, ok := c.indices[i]; ok {
		return copied
	}
	copied := *i
	c.indices[i] = &copied
	copied.Min, copied.Extent = c.extent(i.Min), c.extent(i.Extent)
	copied.Combine.Op = c.operator(i.Combine.Op)
	return &copied
}

func (c *copier) operator(o *Operator) *Operator {
	if o == nil {
		return nil
	}
	if copied, ok := c.operators[o]; ok {
		return copied
	}
	copied := *o
	c.operators[o] = &copied
	copied.Left, copied.Right = c.localList(o.Left), c.localList(o.Right)
	copied.Body, copied.Identity = c.exprs(o.Body), c.exprs(o.Identity)
	return &copied
}

func (c *copier) localList(list []*Local) []*Local {
	copied := make([]*Local, len(list))
	for i, l := range list {
		copied[i] = c.local(l)
	}
	return copied
}

func (c *copier) local(l *Local) *Local {
	if copied, ok := c.locals[l]; ok {
		return copied
	}
	copied := *l
	c.locals[l] = &copied
	return &copied
}

// exprs copies a list; nil stays nil, because an Operator without Identity is
// not one with an empty one.
func (c *copier) exprs(list []Expr) []Expr {
	if list == nil {
		return nil
	}
	return mapList(list, c.node)
}

// node replaces what a node refers to; Map has already copied the nodes with
// children, but not the leaves.
func (c *copier) node(e Expr) Expr {
	switch e := e.(type) {
	case *Const:
		copied := *e
		return &copied
	case *IndexRef:
		return &IndexRef{Pos: e.Pos, Index: c.index(e.Index)}
	case *SizeRef:
		size := c.extent(e.Size)
		if n, ok := size.IsConst(); ok {
			if _, was := e.Size.IsConst(); !was {
				return &Const{Pos: e.Pos, DType: e.Type(), Bits: uint64(n)}
			}
		}
		return &SizeRef{Pos: e.Pos, Size: size}
	case *LocalRef:
		return &LocalRef{Pos: e.Pos, Local: c.local(e.Local)}
	case *Access:
		e.Tensor = c.tensor(e.Tensor)
	case *Let:
		e.Var = c.local(e.Var)
	}
	return e
}
