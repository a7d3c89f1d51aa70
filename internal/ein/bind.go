package ein

import (
	"fmt"
	"sort"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/source"
)

// Bind computes the value of every size of f for one call. shapes gives the
// extents of the arguments by name: every input and in-out is there, outputs
// may be. scalars gives the values of integer rank-0 arguments that are sizes,
// and may fix any size under its own name. Bind checks everything that the
// function assumes about the sizes and reports all violations as diagnostics.
func (f *Func) Bind(shapes map[string][]int64, scalars map[string]int64) (map[string]int64, error) {
	b := &binder{f: f, shapes: shapes, scalars: scalars, values: map[string]int64{}, from: map[string]string{}}
	b.arguments()
	b.sizes()
	if err := b.check(); err != nil {
		return nil, err
	}
	return b.values, nil
}

// CheckSizes checks what the function assumes about sizes of which only some may
// be known: whatever can be computed from these must hold.
func (f *Func) CheckSizes(sizes map[string]int64) error {
	b := &binder{f: f, scalars: sizes, values: map[string]int64{}, from: map[string]string{}}
	for _, s := range f.Sizes {
		if _, given := sizes[s.Name]; given {
			b.size(s)
		}
	}
	return b.check()
}

type binder struct {
	f       *Func
	shapes  map[string][]int64
	scalars map[string]int64
	values  map[string]int64
	from    map[string]string // where a value came from, in words
	failed  []affine.Expr     // what was reported as too small
	blamed  map[string]bool   // the sizes in what a finished phase reported
	// arithmetic holds what could not be computed: it is reported last, because a
	// condition that fails says more than the division by zero behind it.
	arithmetic []incomputable
	problems   source.Diagnostics
}

type incomputable struct {
	expr affine.Expr
	span source.Span
	what string
	err  error
}

// check tests the conditions, ranges and extents and returns all problems. A
// failed condition makes ranges fail over the same sizes, and these make extents
// fail: only the first phase that fails speaks about a size.
func (b *binder) check() error {
	b.endPhase()
	for _, r := range b.f.Requires {
		b.condition(r)
	}
	b.endPhase()
	for _, c := range b.f.Body {
		for _, i := range c.Indices {
			b.index(i)
		}
	}
	b.endPhase()
	for _, t := range b.f.Tensors {
		b.tensor(t)
	}
	b.endPhase()
	for _, c := range b.f.Body {
		b.statement(c)
	}
	for _, a := range b.arithmetic {
		if !b.isBlamed(a.expr) {
			b.explain(b.problems.Errorf(source.SizeArithmetic, a.span, "%s = %s cannot be computed: %v", a.what, a.expr, a.err), a.expr)
			a.expr.Symbols(b.blamed)
		}
	}
	return b.problems.Err()
}

// endPhase notes the sizes of what has failed so far.
func (b *binder) endPhase() {
	b.blamed = map[string]bool{}
	for _, e := range b.failed {
		e.Symbols(b.blamed)
	}
}

func (b *binder) isBlamed(e affine.Expr) bool {
	for name := range b.blamed {
		if e.Uses(name) {
			return true
		}
	}
	return false
}

// tooSmall reports whether e is too small for a new reason: conditions H - KH and
// (H - KH)/2 fail together.
func (b *binder) tooSmall(e affine.Expr) bool {
	if b.isBlamed(e) {
		return false
	}
	e = cause(e)
	for _, f := range b.failed {
		if _, same := e.Sub(f).IsConst(); same {
			return false
		}
	}
	b.failed = append(b.failed, e)
	return true
}

// cause returns what must grow for e to grow: the dividend, if e is a quotient
// and a number.
func cause(e affine.Expr) affine.Expr {
	var varying []affine.Term
	for _, t := range e.Terms() {
		if len(t.Atoms) > 0 {
			varying = append(varying, t)
		}
	}
	if len(varying) != 1 {
		return e
	}
	if t := varying[0]; len(t.Atoms) == 1 && t.Coefficient > 0 && t.Atoms[0].Op == affine.FloorDiv {
		return cause(t.Atoms[0].X)
	}
	return e
}

// arguments checks presence and rank; shapes keeps only what is usable.
func (b *binder) arguments() {
	usable := map[string][]int64{}
	for _, t := range b.f.ByRole(Input, Output, InOut) {
		shape, given := b.shapes[t.Name]
		switch {
		case !given && t.Role != Output:
			b.problems.Errorf(source.MissingArgument, t.Pos, "the argument %s of %s is missing, expected %s", t.Name, b.f.Name, describeTensor(t)).
				WithHelp("pass an array for %s", t.Name)
		case given && len(shape) != len(t.Dims):
			b.problems.Errorf(source.WrongRank, t.Pos, "%s has %s with shape %s, expected %s", t.Name, plural(len(shape), "dimension"), describeShape(shape), describeTensor(t)).
				WithHelp("give %s exactly %s", t.Name, plural(len(t.Dims), "dimension"))
		case given:
			usable[t.Name] = shape
		}
	}
	b.unknownNames()
	b.shapes = usable
}

func (b *binder) unknownNames() {
	known := map[string]bool{}
	for _, t := range b.f.ByRole(Input, Output, InOut) {
		known[t.Name] = true
	}
	var unknown []string
	for name := range b.shapes {
		if !known[name] {
			unknown = append(unknown, name)
		}
	}
	for _, s := range b.f.Sizes {
		known[s.Name] = true
	}
	for name := range b.scalars {
		if _, isShape := b.shapes[name]; !known[name] && !isShape {
			unknown = append(unknown, name)
		}
	}
	sort.Strings(unknown)
	for _, name := range unknown {
		b.problems.Errorf(source.UnknownArgument, b.f.Pos, "%s has no argument or size named %s", b.f.Name, name).
			WithHelp("%s", b.signature())
	}
}

func (b *binder) signature() string {
	text := "the arguments are"
	for i, t := range b.f.ByRole(Input, Output, InOut) {
		if i > 0 {
			text += ","
		}
		text += " " + t.Name
	}
	for i, s := range b.f.Sizes {
		if i == 0 {
			text += "; the sizes are"
		} else {
			text += ","
		}
		text += " " + s.Name
	}
	return text
}

// sizes finds the values of all sizes. One that is computed from an extent waits
// for the others in it.
func (b *binder) sizes() {
	open := b.f.Sizes
	for progress := true; progress; {
		progress = false
		var waiting []*Size
		for _, s := range open {
			if _, _, ok := b.sizeValue(s); !ok {
				waiting = append(waiting, s)
				continue
			}
			b.size(s)
			progress = true
		}
		open = waiting
	}
	for _, s := range open {
		b.sizeUnknown(s)
	}
}

// size notes the value of a size that has one.
func (b *binder) size(s *Size) {
	value, from, _ := b.sizeValue(s)
	b.values[s.Name], b.from[s.Name] = value, from
	least := int64(1)
	if s.MayBeZero {
		least = 0
	}
	if s.Dim == ScalarValue || value >= least {
		return
	}
	b.failed = append(b.failed, affine.Symbol(s.Name))
	d := b.problems.Errorf(source.EmptySize, s.Pos, "the size %s is %d (%s), expected at least %d", s.Name, value, from, least)
	if least == 1 {
		if b.f.SaysOrEmpty {
			d.WithHelp("pass arrays that are not empty, or allow the empty case with 'or empty' on every index that ranges over %s%s", s.Name, b.orEmpty(s, d))
		} else {
			d.WithHelp("pass arrays that are not empty: in this notation %s and all other sizes are at least 1", s.Name)
		}
	}
}

// orEmpty is what to write where the ranges over a size may be empty, in the first statement that has some;
// the diagnostic gets a note for each place.
func (b *binder) orEmpty(s *Size, d *source.Diagnostic) string {
	clause := ""
	for _, c := range b.f.Body {
		var names []string
		for _, i := range c.Indices {
			if name, whole := i.Extent.IsSymbol(); !whole || name != s.Name || i.MayBeEmpty || !i.Pos.IsValid() {
				continue
			}
			if op := i.Combine.Op; op != nil && (op.Identity == nil || op.Kind == ArgMinOp || op.Kind == ArgMaxOp) {
				d.Notes = nil
				return fmt.Sprintf("; here %s must have a value, because %s of nothing is none", i.Name, op.Name)
			}
			d.WithNote(i.Pos, "%s ranges over %s", i.Name, s.Name)
			names = append(names, i.Name+" or empty")
		}
		if clause == "" && len(names) > 0 {
			clause = ": where " + strings.Join(names, ", ")
		}
	}
	return clause
}

func (b *binder) sizeValue(s *Size) (value int64, from string, ok bool) {
	if s.Tensor != nil && s.Dim == ScalarValue {
		if v, ok := b.scalars[s.Tensor.Name]; ok {
			b.conflict(s, v)
			return v, "the value of " + s.Tensor.Name, true
		}
	}
	if v, ok := b.scalars[s.Name]; ok {
		return v, "given for the size", true
	}
	if s.Tensor != nil && s.Dim != ScalarValue {
		if shape, ok := b.shapes[s.Tensor.Name]; ok && s.Dim < len(shape) {
			return b.solve(s, shape[s.Dim])
		}
	}
	return 0, "", false
}

// solve computes a size from the length of its dimension, whose extent is the size
// or an expression that is linear in it. A length that no size gives is found when
// it is compared with the extent.
func (b *binder) solve(s *Size, length int64) (value int64, from string, ok bool) {
	from = fmt.Sprintf("dimension %d of %s", s.Dim, s.Tensor.Name)
	extent := s.Tensor.Dims[s.Dim].Extent
	coefficient, rest, linear := extent.Linear(s.Name)
	if _, isSize := extent.IsSymbol(); isSize || !linear || coefficient == 0 {
		return length, from, true
	}
	known, err := rest.Eval(b.values)
	if err != nil {
		return 0, "", false
	}
	quotient, err := affine.Div(affine.Const(length).Sub(affine.Const(known)), affine.Const(coefficient)).Eval(nil)
	return quotient, fmt.Sprintf("%s, which is %s", from, extent), err == nil
}

// conflict compares the value of a scalar argument with the size when both are
// given. (For a dimension the comparison of shapes does that.)
func (b *binder) conflict(s *Size, value int64) {
	if given, ok := b.scalars[s.Name]; ok && given != value {
		b.problems.Errorf(source.ConflictingSize, s.Pos, "the size %s is given as %d, but the value of %s is %d", s.Name, given, s.Tensor.Name, value).
			WithHelp("give one of them only")
	}
}

// sizeUnknown is silent where the missing argument is itself reported.
func (b *binder) sizeUnknown(s *Size) {
	switch {
	case s.Tensor != nil && s.Dim == ScalarValue:
		b.problems.Errorf(source.UnknownSize, s.Pos, "the value of %s is needed as a size and was not given", s.Tensor.Name).
			WithHelp("pass an integer for %s", s.Tensor.Name)
	case s.Tensor == nil || s.Tensor.Role == Output:
		d := b.problems.Errorf(source.UnknownSize, s.Pos, "no input determines the size %s", s.Name)
		if s.Tensor == nil {
			d.WithHelp("give its value: -s %s=…", s.Name)
		} else {
			d.WithHelp("give its value: -s %s=…, or pass the output %s", s.Name, s.Tensor.Name)
		}
	}
}

// eval computes an expression, or notes why it has no value. It is silently false
// when a size is missing, because that has been reported.
func (b *binder) eval(e affine.Expr, span source.Span, what string) (int64, bool) {
	symbols := map[string]bool{}
	e.Symbols(symbols)
	for s := range symbols {
		if _, ok := b.values[s]; !ok {
			return 0, false
		}
	}
	v, err := e.Eval(b.values)
	if err != nil {
		b.arithmetic = append(b.arithmetic, incomputable{e, span, what, err})
	}
	return v, err == nil
}

// explain adds where the sizes in e got their values from.
func (b *binder) explain(d *source.Diagnostic, e affine.Expr) *source.Diagnostic {
	for _, s := range b.f.Sizes {
		if v, ok := b.values[s.Name]; ok && e.Uses(s.Name) {
			d.WithNote(s.Pos, "%s = %d (%s)", s.Name, v, b.from[s.Name])
		}
	}
	return d
}

func (b *binder) tensor(t *Tensor) {
	shape, given := b.shapes[t.Name]
	bytes := affine.Const(int64(t.Type.Size()))
	for i, d := range t.Dims {
		bytes = bytes.Mul(d.Extent)
		what := fmt.Sprintf("the extent of dimension %d of %s", i, t.Name)
		extent, ok := b.eval(d.Extent, t.Pos, what)
		if !ok {
			continue
		}
		if extent < 0 {
			if !b.tooSmall(d.Extent) {
				continue
			}
			b.explain(b.problems.Errorf(source.NegativeExtent, t.Pos, "%s is %s = %d, expected at least 0", what, d.Extent, extent), d.Extent).
				WithHelp("pass sizes for which %s is not negative", d.Extent)
			continue
		}
		if given && t.Role != Temp && shape[i] != extent {
			b.mismatch(t, i, shape[i], extent)
		}
		b.eval(d.Min, t.Pos, fmt.Sprintf("the first element of dimension %d of %s", i, t.Name))
	}
	what := "the number of bytes of " + t.Name
	if n, ok := b.eval(bytes, t.Pos, what); ok && n > MostBytes {
		b.explain(b.problems.Errorf(source.SizeArithmetic, t.Pos, "%s is %s = %d, and no process has room for more than %d", what, bytes, n, int64(MostBytes)), bytes).
			WithHelp("pass smaller sizes")
	}
}

// MostBytes is how many bytes an array has at most: what 48 bits of an address reach. It leaves room for
// the arithmetic of subscripts, and of proofs about them, in 64 bits.
const MostBytes = 1 << 48

func (b *binder) mismatch(t *Tensor, dim int, found, expected int64) {
	e := t.Dims[dim].Extent
	text := fmt.Sprintf("%s = %d", e, expected)
	if _, constant := e.IsConst(); constant {
		text = fmt.Sprint(expected)
	}
	b.explain(b.problems.Errorf(source.ShapeMismatch, t.Pos, "dimension %d of %s is %d, expected %s", dim, t.Name, found, text), e).
		WithHelp("the shape of %s must be %s", t.Name, describeDims(t.Dims))
}

func (b *binder) condition(r *Condition) {
	v, ok := b.eval(r.Expr, r.Pos, "a condition of the program")
	if !ok || v >= 0 || !b.tooSmall(r.Expr) {
		return
	}
	why := ""
	if r.Reason != "" {
		why = ": " + r.Reason
	}
	text, _ := b.f.Relation(r)
	b.explain(b.problems.Errorf(source.ConditionFailed, r.Pos, "the sizes must satisfy %s%s", text, why), r.Expr).
		WithHelp("pass arguments for which %s", text)
}

func (b *binder) index(i *Index) {
	b.eval(i.Min, i.Pos, "the start of the range of "+i.Name)
	extent, ok := b.eval(i.Extent, i.Pos, "the length of the range of "+i.Name)
	if !ok || extent >= 1 || i.MayBeEmpty || !b.tooSmall(i.Extent) {
		return
	}
	b.explain(b.problems.Errorf(source.EmptyRange, i.Pos, "the range of %s is empty: it is %s:%s and has %s = %d elements", i.Name, i.Min, i.Min.Add(i.Extent), i.Extent, extent), i.Extent).
		WithHelp("%s", b.f.largerHelp(i))
}

// largerHelp says what to do about the empty range of an index.
func (f *Func) largerHelp(i *Index) string {
	if f.SaysOrEmpty {
		return fmt.Sprintf("pass larger arguments, or write 'where %s or empty' if an empty range is meant", i.Name)
	}
	return "pass larger arguments"
}

func describeTensor(t *Tensor) string {
	if len(t.Dims) == 0 {
		return t.Type.String() + " without dimensions"
	}
	return t.Type.String() + describeDims(t.Dims)
}

func describeDims(dims []Dim) string {
	text := "("
	for i, d := range dims {
		if i > 0 {
			text += ", "
		}
		text += d.Extent.String()
	}
	return text + ")"
}

func describeShape(shape []int64) string {
	text := "("
	for i, n := range shape {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(n)
	}
	if len(shape) == 1 {
		text += "," // as NumPy writes it
	}
	return text + ")"
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
