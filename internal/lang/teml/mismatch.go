package teml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
)

// wrongKind reports a value of another kind than the wanted one, and how to get one.
func (in *interpreter) wrongKind(v value, want string, pos source.Span) {
	if n, ok := v.(number); ok {
		if name, isSymbol := n.IsSymbol(); isSymbol {
			in.undefined(name, want, pos)
		}
	}
	if _, ok := v.(literal); ok && want == (number{}).kind() {
		in.fail(source.CodeTeMLKind, pos, "found %s, expected a whole number", described(v)).help("sizes and numbers of dimensions are whole numbers")
	}
	in.fail(source.CodeTeMLKind, pos, "found %s, expected %s", described(v), want).help("%s", in.remedy(v, want))
}

// undefined reports a name that stands for nothing of the wanted kind.
func (in *interpreter) undefined(name, want string, pos source.Span) {
	if in.sizes[name] != nil {
		in.fail(source.CodeTeMLKind, pos, "found the size %s, expected %s", name, want).note(in.sizes[name].pos, "%s is a size because this shape uses it", name).
			help("a size has its value from the arguments of a call; a number that is known is a constant: V = 32")
	}
	f := in.fail(source.CodeTeMLName, pos, "%s is not defined here, expected %s", name, want)
	known := sortedKeys(in.state)
	if c := in.current(); c != nil && !c.function.standard {
		known = append(known, sortedKeys(c.locals)...)
	}
	if near := source.Suggest(name, known); near != "" {
		f.help("did you mean %s?", near)
	}
	switch want {
	case (&Tree{}).kind():
		f.help("define it above: %s = tensor([N, M])", name)
	case anAssignment:
		if len(in.assignments) == 0 {
			f.help("assign it above: %s = contract(A, B, [2, 1]). A file that has loops only is a schedule for a def of another file: ricci run FILE --schedule %s", name, in.file.Name)
		}
		f.help("assign it above: %s = contract(A, B, [2, 1])", name)
	case (loop{}).kind():
		f.help("define it above: %s = build(C), where C is assigned", name)
	}
	f.help("define it above: %s = …", name)
}

// anAssignment is what build wants.
const anAssignment = "an assignment"

// elsewhere says how what other languages and libraries call so is written here.
var elsewhere = map[string]string{
	"matmul": "contract(A, B, [2, 1])", "dot": "contract(A, B, [2, 1])", "einsum": "contract(A, B, [2, 1])", "tensordot": "contract(A, B, [2, 1])",
	"sum":   "vsum(t, [k]), for an expression that has the iterator k; C = add(C, t, [[i], ] -> [i]) accumulates",
	"split": "stripmine(l, r, v)", "strip_mine": "stripmine(l, r, v)", "reorder": "permute(l, [2, 1, 3])", "swap": "interchange(l, r1, r2)",
	"fuse": "fuse_outer(l1, l2, r) for two nests, fuse_inner(l, r) for loops side by side", "parallel": "parallelize(l, r)", "vector": "vectorize(l, r)",
	"cache": "promote(l, r, t)", "compute_at": "fuse_outer(l1, l2, r)",
}

// described is a value with its kind.
func described(v value) string {
	switch v := v.(type) {
	case *Tree:
		switch {
		case v.isAssignment() && v.assignment != nil:
			return "the assignment of " + v.assignment.real.name
		case v.isAssignment():
			return anAssignment
		case v.isLeaf() && v.real != nil:
			return "the tensor " + v.real.name
		case v.constant != nil:
			return "the number " + v.constant.value.String()
		}
		return "a tensor expression that is not stored"
	case number, literal:
		return "the number " + v.String()
	case list:
		if len(v) == 0 {
			return "an empty list"
		}
		return "a list of " + strings.TrimPrefix(strings.TrimPrefix(plural(v[0].kind()), "an "), "a ")
	}
	return v.kind()
}

func plural(kind string) string { return kind + "s" }

// remedy says what makes a value of the wanted kind.
func (in *interpreter) remedy(v value, want string) string {
	t, isTree := v.(*Tree)
	_, isLoop := v.(loop)
	switch wantsLoop := strings.HasPrefix(want, (loop{}).kind()); {
	case wantsLoop && isTree && in.assigned(t) != "":
		return fmt.Sprintf("build makes the loops of an assignment: build(%s)", in.assigned(t))
	case wantsLoop && isTree && t.isLeaf():
		return "nothing assigns this tensor, so that it has no loops; loops are made of what is assigned: C = contract(A, B, [2, 1]), then l = build(C)"
	case wantsLoop && isTree:
		return "loops are made of what is assigned: give the expression to eq, C = eq(x, -> [i, j]), then l = build(C)"
	case wantsLoop:
		return "loops come first, then numbers: tile(l, 32), where l = build(C)"
	case want == "a whole number":
		return "levels, blocks and factors are whole numbers: tile(l, 32)"
	case isTree && want == (list{}).kind():
		return "x[n] is an entry of a list; an element of a tensor has its subscripts in a list: eq(A, [0] -> [])"
	case isTree && want == (number{}).kind():
		return "tensors are combined by entrywise_add(A, B), or by add(A, B, [[i, j], [i, j]] -> [i, j]); so for sub, mul and div"
	case isLoop && want == (&Tree{}).kind():
		return "build made the loop of an assignment, which is what can be computed with: its name is that of build's argument"
	}
	if want == (list{}).kind() {
		return "lists are written [x, y]"
	}
	return "build makes a loop of an assignment, vop and op make tensor expressions, and lists are written [x, y]"
}

// assigned is the name of the tensor whose assignment a tree stands for in build;
// empty if it stands for none.
func (in *interpreter) assigned(t *Tree) string {
	switch {
	case t.isAssignment() && t.assignment != nil:
		return t.assignment.real.name
	case t.isLeaf() && t.real != nil && slices.ContainsFunc(in.assignments, func(a *assignment) bool { return a.real == t.real && a.fill == nil }):
		return t.real.name
	}
	return ""
}

// checkArgument reports an argument of a transformation that is a name where a number
// belongs, or no tensor of the program.
func (in *interpreter) checkArgument(t *transform.Transformation, nest *transform.Nest, n int, name string, pos source.Span) {
	if len(t.Parameters) == 0 {
		return
	}
	p := t.Parameters[min(n, len(t.Parameters)-1)]
	levels := func() (texts, names []string) {
		for k, l := range nest.Loops() {
			texts, names = append(texts, fmt.Sprintf("%d is %s", k+1, l.Name)), append(names, l.Name)
		}
		return texts, names
	}
	switch texts, loops := levels(); {
	case p.Kind == transform.Name && p.Name == "t":
		var known []string
		for _, tensor := range nest.Func().Tensors {
			known = append(known, tensor.Name)
		}
		if slices.Contains(known, name) || in.reals[name] != nil {
			return
		}
		f := in.fail(source.CodeTeMLName, pos, "there is no tensor %s", name)
		if near := source.Suggest(name, known); near != "" {
			f.help("did you mean %s?", near)
		}
		f.help("the tensors are %s", strings.Join(known, ", "))
	case p.Kind == transform.Name:
	case (p.Kind == transform.Level || p.Kind == transform.Inside) && slices.Contains(loops, name):
		in.fail(source.CodeTeMLKind, pos, "found the name %s, expected a level", name).help("levels are numbers, counted from the outermost loop: %s", strings.Join(texts, ", "))
	default:
		in.undefined(name, (number{}).kind()+" that is known", pos)
	}
}
