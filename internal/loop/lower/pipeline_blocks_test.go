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

// addOfRow draws a statement that has one value for each row.
func (c *rowChain) addOfRow(k int) {
	name := fmt.Sprintf("s%d", k)
	list := []string{"X[i, 0i64]"}
	for _, t := range c.temps {
		if strings.HasSuffix(t, "[0:m]") {
			list = append(list, t[:strings.IndexByte(t, '[')]+"[i]")
		}
	}
	c.temps = append(c.temps, name+"[0:m]")
	c.statements = append(c.statements, fmt.Sprintf("for i in 0:m { %s[i] = %s + %s }", name, pick(c.draw, list...), pick(c.draw, list...)))
	c.inputs, c.reduces = append(c.inputs, name+"[i]"), append(c.reduces, false)
}

// blockNest draws the tree of one statement in a part of a pipeline over blocks of rows, without
// the loop over the rows where there is one around.
func (c *rowChain) blockNest(s, lanes, last int, rows bool, in string) string {
	if !strings.Contains(c.statements[s], "j in") {
		if rows {
			return ""
		}
		return fmt.Sprintf("%sband S%d.i\n", in, s)
	}
	marks := fmt.Sprintf("S%d.j vector %d", s, lanes)
	if s == last && c.draw.IntN(3) > 0 {
		marks += " stream"
	}
	if c.draw.IntN(4) == 0 {
		marks += " ahead 256"
	}
	region := pick(c.draw, "register", "private", "output")
	if c.reduces[s] && region == "output" {
		marks = fmt.Sprintf("S%d.j", s)
	}
	row, piece := fmt.Sprintf("S%d.i | ", s), fmt.Sprintf("S%d.j tile %d | ", s, lanes*(1+c.draw.IntN(3)))
	if strings.Contains(marks, "vector") && strings.Contains(piece, fmt.Sprintf("tile %d ", lanes)) {
		piece = fmt.Sprintf("S%d.j tile %d | ", s, lanes*2)
	}
	around := ""
	switch c.draw.IntN(4) {
	case 0: // pieces of rows
		row = piece + row
	case 1: // rows in pieces
		row += piece
	case 2: // row by row, each with a result of its own
		around, row = strings.TrimSuffix(row, " | "), ""
	}
	if rows {
		row, around = pick(c.draw, "", piece), ""
	}
	band := in + "band " + row + marks + "\n"
	if c.reduces[s] {
		band = in + fmt.Sprintf("accumulate S%d %s\n", s, region) + "  " + band
	}
	if around != "" {
		band = in + "band " + around + "\n" + "  " + strings.ReplaceAll(band, "\n ", "\n   ")
	}
	return band
}

// blockTree draws a pipeline of the chain over blocks of rows.
func (c *rowChain) blockTree(lanes int) string {
	var domain, row []string
	for s := range c.statements {
		indices := "i, j"
		if !strings.Contains(c.statements[s], "j in") {
			indices = "i"
		}
		domain, row = append(domain, fmt.Sprintf("S%d[%s]", s, indices)), append(row, fmt.Sprintf("S%d.i", s))
	}
	all := strings.Join(row, " ")
	tile := 2 + c.draw.IntN(3)
	text := "domain " + strings.Join(domain, "; ") + "\nband " + pick(c.draw, "", fmt.Sprintf("%s tile %d parallel | ", all, tile*3+c.draw.IntN(2))) + all + fmt.Sprintf(" tile %d pipeline%s\n", tile, pick(c.draw, "", "", "", " pad"))
	in := "  "
	for _, t := range c.temps {
		if c.draw.IntN(4) > 0 {
			text += in + "place " + t[:strings.IndexByte(t, '[')] + " private\n"
			in += "  "
		}
	}
	text += in + "sequence\n"
	last := len(c.statements) - 1
	for s := 0; s <= last; {
		end := s + 1
		if end < last && c.draw.IntN(3) == 0 {
			end++
		}
		text += in + "  filter S" + fmt.Sprint(s)
		if end == s+1 {
			text += "\n" + c.blockNest(s, lanes, last, false, in+"    ")
			s = end
			continue
		}
		text += fmt.Sprintf(", S%d\n", s+1)
		deeper, rows := in+"    ", c.draw.IntN(2) == 0
		if rows {
			text += fmt.Sprintf("%sband S%d.i S%d.i\n", deeper, s, s+1)
			deeper += "  "
		}
		text += deeper + "sequence\n"
		for ; s < end; s++ {
			text += fmt.Sprintf("%s  filter S%d\n", deeper, s) + c.blockNest(s, lanes, last, rows, deeper+"    ")
		}
	}
	return text
}

// TestPipelinesOfBlocks runs pipelines over blocks of rows, the stages of which go over the rows, or over
// pieces of them, in any order.
func TestPipelinesOfBlocks(t *testing.T) {
	turns := 0
	for n := range 120 {
		draw := rand.New(rand.NewPCG(5, uint64(n)))
		c := &rowChain{draw: draw, elem: pick(draw, "float32", "float64", "int32"), inputs: []string{"X[i, j]", "g[j]"}}
		statements := 2 + draw.IntN(4)
		for k := range statements {
			if k < statements-1 && draw.IntN(4) == 0 {
				c.addOfRow(k)
			} else {
				c.add(k, k == statements-1)
			}
		}
		lanes := []int{2, 4}[draw.IntN(2)]
		rows, columns := 1+draw.IntN(23), 1+draw.IntN(13*lanes)
		text := fmt.Sprintf("func rows {\n  in X: %[1]s[%[2]d, %[3]d]\n  in g: %[1]s[%[3]d]\n", c.elem, rows, columns)
		for _, temp := range c.temps {
			text += "  temp " + strings.Replace(temp, "[", ": "+c.elem+"[", 1) + "\n"
		}
		text += fmt.Sprintf("  out Y: %s[0:m, 0:n]\n  %s\n}", c.elem, strings.Join(c.statements, "\n  "))
		text = strings.NewReplacer("0:m]", fmt.Sprint(rows, "]"), "[0:m,", fmt.Sprint("[", rows, ","), "0:n]", fmt.Sprint(columns, "]"),
			"0:m", fmt.Sprint("0:", rows), "0:n", fmt.Sprint("0:", columns)).Replace(text)
		p := readProgram(t, text)
		tree := c.blockTree(lanes)
		parsed, err := schedule.Parse(tree)
		if err != nil {
			t.Fatalf("%v\n%s", err, tree)
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			verify(t, p, parsed, nil, func(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
				if strings.Contains(loop.Print(f), "turns") {
					turns++
				}
				return evaluate(t, p, f, args)
			})
		})
	}
	if turns < 10 {
		t.Errorf("of 120 pipelines %d have stages that take turns", turns)
	}
}
