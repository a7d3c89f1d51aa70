package syntax

import (
	"io"

	"github.com/ricci-lang/ricci/internal/lang/dump"
)

// Dump writes the tree of a program.
func Dump(w io.Writer, f *File) error { return dump.Write(w, f.Program) }
