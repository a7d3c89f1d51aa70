package ricci

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teml"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
)

// A Schedule is the order in which a def computes, for given sizes, as loops that are
// transformed: TeML's transformations, by the same names and with the same checks. It
// starts with one nest of loops for each statement, in the order of the program, and
// is never changed: every method returns a new value.
//
// Methods apply to one nest, at first that of the last statement; Of selects another.
// Levels count the loops of a nest from 1 at the outside. A transformation that does not
// fit leaves an error behind, and what follows has no effect: Err and Text return it.
// Whether the program keeps its meaning is asked in the end, by Text: between the steps it
// need not.
type Schedule struct {
	def       *Def
	f         *ein.Func // with the sizes, as schedules see it
	machine   *machine.Processor
	nests     []*transform.Nest
	at        int  // the nest that transformations apply to
	asWritten bool // what Text is to say
	unchecked bool
	err       error
}

// Schedule returns the schedule of the def for given sizes that runs its statements as
// they are written. An error is kept, see Schedule.Err.
func (d *Def) Schedule(sizes map[string]int64, options Options) *Schedule {
	s := &Schedule{def: d}
	job, err := compile.NewForSizes(context.Background(), d.source, sizes, options.internal())
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
func (s *Schedule) with(change func(c *Schedule)) *Schedule {
	if s.err != nil {
		return s
	}
	c := *s
	change(&c)
	return &c
}

// Default starts again with the nests of Ricci's default schedule for the statements as
// they are written, of which there may be fewer than statements; the last one is selected.
func (s *Schedule) Default() *Schedule {
	return s.with(func(c *Schedule) {
		tree, err := standard.Default(s.f, s.machine)
		if c.err = err; err == nil {
			c.nests = transform.Of(s.f, tree)
			c.at = max(0, len(c.nests)-1)
		}
	})
}

// Script starts again with the nests that a TeML script makes, which is written as for
// Options.Schedule; name is that of its file, for messages. The last nest is selected.
func (s *Schedule) Script(name, text string) *Schedule {
	return s.with(func(c *Schedule) {
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
func (s *Schedule) Of(tensor string) *Schedule {
	return s.with(func(c *Schedule) { c.at, c.err = s.nestOf(tensor) })
}

func (s *Schedule) nestOf(tensor string) (at int, err error) {
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
		d := &Diagnostic{Code: source.UnknownArgument, Span: s.def.info.Pos, Message: s.def.Name() + " does not compute a tensor " + tensor}
		return 0, ErrorList{d.WithHelp("%s", compile.HelpWithNames(tensor, "it computes ", names))}
	}
	return at, nil
}

// Apply applies a transformation by its name in TeML. Arguments are integers and names.
// What TeML composes of others, such as tile, is composed here by the same definitions.
func (s *Schedule) Apply(name string, args ...any) *Schedule {
	return s.apply(name, s.at, -1, args)
}

// apply applies a transformation to the nest at, and to another one unless it is negative.
func (s *Schedule) apply(name string, at, other int, args []any) *Schedule {
	return s.with(func(c *Schedule) {
		t, ok := transform.Lookup(name)
		if !ok {
			c.err = s.misfit(compile.HelpWithNames(name, "there are ", transform.Names()), "there is no transformation %s", name)
			return
		}
		if len(s.nests) == 0 {
			c.err = s.misfit("a def without statements needs no schedule", "%s has no statements to apply %s to", s.def.Name(), name)
			return
		}
		operands := []*transform.Nest{s.nests[at]}
		if other >= 0 {
			operands = append(operands, s.nests[other])
		}
		list, err := arguments(args)
		if err != nil {
			c.err = s.misfit(t.Signature()+": "+t.Summary, "%s: %v", name, err)
			return
		}
		n, err := teml.Apply(t, operands, list, transform.Call{Pos: s.def.info.Pos})
		if c.err = err; err != nil {
			return
		}
		c.nests = slices.Clone(s.nests)
		if c.nests[at] = n; other >= 0 {
			c.nests = slices.Delete(c.nests, other, other+1)
			if c.at = at; other < at {
				c.at--
			}
		}
	})
}

// misfit is the error of a transformation that cannot be applied.
func (s *Schedule) misfit(help, format string, args ...any) error {
	d := &Diagnostic{Code: source.TransformMisfit, Span: s.def.info.Pos, Message: fmt.Sprintf(format, args...)}
	return ErrorList{d.WithHelp("%s", help)}
}

func arguments(args []any) ([]transform.Argument, error) {
	var list []transform.Argument
	for _, a := range args {
		switch a := a.(type) {
		case int:
			list = append(list, transform.Int(int64(a)))
		case int64:
			list = append(list, transform.Int(a))
		case string:
			list = append(list, transform.Argument{Name: a})
		default:
			return nil, fmt.Errorf("found an argument of type %T, expected an int or a string", a)
		}
	}
	return list, nil
}

// anys makes arguments of Apply.
func anys[T any](list []T) []any {
	args := make([]any, len(list))
	for k, v := range list {
		args[k] = v
	}
	return args
}

// Stripmine cuts level r into a loop over blocks of v and a loop inside of them.
func (s *Schedule) Stripmine(r, v int) *Schedule { return s.Apply("stripmine", r, v) }

// Interchange exchanges the loops at levels r1 and r2.
func (s *Schedule) Interchange(r1, r2 int) *Schedule { return s.Apply("interchange", r1, r2) }

// FuseOuter shares the outer r loops with the nest that computes another tensor, whose
// body comes second. Nothing may need what is computed between the two.
func (s *Schedule) FuseOuter(tensor string, r int) *Schedule { return s.fuse("fuse_outer", tensor, r) }

// FuseUnion is FuseOuter for loops whose ranges differ by constants: each body runs in
// its own range.
func (s *Schedule) FuseUnion(tensor string, r int) *Schedule { return s.fuse("fuse_union", tensor, r) }

func (s *Schedule) fuse(name, tensor string, r int) *Schedule {
	other, err := 0, s.err
	if err == nil {
		other, err = s.nestOf(tensor)
	}
	if err == nil && other == s.at {
		err = s.misfit("select one of the two nests by Of, and name a tensor of the other", "the nest of %s cannot be fused with itself", tensor)
	}
	if err != nil {
		return s.with(func(c *Schedule) { c.err = err })
	}
	return s.apply(name, s.at, other, []any{r})
}

// FuseInner makes one loop of the loops that stand side by side at level r.
func (s *Schedule) FuseInner(r int) *Schedule { return s.Apply("fuse_inner", r) }

// Unroll writes out the iterations of level r, which is no level any more.
func (s *Schedule) Unroll(r int) *Schedule { return s.Apply("unroll", r) }

// Parallelize spreads the iterations of level r over threads.
func (s *Schedule) Parallelize(r int) *Schedule { return s.Apply("parallelize", r) }

// Vectorize computes the iterations of level r by vectors: of as many lanes as the machine
// has, unless a number of lanes follows.
func (s *Schedule) Vectorize(r int, lanes ...int) *Schedule {
	return s.Apply("vectorize", append([]any{r}, anys(lanes)...)...)
}

// StripmineN cuts each of the first n levels into blocks of v.
func (s *Schedule) StripmineN(n, v int) *Schedule { return s.Apply("stripmine_n", n, v) }

// InterchangeN moves level r inwards by n levels.
func (s *Schedule) InterchangeN(r, n int) *Schedule { return s.Apply("interchange_n", r, n) }

// Tile cuts all levels into blocks of a size, with the loops over blocks outside; of several
// sizes each cuts one of the first levels.
func (s *Schedule) Tile(sizes ...int) *Schedule { return s.Apply("tile", anys(sizes)...) }

// Permute brings the levels into an order, outermost first; those that are not named stay
// further in.
func (s *Schedule) Permute(levels ...int) *Schedule { return s.Apply("permute", anys(levels)...) }

// UnrollPartial writes out blocks of f iterations of level r.
func (s *Schedule) UnrollPartial(r, f int) *Schedule { return s.Apply("unroll_partial", r, f) }

// UnrollJam writes out blocks of f iterations of level r inside of the innermost loop.
func (s *Schedule) UnrollJam(r, f int) *Schedule { return s.Apply("unroll_jam", r, f) }

// Promote keeps the block of a tensor that is used inside of level r, or everywhere when r
// is 0, in memory of its own: private, unless register or workspace follows.
func (s *Schedule) Promote(r int, tensor string, region ...string) *Schedule {
	return s.Apply("promote", append([]any{r, tensor}, anys(region)...)...)
}

// Pack copies the blocks of an input that are used inside of level r, or everywhere when
// r is 0, beforehand, with its dimensions in an order: the slowest first, from 1.
func (s *Schedule) Pack(r int, tensor string, dimensions ...int) *Schedule {
	return s.Apply("pack", append([]any{r, tensor}, anys(dimensions)...)...)
}

// Pad makes the last block of level r as large as the others.
func (s *Schedule) Pad(r int) *Schedule { return s.Apply("pad", r) }

// Stream lets what the vectors of level r write go past the caches.
func (s *Schedule) Stream(r int) *Schedule { return s.Apply("stream", r) }

// Ahead lets the vectors of level r ask for the memory that they reach some bytes later.
func (s *Schedule) Ahead(r, bytes int) *Schedule { return s.Apply("ahead", r, bytes) }

// Prefetch lets the vectors of level r2 ask for what they read and write in the next
// iteration of level r1.
func (s *Schedule) Prefetch(r1, r2 int) *Schedule { return s.Apply("prefetch", r1, r2) }

// Skew runs level r2 over the sum of its iterator and f times that of level r1.
func (s *Schedule) Skew(r1, r2, f int) *Schedule { return s.Apply("skew", r1, r2, f) }

// Shift adds n to the iterator of level r, which says what it meets in FuseUnion.
func (s *Schedule) Shift(r, n int) *Schedule { return s.Apply("shift", r, n) }

// Reverse runs level r from its last iteration to the first.
func (s *Schedule) Reverse(r int) *Schedule { return s.Apply("reverse", r) }

// Bind runs level r on a core layer of the machine: COR (threads) or SIMD (lanes).
func (s *Schedule) Bind(r int, layer string) *Schedule { return s.Apply("bind", r, layer) }

// Unchecked leaves out the test that the schedule keeps the dependences of the program.
// The results may then be wrong; what they are made of stays in bounds.
func (s *Schedule) Unchecked() *Schedule {
	return s.with(func(c *Schedule) { c.unchecked = true })
}

// Err returns the first error of the steps so far, not of the schedule as a whole, which
// Text checks.
func (s *Schedule) Err() error { return s.err }

// Text returns the schedule as a tree, for Options.Schedule. The error of one that breaks
// a dependence names the transformation that broke it, and shows two instances.
func (s *Schedule) Text() (string, error) {
	tree, _, err := s.tree()
	if err != nil {
		return "", err
	}
	tree.AsWritten = s.asWritten
	return schedule.Print(tree), nil
}

// Warnings returns which of the marks of loops, such as those of Parallelize and Vectorize,
// have no effect in the schedule, and why. There are none where Text has an error.
func (s *Schedule) Warnings() []*Diagnostic {
	_, warnings, _ := s.tree()
	return warnings
}

// tree joins the nests to a schedule, which is checked.
func (s *Schedule) tree() (tree *schedule.Tree, warnings []*Diagnostic, err error) {
	if s.err != nil {
		return nil, nil, s.err
	}
	defer source.RecoverInternal("schedule", &err)
	return transform.Tree(s.f, s.nests, s.options())
}

func (s *Schedule) options() transform.Options {
	return transform.Options{Machine: s.machine, Unchecked: s.unchecked}
}

// String prints the nests as loops around the statements of the program.
func (s *Schedule) String() string {
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
func (s *Schedule) idle() (all transform.Idle) {
	var err error // Text has it, too
	defer source.RecoverInternal("schedule", &err)
	return transform.IdleMarks(s.f, s.nests, s.options())
}

// Steps prints the selected nest after each of the transformations that made it. Marks that have
// no effect in the end say so from the beginning.
func (s *Schedule) Steps() string {
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
func (s *Schedule) statement(n int, values map[string]affine.Expr) string {
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
