package ricci

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
)

// How schedules are given
//
// Options.Schedule is the text of a tree in the names of the program, as Stage
// prints it. It is read and checked against the function with these names, so
// that errors speak of them, and then renamed for the function without names that
// is compiled: statements and their indices by position, tensors likewise.

// optimised returns the function that schedules are made for.
func (j *compilation) optimised() (*ein.Func, error) {
	f, err := j.f.Specialise(j.sizes, j.keep)
	if err != nil {
		return nil, err
	}
	return rewrite.Optimise(f)
}

// given returns the tree of Options.Schedule for the function f.
func (j *compilation) given(f *ein.Func) (*schedule.Tree, error) {
	named := f
	if j.named != nil {
		var err error
		if named, err = j.named.optimised(); err != nil {
			return nil, err
		}
	}
	tree, err := schedule.Parse(j.options.Schedule)
	if err != nil {
		d := &Diagnostic{Code: source.ScheduleSyntax, Span: named.Pos, Message: "the schedule for " + named.Name + " cannot be read: " + err.Error()}
		return nil, ErrorList{d.WithHelp("'ricci show --stage schedule' prints a schedule to start from")}
	}
	if err := schedule.Check(named, tree); err != nil || named == f {
		return tree, err
	}
	return renamed(tree, named, f)
}

// renamed returns a tree for g that is legal for f, which is the same function
// with other names.
func renamed(t *schedule.Tree, f, g *ein.Func) (*schedule.Tree, error) {
	r := renaming{indices: make([]map[string]string, len(f.Body)), tensors: map[string]string{}}
	same := len(f.Body) == len(g.Body) && len(f.Tensors) == len(g.Tensors)
	for s := 0; same && s < len(f.Body); s++ {
		r.indices[s] = map[string]string{}
		if same = len(f.Body[s].Indices) == len(g.Body[s].Indices); same {
			for k, i := range f.Body[s].Indices {
				r.indices[s][i.Name] = g.Body[s].Indices[k].Name
			}
		}
	}
	if !same {
		return nil, source.Internalf("schedule", f.Pos, "%s has another form under other names", f.Name)
	}
	for k, tensor := range f.Tensors {
		r.tensors[tensor.Name] = g.Tensors[k].Name
	}
	copied, err := schedule.Parse(schedule.Print(t)) // a copy to change
	if err != nil {
		return nil, source.Internalf("schedule", f.Pos, "a printed schedule does not parse: %w", err)
	}
	for s := range copied.Statements {
		for k, name := range copied.Statements[s].Indices {
			copied.Statements[s].Indices[k] = r.indices[s][name]
		}
	}
	r.node(copied.Root)
	return copied, nil
}

// A renaming maps the names of one function to those of another.
type renaming struct {
	indices []map[string]string // by statement
	tensors map[string]string
}

func (r renaming) node(n schedule.Node) {
	switch n := n.(type) {
	case *schedule.Band:
		for _, m := range n.Members {
			for k := range m.Loops {
				m.Loops[k].Index = r.indices[m.Loops[k].Statement][m.Loops[k].Index]
			}
		}
	case *schedule.Place:
		n.Tensor = r.tensors[n.Tensor]
	}
	for _, child := range schedule.Children(n) {
		r.node(child)
	}
}

// orderAsGiven makes the loops of the schedule that the user gave.
func (j *compilation) orderAsGiven(s *stages) (err error) {
	if s.schedule, err = j.given(s.ein); err != nil {
		return err
	}
	if err = j.makeLoops(s); isUnproved(err) && len(j.keep) > 0 {
		return j.unprovedSizes(err)
	}
	return err
}

// scheduleKey is what a schedule that was given adds to the key of a kernel.
func (o Options) scheduleKey() string {
	lines := strings.Split(o.Schedule, "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool {
		l = strings.TrimSpace(l)
		return l == "" || strings.HasPrefix(l, "#")
	})
	return fmt.Sprintf("%q", lines)
}
