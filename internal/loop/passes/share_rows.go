package passes

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How the rows of a window are read once
//
// A tile of windows reads the rows i + r of an image: for each element r of a filter, written out, those of
// all points i. A compiler that sees R·I loads of R + I - 1 different vectors keeps some of them in registers, and
// reads the others several times, most of which straddle two lines. So the loop over r, and that over i inside of
// it, become one over the rows, in which a row is read once, for all points whose windows it lies in:
//
//	for row = 0 .. R+I-1: x = X[row]; for i = 0 .. I: if 0 <= row-i < R: sum[i] += x * w[row-i]
//
// Each sum adds up the same products in the same order. What the filter has for all points is read, and repeated in
// all lanes, before the rows, so that R registers hold it. A target is asked to leave both where they are (Store.Kept).
// A filter of 5 x 5 on 224² floats takes 0.76 of the time, on 4096² 0.86, 3 x 3 x 3 in three dimensions 0.68.
//
// Where a filter has a single column, each row comes from afar, once, and a compiler's order is as good (7 x 1 on 1000²
// floats would take 1.08 of the time).

func shareRows(p *pass) { p.f.Body = p.shareRows(p.f.Body, false) }

// shareRows does so in statements and all that is inside of them; columns says whether these are in a loop inside of
// that over tiles.
func (p *pass) shareRows(list []loop.Stmt, columns bool) (out []loop.Stmt) {
	for _, s := range list {
		inside := columns
		switch s := s.(type) {
		case *loop.For:
			if w, ok := windowOf(s); ok && columns {
				out = append(out, p.rows(w)...)
				continue
			}
			inside = true
		case *loop.Alloc:
			inside = columns && s.Buffer.Region != loop.Register
		}
		loop.ReplaceBodies(s, func(body []loop.Stmt) []loop.Stmt { return p.shareRows(body, inside) })
		out = append(out, s)
	}
	return out
}

// A rowWindow is a loop over the elements of a filter around others, one of them over points, all written out, in
// which sums of registers are updated.
type rowWindow struct {
	elements *loop.For
	loops    []*loop.For // inside of that
	points   *loop.For   // one of them
	stores   []*loop.Store
	step     int64                 // rows from point to point
	rows     map[string]*loop.Load // what is read of rows, by text
	order    []string              // of their texts
	taps     []loop.Expr           // vectors that depend on the element alone
}

// windowOf recognises a window in a loop.
func windowOf(s *loop.For) (w *rowWindow, ok bool) {
	w = &rowWindow{elements: s, rows: map[string]*loop.Load{}}
	products, body := int64(1), []loop.Stmt{s}
	for len(body) == 1 {
		inner, isLoop := body[0].(*loop.For)
		if !isLoop {
			break
		}
		if !inner.FromZero() || products > loop.MostProducts {
			return nil, false
		}
		products *= inner.Iterations()
		w.loops, body = append(w.loops, inner), inner.Body
	}
	for _, s := range body {
		store, isStore := s.(*loop.Store)
		if !isStore {
			return nil, false
		}
		w.stores = append(w.stores, store)
	}
	if len(w.loops) < 2 {
		return nil, false
	}
	w.loops = w.loops[1:]
	for _, points := range w.loops {
		if w.points = points; w.updates() && len(w.order) > 0 {
			return w, !slices.ContainsFunc(w.loops, w.sharesRows) && w.apart()
		}
	}
	return nil, false
}

// updates reports whether all stores update sums by vectors of rows and what does not depend on the point, which it
// notes.
func (w *rowWindow) updates() bool {
	w.rows, w.order, w.taps, w.step = map[string]*loop.Load{}, nil, nil, 0
	for _, s := range w.stores {
		if s.Buffer.Region != loop.Register || s.Mask != nil || mentions(s.Index, w.elements) || !w.reads(s.Value, s) {
			return false
		}
	}
	return true
}

// reads notes what an expression that is stored reads of rows and of the filter.
func (w *rowWindow) reads(e loop.Expr, s *loop.Store) bool {
	if loop.ConditionOf(e) != nil { // rows that a border leaves out do not exist
		return !mentions(e, w.elements, w.points)
	}
	switch e := e.(type) {
	case *loop.Load:
		switch {
		case e.Buffer == s.Buffer:
			apart, known := loop.Distance(e.Index, s.Index)
			return known && apart == 0
		case e.Lanes > 1 && e.Index.Type().Lanes == 1 && mentions(e, w.elements) && mentions(e, w.points):
			return w.row(e)
		}
		return !mentions(e, w.points)
	case *loop.Broadcast:
		if mentions(e, w.elements) && !mentions(e, w.loops...) {
			if !slices.ContainsFunc(w.taps, func(t loop.Expr) bool { return loop.ExprText(t) == loop.ExprText(e) }) {
				w.taps = append(w.taps, e)
			}
			return true
		}
	}
	return !slices.ContainsFunc(loop.Children(e), func(x loop.Expr) bool { return !w.reads(x, s) })
}

// mentions reports whether an expression names the variable of one of some loops.
func mentions(e loop.Expr, loops ...*loop.For) bool {
	bound := map[*loop.Var]bool{}
	for _, f := range loops {
		bound[f.Var] = true
	}
	return loop.Mentions(e, bound)
}

// row notes a load of a row, and reports whether it is one: the next element of the filter reads the next row, and
// the next point one that is some rows further, which the filter reaches.
func (w *rowWindow) row(e *loop.Load) bool {
	if e.Buffer.Region == loop.Register || e.Mask != nil && mentions(e.Mask, w.elements, w.points) {
		return false
	}
	r, known := coefficient(e.Index, w.elements.Var)
	i, alsoKnown := coefficient(e.Index, w.points.Var)
	if !known || !alsoKnown || r == 0 || i%r != 0 || i/r < 1 || i/r > w.elements.Iterations() || w.step != 0 && w.step != i/r {
		return false
	}
	w.step = i / r
	if text := loop.ExprText(e); w.rows[text] == nil {
		w.rows[text] = e
		w.order = append(w.order, text)
	}
	return true
}

// coefficient returns by how much an expression grows with a variable, where that is a number.
func coefficient(e loop.Expr, v *loop.Var) (n int64, known bool) {
	at := func(value loop.Expr) loop.Expr {
		return (&loop.Substitution{Values: map[*loop.Var]loop.Expr{v: value}, NewVar: loop.SameVar}).Expr(e)
	}
	next, here := at(&loop.Binary{Op: ein.Add, X: &loop.VarRef{Var: v}, Y: loop.Int(1)}), at(&loop.VarRef{Var: v})
	if next == nil || here == nil {
		return 0, false
	}
	return loop.Distance(next, here)
}

// apart reports whether every iteration of the loops updates a sum of its own.
func (w *rowWindow) apart() bool {
	type sum struct {
		buffer *loop.Buffer
		at     int64
	}
	reached := map[sum]bool{}
	for _, s := range w.stores {
		start, known := loop.Distance(s.Index, w.stores[0].Index)
		places := []int64{start}
		for _, f := range w.loops {
			c, linear := coefficient(s.Index, f.Var)
			known = known && linear
			var next []int64
			for v := range f.Iterations() {
				for _, at := range places {
					next = append(next, at+c*v)
				}
			}
			places = next
		}
		for _, at := range places {
			if !known || reached[sum{s.Buffer, at}] {
				return false
			}
			reached[sum{s.Buffer, at}] = true
		}
	}
	return true
}

// rows makes the loop over the rows of a window.
func (p *pass) rows(w *rowWindow) []loop.Stmt {
	elements := w.elements.Iterations()
	if elements > loop.MostTaps {
		w.taps = nil
	}
	row := p.fresh.Var("row", loop.Scalar(tensor.Int64))
	element := loop.Expr(&loop.VarRef{Var: w.points.Var})
	if w.step > 1 {
		element = &loop.Binary{Op: ein.Mul, X: element, Y: loop.Int(w.step)}
	}
	element = &loop.Binary{Op: ein.Sub, X: &loop.VarRef{Var: row}, Y: element}
	of := p.registersOf(w, element)
	sub := &loop.Substitution{Values: map[*loop.Var]loop.Expr{w.elements.Var: element}, NewVar: loop.SameVar, Whole: func(e loop.Expr) loop.Expr {
		return of[loop.ExprText(e)]
	}}
	var updates []loop.Stmt
	for _, s := range w.stores {
		updates = append(updates, &loop.Store{Buffer: s.Buffer, Index: s.Index, Value: sub.Expr(s.Value)})
	}
	// The loop is written out, so that this compares numbers.
	inside := &loop.Binary{Op: ein.And, X: &loop.Binary{Op: ein.Ge, X: element, Y: loop.Int(0)}, Y: &loop.Binary{Op: ein.Lt, X: element, Y: loop.Int(elements)}}
	body := []loop.Stmt{&loop.If{Cond: inside, Then: updates}}
	around := func(f *loop.For) {
		body = []loop.Stmt{&loop.For{Var: f.Var, Lo: f.Lo, Hi: f.Hi, Step: 1, Kind: loop.Unrolled, Body: body}}
	}
	around(w.points)
	at := &loop.Substitution{Values: map[*loop.Var]loop.Expr{w.elements.Var: &loop.VarRef{Var: row}, w.points.Var: loop.Int(0)}, NewVar: loop.SameVar}
	body = p.readRows(w, of, at, body)
	for _, f := range slices.Backward(w.loops) {
		if f != w.points {
			around(f)
		}
	}
	all := []loop.Stmt{&loop.For{Var: row, Lo: loop.Int(0), Hi: loop.Int(elements + w.step*(w.points.Iterations()-1)), Step: 1, Kind: loop.Unrolled, Body: body}}
	return p.readTaps(w, of, all)
}

// sharesRows reports whether a loop that is not over points has iterations that use the same rows: those of several
// filters, whose elements are too many to stay in registers (7 x 7 of 64 filters would take 1.24 of the time).
func (w *rowWindow) sharesRows(f *loop.For) bool {
	return f != w.points && !slices.ContainsFunc(w.order, func(text string) bool { return mentions(w.rows[text], f) })
}

// registersOf names the registers of rows and of elements of the filter, by the texts of what they replace.
func (p *pass) registersOf(w *rowWindow, element loop.Expr) map[string]loop.Expr {
	of := map[string]loop.Expr{}
	register := func(name string, e loop.Expr, length int64, at loop.Expr) {
		b := p.fresh.Buffer(name, e.Type(), length, loop.Register)
		of[loop.ExprText(e)] = &loop.Load{Buffer: b, Index: at, Lanes: e.Type().Lanes}
	}
	for _, text := range w.order {
		e := w.rows[text]
		register(e.Buffer.Name+"_row", e, 1, loop.Int(0))
	}
	for _, e := range w.taps {
		register("tap", e, w.elements.Iterations(), element)
	}
	return of
}

// readRows reads rows before statements.
func (p *pass) readRows(w *rowWindow, of map[string]loop.Expr, at *loop.Substitution, list []loop.Stmt) []loop.Stmt {
	var stores []loop.Stmt
	for _, text := range w.order {
		stores = append(stores, &loop.Store{Buffer: of[text].(*loop.Load).Buffer, Index: loop.Int(0), Value: at.Expr(w.rows[text]), Kept: true})
	}
	list = append(stores, list...)
	for _, text := range slices.Backward(w.order) {
		list = []loop.Stmt{&loop.Alloc{Buffer: of[text].(*loop.Load).Buffer, Body: list}}
	}
	return list
}

// readTaps reads the elements of the filter before statements.
func (p *pass) readTaps(w *rowWindow, of map[string]loop.Expr, list []loop.Stmt) []loop.Stmt {
	var stores []loop.Stmt
	for _, e := range w.taps {
		stores = append(stores, &loop.Store{Buffer: of[loop.ExprText(e)].(*loop.Load).Buffer, Index: &loop.VarRef{Var: w.elements.Var}, Value: e, Kept: true})
	}
	if len(stores) == 0 {
		return list
	}
	list = append([]loop.Stmt{&loop.For{Var: w.elements.Var, Lo: w.elements.Lo, Hi: w.elements.Hi, Step: 1, Kind: loop.Unrolled, Body: stores}}, list...)
	for _, e := range slices.Backward(w.taps) {
		list = []loop.Stmt{&loop.Alloc{Buffer: of[loop.ExprText(e)].(*loop.Load).Buffer, Body: list}}
	}
	return list
}
