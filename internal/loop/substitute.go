package loop

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A Substitution replaces variables by values in copies of statements. What the copies assign are
// variables of their own, since each is assigned once.
type Substitution struct {
	Values map[*Var]Expr
	// NewVar returns the variable that a copy assigns instead of another one.
	NewVar func(*Var) *Var
	// Loads, where it is not nil, returns what replaces a load, or nil.
	Loads func(*Load) Expr
	// Whole, where it is not nil, returns what replaces an expression with all its parts, or nil.
	Whole func(Expr) Expr
	// Branches lets conditional statements be copied, and where lines begin, which they ask for.
	Branches bool
}

// Stmts copies statements; ok is false where one is of a kind that is not copied: those of plain
// loops over points are.
func (s *Substitution) Stmts(list []Stmt) (copies []Stmt, ok bool) {
	for _, stmt := range list {
		c := s.stmt(stmt)
		if c == nil {
			return nil, false
		}
		copies = append(copies, c)
	}
	return copies, true
}

// stmt copies a statement, or returns nil.
func (s *Substitution) stmt(stmt Stmt) Stmt {
	switch stmt := stmt.(type) {
	case *Let:
		if value := s.Expr(stmt.Value); value != nil {
			return &Let{Var: s.assign(stmt.Var), Value: value}
		}
	case *Store:
		c := *stmt
		c.Index, c.Value, c.Mask = s.Expr(stmt.Index), s.Expr(stmt.Value), s.Expr(stmt.Mask)
		if stmt.Row == nil && c.Index != nil && c.Value != nil && (c.Mask != nil || stmt.Mask == nil) {
			return &c
		}
	case *Prefetch:
		c := *stmt
		c.Beyond = s.Expr(stmt.Beyond)
		if c.Index = s.Expr(stmt.Index); c.Index != nil && (c.Beyond != nil || stmt.Beyond == nil) {
			return &c
		}
	case *For:
		c := *stmt
		c.Lo, c.Hi = s.Expr(stmt.Lo), s.Expr(stmt.Hi)
		if stmt.Kind == Parallel || c.Lo == nil || c.Hi == nil {
			return nil
		}
		c.Var = s.assign(stmt.Var)
		var ok bool
		if c.Body, ok = s.Stmts(stmt.Body); ok {
			return &c
		}
	case *If:
		c := *stmt
		var then, otherwise bool
		c.Cond = s.Expr(stmt.Cond)
		c.Then, then = s.Stmts(stmt.Then)
		if c.Else, otherwise = s.Stmts(stmt.Else); s.Branches && c.Cond != nil && then && otherwise {
			return &c
		}
	case *Comment:
		return stmt
	}
	return nil
}

// WithTests copies statements, tests and folds of lanes among them.
func (s *Substitution) WithTests(list []Stmt) (copies []Stmt, ok bool) {
	c := *s
	c.Whole = func(e Expr) Expr {
		fold, isFold := e.(*Fold)
		switch {
		case !isFold && s.Whole != nil:
			return s.Whole(e)
		case isFold:
			if x := c.Expr(fold.X); x != nil {
				return &Fold{Op: fold.Op, X: x}
			}
		}
		return nil
	}
	for _, stmt := range list {
		if test, isTest := stmt.(*Check); isTest {
			t := &Check{Cond: c.Expr(test.Cond), Site: test.Site, Value: c.Expr(test.Value), Notes: test.Notes}
			if t.Cond == nil || t.Value == nil {
				return nil, false
			}
			copies = append(copies, t)
			continue
		}
		copied := c.stmt(stmt)
		if copied == nil {
			return nil, false
		}
		copies = append(copies, copied)
	}
	return copies, true
}

// assign gives a variable that a copy assigns its replacement.
func (s *Substitution) assign(v *Var) *Var {
	c := s.NewVar(v)
	s.Values[v] = &VarRef{c}
	return c
}

// Expr copies an expression; nil for nil, and where it has a part of a kind that is not copied.
func (s *Substitution) Expr(e Expr) Expr {
	parts := make([]Expr, 0, 3)
	if e != nil && s.Whole != nil {
		if whole := s.Whole(e); whole != nil {
			return whole
		}
	}
	if e != nil {
		for _, x := range Children(e) {
			c := s.Expr(x)
			if c == nil {
				return nil
			}
			parts = append(parts, c)
		}
	}
	switch e := e.(type) {
	case *Const:
		return e
	case *VarRef:
		if value, ok := s.Values[e.Var]; ok {
			return value
		}
		return e
	case *Load:
		if s.Loads != nil {
			if value := s.Loads(e); value != nil {
				return value
			}
		}
		c := *e
		if c.Index = parts[0]; e.Mask != nil {
			c.Mask = parts[1]
		}
		return &c
	case *Unary:
		return &Unary{e.Op, parts[0]}
	case *Binary:
		return folded(&Binary{e.Op, parts[0], parts[1]})
	case *MulAdd:
		return &MulAdd{parts[0], parts[1], parts[2]}
	case *Call:
		return &Call{e.Func, parts}
	case *Select:
		return &Select{parts[0], parts[1], parts[2]}
	case *Cast:
		return &Cast{To: e.To, X: parts[0], By: e.By}
	case *Broadcast:
		return &Broadcast{parts[0], e.Lanes}
	case *Ramp:
		return &Ramp{parts[0], e.Stride, e.Lanes}
	case *Hold:
		return &Hold{parts[0]}
	case *Swizzle:
		c := *e
		c.X = parts[0]
		return &c
	case *Lead:
		if c := *e; s.Branches {
			c.Index = parts[0]
			return &c
		}
	}
	return nil
}

// folded returns sums, differences, products and remainders of subscripts without numbers that
// became known.
func folded(e *Binary) Expr {
	if e.X.Type() != Scalar(tensor.Int64) {
		return e
	}
	x, isX := e.X.(*Const)
	y, isY := e.Y.(*Const)
	if isX && isY {
		v, w := int64(x.Bits), int64(y.Bits)
		switch {
		case e.Op == ein.Add:
			return Int(v + w)
		case e.Op == ein.Sub:
			return Int(v - w)
		case e.Op == ein.Mul:
			return Int(v * w)
		case e.Op == ein.Mod && v >= 0 && w > 0:
			return Int(v % w)
		}
	}
	switch {
	case e.Op == ein.Add && isX && x.Bits == 0:
		return e.Y
	case (e.Op == ein.Add || e.Op == ein.Sub) && isY && y.Bits == 0:
		return e.X
	}
	return e
}
