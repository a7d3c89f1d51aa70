package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// A rowChain draws a chain of statements over rows, and pipelines of it.
type rowChain struct {
	draw       *rand.Rand
	elem       string
	statements []string
	reduces    []bool
	inputs     []string // what a point of the next statement may read
	temps      []string // of the program, in order
}

// pick draws one of some texts.
func pick(draw *rand.Rand, list ...string) string { return list[draw.IntN(len(list))] }

// add draws another statement, the last of which writes Y.
func (c *rowChain) add(k int, last bool) {
	x := pick(c.draw, c.inputs...)
	if k > 0 && c.draw.IntN(3) > 0 {
		x += pick(c.draw, " + ", " - ") + pick(c.draw, c.inputs...)
	}
	if reduce := !last && c.draw.IntN(3) > 0; reduce {
		name := fmt.Sprintf("r%d", k)
		c.temps = append(c.temps, name+"[0:m]")
		c.statements = append(c.statements, fmt.Sprintf("for i in 0:m, j in 0:n reduce %s { %s[i] = %s }", pick(c.draw, "+", "max", "min"), name, x))
		c.inputs, c.reduces = append(c.inputs, name+"[i]"), append(c.reduces, true)
		return
	}
	name := fmt.Sprintf("t%d", k)
	if last {
		name = "Y"
	} else {
		c.temps = append(c.temps, name+"[0:m, 0:n]")
	}
	c.statements = append(c.statements, fmt.Sprintf("for i in 0:m, j in 0:n { %s[i, j] = %s }", name, x))
	c.inputs, c.reduces = append(c.inputs, name+"[i, j]"), append(c.reduces, false)
}

// nest draws the tree of one statement in its part, so many spaces in.
func (c *rowChain) nest(s, lanes, last int, in string) string {
	marks := fmt.Sprintf("vector %d", lanes)
	if s == last && c.draw.IntN(3) > 0 {
		marks += " stream"
	}
	if c.draw.IntN(4) == 0 {
		marks += " prefetch i"
	}
	band := fmt.Sprintf("%sband S%d.j %s\n", in, s, marks)
	if c.draw.IntN(3) == 0 {
		band = fmt.Sprintf("%sband S%d.j tile %d\n%s  band S%d.j %s unroll\n", in, s, lanes*2, in, s, marks)
	}
	if c.reduces[s] {
		band = in + fmt.Sprintf("accumulate S%d register\n", s) + strings.ReplaceAll("  "+band, "\n  ", "\n    ")
	}
	return band
}

// tree draws a pipeline of the chain, and says how many parts it has.
func (c *rowChain) tree(lanes int) (text string, parts int) {
	var domain, row []string
	for s := range c.statements {
		domain, row = append(domain, fmt.Sprintf("S%d[i, j]", s)), append(row, fmt.Sprintf("S%d.i", s))
	}
	rows := strings.Join(row, " ")
	text = "domain " + strings.Join(domain, "; ") + "\nband " + pick(c.draw, "", rows+" tile 3 parallel | ") + rows + " pipeline\n"
	in := "  "
	for _, t := range c.temps {
		if c.draw.IntN(4) > 0 {
			text += in + "place " + t[:strings.IndexByte(t, '[')] + " private\n"
			in += "  "
		}
	}
	text += in + "sequence\n"
	last := len(c.statements) - 1
	for s := 0; s <= last; parts++ {
		end := s + 1
		if end < last && c.draw.IntN(4) == 0 {
			end++ // two statements are one part
		}
		if s == 0 && end > last {
			end = last
		}
		text += in + "  filter S" + fmt.Sprint(s)
		if end == s+1 {
			text += "\n" + c.nest(s, lanes, last, in+"    ")
		} else {
			text += fmt.Sprintf(", S%d\n%s    sequence\n", s+1, in)
			for ; s < end; s++ {
				text += fmt.Sprintf("%s      filter S%d\n", in, s) + c.nest(s, lanes, last, in+"        ")
			}
		}
		s = end
	}
	return text, parts
}

// TestPipelines runs chains of statements over rows, the stages of which work on several rows at a
// time, with arguments anywhere in lines.
func TestPipelines(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 19))
	common, near, several := 0, 0, 0
	for range 24 {
		c := &rowChain{draw: draw, elem: pick(draw, "float32", "float64", "int32"), inputs: []string{"X[i, j]", "g[j]"}}
		statements := 2 + draw.IntN(4)
		for k := range statements {
			c.add(k, k == statements-1)
		}
		lanes := []int{2, 4, 8}[draw.IntN(3)]
		rows, columns := 1+draw.IntN(9), 1+draw.IntN(9*lanes)
		text := fmt.Sprintf("func rows {\n  in X: %[1]s[%[2]d, %[3]d]\n  in g: %[1]s[%[3]d]\n", c.elem, rows, columns)
		for _, temp := range c.temps {
			text += "  temp " + strings.Replace(temp, "[", ": "+c.elem+"[", 1) + "\n"
		}
		text += fmt.Sprintf("  out Y: %s[0:m, 0:n]\n  %s\n}", c.elem, strings.Join(c.statements, "\n  "))
		text = strings.NewReplacer("0:m]", fmt.Sprint(rows, "]"), "[0:m,", fmt.Sprint("[", rows, ","), "0:n]", fmt.Sprint(columns, "]"),
			"0:m", fmt.Sprint("0:", rows), "0:n", fmt.Sprint("0:", columns)).Replace(text)
		p := readProgram(t, text)
		tree, _ := c.tree(lanes)
		parsed, err := schedule.Parse(tree)
		if err != nil {
			t.Fatalf("%v\n%s", err, tree)
		}
		verify(t, p, parsed, nil, func(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
			printed := loop.Print(f)
			if strings.Contains(printed, "_new") {
				common++
			}
			if strings.Contains(printed, "let begin int64 = 0") {
				near++
			}
			if strings.Contains(printed, "% 2") || strings.Contains(printed, "% 3") {
				several++
			}
			return evaluate(t, p, f, args)
		})
		verify(t, p, parsed, nil, func(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
			if f.Workspace > 0 {
				return execute(t, p, f, args)
			}
			return misplaced(0, 1, lanes-1, 1+draw.IntN(lanes))(t, p, f, args)
		})
	}
	if common < 6 || near < 4 || several < 4 {
		t.Errorf("of 24 pipelines %d have a common loop with stores behind, %d blocks in one copy, %d in several", common, near, several)
	}
}
