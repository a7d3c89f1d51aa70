package lower

import (
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// How things are named
//
// Positions are sorted by the names of their symbols, so that a function makes the same
// loops only under the same names: those of its canonical form, where kernels are compiled.
// Who reads such loops wants the names of the program. So variables and buffers are called by
// the names of the function at first, and take those of Options.Names when everything is done:
// no expression is built after that.

// An indexName says that a variable counts an index of a statement.
type indexName struct {
	point
	suffix string
}

// newVar makes an int64 variable that positions may refer to by its name.
func (l *lowerer) newVar(name string) *loop.Var {
	v := l.fresh.Var(name, loop.Scalar(tensor.Int64))
	l.vars[v.Name] = v
	return v
}

// indexVar is newVar for the loop over a member.
func (l *lowerer) indexVar(m *schedule.Member, sc *scope, suffix string) *loop.Var {
	lp := first(m, sc)
	return l.pointVar(point{lp.Statement, lp.Index}, suffix)
}

func (l *lowerer) pointVar(p point, suffix string) *loop.Var {
	if schedule.IsSingle(p.index) {
		return l.newVar("n" + suffix)
	}
	v := l.newVar(p.index + suffix)
	l.indexed[v] = indexName{p, suffix}
	return v
}

// rename gives everything in the finished loops the names of Options.Names. Several things may
// have one name then, which printers tell apart.
func (l *lowerer) rename() {
	g := l.options.Names
	l.out.Name = g.Name
	for v, i := range l.indexed {
		at := slices.IndexFunc(l.f.Body[i.statement].Indices, func(x *ein.Index) bool { return x.Name == i.index })
		v.Name = g.Body[i.statement].Indices[at].Name + i.suffix
	}
	env := map[string]affine.Expr{}
	for n, s := range l.f.Sizes {
		env[s.Name] = affine.Symbol(g.Sizes[n].Name)
		l.vars[s.Name].Name = g.Sizes[n].Name
	}
	if l.out.DynamicWorkspace != nil {
		e := l.out.DynamicWorkspace.Subst(env)
		l.out.DynamicWorkspace = &e
	}
	for _, b := range l.out.Buffers {
		b.Name = l.shownName(b.Name)
	}
	for _, p := range l.out.Params {
		switch kind, name, _ := strings.Cut(p.Origin, " "); {
		case p.Buffer != nil:
			continue
		case kind == "size":
			p.Origin = "size " + p.Var.Name
		default:
			p.Origin, p.Var.Name = kind+" "+l.shownName(name), l.shownName(p.Var.Name)
		}
	}
	for i := range l.out.Sites {
		l.out.Sites[i].Tensor = l.shownName(l.out.Sites[i].Tensor)
	}
}

// shownName renames what is called after a tensor, such as its accumulators.
func (l *lowerer) shownName(name string) string {
	longest, shown := "", name
	for n, t := range l.f.Tensors {
		rest, cut := strings.CutPrefix(name, t.Name)
		if cut && (rest == "" || rest[0] == '_' || rest[0] == ' ') && len(t.Name) > len(longest) {
			longest, shown = t.Name, l.options.Names.Tensors[n].Name+rest
		}
	}
	return shown
}
