package pipelinetest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teml"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
)

// A Script is a TeML script for all statements of a function: transformations that are
// applied one after the other to the nests of build.
type Script struct {
	F         *ein.Func
	Default   *schedule.Tree // whose nests are transformed; nil for those of build
	Steps     []Step         // those that fitted
	Nests     []*nest        // in the order in which they are generated
	Misfits   map[string]int // why others did not, without the numbers
	Unchecked bool           // dependences may be broken
}

// A Step is a transformation of the nest that has a statement, so that it means the same
// when steps before it are left out.
type Step struct {
	Name      string
	Of        int // a statement
	With      int // one of the second nest; that of the first where there is one nest
	Arguments []transform.Argument
}

// last is the name of the step that generates a nest behind all others.
const last = "last"

// A nest is known by its first statement.
type nest struct {
	*transform.Nest
	statement int
}

// NewScript is the script that builds all nests and changes none.
func NewScript(f *ein.Func) *Script { return newScript(f, nil) }

// NewDefaultScript is the script that takes the nests of the default schedule as they are.
func NewDefaultScript(f *ein.Func, m *machine.Processor) (*Script, error) {
	t, err := standard.Default(f, m)
	if err != nil {
		return nil, err
	}
	return newScript(f, t), nil
}

func newScript(f *ein.Func, t *schedule.Tree) *Script {
	s := &Script{F: f, Default: t, Misfits: map[string]int{}}
	if t != nil {
		for _, n := range transform.Of(f, t) {
			s.Nests = append(s.Nests, &nest{n, n.Statements()[0]})
		}
		return s
	}
	for k := range f.Body {
		s.Nests = append(s.Nests, &nest{transform.Build(f, k), k})
	}
	return s
}

// start is the script without its steps.
func (s *Script) start() *Script {
	again := newScript(s.F, s.Default)
	again.Unchecked = s.Unchecked
	return again
}

// For is the script for another function with the same statements; ok is false where
// not all steps fit that.
func (s *Script) For(f *ein.Func) (again *Script, ok bool) {
	again = newScript(f, s.Default)
	for _, step := range s.Steps {
		again.Apply(step)
	}
	return again, len(again.Steps) == len(s.Steps)
}

// nestOf returns the number of the nest that has a statement.
func (s *Script) nestOf(statement int) int {
	return slices.IndexFunc(s.Nests, func(n *nest) bool { return slices.Contains(n.Statements(), statement) })
}

// Apply takes a step, if it fits.
func (s *Script) Apply(step Step) bool {
	at, other := s.nestOf(step.Of), s.nestOf(step.With)
	if step.Name == last {
		n := s.Nests[at]
		s.Nests = append(slices.Delete(s.Nests, at, at+1), n)
		s.Steps = append(s.Steps, step)
		return true
	}
	t, _ := transform.Lookup(step.Name)
	operands := []*transform.Nest{s.Nests[at].Nest}
	if t.Nests == 2 {
		operands = append(operands, s.Nests[other].Nest)
	}
	if len(operands) == 2 && at == other {
		return false
	}
	n, err := teml.Apply(t, operands, step.Arguments, transform.Call{})
	if err != nil {
		s.Misfits[Reason(err)]++
		return false
	}
	s.Nests[at] = &nest{n, s.Nests[at].statement}
	if len(operands) == 2 {
		s.Nests = slices.Delete(s.Nests, other, other+1)
	}
	s.Steps = append(s.Steps, step)
	return true
}

// Without is the script with some of the steps only; those that do not fit any more are
// left out, too.
func (s *Script) Without(from, to int) *Script {
	again := s.start()
	for k, step := range s.Steps {
		if k < from || k >= to {
			again.Apply(step)
		}
	}
	return again
}

// transformed lists the nests for transform.Tree.
func (s *Script) transformed() []*transform.Nest {
	var list []*transform.Nest
	for _, n := range s.Nests {
		list = append(list, n.Nest)
	}
	return list
}

// String writes the script as a TeML program for --schedule.
func (s *Script) String() string {
	var b strings.Builder
	names, replay := map[int]string{}, s.start()
	if s.Default != nil {
		b.WriteString("d = default()\n")
	}
	times := map[string]int{}
	for k, n := range replay.Nests {
		names[n.statement] = fmt.Sprintf("l%d", n.statement)
		if s.Default != nil {
			fmt.Fprintf(&b, "%s = d[%d]\n", names[n.statement], k+1)
			continue
		}
		c := s.F.Body[k]
		for _, w := range c.Writes {
			times[w.Tensor.Name]++
		}
		name := c.Writes[0].Tensor.Name
		fmt.Fprintf(&b, "%s = build(%s, %d)\n", names[k], name, times[name])
	}
	for _, step := range s.Steps {
		at, other := replay.nestOf(step.Of), replay.nestOf(step.With)
		if step.Name != last {
			target := names[replay.Nests[at].statement]
			words := []string{target}
			if at != other {
				words = append(words, names[replay.Nests[other].statement])
			}
			for _, a := range step.Arguments {
				words = append(words, a.String())
			}
			fmt.Fprintf(&b, "%s = %s(%s)\n", target, step.Name, strings.Join(words, ", "))
		}
		replay.Apply(step)
	}
	var generated []string
	for _, n := range s.Nests {
		generated = append(generated, names[n.statement])
	}
	fmt.Fprintf(&b, "codegen(%s)%s\n", strings.Join(generated, ", "), map[bool]string{true: " unchecked"}[s.Unchecked])
	return b.String()
}

var numbers = regexp.MustCompile(`[0-9]+`)

// Reason is the first line of an error without its numbers and what it is about, for
// counting.
func Reason(err error) string {
	text := err.Error()
	var list source.ErrorList
	if errors.As(err, &list) {
		text = string(list[0].Code) + " " + list[0].Message
	}
	text, _, _ = strings.Cut(text, "\n")
	return numbers.ReplaceAllString(text, "#")
}

// PrepareScript makes the function that scripts see, as it is written.
func (c *Case) PrepareScript() (err error) {
	if c.Special, err = c.Func.Specialise(c.Sizes, c.Keep); err != nil {
		return err
	}
	c.Special = rewrite.Simplify(c.Special)
	return ein.Verify(c.Special)
}

// FollowText makes the loops of a script that is written.
func (c *Case) FollowText(text string) error {
	if err := c.PrepareScript(); err != nil {
		return err
	}
	plan, err := teml.Run(c.Special, c.Machine, "", text)
	if err != nil {
		return err
	}
	if c.Tree, err = plan.Tree(); err != nil {
		return err
	}
	return c.lower()
}

// FollowScript makes the loops of a script. An error with a code says that it is refused;
// any other is a defect.
func (c *Case) FollowScript(s *Script) (err error) {
	c.Script, c.Tree, c.Unproved = s, nil, nil
	if c.Tree, _, err = transform.Tree(c.Special, s.transformed(), transform.Options{Machine: c.Machine, Unchecked: s.Unchecked}); err != nil {
		c.Tree = nil
		return err
	}
	if err := c.lower(); err != nil {
		return fmt.Errorf("the loops of a legal script: %w", err)
	}
	return nil
}
