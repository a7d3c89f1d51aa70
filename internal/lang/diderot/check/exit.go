package check

import (
	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

func (c *checker) create(s *syntax.New) typed.Stmt {
	if !c.only(makesStrands, s.Pos, "new", "strands are created in the start and update of the strand") {
		c.arguments(s.Args, nil)
		return nil
	}
	strand := c.strand()
	if s.Strand.Name != strand.Name {
		c.arguments(s.Args, nil)
		c.errorf(source.CodeDiderotName, s.Strand.Pos, "there is no strand %s", s.Strand.Name).WithHelp("the strand of this program is %s", strand.Name)
		return nil
	}
	args, _ := c.passed(s.Args, strand.Params, s.Pos, "the strand "+strand.Name, strand.Pos)
	c.grows(s.Pos, "new")
	c.program.Uses.New = true
	return &typed.New{Pos: s.Pos, Args: args}
}

// grows reports what an array of strands, whose number never changes, does not have.
func (c *checker) grows(pos source.Span, what string) {
	if create := c.file.Program.Create; create != nil && create.Kind == syntax.Array {
		help := "write create_collection for create_array"
		if c.isV1() {
			help = "write initially { … } for initially [ … ]"
		}
		c.errorf(source.CodeDiderotStrand, pos, "an array of strands has no %s: as many as are created stay", what).WithNote(create.Pos, "the strands are created as an array here").WithHelp("%s", help)
	}
}

var exits = map[string]typed.Exit{"stabilize": typed.Stabilize, "die": typed.Die, "continue": typed.Continue}

func (c *checker) leave(s *syntax.Leave) typed.Stmt {
	exit := exits[s.Word]
	t := &typed.Leave{Pos: s.Pos, Exit: exit}
	if exit == typed.Continue {
		if !c.only(continues, s.Pos, "continue", "it ends the start or update of the strand, until the next step") {
			return nil
		}
		if !c.flow.ended {
			c.continued = append(c.continued, c.flow.clone())
		}
		c.flow.ended = true
		return t
	}
	if !c.only(ends|endsAll, s.Pos, s.Word, "a strand ends in its start or update; in the global start and update all strands end") {
		return nil
	}
	if exit == typed.Die {
		c.program.Uses.Die = true
		c.grows(s.Pos, "die")
	}
	t.All = c.region.allows&endsAll != 0
	c.flow.ended = c.flow.ended || !t.All
	return t
}

func (c *checker) returned(s *syntax.Return) typed.Stmt {
	if c.function == nil {
		c.expr(s.Value, nil)
		c.only(returns, s.Pos, "return", "a function returns; a method of the strand ends with continue, stabilize or die")
		return nil
	}
	result := c.function.Result
	x := c.value(s.Value, result, "what "+c.function.Name+" returns")
	if !result.IsValue() && result.Kind != typed.Nothing && c.scope.outer != c.body {
		c.errorf(source.CodeDiderotReturn, s.Pos, "which %v is returned would be known only when the program runs", result).
			WithHelp("a function that returns a field, image or kernel ends with its only return")
	}
	c.flow.ended = true
	return &typed.Return{Pos: s.Pos, Value: x}
}
