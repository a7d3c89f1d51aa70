package tc

import (
	"fmt"
	"strconv"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// def is the state of the check of one def.
type def struct {
	compiler   *compiler
	syntax     *syntax.Def
	diags      *source.Diagnostics
	fn         *ein.Func
	symbols    map[string]*symbol
	order      []*symbol
	sizes      map[string]*size
	statements []*statement
	calls      int             // numbers the inlined calls
	taken      map[string]bool // names of temporaries for calls of calls
	copied     int             // statements that calls copy into the def
	incomplete bool            // a called def has errors, which are reported there

	facts      *affine.Facts
	conditions []*ein.Condition

	zero      map[string]bool // sizes that may be zero, as known before this pass
	zeroFound map[string]bool // and as found by it
}

// A symbol is a tensor of a def with what the check knows about it.
type symbol struct {
	*ein.Tensor
	typed    bool // the type was written down
	shaped   bool // Dims are known
	declared bool // Dims were written down
	rank     int  // −1 until known
	broken   bool // its definition has errors: say nothing more about it
	used     bool
	own      bool          // named by the user
	shapedAt source.Span   // what gave it its shape
	writers  int           // how many statements write it
	pieces   bool          // several statements write parts of it
	written  bool          // some statement writes it
	first    *statement    // the first that initialises it
	value    *affine.Expr  // of an integer scalar that is used as a size
	scalar   *syntax.Param // the parameter of a scalar input
	size     *affine.Expr  // of a scalar that one statement makes of sizes alone
	rounded  *rounded      // a quotient without its remainder that it holds, where nobody declared its type
}

// A size is a symbolic integer of a def.
type size struct {
	*ein.Size
	outputOnly bool // no input has it: an output's declaration introduced it
	used       bool
	// alias is what an outputOnly size turned out to be, when the ranges of the
	// statement that writes the output decide it.
	alias *affine.Expr
}

func newDef(c *compiler, def_ *syntax.Def, zero map[string]bool) *def {
	d := &def{
		compiler: c, syntax: def_, diags: &source.Diagnostics{},
		fn:      &ein.Func{Pos: def_.Pos, Name: def_.Name.Name, SaysOrEmpty: true},
		symbols: map[string]*symbol{}, taken: map[string]bool{}, sizes: map[string]*size{},
		facts: affine.NewFacts(), zero: zero, zeroFound: map[string]bool{},
	}
	for name := range zero {
		d.zeroFound[name] = true
	}
	return d
}

// compile runs the phases. Each phase needs the symbols of the one before, so
// errors in declarations end the def.
func (d *def) compile() {
	for _, p := range d.syntax.Inputs {
		d.declareInput(p)
	}
	for _, p := range d.syntax.Outputs {
		d.declareOutput(p)
	}
	if d.diags.HasErrors() {
		return
	}
	d.joinScalars()
	for _, s := range d.syntax.Body {
		for _, s := range d.expandCall(d.expandPoints(s)) {
			d.classify(s)
		}
	}
	for _, s := range d.statements {
		s.collectIndices()
	}
	d.assignRoles()
	d.warnReadEarly()
	d.inferTypes()
	d.solveStatements()
	d.checkPieces()
	d.warnHidden()
	d.finish()
}

// declare notes a tensor; it returns nil when the name is taken.
func (d *def) declare(name syntax.Ident, role ein.Role) *symbol {
	if first, ok := d.symbols[name.Name]; ok {
		diag := d.diags.Errorf(source.CodeDuplicateName, name.Pos, "the name %s is declared twice", name.Name).
			WithNote(first.Pos, "%s is first declared here", name.Name)
		if role == ein.Input || first.Role != ein.Input {
			diag.WithHelp("give one of them another name")
			return nil
		}
		diag.WithHelp("an output that continues the value of an array is declared as an output only; reading it before it is written makes it an in-out argument")
		return nil
	}
	s := &symbol{Tensor: &ein.Tensor{Pos: name.Pos, Name: name.Name, Role: role}, rank: -1, own: true}
	d.symbols[name.Name] = s
	d.order = append(d.order, s)
	return s
}

func (d *def) declareInput(p *syntax.Param) {
	s := d.declare(p.Name, ein.Input)
	if s == nil {
		return
	}
	if len(p.Type.Dims) == 0 {
		s.scalar = p
	}
	d.giveType(s, p.Type, true)
	if s.scalar != nil && s.Type.Kind() == tensor.KindUint {
		d.facts.AtLeast(s.Name, 0) // should it be used as a size
	}
}

func (d *def) declareOutput(p *syntax.Param) {
	s := d.declare(p.Name, ein.Output)
	if s != nil && p.Type != nil {
		d.giveType(s, p.Type, true)
		// "float O" gives the element type only when O turns out to have indices:
		// a scalar and an open shape look alike.
		if len(p.Type.Dims) == 0 {
			s.shaped, s.declared, s.rank = false, false, -1
		}
	}
}

// giveType records a written type. Names of dimensions that are unknown become
// sizes when introduce is set.
func (d *def) giveType(s *symbol, t *syntax.TypeExpr, introduce bool) {
	dtype, ok := syntax.ScalarType(t.Scalar)
	if !ok {
		d.diags.Errorf(source.CodeUnknownName, t.Pos, "%s is no scalar type", t.Scalar)
		return
	}
	s.Type, s.typed = dtype, true
	s.shaped, s.declared, s.rank, s.shapedAt = true, true, len(t.Dims), t.Pos
	s.Dims = nil
	for i, dim := range t.Dims {
		s.Dims = append(s.Dims, ein.Dim{Extent: d.dimension(s, i, dim, introduce)})
	}
}

func (d *def) dimension(s *symbol, at int, dim syntax.Expr, introduce bool) affine.Expr {
	switch dim := dim.(type) {
	case *syntax.Number:
		n, err := strconv.ParseInt(dim.Text, 0, 64)
		if err != nil || n < 1 || n > largestNumber {
			d.diags.Errorf(source.CodeSizeOfType, dim.Pos, "a dimension must be a whole number from 1 to %d, not %s", int64(largestNumber), dim.Text)
			return affine.Const(1)
		}
		return affine.Const(n)
	case *syntax.Name:
		if _, ok := d.sizes[dim.Name]; ok {
			return affine.Symbol(dim.Name)
		}
		if s.Role != ein.Input {
			if size, ok := d.scalarDimension(dim.Name); ok {
				return size
			}
		}
		if !introduce {
			d.diags.Errorf(source.CodeSizeOfType, dim.Pos, "the size %s is not known", dim.Name).
				WithHelp("sizes come from the dimensions of inputs and outputs: %s", d.listSizes())
			return affine.Const(1)
		}
		d.addSize(&ein.Size{Pos: dim.Pos, Name: dim.Name, Tensor: s.Tensor, Dim: at}).outputOnly = s.Role != ein.Input
		return affine.Symbol(dim.Name)
	}
	d.diags.Errorf(source.CodeSizeOfType, dim.Span(), "a dimension is a name or a number")
	return affine.Const(1)
}

func (d *def) addSize(s *ein.Size) *size {
	if s.Dim != ein.ScalarValue {
		s.MayBeZero = d.zero[s.Name]
		least := int64(1)
		if s.MayBeZero {
			least = 0
		}
		d.facts.AtLeast(s.Name, least)
	}
	added := &size{Size: s}
	d.sizes[s.Name] = added
	d.fn.Sizes = append(d.fn.Sizes, s)
	return added
}

// sizeValue is the size expression for the name of a size.
func (d *def) sizeValue(name string) affine.Expr {
	if z := d.sizes[name]; z.alias != nil {
		return *z.alias
	}
	return affine.Symbol(name)
}

// scalarSize returns the size expression of an integer scalar input; it becomes
// a size of the function when it is first needed.
func (d *def) scalarSize(s *symbol) affine.Expr {
	if s.value == nil {
		name := s.Name
		for n := 0; d.sizes[name] != nil || d.isIndex(name); n++ {
			name = fmt.Sprintf("%s_value%s", s.Name, map[bool]string{true: "", false: fmt.Sprint(n)}[n == 0])
		}
		d.addSize(&ein.Size{Pos: s.Pos, Name: name, Tensor: s.Tensor, Dim: ein.ScalarValue}).used = true
		v := affine.Symbol(name)
		s.value = &v
	}
	return *s.value
}

func (d *def) isIndex(name string) bool {
	for _, s := range d.statements {
		if s.byName[name] != nil {
			return true
		}
	}
	return false
}

func (d *def) listSizes() string {
	list := ""
	for _, s := range d.fn.Sizes {
		if list != "" {
			list += ", "
		}
		list += s.Name
	}
	if list == "" {
		return "there are none"
	}
	return list
}

// names lists what a misspelt name may have meant.
func (d *def) names() []string {
	var list []string
	for _, s := range d.order {
		list = append(list, s.Name)
	}
	for _, s := range d.fn.Sizes {
		list = append(list, s.Name)
	}
	return list
}

// finish warns about what is unused, drops implied conditions and collects the
// function.
func (d *def) finish() {
	quiet := d.incomplete || d.diags.HasErrors() // what is unused may be a consequence
	mistaken := d.mistakenTemporary()
	for _, s := range d.order {
		switch {
		case quiet || s == mistaken:
		case s.Role == ein.Input && !s.used && !d.sizesUsed(s):
			d.diags.Warnf(source.CodeUnused, s.Pos, "the input %s is not used", s.Name)
		case s.Role == ein.Temp && !s.used && !s.broken && s.own:
			d.diags.Warnf(source.CodeUnused, s.Pos, "the temporary %s is computed and not used", s.Name).
				WithHelp("list it among the outputs, after ->, when it is a result")
		}
		if !quiet && s.Role != ein.Input && !s.written && s.own {
			diag := d.diags.Errorf(source.CodeNeverWritten, s.Pos, "the output %s is never written", s.Name).
				WithHelp("assign to it in the body, or remove it from the outputs")
			if mistaken != nil {
				diag.WithNote(mistaken.Pos, "this writes the temporary %s, which nothing uses; did you mean %s?", mistaken.Name, s.Name)
			}
		}
		if s.own || s.Role == ein.Temp {
			d.fn.Tensors = append(d.fn.Tensors, s.Tensor)
		}
	}
	d.fn.Requires = d.essentialConditions()
	for _, s := range d.statements {
		d.fn.Body = append(d.fn.Body, s.lowered...)
	}
}

// mistakenTemporary returns the only temporary that nothing uses when an output is
// never written: one of the two names is probably wrong.
func (d *def) mistakenTemporary() *symbol {
	var found *symbol
	unwritten := 0
	for _, s := range d.order {
		switch {
		case !s.own:
		case s.Role == ein.Temp && !s.used && found != nil:
			return nil
		case s.Role == ein.Temp && !s.used:
			found = s
		case s.Role != ein.Input && !s.written:
			unwritten++
		}
	}
	if unwritten == 0 {
		return nil
	}
	return found
}

// sizesUsed reports whether an input is needed for a size that is used.
func (d *def) sizesUsed(s *symbol) bool {
	for _, z := range d.sizes {
		if z.Tensor == s.Tensor && z.used {
			return true
		}
	}
	return false
}

// info describes the finished def.
func (d *def) info() *DefInfo {
	info := &DefInfo{Name: d.fn.Name, Pos: d.syntax.Pos, Func: d.fn}
	for _, s := range d.order {
		if s.own {
			info.Tensors = append(info.Tensors, s.Tensor)
		}
	}
	for _, s := range d.statements {
		described := &StatementInfo{Pos: s.syntax.Pos, Text: s.targetsText() + " " + s.syntax.Assign.String()}
		for _, i := range s.indices {
			described.Indices = append(described.Indices, IndexInfo{Pos: i.pos, Name: i.Name, Min: i.Min, Extent: i.Extent, Combine: i.Combine.Kind, Part: s.isPart(i)})
		}
		info.Statements = append(info.Statements, described)
	}
	return info
}
