package doctest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// declaration finds the declaration of a name, without its package, among those of a file.
func declaration(file, name string) (node ast.Node, offset func(token.Pos) int, err error) {
	if _, plain, qualified := strings.Cut(name, "."); qualified {
		name = plain
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", file, parser.ParseComments)
	if err != nil {
		return nil, nil, err
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.Name == name {
				node = n
			}
			return false
		case *ast.ValueSpec:
			if n.Names[0].Name == name {
				node = n
			}
			return false
		case *ast.TypeSpec:
			if n.Name.Name == name {
				node = n
			}
		}
		return true
	})
	if node == nil {
		return nil, nil, fmt.Errorf("there is no %s", name)
	}
	return node, func(p token.Pos) int { return files.Position(p).Offset }, nil
}

// withField returns a Go file with a field at the end of a structure.
func withField(file, name, text string) (string, error) {
	node, offset, err := declaration(file, name)
	if err != nil {
		return "", err
	}
	structure, ok := node.(*ast.TypeSpec).Type.(*ast.StructType)
	if !ok {
		return "", fmt.Errorf("%s is no structure", name)
	}
	at := offset(structure.Fields.Closing)
	return file[:at] + text + "\n" + file[at:], nil
}

// withStatements returns a Go file with statements at the beginning of a function, or before its last one.
func withStatements(file, name, where, text string) (string, error) {
	node, offset, err := declaration(file, name)
	if err != nil {
		return "", err
	}
	body := node.(*ast.FuncDecl).Body
	at := offset(body.Lbrace) + 1
	if where == "end" {
		at = offset(body.List[len(body.List)-1].Pos())
	}
	return file[:at] + "\n" + text + "\n" + file[at:], nil
}

// withElement returns a Go file with an element added to the last composite literal in the declaration of a name, at its end or
// behind the element that mentions what a line "after" says.
func withElement(file, name, text string) (string, error) {
	var imported, after string
	element := strings.TrimSpace(text)
	for {
		line, rest, _ := strings.Cut(element, "\n")
		if value, found := strings.CutPrefix(line, "import "); found {
			imported, element = value, rest
		} else if value, found := strings.CutPrefix(line, "after "); found {
			after, element = value, rest
		} else {
			break
		}
	}
	node, offset, err := declaration(file, name)
	if err != nil {
		return "", err
	}
	var table *ast.CompositeLit
	ast.Inspect(node, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if ok {
			table = literal
		}
		return !ok
	})
	if table == nil || len(table.Elts) == 0 {
		return "", fmt.Errorf("%s has no table", name)
	}
	at := len(table.Elts) - 1
	if after != "" {
		at = slices.IndexFunc(table.Elts, func(e ast.Expr) bool { return strings.Contains(file[offset(e.Pos()):offset(e.End())], after) })
	}
	if at < 0 {
		return "", fmt.Errorf("no element of %s mentions %s", name, after)
	}
	end := offset(table.Elts[at].End())
	separator := ", "
	if strings.HasPrefix(file[end:], ",\n") || after != "" {
		separator = ",\n"
	}
	changed := file[:end] + separator + element + file[end:]
	if imported != "" {
		changed = strings.Replace(changed, "import (\n", "import (\n\t"+imported+"\n", 1)
	}
	return changed, nil
}
