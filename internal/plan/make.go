package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/source"
)

// A Kernel is what a plan is made of.
type Kernel struct {
	Name     string
	Func     *ein.Func // of the program, with all sizes symbolic
	Files    []*source.File
	Sizes    map[string]int64 // that are compiled in
	Strides  map[string][]int // of arguments that are not dense
	Loop     *loop.Func
	Names    map[string]string // of the program, by those of Loop; nil: they are the same
	Target   string
	Symbol   string
	Schedule string
}

// Make describes a kernel in the names of the program.
func Make(k Kernel) (*Plan, error) {
	p := &Plan{Version: Version, Name: k.Name, Target: k.Target, Schedule: k.Schedule, Shortened: loop.Shortens(k.Loop), Sizes: []Size{}}
	p.addArguments(k)
	p.addConditions(k)
	p.Workspace = Workspace{Bytes: k.Loop.Workspace, Thread: k.Loop.Own}
	if k.Loop.DynamicWorkspace != nil {
		env := map[string]affine.Expr{}
		for canonical, name := range k.Names {
			env[canonical] = affine.Symbol(name)
		}
		p.Workspace.Dynamic = k.Loop.DynamicWorkspace.Subst(env).String()
	}
	words, err := Words(k.Loop, k.name)
	if err != nil {
		return nil, err
	}
	p.AddLaunches(k.Loop, k.Symbol, words)
	for _, s := range k.Loop.Sites {
		name := k.name(s.Tensor)
		p.Faults = append(p.Faults, Fault{Span: k.span(s.Pos), Tensor: name, Dim: s.Dim, Lo: s.Lo, Hi: s.Hi, Message: fmt.Sprintf("%s is read at %%d in dimension %d", name, s.Dim)})
	}
	for _, n := range k.Loop.Notices {
		p.Notices = append(p.Notices, Notice{Span: k.span(n.Pos), Offset: n.Buffer.Offset, Message: GuardTripped})
	}
	return p, nil
}

// AddLaunches lists the grids of a program whose module has a symbol; one without grids is called once.
func (p *Plan) AddLaunches(f *loop.Func, symbol string, words []Word) {
	grids := loop.Grids(f)
	if len(grids) == 0 {
		p.Launches = []Launch{{Symbol: symbol, Words: words}}
		return
	}
	p.Host = loop.Print(loop.HostPart(f))
	for i, g := range grids {
		l := Launch{Symbol: loop.GridSymbol(symbol, i), Words: words, Local: fmt.Sprint(g.LocalBytes()), Dynamic: g.DynamicBytes()}
		for _, a := range g.Groups {
			l.Grid = append(l.Grid, loop.ExprText(a.Count))
		}
		for _, a := range g.Items {
			l.Group = append(l.Group, fmt.Sprint(a.Count))
		}
		p.Launches = append(p.Launches, l)
	}
}

// GuardTripped is what a notice says.
const GuardTripped = "regrouped products gave infinities or NaNs, so that this sum was computed once more as it is written"

// addArguments lists the arguments and sizes.
func (p *Plan) addArguments(k Kernel) {
	for _, t := range append(k.Func.Inputs(), k.Func.Outputs()...) {
		a := Argument{Name: t.Name, Type: t.Type.String(), Role: t.Role.String(), Shape: []string{}}
		for _, d := range t.Dims {
			a.Shape = append(a.Shape, d.Extent.String())
		}
		for _, stride := range k.Strides[t.Name] {
			a.Strides = append(a.Strides, int64(stride))
		}
		p.Arguments = append(p.Arguments, a)
	}
	for _, s := range k.Func.Sizes {
		one := Size{Name: s.Name}
		if value, fixed := k.Sizes[s.Name]; fixed {
			one.Value = &value
		}
		if s.Tensor != nil {
			one.Argument, one.Dim = s.Tensor.Name, s.Dim
		}
		p.Sizes = append(p.Sizes, one)
	}
}

// addConditions lists what is to be tested of sizes that are not compiled in.
func (p *Plan) addConditions(k Kernel) {
	known := map[string]affine.Expr{}
	for name, value := range k.Sizes {
		known[name] = affine.Const(value)
	}
	for _, t := range k.Func.SizeTests(known) {
		if !t.Zero { // that a size has the value which is compiled in follows from Sizes
			p.Conditions = append(p.Conditions, Condition{Expr: t.Expr.String(), Message: t.Text, Code: string(t.Code)})
		}
	}
}

// name is that of the program.
func (k Kernel) name(canonical string) string {
	if k.Names == nil {
		return canonical
	}
	return k.Names[canonical]
}

func (k Kernel) span(s source.Span) Span {
	return Span{File: slices.Index(k.Files, s.File), Start: s.Start, End: s.End}
}

// In returns the place in the files that it counts.
func (s Span) In(files []*source.File) source.Span {
	if s.File >= 0 && s.File < len(files) {
		return source.Span{File: files[s.File], Start: s.Start, End: s.End}
	}
	return source.Span{}
}

// Words lists the parameters of a kernel, with names that are translated.
func Words(f *loop.Func, name func(string) string) ([]Word, error) {
	var list []Word
	for _, p := range f.Params {
		size, isSize := strings.CutPrefix(p.Origin, "size ")
		packed, isPacked := strings.CutPrefix(p.Origin, lower.PackedOrigin)
		switch {
		case p.Buffer != nil:
			list = append(list, Word{Tensor: name(p.Buffer.Name)})
		case isSize:
			list = append(list, Word{Size: name(size)})
		case isPacked:
			list = append(list, Word{Packed: name(packed)})
		default:
			return nil, source.Internalf("plan", source.Span{}, "the parameter %s of the kernel is of an unknown kind", p.Origin)
		}
	}
	return list, nil
}
