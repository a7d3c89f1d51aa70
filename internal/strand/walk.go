package strand

import "github.com/ricci-lang/ricci/internal/source"

// Walk calls visit for the statements of a block and of the blocks in them, outer ones first.
func Walk(b Block, visit func(Stmt)) {
	for _, s := range b {
		visit(s)
		for _, inner := range inside(s) {
			Walk(inner, visit)
		}
	}
}

// inside has the blocks of a statement.
func inside(s Stmt) []Block {
	switch s := s.(type) {
	case *If:
		return []Block{s.Then, s.Else}
	case *ForRange:
		return []Block{s.Body}
	case *ForEach:
		return []Block{s.Body}
	case *Reduce:
		return []Block{s.Body}
	case *Assign, *Build, *Length, *Element, *Query, *Get, *Count, *New, *Exit, *AllExit, *Message, *Sample, *Eigen:
		return nil
	}
	panic(source.Internalf("strand", source.Span{}, "a statement is a %T", s)) // added, and not listed here
}

// Uses says what a program does beyond running each strand for itself.
type Uses struct {
	Queries, Creates, Counts, Globals bool
	Dies, Prints                      bool
}

// Communicates reports whether strands can notice each other or the super-step.
func (u Uses) Communicates() bool { return u.Queries || u.Creates || u.Counts || u.Globals }

// Uses looks at what the blocks of a program do.
func (p *Program) Uses() Uses {
	u := Uses{Globals: len(p.GlobalUpdate) > 0}
	for _, b := range []Block{p.Start, p.Update, p.Stabilize} {
		Walk(b, func(s Stmt) {
			switch s := s.(type) {
			case *Query, *Get:
				u.Queries = true
			case *New:
				u.Creates = true
			case *Count:
				u.Counts = true
			case *Message:
				u.Prints = true
			case *Exit:
				u.Dies = u.Dies || s.Kind == Die
			}
		})
	}
	for _, b := range []Block{p.GlobalStart, p.GlobalUpdate} {
		Walk(b, func(s Stmt) {
			all, ok := s.(*AllExit)
			u.Dies = u.Dies || ok && all.Kind == Die
		})
	}
	return u
}

// Communication is the first place where strands can notice each other or the super-step, and how; nothing where they cannot.
func (p *Program) Communication() (at source.Span, how string) {
	note := func(pos source.Span, text string) {
		if how == "" {
			at, how = pos, text
		}
	}
	for _, b := range []Block{p.Start, p.Update, p.Stabilize} {
		Walk(b, func(s Stmt) {
			switch s := s.(type) {
			case *Query:
				note(s.Pos, "look for others")
			case *Get:
				note(s.Pos, "read states of others")
			case *New:
				note(s.Pos, "create others")
			case *Count:
				note(s.Pos, "ask how many there are")
			}
		})
	}
	if len(p.GlobalUpdate) > 0 {
		note(p.Pos, "have a global block that runs between their super-steps")
	}
	return at, how
}

// Stable is the first place where strands become stable; without one, that of their creation.
func (p *Program) Stable() source.Span {
	at := p.Create.Pos
	first := true
	for _, b := range []Block{p.Start, p.Update, p.GlobalStart, p.GlobalUpdate} {
		Walk(b, func(s Stmt) {
			var pos source.Span
			switch s := s.(type) {
			case *Exit:
				if s.Kind == Stabilize {
					pos = s.Pos
				}
			case *AllExit:
				if s.Kind == Stabilize {
					pos = s.Pos
				}
			}
			if first && pos.File != nil {
				at, first = pos, false
			}
		})
	}
	return at
}

// blocks are the blocks of a program with their names.
func (p *Program) blocks() []namedBlock {
	return []namedBlock{
		{"initialize", inWorld | assignsConst, p.Initialize},
		{"begin", inStrand, p.Begin}, {"start", inStrand | inStep | ends, p.Start}, {"update", inStrand | inStep | ends, p.Update},
		{"stabilize", inStrand | inStep, p.Stabilize},
		{"global start", inWorld | seesAll, p.GlobalStart}, {"global update", inWorld | seesAll, p.GlobalUpdate},
	}
}
