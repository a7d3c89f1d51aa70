package pipelinetest

import (
	"fmt"
	"slices"
	"strings"
)

// DrawLayers draws a program of a chain of small layers, and its sizes, with at most work products.
func DrawLayers(c *Choices, work int64) (text string, sizes map[string]int64) {
	element := Pick(c, "float", "float", "float", "double", "half", "bfloat16", "int32")
	layers, products := c.Between(2, 5), int64(0)
	sizes = map[string]int64{"M": Pick(c, int64(1), 2, 4, 7, 8, 16, 17, 25, 32, 33, 49, 64, 65, 100, 128, 129, 257, 500, 1000)}
	for n := range layers + 1 {
		sizes[fmt.Sprint("N", n)] = Pick(c, int64(1), 2, 3, 8, 10, 16, 17, 24, 31, 32, 33, 48, 64, 65, 100, 128, 130, 200, 256)
		if n > 0 {
			products += sizes[fmt.Sprint("N", n-1)] * sizes[fmt.Sprint("N", n)]
		}
	}
	sizes["M"] = max(1, min(sizes["M"], work/products))
	parameters, outputs, last, body := []string{element + "(M,N0) A"}, []string{}, "A(m,i)", ""
	for n := 1; n <= layers; n++ {
		dims, read := fmt.Sprintf("N%d,N%d", n-1, n), fmt.Sprintf("W%d(i,j)", n)
		if c.OneIn(2) {
			dims, read = fmt.Sprintf("N%d,N%d", n, n-1), fmt.Sprintf("W%d(j,i)", n)
		}
		parameters = append(parameters, fmt.Sprintf("%s(%s) W%d", element, dims, n), fmt.Sprintf("%s(N%d) b%d", element, n, n))
		name, result, next := fmt.Sprint("H", n), fmt.Sprintf("H%d(m,j)", n), fmt.Sprintf("H%d(m,i)", n)
		if n < layers && c.OneIn(10) {
			result, next = fmt.Sprintf("H%d(j,m)", n), fmt.Sprintf("H%d(i,m)", n)
		}
		body += fmt.Sprintf("  %s %s %s * %s\n", result, Pick(c, "+=!", "+=!", "+=!", "+=!", "max=!"), last, read)
		switch c.Below(6) {
		case 0:
			body += fmt.Sprintf("  %[1]s = max(%[1]s + b%[2]d(j), %[3]s(0))\n", result, n, element)
		case 1:
			if element == "float" || element == "double" {
				body += fmt.Sprintf("  %[1]s = tanh(%[1]s)\n", result)
			}
		case 2:
			body += fmt.Sprintf("  G%d(m,j) = %s + b%d(j)\n", n, result, n)
			if c.OneIn(2) {
				outputs = append(outputs, fmt.Sprint("G", n))
			} else {
				name, next = fmt.Sprint("G", n), fmt.Sprintf("G%d(m,i)", n)
			}
		case 3:
			body += fmt.Sprintf("  s%[1]d(m) %[2]s %[3]s\n  %[3]s = %[3]s - s%[1]d(m)\n", n, Pick(c, "+=!", "max=!"), result)
		case 4:
			body += fmt.Sprintf("  %[1]s = %[1]s * A(m,0)\n", result)
		}
		if n == layers || c.OneIn(5) {
			outputs = append(outputs, name)
		}
		last = next
	}
	slices.Sort(outputs)
	return fmt.Sprintf("def f(%s) -> (%s) {\n%s}\n", strings.Join(parameters, ", "), strings.Join(slices.Compact(outputs), ", "), body), sizes
}

// DrawSums draws a program of sums over some dimensions of a tensor, never its last, and its sizes, with at
// most work terms.
func DrawSums(c *Choices, work int64) (text string, sizes map[string]int64) {
	element := drawElement(c)
	all := strings.Split("abcd"[:c.Between(2, 4)], "")
	sizes = map[string]int64{}
	for n, size := range drawSizes(c, len(all), work) {
		sizes[strings.ToUpper(all[n])] = size
	}
	free, sum := []string{all[len(all)-1]}, []string{}
	for n, i := range all[:len(all)-1] {
		if n == 0 || c.OneIn(2) {
			sum = append(sum, i)
		} else {
			free = slices.Insert(free, 0, i)
		}
	}
	dims := strings.ToUpper(strings.Join(all, ","))
	parameters, read, wide := []string{fmt.Sprintf("%s(%s) X", element, dims)}, "X("+strings.Join(all, ",")+")", element
	term := read
	if c.OneIn(4) {
		wide = drawElement(c)
		term = wide + "(" + read + ")"
	}
	factor := func(index string) {
		parameters = append(parameters, fmt.Sprintf("%s(%s) v", wide, strings.ToUpper(index)))
		term += " * v(" + index + ")"
	}
	switch c.Below(6) {
	case 0:
		factor(all[0])
	case 1:
		factor(all[len(all)-1])
	case 2:
		term += " * " + term
	case 3:
		factor(sum[len(sum)-1] + "," + free[0])
	case 4:
		term += fmt.Sprintf(" - %s(X(%s))", wide, strings.Join(append([]string{"0"}, all[1:]...), ","))
	}
	result, outputs := "R("+strings.Join(free, ",")+")", "R"
	body := fmt.Sprintf("  %s %s %s\n", result, Pick(c, "+=!", "+=!", "+=!", "max=!", "min=!", "*=!"), term)
	switch c.Below(6) {
	case 0:
		body += fmt.Sprintf("  %[1]s = %[1]s + %[1]s\n", result)
	case 1:
		outputs = "R, S"
		body += fmt.Sprintf("  S(%s) %s %s\n", strings.Join(free, ","), Pick(c, "max=!", "+=!"), read)
	}
	return fmt.Sprintf("def f(%s) -> (%s) {\n%s}\n", strings.Join(parameters, ", "), outputs, body), sizes
}
