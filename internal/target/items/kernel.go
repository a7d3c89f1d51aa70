package items

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// A kernel is the state of printing one function.
type kernel struct {
	unit   *unit
	f      *loop.Func
	scope  *scope
	plain  map[*loop.Var]bool // int64 that is made of counters, sizes and constants
	out    strings.Builder
	indent int
	width  int64  // of the sub-groups of the grid
	side   bool   // a condition in which items wait (apart.go)
	none   string // a number that is 0 and not known, there
}

// line writes a line of the function.
func (k *kernel) line(format string, args ...any) {
	k.out.WriteString(strings.Repeat("  ", k.indent))
	fmt.Fprintf(&k.out, format, args...)
	k.out.WriteByte('\n')
}

// kernels prints the kernel of each grid, or that of a program without, which one item runs.
func (u *unit) kernels(f *loop.Func, name string) {
	grids := loop.Grids(f)
	if len(grids) == 0 {
		u.kernel(f, name, nil, nil)
	}
	for i, vars := range loop.HostVars(f) {
		u.kernel(f, loop.GridSymbol(name, i), grids[i], vars)
	}
}

// kernel prints a function: of a grid around which variables are in scope, or of a whole program.
func (u *unit) kernel(f *loop.Func, name string, grid *loop.Grid, around []*loop.Var) {
	k := &kernel{unit: u, f: f, scope: newScope(u), plain: map[*loop.Var]bool{}}
	k.scope.taken[name] = true
	params, start := k.parameters()
	for _, v := range around {
		if v.Type.Elem.IsFloat() || v.Type.Lanes > 1 {
			u.refuse("a %s around a grid", v.Type)
		}
		params = append(params, "i64 "+k.declare(v))
	}
	k.line("")
	k.line("%s %s(%s) {", u.dialect.Kernel, name, strings.Join(params, ", "))
	k.indent++
	for _, text := range start {
		k.line("%s", text)
	}
	k.workspace()
	body := f.Body
	if grid != nil {
		body = grid.Body
		if k.width = grid.Width; u.dialect.MostWidth > 0 && k.width > u.dialect.MostWidth {
			u.refuse("sub-groups of %d items (it has those of %d)", k.width, u.dialect.MostWidth)
		}
		k.grid(grid)
		if n := grid.DynamicBytes(); n > 0 && u.dialect.Dynamic != "" {
			u.dynamic[name] = n
		}
	}
	k.block(body)
	k.indent--
	k.line("}")
	u.code.WriteString(k.out.String())
}

// declare names a variable; one of int64 counts or is a size.
func (k *kernel) declare(v *loop.Var) string {
	k.plain[v] = v.Type == loop.Scalar(tensor.Int64)
	return k.scope.declare(v, v.Name)
}

// grid names the places of groups and items, and declares what a group shares. The last axis runs fastest: that is dimension 0.
func (k *kernel) grid(g *loop.Grid) {
	if g.InLine() {
		k.groupsInLine(g.Groups)
	} else {
		for i, a := range g.Groups {
			k.line("const i64 %s = %s;", k.declare(a.Var), k.unit.dialect.Group[len(g.Groups)-1-i])
		}
	}
	for i, a := range g.Items {
		k.line("const i64 %s = %s;", k.declare(a.Var), k.unit.dialect.Item[len(g.Items)-1-i])
	}
	dynamic := k.unit.dialect.Dynamic != "" && g.DynamicBytes() > 0
	for i, b := range g.Local {
		if dynamic {
			pointer := k.unit.pointerTo(Local, k.elementType(b), false)
			k.line("%sconst %s = (%s)(%s + %d);", pointer, k.scope.declare(b, b.Name), pointer, k.unit.dialect.Dynamic, g.LocalOffset(i))
			continue
		}
		k.line("%s %s %s[%d]%s;", k.unit.dialect.Shared, k.elementType(b), k.scope.declare(b, b.Name), max(1, b.Length), k.unit.dialect.Aligned)
	}
}

// groupsInLine names the places of groups that are launched along x: what is left of the number is that of the axes further out.
func (k *kernel) groupsInLine(axes []loop.GroupAxis) {
	rest := k.scope.declare(new(loop.Var), "group")
	k.line("const i64 %s = %s;", rest, k.unit.dialect.Group[0])
	for i := len(axes) - 1; i >= 0; i-- {
		a, count := axes[i], k.expr(axes[i].Count).at(levelUnary)
		if i == 0 {
			k.line("const i64 %s = %s;", k.declare(a.Var), rest)
			return
		}
		k.line("const i64 %s = %s %% %s;", k.declare(a.Var), rest, count)
		next := k.scope.declare(new(loop.Var), "group")
		k.line("const i64 %s = %s / %s;", next, rest, count)
		rest = next
	}
}

// parameters lists the parameters, and the statements that make pointers of them.
func (k *kernel) parameters() (params, start []string) {
	u := k.unit
	memory := func(name, typ string, readOnly bool) {
		pointer := u.pointerTo(Global, typ, readOnly)
		if !u.dialect.Offsets {
			params = append(params, pointer+name)
			return
		}
		params = append(params, u.pointerTo(Global, "u8", readOnly)+name+"_memory", "i64 "+name+"_at")
		start = append(start, fmt.Sprintf("%s%s = (%s)(%[2]s_memory + %[2]s_at);", pointer, name, pointer))
	}
	memory("workspace", "u8", false)
	params = append(params, u.pointerTo(Global, "i32", false)+"fault")
	for _, p := range k.f.Params {
		if p.Buffer != nil {
			memory(k.scope.declare(p.Buffer, p.Buffer.Name), k.elementType(p.Buffer), p.Buffer.ReadOnly)
			continue
		}
		params = append(params, "i64 "+k.scope.declare(p.Var, p.Var.Name))
		k.plain[p.Var] = true
	}
	return params, start
}

// workspace names the buffers there.
func (k *kernel) workspace() {
	declared := map[*loop.Buffer]bool{}
	for _, p := range k.f.Params {
		declared[p.Buffer] = true
	}
	for _, b := range k.f.Buffers {
		if b.Region != loop.Workspace || declared[b] {
			continue
		}
		offset := loop.Expr(loop.Int(b.Offset))
		if b.OffsetExpr != nil {
			offset = b.OffsetExpr
		}
		k.within(b, k.expr(offset))
	}
}

// within declares a buffer that lies some bytes behind the beginning of the workspace.
func (k *kernel) within(b *loop.Buffer, offset code) {
	pointer := k.unit.pointerTo(Global, k.elementType(b), b.ReadOnly)
	k.line("%s%s = (%s)(workspace + %s);", pointer, k.scope.declare(b, b.Name), pointer, offset.at(levelAdd))
}

func (k *kernel) block(body []loop.Stmt) {
	for _, s := range body {
		k.statement(s)
	}
}

// nested prints statements in braces after a head such as "for (…)".
func (k *kernel) nested(head string, body []loop.Stmt) {
	k.line("%s{", head)
	k.inner(body)
	k.line("}")
}

func (k *kernel) inner(body []loop.Stmt) {
	k.indent++
	k.block(body)
	k.indent--
}

func (k *kernel) statement(s loop.Stmt) {
	switch s := s.(type) {
	case *loop.For:
		k.loop(s)
	case *loop.While:
		k.nested("while ("+k.text(s.Cond)+") ", s.Body)
	case *loop.If:
		if k.unit.dialect.Apart && waits(s) {
			k.apart(s)
		} else {
			k.branches(s, "if")
		}
	case *loop.Let:
		value, typ := k.expr(s.Value), k.unit.value(s.Var.Type)
		k.plain[s.Var] = s.Var.Type == loop.Scalar(tensor.Int64) && k.isPlain(s.Value)
		k.line("const %s %s = %s;", typ, k.scope.declare(s.Var, s.Var.Name), value.text)
	case *loop.Alloc:
		k.line("{")
		k.indent++
		k.alloc(s)
		k.indent--
		k.line("}")
	case *loop.Turn:
		k.nested("", s.Body)
	case *loop.Store:
		k.store(s)
	case *loop.Transpose:
		k.statement(s.Loops())
	case *loop.Multiply:
		for _, nest := range s.Loops() {
			k.statement(nest)
		}
	case *loop.Check:
		k.check(s)
	case *loop.Comment:
		k.line("/* %s */", strings.NewReplacer("*/", "* /", "/*", "/ *", "\n", " ").Replace(s.Text))
	case *loop.Barrier:
		k.line("%s", map[bool]string{false: k.unit.dialect.LocalBarrier, true: k.unit.dialect.GlobalBarrier}[s.Global])
	case *loop.Shuffle:
		value := k.shuffleValue(s)
		k.line("const %s %s = %s;", k.unit.value(s.Var.Type), k.scope.declare(s.Var, s.Var.Name), value)
	case *loop.Fragments:
		k.multiplyFragments(s)
	case *loop.Copy:
		k.copied(s)
	case *loop.Commit, *loop.Wait:
		k.waits(s)
	case *loop.Atomic:
		place := fmt.Sprintf("&%s[%s]", k.bufferName(s.Buffer), k.text(s.Index))
		k.line("%s;", strings.NewReplacer("$p", place, "$x", k.text(s.Value)).Replace(k.unit.dialect.Atomics[s.Op]))
	case *loop.Prefetch: // nothing but time depends on it
	default:
		fail("no text for %T", s)
	}
}

// branches prints a condition after a head, if or else if.
func (k *kernel) branches(s *loop.If, head string) {
	k.line("%s (%s) {", head, k.text(s.Cond))
	k.inner(s.Then)
	if len(s.Else) == 1 {
		if other, isIf := s.Else[0].(*loop.If); isIf {
			k.branches(other, "} else if")
			return
		}
	}
	if len(s.Else) > 0 {
		k.line("} else {")
		k.inner(s.Else)
	}
	k.line("}")
}

// loop prints a loop, whose iterations run one after the other.
func (k *kernel) loop(s *loop.For) {
	lo, hi := k.text(s.Lo), k.expr(s.Hi).at(levelAdd)
	name := k.scope.declare(s.Var, s.Var.Name)
	k.plain[s.Var] = true
	step := name + "++"
	if s.Step != 1 {
		step = fmt.Sprintf("%s += %d", name, s.Step)
	}
	if s.Kind == loop.Unrolled {
		k.line("#pragma unroll")
	}
	body, more := k.inSide(s)
	hi += more
	k.line("for (i64 %s = %s; %s < %s; %s) {", name, lo, name, hi, step)
	k.indent++
	if s.Next != nil {
		next := k.scope.declare(s.Next, s.Next.Name)
		k.plain[s.Next] = true
		k.line("const i64 %s = %s + 1 < %s ? %s + 1 : %s;", next, name, hi, name, name)
	}
	k.block(body)
	k.indent--
	k.line("}")
}

// alloc declares a buffer and prints the statements that use it.
func (k *kernel) alloc(s *loop.Alloc) {
	if b := s.Buffer; b.Region == loop.Thread {
		start := loop.Expr(loop.Int(k.f.Workspace))
		if k.f.OwnStart != nil {
			start = k.f.OwnStart
		}
		k.within(b, infix(k.expr(start), "+", primary("%d", b.Offset), levelAdd))
	} else {
		k.line("%s %s[%d];", k.elementType(b), k.scope.declare(b, b.Name), max(1, b.Length))
	}
	k.block(s.Body)
}

// shuffleValue is what another item of the sub-group has. Narrow integers are shuffled as int.
func (k *kernel) shuffleValue(s *loop.Shuffle) string {
	d := s.X.Type().Elem
	value := k.text(s.X)
	if d.Size() < 4 {
		value = "(i32)" + k.expr(s.X).at(levelUnary)
	}
	text := strings.NewReplacer("$x", value, "$by", fmt.Sprint(s.By), "$width", fmt.Sprint(k.width)).Replace(k.unit.dialect.Shuffles[s.Kind])
	if d.Size() < 4 {
		text = "(" + nameOf(d) + ")" + text
	}
	return text
}

// check records the first failure of any item, and ends the item unless others wait for it.
func (k *kernel) check(s *loop.Check) {
	u := k.unit
	claim := u.function("r_fault", "void", u.pointerTo(Global, "i32", false)+"fault, i32 site, i64 value",
		fmt.Sprintf("  if (%s) { fault[2] = (i32)(u32)(u64)value; fault[3] = (i32)(u32)((u64)value >> 32); }", u.dialect.Claim))
	k.line("if (!%s) {", k.expr(s.Cond).at(levelUnary))
	k.line("  %s(fault, %d, %s);", claim, s.Site+1, castTo("i64", k.expr(s.Value)).text)
	if !s.Notes {
		k.line("  return;")
	}
	k.line("}")
}
