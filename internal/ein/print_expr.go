package ein

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/ricci-lang/ricci/tensor"
)

// The levels of precedence, from the loosest.
const (
	lowest = iota
	orLevel
	andLevel
	compareLevel
	addLevel
	multiplyLevel
	unaryLevel
)

// infix is the table of the operators that the text writes between operands. The levels are Go's.
var infix = map[BinaryOp]struct {
	text  string
	level int
}{
	Or: {"||", orLevel}, And: {"&&", andLevel},
	Lt: {"<", compareLevel}, Le: {"<=", compareLevel}, Gt: {">", compareLevel},
	Ge: {">=", compareLevel}, Eq: {"==", compareLevel}, Ne: {"!=", compareLevel},
	Add: {"+", addLevel}, Sub: {"-", addLevel}, BitOr: {"|", addLevel}, BitXor: {"^", addLevel},
	Mul: {"*", multiplyLevel}, Div: {"/", multiplyLevel}, Mod: {"%", multiplyLevel},
	BitAnd: {"&", multiplyLevel}, Shl: {"<<", multiplyLevel}, Shr: {">>", multiplyLevel},
}

// String returns the operator as the text form writes it.
func (op BinaryOp) String() string {
	switch op {
	case Min:
		return "min"
	case Max:
		return "max"
	}
	return infix[op].text
}

// Level says how tightly the operator binds, from 1 on; it is 0 for min and max, which are
// written as functions.
func (op BinaryOp) Level() int { return infix[op].level }

// InfixLevels returns the levels of the operators that are written between operands.
func InfixLevels() map[string]int {
	levels := map[string]int{}
	for op, row := range infix {
		levels[row.text] = op.Level()
	}
	return levels
}

// InfixOperator returns the operator that is written like that between operands.
func InfixOperator(text string) BinaryOp { return infixOperators[text] }

var infixOperators = func() map[string]BinaryOp {
	table := map[string]BinaryOp{}
	for op, row := range infix {
		table[row.text] = op
	}
	return table
}()

// String returns the operator as the text form writes it.
func (op UnaryOp) String() string { return [...]string{"-", "!", "popcount", "clz"}[op] }

// BitFunctions has the operators on bits that are written as functions of one value.
func BitFunctions() map[string]UnaryOp {
	return map[string]UnaryOp{Popcount.String(): Popcount, Clz.String(): Clz}
}

// expr writes e; level is the loosest construct that needs no parentheses here.
func (p *printer) expr(e Expr, level int) {
	if own := p.levelOf(e); own < level {
		p.writef("(")
		defer p.writef(")")
	}
	switch e := e.(type) {
	case *Const:
		p.constant(e)
	case *IndexRef:
		p.writef("%s", quoteName(e.Index.Name))
	case *SizeRef:
		p.sizeRef(e)
	case *LocalRef:
		p.writef("%s", p.localName(e.Local))
	case *Access:
		p.access(e)
	case *Unary:
		p.writef("%s", e.Op)
		if _, constant := e.X.(*Const); constant || e.Op == Popcount || e.Op == Clz {
			// -(2i64) negates a literal, -2i64 is one.
			p.writef("(")
			p.expr(e.X, lowest)
			p.writef(")")
			return
		}
		p.expr(e.X, unaryLevel)
	case *Binary:
		p.binary(e)
	case *Call:
		p.writef("%s(", e.Func.Name)
		p.list(e.Args)
		p.writef(")")
	case *Cast:
		p.writef("%s(", e.To)
		p.expr(e.X, lowest)
		p.writef(")")
	case *Select:
		p.expr(e.Cond, orLevel)
		p.writef(" ? ")
		p.expr(e.Then, lowest)
		p.writef(" : ")
		p.expr(e.Else, lowest)
	case *Let:
		p.let(e)
	}
}

func (p *printer) constant(e *Const) {
	text := literal(e)
	if p.readable {
		text = strings.TrimSuffix(strings.TrimSuffix(text, suffixes[e.DType]), "_")
	}
	p.writef("%s", text)
}

func (p *printer) sizeRef(e *SizeRef) {
	if p.readable {
		p.writef("%s", e.Size)
		return
	}
	p.writef("{%s}", e.Size)
}

// levelOf returns the level of the construct at the root of e.
func (p *printer) levelOf(e Expr) int {
	switch e := e.(type) {
	case *SizeRef:
		_, symbol := e.Size.IsSymbol()
		_, number := e.Size.IsConst()
		switch {
		case !p.readable || symbol || number:
			return unaryLevel
		case len(e.Size.Terms()) > 1:
			return addLevel
		}
		return multiplyLevel
	case *Select, *Let:
		return lowest
	case *Unary:
		return unaryLevel
	case *Binary:
		if level := e.Op.Level(); level > 0 {
			return level
		}
	}
	return unaryLevel
}

func (p *printer) access(e *Access) {
	p.writef("%s", quoteName(e.Tensor.Name))
	if e.Checked {
		p.writef("!")
	}
	p.writef("[")
	p.list(e.Subscripts)
	p.writef("]")
}

func (p *printer) binary(e *Binary) {
	level := e.Op.Level()
	if level == 0 {
		p.writef("%s(", e.Op)
		p.list([]Expr{e.X, e.Y})
		p.writef(")")
		return
	}
	p.expr(e.X, level)
	p.writef(" %s ", e.Op)
	p.expr(e.Y, level+1)
}

// let binds after the value is written: the local is not in scope there.
func (p *printer) let(e *Let) {
	name := p.bind(e.Var)
	bound := p.scope[len(p.scope)-1]
	p.scope = p.scope[:len(p.scope)-1]
	p.writef("let %s = ", name)
	p.expr(e.Value, lowest)
	p.scope = append(p.scope, bound)
	p.writef(" in ")
	p.expr(e.Body, lowest)
	p.unbind()
}

// suffixes mark the type of a literal.
var suffixes = map[tensor.DType]string{
	tensor.Int8: "i8", tensor.Int16: "i16", tensor.Int32: "i32", tensor.Int64: "i64",
	tensor.Uint8: "u8", tensor.Uint16: "u16", tensor.Uint32: "u32", tensor.Uint64: "u64",
	tensor.Float16: "f16", tensor.BFloat16: "bf16", tensor.Float32: "f32", tensor.Float64: "f64",
}

// literal writes a typed literal exactly: decimals are the shortest that read
// back, a NaN other than the usual one carries its bits.
func literal(c *Const) string {
	suffix := suffixes[c.DType]
	switch {
	case c.DType == tensor.Bool:
		return strconv.FormatBool(c.Bits != 0)
	case c.DType.Kind() == tensor.KindUint:
		return strconv.FormatUint(c.Bits, 10) + suffix
	case !c.DType.IsFloat():
		return strconv.FormatInt(c.Int(), 10) + suffix
	}
	v := c.Float()
	switch {
	case math.IsNaN(v) && c.Bits == FloatConst(c.DType, math.NaN()).Bits:
		return "nan_" + suffix
	case math.IsNaN(v):
		return fmt.Sprintf("nan_%s:0x%016x", suffix, c.Bits)
	case math.IsInf(v, 1):
		return "inf_" + suffix
	case math.IsInf(v, -1):
		return "-inf_" + suffix
	}
	return strconv.FormatFloat(v, 'g', -1, floatBits(c.DType)) + suffix
}

// floatBits is the precision in which the decimals of a type are read.
func floatBits(t tensor.DType) int {
	if t == tensor.Float32 {
		return 32
	}
	return 64
}

// quoteName writes a name so that the scanner reads one word.
func quoteName(name string) string {
	first := true
	plain := name != "" && !reserved[name] && !strings.HasPrefix(name, "nan_") && !strings.HasPrefix(name, "inf_")
	for _, r := range name {
		plain = plain && isWordRune(r, first)
		first = false
	}
	if plain {
		return name
	}
	return "`" + name + "`"
}

// isWordRune says what a plain word is made of.
func isWordRune(r rune, first bool) bool {
	return r == '_' || unicode.IsLetter(r) || !first && (unicode.IsDigit(r) || r == '.' || r == '$')
}

// reserved holds the words that are names only in backquotes.
var reserved = func() map[string]bool {
	set := map[string]bool{}
	words := "func size dim value of or zero in out inout temp require because op identity associative commutative " +
		"for reduce scan accumulate empty let true false min max argmin argmax popcount clz"
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	for _, t := range tensor.DTypes() {
		set[t.String()] = true
	}
	return set
}()

// String returns the name of the kind in the text form.
func (k OperatorKind) String() string {
	switch k {
	case UserDefined:
		return "op"
	case ArgMinOp:
		return "argmin"
	case ArgMaxOp:
		return "argmax"
	}
	return builtinOperators[k].name
}
