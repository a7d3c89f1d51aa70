package teml

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/callee"
	"github.com/ricci-lang/ricci/internal/lang/expression"
	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How files of TeML share functions
//
// A file that imports another one in TeML may call its functions, and those of the files that it
// imports. They mean what they mean there: they see the functions and the constants of that
// file, and nothing of the program that calls them, whose tensors and loops are given as arguments. A constant
// is what a statement gives a name without a call: V = 32, sizes = [V, 2 * V]. Errors stand at the call in
// the program, with a note of the place in the function, as those in std.teml do without one.
//
// A script is run from its text alone, so the files stand in front of it (writeLibraries).

// An environment is what a program imports: defs of all notations, and functions of TeML.
type environment struct {
	*callee.Table
	libraries []*library
}

func noImports() *environment { return &environment{Table: &callee.Table{}} }

// A library is an imported file in TeML.
type library struct {
	file   *source.File
	parsed *syntax.File
	at     source.Span // where it is imported
}

// librariesOf lists the files of TeML that a file imports, and those that they import.
func librariesOf(imports *lang.Imports, file *source.File, parsed *syntax.File) (list []*library) {
	seen := []*source.File{file}
	var follow func(from *source.File, parsed *syntax.File)
	follow = func(from *source.File, parsed *syntax.File) {
		for _, i := range parsed.Imports {
			file := imports.Opened(from, i.Path)
			if file == nil || filepath.Ext(file.Name) != extension || slices.Contains(seen, file) {
				continue
			}
			seen = append(seen, file)
			l := &library{file: file, at: i.Pos}
			l.parsed, _ = syntax.Parse(file) // what is wrong was reported when it was compiled
			list = append(list, l)
			follow(file, l.parsed)
		}
	}
	follow(file, parsed)
	return list
}

// shareFunctions declares the functions of libraries, and returns where they stand.
func (in *interpreter) shareFunctions() map[string]source.Span {
	declared := map[string]source.Span{}
	for _, l := range in.imports.libraries {
		for _, s := range l.parsed.Statements {
			f, ok := s.(*syntax.Fun)
			if !ok {
				continue
			}
			first, twice := declared[f.Name.Name]
			if twice && first.File != f.Name.Pos.File {
				in.diagnostics.Errorf(source.CodeTeMLName, l.at, "%s and %s both declare the function %s", filepath.Base(first.File.Name), filepath.Base(l.file.Name), f.Name.Name).
					WithNote(first, "the first %s", f.Name.Name).WithNote(f.Name.Pos, "the second one").
					WithHelp("rename one of them; the functions of imported files share one space of names")
			}
			if !twice {
				declared[f.Name.Name] = f.Name.Pos
				in.functions[f.Name.Name] = &function{syntax: f, library: l}
			}
		}
	}
	return declared
}

// constantOf is what a name of a library stands for in its functions.
func (in *interpreter) constantOf(l *library, name string) (value, bool) {
	for _, s := range slices.Backward(l.parsed.Statements) {
		a, ok := s.(*syntax.Assign)
		if !ok || !slices.Contains(in.targets(a), name) {
			continue
		}
		if a.Target.Name != name || a.Real != nil || len(a.More) > 0 || calls(a.Value) {
			pos := a.Pos
			in.fail(source.CodeTeMLName, pos, "%s is no constant of %s, whose functions see no tensors and loops but those that they are given", name, filepath.Base(l.file.Name)).
				help("give it to the function as an argument")
		}
		in.calls = append(in.calls, call{pos: in.at(a.Pos), function: &function{syntax: &syntax.Fun{Pos: a.Pos, Name: a.Target}, library: l}, locals: scope{}})
		if len(in.calls) > maxDepth {
			in.fail(source.CodeTeMLDepth, a.Pos, "the constant %s of %s is made of itself", name, filepath.Base(l.file.Name)).help("give it a value without its own name")
		}
		v := in.eval(a.Value, nil)
		in.calls = in.calls[:len(in.calls)-1]
		return v, true
	}
	return nil, false
}

// calls reports whether an expression calls something.
func calls(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Call:
		return true
	case *syntax.List:
		return slices.ContainsFunc(e.Items, calls)
	case *syntax.Select:
		return calls(e.X) || calls(e.Number)
	}
	return slices.ContainsFunc(expression.Parts(e), calls)
}

// libraryMark begins the lines of a script that have the text of a library, libraryHead the line
// before them, with the name of the file.
const (
	libraryMark = "& "
	libraryHead = "&file "
)

// writeLibraries writes libraries in front of a script.
func writeLibraries(list []*library) string {
	var b strings.Builder
	for _, l := range list {
		fmt.Fprintf(&b, "%s%s\n", libraryHead, oneLine(l.file.Name))
		for line := range strings.Lines(l.file.Text) {
			b.WriteString(libraryMark + strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	return b.String()
}

// readLibraries reads what writeLibraries has written, and returns the rest of the text.
func readLibraries(text string) (list []*library, rest string, err error) {
	for strings.HasPrefix(text, libraryHead) {
		head, rest, _ := strings.Cut(text, "\n")
		var b strings.Builder
		for text = rest; strings.HasPrefix(text, libraryMark); {
			line, rest, _ := strings.Cut(text, "\n")
			b.WriteString(strings.TrimPrefix(line, libraryMark) + "\n")
			text = rest
		}
		l := &library{file: source.NewFile(strings.TrimPrefix(head, libraryHead), b.String())}
		parsed, diagnostics := syntax.Parse(l.file)
		if err := diagnostics.Err(); err != nil {
			return nil, "", err
		}
		l.parsed, list = parsed, append(list, l)
	}
	return list, text, nil
}
