package looptest

import "github.com/ricci-lang/ricci/internal/loop"

// ByFunctions returns the buffers whose contents depend on functions of which computations differ in their last bits. All others have the same
// bits wherever a program runs.
func ByFunctions(f *loop.Func) map[*loop.Buffer]bool {
	d := &dependence{buffers: map[*loop.Buffer]bool{}, vars: map[*loop.Var]bool{}}
	for found := -1; found < len(d.buffers)+len(d.vars); { // until nothing more depends on them
		found = len(d.buffers) + len(d.vars)
		d.block(f.Body, false)
	}
	return d.buffers
}

type dependence struct {
	buffers map[*loop.Buffer]bool
	vars    map[*loop.Var]bool
}

// of reports whether an expression depends on a function.
func (d *dependence) of(list ...loop.Expr) (depends bool) {
	for _, e := range list {
		if e == nil {
			continue
		}
		loop.WalkExpr(e, loop.Visitor{Expr: func(e loop.Expr) {
			switch e := e.(type) {
			case *loop.Call:
				depends = depends || !e.Func.IsExact()
			case *loop.VarRef:
				depends = depends || d.vars[e.Var]
			}
			depends = depends || d.buffers[loop.ExprBuffer(e)]
		}})
	}
	return depends
}

// block notes what statements write that depend on functions, or run where a condition does.
func (d *dependence) block(body []loop.Stmt, here bool) {
	for _, s := range body {
		all := here || d.of(loop.StmtExprs(s)...)
		var written []*loop.Buffer
		switch s := s.(type) {
		case *loop.Store:
			written = []*loop.Buffer{s.Buffer}
		case *loop.Atomic:
			written = []*loop.Buffer{s.Buffer}
		case *loop.Copy:
			written, all = []*loop.Buffer{s.To}, all || d.buffers[s.From]
		case *loop.Fragments:
			written, all = []*loop.Buffer{s.Z}, all || d.buffers[s.X] || d.buffers[s.Y]
		case *loop.Let:
			d.note(s.Var, all)
		case *loop.Shuffle:
			d.note(s.Var, all)
		case *loop.For:
			d.note(s.Var, all)
		}
		for _, b := range written {
			if all {
				d.buffers[b] = true
			}
		}
		for _, inner := range loop.StmtBodies(s) {
			d.block(inner, all)
		}
	}
}

func (d *dependence) note(v *loop.Var, depends bool) {
	if depends {
		d.vars[v] = true
	}
}
