package diderot_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/lang/diderot"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// TestDrawn lowers drawn programs: the result is a program, its text is read back, and it runs to its
// end or to a fault, with all strands at once as step by step.
func TestDrawn(t *testing.T) {
	faults, runs := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d := &drawer{t: t}
		program := d.program()
		numbers := diderot.Numbers{Double: d.below(2) == 0, LongInt: d.below(2) == 0}
		plain, err := diderot.LowerToTheLetter(program, numbers)
		if err != nil {
			t.Fatal(err)
		}
		before := strand.Print(plain)
		p, err := diderot.Lower(program, numbers)
		if err != nil {
			t.Fatalf("%v\nbefore the passes:\n%s", err, before)
		}
		again, err := strand.Parse(source.NewFile("printed", strand.Print(p)))
		if err != nil {
			t.Fatal(err, strand.Print(p))
		}
		if strand.Print(again) != strand.Print(p) {
			t.Fatal("the text is not read back:", strand.Print(p))
		}
		runs++
		want, err := runDrawn(p, strand.Options{})
		if err != nil {
			faults++
		} else if got, err := runDrawn(plain, strand.Options{}); err == nil && got != want { // a probe may be left out, and its fault
			t.Fatalf("before the passes:\n%s\n%s%v\nafter:\n%s\n%s", before, got, err, strand.Print(p), want)
		}
		if got, again := runDrawn(p, strand.Options{ForceBSP: true}); got != want || (again == nil) != (err == nil) {
			t.Fatalf("%s\nat once:\n%s %v\nstep by step:\n%s %v", strand.Print(p), want, err, got, again)
		}
	})
	t.Logf("%d of %d programs end with a fault", faults, runs)
	if faults == runs {
		t.Error("all programs end with a fault")
	}
}

// runDrawn returns what a program prints and its outputs.
func runDrawn(p *strand.Program, o strand.Options) (string, error) {
	var out bytes.Buffer
	o.Print = &out
	data := &strand.ImageData{Sizes: []int{5, 4}, Components: 1, Samples: make([]float64, 20), Directions: []float64{0.5, 0.1, 0, 1}, Origin: []float64{-1, 0}}
	for k := range data.Samples {
		data.Samples[k] = float64(k*k%7) - 2
	}
	given := strand.Given{Images: map[string]*strand.ImageData{"img": data}}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	result, err := strand.Evaluate(ctx, p, given, 5, o)
	var fault *strand.Fault
	if err != nil && !errors.As(err, &fault) && !errors.Is(err, strand.ErrNoneStable) {
		return "", err
	}
	if err == nil {
		for _, output := range result.Outputs {
			out.WriteString(output.Name + " " + output.Data.DType().String() + " ")
			if err := tensor.Format(&out, output.Data, tensor.DefaultFormat()); err != nil {
				return "", err
			}
			out.WriteString("\n")
		}
	}
	return out.String(), err
}

func (d *drawer) program() *typed.Program {
	p := &typed.Program{Version: "2.0"}
	img := &typed.Variable{Name: "img", Role: typed.Input, Type: picture}
	d.scope = append(d.scope, img)
	p.Variables = append(p.Variables, img)
	for range d.below(4) {
		p.Variables = append(p.Variables, d.declare(typed.Global, pick(d, d.types(scalarF, vectorF)...)))
	}
	for range d.below(3) {
		f := d.function()
		d.functions = append(d.functions, f)
		p.Functions = append(p.Functions, f)
	}
	s := &typed.Strand{Name: "s"}
	p.Strand = s
	i := &typed.Variable{Name: "i", Role: typed.Parameter, Type: integer}
	s.Params = []*typed.Variable{i}
	globals := len(d.scope)
	d.place, d.scope = inBegin, append(d.scope, i)
	for k := range 1 + d.below(3) {
		v := d.declare(typed.State, pick(d, types...))
		v.Output = v.Type.Kind != typed.String
		s.State = append(s.State, v)
		if k == 0 {
			v.Output = true
			if v.Type.Kind == typed.String {
				v.Type, v.Value = integer, whole(3)
			}
		}
	}
	d.place = inStep
	s.Update = d.block(3)
	s.Update.Stmts = append(s.Update.Stmts, &typed.Leave{Exit: typed.Stabilize})
	d.place, d.scope = inProgram, d.scope[:globals]
	j := &typed.Variable{Name: "j", Role: typed.Iterator, Type: integer}
	p.Create = &typed.Create{Args: []typed.Expr{ref(j)}, Iterators: []*typed.Each{{Variable: j, In: &typed.Range{Node: typed.Node{T: ints}, Low: whole(0), High: whole(2)}}}}
	return p
}

// types are those of values, and some of fields.
func (d *drawer) types(fields ...*typed.Type) []*typed.Type {
	if d.noFields {
		return types
	}
	return slices.Concat(types, fields)
}

func (d *drawer) function() *typed.Function {
	f := &typed.Function{Name: d.name(), Result: pick(d, types[:6]...)}
	outer := d.place
	d.place = inFunction
	defer func() { d.place = outer }()
	d.within(func() {
		for range 1 + d.below(2) {
			p := &typed.Variable{Name: d.name(), Role: typed.Argument, Type: pick(d, types...)}
			f.Params, d.scope = append(f.Params, p), append(d.scope, p)
		}
		f.Body = d.returning(f.Result, 3)
	})
	return f
}

// returning draws a block that ends with a return, and may return before.
func (d *drawer) returning(t *typed.Type, depth int) *typed.Block {
	b := &typed.Block{}
	d.within(func() {
		for range d.below(3) {
			b.Stmts = append(b.Stmts, d.mayReturn(t, depth))
		}
		b.Stmts = append(b.Stmts, &typed.Return{Value: d.expr(t, 2)})
	})
	return b
}

// mayReturn draws a statement of a function.
func (d *drawer) mayReturn(t *typed.Type, depth int) typed.Stmt {
	if depth <= 0 {
		return d.stmt(0)
	}
	switch d.below(5) {
	case 4:
		return d.later(func() *typed.Block { return d.maybe(t, depth-1) })
	case 0:
		return &typed.If{Cond: d.expr(boolean, 2), Then: d.returning(t, depth-1), Else: d.block(1)}
	case 1:
		return &typed.If{Cond: d.expr(boolean, 2), Then: d.maybe(t, depth-1), Else: d.maybe(t, depth-1)}
	case 2:
		var s *typed.Foreach
		d.within(func() {
			each := d.each(1)
			d.scope = append(d.scope, each.Variable)
			d.loops++
			s = &typed.Foreach{Each: each, Body: d.maybe(t, depth-1)}
			d.loops--
		})
		return s
	}
	return d.stmt(1)
}

// later draws a variable that gets its value in both branches of a choice.
func (d *drawer) later(branch func() *typed.Block) typed.Stmt {
	v := &typed.Variable{Name: d.name(), Role: typed.Local, Type: pick(d, types...), Assigned: true}
	choice := &typed.If{Cond: d.expr(boolean, 2), Then: branch(), Else: branch()}
	for _, b := range []*typed.Block{choice.Then, choice.Else} {
		b.Stmts = append(b.Stmts, &typed.Assign{To: v, Value: d.expr(v.Type, 2)})
	}
	d.scope = append(d.scope, v)
	return &typed.Block{Stmts: []typed.Stmt{&typed.Declare{Variable: v}, choice}}
}

// maybe draws a block in which a return may stand.
func (d *drawer) maybe(t *typed.Type, depth int) *typed.Block {
	b := &typed.Block{}
	d.within(func() {
		for range d.below(3) {
			b.Stmts = append(b.Stmts, d.mayReturn(t, depth))
		}
	})
	return b
}

func (d *drawer) block(depth int) *typed.Block {
	b := &typed.Block{}
	d.within(func() {
		for range d.below(4) {
			b.Stmts = append(b.Stmts, d.stmt(depth))
		}
	})
	return b
}

func (d *drawer) stmt(depth int) typed.Stmt {
	if depth > 0 {
		switch d.below(7) {
		case 6:
			return d.later(func() *typed.Block { return d.block(depth - 1) })
		case 0:
			return &typed.If{Cond: d.expr(boolean, 2), Then: d.block(depth - 1), Else: d.block(depth - 1)}
		case 1:
			s := &typed.Foreach{}
			d.within(func() {
				s.Each = d.each(2)
				s.Each.Variable.Assigned = d.below(2) == 0
				d.scope = append(d.scope, s.Each.Variable)
				d.loops++
				s.Body = d.block(depth - 1)
				d.loops--
			})
			return s
		case 2:
			s := &typed.Print{}
			for range d.below(3) {
				s.Args = append(s.Args, d.expr(pick(d, types...), 2))
			}
			return s
		}
	}
	if list := d.assignable(); len(list) > 0 && d.below(2) == 0 {
		v := pick(d, list...)
		v.Assigned = true
		return &typed.Assign{To: v, Value: d.expr(v.Type, 3)}
	}
	return &typed.Declare{Variable: d.declare(typed.Local, pick(d, d.types(scalarF)...))}
}

// assignable are the variables in scope that a statement may assign; sequences do not grow in loops, where
// they would double.
func (d *drawer) assignable() (list []*typed.Variable) {
	for _, v := range d.scope {
		grows := d.loops > 0 && v.Type.Kind == typed.Sequence
		if v.Type.IsValue() && !grows && (v.Role == typed.Local || v.Role == typed.State && d.place == inStep) {
			list = append(list, v)
		}
	}
	return list
}
