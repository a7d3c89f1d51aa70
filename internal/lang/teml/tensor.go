package teml

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// elementTypes are the names of C for element types.
var elementTypes = map[string]tensor.DType{"double": tensor.Float64, "float": tensor.Float32, "int": tensor.Int32, "long": tensor.Int64}

// elementType is that of a name; help is what else may be meant.
func (in *interpreter) elementType(name string, pos source.Span, help string) tensor.DType {
	if t, ok := elementTypes[name]; ok {
		return t
	}
	t, err := tensor.ParseDType(name)
	if err != nil || t == tensor.Bool {
		names := sortedKeys(elementTypes)
		for _, d := range tensor.DTypes() {
			if d != tensor.Bool {
				names = append(names, d.String())
			}
		}
		f := in.fail(source.CodeTeMLType, pos, "%s is no element type of tensors", name)
		if near := source.Suggest(name, names); near != "" && len(name) > 2 {
			f.help("did you mean %s?", near)
		}
		f.help("%sthe types are %s", help, strings.Join(names, ", "))
	}
	return t
}

// declaration is E_t⟦scalar()⟧ and E_t⟦tensor(S)⟧, Equations (12) and (13). The
// element type may come first.
func declaration(in *interpreter, e *syntax.Call, _ *syntax.Name) value {
	args := e.Args
	r := &real{pos: in.at(e.Pos), dtype: in.dtype, declared: true}
	isTensor := e.Name.Name == "tensor"
	if wanted := map[bool]int{true: 1, false: 0}[isTensor]; len(args) > wanted {
		word, ok := args[0].(*syntax.Ref)
		if !ok {
			in.fail(source.CodeTeMLType, args[0].Span(), "expected an element type").help("write tensor(float32, [N, M]) or scalar(float32)")
		}
		help := ""
		if _, isRef := args[len(args)-1].(*syntax.Ref); isTensor && isRef {
			help = fmt.Sprintf("the shape of a tensor is a list: tensor([%s, %s]); ", word.Name, args[1].Span().Text())
		}
		r.dtype = in.elementType(word.Name, word.Pos, help)
		args = args[1:]
	}
	t := &Tree{pos: in.at(e.Pos), real: r}
	if !isTensor {
		return t
	}
	t.iters.state = unset
	if len(args) == 0 {
		in.fail(source.CodeTeMLCount, e.Pos, "the shape is missing").help("write tensor([N, M]) or tensor(float32, [N, M])")
	}
	sizes := in.eval(args[0], nil)
	if _, isNumber := sizes.(number); isNumber {
		in.fail(source.CodeTeMLKind, args[0].Span(), "found %s, expected a list of sizes", sizes).help("the shape of a tensor is a list: tensor([%s])", sizes)
	}
	for n, v := range as[list](in, sizes, args[0].Span()) {
		s := as[number](in, v, args[0].Span())
		if c, ok := s.IsConst(); ok && c < 1 {
			in.fail(source.CodeTeMLSize, args[0].Span(), "dimension %d has the size %d", n+1, c).help("sizes are at least 1")
		}
		in.addSizes(s.Expr, args[0].Span())
		r.shape = append(r.shape, s.Expr)
	}
	t.shape = r.shape
	if len(t.shape) == 0 {
		t.iters.state = notApplicable
	}
	return t
}

// leaf returns a tensor without iterators; for a scalar they are not applicable.
func leaf(r *real, pos source.Span) *Tree {
	t := &Tree{pos: pos, real: r, shape: r.shape, iters: iterators{state: unset}}
	if len(r.shape) == 0 {
		t.iters.state = notApplicable
	}
	return t
}

// operand evaluates an operand of eq, vop and op. An assignment stands for the tensor
// that it assigns; one that is written as an operand first gets a tensor.
func (in *interpreter) operand(e syntax.Expr, target *syntax.Name) *Tree {
	switch v := in.eval(e, target).(type) {
	case *Tree:
		return in.asOperand(v, e.Span())
	case literal:
		return &Tree{pos: in.at(e.Span()), constant: &constant{value: v}}
	case number:
		for _, name := range in.names([]affine.Expr{v.Expr}) {
			in.wrongKind(number{affine.Symbol(name)}, "a tensor expression", e.Span())
		}
		return &Tree{pos: in.at(e.Span()), constant: &constant{value: v}}
	default:
		in.wrongKind(v, "a tensor expression", e.Span())
	}
	return nil
}

func (in *interpreter) asOperand(t *Tree, pos source.Span) *Tree {
	if t.isAssignment() {
		if t.assignment == nil {
			t = in.record(t, in.freshReal("t"), pos)
		}
		return leaf(t.assignment.real, in.at(pos))
	}
	if t.isLeaf() && t.real != nil && t.real.name == "" {
		in.fail(source.CodeTeMLKind, pos, "a tensor is introduced inside of an expression").help("give it a name first: t = tensor([N])")
	}
	c := *t
	c.pos = in.at(pos)
	return &c
}

// freshReal returns a name that no tensor, identifier and size has: the base, or the
// base with the next number. A name is hardly ever free again, so that the search goes
// on where it ended.
func (in *interpreter) freshReal(base string) string {
	for n := max(in.numbered[base], 1); ; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s%d", base, n)
		}
		if _, used := in.state[name]; !used && in.reals[name] == nil && in.sizes[name] == nil {
			in.numbered[base] = n
			return name
		}
	}
}

// free lets freshReal return a name again.
func (in *interpreter) free(name string) {
	delete(in.reals, name)
	base := strings.TrimRight(name, "0123456789")
	n, err := strconv.Atoi(name[len(base):])
	if err != nil {
		n = 1 // it has no number
	}
	in.numbered[base] = min(in.numbered[base], n)
}

// iterators evaluates a list of iterators; ε is no list.
func (in *interpreter) iterators(v value, pos source.Span) (subscripts []affine.Expr, ok bool) {
	if _, missing := v.(empty); missing {
		return nil, false
	}
	l, isList := v.(list)
	if !isList {
		in.fail(source.CodeTeMLKind, pos, "found %s, expected a list of iterators", v.kind()).help("write [i, j]; for a shifted one [i + 1, j]")
	}
	for _, item := range l {
		subscripts = append(subscripts, as[number](in, item, pos).Expr)
	}
	return subscripts, true
}

// index gives iterators to an operand: the where-clauses of Equations (14) and (15).
// Iterators of an expression are replaced, in the order of its free ones. list is the
// text of v, if it is written out; otherwise what is said about a subscript is said at
// the operand.
func (in *interpreter) index(t *Tree, v value, pos source.Span, list syntax.Expr) *Tree {
	subscripts, isGiven := in.iterators(v, pos)
	switch {
	case !isGiven && t.iters.state == unset:
		in.fail(source.CodeTeMLIterators, t.pos, "%s has no iterators", t.label()).
			help("give it a list: [%s]; only an expression that is not stored, such as that of vmul, has iterators already", strings.Join(iteratorNames("i", len(t.shape)), ", "))
	case !isGiven:
		return t
	case t.iters.state == unset:
		if !t.fresh && len(subscripts) != len(t.shape) {
			if list != nil {
				pos = list.Span()
			}
			in.fail(source.CodeTeMLRank, pos, "%s for %s, which has %s", count(len(subscripts), "iterator"), t.label(), count(len(t.shape), "dimension")).
				help("there is one iterator for each dimension")
		}
		c := *t
		c.iters, c.free = listed(subscripts), in.names(subscripts)
		if c.entries = in.entries(list); c.entries != nil {
			c.pos = in.at(list.Span())
		}
		return &c
	}
	if len(subscripts) != len(t.free) {
		in.fail(source.CodeTeMLRank, pos, "%s for an expression with %s", count(len(subscripts), "iterator"), freeText(t.free)).
			help("they replace the iterators of the expression in this order; leave the list out to keep those")
	}
	names := in.names(subscripts)
	t = in.apart(t, append(slices.Clone(names), t.free...))
	env := map[string]affine.Expr{}
	for n, name := range t.free {
		env[name] = subscripts[n]
	}
	c := in.substitute(t, env)
	c.free = names
	return c
}

// from is the text in front of an arrow, if there is one.
func from(e syntax.Expr) syntax.Expr {
	if a, ok := e.(*syntax.Arrow); ok {
		return a.From
	}
	return e
}

// entry is the text of an entry of a list that is written out; otherwise nil.
func entry(e syntax.Expr, n int) syntax.Expr {
	if l, ok := e.(*syntax.List); ok && n < len(l.Items) {
		return l.Items[n]
	}
	return nil
}

// entries are the places of the entries of a list that is written out.
func (in *interpreter) entries(e syntax.Expr) (places []source.Span) {
	if l, ok := e.(*syntax.List); ok {
		for _, item := range l.Items {
			places = append(places, in.at(item.Span()))
		}
	}
	return places
}

// listed is the list as the third component of a node; a scalar has none (•).
func listed(subscripts []affine.Expr) iterators {
	if len(subscripts) == 0 {
		return iterators{}
	}
	return iterators{given, subscripts}
}

func freeText(free []string) string {
	if len(free) == 0 {
		return "no iterators"
	}
	return count(len(free), "iterator") + " " + strings.Join(free, ", ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// iteratorNames returns i1, …, in.
func iteratorNames(base string, n int) []string {
	names := make([]string, n)
	for k := range names {
		names[k] = fmt.Sprintf("%s%d", base, k+1)
	}
	return names
}

// eq is E_t⟦eq(t, I0 → I1)⟧, Equation (14).
func eq(in *interpreter, e *syntax.Call, target *syntax.Name) value {
	t, to := in.indexedOperand(e, target)
	subscripts, ok := in.iterators(to, e.Args[1].Span())
	if !ok {
		in.fail(source.CodeTeMLIterators, e.Args[1].Span(), "the assigned tensor has no iterators").help("write eq(t, [i, j] -> [i, j])")
	}
	return in.assignmentOf(e, t, subscripts)
}

// veq gives a tensor iterators and assigns nothing: veq(t, I0 → I1) is t[I0] as a
// function of I1.
func veq(in *interpreter, e *syntax.Call, target *syntax.Name) value {
	t, to := in.indexedOperand(e, target)
	subscripts, ok := in.iterators(to, e.Args[1].Span())
	if !ok {
		return t
	}
	c := *t
	names := in.names(subscripts)
	for _, name := range t.free {
		if !slices.Contains(names, name) {
			in.fail(source.CodeTeMLIterators, e.Args[1].Span(), "the iterator %s of the expression is not in the list behind the arrow", name).
				help("the list orders all of them: veq(t, [i, j] -> [j, i])")
		}
	}
	for n, s := range subscripts {
		name, isName := s.IsSymbol()
		if !isName || !slices.Contains(t.free, name) || slices.Contains(names[:min(n, len(names))], name) {
			in.fail(source.CodeTeMLIterators, e.Args[1].Span(), "%s is no iterator of the expression, or is there twice", s).
				help("the list orders the iterators: veq(t, [i, j] -> [j, i])")
		}
	}
	c.free = names
	return &c
}

// indexedOperand evaluates "t, I0 -> I1", of which only I1 is left to apply.
func (in *interpreter) indexedOperand(e *syntax.Call, target *syntax.Name) (*Tree, value) {
	t := in.operand(e.Args[0], target)
	v := in.eval(e.Args[1], nil)
	a, ok := v.(arrow)
	if !ok {
		a = arrow{v, empty{}}
	}
	return in.index(t, a.from, e.Args[1].Span(), from(e.Args[1])), a.to
}

// assignmentOf makes the node (=, •, •) of a call, with a placeholder on the left.
func (in *interpreter) assignmentOf(e *syntax.Call, right *Tree, subscripts []affine.Expr) *Tree {
	right = in.apart(right, in.names(subscripts))
	pos := in.at(e.Pos)
	left := &Tree{pos: pos, iters: listed(subscripts), free: in.names(subscripts)}
	if a, ok := e.Args[len(e.Args)-1].(*syntax.Arrow); ok {
		left.entries = in.entries(a.To)
	}
	left.shape = in.shapeOf(subscripts, right)
	return &Tree{pos: pos, op: assignOp, children: []*Tree{left, right}}
}

// operators are the signs of the operations.
var operators = map[string]string{"add": "+", "sub": "-", "mul": "*", "div": "/", "max": "max", "min": "min",
	"bitand": "&", "bitor": "|", "bitxor": "^", "shl": "<<", "shr": ">>"}

// vop is E_t⟦vop(t0, t1, [I0, I1])⟧, Equation (15).
func vop(in *interpreter, e *syntax.Call, target *syntax.Name) value {
	return in.operation(e, in.eval(e.Args[2], nil), operators[e.Name.Name[1:]], target)
}

// op is E_t⟦op(t0, t1, [I0, I1] → I2)⟧, Equation (16): vop, then eq of its value.
func op(in *interpreter, e *syntax.Call, target *syntax.Name) value {
	pos := e.Args[2].Span()
	a, ok := in.eval(e.Args[2], nil).(arrow)
	if !ok {
		in.fail(source.CodeTeMLIterators, pos, "the assigned tensor has no iterators").
			help("write %s(t0, t1, [I0, I1] -> I2), or v%s(t0, t1, [I0, I1]) for an expression that is not stored", e.Name.Name, e.Name.Name)
	}
	subscripts, ok := in.iterators(a.to, pos)
	if !ok {
		in.fail(source.CodeTeMLIterators, pos, "the assigned tensor has no iterators").help("write them behind the arrow")
	}
	return in.assignmentOf(e, in.operation(e, a.from, operators[e.Name.Name], target), subscripts)
}

func (in *interpreter) operation(e *syntax.Call, lists value, sign string, target *syntax.Name) *Tree {
	pos := e.Args[2].Span()
	l, ok := lists.(list)
	if _, assigns := lists.(arrow); assigns && e.Name.Name[0] == 'v' {
		in.fail(source.CodeTeMLCount, pos, "%s has an arrow, but assigns nothing", e.Name.Name).
			help("write %s(t0, t1, [I0, I1] -> I2), which assigns, or leave the arrow and what is behind it out", e.Name.Name[1:])
	}
	if !ok || len(l) != 2 || slices.ContainsFunc(l, func(v value) bool { _, isNumber := v.(number); return isNumber }) {
		in.fail(source.CodeTeMLCount, from(e.Args[2]).Span(), "found %s, expected a list of iterators for each of the two operands", lists).help("write [[i], [i]]; an entry may be empty: [[i], ]")
	}
	x := in.index(in.operand(e.Args[0], target), l[0], pos, entry(from(e.Args[2]), 0))
	y := in.index(in.operand(e.Args[1], target), l[1], pos, entry(from(e.Args[2]), 1))
	in.limit(x.parts()+y.parts(), e.Pos)
	x = in.apart(x, append(y.boundNames(), y.free...))
	y = in.apart(y, append(x.boundNames(), x.free...))
	t := &Tree{pos: in.at(e.Pos), op: sign, children: []*Tree{x, y}}
	t.free = freeOf(t.children, nil)
	t.shape = in.shapeOf(symbols(t.free), t)
	return t
}

// vsum is the virtual reduction of which vcontract is made, which the paper calls
// fundamental: vsum(t, [k]) is Σ over k of t.
func vsum(in *interpreter, e *syntax.Call, target *syntax.Name) value {
	t := in.operand(e.Args[0], target)
	if t.iters.state == unset {
		t = in.index(t, empty{}, e.Args[0].Span(), nil) // reports that they are missing
	}
	subscripts, _ := in.iterators(in.eval(e.Args[1], nil), e.Args[1].Span())
	sum := &Tree{pos: in.at(e.Pos), op: sumOp, children: []*Tree{t}}
	for _, s := range subscripts {
		name, isName := s.IsSymbol()
		if !isName || !slices.Contains(t.free, name) || slices.Contains(sum.bound, name) {
			in.fail(source.CodeTeMLIterators, e.Args[1].Span(), "%s is no iterator of the expression, which has %s", s, freeText(t.free)).help("name the iterators over which is summed")
		}
		sum.bound = append(sum.bound, name)
	}
	if len(sum.bound) == 0 {
		in.fail(source.CodeTeMLIterators, e.Args[1].Span(), "nothing is summed").help("name the iterators over which is summed: vsum(t, [k])")
	}
	sum.free = freeOf(sum.children, sum.bound)
	sum.shape = in.shapeOf(symbols(sum.free), sum)
	return sum
}

func symbols(names []string) []affine.Expr {
	exprs := make([]affine.Expr, len(names))
	for n, name := range names {
		exprs[n] = affine.Symbol(name)
	}
	return exprs
}
