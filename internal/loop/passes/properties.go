package passes

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
)

// A Property is something that passes need, or promise, of a program. Tests ask whether it holds.
type Property struct {
	Name  string
	Doc   string
	Holds func(f *loop.Func) error
}

// The properties that rows of the table name.
var (
	NamedApart  = Property{"named apart", "no two variables, and no two buffers, have one name: equal texts are equal expressions", namedApart}
	NothingHeld = Property{"nothing held", "no loop has the mark hold: what it asks for is done", nothingHeld}
	Woven       = Property{"woven", "no stores are left that could be whole vectors together", settled(weave)}
	Untested    = Property{"untested", "tests in a loop prove nothing of what does not depend on the loop: it may be read before them", untested}
	Hoisted     = Property{"hoisted", "no loop with tests reads vectors of which it needs one", settled(hoist)}
	RowsShared  = Property{"rows shared", "no window is left whose rows are read several times", settled(shareRows)}
	Packed      = Property{"packed", "no temporary could lie lower in the workspace", settled(shareWorkspace)}
)

func namedApart(f *loop.Func) error {
	vars, buffers := map[string]*loop.Var{}, map[string]*loop.Buffer{}
	var twice string
	variable := func(v *loop.Var) {
		if other := vars[v.Name]; other != nil && other != v {
			twice = v.Name
		}
		vars[v.Name] = v
	}
	for v := range loop.Variables(f) {
		variable(v)
	}
	for _, b := range f.Buffers {
		if buffers[b.Name] != nil {
			twice = b.Name
		}
		buffers[b.Name] = b
	}
	if twice != "" {
		return fmt.Errorf("two have the name %s", twice)
	}
	return nil
}

func nothingHeld(f *loop.Func) (err error) {
	loop.Walk(f.Body, loop.Visitor{Stmt: func(s loop.Stmt) {
		if l, isLoop := s.(*loop.For); isLoop && l.Hold {
			err = fmt.Errorf("the loop over %s has the mark hold", l.Var.Name)
		}
	}})
	return err
}

// untested asks whether the loops are accepted when vectors are read before tests.
func untested(f *loop.Func) error {
	g, err := loop.Parse(source.NewFile("loops", loop.Print(f)))
	if err != nil {
		return err
	}
	hoist(&pass{g, loop.FreshFor(g)})
	return loop.Verify(g)
}

// settled asks whether a pass finds nothing to do: it runs on a copy.
func settled(run func(p *pass)) func(f *loop.Func) error {
	return func(f *loop.Func) error {
		before := loop.Print(f)
		g, err := loop.Parse(source.NewFile("loops", before))
		if err != nil {
			return err
		}
		run(&pass{g, loop.FreshFor(g)})
		if after := loop.Print(g); after != before {
			return fmt.Errorf("there is more to do:\n%s\nbecomes\n%s", before, after)
		}
		return nil
	}
}
