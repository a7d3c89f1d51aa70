package diderot

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
)

// declared lists what a program declares, in the order of the text.
func declared(program *typed.Program) []lang.Declared {
	var list []lang.Declared
	add := func(kind string, v *typed.Variable) {
		d := lang.Declared{Pos: v.Pos, Kind: kind, Type: v.Type.String(), Name: v.Name, Doc: v.Doc}
		if v.Value != nil {
			d.Value = strings.Join(strings.Fields(v.Value.Span().Text()), " ")
		}
		list = append(list, d)
	}
	for _, v := range program.Variables {
		kind := v.Role.String()
		if v.Role == typed.Global && isSymbol(v.Type) {
			kind = map[typed.Kind]string{typed.Field: "field", typed.Image: "image", typed.Kernel: "kernel"}[v.Type.Kind]
		}
		add(kind, v)
	}
	for _, f := range program.Functions {
		params := make([]string, len(f.Params))
		for k, p := range f.Params {
			params[k] = p.Type.String() + " " + p.Name
		}
		list = append(list, lang.Declared{Pos: f.Pos, Kind: "function", Type: f.Result.String(), Name: f.Name + "(" + strings.Join(params, ", ") + ")"})
	}
	for _, v := range program.Strand.Params {
		add("parameter", v)
	}
	for _, v := range program.Strand.State {
		if v.Output {
			add("output", v)
		}
	}
	return list
}
