package c

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// A kernel is the state of printing one function.
type kernel struct {
	unit       *unit
	f          *loop.Func
	name       string
	scope      *scope
	maskWidths map[*loop.Var]int // bytes per lane of the masks that have names
	out        strings.Builder   // the function being printed
	indent     int
	inParallel bool             // printing the body of a Parallel loop
	iteration  string           // of the Parallel loop whose threads take turns; empty elsewhere
	bodies     int              // bodies of Parallel loops so far
	unrolled   []*loop.Var      // of the unrolled loops around, inside of all others
	outside    []*loop.Buffer   // arrays that are declared before an unrolled loop around
	room       string           // the array that others lie in; empty where there is none
	inUse      int64            // bytes of it
	tiles      string           // the variable for the configuration of tiles; empty where none are used
	hasOwn     bool             // a thread's own part of the workspace is taken
	grid       func(*loop.Grid) // prints what launches a grid; nil: C has no words for it
}

// line writes a line of the function.
func (k *kernel) line(format string, args ...any) {
	k.out.WriteString(strings.Repeat("  ", k.indent))
	fmt.Fprintf(&k.out, format, args...)
	k.out.WriteByte('\n')
}

// kernel prints the function over the argument block; linkage is "static " or "".
func (u *unit) kernel(f *loop.Func, name, linkage string) {
	k := &kernel{unit: u, f: f, name: name, scope: newScope(), maskWidths: map[*loop.Var]int{}}
	k.scope.taken[name] = true
	k.line("")
	k.line("/* args[%d] runs iterations on at most args[%d] threads, args[%d] is memory to work in, args[%d] takes a failed check */",
		loop.WordParallel, loop.WordThreads, loop.WordWorkspace, loop.WordFault)
	k.line("%sint %s(const i64 *args) {", linkage, name)
	k.indent++
	if len(f.Sites) > 0 {
		k.line("i64 *fault = (i64 *)args[%d];", loop.WordFault)
		k.line("fault[0] = 0;")
	}
	k.prologue()
	endTiles := k.tilesBegin(f.Body)
	k.block(f.Body, false)
	k.fence(f.Body)
	endTiles()
	k.line("return 0;")
	k.indent--
	k.line("}")
	u.code.WriteString(k.out.String())
	u.largeTiles = u.largeTiles || u.fillsRegisters(f.Body)
}

// prologue names the arguments and the buffers of the workspace.
func (k *kernel) prologue() {
	declared := map[*loop.Buffer]bool{}
	for i, p := range k.f.Params {
		word := fmt.Sprintf("args[%d]", loop.HeaderWords+i)
		if p.Buffer != nil {
			declared[p.Buffer] = true
			k.line("%s = (%s)%s;", k.pointer(p.Buffer), k.pointerType(p.Buffer), word)
			continue
		}
		k.line("const i64 %s = %s; /* %s */", k.scope.declare(p.Var, p.Var.Name), word, strings.ReplaceAll(p.Origin, "*/", ""))
	}
	for _, b := range k.f.Buffers {
		if b.Region == loop.Workspace && !declared[b] {
			offset := loop.Expr(loop.Int(b.Offset))
			if b.OffsetExpr != nil {
				offset = b.OffsetExpr
			}
			address := primary("args[%d]", loop.WordWorkspace)
			if !isConst(offset, 0) {
				address = binary(address, "+", k.expr(offset), levelAdd)
			}
			k.line("%s = (%s)%s;", k.pointer(b), k.pointerType(b), address.at(levelUnary))
		}
	}
}

// elementType is the C type of a buffer's elements.
func (k *kernel) elementType(b *loop.Buffer) string {
	t := storedType(b.Type.Elem, b.Type.Lanes)
	if b.Region == loop.Private || b.Region == loop.Register {
		return k.unit.vector(storedName(t.Elem), t.Lanes)
	}
	return k.unit.memory(storedName(t.Elem), t.Lanes)
}

func (k *kernel) pointerType(b *loop.Buffer) string {
	if b.ReadOnly {
		return "const " + k.elementType(b) + " *"
	}
	return k.elementType(b) + " *"
}

// pointer declares a buffer and prints its declaration as a pointer.
func (k *kernel) pointer(b *loop.Buffer) string {
	return k.pointerType(b) + k.scope.declare(b, b.Name)
}

// block prints statements at the present indentation; inBraces says that braces around them end with
// the last one.
func (k *kernel) block(body []loop.Stmt, inBraces bool) {
	for len(body) > 0 {
		if a, ok := single(body).(*loop.Alloc); ok && inBraces {
			k.alloc(a)
			return
		}
		if n := k.interleaved(body); n > 0 {
			body = body[n:]
			continue
		}
		k.statement(body[0])
		body = body[1:]
	}
}

// nested prints statements in braces after a head such as "for (…)".
func (k *kernel) nested(head string, body []loop.Stmt) {
	k.line("%s{", head)
	k.inner(body)
	k.line("}")
}

// inner prints what stands in braces. What uses an array up to their end needs none of its own.
func (k *kernel) inner(body []loop.Stmt) {
	k.indent++
	k.block(body, true)
	k.indent--
}

func (k *kernel) statement(s loop.Stmt) {
	switch s := s.(type) {
	case *loop.For:
		k.loop(s)
	case *loop.While:
		k.while(s)
	case *loop.If:
		k.branches(s, "if")
	case *loop.Let:
		k.let(s)
	case *loop.Alloc:
		k.line("{")
		k.indent++
		k.alloc(s)
		k.indent--
		k.line("}")
	case *loop.Turn:
		k.turn(s)
	case *loop.Store:
		k.store(s)
	case *loop.EndRow:
		k.endRow(s)
	case *loop.Prefetch:
		k.prefetch(s)
	case *loop.Transpose:
		k.transpose(s)
	case *loop.Multiply:
		k.multiply(s)
	case *loop.Check:
		k.check(s)
	case *loop.Comment:
		k.line("%s", comment(s.Text))
	case *loop.Grid:
		if k.grid == nil {
			fail("no C for %T", s)
		}
		k.grid(s)
	default:
		fail("no C for %T", s)
	}
}

// while prints a loop with a condition.
func (k *kernel) while(s *loop.While) {
	unrolled := k.unrolled
	k.unrolled = nil
	k.nested("while ("+k.text(s.Cond)+") ", s.Body)
	k.unrolled = unrolled
}

// branches prints a condition after a head, if or else if.
func (k *kernel) branches(s *loop.If, head string) {
	k.line("%s (%s) {", head, k.text(s.Cond))
	k.inner(s.Then)
	switch other, isIf := single(s.Else).(*loop.If); {
	case isIf:
		k.branches(other, "} else if")
		return
	case len(s.Else) > 0:
		k.line("} else {")
		k.inner(s.Else)
	}
	k.line("}")
}

// single returns the only statement of a list, or nil.
func single(list []loop.Stmt) loop.Stmt {
	if len(list) == 1 {
		return list[0]
	}
	return nil
}

func (k *kernel) loop(s *loop.For) {
	if k.isOutlined(s) {
		k.parallel(s)
		return
	}
	k.around(s, k.inline)
}

// isOutlined reports whether a loop becomes a function of its own.
func (k *kernel) isOutlined(s *loop.For) bool {
	return s.Kind == loop.Parallel && !k.inParallel && k.unit.options.Parallel != Serial
}

// inline prints a loop where it stands.
func (k *kernel) inline(s *loop.For) {
	lo, hi := k.text(s.Lo), k.expr(s.Hi).at(levelCompare+1)
	name := k.scope.declare(s.Var, s.Var.Name)
	unrolled := k.unrolled
	defer func() { k.unrolled = unrolled }()
	if s.Kind == loop.Unrolled {
		k.unrolled = append(slices.Clip(unrolled), s.Var)
		k.line("#pragma GCC unroll %d", tripCount(s))
	} else {
		k.unrolled = nil
	}
	step := name + "++"
	if s.Step != 1 {
		step = fmt.Sprintf("%s += %d", name, s.Step)
	}
	k.line("for (i64 %s = %s; %s < %s; %s) {", name, lo, name, hi, step)
	k.indent++
	if s.Next != nil {
		next := k.scope.declare(s.Next, s.Next.Name)
		k.line("const i64 %s = %s + 1 < %s ? %s + 1 : %s;", next, name, hi, name, name)
	}
	around := k.iteration
	if loop.TurnOf(s) != nil {
		k.iteration = ""
	}
	keepsOrder := addsInOrder(s)
	k.block(s.Body, !keepsOrder)
	k.iteration = around
	if keepsOrder {
		k.line("%s", inOrder)
	}
	k.indent--
	k.line("}")
}

// tripCount returns how often a loop with constant bounds runs, within what gcc's
// pragma takes.
func tripCount(s *loop.For) int64 {
	lo, ok1 := constantOf(s.Lo)
	hi, ok2 := constantOf(s.Hi)
	if !ok1 || !ok2 {
		fail("the unrolled loop over %s has bounds that are not constant", s.Var.Name)
	}
	return min(65534, max(1, (hi-lo+s.Step-1)/s.Step))
}

func (k *kernel) let(s *loop.Let) {
	t := s.Var.Type
	var value code
	typ := ""
	if isMask(t) {
		width := k.commonWidth(s.Value)
		k.maskWidths[s.Var] = width
		value, typ = k.mask(s.Value, width), k.unit.maskType(width, t.Lanes)
	} else {
		value, typ = k.expr(s.Value), k.unit.value(t)
	}
	k.line("const %s %s = %s;", typ, k.scope.declare(s.Var, s.Var.Name), value.text)
}

// check records the first failure of any thread.
func (k *kernel) check(s *loop.Check) {
	k.line("if (!%s) {", k.expr(s.Cond).at(levelUnary))
	k.indent++
	value := k.expr(s.Value)
	if s.Value.Type().Elem != tensor.Int64 {
		value = castTo("i64", value)
	}
	k.line("%s(fault, %d, %s);", k.unit.faultHelper(), s.Site+1, value.text)
	if k.tiles != "" {
		k.line("%s", k.tilesEnd())
	}
	k.leaveOwn()
	if k.inParallel {
		k.line("return;")
	} else {
		k.line("return 1;")
	}
	k.indent--
	k.line("}")
}

// faultHelper defines the function that records a failed check: one thread claims
// the record, which counts as filled when its site is there.
func (u *unit) faultHelper() string {
	name := "r_fault" + u.suffix
	if u.once(name) {
		fmt.Fprintf(&u.helpers, `
/* records the first check that fails */
static __attribute__((noinline, cold)) void %s(i64 *fault, i64 site, i64 value) {
  i64 none = 0;
  if (__atomic_compare_exchange_n(&fault[0], &none, site, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) fault[1] = value;
}
`, name)
	}
	return name
}

// prefetch prints a Prefetch.
func (k *kernel) prefetch(s *loop.Prefetch) {
	hint := ""
	switch {
	case s.Write:
		hint = ", 1"
	case s.Second:
		hint = ", 0, 2" // into all caches but the first
	}
	ahead := ""
	if s.Ahead != 0 {
		ahead = fmt.Sprintf(" + %d", s.Ahead)
	}
	if s.Beyond != nil {
		ahead += " + " + k.expr(s.Beyond).at(levelPrimary)
	}
	address := k.at(s.Buffer, s.Index)
	k.line("__builtin_prefetch(%s%s%s);", address, ahead, hint)
	if s.Step != 0 {
		k.line("%s(%s, %d);", k.unit.helper("next_page", loop.Scalar(tensor.Int64)), address, s.Step*int64(s.Buffer.Type.Elem.Size()))
	}
}
