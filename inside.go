package ricci

import (
	"context"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/inside"
	"github.com/ricci-lang/ricci/tensor"
)

// Ricci's own packages ask package inside for what is behind these types, so that no method here has to show it.
var _ = inside.Leave(inside.Faces{
	Strands: func(strands any) (*inside.Strands, bool) {
		s, is := strands.(*Strands)
		if !is {
			return nil, false
		}
		return s.inside(), true
	},
	Def: func(def any) (*compile.Def, bool) {
		d, is := def.(*Def)
		if !is {
			return nil, false
		}
		return d.source, true
	},
	Options: func(options any) (compile.Options, bool) {
		o, is := options.(Options)
		return o.internal(), is
	},
})

func (s *Strands) inside() *inside.Strands {
	call := func(ctx context.Context, name string, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
		d, err := s.program.Def(name)
		if err != nil {
			return nil, err
		}
		return d.Run(ctx, args)
	}
	return &inside.Strands{Program: s.lowered, Directory: s.Directory(), Call: call}
}
