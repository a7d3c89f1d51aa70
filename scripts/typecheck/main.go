// Command typecheck checks the types of all packages and tests of the module for another system.
//
// # How it works
//
// go vet would compile every package that the module rests on for that system, which takes
// two CPU minutes where nothing is compiled yet. Here they are read from their sources in the order
// of their imports, and of those outside of the module only the declarations. What is
// found are names and types that the other system does not have, and constants that do not fit
// its integers; scripts/test --long runs go vet, too.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: typecheck SYSTEM ARCHITECTURE, for instance: typecheck windows 386")
		os.Exit(2)
	}
	wrong, err := check(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "typecheck:", err)
		os.Exit(1)
	}
	for _, e := range wrong {
		fmt.Fprintln(os.Stderr, e)
	}
	if len(wrong) > 0 {
		os.Exit(1)
	}
}

// A listed package is one of go list -deps -test, which writes a package behind those that it imports.
type listed struct {
	ImportPath string
	Name       string
	Dir        string
	GoFiles    []string
	CgoFiles   []string
	ImportMap  map[string]string
	Standard   bool
	ForTest    string
	Module     *struct{ Main bool }
	Error      *struct{ Err string }
}

// own reports whether a package is one of the module, whose functions are checked, too.
func (p *listed) own() bool { return p.Module != nil && p.Module.Main }

// check returns the errors in the packages of the module in the working directory.
func check(system, architecture string) (wrong []string, err error) {
	c := checker{files: token.NewFileSet(), sizes: types.SizesFor("gc", architecture), packages: map[string]*types.Package{"unsafe": types.Unsafe}}
	if c.sizes == nil {
		return nil, fmt.Errorf("the Go compiler has no architecture %s", architecture)
	}
	list := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,ImportMap,Standard,ForTest,Module,Error", "./...")
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+architecture, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	output, err := list.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := list.Start(); err != nil {
		return nil, err
	}
	checked := 0
	for decoder := json.NewDecoder(output); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if p.Error != nil {
			return nil, errors.New(p.Error.Err)
		}
		if p.ImportPath == "unsafe" || isTestMain(&p) {
			continue
		}
		if p.own() {
			checked++
		}
		if err := c.check(&p); err != nil {
			return nil, err
		}
	}
	if err := list.Wait(); err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	fmt.Printf("%d packages for %s/%s, %d of them of the module\n", len(c.packages), system, architecture, checked)
	return c.wrong, nil
}

// isTestMain reports whether a package is the main program of tests, which go test writes.
func isTestMain(p *listed) bool {
	return p.Name == "main" && p.ForTest == "" && filepath.Ext(p.ImportPath) == ".test"
}

// A checker has checked the packages before the next one.
type checker struct {
	files    *token.FileSet
	sizes    types.Sizes
	packages map[string]*types.Package
	wrong    []string
}

func (c *checker) check(p *listed) error {
	var files []*ast.File
	for _, name := range append(p.GoFiles, p.CgoFiles...) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		file, err := parser.ParseFile(c.files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			if p.own() {
				c.complain(err)
				continue
			}
			return err
		}
		files = append(files, file)
	}
	config := types.Config{
		Importer:         importer{c, p.ImportMap},
		Sizes:            c.sizes,
		IgnoreFuncBodies: !p.own(),
		FakeImportC:      true,
		Error: func(err error) {
			if p.own() {
				c.complain(err)
			}
		},
	}
	// Errors of other modules are not ours; those that matter come back where they are used.
	checked, _ := config.Check(p.ImportPath, c.files, files, nil)
	c.packages[p.ImportPath] = checked
	return nil
}

// complain notes an error; a package is checked again with its tests.
func (c *checker) complain(err error) {
	if text := err.Error(); !slices.Contains(c.wrong, text) {
		c.wrong = append(c.wrong, text)
	}
}

// An importer finds what a package imports under the name that go list gives it.
type importer struct {
	checker *checker
	names   map[string]string
}

func (i importer) Import(path string) (*types.Package, error) {
	if name, ok := i.names[path]; ok {
		path = name
	}
	if p := i.checker.packages[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("the package %s is not listed", path)
}
