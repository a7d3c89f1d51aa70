package teil

import (
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// roles completes a program: without any mark the use of the tensors decides, what
// may be read before it is assigned begins with zeros, and a size must be known from
// an argument.
func (p *program) roles() {
	marked := false
	for _, a := range p.out.Allocs {
		marked = marked || a.Mark != syntax.Unmarked
	}
	u := p.uses()
	if !marked {
		p.inferMarks(u)
	}
	for _, a := range p.out.Allocs {
		p.role(a, u)
	}
	if p.errors == 0 {
		p.determineSizes()
	}
}

// usage is how the statements use the tensors.
type usage struct {
	assigned, read map[string]source.Span // where first
	early          map[string]source.Span // reads before the first assignment
}

func (p *program) uses() *usage {
	u := &usage{map[string]source.Span{}, map[string]source.Span{}, map[string]source.Span{}}
	note := func(set map[string]source.Span, name string, pos source.Span) {
		if _, ok := set[name]; !ok {
			set[name] = pos
		}
	}
	for _, s := range p.out.Statements {
		syntax.Walk(s.Value, func(e syntax.Expr) {
			if v, ok := e.(*syntax.Var); ok {
				note(u.read, v.Name, v.Pos)
				if _, assigned := u.assigned[v.Name]; !assigned {
					note(u.early, v.Name, v.Pos)
				}
			}
		})
		for _, x := range s.Targets {
			note(u.assigned, x.Name, x.Pos)
		}
	}
	return u
}

// inferMarks marks the allocations of a program that has no marks, as those of the
// paper: what is never assigned is an input, the rest are outputs, which take their
// old value where they are read first.
func (p *program) inferMarks(u *usage) {
	for _, a := range p.out.Allocs {
		_, assigned := u.assigned[a.Name.Name]
		_, early := u.early[a.Name.Name]
		switch {
		case a.Pos != p.allocPos(a.Name.Name): // made by elaboration
		case !assigned:
			a.Mark = syntax.In
		case early:
			a.Mark = syntax.InOut
		default:
			a.Mark = syntax.Out
		}
	}
}

func (p *program) allocPos(name string) source.Span {
	if a := p.source.Alloc(name); a != nil {
		return a.Pos
	}
	return source.Span{Start: -1}
}

// role checks one allocation against its mark.
func (p *program) role(a *syntax.Alloc, u *usage) {
	name := a.Name.Name
	assignment, assigned := u.assigned[name]
	early, readFirst := u.early[name]
	_, read := u.read[name]
	if _, size := p.sizes[name]; size {
		read = true
	}
	switch {
	case a.Mark == syntax.In && assigned:
		p.errorf(source.CodeTeILWrite, assignment, "%s is an input and cannot be assigned", name).WithNote(a.Pos, "%s is allocated here", name).
			WithHelp("mark it inout, or assign another tensor")
	case a.Mark == syntax.Out && !assigned:
		p.errorf(source.CodeTeILWrite, a.Pos, "the output %s is never assigned", name).WithHelp("assign it, or remove the mark")
	case a.Mark == syntax.InOut && !assigned:
		p.errorf(source.CodeTeILWrite, a.Pos, "%s is marked inout and never assigned", name).WithHelp("mark it in")
	case (a.Mark == syntax.Unmarked || a.Mark == syntax.Out) && readFirst:
		p.diagnostics.Warnf(source.CodeTeILUnset, early, "%s is read before it is assigned, and begins with zeros", name).WithNote(a.Pos, "%s is allocated here", name).
			WithHelp("assign it before; or mark it inout, to begin with the value of the caller")
		e := zero(p.typing.Context.Shapes[name], a.Pos)
		p.out.Statements = append([]*syntax.Statement{{Pos: a.Pos, Targets: []syntax.Name{a.Name}, Value: e}}, p.out.Statements...)
	case !read && a.Mark != syntax.Out && a.Mark != syntax.InOut:
		p.diagnostics.Warnf(source.CodeTeILUnused, a.Pos, "%s is never read", name).WithHelp("remove it, or mark it out")
	}
}

// determineSizes checks that every size occurs in a dimension of an argument.
func (p *program) determineSizes() {
	known := map[string]bool{}
	for _, a := range p.out.Allocs {
		for _, d := range a.Dims {
			if a.Mark != syntax.Unmarked {
				d.Value.Symbols(known)
			}
		}
	}
	for _, s := range p.typing.Sizes {
		if !known[s.Name] && !p.scalars[s.Name] {
			p.errorf(source.CodeTeILSize, s.Pos, "no input or output has the size %s", s.Name).WithHelp("give its value: param %s = 8", s.Name)
		}
	}
}
