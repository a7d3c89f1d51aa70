// Package ordering says in which order a kernel runs strands, as a value with a text form.
package ordering

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// Strands of a super-step do not notice each other, so any order gives the same result. What there is
// to choose stands in a table, one word for each choice, which Parse and Text read. By strict numerics the
// bits are the same for every order; by default a window that is read by rows is added up in another order
// than one that is read tap by tap.

// An Order is how a kernel runs strands.
type Order struct {
	Block int  // strands that a thread takes at a time, a multiple of Lanes; where items run strands, those of a group
	Lanes int  // strands of a packet, which run side by side in the lanes of vectors; a power of two
	Taps  bool // windows are read tap by tap also where their taps lie side by side, and not row by row
}

// The bounds of what may be chosen: as many lanes as the widest vectors of bytes have, and as many
// strands as keep their states in a cache.
const (
	maxLanes = 64
	maxBlock = 1 << 20
)

// Default is the order for vectors of so many bytes. A block is enough work to ask for more seldom, and
// few enough strands that threads end together.
func Default(vectorBytes int, reals tensor.DType) Order {
	lanes := max(1, vectorBytes/reals.Size())
	return Order{Block: max(64, lanes), Lanes: lanes}
}

// Items is how many items a group has where a device does not say what there is room for, and by default.
const Items = 64

// OfItems is the order for a device whose groups have so many items at most: each runs one strand.
func OfItems(most int) Order { return Order{Block: min(Items, most), Lanes: 1, Taps: true} }

// Over is the order with numbers that are 0 taken from another, and blocks of whole packets.
func (o Order) Over(base Order) Order {
	if o.Lanes == 0 {
		o.Lanes = base.Lanes
	}
	if o.Block == 0 {
		o.Block = base.Block
	}
	o.Block = (o.Block + o.Lanes - 1) / o.Lanes * o.Lanes
	return o
}

// A choice is a word of the text form.
type choice struct {
	word, values, doc string
	get               func(*Order) string
	set               func(*Order, string) bool
}

var choices = []choice{
	{"blocks", "a number", "strands that a thread takes at a time, or that are a group of items",
		func(o *Order) string { return strconv.Itoa(o.Block) },
		func(o *Order, text string) bool { return number(&o.Block, text, maxBlock) }},
	{"packets", "1, 2, 4, 8, 16, 32 or 64", "strands that run side by side, as lanes of vectors",
		func(o *Order) string { return strconv.Itoa(o.Lanes) },
		func(o *Order, text string) bool {
			return number(&o.Lanes, text, maxLanes) && o.Lanes&(o.Lanes-1) == 0
		}},
	{"windows", "rows or taps", "how windows of images are read where their taps lie side by side",
		func(o *Order) string {
			if o.Taps {
				return "taps"
			}
			return "rows"
		},
		func(o *Order, text string) bool { o.Taps = text == "taps"; return text == "rows" || text == "taps" }},
}

// number reads a whole number from 1 to most.
func number(to *int, text string, most int) bool {
	n, err := strconv.Atoi(text)
	*to = n
	return err == nil && 1 <= n && n <= most
}

// Text is the text form, with a comment behind each choice.
func (o Order) Text() string {
	var b strings.Builder
	for _, c := range choices {
		fmt.Fprintf(&b, "%-14s # %s\n", c.word+" "+c.get(&o), c.doc)
	}
	return b.String()
}

// Parse reads a text form. Numbers that it does not say are 0; all that is wrong is reported, each with its line.
func Parse(file *source.File) (o Order, err error) {
	var diagnostics source.Diagnostics
	said := map[string]source.Span{}
	offset := 0
	for line := range strings.Lines(file.Text) {
		code, _, _ := strings.Cut(line, "#")
		if trimmed := strings.TrimSpace(code); trimmed != "" {
			start := offset + strings.Index(code, trimmed)
			span := source.Span{File: file, Start: start, End: start + len(trimmed)}
			o.line(&diagnostics, span, strings.Fields(trimmed), said)
		}
		offset += len(line)
	}
	if !diagnostics.HasErrors() && o.Lanes > 0 && o.Block%o.Lanes != 0 {
		diagnostics.Errorf(source.StrandOrder, said["blocks"], "blocks of %d strands are no whole number of packets of %d", o.Block, o.Lanes).
			WithHelp("write blocks %d", (o.Block/o.Lanes+1)*o.Lanes)
	}
	return o, diagnostics.Err()
}

// line takes over one choice.
func (o *Order) line(diagnostics *source.Diagnostics, span source.Span, words []string, said map[string]source.Span) {
	k := slices.IndexFunc(choices, func(c choice) bool { return c.word == words[0] })
	if k < 0 {
		var known []string
		for _, c := range choices {
			known = append(known, c.word)
		}
		d := diagnostics.Errorf(source.StrandOrder, span, "an order of strands has no %q", words[0]).WithHelp("its lines begin with %s", strings.Join(known, ", "))
		if near := source.Suggest(words[0], known); near != "" {
			d.Help = "did you mean " + near + "?"
		}
		return
	}
	c := choices[k]
	if before, twice := said[c.word]; twice {
		diagnostics.Errorf(source.StrandOrder, span, "%s is said twice", c.word).WithNote(before, "the first time here")
		return
	}
	said[c.word] = span
	if len(words) != 2 || !c.set(o, words[1]) {
		found := "nothing"
		if len(words) > 1 {
			found = strings.Join(words[1:], " ")
		}
		diagnostics.Errorf(source.StrandOrder, span, "expected %s behind %s, found %s", c.values, c.word, found).WithHelp("%s: %s", c.word, c.doc)
	}
}
