package doctest

import (
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestExported asks that whoever uses the module can name all that its packages show: what is exported, and the fields, methods and
// signatures that one reaches from there, rest on no type of an internal package, but where an exported alias gives it a name.
func TestExported(t *testing.T) {
	packages, err := exported(root)
	if err != nil {
		t.Fatal(err)
	}
	v := &shown{named: map[types.Object]bool{}, seen: map[types.Type]bool{}}
	for _, p := range packages {
		v.name(p)
	}
	for _, p := range packages {
		for _, name := range p.Scope().Names() {
			if o := p.Scope().Lookup(name); o.Exported() {
				v.show(p.Name()+"."+name, o.Type())
			}
		}
	}
	for _, complaint := range v.complaints {
		t.Error(complaint)
	}
	if len(v.seen) < 100 {
		t.Errorf("%d types were looked at", len(v.seen))
	}
}

// The walk finds a type that nobody can name wherever it stands, and lets aliases pass.
func TestExportedFinds(t *testing.T) {
	inner := types.NewPackage(module+"/internal/inner", "inner")
	hidden := types.NewNamed(types.NewTypeName(0, inner, "Hidden", nil), types.Typ[types.Int], nil)
	outer := types.NewPackage(module+"/m", "m")
	one := func(of types.Type) *types.Tuple { return types.NewTuple(types.NewParam(0, outer, "x", of)) }
	field := func(name string) types.Type {
		return types.NewStruct([]*types.Var{types.NewField(0, outer, name, types.NewPointer(hidden), false)}, nil)
	}
	owner := types.NewNamed(types.NewTypeName(0, outer, "Owner", nil), types.Typ[types.Int], nil)
	method := types.NewSignatureType(types.NewVar(0, outer, "o", owner), nil, nil, nil, one(types.NewSlice(hidden)), false)
	owner.AddMethod(types.NewFunc(0, outer, "Method", method))
	heir := types.NewNamed(types.NewTypeName(0, outer, "Heir", nil), types.NewStruct([]*types.Var{types.NewField(0, outer, "owner", owner, true)}, nil), nil)
	for _, test := range []struct {
		what  string
		of    types.Type
		wrong bool
	}{
		{"argument", types.NewSignatureType(nil, nil, nil, one(types.NewMap(types.Typ[types.Int], hidden)), nil, false), true},
		{"result", types.NewSignatureType(nil, nil, nil, nil, one(types.NewChan(types.SendRecv, hidden)), false), true},
		{"field", field("Field"), true},
		{"unexported field", field("field"), false},
		{"method", owner, true},
		{"embedded", types.NewStruct([]*types.Var{types.NewField(0, outer, "inside", field("Field"), true)}, nil), true},
		{"promoted method", heir, true},
	} {
		for _, alias := range []bool{false, true} {
			v := &shown{named: map[types.Object]bool{}, seen: map[types.Type]bool{}}
			if alias {
				v.named[hidden.Obj()] = true
			}
			v.show("m.X", test.of)
			if got := len(v.complaints) > 0; got != (test.wrong && !alias) {
				t.Errorf("%s, alias %v: %q", test.what, alias, v.complaints)
			}
		}
	}
}

// shown walks over what packages show.
type shown struct {
	named      map[types.Object]bool // types that an exported alias names
	seen       map[types.Type]bool
	complaints []string
}

// name notes the exported aliases of a package.
func (v *shown) name(p *types.Package) {
	for _, name := range p.Scope().Names() {
		o, is := p.Scope().Lookup(name).(*types.TypeName)
		if !is || !o.Exported() || !o.IsAlias() {
			continue
		}
		if n, is := types.Unalias(o.Type()).(*types.Named); is {
			v.named[n.Obj()] = true
		}
	}
}

// show looks at a type that is reached from where the text says.
func (v *shown) show(from string, of types.Type) {
	of = types.Unalias(of)
	if v.seen[of] {
		return
	}
	v.seen[of] = true
	switch of := of.(type) {
	case *types.Named:
		v.showNamed(from, of)
	case *types.Struct:
		for f := range of.Fields() {
			switch {
			case f.Exported():
				v.show(from+"."+f.Name(), f.Type())
			case f.Embedded(): // its fields are promoted
				v.show(from, f.Type().Underlying())
			}
		}
	case *types.Interface:
		for m := range of.Methods() {
			if m.Exported() {
				v.show(from+"."+m.Name(), m.Type())
			}
		}
	case *types.Signature:
		for _, list := range []*types.Tuple{of.Params(), of.Results()} {
			for x := range list.Variables() {
				v.show(from, x.Type())
			}
		}
	case *types.Map:
		v.show(from, of.Key())
		v.show(from, of.Elem())
	case interface{ Elem() types.Type }: // a pointer, an array, a slice, a channel
		v.show(from, of.Elem())
	}
}

// showNamed looks at a type of this module: others are not its own.
func (v *shown) showNamed(from string, of *types.Named) {
	for argument := range of.TypeArgs().Types() {
		v.show(from, argument)
	}
	o := of.Obj()
	if o.Pkg() == nil {
		return
	}
	path := o.Pkg().Path()
	if path != module && !strings.HasPrefix(path, module+"/") {
		return
	}
	if strings.Contains(path, "/internal/") && !v.named[o] {
		v.complaints = append(v.complaints, fmt.Sprintf("%s shows %s.%s, which nobody else can name", from, path, o.Name()))
		return
	}
	name := o.Pkg().Name() + "." + o.Name()
	v.show(name, of.Underlying())
	for m := range types.NewMethodSet(types.NewPointer(of)).Methods() { // promoted ones, too
		if m.Obj().Exported() {
			v.show(name+"."+m.Obj().Name(), m.Type())
		}
	}
}

// exported reads what the packages of the module that others can import export.
func exported(root string) ([]*types.Package, error) {
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{.Name}}", "./...")
	list.Dir, list.Stderr = root, os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	var own []string
	for line := range strings.Lines(string(out)) {
		path, rest, _ := strings.Cut(strings.TrimSpace(line), "\t")
		file, name, _ := strings.Cut(rest, "\t")
		files[path] = file
		if (path == module || strings.HasPrefix(path, module+"/")) && name != "main" && !slices.Contains(strings.Split(path, "/"), "internal") {
			own = append(own, path)
		}
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, errors.New("no export data of " + path)
		}
		return os.Open(files[path])
	})
	var packages []*types.Package
	for _, path := range own {
		p, err := from.Import(path)
		if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	return packages, nil
}
