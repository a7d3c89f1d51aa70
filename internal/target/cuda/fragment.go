package cuda

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// fragmentTypes are the names of types of elements in instructions of matrix units.
var fragmentTypes = map[tensor.DType]string{
	tensor.Float16: "f16", tensor.BFloat16: "bf16", tensor.Float32: "tf32", tensor.Int8: "s8", tensor.Uint8: "u8",
}

// fragments names and defines the macro of a product: one instruction, to which a thread gives its results and its words of both operands.
func fragments(s *ein.FragmentShape, x, y tensor.DType) (name, definition string) {
	sum, constraint := "f32", "f"
	if s.Sum == tensor.Int32 {
		sum, constraint = "s32", "r"
	}
	xName, yName := fragmentTypes[x], fragmentTypes[y]
	name = fmt.Sprintf("R_MMA_M16N8K%d_%s_%s", s.Depth, strings.ToUpper(xName), strings.ToUpper(yName))
	xWords, yWords := len(s.X.Lines)*x.Size()/4, len(s.Y.Lines)*y.Size()/4
	list := func(format string, first, n int) string {
		var words []string
		for i := range n {
			words = append(words, fmt.Sprintf(format, first+i))
		}
		return strings.Join(words, ", ")
	}
	z, operands := list("z%d", 0, 4), list("x%d", 0, xWords)+", "+list("y%d", 0, yWords)
	instruction := fmt.Sprintf("mma.sync.aligned.m16n8k%d.row.col.%s.%s.%s.%s", s.Depth, sum, xName, yName, sum)
	results := "{" + list("%%%d", 0, 4) + "}"
	return name, fmt.Sprintf("(%s, %s) \\\n  asm volatile(\"%s %s, {%s}, {%s}, %s;\" : %s : %s)", z, operands, instruction, results, list("%%%d", 4, xWords), list("%%%d", 4+xWords, yWords), results,
		list(`"+`+constraint+`"(z%d)`, 0, 4), list(`"r"(x%d)`, 0, xWords)+", "+list(`"r"(y%d)`, 0, yWords))
}
