package native

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/internal/strand/passes"
	"github.com/ricci-lang/ricci/internal/target"
)

// assumedSize and assumedLength are those of images and sequences that nobody has given: what is counted does not depend on them.
const assumedSize, assumedLength = 64, 2

// Sizes says how large a program is at the end of its way: statements and the nodes of their expressions, as strands and as
// loops for the options, and the lines and bytes of the code.
func Sizes(ctx context.Context, p *strand.Program, o compile.Options) (string, error) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "program\tstatements\tnodes\tbytes\t")
	statements, nodes := strandSize(p)
	fmt.Fprintf(w, "strands\t%d\t%d\t\t\n", statements, nodes)
	on, machine, mode, err := o.ShownFor(ctx)
	if err != nil {
		return "", err
	}
	order, err := orderOf(o)
	if err != nil {
		return "", err
	}
	how := lower.Options{Images: map[string][]int{}, Sequences: map[string]int{}, Exact: mode == numerics.Strict, Items: runsItems(machine, on)}
	if how.Order, err = orderOn(machine, on, p, order); err != nil {
		return "", err
	}
	for _, i := range p.Images {
		for range i.Dim {
			how.Images[i.Name] = append(how.Images[i.Name], assumedSize)
		}
	}
	for _, v := range p.Variables {
		if v.Type.Dynamic {
			how.Sequences[v.Name] = assumedLength
		}
	}
	kernel, err := lower.Lower(p, how)
	if refused := (*lower.Refused)(nil); errors.As(err, &refused) {
		w.Flush()
		return b.String() + refused.Error() + "\n", nil
	}
	if err != nil {
		return "", err
	}
	statements, nodes = loopSize(kernel.Loop.Body)
	fmt.Fprintf(w, "loops\t%d\t%d\t\t\n", statements, nodes)
	if err := target.Check(on, kernel.Loop); err != nil {
		return "", err
	}
	module, err := on.Print(kernel.Loop, target.Options{Machine: machine, Numerics: mode})
	if err != nil {
		return "", err
	}
	fmt.Fprintf(w, "%s\t\t\t%d\t\n", on.Name(), len(module.Code))
	w.Flush()
	return b.String(), nil
}

// strandSize counts the statements of a program of strands, and the nodes of their expressions.
func strandSize(p *strand.Program) (statements, nodes int) {
	for _, b := range []strand.Block{p.Initialize, p.Create.Before, p.Create.Body, p.Begin, p.Start, p.Update, p.Stabilize, p.GlobalStart, p.GlobalUpdate} {
		strand.Walk(b, func(s strand.Stmt) {
			statements++
			for _, e := range passes.Expressions(s) {
				ein.Walk(e, func(ein.Expr) bool { nodes++; return true })
			}
		})
	}
	return statements, nodes
}

// loopSize counts those of loops.
func loopSize(body []loop.Stmt) (statements, nodes int) {
	loop.Walk(body, loop.Visitor{Stmt: func(loop.Stmt) { statements++ }, Expr: func(loop.Expr) { nodes++ }})
	return statements, nodes
}
