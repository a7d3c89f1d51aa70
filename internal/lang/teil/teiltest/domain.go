package teiltest

import (
	"math/bits"
	"strconv"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/tensor"
)

// Integers are the numbers of int64, with wrapping arithmetic: a ring, so that all
// equations hold exactly.
type Integers struct{}

// Number reads a literal.
func (Integers) Number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// Negate returns -x.
func (Integers) Negate(x int64) int64 { return -x }

// Count counts bits that are 1, or those above the highest one.
func (Integers) Count(op ein.UnaryOp, x int64) int64 {
	if op == ein.Clz {
		return int64(bits.LeadingZeros64(uint64(x)))
	}
	return int64(bits.OnesCount64(uint64(x)))
}

// IsTrue says what a truth value is.
func (Integers) IsTrue(x int64) bool { return x != 0 }

// Place is the next number, if that is one of the places.
func (Integers) Place(x int64, size int) (place int, inside bool) {
	return int(x) + 1, 0 <= x && x < int64(size)
}

// Stops reports whether a program reads a subscript that is no place of its dimension. A call
// may stop there.
func Stops(p *syntax.Program, m Memory[int64]) bool {
	d := &noting{}
	_, err := Run(d, p, m)
	return err == nil && d.stops
}

// noting are integers that note subscripts outside.
type noting struct {
	Integers
	stops bool
}

func (d *noting) Place(x int64, size int) (place int, inside bool) {
	place, inside = d.Integers.Place(x, size)
	d.stops = d.stops || !inside
	return place, inside
}

// Convert keeps the bits that the type has; a bool is whether x is not 0.
func (Integers) Convert(to tensor.DType, x int64) int64 {
	switch to {
	case tensor.Bool:
		return truth(x != 0)
	case tensor.Int8:
		return int64(int8(x))
	case tensor.Int16:
		return int64(int16(x))
	case tensor.Int32:
		return int64(int32(x))
	case tensor.Uint8:
		return int64(uint8(x))
	case tensor.Uint16:
		return int64(uint16(x))
	case tensor.Uint32:
		return int64(uint32(x))
	}
	return x
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Binary computes as ein says: quotients are rounded down, and x/0 is 0.
func (Integers) Binary(op ein.BinaryOp, x, y int64) int64 {
	switch op {
	case ein.Add:
		return x + y
	case ein.Sub:
		return x - y
	case ein.Mul:
		return x * y
	case ein.Min:
		return min(x, y)
	case ein.Max:
		return max(x, y)
	case ein.Lt:
		return truth(x < y)
	case ein.Le:
		return truth(x <= y)
	case ein.Gt:
		return truth(x > y)
	case ein.Ge:
		return truth(x >= y)
	case ein.Eq:
		return truth(x == y)
	case ein.Ne:
		return truth(x != y)
	case ein.And:
		return x & y
	case ein.Or, ein.BitOr:
		return x | y
	case ein.BitAnd:
		return x & y
	case ein.BitXor:
		return x ^ y
	case ein.Shl:
		return x << uint64(y)
	case ein.Shr:
		return x >> uint64(y)
	}
	if y == 0 {
		return 0
	}
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	if op == ein.Mod {
		return x - q*y
	}
	return q
}

// InitialMemory returns the memory in which a program starts: small numbers in the
// inputs, drawn from a seed, zeros elsewhere.
func InitialMemory(p *syntax.Program, seed uint64) Memory[int64] {
	random := newRandom(seed)
	m := Memory[int64]{}
	for _, a := range p.Allocs {
		t := &Tensor[int64]{Shape: ContextOf(p)[a.Name.Name]}
		for range Indices(t.Shape) {
			v := int64(0)
			if a.Mark == syntax.In || a.Mark == syntax.InOut {
				v = int64(random.IntN(9)) - 4
			}
			t.Values = append(t.Values, v)
		}
		m[a.Name.Name] = t
	}
	return m
}

// Arguments returns the inputs of a memory as arrays of an element type.
func Arguments(p *syntax.Program, m Memory[int64], element tensor.DType) (map[string]*tensor.Tensor, error) {
	args := map[string]*tensor.Tensor{}
	for _, a := range p.Allocs {
		if a.Mark != syntax.In && a.Mark != syntax.InOut {
			continue
		}
		t, err := tensor.New(element, m[a.Name.Name].Shape...)
		if err != nil {
			return nil, err
		}
		n := 0
		for offset := range t.Offsets() {
			if element.IsFloat() {
				t.SetFloatAt(offset, float64(m[a.Name.Name].Values[n]))
			} else {
				t.SetIntAt(offset, m[a.Name.Name].Values[n])
			}
			n++
		}
		args[a.Name.Name] = t
	}
	return args, nil
}
