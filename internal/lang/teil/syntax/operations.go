package syntax

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A Kind says what an argument of an operation is.
type Kind uint8

// The kinds of arguments. Positions are literals and count dimensions from 1; the
// others may be expressions over sizes.
const (
	Position Kind = iota // of a dimension
	Extent               // of a new dimension
	Slice                // a place in a dimension, from 1
	Offset               // how many places are left out, from 0
	Step                 // between places, from 1
	Value                // any
)

// A Parameter is an argument of an operation.
type Parameter struct {
	Name string
	Kind Kind
}

// A Class groups operations that work alike.
type Class uint8

// The classes. Elementwise operations take operands of one shape; Reduction folds a
// dimension away, a Folding tuples along one by an operator of the program; Reindex only moves values; a Generator has no operands. Mul, Prod,
// Gather and Contr are by themselves.
const (
	Elementwise Class = iota
	Multiplication
	OuterProduct
	Gathering
	Reduction
	Contraction
	Folding
	Reindex
	Generator
)

// An Op is a row of the table of operations. Rule is the typing rule of Figure 8,
// or the one that the operation has in the style of that figure; Coq is the term of
// proofs/Syntax.v without its arguments and operands.
type Op struct {
	Name       string
	Class      Class
	Parameters []Parameter
	Operands   int
	Rule       string
	Coq        string
	Summary    string

	Combine ein.OperatorKind // of a Reduction or Contraction
	Binary  ein.BinaryOp     // of an Elementwise operation with two operands, if Builtin is nil
	Builtin *ein.Builtin     // of a function of scalars
	Cast    tensor.DType     // of a conversion, the type of its result

	Fold      *Fold // of a Folding
	Component int   // of its result
}

// IsComparison reports whether the operation gives a bool from two numbers.
func (o *Op) IsComparison() bool {
	return o.Class == Elementwise && o.Operands == 2 && o.Builtin == nil && o.Binary.IsComparison()
}

// HasOwnFirst reports whether the first operand has a type of its own, whatever the others
// have: the condition of a select, the subscripts of a gather.
func (o *Op) HasOwnFirst() bool { return o.Name == "select" || o.Class == Gathering }

// parameters reads "i0 i1" as positions, and the names of the other kinds.
func parameters(names string) []Parameter {
	var list []Parameter
	for _, name := range strings.Fields(names) {
		kind, ok := kinds[name]
		if !ok {
			kind = Position
		}
		list = append(list, Parameter{name, kind})
	}
	return list
}

var kinds = map[string]Kind{"n": Extent, "m": Slice, "o": Offset, "d": Offset, "l": Offset, "h": Offset, "s": Step, "v": Value}

// primitives are the operations except for the functions of scalars.
var primitives = [...]Op{
	{Name: "add", Operands: 2, Rule: "T-Add", Coq: "Binary Add", Binary: ein.Add, Summary: "element by element, the sum"},
	{Name: "sub", Operands: 2, Rule: "T-Sub", Coq: "Binary Sub", Binary: ein.Sub, Summary: "element by element, the difference"},
	{Name: "div", Operands: 2, Rule: "T-Div", Coq: "Binary Div", Binary: ein.Div, Summary: "element by element, the quotient"},
	{Name: "min", Operands: 2, Rule: "T-Min", Coq: "Binary Min", Binary: ein.Min, Summary: "element by element, the smaller one"},
	{Name: "max", Operands: 2, Rule: "T-Max", Coq: "Binary Max", Binary: ein.Max, Summary: "element by element, the larger one"},
	{Name: "neg", Operands: 1, Rule: "T-Neg", Coq: "Unary Negate", Summary: "element by element, the negative"},
	{Name: "abs", Operands: 1, Rule: "T-Abs", Coq: "Unary (Function f)", Summary: "element by element, the absolute value; of the least integer that itself"},
	{Name: "mod", Operands: 2, Rule: "T-Mod", Coq: "Binary (Function2 f)", Binary: ein.Mod, Summary: "element by element, the remainder, which has the sign of e1; fmod(e0, e1) has that of e0"},
	{Name: "lt", Operands: 2, Rule: "T-Compare", Coq: "Binary (Function2 f)", Binary: ein.Lt, Summary: "element by element, whether the first is less: a bool"},
	{Name: "le", Operands: 2, Rule: "T-Compare", Coq: "Binary (Function2 f)", Binary: ein.Le, Summary: "whether it is at most the second"},
	{Name: "gt", Operands: 2, Rule: "T-Compare", Coq: "Binary (Function2 f)", Binary: ein.Gt, Summary: "whether it is greater"},
	{Name: "ge", Operands: 2, Rule: "T-Compare", Coq: "Binary (Function2 f)", Binary: ein.Ge, Summary: "whether it is at least the second"},
	{Name: "eq", Operands: 2, Rule: "T-Compare", Coq: "Binary (Function2 f)", Binary: ein.Eq, Summary: "whether both are equal"},
	{Name: "ne", Operands: 2, Rule: "T-Compare", Coq: "Binary (Function2 f)", Binary: ein.Ne, Summary: "whether they differ"},
	{Name: "and", Operands: 2, Rule: "T-And", Coq: "Binary (Function2 f)", Binary: ein.And, Summary: "element by element, whether both bools hold"},
	{Name: "or", Operands: 2, Rule: "T-Or", Coq: "Binary (Function2 f)", Binary: ein.Or, Summary: "element by element, whether one of the bools holds"},
	{Name: "not", Operands: 1, Rule: "T-Not", Coq: "Unary (Function f)", Summary: "element by element, whether the bool does not hold"},
	{Name: "bitand", Operands: 2, Rule: "T-Bits", Coq: "Binary (Function2 f)", Binary: ein.BitAnd, Summary: "element by element, the bits that both integers have"},
	{Name: "bitor", Operands: 2, Rule: "T-Bits", Coq: "Binary (Function2 f)", Binary: ein.BitOr, Summary: "the bits that one of the integers has"},
	{Name: "bitxor", Operands: 2, Rule: "T-Bits", Coq: "Binary (Function2 f)", Binary: ein.BitXor, Summary: "the bits that only one of the integers has"},
	{Name: "shl", Operands: 2, Rule: "T-Bits", Coq: "Binary (Function2 f)", Binary: ein.Shl, Summary: "the first, shifted to the left by as many places as the second says; 0 where that is no place"},
	{Name: "shr", Operands: 2, Rule: "T-Bits", Coq: "Binary (Function2 f)", Binary: ein.Shr, Summary: "the first, shifted to the right; its sign, 0 or -1, where the second is no place"},
	{Name: "bitnot", Operands: 1, Rule: "T-Bits", Coq: "Unary (Function f)", Summary: "the bits that the integer has not"},
	{Name: "popcount", Operands: 1, Rule: "T-Bits", Coq: "Unary (Function f)", Summary: "how many bits are 1"},
	{Name: "clz", Operands: 1, Rule: "T-Bits", Coq: "Unary (Function f)", Summary: "how many bits are 0 above the highest that is 1"},
	{Name: "select", Operands: 3, Rule: "T-Select", Coq: "apply f", Summary: "element by element, e1 where the bool e0 holds, otherwise e2"},
	{Name: "mul", Class: Multiplication, Operands: 2, Rule: "T-Mul", Coq: "Mul", Binary: ein.Mul, Summary: "element by element, the product; or a scalar times a tensor (T-SMul)"},
	{Name: "prod", Class: OuterProduct, Operands: 2, Rule: "T-Prod", Coq: "Prod", Binary: ein.Mul, Summary: "the outer product: the dimensions of both"},
	{Name: "gather", Class: Gathering, Parameters: parameters("i"), Operands: 2, Rule: "T-Gather", Coq: "Gather", Summary: "dimension i of e1 at the places, from 0, that the elements of e0 say; the dimensions of e0 come first"},
	{Name: "red+", Class: Reduction, Parameters: parameters("i"), Operands: 1, Rule: "T-Red+", Coq: "Red Sum", Combine: ein.SumOp, Summary: "the sum over dimension i"},
	{Name: "red*", Class: Reduction, Parameters: parameters("i"), Operands: 1, Rule: "T-Red*", Coq: "Red Product", Combine: ein.ProductOp, Summary: "the product over dimension i"},
	{Name: "redmin", Class: Reduction, Parameters: parameters("i"), Operands: 1, Rule: "T-RedMin", Coq: "Red Minimum", Combine: ein.MinOp, Summary: "the least over dimension i"},
	{Name: "redmax", Class: Reduction, Parameters: parameters("i"), Operands: 1, Rule: "T-RedMax", Coq: "Red Maximum", Combine: ein.MaxOp, Summary: "the greatest over dimension i"},
	{Name: "contr", Class: Contraction, Parameters: parameters("i0 i1"), Operands: 1, Rule: "T-Contr", Coq: "contr", Combine: ein.SumOp, Summary: "the contraction red+ i0 (diag i0 i1 e), Equation (6)"},
	{Name: "transp", Class: Reindex, Parameters: parameters("i0 i1"), Operands: 1, Rule: "T-Transp", Coq: "Transp", Summary: "exchanges dimensions i0 and i1"},
	{Name: "diag", Class: Reindex, Parameters: parameters("i0 i1"), Operands: 1, Rule: "T-Diag", Coq: "Diag", Summary: "the diagonal of dimensions i0 and i1, which stays at i0"},
	{Name: "expa", Class: Reindex, Parameters: parameters("i n"), Operands: 1, Rule: "T-Expa", Coq: "Expa", Summary: "repeats the tensor n times along a new dimension i"},
	{Name: "proj", Class: Reindex, Parameters: parameters("i m"), Operands: 1, Rule: "T-Proj", Coq: "Proj", Summary: "slice m of dimension i"},
	{Name: "shift", Class: Reindex, Parameters: parameters("i o n"), Operands: 1, Rule: "T-Shift", Coq: "Shift", Summary: "n places of dimension i, behind the first o"},
	{Name: "window", Class: Reindex, Parameters: parameters("i n"), Operands: 1, Rule: "T-Window", Coq: "Window", Summary: "windows of n places that slide over dimension i; the place in the window is dimension i + 1"},
	{Name: "stride", Class: Reindex, Parameters: parameters("i s"), Operands: 1, Rule: "T-Stride", Coq: "Stride", Summary: "every s-th place of dimension i, from the first"},
	{Name: "flip", Class: Reindex, Parameters: parameters("i"), Operands: 1, Rule: "T-Flip", Coq: "Flip", Summary: "dimension i from its last place to its first"},
	{Name: "pad", Class: Reindex, Parameters: parameters("i l h"), Operands: 1, Rule: "T-Pad", Coq: "Pad", Summary: "dimension i with l zeros before it and h behind it"},
	{Name: "clamp", Class: Reindex, Parameters: parameters("i l h"), Operands: 1, Rule: "T-Clamp", Coq: "Remap Clamped", Summary: "dimension i with l copies of its first place before it and h of its last behind it"},
	{Name: "mirror", Class: Reindex, Parameters: parameters("i l h"), Operands: 1, Rule: "T-Mirror", Coq: "Remap Mirrored", Summary: "dimension i with l places before it and h behind it, reflected at its ends, which are repeated"},
	{Name: "wrap", Class: Reindex, Parameters: parameters("i l h"), Operands: 1, Rule: "T-Wrap", Coq: "Remap Wrapped", Summary: "dimension i with l places before it and h behind it, which go on at its other end"},
	{Name: "repeat", Class: Reindex, Parameters: parameters("i s"), Operands: 1, Rule: "T-Repeat", Coq: "Remap Repeated", Summary: "dimension i with each place s times"},
	{Name: "step", Class: Reindex, Parameters: parameters("i d n"), Operands: 1, Rule: "T-Step", Coq: "Remap Stepped", Summary: "n places of dimension i, each d behind the one before, from the first"},
	{Name: "replace", Class: Reindex, Parameters: parameters("i o s"), Operands: 2, Rule: "T-Replace", Coq: "Replace", Summary: "e0, but e1 in every s-th place of dimension i behind the first o"},
	{Name: "iota", Class: Generator, Parameters: parameters("n"), Rule: "T-Iota", Coq: "Iota", Summary: "the numbers 0 to n - 1, of type int64"},
	{Name: "size", Class: Generator, Parameters: parameters("v"), Rule: "T-Size", Coq: "Const", Summary: "the number v, an int64: a size as a value"},
}

// Operations returns the table: the primitives, then the functions of scalars, which
// are those of ein.
func Operations() []*Op {
	var list []*Op
	for n := range primitives {
		list = append(list, &primitives[n])
	}
	for _, b := range ein.Builtins() {
		list = append(list, function(b))
	}
	for _, t := range tensor.DTypes() {
		list = append(list, conversion(t))
	}
	return list
}

// conversion returns the row of a cast, which has the name of the type.
func conversion(t tensor.DType) *Op {
	return &Op{Name: t.String(), Operands: 1, Rule: "T-Cast", Coq: coqFunction(1), Cast: t, Summary: "element by element, the value as " + t.String()}
}

// function returns the row of a builtin: it works element by element.
func function(b *ein.Builtin) *Op {
	return &Op{Name: b.Name, Operands: b.Arity, Rule: "T-Fun", Coq: coqFunction(b.Arity), Builtin: b, Summary: "element by element, " + b.Doc}
}

// coqFunction is the term of a function of so many arguments.
func coqFunction(arity int) string {
	switch arity {
	case 1:
		return "Unary (Function f)"
	case 2:
		return "Binary (Function2 f)"
	}
	return "apply f"
}

// Lookup finds an operation by its name.
func Lookup(name string) (*Op, bool) {
	for n := range primitives {
		if primitives[n].Name == name {
			return &primitives[n], true
		}
	}
	if b, ok := ein.LookupBuiltin(name); ok {
		return function(b), true
	}
	for _, t := range tensor.DTypes() {
		if t.String() == name {
			return conversion(t), true
		}
	}
	return nil, false
}

// elsewhere has what operations are called in other languages.
var elsewhere = map[string]string{
	"sum": "red+", "reduce": "red+", "minus": "sub", "times": "mul", "outer": "prod", "kron": "prod", "trace": "contr", "dot": "contr", "matmul": "contr", "tensordot": "contr",
	"permute": "transp", "swap": "transp", "slice": "proj", "broadcast": "expa", "roll": "wrap", "reflect": "mirror", "upsample": "repeat", "scatter": "replace", "update": "replace", "where": "select", "reverse": "flip", "arange": "iota", "take": "gather", "index": "gather", "lookup": "gather",
}

// SuggestOperation returns an operation, or another name, that a word may be meant to be.
func SuggestOperation(word string, names ...string) string {
	if op := elsewhere[word]; op != "" {
		return op
	}
	for _, op := range Operations() {
		names = append(names, op.Name)
	}
	if near := source.Suggest(word, names); near != "" {
		return near
	}
	for n := range primitives { // words that are shortened here: transpose
		if len(primitives[n].Name) > 3 && strings.HasPrefix(word, primitives[n].Name) {
			return primitives[n].Name
		}
	}
	return ""
}

// Usage returns how an operation is written, such as "diag i0 i1 e".
func (o *Op) Usage() string {
	words := []string{o.Name}
	for _, p := range o.Parameters {
		words = append(words, p.Name)
	}
	operands := [...][]string{nil, {"e"}, {"e0", "e1"}, {"e0", "e1", "e2"}, {"e0", "e1", "e2", "e3"}}
	return strings.Join(append(words, operands[o.Operands]...), " ")
}
