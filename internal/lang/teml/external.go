package teml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
)

// Scripts for programs in other notations: build finds statements by the tensors that they
// write, and trees are made of their expressions, whose operations have the names of ein.

// external reports whether loops are built of a program in another notation.
func (m *loopMaker) external() bool { return m.def != nil && m.def.ordinals == nil }

// buildExternal builds the nest of a statement of another program: of the tensor of
// that name, and the n-th one where several assign it.
func (in *interpreter) buildExternal(v value, e *syntax.Call) (value, bool) {
	if !in.loops.external() {
		return nil, false
	}
	n, ok := v.(number)
	name, isName := n.IsSymbol()
	if !ok || !isName {
		in.wrongKind(v, "the name of a tensor", e.Args[0].Span())
	}
	f := in.loops.def.f
	var statements []int
	var names []string
	for s, c := range f.Body {
		for _, w := range c.Writes {
			names = append(names, w.Tensor.Name)
			if w.Tensor.Name == name {
				statements = append(statements, s)
			}
		}
	}
	which := int64(1)
	if len(e.Args) == 2 {
		which = in.constant(e.Args[1])
	}
	switch {
	case len(statements) == 0:
		d := in.fail(source.CodeTeMLBuild, e.Args[0].Span(), "no statement of %s assigns %s", f.Name, name)
		if near := source.Suggest(name, names); near != "" {
			d.help("did you mean %s?", near)
		}
		slices.Sort(names)
		d.help("it assigns %s; show --stage ein prints the statements", strings.Join(slices.Compact(names), ", "))
	case which < 1 || which > int64(len(statements)):
		in.fail(source.CodeTeMLBuild, e.Pos, "%s of %s assign %s, and there is no number %d", count(len(statements), "statement"), f.Name, name, which).help("they are counted from 1")
	case len(e.Args) == 1 && len(statements) > 1:
		in.fail(source.CodeTeMLBuild, e.Pos, "%d statements of %s assign %s", len(statements), f.Name, name).help("say which one: build(%s, 1)", name)
	}
	return loop{nest: transform.Build(f, statements[which-1])}, true
}

// externalTree writes statement s of a program in another notation as the tree of an assignment,
// or of several. Values are what stands for indices; as in inLoops, a reduction accumulates.
func externalTree(f *ein.Func, s int, values map[string]affine.Expr) string {
	c := f.Body[s]
	var op *ein.Operator
	if reduced := ein.Reduced(c); len(reduced) > 0 {
		op = reduced[0].Combine.Op
	}
	if c.Accumulate != nil {
		op = c.Accumulate
	}
	w := einWriter{values}
	texts := make([]string, len(c.Writes))
	for n, write := range c.Writes {
		left, right := w.leaf(write.Tensor, write.Subscripts), c.Values[n]
		value := w.expr(right)
		if op != nil {
			value = fmt.Sprintf("⟨(%s, %s, •), [%s, %s]⟩", op.Name, shapeOver(append(slices.Clone(write.Subscripts), right)), left, value)
		}
		texts[n] = fmt.Sprintf("⟨(=, •, •), [%s, %s]⟩", left, value)
	}
	return strings.Join(texts, ", ")
}

// An einWriter writes expressions of ein as trees, with values for indices.
type einWriter struct{ values map[string]affine.Expr }

func (w einWriter) leaf(t *ein.Tensor, subscripts []ein.Expr) string {
	sizes, iterators := make([]affine.Expr, len(t.Dims)), make([]string, len(subscripts))
	for k, d := range t.Dims {
		sizes[k] = d.Extent
	}
	for k, s := range subscripts {
		iterators[k] = ein.Readable(replaceIndices(s, w.values))
	}
	list := "[" + strings.Join(iterators, ", ") + "]"
	if len(subscripts) == 0 {
		list = "•"
	}
	return fmt.Sprintf("⟨(%s, %s, %s), []⟩", t.Name, expressions(sizes), list)
}

func (w einWriter) expr(e ein.Expr) string {
	op, children := "", ein.Children(e)
	switch e := e.(type) {
	case *ein.Access:
		return w.leaf(e.Tensor, e.Subscripts)
	case *ein.Unary:
		op = e.Op.String()
	case *ein.Binary:
		op = e.Op.String()
	case *ein.Call:
		op = e.Func.Name
	case *ein.Select:
		op = "?:"
	case *ein.Cast:
		op = e.To.String()
	case *ein.Let:
		op = "let " + e.Var.Name
	default:
		return fmt.Sprintf("⟨(%s, [], •), []⟩", ein.Readable(replaceIndices(e, w.values)))
	}
	parts := make([]string, len(children))
	for k, child := range children {
		parts[k] = w.expr(child)
	}
	return fmt.Sprintf("⟨(%s, %s, •), [%s]⟩", op, shapeOver(children), strings.Join(parts, ", "))
}

// shapeOver is S′ of a node: the ranges of the indices of its subtrees, in the order in which
// they are met.
func shapeOver(list []ein.Expr) string {
	var met []*ein.Index
	var sizes []affine.Expr
	for _, e := range list {
		ein.Walk(e, func(e ein.Expr) bool {
			if ref, ok := e.(*ein.IndexRef); ok && !slices.Contains(met, ref.Index) {
				met, sizes = append(met, ref.Index), append(sizes, ref.Index.Extent)
			}
			return true
		})
	}
	return expressions(sizes)
}

// externalState writes the state in which a script for another notation begins: what the
// statements of the program assign.
func externalState(f *ein.Func) string {
	parts := make([]string, len(f.Body))
	for s := range f.Body {
		parts[s] = transform.Which(f, s) + " ↦ " + externalTree(f, s, nil)
	}
	return "∅{" + strings.Join(parts, ", ") + "}"
}
