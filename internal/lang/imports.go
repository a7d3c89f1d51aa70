package lang

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// How imports work
//
// A file may import files of any notation. Those of its own notation are parsed by its own front end, and
// their declarations join those of the file: together they are one unit. A file of another notation is a
// unit of its own: it is compiled once, whoever imports it, and what it gives to others are its defs, which
// are functions of ein. So no notation knows another; the Importer, which all units of a program share,
// finds them in the table that it was given.
//
// Files of one notation may import each other. Across notations that is an error, because a unit is
// compiled before those that import it: the Importer keeps the chain of imports that are being followed.

// An Importer reads the files that a program imports, and compiles those in other notations.
type Importer struct {
	// Open reads a file.
	Open func(path string) (*source.File, error)
	// ImportPath lists directories in which a relative path is looked for after that of the importing file.
	ImportPath []string
	// Notation returns the notation of a file by its name.
	Notation func(path string) (*Notation, error)

	opened map[string]*source.File
	units  map[*source.File]*imported
	chain  []link
	ends   map[*source.Diagnostic]*source.File // of those that have notes, the last file that they name
}

// imported is a compiled file of another notation.
type imported struct {
	unit        *Unit
	diagnostics *source.Diagnostics
}

// A link is an import that is being followed, and the file that it stands in.
type link struct {
	from *source.File
	at   source.Span
}

// An OutsideError is one of Importer.Open about a file that a program may not import.
type OutsideError struct{ Reason string }

// Error returns the reason.
func (e *OutsideError) Error() string { return e.Reason }

// Imports is what the files of one unit import.
type Imports struct {
	// Defs are those of other notations, each once: those of a file, then those that it imports.
	Defs []*Def
	// Files are those of other notations.
	Files []*source.File
	// Refused are defs of other notations with errors.
	Refused []*Refused

	importer    *Importer
	extension   string // of the notation
	diagnostics *source.Diagnostics
	own         []*source.File
	at          map[*source.File]source.Span // where files of the notation are imported
	failed      []string                     // paths that were reported
}

// Imports begins a unit with the file that is compiled. Diagnostics takes what is wrong with imports and
// with the files that they name.
func (o Options) Imports(file *source.File, extension string, diagnostics *source.Diagnostics) *Imports {
	i := &Imports{importer: o.Importer, extension: extension, diagnostics: diagnostics, own: []*source.File{file}, at: map[*source.File]source.Span{}}
	if i.importer != nil && i.importer.opened == nil {
		i.importer.opened, i.importer.units = map[string]*source.File{filepath.Clean(file.Name): file}, map[*source.File]*imported{}
		i.importer.ends = map[*source.Diagnostic]*source.File{}
	}
	return i
}

// Load follows an import. A file of the notation itself goes to own, once; one of another is compiled, and
// so are all without own.
func (i *Imports) Load(from *source.File, path string, at source.Span, own func(*source.File)) {
	if i.importer == nil {
		i.diagnostics.Errorf(source.CodeImportFailed, at, "%q cannot be imported: imports are not available here", path).
			WithHelp("put the defs into one text, or compile from a file")
		return
	}
	file, err := i.find(from, path)
	if err != nil {
		i.refuse(from, path, at, err)
		return
	}
	if slices.Contains(i.own, file) {
		return
	}
	if i.isCircle(file, from, path, at) {
		return
	}
	i.importer.chain = append(i.importer.chain, link{from, at})
	defer func() { i.importer.chain = i.importer.chain[:len(i.importer.chain)-1] }()
	if extension := filepath.Ext(file.Name); own != nil && (extension == "" || extension == i.extension) {
		i.own, i.at[file] = append(i.own, file), at
		own(file)
		return
	}
	i.foreign(file, path, at)
}

// find opens the file that an import names: relative to the importing file, or in a directory of the
// import path.
func (i *Imports) find(from *source.File, path string) (file *source.File, failure error) {
	paths := []string{path}
	if !filepath.IsAbs(path) {
		paths = []string{filepath.Join(filepath.Dir(from.Name), path)}
		for _, directory := range i.importer.ImportPath {
			paths = append(paths, filepath.Join(directory, path))
		}
	}
	for _, path := range paths {
		file, err := i.importer.open(path)
		if err == nil {
			return file, nil
		}
		if failure == nil || !errors.Is(err, fs.ErrNotExist) {
			failure = err
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return nil, failure
}

// Opened returns the file that an import names, which Load has followed; nil where there is none.
func (i *Imports) Opened(from *source.File, path string) *source.File {
	if i.importer == nil {
		return nil
	}
	file, err := i.find(from, path)
	if err != nil {
		return nil
	}
	return file
}

// open reads a file once.
func (i *Importer) open(path string) (*source.File, error) {
	if file := i.opened[filepath.Clean(path)]; file != nil {
		return file, nil
	}
	if filepath.Ext(path) != "" {
		if _, err := i.notation(path); err != nil {
			return nil, err
		}
	}
	file, err := i.Open(path)
	if err == nil {
		i.opened[filepath.Clean(path)] = file
	}
	return file, err
}

func (i *Importer) notation(path string) (*Notation, error) {
	if i.Notation == nil {
		return nil, nil
	}
	return i.Notation(path)
}

// refuse reports an import that cannot be read, each path once.
func (i *Imports) refuse(from *source.File, path string, at source.Span, err error) {
	if slices.Contains(i.failed, path) {
		return
	}
	i.failed = append(i.failed, path)
	help := fmt.Sprintf("the path is relative to the directory of %s, which is %s", filepath.Base(from.Name), directory(from.Name))
	why := err.Error()
	var list source.ErrorList
	switch outside := (*OutsideError)(nil); {
	case errors.As(err, &outside):
		help = "a program imports files below its own directory; --import-path DIR (ParseOptions.ImportPath) allows those below DIR, too"
	case errors.As(err, &list) && len(list) == 1 && list[0].Code == source.CodeExtension:
		why, help = list[0].Message, "name the file after the notation that it is written in"
	}
	i.diagnostics.Errorf(source.CodeImportFailed, at, "%q cannot be imported: %s", path, why).WithHelp("%s", help)
}

// directory is the place of a file for people: "." would not say which.
func directory(name string) string {
	full, err := filepath.Abs(name)
	if err != nil {
		full = name
	}
	return filepath.Dir(full)
}

// isCircle reports an import of a file whose own imports are being followed, by way of another notation.
func (i *Imports) isCircle(file, from *source.File, path string, at source.Span) bool {
	chain := append(slices.Clone(i.importer.chain), link{from, at})
	first := slices.IndexFunc(chain, func(l link) bool { return l.from == file })
	if first < 0 {
		return false
	}
	chain = chain[first:]
	var names []string
	for _, l := range chain {
		names = append(names, filepath.Base(l.from.Name))
	}
	d := i.diagnostics.Errorf(source.CodeImportCircle, at, "%q imports itself: %s", path, strings.Join(append(names, filepath.Base(file.Name)), " imports "))
	for n, l := range chain[:len(chain)-1] {
		d.WithNote(l.at, "%s imports %s here", names[n], names[n+1])
	}
	d.WithHelp("a file is compiled before those of other notations that import it: put what both sides need into a file of its own, which imports neither")
	return true
}

// foreign takes the defs of a file in another notation.
func (i *Imports) foreign(file *source.File, path string, at source.Span) {
	made := i.importer.units[file]
	if made == nil {
		made = &imported{&Unit{}, &source.Diagnostics{}}
		notation, err := i.importer.notation(file.Name)
		if notation == nil {
			if err == nil {
				err = errors.New("no other notations are known here")
			}
			i.refuse(at.File, path, at, err)
			return
		}
		made.unit, made.diagnostics = notation.Compile(file, Options{Importer: i.importer})
		i.importer.units[file] = made
	}
	for _, d := range made.diagnostics.List {
		// Warnings of a single def are among those of the defs that call it.
		if d.Severity == source.Warning && d.IsAmong(made.unit.Warnings()) || slices.Contains(i.diagnostics.List, d) {
			continue
		}
		if i.end(d) == file { // else its notes go another way
			i.note(d, at)
		}
		i.diagnostics.List = append(i.diagnostics.List, d)
	}
	i.Defs = appendNew(i.Defs, made.unit.Defs)
	i.Refused = appendNew(i.Refused, made.unit.Refused)
	i.Files = appendNew(i.Files, made.unit.Files)
}

// IsForeign reports whether a file is one in another notation.
func (i *Imports) IsForeign(file *source.File) bool { return slices.Contains(i.Files, file) }

// Finish ends a unit: it puts diagnostics in the order of the files and of their texts, and says of errors in
// imported files where these are imported.
func (i *Imports) Finish(diagnostics *source.Diagnostics) {
	for _, d := range diagnostics.List {
		for at, ok := i.at[i.end(d)]; ok; at, ok = i.at[i.end(d)] {
			i.note(d, at)
		}
	}
	place := map[*source.File]int{}
	for n, f := range append(slices.Clone(i.own), i.Files...) {
		place[f] = n
	}
	slices.SortStableFunc(diagnostics.List, func(a, b *source.Diagnostic) int {
		return cmp.Or(cmp.Compare(place[a.Span.File], place[b.Span.File]), cmp.Compare(a.Span.Start, b.Span.Start))
	})
}

// end is the file in which an error stands, or the last one of those that were said to import it.
func (i *Imports) end(d *source.Diagnostic) *source.File {
	if i.importer != nil {
		if file := i.importer.ends[d]; file != nil {
			return file
		}
	}
	return d.Span.File
}

// note says of an error where the file at its end is imported.
func (i *Imports) note(d *source.Diagnostic, at source.Span) {
	if d.Severity == source.Error && d.Code != source.CodeImportCircle {
		d.WithNote(at, "%s is imported here", filepath.Base(i.end(d).Name))
	}
	i.importer.ends[d] = at.File
}

// Join adds the defs and files of other notations to the unit, behind its own.
func (i *Imports) Join(unit *Unit) {
	for _, d := range i.Defs {
		// A file of the unit may be imported by files in other notations, too.
		if !slices.ContainsFunc(unit.Defs, func(own *Def) bool { return own.Name == d.Name }) {
			unit.Defs = append(unit.Defs, d)
			unit.Program.Funcs = append(unit.Program.Funcs, d.Func)
		}
	}
	unit.Files = appendNew(unit.Files, i.Files)
	unit.Refused = appendNew(unit.Refused, i.Refused)
}

// appendNew appends what is not there yet.
func appendNew[T comparable](list, more []T) []T {
	for _, v := range more {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}
