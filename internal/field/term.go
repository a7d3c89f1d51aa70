package field

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
)

// Op is the kind of a term.
type Op uint8

// The kinds of terms, in the order in which factors and summands stand: constants, then signs and deltas, then leaves.
const (
	Rational Op = iota // an exact constant
	Epsilon            // ε[i,j], ε[i,j,k]: the sign of the permutation
	Delta              // δ[i,j]: 1 where the indices are equal
	Tensor             // T[α], a component of a tensor parameter
	Field              // F[α], a component of a field parameter
	Position           // pos[i], the coordinate of the point at which a closed-form field is asked
	Conv               // V[α] ⊛ H^{β}
	Lift               // a tensor as a constant field
	Partial            // ∂[β] ⋄ e
	Compose            // e ∘ [g0, g1]: the field e at the place of which the fields g are the coordinates
	Probe              // e @ x, or e @ [p0, p1]
	Neg
	Abs
	Sgn
	Sqrt
	Exp
	Sin
	Cos
	Tan
	Asin
	Acos
	Atan
	Power // e^n, n an integer
	Min   // of tensors only
	Max   // of tensors only
	Div
	Mul // a sorted list of factors
	Add // a sorted list of summands
	Sum // Σ over a list of indices
)

var opNames = [...]string{"rational", "ε", "δ", "tensor", "field", "pos", "⊛", "lift", "∂", "∘", "@", "-", "abs", "sgn", "sqrt", "exp",
	"sin", "cos", "tan", "asin", "acos", "atan", "^", "min", "max", "/", "*", "+", "Σ"}

func (op Op) String() string { return opNames[op] }

// IsFunction reports whether a term of this kind applies a function of one number, which text writes by its name.
func (op Op) IsFunction() bool { return op >= Abs && op <= Atan }

// A Term is a scalar once its indices have values. Terms are made by a Store only: there, equal terms are one pointer.
// They are never changed.
type Term struct {
	Op      Op
	Args    []*Term
	Indices []Index  // of a leaf its α; of Partial its sorted β; of Sum what is summed over
	Orders  []Index  // β of Conv, sorted
	Param   *Param   // of Tensor, Field, Conv (the image), Probe (the position; nil where that is computed)
	Kernel  *Param   // of Conv
	Value   *big.Rat // of Rational
	Power   int      // the exponent of Power; the dimension of the space of Position

	id    int
	level int     // the highest number that a Sum in it binds
	free  []Index // its free index variables, sorted
	marks mark    // what is in it
}

// marks are kinds of terms that are somewhere in a term.
type mark uint8

const (
	fields   mark = 1 << iota // a field that varies
	epsilons                  // ε
	deltas                    // δ
)

var marksOf = map[Op]mark{Field: fields, Conv: fields, Position: fields, Epsilon: epsilons, Delta: deltas}

// has reports whether a kind of term is somewhere in t.
func (t *Term) has(m mark) bool { return t.marks&m != 0 }

// Free are the index variables that occur in the term and are not bound in it, sorted.
func (t *Term) Free() []Index { return t.free }

// Has reports whether the index occurs free in the term.
func (t *Term) Has(i Index) bool {
	_, found := slices.BinarySearchFunc(t.free, i, Index.compare)
	return found
}

// A Store makes terms and parameters and keeps one of each: that is hash-consing. It is not for several goroutines at once.
type Store struct {
	terms  map[string]*Term
	params map[string]*Param
	opened int // index variables given out by Open
	key    []byte
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{terms: map[string]*Term{}, params: map[string]*Param{}}
}

// Terms is how many different terms were made.
func (s *Store) Terms() int { return len(s.terms) }

func (s *Store) intern(t Term) *Term {
	key := append(s.key[:0], byte(t.Op))
	for _, a := range t.Args {
		key = strconv.AppendInt(append(key, 'a'), int64(a.id), 36)
	}
	for _, i := range t.Indices {
		key = i.appendKey(append(key, 'i'))
	}
	for _, i := range t.Orders {
		key = i.appendKey(append(key, 'o'))
	}
	if t.Param != nil {
		key = strconv.AppendInt(append(key, 'p'), int64(t.Param.id), 36)
	}
	if t.Kernel != nil {
		key = strconv.AppendInt(append(key, 'k'), int64(t.Kernel.id), 36)
	}
	if t.Value != nil {
		key = append(append(key, 'v'), t.Value.RatString()...)
	}
	key = strconv.AppendInt(append(key, 'n'), int64(t.Power), 36)
	s.key = key
	if old, ok := s.terms[string(key)]; ok {
		return old
	}
	t.id = len(s.terms)
	t.summarise()
	made := new(Term)
	*made = t
	s.terms[string(key)] = made
	return made
}

// summarise fills in what is known of a term from its parts.
func (t *Term) summarise() {
	var free []Index
	t.marks = marksOf[t.Op]
	for n, a := range t.Args {
		switch { // a composition varies as its position does, if its field varies at all
		case t.Op != Compose || n > 0 && t.Args[0].has(fields):
			t.marks |= a.marks
		case n == 0:
			t.marks |= a.marks &^ fields
		}
		t.level = max(t.level, a.level)
		free = append(free, a.free...)
	}
	if t.Op == Sum {
		for _, i := range t.Indices {
			t.level = max(t.level, i.Number)
		}
		free = slices.DeleteFunc(free, func(i Index) bool { return slices.Contains(t.Indices, i) })
	} else {
		free = append(append(free, t.Indices...), t.Orders...)
	}
	free = slices.DeleteFunc(free, func(i Index) bool { return i.Class == Constant })
	slices.SortFunc(free, Index.compare)
	t.free = slices.Clip(slices.Compact(free))
}

// compare orders terms by how they look, so that the order of factors does not depend on what was made first. Equal parts
// are one pointer, so it walks down one path only.
func compare(a, b *Term) int {
	if a == b {
		return 0
	}
	order := cmp.Or(cmp.Compare(a.Op, b.Op), a.Param.compare(b.Param), a.Kernel.compare(b.Kernel), cmp.Compare(a.Power, b.Power),
		slices.CompareFunc(a.Indices, b.Indices, Index.compare), slices.CompareFunc(a.Orders, b.Orders, Index.compare))
	if order == 0 && a.Value != nil {
		order = a.Value.Cmp(b.Value)
	}
	if order == 0 {
		order = slices.CompareFunc(a.Args, b.Args, compare)
	}
	return order
}

// Rational returns a constant.
func (s *Store) Rational(v *big.Rat) *Term { return s.intern(Term{Op: Rational, Value: v}) }

// Int returns a constant.
func (s *Store) Int(n int64) *Term { return s.Rational(big.NewRat(n, 1)) }

// Delta returns δ[i,j].
func (s *Store) Delta(i, j Index) *Term {
	if i.compare(j) > 0 {
		i, j = j, i
	}
	return s.intern(Term{Op: Delta, Indices: []Index{i, j}})
}

// Epsilon returns ε of two or three indices.
func (s *Store) Epsilon(indices ...Index) *Term {
	return s.intern(Term{Op: Epsilon, Indices: slices.Clone(indices)})
}

// Component returns T[α] or F[α] of a parameter.
func (s *Store) Component(p *Param, alpha ...Index) *Term {
	op := Tensor
	if p.Kind == FieldParam {
		op = Field
	}
	return s.intern(Term{Op: op, Param: p, Indices: slices.Clone(alpha)})
}

// Position returns the coordinate i of the point at which a field over a space of dim dimensions is asked.
func (s *Store) Position(dim int, i Index) *Term {
	return s.intern(Term{Op: Position, Indices: []Index{i}, Power: dim})
}

// Conv returns V[α] ⊛ H^{β}; partial derivatives commute, so β is sorted.
func (s *Store) Conv(image, kernel *Param, alpha, beta []Index) *Term {
	beta = slices.Clone(beta)
	slices.SortFunc(beta, Index.compare)
	return s.intern(Term{Op: Conv, Param: image, Kernel: kernel, Indices: slices.Clone(alpha), Orders: beta})
}

// Partial returns ∂[β] ⋄ e. Derivatives of derivatives are merged (R10), none is e (R9).
func (s *Store) Partial(beta []Index, e *Term) *Term {
	if e.Op == Partial {
		beta, e = append(slices.Clone(beta), e.Indices...), e.Args[0]
	}
	if len(beta) == 0 {
		return e
	}
	beta = slices.Clone(beta)
	slices.SortFunc(beta, Index.compare)
	return s.intern(Term{Op: Partial, Indices: beta, Args: []*Term{e}})
}

// Probe returns e @ x.
func (s *Store) Probe(e *Term, x *Param) *Term {
	return s.intern(Term{Op: Probe, Param: x, Args: []*Term{e}})
}

// ProbeAt returns e @ [p0, p1], a field at a place that is computed: numbers without free indices, one for each dimension.
// Where they are the components of a parameter it is e @ x.
func (s *Store) ProbeAt(e *Term, place ...*Term) *Term {
	if x := place[0].Param; place[0].Op == Tensor && x.Fixed {
		dim := 1
		if len(x.Shape) == 1 {
			dim = x.Shape[0]
		}
		isWhole := dim == len(place) && len(x.Shape) < 2
		for n, p := range place {
			isWhole = isWhole && p == s.Component(x, []Index{At(n)}[:len(x.Shape)]...)
		}
		if isWhole {
			return s.Probe(e, x)
		}
	}
	return s.intern(Term{Op: Probe, Args: append([]*Term{e}, place...)})
}

// Compose returns e ∘ [g0, g1], the field that is at x what e is at the place [g0 @ x, g1 @ x]. The coordinates have no free
// indices; that they are the position itself changes nothing.
func (s *Store) Compose(e *Term, place ...*Term) *Term {
	isPosition := true
	for n, g := range place {
		isPosition = isPosition && g.Op == Position && g.Power == len(place) && g.Indices[0] == At(n)
	}
	if isPosition {
		return e
	}
	return s.intern(Term{Op: Compose, Args: append([]*Term{e}, place...)})
}

// Unary returns a term of one operand: Lift, Neg or a function.
func (s *Store) Unary(op Op, e *Term) *Term { return s.intern(Term{Op: op, Args: []*Term{e}}) }

// PowerOf returns e^n.
func (s *Store) PowerOf(e *Term, n int) *Term {
	return s.intern(Term{Op: Power, Power: n, Args: []*Term{e}})
}

// Binary returns a term of two operands that keep their places: Div, Min or Max.
func (s *Store) Binary(op Op, x, y *Term) *Term { return s.intern(Term{Op: op, Args: []*Term{x, y}}) }

// Add returns a sum; summands that are sums are taken apart (R41), and all are sorted.
func (s *Store) Add(summands ...*Term) *Term { return s.list(Add, summands) }

// Mul returns a product; factors that are products are taken apart (R42), and all are sorted.
func (s *Store) Mul(factors ...*Term) *Term { return s.list(Mul, factors) }

func (s *Store) list(op Op, parts []*Term) *Term {
	var flat []*Term
	for _, p := range parts {
		if p.Op == op {
			flat = append(flat, p.Args...)
		} else {
			flat = append(flat, p)
		}
	}
	switch {
	case len(flat) == 1:
		return flat[0]
	case len(flat) == 0 && op == Add:
		return s.Int(0)
	case len(flat) == 0:
		return s.Int(1)
	}
	slices.SortFunc(flat, compare)
	return s.intern(Term{Op: op, Args: flat})
}

// Sub returns x − y.
func (s *Store) Sub(x, y *Term) *Term { return s.Add(x, s.Unary(Neg, y)) }
