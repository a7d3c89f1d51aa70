package mutate

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// helperPath is what mutated files import, by a name that none of them has.
const helperPath, helperName = "github.com/ricci-lang/ricci/internal/mutate/active", "planted"

// A Mutant is one planted fault.
type Mutant struct {
	Number   int
	Room     string
	File     string // below the root of the project
	Line     int
	Function string
	Operator string
	Before   string // the text that is mutated, shortened to a line
	After    string

	edit edit
}

// String describes the mutant in a line.
func (m Mutant) String() string {
	return fmt.Sprintf("%d %s:%d %s: %s: %s → %s", m.Number, m.File, m.Line, m.Function, m.Operator, m.Before, m.After)
}

// Key says which mutant it is while lines move.
func (m Mutant) Key() string {
	return fmt.Sprintf("%s %s: %s: %s → %s", m.File, m.Function, m.Operator, m.Before, m.After)
}

// A source is a file of a room.
type source struct {
	path       string // absolute
	text       string
	clause     int // where the package clause ends
	candidates []Mutant
}

// A reading is a room with its types and its candidates.
type reading struct {
	room    Room
	own     *packages.Package
	helper  *types.Package // package active
	sources []*source
}

// load reads a room and lists its candidates.
func load(root string, room Room) (*reading, error) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile | packages.NeedModule | packages.NeedTypesSizes
	list, err := packages.Load(&packages.Config{Mode: mode, Dir: root}, "./"+room.Package, helperPath)
	if err != nil {
		return nil, err
	}
	r := &reading{room: room}
	for _, p := range list {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %v", p.PkgPath, p.Errors)
		}
		if p.PkgPath == helperPath {
			r.helper = p.Types
		} else {
			r.own = p
		}
	}
	for _, syntax := range r.own.Syntax {
		w, err := newWalker(root, r, syntax)
		if err != nil {
			return nil, err
		}
		if room.has(filepath.Base(w.path)) {
			w.file(syntax)
		}
		r.sources = append(r.sources, w.source)
	}
	return r, nil
}

func (r Room) has(name string) bool {
	if name == r.Except {
		return false
	}
	for _, pattern := range r.Files {
		if ok, _ := filepath.Match(pattern, name); ok {
			return true
		}
	}
	return len(r.Files) == 0
}

// A walker lists the candidates of a file.
type walker struct {
	*source
	room     Room
	relative string
	tokens   *token.File
	info     *types.Info
	own      *types.Package
	imports  map[*types.Package]string // the names of imported packages
	function string
	above    []ast.Node // from the outermost node to the parent of the one that is visited
}

func newWalker(root string, r *reading, syntax *ast.File) (*walker, error) {
	p := r.own
	tokens := p.Fset.File(syntax.Pos())
	text, err := os.ReadFile(tokens.Name())
	if err != nil {
		return nil, err
	}
	relative, err := filepath.Rel(root, tokens.Name())
	if err != nil {
		return nil, err
	}
	w := &walker{source: &source{path: tokens.Name(), text: string(text), clause: tokens.Offset(syntax.Name.End())}, room: r.room, relative: relative, tokens: tokens, info: p.TypesInfo, own: p.Types, imports: map[*types.Package]string{}}
	for _, spec := range syntax.Imports {
		imported := p.TypesInfo.PkgNameOf(spec)
		w.imports[imported.Imported()] = imported.Name()
	}
	return w, nil
}

// file visits the functions and the tables of a file.
func (w *walker) file(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			w.function = d.Name.Name
			if d.Recv != nil && len(d.Recv.List) == 1 {
				w.function = strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*") + "." + d.Name.Name
			}
			if d.Body != nil && d.Name.Name != "String" && d.Name.Name != "Error" {
				w.entry(d)
				w.visit(d.Body)
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				w.function = "table"
				w.visit(d)
			}
		}
	}
}

// visit offers a node and what is in it to the operators.
func (w *walker) visit(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			w.above = w.above[:len(w.above)-1]
			return false
		}
		if w.skipped(n) {
			return false
		}
		for _, o := range operators {
			if o.texts && !w.room.Texts {
				continue
			}
			o.find(w, n, func(c candidate) { w.add(o.name, n, c) })
		}
		w.above = append(w.above, n)
		return true
	})
}

// skipped reports whether nothing in a node is mutated: types, constants, words of errors.
func (w *walker) skipped(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok != token.VAR
	case *ast.ArrayType, *ast.MapType, *ast.StructType, *ast.FuncType, *ast.InterfaceType, *ast.ChanType, *ast.CommentGroup:
		return true
	case *ast.CallExpr:
		return wordsError(n)
	case ast.Expr:
		return w.info.Types[n].IsType()
	}
	return false
}

// wordsError reports whether a call makes an error, or something that is shown with one.
func wordsError(call *ast.CallExpr) bool {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
		if x, ok := f.X.(*ast.Ident); ok && x.Name == "errors" {
			return true
		}
	}
	name = strings.ToLower(name)
	for _, part := range []string{"errorf", "internalf", "panic", "withnote", "withhelp", "refuse", "broken", "illegal", "invalid"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// A candidate is a mutation that an operator found. In the pattern, @ stands for the number of the mutant.
type candidate struct {
	at      ast.Node // what is replaced; nil: the node itself
	pattern string
	parts   []ast.Node
	after   string // for people
}

// add makes the mutant of a candidate.
func (w *walker) add(operator string, n ast.Node, c candidate) {
	if c.at == nil {
		c.at = n
	}
	r := w.span(c.at)
	e := edit{from: r.from, to: r.to, pattern: c.pattern}
	for _, p := range c.parts {
		e.parts = append(e.parts, w.span(p))
	}
	w.addEdit(operator, e, w.text[r.from:r.to], c.after)
}

func (w *walker) addEdit(operator string, e edit, before, after string) {
	if strings.Contains(e.pattern, unwritable) {
		return
	}
	w.candidates = append(w.candidates, Mutant{Room: w.room.Name, File: w.relative, Line: w.tokens.Line(w.tokens.Pos(e.from)),
		Function: w.function, Operator: operator, Before: shorten(before), After: shorten(after), edit: e})
}

func (w *walker) span(n ast.Node) span {
	return span{w.tokens.Offset(n.Pos()), w.tokens.Offset(n.End())}
}

// words is the text of a node.
func (w *walker) words(n ast.Node) string {
	r := w.span(n)
	return w.text[r.from:r.to]
}

// parent is the node above the one that is visited; nil at the top.
func (w *walker) parent() ast.Node {
	if len(w.above) == 0 {
		return nil
	}
	return w.above[len(w.above)-1]
}

// shorten makes a line of a text, not too long.
func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 100 {
		text = string(runes[:100]) + "…"
	}
	return text
}
