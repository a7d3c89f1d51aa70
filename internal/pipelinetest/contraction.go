package pipelinetest

import (
	"fmt"
	"slices"
	"strings"
)

// A contraction of any index structure: results and sums over some indices of operands whose
// dimensions are in any order.
type contraction struct {
	c         *Choices
	element   string
	free, sum []string // the names of indices
	uses      [][]string
	sizes     map[string]int64
}

// DrawContraction draws a program of one contraction, and its sizes, with at most work terms.
func DrawContraction(c *Choices, work int64) (text string, sizes map[string]int64) {
	x := &contraction{c: c, element: drawElement(c), sizes: map[string]int64{}}
	x.free = strings.Split("abcd"[:c.Between(1, 4)], "")
	x.sum = strings.Split("klm"[:Pick(c, 1, 1, 2, 3)], "")
	x.distribute(Pick(c, 2, 2, 2, 2, 3))
	for n, size := range drawSizes(c, len(x.free)+len(x.sum), work) {
		x.sizes[strings.ToUpper(slices.Concat(x.free, x.sum)[n])] = size
	}
	return x.text(), x.sizes
}

func drawElement(c *Choices) string {
	return Pick(c, "float", "float", "float", "double", "double", "half", "bfloat16", "int8", "uint8", "int16", "int32", "uint32", "int64")
}

// drawSizes draws n sizes of very different magnitudes, whose product is at most work.
func drawSizes(c *Choices, n int, work int64) []int64 {
	small := []int64{1, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 15, 16, 17}
	large := []int64{24, 31, 32, 33, 48, 63, 64, 65, 96, 100, 128, 129, 150, 200, 256, 257, 300, 333, 500, 512, 1000, 1024, 2000, 2049, 4096, 5000, 20000, 100003}
	list := make([]int64, n)
	for i := range list {
		room := work / max(1, int64(n-1-i)*2)
		if list[i] = Pick(c, large...); list[i] > room || c.OneIn(3) {
			list[i] = min(Pick(c, small...), max(1, work))
		}
		work /= list[i]
	}
	for i := range list {
		j := c.Below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// distribute says which indices so many operands use: most sums all of them, most others one.
func (x *contraction) distribute(operands int) {
	x.uses = make([][]string, operands)
	use := func(n int, index string) {
		if !slices.Contains(x.uses[n], index) {
			x.uses[n] = append(x.uses[n], index)
		}
	}
	for _, i := range x.free {
		use(x.c.Below(operands), i)
		if x.c.OneIn(5) { // of a batch
			use(x.c.Below(operands), i)
		}
	}
	for _, i := range x.sum {
		if x.c.OneIn(6) {
			use(x.c.Below(operands), i)
			continue
		}
		for n := range x.uses {
			use(n, i)
		}
	}
	for n := range x.uses {
		x.uses[n] = shuffled(x.c, x.uses[n])
	}
}

func shuffled(c *Choices, list []string) []string {
	list = slices.Clone(list)
	for i := range list {
		j := c.Below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// operand declares an operand and reads it, here and there at a distance, or backwards.
func (x *contraction) operand(n int, shifts bool) (declaration, read string) {
	name, element := string(rune('X'+n)), x.element
	if x.c.OneIn(12) {
		element = drawElement(x.c)
	}
	var dims, subscripts []string
	for _, i := range x.uses[n] {
		size, at := strings.ToUpper(i), i
		if shifts && x.c.OneIn(3) {
			if x.c.OneIn(3) {
				at = size + " - 1 - " + i
			} else {
				size, at = size+"+2", fmt.Sprintf("%s + %d", i, x.c.Between(0, 2))
			}
		}
		dims, subscripts = append(dims, size), append(subscripts, at)
	}
	declaration, read = element+" "+name, name
	if len(dims) > 0 {
		declaration, read = fmt.Sprintf("%s(%s) %s", element, strings.Join(dims, ","), name), fmt.Sprintf("%s(%s)", name, strings.Join(subscripts, ","))
	}
	if element != x.element {
		read = x.element + "(" + read + ")"
	}
	return declaration, read
}

func (x *contraction) text() string {
	var parameters, reads, ranges []string
	shifts := x.c.OneIn(5)
	for n := range x.uses {
		declaration, read := x.operand(n, shifts)
		parameters, reads = append(parameters, declaration), append(reads, read)
	}
	value := strings.Join(reads, Pick(x.c, " * ", " * ", " * ", " * ", " + ", " - "))
	if x.c.OneIn(10) {
		value = fmt.Sprintf("(%[1]s) * (%[1]s)", strings.Join(reads, " - "))
	}
	for _, i := range slices.Concat(x.free, x.sum) {
		first := Pick(x.c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)
		ranges = append(ranges, fmt.Sprintf("%s in %d:%s or empty", i, first, strings.ToUpper(i)))
	}
	result, more := "R("+strings.Join(shuffled(x.c, x.free), ",")+")", ""
	text := fmt.Sprintf("  %s %s %s where %s\n", result, Pick(x.c, "+=!", "+=!", "+=!", "+=!", "max=!", "min=!", "*=!"), value, strings.Join(ranges, ", "))
	switch x.c.Below(8) {
	case 0:
		text, more = text+fmt.Sprintf("  S(%s) = max(%s, %s(0)) + %s(1)\n", strings.Join(x.free, ","), result, x.element, x.element), ", S"
	case 1:
		text += fmt.Sprintf("  %[1]s = %[1]s * %[2]s(2)\n", result, x.element)
	case 2:
		if len(x.free) > 1 {
			text, more = text+fmt.Sprintf("  S(%s) +=! %s\n", x.free[0], result), ", S"
		}
	}
	return fmt.Sprintf("def f(%s) -> (R%s) {\n%s}\n", strings.Join(parameters, ", "), more, text)
}
