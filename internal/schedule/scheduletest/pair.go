package scheduletest

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// A Pair is a random function with arguments and a legal tree with groups for it.
type Pair struct {
	Subject
	Program string // what the function is drawn from
	How     string // the tree is drawn
	Tree    *schedule.Tree
}

// DrawPair draws a pair; ok is false where no tree of some is legal.
func DrawPair(t *rapid.T) (p Pair, ok bool) {
	p.Program, p.Subject = drawProgram(t)
	if !hasPoints(p.F, p.Sizes) {
		return p, false
	}
	if rapid.Bool().Draw(t, "optimise") {
		g, err := rewrite.Optimise(p.G, numerics.Default)
		if err != nil {
			t.Fatal(err)
		}
		p.G = g
	}
	p.Tree, p.How, ok = Grid(t, p.G)
	return p, ok
}

// PairOf is the pair of a seed.
func PairOf(seed int) (p Pair, ok bool) {
	drawn := pairs.Example(seed)
	return drawn.Pair, drawn.ok
}

type drawnPair struct {
	Pair
	ok bool
}

var pairs = rapid.Custom(func(t *rapid.T) drawnPair {
	p, ok := DrawPair(t)
	return drawnPair{p, ok}
})

// String is the function, the sizes and the tree.
func (p Pair) String() string {
	return fmt.Sprintf("%s, sizes %v\n%s\n%s", p.Program, p.Sizes, p.G, schedule.Print(p.Tree))
}

// Lower makes the loops, and says whether they are proved to stay in bounds; as with threads, they seldom are not.
func (p Pair) Lower() (kernel *loop.Func, proved bool, err error) {
	kernel, err = lower.Lower(p.G, p.Tree, lower.Options{})
	if err != nil {
		return nil, false, fmt.Errorf("lower: %w", err)
	}
	err = loop.Verify(kernel)
	if errors.Is(err, loop.ErrUnproved) {
		return kernel, false, nil
	}
	if err != nil {
		err = fmt.Errorf("verify: %w\n%s", err, loop.Print(kernel))
	}
	return kernel, true, err
}

// Judge evaluates the loops with groups and items in an order, and compares with the reference evaluator.
func (p Pair) Judge(kernel *loop.Func, order uint64) error {
	words, outputs, err := p.Words(kernel)
	if err != nil {
		return err
	}
	fault, err := loop.EvaluateInOrder(context.Background(), kernel, words, nil, order)
	runtime.KeepAlive(p.Args)
	if err != nil {
		return err
	}
	return p.compare(outputs, fault != nil)
}

// compare compares results with those of the reference evaluator.
func (s Subject) compare(got map[string]*tensor.Tensor, faulted bool) error {
	want, bounds, err := ein.EvaluateWithBounds(s.F, s.Args, ein.EvalOptions{Sizes: s.Sizes})
	if (err != nil) != faulted {
		return fmt.Errorf("the evaluator says %v; the kernel ends by a fault: %t", err, faulted)
	}
	for name := range want {
		compared, err := ein.Compare(got[name], want[name], bounds[name])
		if err != nil {
			return err
		}
		if !compared.OK() {
			return fmt.Errorf("%s: %v", name, compared.Worst)
		}
	}
	return nil
}

// Within compares what is in the arguments of the loops behind a run with the reference evaluator, up to what roundings and the errors of
// functions explain.
func (s Subject) Within(kernel *loop.Func, words []loop.Word) error {
	outputs, err := s.outputs()
	if err != nil {
		return err
	}
	for i, w := range kernel.Params {
		if w.Buffer != nil && outputs[w.Buffer.Name] != nil {
			copy(bytesOf(outputs[w.Buffer.Name]), words[i].Bytes)
		}
	}
	return s.compare(outputs, false)
}

// Words are the arguments of the loops, whose outputs are arrays that are made.
func (s Subject) Words(kernel *loop.Func) (list []loop.Word, outputs map[string]*tensor.Tensor, err error) {
	if outputs, err = s.outputs(); err != nil {
		return nil, nil, err
	}
	for _, w := range kernel.Params {
		if w.Buffer == nil {
			list = append(list, loop.Word{Value: s.Sizes[w.Var.Name]})
			continue
		}
		a := outputs[w.Buffer.Name]
		if a == nil {
			a = s.Args[w.Buffer.Name]
		}
		list = append(list, loop.Word{Bytes: bytesOf(a)})
	}
	return list, outputs, nil
}

// HasItems reports whether the tree has loops over items.
func (p Pair) HasItems() bool { return schedule.HasItems(p.Tree.Root) }
