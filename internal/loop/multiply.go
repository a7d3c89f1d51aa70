package loop

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A Multiply computes a block of a product of matrices, as matrix units do. With groups of
// g elements, which fill 32 bits,
//
//	Z[At + r·Stride + c] = Σ X[XAt + r·XStride + k·XStep] · Y[YAt + ⌊k/g⌋·YStride + c·g + k mod g]
//
// for r < Rows and c < Cols, over k < Depth and the steps of Sums, each of which goes on in X
// and in Y, which has whole groups. Integers wrap. Floats are added in any order, and numbers smaller than the
// smallest normal one may be taken for 0, as matrix units do. It means what Loops says; a
// target takes pieces as large as its tiles, and cuts them as Blocking says.
//
// A group of float32 is one element. Columns of Y are YStep elements apart then, not g, and
// Runs are further columns, which go on in Y and in Z. Room is for what a target makes of the operands: units that take no float32 multiply the parts
// of which an element is the sum (ein.Parts). No number is taken for 0.
type Multiply struct {
	Z, X, Y                  *Buffer
	At, XAt, YAt             Expr
	Stride, XStride, YStride Expr
	XStep, YStep             Expr    // YStep is nil where columns are groups
	Room                     *Buffer // of bfloat16; nil where operands are multiplied as they are
	Rows, Cols, Depth        Expr
	Sums                     []Sum
	Runs                     []Run // of columns of float32: each as many as Cols, the slowest first
	Add                      bool  // to what is in Z
	Blocking                 ein.Blocking
	Keep                     Operand // of whose panels parts are kept
}

// An Operand is one of the two of a Multiply.
type Operand uint8

// The operands: that with fewer lines, X, whose lines are rows, and Y, whose lines are columns.
const (
	Either Operand = iota
	Rows
	Columns
)

var operandNames = [...]string{"fewer", "rows", "columns"}

// String returns the word of an operand.
func (o Operand) String() string { return operandNames[o] }

// Product is how a matrix unit multiplies the operands.
func (s *Multiply) Product() ein.Product {
	switch {
	case s.Room == nil:
		return ein.GroupProduct
	case len(s.Runs) == 0:
		return ein.PartsProduct
	}
	return ein.WindowProduct
}

// A Sum is a further loop of a Multiply: Count steps that are X and Y elements apart.
type Sum struct{ Count, X, Y Expr }

// A Run is a further loop over columns of a Multiply: Count steps that are Y and Z elements apart.
type Run struct{ Count, Y, Z Expr }

func (*Multiply) stmt() {}

// Group is how many elements of an operand fill 32 bits.
func (s *Multiply) Group() int { return ein.MatrixGroup(s.X.Type.Elem) }

// operands lists the expressions.
func (s *Multiply) operands() []Expr {
	list := []Expr{s.At, s.Stride, s.XAt, s.XStride, s.XStep, s.YAt, s.YStride, s.Rows, s.Cols, s.Depth}
	if s.YStep != nil {
		list = append(list, s.YStep)
	}
	for _, run := range s.Runs {
		list = append(list, run.Count, run.Y, run.Z)
	}
	for _, sum := range s.Sums {
		list = append(list, sum.Count, sum.X, sum.Y)
	}
	return list
}

// Loops returns nests of loops with the same meaning, over new variables: one that clears
// Z, one over the whole groups, and one over the rest, if there is any.
func (s *Multiply) Loops() []*For {
	group := Int(int64(s.Group()))
	var nests []*For
	if !s.Add {
		nests = append(nests, s.clear())
	}
	groups, rest := Expr(&Binary{Op: ein.Div, X: s.Depth, Y: group}), Expr(&Binary{Op: ein.Mod, X: s.Depth, Y: group})
	if n, ok := s.Depth.(*Const); ok {
		groups, rest = Int(int64(n.Bits/group.Bits)), Int(int64(n.Bits%group.Bits))
	}
	nests = append(nests, s.products(Int(0), groups, group))
	if n, ok := rest.(*Const); !ok || n.Bits > 0 {
		nests = append(nests, s.products(groups, Int(1), rest))
	}
	return nests
}

func (s *Multiply) clear() *For {
	r, c := counter("row"), counter("column")
	runs, _, z := s.runs()
	store := &Store{Buffer: s.Z, Index: sum(sum(s.At, scaled(r, s.Stride), &VarRef{c}), z...), Value: &Const{Elem: s.Z.Type.Elem}}
	vars, ends := []*Var{r, c}, []Expr{s.Rows, s.Cols}
	for n, v := range runs {
		vars, ends = append(vars, v), append(ends, s.Runs[n].Count)
	}
	return nest(vars, ends, store)
}

// runs makes a variable for every further loop over columns, and what these add to the subscripts.
func (s *Multiply) runs() (vars []*Var, y, z []Expr) {
	for _, run := range s.Runs {
		v := counter("run")
		vars, y, z = append(vars, v), append(y, scaled(v, run.Y)), append(z, scaled(v, run.Z))
	}
	return vars, y, z
}

// products adds the products of so many members of each of some groups.
func (s *Multiply) products(first, groups, members Expr) *For {
	r, c, k, q := counter("row"), counter("column"), counter("group"), counter("k")
	vars, ends := []*Var{r, c}, []Expr{s.Rows, s.Cols}
	runs, yOf, zOf := s.runs()
	for n, v := range runs {
		vars, ends = append(vars, v), append(ends, s.Runs[n].Count)
	}
	x, y := sum(s.XAt, scaled(r, s.XStride)), sum(s.YAt, yOf...)
	for _, l := range s.Sums {
		n := counter("n")
		vars, ends = append(vars, n), append(ends, l.Count)
		x, y = sum(x, scaled(n, l.X)), sum(y, scaled(n, l.Y))
	}
	group := Int(int64(s.Group()))
	number := sum(first, &VarRef{k})
	x = sum(x, &Binary{Op: ein.Mul, X: sum(&Binary{Op: ein.Mul, X: number, Y: group}, &VarRef{q}), Y: s.XStep})
	step := s.YStep
	if step == nil {
		step = group
	}
	y = sum(y, &Binary{Op: ein.Mul, X: number, Y: s.YStride}, scaled(c, step), &VarRef{q})
	at := sum(sum(s.At, scaled(r, s.Stride), &VarRef{c}), zOf...)
	value := &MulAdd{X: s.element(s.X, x), Y: s.element(s.Y, y), Z: &Load{Buffer: s.Z, Index: at, Lanes: 1}}
	return nest(append(vars, k, q), append(ends, groups, members), &Store{Buffer: s.Z, Index: at, Value: value})
}

// element reads an element in the type of the sum.
func (s *Multiply) element(b *Buffer, index Expr) Expr {
	load := &Load{Buffer: b, Index: index, Lanes: 1}
	if load.Type().Elem == s.Z.Type.Elem {
		return load
	}
	return &Cast{To: s.Z.Type.Elem, X: load}
}

func counter(name string) *Var { return &Var{Name: name, Type: Scalar(tensor.Int64)} }

func scaled(v *Var, by Expr) Expr { return &Binary{Op: ein.Mul, X: &VarRef{v}, Y: by} }

func sum(first Expr, rest ...Expr) Expr {
	for _, e := range rest {
		first = &Binary{Op: ein.Add, X: first, Y: e}
	}
	return first
}

// nest makes loops from 0 on around a statement, the first variable outermost.
func nest(vars []*Var, ends []Expr, body Stmt) *For {
	var f *For
	for i, v := range slices.Backward(vars) {
		f = &For{Var: v, Lo: Int(0), Hi: ends[i], Step: 1, Kind: Serial, Body: []Stmt{body}}
		body = f
	}
	return f
}

// multiply checks a Multiply.
func (v *verifier) multiply(s *Multiply) {
	x, y, z := s.X.Type, s.Y.Type, s.Z.Type
	g := ein.MatrixGroup(x.Elem)
	v.require(g > 0 && g == ein.MatrixGroup(y.Elem) && ein.MatrixSum(x.Elem) == ein.MatrixSum(y.Elem), "a product of %s and %s", x, y)
	v.require(z.Elem == ein.MatrixSum(x.Elem), "products of %s and %s are summed in %s", x, y, z)
	v.require((g == 1) == (s.YStep != nil) && (g == 1) == (s.Room != nil), "a product of %s and %s: columns of single elements have a step, and room for their parts", x, y)
	v.require(s.Room != nil || len(s.Runs) == 0, "runs of columns of groups")
	v.require(s.Room == nil || s.Room.Type == Scalar(tensor.BFloat16) && s.Room.Length*int64(s.Room.Type.Elem.Size()) >= ein.LeastPartsBlocks*ein.PartsBlockBytes, "a product without room for parts")
	v.require(s.Blocking.Wrong(s.Product()) == "", "a product that is cut so: %s", s.Blocking.Wrong(s.Product()))
	v.require(s.Keep == Either || s.Product() == ein.PartsProduct, "an operand is kept of a product of %s", s.Product())
	v.require(x.Lanes == 1 && y.Lanes == 1 && z.Lanes == 1 && s.Z != s.X && s.Z != s.Y, "a product of vectors, or one that is written over its operands")
	for _, e := range s.operands() {
		v.require(v.expr(e) == Scalar(tensor.Int64), "a product whose sizes are not int64")
	}
	for _, f := range s.Loops() {
		v.loop(f)
	}
}

// multiply prints a Multiply.
func (p *printer) multiply(s *Multiply) {
	text := func(e Expr) string { return p.expr(e, 0) }
	line := "multiply " + p.buffer(s.Z) + "[" + text(s.At) + " by " + text(s.Stride) + "] " + map[bool]string{true: "+"}[s.Add] + "= " +
		p.buffer(s.X) + "[" + text(s.XAt) + " by " + text(s.XStride) + " step " + text(s.XStep) + "], " +
		p.buffer(s.Y) + "[" + text(s.YAt) + " by " + text(s.YStride)
	if s.YStep != nil {
		line += " step " + text(s.YStep)
	}
	line += "], " + text(s.Rows) + ", " + text(s.Cols) + ", " + text(s.Depth)
	if s.Room != nil {
		line += " in " + p.buffer(s.Room)
	}
	for _, r := range s.Runs {
		line += " run " + text(r.Count) + " by " + text(r.Y) + ", " + text(r.Z)
	}
	for _, l := range s.Sums {
		line += "; " + text(l.Count) + " by " + text(l.X) + ", " + text(l.Y)
	}
	for _, r := range ein.BlockingRows() {
		if numbers, said := r.Text(s.Blocking, ", "); said {
			line += " " + r.Word + " " + numbers
		}
	}
	if s.Keep != Either {
		line += " keep " + s.Keep.String()
	}
	p.line("%s", line)
}

// multiply parses what follows the word.
func (p *parser) multiply() *Multiply {
	s := &Multiply{}
	after := func(word string) Expr {
		p.expect(word)
		return p.expr()
	}
	s.Z, s.At, s.Stride = p.buffer(), after("["), after("by")
	p.expect("]")
	s.Add = p.Accept("+")
	p.expect("=")
	s.X, s.XAt, s.XStride, s.XStep = p.buffer(), after("["), after("by"), after("step")
	p.expect("]")
	p.expect(",")
	s.Y, s.YAt, s.YStride = p.buffer(), after("["), after("by")
	if p.Accept("step") {
		s.YStep = p.expr()
	}
	p.expect("]")
	s.Rows, s.Cols, s.Depth = after(","), after(","), after(",")
	if p.Accept("in") {
		s.Room = p.buffer()
	}
	for p.Accept("run") {
		s.Runs = append(s.Runs, Run{p.expr(), after("by"), after(",")})
	}
	for p.Accept(";") {
		s.Sums = append(s.Sums, Sum{p.expr(), after("by"), after(",")})
	}
	for _, r := range ein.BlockingRows() {
		if at := p.Peek(); p.Accept(r.Word) {
			numbers := []string{strconv.FormatInt(p.integer(), 10)}
			for p.Accept(",") {
				numbers = append(numbers, strconv.FormatInt(p.integer(), 10))
			}
			if !r.Read(&s.Blocking, strings.Join(numbers, ", "), ", ") {
				p.fail(source.LoopSyntax, at, "%q has %s, found %s", r.Word, r.Range(), strings.Join(numbers, ", "))
			}
		}
	}
	if p.Accept("keep") {
		if s.Keep = Columns; p.Accept(Rows.String()) {
			s.Keep = Rows
		} else {
			p.expect(Columns.String())
		}
	}
	return s
}
