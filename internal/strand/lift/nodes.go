package lift

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// A node is a number of a point.
type node struct {
	local *ein.Local // by which the values of other nodes name it
	// value is over the locals of nodes before it; nil if it is in a tensor from the beginning.
	value ein.Expr
	// It is an element of a tensor, if there is one, at the indices behind that of the point.
	tensor   *ein.Tensor
	perPoint bool // it may differ from point to point
	at       []int
	size     ein.Expr // instead: a size, or what is given to a Scalar
	root     *node    // the only stored one that needs it, while store.go finds out
}

func (l *lifter) add(n *node, t tensor.DType) *node {
	n.local = &ein.Local{Name: fmt.Sprint("v", len(l.nodes)), DType: t}
	if n.value != nil {
		l.operands(n, func(o *node) { n.perPoint = n.perPoint || o.perPoint })
	}
	l.nodes = append(l.nodes, n)
	l.of[n.local] = n
	return n
}

// stored is a node that is an element of a tensor.
func (l *lifter) stored(d tensor.DType, t *ein.Tensor, perPoint bool, at ...int) *node {
	return l.add(&node{tensor: t, perPoint: perPoint, at: at}, d)
}

// run executes statements.
func (l *lifter) run(b strand.Block) error {
	for _, s := range b {
		if err := l.stmt(s); err != nil {
			return err
		}
	}
	return nil
}

func (l *lifter) stmt(s strand.Stmt) error {
	switch s := s.(type) {
	case *strand.Assign:
		v, err := l.value(s.Value, s.Pos)
		if err != nil {
			return err
		}
		l.assign(s.To, v)
		return nil
	case *strand.If:
		return l.choose(s)
	case *strand.Sample:
		return l.sample(s)
	case *strand.Eigen:
		for _, step := range s.Steps(l.p.Real) {
			if err := l.stmt(step); err != nil {
				return err
			}
		}
		return nil
	}
	return impure(s)
}

// impure says why a statement cannot be lifted.
func impure(s strand.Stmt) error {
	switch s := s.(type) {
	case *strand.ForRange:
		return &NotPure{s.Pos, "a loop"}
	case *strand.ForEach:
		return &NotPure{s.Pos, "a loop"}
	case *strand.Build:
		return &NotPure{s.Pos, "a sequence of any length"}
	case *strand.Length:
		return &NotPure{s.Pos, "a sequence of any length"}
	case *strand.Element:
		return &NotPure{s.Pos, "an element that is chosen by a variable"}
	case *strand.Message:
		return &NotPure{s.Pos, "print"}
	case *strand.Exit:
		return &NotPure{s.Pos, "an end before the last statement"}
	case *strand.Query, *strand.Get, *strand.Count, *strand.Reduce, *strand.New, *strand.AllExit:
		return &NotPure{What: "a statement about other strands"}
	}
	return source.Internalf("strand/lift", source.Span{}, "a statement is a %T", s)
}

// assign makes a local what a value is. A value that is a node is that node.
func (l *lifter) assign(to *ein.Local, v ein.Expr) {
	if r, ok := v.(*ein.LocalRef); ok && l.of[r.Local] != nil {
		l.now[to] = l.of[r.Local]
		return
	}
	l.now[to] = l.add(&node{value: v}, to.DType)
}

// value has nodes for the variables of an expression.
func (l *lifter) value(e ein.Expr, pos source.Span) (ein.Expr, error) {
	bound := map[*ein.Local]bool{}
	ein.Walk(e, func(e ein.Expr) bool {
		if let, ok := e.(*ein.Let); ok {
			bound[let.Var] = true
		}
		return true
	})
	var failed error
	result := ein.Map(e, func(e ein.Expr) ein.Expr {
		r, ok := e.(*ein.LocalRef)
		if !ok || bound[r.Local] {
			return e
		}
		n := l.now[r.Local]
		if n == nil {
			failed = &NotPure{pos, r.Local.Name + ", which has no value here,"}
			return e
		}
		return &ein.LocalRef{Pos: r.Pos, Local: n.local}
	})
	return result, failed
}

// choose executes both blocks, and selects what they leave.
func (l *lifter) choose(s *strand.If) error {
	cond, err := l.value(s.Cond, s.Pos)
	if err != nil {
		return err
	}
	test := l.add(&node{value: cond}, tensor.Bool)
	before := l.now
	var after [2]map[*ein.Local]*node
	for n, block := range []strand.Block{s.Then, s.Else} {
		l.now = map[*ein.Local]*node{}
		for local, v := range before {
			l.now[local] = v
		}
		if err := l.run(block); err != nil {
			return err
		}
		after[n] = l.now
	}
	l.now = before
	for _, to := range assigned(s) {
		yes, no := after[0][to], after[1][to]
		switch {
		case yes == nil || no == nil: // it has a value on one way only, so it is not used behind
			delete(l.now, to)
		case yes == no:
			l.now[to] = yes
		default:
			l.assign(to, &ein.Select{Pos: s.Pos, Cond: &ein.LocalRef{Local: test.local}, Then: &ein.LocalRef{Local: yes.local}, Else: &ein.LocalRef{Local: no.local}})
		}
	}
	return nil
}

// assigned are the locals that a conditional may set, in the order of the text.
func assigned(s *strand.If) []*ein.Local {
	var list []*ein.Local
	seen := map[*ein.Local]bool{}
	set := func(l *ein.Local) {
		if !seen[l] {
			seen[l] = true
			list = append(list, l)
		}
	}
	for _, block := range []strand.Block{s.Then, s.Else} {
		for _, s := range block {
			switch s := s.(type) {
			case *strand.Assign:
				set(s.To)
			case *strand.Sample:
				for _, c := range s.Wanted {
					set(c.To)
				}
			case *strand.Eigen:
				for _, to := range slices.Concat(s.Values, s.Vectors) {
					set(to)
				}
			case *strand.If:
				for _, to := range assigned(s) {
					set(to)
				}
			}
		}
	}
	return list
}
