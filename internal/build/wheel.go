package build

import (
	"bytes"
	"context"
	_ "embed" // of the Python text
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/scratch"
	"github.com/ricci-lang/ricci/internal/wheel"
)

// A wheel is a package for Python with one library of all defs, and a function with type hints for each.

//go:embed python/functions.py
var pythonFunctions string

// WheelOptions say what package is made; ricci.WheelOptions explains them.
type WheelOptions struct {
	Sizes         map[string]int64
	Dir           string
	Name, Version string
	Options       compile.Options
}

// Wheel writes a package of defs and returns its path.
func Wheel(ctx context.Context, defs []NamedDef, options WheelOptions) (string, error) {
	if err := wheel.CheckVersion(options.Version); err != nil {
		return "", err
	}
	if len(defs) == 0 {
		return "", errors.New("the program has no def to make a package of")
	}
	module := pythonName(strings.ToLower(options.Name))
	if slices.Contains(strings.Fields(neededModules), module) {
		return "", fmt.Errorf("the package cannot be called %s, which is the name of one that it needs itself: give it another name, --name, WheelOptions.Name", module)
	}
	t, err := together(ctx, defs, Options{Sizes: options.Sizes, Emit: SO, Name: module, Options: options.Options}, true)
	if err != nil {
		return "", err
	}
	if card := t.libraries[0].card; card != nil {
		return "", fmt.Errorf("wheels are for the processor, and not for the device %s: --emit so makes a library that tvm-ffi loads", card.Name)
	}
	object, err := portable(ctx, t.text, t.libraries[0].card, options.Options)
	if err != nil {
		return "", err
	}
	text, err := pythonModule(module, t.libraries)
	if err != nil {
		return "", err
	}
	w := &wheel.Wheel{
		Name: strings.ReplaceAll(module, "_", "-"), Version: options.Version, Summary: "Functions on arrays, compiled by Ricci", Python: ">=3.9", Requires: []string{"numpy>=1.22"},
		Files: []wheel.File{
			{Path: module + "/__init__.py", Data: text}, {Path: module + "/_functions.py", Data: []byte(pythonFunctions)}, {Path: module + "/py.typed"},
			{Path: module + "/_library.so", Data: object, Executable: true},
		},
	}
	if w.Tag, err = wheel.TagOf(object); err != nil {
		return "", err
	}
	var archive bytes.Buffer
	if err := w.Write(&archive); err != nil {
		return "", err
	}
	if err := os.MkdirAll(options.Dir, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(options.Dir, w.FileName())
	if err := mayReplace(path); err != nil {
		return "", err
	}
	return path, scratch.Write(path, archive.Bytes())
}

// neededModules are what the modules of a package import.
const neededModules = `ctypes json numpy os typing`

// pythonKeywords are what nothing in Python may be called, and what the functions of a package use themselves.
const pythonKeywords = ` False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not
	or pass raise return try while with yield match out Any Optional NDArray Tuple np `

// pythonName makes a name of Python.
func pythonName(name string) string {
	name = regexp.MustCompile(`[^A-Za-z0-9_]`).ReplaceAllString(name, "_")
	if name == "" || !regexp.MustCompile(`^[A-Za-z]`).MatchString(name) {
		name = "f" + name
	}
	if slices.Contains(strings.Fields(pythonKeywords), name) {
		name += "_"
	}
	return name
}

// A pythonFunction is what the module's text says of a function.
type pythonFunction struct {
	Name, Symbol, Signature      string
	Parameters, Result           string
	Inputs, InOuts, Sizes, Given string
}

var pythonTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("module").Parse(`"""Functions on arrays, compiled by Ricci.
{{range .}}
* {{.Signature}}{{end}}

Arrays have the types that are written here. What is passed as out is written to, and returned.
"""

import ctypes
import os
from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from ._functions import Function

_library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_library.so"))
{{range .}}_{{.Name}} = Function(_library, "{{.Symbol}}")
{{end}}
__all__ = [{{range $i, $f := .}}{{if $i}}, {{end}}"{{$f.Name}}"{{end}}]
{{range .}}

def {{.Name}}({{.Parameters}}) -> {{.Result}}:
    """{{.Signature}}"""
    return _{{.Name}}([{{.Inputs}}], [{{.InOuts}}], {{.Given}}, [{{.Sizes}}])
{{end}}`))
})

// pythonModule is the text of the package's module.
func pythonModule(module string, libraries []*library) ([]byte, error) {
	var list []pythonFunction
	taken := map[string]bool{}
	for _, l := range libraries {
		f := l.pythonFunction()
		if taken[f.Name] {
			return nil, fmt.Errorf("two functions of the package %s are called %s", module, f.Name)
		}
		taken[f.Name] = true
		list = append(list, f)
	}
	var b bytes.Buffer
	err := pythonTemplate().Execute(&b, list)
	return b.Bytes(), err
}

// hint is the type of an argument in Python.
func hint(a *DescriptorArgument) string {
	switch {
	case a.Type == "bfloat16":
		return "NDArray[np.uint16]"
	case a.Type == "bool":
		return "NDArray[np.bool_]"
	}
	return "NDArray[np." + a.Type + "]"
}

// pythonFunction describes the function of a library: inputs, then in-outs, then by their names outputs and sizes.
func (l *library) pythonFunction() pythonFunction {
	var inputs, inouts, outputs, results, parameters, sizes, keywords []string
	taken := map[string]bool{}
	unique := func(name string) string {
		for name = pythonName(name); taken[name]; name += "_" {
		}
		taken[name] = true
		return name
	}
	for i := range l.descriptor.Arguments {
		a := &l.descriptor.Arguments[i]
		if a.Role == "out" {
			outputs, results = append(outputs, a.Name), append(results, hint(a))
			continue
		}
		name := unique(a.Name)
		if a.Role == "inout" {
			inouts, results = append(inouts, name), append(results, hint(a))
			parameters = append(parameters, name+": "+hint(a))
			continue
		}
		inputs = append(inputs, name)
		if parameters = append(parameters, name+": "+hint(a)); len(a.Shape) == 0 {
			parameters[len(parameters)-1] = name + ": Any"
		}
	}
	for _, s := range l.function.Tensors.Sizes {
		if s.Argument < 0 || s.Argument < len(l.descriptor.Arguments) && l.descriptor.Arguments[s.Argument].Role == "out" {
			name := unique(s.Name)
			if sizes = append(sizes, name); s.Argument < 0 {
				keywords = append(keywords, name+": int")
			} else {
				keywords = append(keywords, name+": Optional[int] = None") // out may tell it
			}
		}
	}
	given := "None"
	if len(outputs) > 0 {
		given = "out"
		keywords = append(keywords, "out: Optional[Any] = None")
	}
	if len(keywords) > 0 {
		parameters = append(append(parameters, "*"), keywords...)
	}
	result := "Tuple[" + strings.Join(results, ", ") + "]"
	if len(results) == 1 {
		result = results[0]
	}
	list := func(names []string) string { return strings.Join(names, ", ") }
	return pythonFunction{
		Name: pythonName(l.name), Symbol: l.name, Signature: strings.ReplaceAll(strings.ReplaceAll(l.signature, `\`, `\\`), `"""`, `"`),
		Parameters: list(parameters), Result: result, Inputs: list(inputs), InOuts: list(inouts), Sizes: list(sizes), Given: given,
	}
}
