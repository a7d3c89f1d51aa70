package loop

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/ricci-lang/ricci/internal/source"
)

// How the host runs grids
//
// What stands around the grids of a program, loops, conditions and names of values, runs on the host, whatever the device is: a
// device launches the grids that Launches tells it, in that order. Each grid is a kernel of the device, which takes, behind the
// Params, the values of the variables that are in scope around the grid (HostVars).

// A Launch is one run of a grid.
type Launch struct {
	Number int     // of the grid, in the order of Grids
	Groups []int64 // so many along each axis, in the order of Grid.Groups; there is at least one of all
	Values []int64 // of HostVars
}

// Dimensions are the numbers of groups along x, y and z with which a device launches a grid. It may be math.MaxInt64, for what is more.
func (l Launch) Dimensions(g *Grid) [MostAxes]int64 {
	d := [MostAxes]int64{1, 1, 1}
	for i, n := range l.Groups {
		at := len(l.Groups) - 1 - i
		if g.InLine() {
			at = 0
		}
		if high, low := bits.Mul64(uint64(d[at]), uint64(n)); high != 0 || low > math.MaxInt64 {
			d[at] = math.MaxInt64
		} else {
			d[at] = int64(low)
		}
	}
	return d
}

// Launches runs the host's part of a program, and calls launch for each grid that has groups. The words of buffers are not
// looked at.
func Launches(ctx context.Context, f *Func, words []int64, launch func(Launch) error) (err error) {
	defer source.RecoverInternal("host part of grids", &err)
	if len(words) != len(f.Params) {
		return source.Internalf("host part of grids", source.Span{}, "%d arguments for %d parameters", len(words), len(f.Params))
	}
	ev := &evaluator{f: f, context: ctx, vars: map[*Var][]uint64{}, mostTurns: MostTurns}
	for i, p := range f.Params {
		if p.Var != nil {
			ev.vars[p.Var] = []uint64{uint64(words[i])}
		}
	}
	numbers, vars := map[*Grid]int{}, HostVars(f)
	for i, g := range Grids(f) {
		numbers[g] = i
	}
	ev.launch = func(g *Grid) {
		l := Launch{Number: numbers[g]}
		for _, a := range g.Groups {
			n := int64(ev.expr(a.Count)[0])
			if n < 1 {
				return
			}
			l.Groups = append(l.Groups, n)
		}
		for _, v := range vars[l.Number] {
			l.Values = append(l.Values, int64(ev.vars[v][0]))
		}
		ev.ended = launch(l)
	}
	ev.block(f.Body)
	return ev.ended
}

// HostVars lists, for each grid in the order of Grids, the variables in scope around it, the outermost first.
func HostVars(f *Func) [][]*Var {
	var list [][]*Var
	var walk func(body []Stmt, scope []*Var)
	walk = func(body []Stmt, scope []*Var) {
		scope = scope[:len(scope):len(scope)]
		for _, s := range body {
			switch s := s.(type) {
			case *Grid:
				list = append(list, scope)
			case *Let:
				scope = append(scope, s.Var)
			case *For:
				walk(s.Body, append(scope[:len(scope):len(scope)], s.Var))
			default:
				for _, inner := range StmtBodies(s) {
					walk(inner, scope)
				}
			}
		}
	}
	walk(f.Body, nil)
	return list
}

// HostPart is a program of grids without what runs on the device: all that Launches looks at.
func HostPart(f *Func) *Func {
	part := *f
	part.Body = hostPart(f.Body)
	return &part
}

func hostPart(body []Stmt) (list []Stmt) {
	for _, s := range body {
		switch s := s.(type) {
		case *Grid:
			g := *s
			g.Body, g.Local = nil, nil
			list = append(list, &g)
		case *For:
			c := *s
			c.Body = hostPart(s.Body)
			list = append(list, &c)
		case *If:
			list = append(list, &If{Cond: s.Cond, Then: hostPart(s.Then), Else: hostPart(s.Else)})
		case *Let:
			list = append(list, s)
		}
	}
	return list
}

// GridSymbol is the name of the kernel of a grid in a module whose symbol is another: that of the first grid, and the others have
// their numbers behind it.
func GridSymbol(symbol string, number int) string {
	if number == 0 {
		return symbol
	}
	return fmt.Sprintf("%s_%d", symbol, number)
}
