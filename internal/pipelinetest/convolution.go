package pipelinetest

import (
	"fmt"
	"strings"
)

// A convolution is a layer of a network: images X, filters V, results Y. With groups,
// each has its own channels; depthwise, one channel and one filter.
type convolution struct {
	images, groups, channels, filters int
	last, depthwise                   bool // channels are the last dimension
	backward                          bool // the gradient to the image, from those of the results
	rows, columns                     side
}

// A side is one direction of the image.
type side struct{ results, points, step, dilation, padding, beyond int }

// length is the number of rows or columns of the image; windows leave some out at its end.
func (s side) length() int {
	return max(1, (s.results-1)*s.step+(s.points-1)*s.dilation+1-2*s.padding+s.beyond)
}

func (s side) subscript(i, window string) string {
	text := fmt.Sprintf("%d*%s + %d*%s", s.step, i, s.dilation, window)
	if s.padding > 0 {
		text += fmt.Sprintf(" - %d", s.padding)
	}
	return text
}

// DrawConvolution draws a program of one convolution, for which the evaluator computes
// at most work products.
func DrawConvolution(c *Choices, work int) string {
	element := Pick(c, "float", "float", "float", "double", "half", "bfloat16", "int8")
	for {
		v := convolution{images: Pick(c, 1, 1, 2, 3), channels: c.Between(1, 40), filters: Pick(c, c.Between(1, 90), 48, 64), last: c.OneIn(5)}
		if c.OneIn(4) {
			v.groups = c.Between(1, 4)
			v.channels, v.filters = c.Between(1, 9), c.Between(1, 20)
			v.depthwise = c.OneIn(2)
		}
		if sums[element] != "" && !c.OneIn(3) { // enough for matrix units
			v.channels, v.groups, v.depthwise, v.last = c.Between(15, 70), 0, false, c.OneIn(2)
		}
		points, step, dilation := Pick(c, 1, 2, 3, 3, 5), Pick(c, 1, 1, 2, 3), Pick(c, 1, 1, 1, 2)
		draw := func() side {
			s := side{c.Between(1, 20), points, step, dilation, Pick(c, 0, 0, 0, 0, c.Between(0, points/2)), c.Between(0, step-1)}
			if c.OneIn(6) {
				s.points, s.step = c.Between(1, 4), Pick(c, 1, 2, 4)
			}
			return s
		}
		v.rows, v.columns = draw(), draw()
		v.backward = c.OneIn(4)
		if v.products() <= work {
			return v.text(element, c.OneIn(4))
		}
	}
}

func (v *convolution) products() int {
	n := v.images * max(1, v.groups) * v.rows.results * v.columns.results * v.rows.points * v.columns.points
	if v.depthwise {
		return n
	}
	return n * v.channels * v.filters
}

// products are summed in these types where they are not in their own.
var sums = map[string]string{"bfloat16": "float", "int8": "int32"}

// text is the program, with all sizes as numbers.
func (v *convolution) text(element string, epilogue bool) string {
	list := func(parts ...string) string {
		return strings.Join(strings.FieldsFunc(strings.Join(parts, ","), func(r rune) bool { return r == ',' }), ",")
	}
	// image puts the parts of an image or a result in order, filter those of a filter.
	image := func(n, channel, h, w, g string) string {
		if v.last {
			return list(n, h, w, g, channel)
		}
		return list(n, g, channel, h, w)
	}
	filter := func(g, f, c, r, s string) string {
		if v.last {
			return list(r, s, g, c, f)
		}
		return list(g, f, c, r, s)
	}
	number := func(n int) string { return fmt.Sprint(n) }
	if v.backward {
		return v.gradient(element, image, filter)
	}
	g, groups, c, channels, f, filters := "", "", "c", number(v.channels), "f", number(v.filters)
	if v.groups > 0 {
		g, groups = "g", number(v.groups)
	}
	if v.depthwise {
		c, channels, f, filters = "", "", "", ""
	}
	read := "X(" + image("n", c, v.rows.subscript("h", "r"), v.columns.subscript("w", "s"), g) + ")"
	if v.rows.padding+v.columns.padding > 0 {
		read = fmt.Sprintf("pad(%s, %s(0))", read, element)
	}
	factor := "V(" + filter(g, f, c, "r", "s") + ")"
	if sum := sums[element]; sum != "" {
		read, factor = sum+"("+read+")", sum+"("+factor+")"
	}
	y := "Y(" + image("n", f, "h", "w", g) + ")"
	ranges := fmt.Sprintf(" where h in 0:%d, w in 0:%d", v.rows.results, v.columns.results)
	text := fmt.Sprintf("def f(%[1]s(%[2]s) X, %[1]s(%[3]s) V) -> (Y) {\n  %[4]s +=! %[5]s * %[6]s%[7]s\n", element,
		image(number(v.images), channels, number(v.rows.length()), number(v.columns.length()), groups),
		filter(groups, filters, channels, number(v.rows.points), number(v.columns.points)), y, read, factor, ranges)
	if epilogue && element != "int8" {
		text += fmt.Sprintf("  %s = fmax(%s * %s(0.5), %s(0))%s\n", y, y, element, element, ranges)
	}
	return text + "}\n"
}

// gradient is the program of the gradient Y to the image, X being that to the results: of which
// steps leave out those where no window begins.
func (v *convolution) gradient(element string, image, filter func(a, b, c, d, e string) string) string {
	number := func(n int) string { return fmt.Sprint(n) }
	g, groups, c, channels, f, filters := "", "", "c", number(v.channels), "f", number(v.filters)
	if v.groups > 0 {
		g, groups = "g", number(v.groups)
	}
	if v.depthwise {
		c, channels, f, filters = "", "", "", ""
	}
	sum := element
	if sums[element] != "" {
		sum = sums[element]
	}
	h, w := v.rows.window("h", "r"), v.columns.window("w", "s")
	var holds []string
	for _, at := range []struct {
		window string
		step   int
	}{{h, v.rows.step}, {w, v.columns.step}} {
		if at.step > 1 {
			holds = append(holds, fmt.Sprintf("%s %% %d == 0", at.window, at.step))
		}
	}
	read := fmt.Sprintf("X(%s)", image("n", f, fmt.Sprintf("%s / %d", h, v.rows.step), fmt.Sprintf("%s / %d", w, v.columns.step), g))
	value := fmt.Sprintf("%s(pad(%s, %s(0))) * %[1]s(V(%[4]s))", sum, read, element, filter(g, f, c, "r", "s"))
	if len(holds) > 0 {
		value = fmt.Sprintf("(%s ? %s : %s(0))", strings.Join(holds, " && "), value, sum)
	}
	return fmt.Sprintf("def f(%[1]s(%[2]s) X, %[1]s(%[3]s) V) -> (Y) {\n  Y(%[4]s) +=! %[5]s where h in 0:%[6]d, w in 0:%[7]d\n}\n", element,
		image(number(v.images), filters, number(v.rows.results), number(v.columns.results), groups),
		filter(groups, filters, channels, number(v.rows.points), number(v.columns.points)), image("n", c, "h", "w", g),
		value, v.rows.length(), v.columns.length())
}

// window is where the window begins, times the step, of which a point of the image is a point.
func (s side) window(i, window string) string {
	return fmt.Sprintf("(%s - %d*%s + %d)", i, s.dilation, window, s.padding)
}
