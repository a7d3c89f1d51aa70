package compile

import (
	"context"
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teml"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
)

// Nests are the loops of a def that is scheduled by hand: what ricci.Schedule is the face of. They are never changed; every
// method returns new ones.
type Nests struct {
	def       *Def
	f         *ein.Func // with the sizes, as schedules see it
	machine   *machine.Processor
	nests     []*transform.Nest
	at        int  // the nest that transformations apply to
	asWritten bool // what Text is to say
	unchecked bool
	err       error
}

// NestsOf returns the nests that run the statements as they are written, for given sizes.
func NestsOf(d *Def, sizes map[string]int64, options Options) *Nests {
	s := &Nests{def: d}
	job, err := NewForSizes(context.Background(), d, sizes, options)
	if err == nil {
		s.machine = job.Machine
		s.f, s.asWritten, err = job.AsWritten()
	}
	if s.err = err; err != nil {
		return s
	}
	for n := range s.f.Body {
		s.nests = append(s.nests, transform.Build(s.f, n))
	}
	s.at = max(0, len(s.nests)-1)
	return s
}

// with returns a copy that is changed, or s itself when it has an error.
func (s *Nests) with(change func(c *Nests)) *Nests {
	if s.err != nil {
		return s
	}
	c := *s
	change(&c)
	return &c
}

// Default starts again with the nests of Ricci's default schedule for the statements as
// they are written, of which there may be fewer than statements; the last one is selected.
func (s *Nests) Default() *Nests {
	return s.with(func(c *Nests) {
		tree, err := standard.Default(s.f, s.machine)
		if c.err = err; err == nil {
			c.nests = transform.Of(s.f, tree)
			c.at = max(0, len(c.nests)-1)
		}
	})
}

// Script starts again with the nests that a TeML script makes, which is written as for
// Options.Schedule; name is that of its file, for messages. The last nest is selected.
func (s *Nests) Script(name, text string) *Nests {
	return s.with(func(c *Nests) {
		defer source.RecoverInternal("schedule", &c.err)
		plan, err := teml.Run(s.f, s.machine, name, text)
		if c.err = err; err == nil {
			c.nests, c.unchecked = plan.Nests()
			c.at = max(0, len(c.nests)-1)
		}
	})
}

// Of selects the nest that computes a tensor. Where several statements write it, it is the
// last one's.
func (s *Nests) Of(tensor string) *Nests {
	return s.with(func(c *Nests) { c.at, c.err = s.nestOf(tensor) })
}

func (s *Nests) nestOf(tensor string) (at int, err error) {
	at = -1
	var names []string
	for k, n := range s.nests {
		for _, statement := range n.Statements() {
			for _, w := range s.f.Body[statement].Writes {
				if names = append(names, w.Tensor.Name); w.Tensor.Name == tensor {
					at = k
				}
			}
		}
	}
	if at < 0 {
		d := &source.Diagnostic{Code: source.UnknownArgument, Span: s.def.Pos, Message: s.def.Name + " does not compute a tensor " + tensor}
		return 0, source.ErrorList{d.WithHelp("%s", HelpWithNames(tensor, "it computes ", names))}
	}
	return at, nil
}

// Unchecked leaves out the test that the schedule keeps the dependences of the program.
// The results may then be wrong; what they are made of stays in bounds.
func (s *Nests) Unchecked() *Nests {
	return s.with(func(c *Nests) { c.unchecked = true })
}

// Err returns the first error of the steps so far, not of the schedule as a whole, which
// Text checks.
func (s *Nests) Err() error { return s.err }

// Text returns the schedule as a tree, for Options.Schedule. The error of one that breaks
// a dependence names the transformation that broke it, and shows two instances.
func (s *Nests) Text() (string, error) {
	tree, _, err := s.tree()
	if err != nil {
		return "", err
	}
	tree.AsWritten = s.asWritten
	return schedule.Print(tree), nil
}

// Warnings returns which of the marks of loops, such as those of Parallelize and Vectorize,
// have no effect in the schedule, and why. There are none where Text has an error.
func (s *Nests) Warnings() []*source.Diagnostic {
	_, warnings, _ := s.tree()
	return warnings
}

// tree joins the nests to a schedule, which is checked.
func (s *Nests) tree() (tree *schedule.Tree, warnings []*source.Diagnostic, err error) {
	if s.err != nil {
		return nil, nil, s.err
	}
	defer source.RecoverInternal("schedule", &err)
	return transform.Tree(s.f, s.nests, s.options())
}

func (s *Nests) options() transform.Options {
	return transform.Options{Machine: s.machine, Unchecked: s.unchecked}
}

// String prints the nests as loops around the statements of the program.
func (s *Nests) String() string {
	if s.err != nil {
		return s.err.Error() + "\n"
	}
	var b strings.Builder
	idle := s.idle()
	for _, n := range s.nests {
		b.WriteString(n.Print(idle, s.statement))
	}
	return b.String()
}

// idle has the marks without effect, of which Warnings tells.
func (s *Nests) idle() (all transform.Idle) {
	var err error // Text has it, too
	defer source.RecoverInternal("schedule", &err)
	return transform.IdleMarks(s.f, s.nests, s.options())
}

// Steps prints the selected nest after each of the transformations that made it. Marks that have
// no effect in the end say so from the beginning.
func (s *Nests) Steps() string {
	if s.err != nil || len(s.nests) == 0 {
		return s.String()
	}
	var b strings.Builder
	idle := s.idle()
	for _, n := range s.nests[s.at].Steps(false) {
		if step, _ := n.Step(); step != nil {
			fmt.Fprintf(&b, "%s\n", step.Written())
		}
		b.WriteString(n.Print(idle, s.statement))
	}
	return b.String()
}

// statement is the text of a statement in the program, and what the loops have for its
// indices.
func (s *Nests) statement(n int, values map[string]affine.Expr) string {
	text := schedule.Domain(s.f)[n].Name
	if pos := s.f.Body[n].Pos; pos.IsValid() {
		text, _, _ = strings.Cut(pos.Text(), "\n")
	}
	var with []string
	for _, i := range s.f.Body[n].Indices {
		if v, ok := values[i.Name]; ok {
			with = append(with, fmt.Sprintf("%s for %s", v, i.Name))
		}
	}
	if len(with) > 0 {
		text += "  // with " + strings.Join(with, ", ")
	}
	return text
}
