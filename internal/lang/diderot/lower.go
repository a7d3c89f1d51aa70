package diderot

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/passes"
	"github.com/ricci-lang/ricci/tensor"
)

// Numbers says how a program computes.
type Numbers struct {
	Double  bool // reals are float64
	LongInt bool // ints are int64
}

// lowering is the state of a lowering.
type lowering struct {
	p         *strand.Program
	store     *field.Store
	block     *strand.Block
	names     map[string]bool
	named     map[*typed.Variable]bool             // that have their names in the program
	values    map[*typed.Variable]value            // of variables in scope
	variables map[*typed.Variable]*strand.Variable // those that are variables of the program, too
	changing  map[*ein.Local]bool                  // that a statement of the text assigns
	symbols   symbols
	home      strand.Role // of variables that keep what a field depends on

	flagged bool // the function that is inlined has a flag that says whether it has returned

	techniques field.NormaliseOptions
	probed     []*probing
	problems   source.Diagnostics // of the program, that only the lowering sees
}

// Lower makes a program of strands of a checked program, and improves it. What the language has and Ricci
// does not is a source.ErrorList.
func Lower(program *typed.Program, numbers Numbers) (*strand.Program, error) {
	p, err := lower(program, numbers)
	if err != nil {
		return nil, err
	}
	passes.Run(p)
	return p, verified(p)
}

func verified(p *strand.Program) error {
	if err := strand.Verify(p); err != nil {
		return fmt.Errorf("%w\n%s", err, strand.Print(p))
	}
	return nil
}

// lower makes a program of strands to the letter.
func lower(program *typed.Program, numbers Numbers) (*strand.Program, error) {
	l := newLowering(program, numbers)
	return l.p, l.whole(program)
}

// whole lowers all of a program.
func (l *lowering) whole(program *typed.Program) (err error) {
	defer source.RecoverInternal("diderot", &err)
	l.outside(program)
	l.globals(program, nil)
	l.strand(program)
	l.p.GlobalStart, l.p.GlobalUpdate = l.lowered(program.Start), l.lowered(program.Update)
	l.create(program.Create)
	if err := l.problems.Err(); err != nil {
		return err
	}
	return verified(l.p)
}

func newLowering(program *typed.Program, numbers Numbers) *lowering {
	reals, integers := tensor.Float32, tensor.Int32
	if numbers.Double {
		reals = tensor.Float64
	}
	if numbers.LongInt {
		integers = tensor.Int64
	}
	l := &lowering{
		p: strand.NewProgram(program.Strand.Name, reals, integers), store: field.NewStore(), names: map[string]bool{}, named: map[*typed.Variable]bool{},
		values: map[*typed.Variable]value{}, variables: map[*typed.Variable]*strand.Variable{}, changing: map[*ein.Local]bool{},
		symbols: newSymbols(), home: strand.Temporary,
	}
	l.p.Pos = program.Pos
	return l
}

// outside gives the names that are seen from outside: those of inputs, and of states, which are outputs or the pos of
// queries. Other variables of these names get others.
func (l *lowering) outside(program *typed.Program) {
	for _, v := range program.Variables {
		if v.Role == typed.Input && !l.names[v.Name] {
			l.names[v.Name], l.named[v] = true, true
		}
	}
	for _, v := range program.Strand.State {
		if !isSymbol(v.Type) && !l.names[v.Name] {
			l.names[v.Name], l.named[v] = true, true
		}
	}
}

// nameOf is the name of a variable of the text in the program.
func (l *lowering) nameOf(v *typed.Variable) string {
	if l.named[v] {
		return v.Name
	}
	return l.unique(v.Name)
}

// declare makes a variable of the text one of the program.
func (l *lowering) declare(v *typed.Variable, role strand.Role) *strand.Variable {
	if v.Type.Kind == typed.Nothing {
		panic(source.Internalf("diderot", v.Pos, "%s has no type", v.Name))
	}
	declared := l.p.Declare(v.Pos, role, l.nameOf(v), typeOf(v.Type))
	l.know(v, declared)
	return declared
}

// globals lowers what the program declares before the strand; where needs are given, no more than these.
func (l *lowering) globals(program *typed.Program, of *needs) {
	l.home = strand.Global
	l.p.Initialize = l.into(func() {
		for _, v := range program.Variables {
			if of == nil || of.variables[v] {
				l.global(v)
			} else {
				l.nameOf(v) // others do not get it
			}
		}
		if program.Initialize != nil && (of == nil || of.initialize) {
			l.home = strand.Temporary
			l.stmts(program.Initialize.Stmts)
		}
	})
	l.home = strand.Temporary
}

// isSymbol reports whether a variable of a type is known while lowering only.
func isSymbol(t *typed.Type) bool {
	return t.Kind == typed.Image || t.Kind == typed.Field || t.Kind == typed.Kernel
}

func (l *lowering) global(v *typed.Variable) {
	load, isLoad := v.Value.(*typed.Load)
	made, isMade := v.Value.(*typed.Made)
	switch {
	case v.Type.Kind == typed.Image && (v.Role == typed.Input || isLoad):
		path := ""
		if isLoad {
			path = load.Path
		}
		l.values[v] = l.declareImage(v.Pos, l.nameOf(v), v.Type, path, v.Role == typed.Input, v.Doc)
	case isMade:
		l.values[v] = l.made(made, v.Name)
	case isSymbol(v.Type):
		l.values[v] = l.captured(v.Pos, l.expr(v.Value))
	case v.Role == typed.Input:
		l.input(v)
	case v.Role == typed.Const:
		x := l.constant(v.Type, v.Constant)
		l.set(v.Pos, l.declare(v, strand.Const), x)
		named := l.values[v]
		named.constant = x.constant
		l.values[v] = named
	case isLoad:
		l.declare(v, strand.Loaded).File = load.Path
	default:
		g := l.declare(v, strand.Global)
		if v.Value != nil {
			l.set(v.Pos, g, l.expr(v.Value))
		}
	}
}

// input declares an input that is no image.
func (l *lowering) input(v *typed.Variable) {
	input := l.declare(v, strand.Input)
	input.Doc = v.Doc
	if load, ok := v.Value.(*typed.Load); ok {
		input.File = load.Path
	}
	if v.Constant == nil {
		return
	}
	x := l.constant(v.Type, v.Constant)
	input.Default = []*ein.Const{}
	parts := x.parts
	if x.list != nil {
		for _, item := range x.list.items {
			parts = append(parts, item.Parts...)
		}
	}
	for _, e := range parts {
		input.Default = append(input.Default, e.(*ein.Const))
	}
}

// strand lowers the strand.
func (l *lowering) strand(program *typed.Program) {
	s := program.Strand
	for _, v := range s.Params {
		l.declare(v, strand.Parameter)
	}
	for _, v := range s.State {
		if !isSymbol(v.Type) {
			l.declare(v, strand.State).Output = v.Output
		}
	}
	l.p.Begin = l.into(func() {
		l.home = strand.State
		for _, v := range s.State {
			switch {
			case isSymbol(v.Type):
				l.values[v] = l.captured(v.Pos, l.expr(v.Value))
			case v.Value != nil:
				l.set(v.Pos, l.variables[v], l.expr(v.Value))
			default: // it gets its value in initialize, or in start
				l.set(v.Pos, l.variables[v], l.zero(l.variables[v].Type))
			}
		}
		l.home = strand.Temporary
		if s.Initialize != nil {
			l.stmts(s.Initialize.Stmts)
		}
	})
	l.p.Start, l.p.Update, l.p.Stabilize = l.lowered(s.Start), l.lowered(s.Update), l.lowered(s.Stabilize)
}

// create lowers the creation of the first strands.
func (l *lowering) create(c *typed.Create) {
	to := &l.p.Create
	to.Pos, to.Collection = c.Pos, c.Collection
	var elements []func()
	to.Before = l.into(func() {
		for _, each := range c.Iterators {
			s := l.listOf(l.expr(each.In))
			v := l.temp(each.Pos, each.Variable.Name, strand.Type{Elem: strand.Int})
			i := strand.Iterator{Variable: v, Low: s.low, High: s.high}
			element := func() { l.values[each.Variable] = l.as(each.Pos, each.Variable.Type, of(v)) }
			if s.low == nil {
				sequence := l.sequence(each.Pos, each.Variable.Name, s)
				length := l.length(each.Pos, of(sequence))
				i.Low, i.High = l.integer(0), binary(each.Pos, ein.Sub, length.parts[0], l.integer(1))
				element = func() {
					x := l.subscript(each.Pos, of(sequence), of(v).parts[0])
					l.values[each.Variable] = l.as(each.Pos, each.Variable.Type, x)
				}
			}
			to.Iterators = append(to.Iterators, i)
			elements = append(elements, element)
		}
	})
	to.Body = l.into(func() {
		for _, element := range elements {
			element()
		}
		for _, a := range c.Args {
			to.Arguments = append(to.Arguments, l.expr(a).parts...)
		}
	})
}
