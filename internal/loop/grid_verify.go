package loop

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// grid checks a grid: its axes, its local memory, who meets where, and its body as that of a nest of loops over all items of
// all groups, so that bounds are proved with what is known of loops.
func (v *verifier) grid(s *Grid) {
	v.require(v.inGrid == nil && v.parallel == 0, "a grid inside of a grid, or of a parallel loop")
	v.require(len(s.Groups) >= 1 && len(s.Groups) <= MostAxes && len(s.Items) >= 1 && len(s.Items) <= MostAxes, "a grid has %d axes of groups and %d of items, and each are 1 to %d", len(s.Groups), len(s.Items), MostAxes)
	for _, a := range s.Groups {
		v.require(v.expr(a.Count) == Scalar(tensor.Int64), "the groups of a grid are no int64")
	}
	for _, a := range s.Items {
		v.require(a.Count >= 1 && a.Count <= 1<<20, "a group has %d items along %s", a.Count, a.Var.Name)
	}
	v.require(s.Width == 0 || isLanes(int(s.Width)) && s.GroupItems()%s.Width == 0, "a group of %d items has sub-groups of %d", s.GroupItems(), s.Width)
	for _, b := range s.Local {
		_, isLive := v.live[b]
		v.require(v.listed[b] && b.Region == Local && !isLive, "%s is no local buffer of this grid alone", b.Name)
		v.live[b] = v.parallel
	}
	newUniformity(v, s).block(s.Body, groups)
	v.inGrid, v.updated = s, map[*Buffer]ein.BinaryOp{}
	v.block([]Stmt{s.asLoops()})
	v.inGrid = nil
	for _, b := range s.Local { // none is live in another grid
		delete(v.live, b)
		delete(v.listed, b)
	}
}

// asLoops is a grid as serial loops over its groups and items.
func (g *Grid) asLoops() Stmt {
	body := g.Body
	for i := len(g.Items) - 1; i >= 0; i-- {
		body = []Stmt{&For{Var: g.Items[i].Var, Lo: Int(0), Hi: Int(g.Items[i].Count), Step: 1, Body: body}}
	}
	for i := len(g.Groups) - 1; i >= 0; i-- {
		body = []Stmt{&For{Var: g.Groups[i].Var, Lo: Int(0), Hi: g.Groups[i].Count, Step: 1, Body: body}}
	}
	return body[0]
}

// onHost checks what stands around the grids of a program: it touches no memory.
func (v *verifier) onHost(body []Stmt) {
	for _, s := range body {
		switch s := s.(type) {
		case *Grid:
			continue
		case *For:
			v.require(s.Kind == Serial, "the %s loop over %s is around or beside grids", kindNames[s.Kind], s.Var.Name)
		case *If, *Let, *Comment:
		default:
			v.fail("%s is around or beside grids, where nothing touches memory", headText(s))
		}
		for _, e := range StmtExprs(s) {
			WalkExpr(e, Visitor{Expr: func(e Expr) {
				v.require(ExprBuffer(e) == nil, "%s is around or beside grids, and reads memory", headText(s))
			}})
		}
		for _, inner := range StmtBodies(s) {
			v.onHost(inner)
		}
	}
}

// inside checks that a statement is one of those that items run.
func (v *verifier) inside(s Stmt) {
	switch s := s.(type) {
	case *EndRow, *Transpose, *Multiply, *Turn:
		v.fail("%s is inside of a grid", headText(s))
	case *For:
		v.require(s.Kind != Parallel, "a parallel loop over %s is inside of a grid, whose items are parallel", s.Var.Name)
	case *Alloc:
		v.require(s.Buffer.Region == Private || s.Buffer.Region == Register, "an item of a grid allocates %s in region %s", s.Buffer.Name, regionNames[s.Buffer.Region])
	case *Store:
		v.require(s.Row == nil, "a store of a row to %s is inside of a grid", s.Buffer.Name)
	}
}

// A Capacity is what a device has for a group; 0 is not known.
type Capacity struct {
	Local  int64           // bytes of local memory
	Items  int64           // of a group
	Along  [MostAxes]int64 // items of a group along x, y and z
	Groups [MostAxes]int64 // of a grid along x, y and z
}

// A TooLargeError says what grids need more of than a device has.
type TooLargeError struct{ Message string }

func (e *TooLargeError) Error() string { return e.Message }

// VerifyFor is Verify, and checks that grids fit a device, as far as their sizes are known: a TooLargeError is in the error of those
// that do not.
func VerifyFor(f *Func, c Capacity) error {
	if err := Verify(f); err != nil {
		return err
	}
	if large := c.exceeded(f); large != nil {
		return source.Internalf("loop verifier", source.Span{}, "%s: %w", f.Name, large)
	}
	return nil
}

// exceeded is what the first grid that does not fit needs, or nil.
func (c Capacity) exceeded(f *Func) (large *TooLargeError) {
	require := func(ok bool, format string, args ...any) {
		if !ok && large == nil {
			large = &TooLargeError{fmt.Sprintf(format, args...)}
		}
	}
	for _, g := range Grids(f) {
		require(c.Local == 0 || g.LocalBytes() <= c.Local, "a group takes %d bytes of local memory, of which there are %d", g.LocalBytes(), c.Local)
		require(c.Items == 0 || g.GroupItems() <= c.Items, "a group has %d items, of at most %d", g.GroupItems(), c.Items)
		for i := range g.Items {
			a := g.Items[len(g.Items)-1-i]
			require(c.Along[i] == 0 || a.Count <= c.Along[i], "a group has %d items along %s, of at most %d", a.Count, a.Var.Name, c.Along[i])
		}
		l, known := Launch{}, true
		for _, a := range g.Groups {
			n, constant := a.Count.(*Const)
			if known = known && constant; known {
				l.Groups = append(l.Groups, int64(n.Bits))
			}
		}
		for i, n := range l.Dimensions(g) {
			require(!known || c.Groups[i] == 0 || n <= c.Groups[i], "a grid has %d groups along %c, of at most %d", n, "xyz"[i], c.Groups[i])
		}
	}
	return large
}
