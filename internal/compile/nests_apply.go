package compile

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/teml"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
)

// Apply applies a transformation by its name in TeML. Arguments are integers and names.
// What TeML composes of others, such as tile, is composed here by the same definitions.
func (s *Nests) Apply(name string, args ...any) *Nests {
	return s.apply(name, s.at, -1, args)
}

// apply applies a transformation to the nest at, and to another one unless it is negative.
func (s *Nests) apply(name string, at, other int, args []any) *Nests {
	return s.with(func(c *Nests) {
		t, ok := transform.Lookup(name)
		if !ok {
			c.err = s.misfit(HelpWithNames(name, "there are ", transform.Names()), "there is no transformation %s", name)
			return
		}
		if len(s.nests) == 0 {
			c.err = s.misfit("a def without statements needs no schedule", "%s has no statements to apply %s to", s.def.Name, name)
			return
		}
		operands := []*transform.Nest{s.nests[at]}
		if other >= 0 {
			operands = append(operands, s.nests[other])
		}
		list, err := arguments(args)
		if err != nil {
			c.err = s.misfit(t.Signature()+": "+t.Summary, "%s: %v", name, err)
			return
		}
		n, err := teml.Apply(t, operands, list, transform.Call{Pos: s.def.Pos})
		if c.err = err; err != nil {
			return
		}
		c.nests = slices.Clone(s.nests)
		if c.nests[at] = n; other >= 0 {
			c.nests = slices.Delete(c.nests, other, other+1)
			if c.at = at; other < at {
				c.at--
			}
		}
	})
}

// misfit is the error of a transformation that cannot be applied.
func (s *Nests) misfit(help, format string, args ...any) error {
	d := &source.Diagnostic{Code: source.TransformMisfit, Span: s.def.Pos, Message: fmt.Sprintf(format, args...)}
	return source.ErrorList{d.WithHelp("%s", help)}
}

func arguments(args []any) ([]transform.Argument, error) {
	var list []transform.Argument
	for _, a := range args {
		switch a := a.(type) {
		case int:
			list = append(list, transform.Int(int64(a)))
		case int64:
			list = append(list, transform.Int(a))
		case string:
			list = append(list, transform.Argument{Name: a})
		default:
			return nil, fmt.Errorf("found an argument of type %T, expected an int or a string", a)
		}
	}
	return list, nil
}

// Fuse applies a transformation to the nest and to that which computes another tensor.
func (s *Nests) Fuse(name, tensor string, r int) *Nests {
	other, err := 0, s.err
	if err == nil {
		other, err = s.nestOf(tensor)
	}
	if err == nil && other == s.at {
		err = s.misfit("select one of the two nests by Of, and name a tensor of the other", "the nest of %s cannot be fused with itself", tensor)
	}
	if err != nil {
		return s.with(func(c *Nests) { c.err = err })
	}
	return s.apply(name, s.at, other, []any{r})
}
