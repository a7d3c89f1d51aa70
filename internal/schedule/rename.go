package schedule

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// Rename returns a tree of f as a tree of g, which is the same function with other
// names: statements and their indices correspond by position, tensors likewise.
func Rename(t *Tree, f, g *ein.Func) (*Tree, error) {
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
	copied, err := Parse(Print(t)) // a copy to change
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

// index is the new name of an index of a statement; coordinates of one value keep theirs.
func (r renaming) index(statement int, name string) string {
	if IsSingle(name) {
		return name
	}
	return r.indices[statement][name]
}

func (r renaming) node(n Node) {
	switch n := n.(type) {
	case *Band:
		for _, m := range n.Members {
			for k := range m.Loops {
				s := m.Loops[k].Statement
				m.Loops[k].Index = r.index(s, m.Loops[k].Index)
				for j := range m.Loops[k].By {
					m.Loops[k].By[j].Index = r.index(s, m.Loops[k].By[j].Index)
				}
				if k == 0 { // loops of several statements fetch nothing in advance
					m.Prefetch = r.index(s, m.Prefetch)
				}
			}
			for k := range m.Fetches {
				m.Fetches[k].Tensor = r.tensors[m.Fetches[k].Tensor]
			}
			if m.Keep != "" {
				m.Keep = r.tensors[m.Keep]
			}
			for k := range m.Skews {
				m.Skews[k].Index = r.index(m.Loops[0].Statement, m.Skews[k].Index)
			}
		}
	case *Place:
		n.Tensor = r.tensors[n.Tensor]
	}
	for _, child := range Children(n) {
		r.node(child)
	}
}
