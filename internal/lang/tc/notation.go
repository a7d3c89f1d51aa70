package tc

import (
	"io"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// extension is that of files in this notation.
const extension = ".tc"

// Notation describes Tensor Comprehensions.
func Notation() *lang.Notation {
	return &lang.Notation{
		Name: "Tensor Comprehensions", Extension: extension,
		Compile: Compile, Format: lang.Formatter(syntax.Parse, syntax.Format), Outline: outline, Dump: dump,
	}
}

func outline(file *source.File) (*lang.Outline, *source.Diagnostics) {
	parsed, diagnostics := syntax.Parse(file)
	o := &lang.Outline{Source: file, Comments: parsed.Comments, Imports: len(parsed.Imports) > 0}
	for _, d := range parsed.Defs {
		o.Defs = append(o.Defs, lang.DefName{Pos: d.Pos, Name: d.Name.Name})
	}
	return o, diagnostics
}

func dump(w io.Writer, file *source.File, name string) error {
	parsed, _ := syntax.Parse(file)
	for _, def := range parsed.Defs {
		if def.Name.Name == name {
			return syntax.Dump(w, &syntax.File{Defs: []*syntax.Def{def}})
		}
	}
	return source.Internalf("show", source.Span{}, "the def %s is not in its file", name)
}
