package syntax

import (
	"io"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/dump"
	"github.com/ricci-lang/ricci/internal/source"
)

// Dump writes the tree of the computation of which def is an instance.
func Dump(w io.Writer, file *source.File, def string) error {
	parsed, _ := Parse(file)
	var best *Computation
	for _, c := range parsed.Computations {
		if (c.Name.Name == def || strings.HasPrefix(def, c.Name.Name+"_")) && (best == nil || len(c.Name.Name) > len(best.Name.Name)) {
			best = c
		}
	}
	if best == nil {
		return source.Internalf("show", source.Span{}, "the computation %s is not in its file", def)
	}
	return dump.Write(w, best)
}
