package c

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
)

// A Parallel loop becomes a function over a range of iterations. What the body
// uses from outside travels in a struct on the stack of the thread that starts it.
//
// Where iterations take turns, each thread calls the function once, and gets the numbers
// of its iterations from a counter: those before the first that is not finished have
// been handed out, so that the thread with that one never waits, however many there are.
// A thread asks for its next number before it works on the present one.

// parallel prints the call that runs a loop on all threads, and its body as a
// function before the present one.
func (k *kernel) parallel(s *loop.For) {
	k.bodies++
	function := fmt.Sprintf("%s_body%d", k.name, k.bodies)
	context := function + "_context"
	captured := k.captured(s)
	k.body(s, function, context, captured)

	k.line("{")
	k.indent++
	begin, end, count, test := k.text(s.Lo), k.text(s.Hi), "", ""
	lo, isLo := constantOf(s.Lo)
	if hi, isHi := constantOf(s.Hi); isLo && isHi && lo < hi {
		count = strconv.FormatInt(hi-lo, 10)
	} else {
		k.line("const i64 begin = %s, end = %s;", begin, end)
		begin, end, count, test = "begin", "end", "end - begin", "if (end > begin) "
	}
	members := []string{".first = " + begin}
	if loop.TurnOf(s) != nil {
		members = append(members, ".last = "+end, ".next = "+begin, ".turn = "+begin)
	}
	for _, object := range captured {
		members = append(members, fmt.Sprintf(".%[1]s = %[1]s", k.scope.names[object]))
	}
	if len(k.f.Sites) > 0 {
		members = append(members, ".fault = fault")
	}
	if usesOwn(s.Body) {
		members = append(members, ".parts = "+k.ownStart().at(levelCompare), fmt.Sprintf(".threads = args[%d]", loop.WordThreads))
	}
	list := strings.Join(members, ", ")
	if len(members) > mostInLine {
		list = "\n" + strings.Repeat("  ", k.indent+1) + strings.Join(members, ",\n"+strings.Repeat("  ", k.indent+1)) + "\n" + strings.Repeat("  ", k.indent)
	}
	k.line("%s context = {%s};", context, list)
	if usesOwn(s.Body) {
		k.line("for (i64 part = 0; part < context.threads; part++) *(i64 *)(context.parts + part * %d) = 0;", k.f.Own)
	}
	if loop.TurnOf(s) != nil {
		count = fmt.Sprintf("args[%[1]d] < %[2]s ? args[%[1]d] : %[2]s", loop.WordThreads, count)
	}
	k.start(function, count, test)
	k.indent--
	k.line("}")
	if len(k.f.Sites) > 0 {
		k.line("if (fault[0]) return 1;")
	}
}

// mostInLine is how many members of a context stand in one line.
const mostInLine = 6

// start runs a number of iterations on the pool, if a test holds, or on an OpenMP team; those that take
// turns are as many as there are threads.
func (k *kernel) start(function, count, test string) {
	if k.unit.options.Parallel == OpenMP {
		k.line("const i64 count = %s, threads = args[%d] < count ? args[%d] : count;", count, loop.WordThreads, loop.WordThreads)
		k.line("#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static, 1)")
		k.line("for (i64 part = 0; part < threads; part++) %s(&context, count * part / threads, count * (part + 1) / threads);", function)
		return
	}
	if k.unit.once("ricci_pool") {
		k.unit.types.WriteString("typedef void (*ricci_pool)(void (*body)(void *, i64, i64), void *context, i64 count, i64 threads);\n")
	}
	k.line("%s((ricci_pool)args[%d])(%s, &context, %s, args[%d]);", test, loop.WordParallel, function, count, loop.WordThreads)
}

// body prints the struct and the function of a loop's iterations.
func (k *kernel) body(s *loop.For, function, context string, captured []any) {
	inner := *k
	inner.out.Reset()
	inner.indent = 0
	inner.inParallel, inner.unrolled, inner.outside, inner.room = true, nil, nil, ""
	inner.line("")
	inner.line("%s", comment("what iterations over "+s.Var.Name+" use"))
	inner.line("typedef struct {")
	inner.indent++
	inner.line("i64 first;")
	turns, constant := loop.TurnOf(s) != nil, "const "
	if turns {
		constant = ""
		inner.line("i64 last;")
	}
	for _, object := range captured {
		inner.line("%s;", inner.member(object))
	}
	if len(k.f.Sites) > 0 {
		inner.line("i64 *fault;")
	}
	owns := usesOwn(s.Body)
	if owns {
		inner.line("i64 parts, threads;")
	}
	if turns { // in lines of their own, which threads write
		inner.line("i64 next __attribute__((aligned(64)));")
		inner.line("i64 turn __attribute__((aligned(64)));")
	}
	inner.indent--
	inner.line("} %s;", context)
	inner.line("")
	inner.line("%s", comment("the iterations over "+s.Var.Name+" from begin to end, of one thread"))
	streamed := k.streamed(s.Body, captured)
	if len(streamed) > 0 {
		inner.line("static inline __attribute__((always_inline)) void %s_any(void *captured, i64 begin, i64 end, const int aligned) {", function)
	} else {
		inner.line("static void %s(void *captured, i64 begin, i64 end) {", function)
	}
	inner.indent++
	inner.line("%s%s *context = captured;", constant, context)
	for _, object := range captured {
		name := inner.scope.names[object]
		if slices.Contains(streamed, name) {
			inner.line("%s = aligned ? __builtin_assume_aligned(context->%s, 64) : context->%s;", inner.local(object), name, name)
			continue
		}
		inner.line("%s = context->%s;", inner.local(object), name)
	}
	if len(k.f.Sites) > 0 {
		inner.line("i64 *fault = context->fault;")
	}
	if inner.hasOwn = owns; owns {
		inner.line("const i64 own = %s(context->parts, %d, context->threads);", k.unit.ownHelper(), k.f.Own)
	}
	name := inner.scope.declare(s.Var, s.Var.Name)
	endTiles := inner.tilesBegin(s.Body)
	inner.withRoom(s.Body, func() {
		if turns {
			inner.inTurns(s, name)
			return
		}
		inner.nested(fmt.Sprintf("for (i64 %[1]s = context->first + begin; %[1]s < context->first + end; %[1]s++) ", name), s.Body)
	})
	inner.fence(s.Body)
	endTiles()
	inner.leaveOwn()
	inner.indent--
	inner.line("}")
	if len(streamed) > 0 {
		inner.twice(function, constant+context, streamed)
	}
	k.unit.code.WriteString(inner.out.String())
}

// streamed names the arguments that a body writes past the caches.
func (k *kernel) streamed(body []loop.Stmt, captured []any) []string {
	written := map[*loop.Buffer]bool{}
	loop.Walk(body, loop.Visitor{Stmt: func(s loop.Stmt) {
		if s, ok := s.(*loop.Store); ok && s.Stream {
			written[s.Buffer] = true
		}
	}})
	var names []string
	for _, object := range captured {
		if b, ok := object.(*loop.Buffer); ok && written[b] {
			names = append(names, k.scope.names[b])
		}
	}
	return names
}

// twice prints the function of a body that writes past the caches, which takes aligned
// addresses. The body is compiled a second time for arguments that begin at lines of the
// cache: the compiler then knows which vectors are aligned. With tests before every store
// a contraction of 24 steps takes 1.15 to 1.2 of the time, for the addresses of a tile are
// kept for them.
func (k *kernel) twice(function, context string, streamed []string) {
	all := make([]string, len(streamed))
	for i, name := range streamed {
		all[i] = "(u64)context->" + name
	}
	k.line("static void %s(void *captured, i64 begin, i64 end) {", function)
	k.indent++
	k.line("%s *context = captured;", context)
	k.line("if (((%s) & 63) == 0) %s_any(captured, begin, end, 1);", strings.Join(all, " | "), function)
	k.line("else %s_any(captured, begin, end, 0);", function)
	k.indent--
	k.line("}")
}

// inTurns prints the iterations of one thread.
func (k *kernel) inTurns(s *loop.For, name string) {
	const take = "__atomic_fetch_add(&context->next, 1, __ATOMIC_RELAXED)"
	k.line("(void)begin, (void)end;")
	k.line("for (i64 %[1]s = %[2]s, after; %[1]s < context->last; %[1]s = after) {", name, take)
	k.indent++
	k.line("after = %s;", take)
	if s.Next != nil {
		k.line("const i64 %s = after < context->last ? after : context->last - 1;", k.scope.declare(s.Next, s.Next.Name))
	}
	k.iteration = name
	k.block(s.Body, true)
	k.indent--
	k.line("}")
}

// turn waits until those before have had their turns, or one of them has failed.
func (k *kernel) turn(s *loop.Turn) {
	if k.iteration == "" {
		k.nested("", s.Body)
		return
	}
	fault := "0"
	if len(k.f.Sites) > 0 {
		fault = "fault"
	}
	endTiles := ""
	if k.tiles != "" {
		endTiles = k.tilesEnd() + " "
	}
	if k.hasOwn {
		endTiles += ownEnd + " "
	}
	k.line("if (!%s(&context->turn, %s, %s)) { %sreturn; }", k.unit.turnHelper(), k.iteration, fault, endTiles)
	k.nested("", s.Body)
	k.line("__atomic_store_n(&context->turn, %s + 1, __ATOMIC_RELEASE);", k.iteration)
}

// turnHelper defines the function that waits for a turn. Where there are more threads than
// cores, the one that is waited for may need this one's.
func (u *unit) turnHelper() string {
	name := "r_turn" + u.suffix
	if u.once(name) {
		fmt.Fprintf(&u.helpers, `
int sched_yield(void);
/* waits for a turn; 0 if a check fails before it */
static inline int %s(const i64 *turn, i64 mine, const i64 *fault) {
  for (i64 looks = 1; __atomic_load_n(turn, __ATOMIC_ACQUIRE) != mine; looks++) {
    if (fault && __atomic_load_n(fault, __ATOMIC_RELAXED)) return 0;
    if (looks %% 4096 == 0) sched_yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return 1;
}
`, name)
	}
	return name
}

// member prints the declaration of a captured object in the struct; local that in
// the function, where it is constant.
func (k *kernel) member(object any) string {
	if b, ok := object.(*loop.Buffer); ok {
		return k.pointerType(b) + k.scope.names[b]
	}
	v := object.(*loop.Var)
	if isMask(v.Type) {
		return k.unit.maskType(k.maskWidths[v], v.Type.Lanes) + " " + k.scope.names[v]
	}
	return k.unit.value(v.Type) + " " + k.scope.names[v]
}

func (k *kernel) local(object any) string {
	if _, ok := object.(*loop.Buffer); ok {
		return k.member(object)
	}
	return "const " + k.member(object)
}

// captured lists the variables and buffers of the enclosing function that the
// body uses, in the order of their declarations.
func (k *kernel) captured(s *loop.For) []any {
	set := map[any]bool{}
	loop.Walk(s.Body, loop.Visitor{
		Stmt: func(s loop.Stmt) {
			for _, b := range loop.StmtBuffers(s) {
				set[b] = true
			}
		},
		Expr: func(e loop.Expr) {
			if v, ok := e.(*loop.VarRef); ok {
				set[v.Var] = true
			} else if b := loop.ExprBuffer(e); b != nil {
				set[b] = true
			}
		},
	})
	var list []any
	for object := range set {
		if _, outside := k.scope.names[object]; outside {
			list = append(list, object)
		}
	}
	slices.SortFunc(list, func(a, b any) int { return k.scope.order[a] - k.scope.order[b] })
	return list
}
