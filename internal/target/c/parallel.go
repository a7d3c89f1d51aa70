package c

import (
	"fmt"
	"sort"

	"github.com/ricci-lang/ricci/internal/loop"
)

// A Parallel loop becomes a function over a range of iterations. What the body
// uses from outside travels in a struct on the stack of the thread that starts it.

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
	k.line("const i64 begin = %s, end = %s;", k.text(s.Lo), k.text(s.Hi))
	k.line("%s context = {", context)
	k.indent++
	k.line(".first = begin,")
	for _, object := range captured {
		k.line(".%[1]s = %[1]s,", k.scope.names[object])
	}
	if len(k.f.Sites) > 0 {
		k.line(".fault = fault,")
	}
	k.indent--
	k.line("};")
	k.start(function)
	k.indent--
	k.line("}")
	if len(k.f.Sites) > 0 {
		k.line("if (fault[0]) return 1;")
	}
}

// start runs the iterations on the pool or an OpenMP team.
func (k *kernel) start(function string) {
	if k.unit.options.Parallel == OpenMP {
		k.line("const i64 count = end - begin, threads = args[%d] < count ? args[%d] : count;", loop.WordThreads, loop.WordThreads)
		k.line("#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static, 1)")
		k.line("for (i64 part = 0; part < threads; part++) %s(&context, count * part / threads, count * (part + 1) / threads);", function)
		return
	}
	if k.unit.once("ricci_pool") {
		k.unit.types.WriteString("typedef void (*ricci_pool)(void (*body)(void *, i64, i64), void *context, i64 count, i64 threads);\n")
	}
	k.line("if (end > begin) ((ricci_pool)args[%d])(%s, &context, end - begin, args[%d]);", loop.WordParallel, function, loop.WordThreads)
}

// body prints the struct and the function of a loop's iterations.
func (k *kernel) body(s *loop.For, function, context string, captured []any) {
	inner := *k
	inner.out.Reset()
	inner.indent = 0
	inner.inParallel = true
	inner.line("typedef struct {")
	inner.indent++
	inner.line("i64 first;")
	for _, object := range captured {
		inner.line("%s;", inner.member(object))
	}
	if len(k.f.Sites) > 0 {
		inner.line("i64 *fault;")
	}
	inner.indent--
	inner.line("} %s;", context)
	inner.line("static void %s(void *captured, i64 begin, i64 end) {", function)
	inner.indent++
	inner.line("const %s *context = captured;", context)
	for _, object := range captured {
		inner.line("%s = context->%s;", inner.local(object), inner.scope.names[object])
	}
	if len(k.f.Sites) > 0 {
		inner.line("i64 *fault = context->fault;")
	}
	name := inner.scope.declare(s.Var, s.Var.Name)
	inner.nested(fmt.Sprintf("for (i64 %[1]s = context->first + begin; %[1]s < context->first + end; %[1]s++) ", name), s.Body)
	inner.fence(s.Body)
	inner.indent--
	inner.line("}")
	k.unit.code.WriteString(inner.out.String())
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
// body uses, in the order of their names.
func (k *kernel) captured(s *loop.For) []any {
	set := map[any]bool{}
	loop.Walk(s.Body, loop.Visitor{
		Stmt: func(s loop.Stmt) {
			switch s := s.(type) {
			case *loop.Store:
				set[s.Buffer] = true
			case *loop.Prefetch:
				set[s.Buffer] = true
			case *loop.Transpose:
				set[s.Dst], set[s.Src] = true, true
			}
		},
		Expr: func(e loop.Expr) {
			switch e := e.(type) {
			case *loop.VarRef:
				set[e.Var] = true
			case *loop.Load:
				set[e.Buffer] = true
			}
		},
	})
	var list []any
	for object := range set {
		if _, outside := k.scope.names[object]; outside {
			list = append(list, object)
		}
	}
	sort.Slice(list, func(i, j int) bool { return k.scope.names[list[i]] < k.scope.names[list[j]] })
	return list
}
