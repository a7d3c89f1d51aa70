package lower_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/internal/strand/strandtest"
)

// parse reads a program whose first line says for what it is lowered: "# lanes 2 block 4 img 5 6", where img is an image;
// "items 1" is for a device of items.
func parse(t *testing.T, text string) (*strand.Program, lower.Options) {
	t.Helper()
	p := strandtest.Parse(t, text)
	o := lower.Options{Images: map[string][]int{}, Sequences: map[string]int{}}
	name := ""
	line, _, _ := strings.Cut(text, "\n")
	for _, word := range strings.Fields(line)[1:] {
		n, err := strconv.Atoi(word)
		switch {
		case err != nil:
			name = word
		case name == "lanes":
			o.Lanes = n
		case name == "block":
			o.Block = n
		case name == "items":
			o.Items = n > 0
		default:
			o.Images[name] = append(o.Images[name], n)
		}
	}
	for _, v := range p.Variables {
		if v.Type.Dynamic && v.Role == strand.Global {
			o.Sequences[v.Name] = 2
		}
	}
	return p, o
}

// TestLowered records the loops that programs with one kind of statement become; loop.Verify has accepted them. Whole.txtar
// and Items.txtar have all of a kernel, the others the loop over super-steps.
func TestLowered(t *testing.T) {
	goldentest.Run(t, "testdata/lowered/*.txtar", "loops", 1, func(t *testing.T, inputs []string) string {
		p, o := parse(t, inputs[0])
		k, err := lower.Lower(p, o)
		if err != nil {
			t.Fatal(err)
		}
		text := loop.Print(k.Loop)
		if strings.HasSuffix(t.Name(), "/Whole") || strings.HasSuffix(t.Name(), "/Items") {
			return text
		}
		return superSteps(text)
	})
}

// superSteps is the loop over the super-steps of a packet.
func superSteps(text string) string {
	var lines []string
	depth := -1
	for line := range strings.Lines(text) {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if depth < 0 && strings.HasPrefix(line[indent:], `while $"step"[0] <`) {
			depth = indent
		}
		if depth < 0 {
			continue
		}
		lines = append(lines, line[depth:])
		if line[indent:] == "}\n" && indent == depth {
			break
		}
	}
	return strings.Join(lines, "")
}

// TestRefused records why programs have no native form; the place is that of the statement.
func TestRefused(t *testing.T) {
	goldentest.Run(t, "testdata/refused/*.txtar", "why", 1, func(t *testing.T, inputs []string) string {
		p, o := parse(t, inputs[0])
		_, err := lower.Lower(p, o)
		var refused *lower.Refused
		if !errors.As(err, &refused) {
			t.Fatalf("%v", err)
		}
		return fmt.Sprintf("%v: %v\n", refused.Pos, err)
	})
}
