package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How groups come in strips
//
// Two axes of groups, of I and J, are one number in the order in which devices begin them: i · J + j. A strip of n rows is n · J of them, taken
// apart with the row as the last digit. The last strip has the I mod n rows that are left, and numbers from the first one of it on.
// Minima and maxima change no number that is used, and tell proofs of bounds what the conditions say.

// inStrips renumbers the groups along axes whose loops ask for it.
func (l *lowerer) inStrips(list []*schedule.Member, totals, numbers []affine.Expr, body *[]loop.Stmt) {
	for k, m := range list {
		if m.Strips == 0 || k+1 == len(list) {
			continue
		}
		rows, isRows := totals[k].IsConst()
		columns, isColumns := totals[k+1].IsConst()
		if isRows && isColumns && rows > 1 && columns > 0 {
			at := l.bind(body, l.newVar("number"), numbers[k].Scale(columns).Add(numbers[k+1]))
			numbers[k], numbers[k+1] = l.strip(at, rows, columns, min(m.Strips, rows), body)
		}
	}
}

// strip takes a number apart, of strips of n rows.
func (l *lowerer) strip(at affine.Expr, rows, columns, n int64, body *[]loop.Stmt) (row, column affine.Expr) {
	digits := func(at affine.Expr, n int64) (row, column affine.Expr) {
		return affine.Rem(at, affine.Const(n)), affine.Div(at, affine.Const(n))
	}
	bind := func(name string, e loop.Expr) affine.Expr {
		v := l.newVar(name)
		*body = append(*body, &loop.Let{Var: v, Value: e})
		return affine.Symbol(v.Name)
	}
	whole, left := rows/n*n, rows%n
	first := at // where it is one of whole strips
	if left > 0 {
		first = l.bind(body, l.newVar("first"), affine.MinOf(at, affine.Const(whole*columns-1)))
	}
	strip := l.bind(body, l.newVar("strip"), affine.Div(first, affine.Const(n*columns)))
	row, column = digits(affine.Rem(first, affine.Const(n*columns)), n)
	row = row.Add(strip.Scale(n))
	if left == 0 {
		return bind("row", l.toLoop(row, 1)), bind("column", l.toLoop(column, 1))
	}
	last := l.bind(body, l.newVar("last"), affine.MaxOf(at.AddConst(-whole*columns), affine.Const(0)))
	lastRow, lastColumn := digits(last, left)
	choose := func(first, last affine.Expr) loop.Expr {
		return &loop.Select{Cond: l.compare(at, ein.Lt, affine.Const(whole*columns)), Then: l.toLoop(first, 1), Else: l.toLoop(last, 1)}
	}
	return bind("row", choose(row, lastRow.AddConst(whole))), bind("column", choose(column, lastColumn))
}
