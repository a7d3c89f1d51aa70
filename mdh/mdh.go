// Package mdh builds MDH programs from Go: computations of the form
// out_view ∘ md_hom ∘ inp_view, with the same checks and errors as files *.mdh.
//
//	matvec := mdh.Computation{
//		Name:  "matvec",
//		Types: []mdh.TypeParam{{Name: "T", Choices: []mdh.Type{"float32", "float64"}}},
//		Sizes: []string{"I", "K"},
//		Out:   []mdh.Buffer{{Name: "w", Type: "T", Index: mdh.At(0)}},
//		Hom:   mdh.Hom{Over: mdh.Sizes("I", "K"), F: mdh.Product, Combine: []mdh.Combine{mdh.CC, mdh.PW(mdh.Add)}},
//		Inp:   []mdh.Buffer{{Name: "M", Type: "T", Index: mdh.At(0, 1)}, {Name: "v", Type: "T", Index: mdh.At(1)}},
//	}
//	program, err := mdh.Program{Name: "linear", Computations: []mdh.Computation{matvec}}.Compile()
//
// docs/mdh.md describes the notation and what is checked.
package mdh

import (
	"fmt"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
)

// How it works
//
// Index functions, scalar functions and operators are Go functions of symbolic
// values; they are called once, and what they return is their expression. The
// program becomes a syntax tree, the tree its text, and the text is compiled like a
// file: diagnostics show the lines of Text, and kernels are cached under it.

// A Type is the name of a scalar type, such as "float32", of a type parameter of the
// computation, or of a record.
type Type string

// A Program is a set of computations with the records and operators that they use.
type Program struct {
	Name         string // of the text in diagnostics, without its extension
	Records      []Record
	Computations []Computation
	Compositions []Composition // of these, and of each other
}

// A Record is a fixed collection of scalars. A buffer of records is one array for
// each field, called BUFFER_FIELD.
type Record struct {
	Name   string
	Fields []Field
}

// A Field is a scalar of a record.
type Field struct {
	Name string
	Type Type
}

// A Computation is out_view ∘ md_hom ∘ inp_view.
type Computation struct {
	Name     string
	Types    []TypeParam
	Sizes    []string // the parameters; Hom.Over is made of them
	Out, Inp []Buffer
	Hom      Hom
}

// A TypeParam is a scalar type that is one of several: the computation is compiled
// for each, the first under its own name, the others under NAME_TYPE.
type TypeParam struct {
	Name    string
	Choices []Type
}

// A Buffer is an input or output with one index function for each access.
type Buffer struct {
	Name    string
	Type    Type
	Extents []Expr // nil: they are computed from the index functions
	Index   []IndexFunction
	// Fill is the value of the cells of an output that no point writes; the zero Expr
	// means that there are none.
	Fill Expr
	// Injective states that the points write different cells, where that cannot be
	// proved.
	Injective bool
	// Undefined states that the cells that no point writes have no value, instead of Fill.
	Undefined bool
}

// An IndexFunction maps the indices of md_hom to the subscripts of a buffer.
type IndexFunction func(i []Expr) []Expr

// At returns one index function that selects indices of md_hom by their numbers,
// counted from 0: At(0, 2) is (i, j, k) -> (i, k). At() is that of a scalar.
func At(indices ...int) []IndexFunction {
	return []IndexFunction{func(i []Expr) []Expr {
		list := make([]Expr, len(indices))
		for n, k := range indices {
			if k >= 0 && k < len(i) {
				list[n] = i[k]
			} else { // a name that nothing declares: the checker reports it
				list[n] = Expr{&syntax.Ref{Name: fmt.Sprintf("index_%d_of_%d", k, len(i))}}
			}
		}
		return list
	}}
}

// Hom is md_hom: the sizes of the index space, the scalar function and a combine
// operator for each dimension.
type Hom struct {
	Over    []Expr
	Indices []string // the names of the indices in the text; nil: i1, i2, …
	F       ScalarFunction
	Combine []Combine
	// Down takes the inputs apart by other operators than CC (Definition 26 of the paper);
	// nil: by CC alone.
	Down []Combine
	// AssumeExchange states that different operators can be exchanged, Ordered that the
	// last dimension is to be combined first.
	AssumeExchange, Ordered bool
}

// A ScalarFunction computes the elements of the outputs, one for each index function
// of out_view, from those of the inputs, one for each buffer of inp_view. in[b] of a
// buffer with several index functions is used through Expr.Access. i are the indices.
type ScalarFunction func(in, i []Expr) []Expr

// Product is the product of two inputs.
func Product(in, _ []Expr) []Expr {
	if len(in) != 2 {
		return nil
	}
	return []Expr{in[0].Mul(in[1])}
}

// Identity is the only input as it is.
func Identity(in, _ []Expr) []Expr { return in }

// A Combine is the combine operator of a dimension.
type Combine struct {
	kind  string
	op    *Operator
	image func(i Expr) Expr
}

// At is the operator with an index set function of its own (Definition 2 of the paper):
// results whose indices have one image are folded, others stand side by side.
// PW(Max).At(func(i Expr) Expr { return i.Div(Int(4)) }) pools.
func (c Combine) At(image func(i Expr) Expr) Combine {
	c.image = image
	return c
}

// CC is concatenation, the ++ of the paper.
var CC = Combine{kind: "++"}

// PW folds a dimension with an operator.
func PW(op *Operator) Combine { return Combine{kind: "pw", op: op} }

// PS folds a dimension with an operator and keeps all prefixes.
func PS(op *Operator) Combine { return Combine{kind: "ps", op: op} }

// An Operator combines two tuples of elements, one for each index function of
// out_view. Operators are compared by their address.
type Operator struct {
	Name     string
	Function func(l, r []Expr) []Expr
	Identity []Expr // nil: none
	// AssumeAssociative, AssumeCommutative and AssumeNeutral (of the identity) state laws
	// that are else tried on random values; Ordered says that the operator runs from the
	// first index to the last.
	AssumeAssociative, AssumeCommutative, AssumeNeutral, Ordered bool

	sign  string // of a built-in operator
	parts []*Operator
}

// The built-in operators. ArgMin and ArgMax combine a value and an int64 position.
var (
	Add    = &Operator{sign: "+"}
	Mul    = &Operator{sign: "*"}
	Min    = &Operator{sign: "min"}
	Max    = &Operator{sign: "max"}
	And    = &Operator{sign: "&&"}
	Or     = &Operator{sign: "||"}
	ArgMin = &Operator{sign: "argmin"}
	ArgMax = &Operator{sign: "argmax"}
)

// Each returns the operator that combines a tuple element by element.
func Each(operators ...*Operator) *Operator { return &Operator{parts: operators} }

// Text returns the program in the notation of files *.mdh.
func (p Program) Text() string { return syntax.Print(p.tree()) }

// Compile checks the program. The error is a ricci.ErrorList when it is wrong.
func (p Program) Compile() (*ricci.Program, error) { return ricci.Parse(p.Name+".mdh", p.Text()) }
