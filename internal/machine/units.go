package machine

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// Lanes returns the vector width of a statement: the widest type of its values
// fills a register.
func (m *Processor) Lanes(c *ein.Comprehension) int {
	if slices.Contains(m.Features, "avx512fp16") && ein.InHalves(c) {
		return m.VectorBytes / tensor.Float16.Size()
	}
	return max(1, m.VectorBytes/WidestBytes(c))
}

// WidestBytes returns the bytes of the widest value that lanes of a statement compute with.
func WidestBytes(c *ein.Comprehension) int {
	widest := 1
	var visit func(e ein.Expr)
	visit = func(e ein.Expr) {
		widest = max(widest, e.Type().Compute().Size())
		switch e := e.(type) {
		case *ein.Access:
			return // subscripts are computed once for all lanes
		case *ein.Binary:
			if ComparesPositions(e) {
				return
			}
		case *ein.Cast:
			switch e.X.(type) {
			case *ein.IndexRef, *ein.SizeRef:
				return // lanes count in the type of the cast
			}
		}
		for _, child := range ein.Children(e) {
			visit(child)
		}
	}
	for _, v := range c.Values {
		visit(v)
	}
	return widest
}

// ComparesPositions reports whether an expression compares sums and differences of indices and sizes, as in i < j.
// That takes no 64 bits of a lane: the numbers fit as many as other values have, or what holds does so in the first
// lanes or behind these.
func ComparesPositions(e *ein.Binary) bool {
	if !e.Op.IsComparison() || e.X.Type() != tensor.Int64 {
		return false
	}
	x, okX := ein.AffineOf(e.X)
	y, okY := ein.AffineOf(e.Y)
	if !okX || !okY {
		return false
	}
	unit := true
	indices := func(e ein.Expr) bool {
		if i, ok := e.(*ein.IndexRef); ok {
			coefficient, _, linear := x.Sub(y).Linear(i.Index.Name)
			unit = unit && linear && coefficient*coefficient <= 1
		}
		return unit
	}
	ein.Walk(e, indices)
	return unit
}

// LanesAlong is Lanes for vectors along an index: reduced numbers that are narrower than their
// sum fill the register, of which the accumulator takes groups (ein.NarrowSum). Of a short index
// they fill as much as there is, since masks and lanes of nothing cost more than they give: sums of
// distances of 16 x 16 bytes.
func (m *Processor) LanesAlong(c *ein.Comprehension, index *ein.Index) int {
	const fewest = 16 // bytes that the instructions take
	group := ein.NarrowSum(c)
	if group < 2 || index.Combine.Kind != ein.Reduce || m.Lanes(c) < m.VectorBytes/tensor.Int32.Size() {
		return m.Lanes(c)
	}
	lanes := group * m.VectorBytes / tensor.Int32.Size()
	extent, known := index.Extent.IsConst()
	for known && int64(lanes)/2 >= extent && lanes/2 >= group*fewest/tensor.Int32.Size() {
		lanes /= 2
	}
	return lanes
}

// dotUnits lists features by which a processor multiplies groups, the longest vectors that they have, and how many
// instructions a vector of groups takes: without VNNI pairs of words are multiplied and added, and bytes become words
// before that (97 instructions for 12 groups in a tile of gcc 12, of which 7 load).
var dotUnits = []struct {
	feature     string
	bytes       int
	fours, twos float64 // of four bytes, and of two words
}{{"avx512vnni", 64, 1, 1}, {"avx512bw", 64, 7.5, 2}, {"avx2", 32, 7.5, 2}}

// GroupInstructions is how many instructions a vector of groups of products takes, of four bytes each or of two words;
// 1 where nothing is known.
func (m *Processor) GroupInstructions(group int) float64 {
	for _, u := range dotUnits {
		switch {
		case u.bytes < m.VectorBytes || !slices.Contains(m.Features, u.feature):
		case group == 4:
			return u.fours
		default:
			return u.twos
		}
	}
	return 1
}

// MultipliesGroups reports whether the machine has instructions for groups that fill its
// vectors.
func (m *Processor) MultipliesGroups() bool {
	for _, u := range dotUnits {
		if u.bytes >= m.VectorBytes && slices.Contains(m.Features, u.feature) {
			return true
		}
	}
	return false
}

// matrixUnits lists the features by which processors multiply tiles of a type.
var matrixUnits = []struct {
	feature string
	types   []tensor.DType
}{
	{"amx_int8", []tensor.DType{tensor.Int8, tensor.Uint8}},
	{"amx_bf16", []tensor.DType{tensor.BFloat16, tensor.Float32}},
}

// fragmentUnits lists the features by which the cores of a device multiply fragments of a type, which the items of a sub-group hold.
var fragmentUnits = []struct {
	feature string
	types   []tensor.DType
}{
	{"mma_f16", []tensor.DType{tensor.Float16}},
	{"mma_bf16", []tensor.DType{tensor.BFloat16}},
	{"mma_tf32", []tensor.DType{tensor.Float32}},
	{"mma_int8", []tensor.DType{tensor.Int8, tensor.Uint8}},
}

// cardArchitectures are sets of instructions of cards, oldest first: compilers of CUDA make code for one of them.
var cardArchitectures = []string{"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}

// CardArchitecture is the newest set of instructions of cards that the machine has, such as sm_80; "" without.
func (m *Processor) CardArchitecture() (newest string) {
	for _, a := range cardArchitectures {
		if slices.Contains(m.Features, a) {
			newest = a
		}
	}
	return newest
}

// isOfDevices reports whether an instruction is one of devices, which levels of processors say nothing about.
func isOfDevices(feature string) bool {
	for _, u := range fragmentUnits {
		if u.feature == feature {
			return true
		}
	}
	return slices.Contains(cardArchitectures, feature)
}

// MultipliesFragments reports whether the cores of a device multiply fragments of a type.
func (m *Processor) MultipliesFragments(t tensor.DType) bool {
	for _, u := range fragmentUnits {
		if slices.Contains(u.types, t) && slices.Contains(m.Features, u.feature) {
			return true
		}
	}
	return false
}

// InMatrices reports whether some matrix unit takes elements of a type.
func InMatrices(t tensor.DType) bool {
	for _, u := range matrixUnits {
		if slices.Contains(u.types, t) {
			return true
		}
	}
	return false
}

// MultipliesMatrices reports whether the machine has a matrix unit for a type.
func (m *Processor) MultipliesMatrices(t tensor.DType) bool {
	for _, u := range matrixUnits {
		if slices.Contains(u.types, t) && slices.Contains(m.Features, u.feature) {
			return true
		}
	}
	return false
}
