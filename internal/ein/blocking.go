package ein

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// How products of matrix units are cut
//
// Whoever multiplies matrices cuts them into pieces: of what a unit takes at a time, of what stays near, of what is
// looked at before it is tried. These numbers are a row of a table each. A mark of the schedule tree has those of a row, the
// loops' Multiply has them, and a target puts them where its text has room for them. Which ones a product has hangs on how
// it is multiplied: groups in tiles, parts of float32 (parts.go), or these of windows.

// A Product is a way in which a matrix unit multiplies.
type Product uint8

// The products.
const (
	GroupProduct  Product = 1 << iota // of groups of narrow numbers
	PartsProduct                      // of parts of float32
	WindowProduct                     // of parts of float32, along windows
)

// String says what is multiplied by products of any of these kinds.
func (p Product) String() string {
	var words []string
	for k, word := range []string{"groups", "parts of float32", "parts of float32 in windows"} {
		if p&(1<<k) != 0 {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// A Blocking says how a product is cut. A number that is 0 is the usual one of its row.
type Blocking struct {
	TileRows, TileColumns, TileGroups int64
	Pass, Least                       int64
	Panels                            int64
	Depth                             int64
	Weights                           Weights
	Chunks                            int64
	PointsAhead, RowsAhead            int64
	Tries                             int64
	Near                              int64
	Lines                             int64
}

// Weights are times of pieces of a product of windows, by whose sum the number of passes is chosen: of 32 rows of parts at
// a step, of a product of parts, of 32 x 32 sums that go to the results, and of a point at a step.
type Weights struct{ Rows, Product, Sums, Points int64 }

// A BlockingRow says what some numbers of a Blocking are.
type BlockingRow struct {
	Word    string
	Form    string // "n/m"
	Of      Product
	Usual   []int64 // 0 where there is no bound
	Most    []int64 // of each; the least is 1
	Meaning string
	numbers func(b *Blocking) []*int64
}

// BlockingRows is the table of all numbers of a Blocking, in the order in which they are written.
func BlockingRows() []BlockingRow {
	const parts = PartsProduct | WindowProduct
	one := func(of func(b *Blocking) *int64) func(b *Blocking) []*int64 {
		return func(b *Blocking) []*int64 { return []*int64{of(b)} }
	}
	return []BlockingRow{
		{"tiles", "r/c/g", GroupProduct, []int64{16, 16, 16}, []int64{16, 16, 16},
			"makes tiles of r rows and c columns of results, to which products of g groups of the sum are added at a time; 2 × 2 of them are a block",
			func(b *Blocking) []*int64 { return []*int64{&b.TileRows, &b.TileColumns, &b.TileGroups} }},
		{"pass", "n/m", PartsProduct, []int64{PartsSteps, 4}, []int64{1 << 8, 1 << 8},
			"adds at most n steps of 32 members of the sum before results are written; where not all panels can be kept, so few of them that m steps remain",
			func(b *Blocking) []*int64 { return []*int64{&b.Pass, &b.Least} }},
		{"panels", "n", PartsProduct, []int64{PartsPanels}, []int64{1 << 10},
			"keeps the parts of at most n panels of 32 lines of one operand, while those of the other one pass by",
			one(func(b *Blocking) *int64 { return &b.Panels })},
		{"depth", "n", WindowProduct, []int64{0}, []int64{1 << 20},
			"adds at most n steps of 32 members of the sum before results are written",
			one(func(b *Blocking) *int64 { return &b.Depth })},
		{"weigh", "r/p/s/q", WindowProduct, []int64{1500, 620, 3000, 20}, []int64{1 << 20, 1 << 20, 1 << 20, 1 << 20},
			"chooses the number of passes that takes the least time, where making parts of 32 rows takes r, a product of them p, adding a block of sums to the results s, and parts of a point at a step q",
			func(b *Blocking) []*int64 {
				return []*int64{&b.Weights.Rows, &b.Weights.Product, &b.Weights.Sums, &b.Weights.Points}
			}},
		{"chunks", "n", WindowProduct, []int64{64}, []int64{1 << 10},
			"keeps the parts of at most n chunks of planes, to which the rows of a filter go one after the other",
			one(func(b *Blocking) *int64 { return &b.Chunks })},
		{"asks", "p/r", WindowProduct, []int64{256, 2}, []int64{1 << 16, 1 << 10},
			"asks for what lies p points further in a plane, and r rows further in a filter",
			func(b *Blocking) []*int64 { return []*int64{&b.PointsAhead, &b.RowsAhead} }},
		{"tries", "n", parts, []int64{4}, []int64{1 << 20},
			"tries parts where they perhaps lose too much until n blocks more were in vain than not",
			one(func(b *Blocking) *int64 { return &b.Tries })},
		{"near", "n", parts, []int64{4}, []int64{16},
			"copies 32 columns of n steps before vectors multiply them, where parts do not",
			one(func(b *Blocking) *int64 { return &b.Near })},
		{"lines", "n", GroupProduct | parts, []int64{4}, []int64{16},
			"multiplies n rows at a time by vectors, where there is no unit",
			one(func(b *Blocking) *int64 { return &b.Lines })},
	}
}

// Numbers returns those of a row.
func (r BlockingRow) Numbers(b Blocking) (list []int64) {
	for _, n := range r.numbers(&b) {
		list = append(list, *n)
	}
	return list
}

// Set puts numbers into a row.
func (r BlockingRow) Set(b *Blocking, list ...int64) {
	for k, n := range r.numbers(b) {
		*n = list[k]
	}
}

// Text has the numbers of a row of which something is said, one behind the other with a sign between.
func (r BlockingRow) Text(b Blocking, sign string) (text string, said bool) {
	var words []string
	for _, n := range r.Numbers(b) {
		said = said || n != 0
		words = append(words, strconv.FormatInt(n, 10))
	}
	return strings.Join(words, sign), said
}

// Read is the inverse of Text; ok is false where there are other numbers than the row has.
func (r BlockingRow) Read(b *Blocking, text, sign string) (ok bool) {
	words := strings.Split(text, sign)
	if len(words) != len(r.Most) {
		return false
	}
	var list []int64
	for k, word := range words {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 1 || n > r.Most[k] {
			return false
		}
		list = append(list, n)
	}
	r.Set(b, list...)
	return true
}

// Range says which numbers a row may have.
func (r BlockingRow) Range() string {
	var names []string
	for k, name := range strings.Split(r.Form, "/") {
		names = append(names, fmt.Sprintf("%s from 1 to %d", name, r.Most[k]))
	}
	return strings.Join(names, ", ")
}

// Wrong says what no product of a kind can have, or nothing.
func (b Blocking) Wrong(kind Product) string {
	for _, r := range BlockingRows() {
		numbers := r.Numbers(b)
		switch _, said := r.Text(b, "/"); {
		case !said:
		case r.Of&kind == 0:
			return fmt.Sprintf("%s say no %q", kind, r.Word)
		default:
			for k, n := range numbers {
				if n < 1 || n > r.Most[k] {
					return fmt.Sprintf("%q has %s, found %d", r.Word, r.Range(), n)
				}
			}
		}
	}
	return ""
}

// Of leaves the numbers that a product of a kind has.
func (b Blocking) Of(kind Product) (part Blocking) {
	for _, r := range BlockingRows() {
		if r.Of&kind != 0 {
			r.Set(&part, r.Numbers(b)...)
		}
	}
	return part
}

// Complete puts the usual numbers where none are said.
func (b Blocking) Complete() Blocking {
	for _, r := range BlockingRows() {
		if _, said := r.Text(b, "/"); !said {
			r.Set(&b, r.Usual...)
		}
	}
	return b
}

// Unusual names the rows of a completed blocking that are not as usual, for names of functions; "" if all are.
func (b Blocking) Unusual(kind Product) (name string) {
	for _, r := range BlockingRows() {
		if text, _ := r.Text(b, "_"); r.Of&kind != 0 && !slices.Equal(r.Numbers(b), r.Usual) {
			name += "_" + r.Word + "_" + text
		}
	}
	return name
}
