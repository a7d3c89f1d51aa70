package diderot

import (
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// typeOf is the type of a value in a program of strands.
func typeOf(t *typed.Type) strand.Type {
	switch t.Kind {
	case typed.Bool:
		return strand.Type{Elem: strand.Bool}
	case typed.Int:
		return strand.Type{Elem: strand.Int}
	case typed.String:
		return strand.Type{Elem: strand.String}
	case typed.Tensor:
		return strand.Type{Elem: strand.Real, Shape: t.Shape}
	case typed.Reference, typed.Set:
		return strand.Type{Elem: strand.Ref}
	case typed.Sequence:
		s := typeOf(t.Element)
		if t.IsDynamic() {
			s.Dynamic = true
			return s
		}
		s.Fixed = append(append([]int{}, s.Fixed...), t.Length)
		return s
	}
	panic(source.Internalf("diderot", source.Span{}, "the type %s is none of a value", t))
}
