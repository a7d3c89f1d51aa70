package ricci

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/ricci-lang/ricci/internal/affine"
)

// Ranges are the inferred ranges of a def. As JSON they are
//
//	{"def": …, "tensors": [{"name": …, "dims": [{"min": …, "extent": …}]}],
//	 "indices": [{"name": …, "min": …, "extent": …, "statement": …}],
//	 "conditions": [text, …]}
type Ranges struct {
	Def        string        `json:"def"`
	Tensors    []TensorRange `json:"tensors"`    // inputs, outputs, temporaries
	Indices    []IndexRange  `json:"indices"`    // statement by statement
	Conditions []string      `json:"conditions"` // what every call tests, over all sizes
}

// A TensorRange is the range of every dimension of a tensor.
type TensorRange struct {
	Name string     `json:"name"`
	Dims []DimRange `json:"dims"`
}

// A DimRange is [Min, Min+Extent).
type DimRange struct {
	Min    Bound `json:"min"`
	Extent Bound `json:"extent"`
}

// An IndexRange is the range of an index of a statement.
type IndexRange struct {
	Name   string `json:"name"`
	Min    Bound  `json:"min"`
	Extent Bound  `json:"extent"`
	// Statement counts the statements of the def from 0: an index of the same
	// name in another statement is another index.
	Statement int  `json:"statement"`
	Span      Span `json:"-"`
}

// A PartRange is what a reduced index runs over where that is inferred and not simply a dimension that it
// reads, such as i in 0:N - 1 of s +=! x(i)*x(i+1).
type PartRange struct {
	Statement string `json:"statement"` // what is written and how, such as "s +=!"
	Index     string `json:"index"`
	Min       Bound  `json:"min"`
	End       Bound  `json:"end"` // one beyond the last value
	Span      Span   `json:"-"`
}

// String writes "s +=! over i in 0:N - 1".
func (r PartRange) String() string {
	return fmt.Sprintf("%s over %s in %s:%s", r.Statement, r.Index, r.Min, r.End)
}

// PartRanges returns the inferred ranges of reduced indices that leave something out, which the signature does
// not show.
func (d *Def) PartRanges() []PartRange {
	list := []PartRange{}
	for _, s := range d.info.Statements {
		for _, i := range s.Indices {
			if i.Part {
				list = append(list, PartRange{s.Text, i.Name, value(i.Min), value(i.Min.Add(i.Extent)), i.Pos})
			}
		}
	}
	return list
}

// A Bound is a size expression, or its value when sizes were given. As JSON it is
// a string or a number.
type Bound struct {
	Text    string
	Value   int64
	IsValue bool
}

// String returns the text of the expression or number.
func (b Bound) String() string { return b.Text }

// MarshalJSON writes a string for an expression, a number for a value.
func (b Bound) MarshalJSON() ([]byte, error) {
	if b.IsValue {
		return json.Marshal(b.Value)
	}
	return json.Marshal(b.Text)
}

// Ranges returns the ranges as expressions over the sizes, and as numbers when
// the def has no sizes.
func (d *Def) Ranges() *Ranges {
	if len(d.info.Func.Sizes) == 0 {
		return d.ranges(value)
	}
	return d.ranges(func(e affine.Expr) Bound { return Bound{Text: e.String()} })
}

// value returns a number where e is one.
func value(e affine.Expr) Bound {
	n, isNumber := e.IsConst()
	return Bound{Text: e.String(), Value: n, IsValue: isNumber}
}

// RangesFor returns the ranges for given sizes. What depends on sizes that are
// not given stays an expression.
func (d *Def) RangesFor(sizes map[string]int64) (*Ranges, error) {
	if err := d.CheckSizes(sizes); err != nil {
		return nil, err
	}
	env := map[string]affine.Expr{}
	for name, value := range sizes {
		env[name] = affine.Const(value)
	}
	return d.ranges(func(e affine.Expr) Bound { return value(e.Subst(env)) }), nil
}

func (d *Def) ranges(bound func(affine.Expr) Bound) *Ranges {
	r := &Ranges{Def: d.Name(), Tensors: []TensorRange{}, Indices: []IndexRange{}, Conditions: []string{}}
	for _, t := range d.info.Tensors {
		tr := TensorRange{Name: t.Name, Dims: []DimRange{}}
		for _, dim := range t.Dims {
			tr.Dims = append(tr.Dims, DimRange{Min: bound(dim.Min), Extent: bound(dim.Extent)})
		}
		r.Tensors = append(r.Tensors, tr)
	}
	for n, s := range d.info.Statements {
		for _, i := range s.Indices {
			extent := bound(i.Extent)
			if extent.IsValue && extent.Value < 0 { // a range that may be empty
				extent = value(affine.Const(0))
			}
			r.Indices = append(r.Indices, IndexRange{Name: i.Name, Min: bound(i.Min), Extent: extent, Statement: n, Span: i.Pos})
		}
	}
	for _, c := range d.Conditions() {
		r.Conditions = append(r.Conditions, c.Text)
	}
	return r
}

// String writes one range per line, as half-open intervals.
func (r *Ranges) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "def %s\n", r.Def)
	for _, t := range r.Tensors {
		if len(t.Dims) == 0 {
			fmt.Fprintf(w, "  tensor %s\tscalar\n", t.Name)
		}
		for i, dim := range t.Dims {
			fmt.Fprintf(w, "  tensor %s\tdimension %d\tmin %s\textent %s\n", t.Name, i, dim.Min, dim.Extent)
		}
	}
	// A tabwriter over a Builder has nowhere to fail. Indices have columns of
	// their own width.
	_ = w.Flush()
	for _, i := range r.Indices {
		fmt.Fprintf(w, "  index %s\tmin %s\textent %s\n", i.Name, i.Min, i.Extent)
	}
	_ = w.Flush()
	return b.String()
}
