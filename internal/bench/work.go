package bench

import (
	"context"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// work is what a row has to do at least.
type work struct {
	operations, read, written int64
	dtype                     tensor.DType // of the arithmetic
	// terms is how many values are combined for one result, of all statements.
	terms   int64
	outputs []output
	floats  bool // something is computed in floats
}

// An output is an array of results.
type output struct {
	dtype    tensor.DType
	elements int64
}

func newWork(ctx context.Context, row *Row) (*work, error) {
	program, err := ricci.ParseOptions{ImportPath: row.Imports}.Parse(row.File, row.Text)
	if err != nil {
		return nil, err
	}
	def, err := program.Def(row.Def)
	if err != nil {
		return nil, err
	}
	return workOf(ctx, def, row.Sizes)
}

func workOf(ctx context.Context, def *ricci.Def, sizes map[string]int64) (*work, error) {
	signature, err := def.SignatureForSizes(sizes)
	if err != nil {
		return nil, err
	}
	w := &work{dtype: arithmeticType(def)}
	var bytes int64
	if w.operations, bytes, err = def.Work(signature); err != nil {
		return nil, err
	}
	outputs, err := def.OutputShapes(signature.Shapes, sizes)
	if err != nil {
		return nil, err
	}
	for _, p := range def.Outputs() {
		n := int64(1)
		for _, extent := range outputs[p.Name] {
			n *= int64(extent)
		}
		w.written += n * int64(p.DType.Size())
		w.outputs = append(w.outputs, output{p.DType, n})
	}
	w.written = min(w.written, bytes) // less where an in-out is written in a few places
	w.read = bytes - w.written
	return w, w.ofStatements(ctx, def, sizes)
}

// arithmeticType is that of the first argument of floats, or else of the first
// argument.
func arithmeticType(def *ricci.Def) tensor.DType {
	params := append(def.Inputs(), def.Outputs()...)
	if i := slices.IndexFunc(params, func(p ricci.Param) bool { return p.DType.IsFloat() }); i >= 0 {
		return params[i].DType
	}
	return params[0].DType
}

// ofStatements adds up the points of the reductions and scans of all statements. What
// multiplies and adds narrow integers counts as two operations on these, also beside floats.
func (w *work) ofStatements(ctx context.Context, def *ricci.Def, sizes map[string]int64) error {
	text, err := def.Stage(ctx, ricci.StageEin, sizes, ricci.Options{})
	if err != nil {
		return err
	}
	f, err := ein.ParseFunc(def.Name(), text)
	if err != nil {
		return err
	}
	w.floats = strings.Contains(text, "float") // in the name of a type
	floats := arithmeticType(def).IsFloat()
	for _, c := range f.Body {
		reduced, points := int64(1), int64(1)
		for _, i := range c.Indices {
			n, err := i.Extent.Eval(sizes)
			if err != nil {
				return err
			}
			if points *= n; i.Combine.Kind != ein.Concat {
				reduced *= n
			}
		}
		w.terms += reduced
		switch x, _, group := ein.DotOf(c); {
		case group == 0:
		case x.Tensor.Type.IsFloat(): // are counted already
			w.dtype = x.Tensor.Type
		default:
			if floats { // or else they are counted already
				w.operations += 2 * points
			}
			w.dtype = map[int]tensor.DType{1: tensor.Int8, 2: tensor.Int16}[x.Tensor.Type.Size()]
		}
	}
	return nil
}

// tooSlow reports whether naive code is not worth waiting for: it reaches about
// one operation in a nanosecond, and less where its arrays do not fit in the caches.
func (w *work) tooSlow() bool { return w.operations > 2e9 }
