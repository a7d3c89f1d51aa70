package bench

import (
	"context"
	"fmt"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/target/c"
	"github.com/ricci-lang/ricci/tensor"
)

// useNaive compiles what a person writes who thinks of the result only: a nest of
// loops for each statement, in the order of the program, with temporaries that
// are used at once left out. The C compiler vectorises what it can.
func (c *candidate) useNaive(ctx context.Context, j *job, def *ricci.Def, args []*tensor.Tensor) error {
	naive, err := newNaive(ctx, def, j.Sizes, j.Kind == openMPKind)
	if err != nil {
		return err
	}
	var flags []string
	if j.Kind == openMPKind {
		flags = []string{"-fopenmp"}
	}
	object, err := compileC(ctx, naive.text, flags)
	if err != nil {
		return err
	}
	byName := map[string]*tensor.Tensor{}
	for i, p := range append(def.Inputs(), def.Outputs()...) {
		byName[p.Name] = args[i]
	}
	ordered := make([]*tensor.Tensor, len(naive.arguments))
	for i, name := range naive.arguments {
		if ordered[i] = byName[name]; ordered[i] == nil {
			return fmt.Errorf("%w: the naive program needs %s, which is no array", errMissing, name)
		}
	}
	return c.use(object, naive.symbol, j.Threads, naive.workspace, ordered)
}

// A naive is the C of a program in its own order.
type naive struct {
	text, symbol string
	arguments    []string // by name, in the order of the C function
	workspace    int64
}

func newNaive(ctx context.Context, def *ricci.Def, sizes map[string]int64, parallel bool) (*naive, error) {
	text, err := def.Stage(ctx, ricci.StageEin, sizes, ricci.Options{})
	if err != nil {
		return nil, err
	}
	f, err := ein.ParseFunc(def.Name(), text)
	if err != nil {
		return nil, err
	}
	f = rewrite.Fuse(rewrite.Simplify(f))
	if err := ein.Verify(f); err != nil {
		return nil, err
	}
	tree, printing := schedule.Canonical(f), c.Options{Parallel: c.Serial}
	if parallel {
		printing.Parallel = c.OpenMP
		spreadOutermost(f, tree)
	}
	loops, err := lower.Lower(f, tree, lower.Options{})
	if err != nil {
		return nil, err
	}
	n := &naive{symbol: c.Symbol(loops.Name), workspace: loops.Workspace}
	for _, p := range loops.Params {
		if p.Buffer == nil {
			return nil, fmt.Errorf("the naive program keeps %s", p.Origin)
		}
		n.arguments = append(n.arguments, p.Buffer.Name)
	}
	n.text, err = c.Print(loops, printing)
	return n, err
}

// spreadOutermost makes the outermost loop of each statement parallel where that
// is legal, which the check of schedules decides.
func spreadOutermost(f *ein.Func, tree *schedule.Tree) {
	var visit func(n schedule.Node)
	visit = func(n schedule.Node) {
		band, ok := n.(*schedule.Band)
		if !ok {
			for _, child := range schedule.Children(n) {
				visit(child)
			}
			return
		}
		band.Members[0].Parallel = true
		if schedule.Check(f, tree) != nil {
			band.Members[0].Parallel = false
		}
	}
	visit(tree.Root)
}
