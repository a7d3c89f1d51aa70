package mdh

import "github.com/ricci-lang/ricci/internal/lang/mdh/syntax"

// A Composition applies computations of the program to buffers, one step after the other:
// it is one program, which one schedule computes.
type Composition struct {
	Name    string
	Types   []TypeParam
	Sizes   []string
	Inputs  []Buffer // with names, types and extents; nil extents are those of a scalar
	Outputs []string
	Steps   []Step
}

// A Step makes buffers by a computation or composition of the program. Types and Sizes are
// the choices of its parameters; where they are nil they follow from the buffers. For an input
// without dimensions a number may stand among the buffers, "0.5" or "2 * N".
type Step struct {
	Results []string
	Apply   string
	Types   []Type
	Sizes   []Expr
	Buffers []string
}

func (c Composition) tree() *syntax.Computation {
	k := &syntax.Computation{Name: syntax.Name{Name: c.Name}, Types: typeParams(c.Types), Sizes: words(c.Sizes)}
	k.Composition = &syntax.Composition{Outputs: words(c.Outputs)}
	for _, b := range c.Inputs {
		k.Composition.Inputs = append(k.Composition.Inputs, &syntax.Input{Name: syntax.Name{Name: b.Name}, Type: bufferType(b)})
	}
	for _, s := range c.Steps {
		a := &syntax.Apply{Name: syntax.Name{Name: s.Apply}, Sizes: trees(s.Sizes), HasArguments: s.Types != nil || s.Sizes != nil, Buffers: []*syntax.Argument{}}
		for _, t := range s.Types {
			a.Types = append(a.Types, syntax.Name{Name: string(t)})
		}
		for _, name := range s.Buffers {
			a.Buffers = append(a.Buffers, &syntax.Argument{Name: syntax.Name{Name: name}})
		}
		k.Composition.Steps = append(k.Composition.Steps, &syntax.Step{Results: words(s.Results), Apply: a})
	}
	return k
}

func typeParams(list []TypeParam) (params []*syntax.TypeParam) {
	for _, t := range list {
		p := &syntax.TypeParam{Name: syntax.Name{Name: t.Name}}
		for _, choice := range t.Choices {
			p.Choices = append(p.Choices, syntax.Name{Name: string(choice)})
		}
		params = append(params, p)
	}
	return params
}

func bufferType(b Buffer) *syntax.BufferType {
	return &syntax.BufferType{Name: syntax.Name{Name: string(b.Type)}, Extents: trees(b.Extents), HasExtents: b.Extents != nil}
}
