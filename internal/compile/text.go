package compile

import (
	"context"
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/notations"
)

// SyntaxText writes the syntax tree of the def.
func (d *Def) SyntaxText() (string, error) {
	file := d.Pos.File // the def may be imported
	var b strings.Builder
	err := notations.Of(file.Name).Dump(&b, file, d.Name)
	return b.String(), err
}

// TreesText writes the trees of a TeML file, or of the script that is given.
func TreesText(ctx context.Context, d *Def, sizes map[string]int64, options Options) (string, error) {
	if options.Schedule != "" {
		return scriptTrees(ctx, d, sizes, options)
	}
	if err := d.CheckSizes(sizes); err != nil {
		return "", err
	}
	file := d.Pos.File
	trees := notations.Of(file.Name).Trees
	if trees == nil {
		return "", fmt.Errorf("%s is no meta-program, so it has no trees: give it a TeML script with --schedule; --stage ast is its syntax", file.Name)
	}
	return trees(file, d.imports())
}

// imports says how the file of the def is read again.
func (d *Def) imports() lang.Options {
	if d.Imports == nil {
		return lang.Options{}
	}
	return d.Imports()
}

// EquationsText writes how a program is rewritten by the equations of its notation.
func (d *Def) EquationsText(sizes map[string]int64) (string, error) {
	if err := d.CheckSizes(sizes); err != nil {
		return "", err
	}
	file := d.Pos.File
	notation := notations.Of(file.Name)
	if notation.Equations == nil {
		return "", fmt.Errorf("programs of %s are not rewritten by equations; the stage is there for TeIL", notation.Name)
	}
	var b strings.Builder
	err := notation.Equations(&b, file, d.imports(), d.Name, sizes)
	return b.String(), err
}

// EinText writes the function, with the sizes that are given.
func (d *Def) EinText(sizes map[string]int64) (string, error) {
	if len(sizes) == 0 {
		return ein.Print(d.Func), nil
	}
	if err := d.CheckSizes(sizes); err != nil {
		return "", err
	}
	keep := map[string]bool{}
	for _, s := range d.Func.Sizes {
		if _, given := sizes[s.Name]; !given {
			keep[s.Name] = true
		}
	}
	f, err := d.Func.Specialise(sizes, keep)
	if err != nil {
		return "", err
	}
	return ein.Print(f), nil
}
