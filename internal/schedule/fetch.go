package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// How what register tiles need is asked for ahead
//
// Vectors that pass through memory ask for what is ahead of them by marks of their loops (ahead, prefetch). The sums of
// register tiles touch memory in other orders, so other marks say what they ask for while they compute: an accumulate
// for the results, a place for the blocks that are copied, a loop over the steps of the reduction for operands that are
// read as they lie. Package fetch places them by rules that know the machine; whoever writes a tree places others, or
// none. A mark takes effect where the lowering finds what it speaks of: vectors along rows, at places that are known.
// Whatever is asked for, no result changes.

// Limits of what is asked for, beyond which nothing is: the lines that a core can wait for are few.
const (
	MostLinesOfTile  = 64       // that a register tile asks for when it begins
	MostLinesOfStep  = 8        // that a step of its reduction asks for, of an operand
	LeastOfRow       = 16       // bytes of a row that a step passes by, to ask for the rows of a panel: of fewer a line would be asked for too often
	LeastTiles       = 3        // of a strip, to ask for the next one: the last asks for what nobody reads
	MostLinesOfPanel = 6        // of the next panel, for which a step asks
	NearBytes        = 64 << 10 // of a tensor that is near anyway
)

// A FetchKind says which part of an operand a step of a reduction asks for.
type FetchKind uint8

// The kinds of fetches.
const (
	FetchSteps FetchKind = iota // what a step so many later reads
	FetchTile                   // what the next tile along the vectors reads of the same row
	FetchRows                   // what the next tile of rows reads
	FetchRun                    // a share of what the next tile reads
)

// A Fetch is what a loop over the steps of a reduction asks for of an operand.
type Fetch struct {
	Kind   FetchKind
	Tensor string
	N      int64 // steps: how many ahead, or how many a block has at most
}

// FetchOf returns what a loop asks for of an operand.
func (m *Member) FetchOf(kind FetchKind, tensor string) (f Fetch, ok bool) {
	at := slices.IndexFunc(m.Fetches, func(f Fetch) bool { return f.Kind == kind && f.Tensor == tensor })
	if at < 0 {
		return f, false
	}
	return m.Fetches[at], true
}

// HasTilesBeside reports whether so many tiles of a width stand side by side along an index, in the smallest larger blocks,
// that most of them have a next one.
func (v Levels) HasTilesBeside(statement int, i *ein.Index, width int64) bool {
	room, constant := i.Extent.IsConst()
	if around := v.Around(&Member{Tile: width}, Loop{Statement: statement, Index: i.Name}); around != nil {
		room = min(room, around.Tile)
	}
	return constant && width > 0 && room >= LeastTiles*width
}

// fetches is the mark for a kind; sign stands before the number, and is empty where there is none.
func fetches(kind FetchKind, sign string) markOf[Member] {
	form := "t is a tensor"
	if sign != "" {
		form += " and n a whole number from 1 on"
	}
	return markOf[Member]{
		Mark: Mark{form: form},
		arguments: func(m *Member) (list []string) {
			for _, f := range m.Fetches {
				switch {
				case f.Kind != kind:
				case sign == "":
					list = append(list, f.Tensor)
				default:
					list = append(list, fmt.Sprintf("%s%s%d", f.Tensor, sign, f.N))
				}
			}
			return list
		},
		read: func(m *Member, argument string) bool {
			f := Fetch{Kind: kind, Tensor: argument}
			if sign != "" {
				at := strings.LastIndex(argument, sign)
				if at < 0 {
					return false
				}
				n, err := strconv.ParseInt(argument[at+len(sign):], 10, 32)
				if err != nil || n < 1 {
					return false
				}
				f.Tensor, f.N = argument[:at], n
			}
			m.Fetches = append(m.Fetches, f)
			return f.Tensor != ""
		},
	}
}

// fetchMarks are those of the loops over the steps of reductions.
func fetchMarks() []markOf[Member] {
	const where = "the innermost loop over what a statement reduces, that alone, below its accumulators in register, of a tensor that it reads"
	codes := []source.Code{source.ScheduleMisfit}
	return []markOf[Member]{
		fetches(FetchSteps, "+").as("fetch", "t+n",
			fmt.Sprintf("asks in each step for what the register tile reads of t n steps later, in rows that several of its points share; no more than %d lines", MostLinesOfStep), where, codes),
		fetches(FetchTile, "/").as("fetch-tile", "t/n",
			fmt.Sprintf("asks in a block of at most n steps for what the next register tile along the vectors reads of the same row of t, instead of what later steps read, where %d such tiles or more stand side by side; tiles that share the row divide its lines, no more than %d for each", LeastTiles, MostLinesOfStep), where, codes),
		fetches(FetchRows, "").as("fetch-rows", "t",
			"asks for what the next register tile reads of rows of t that pass by a block which stays near: the tiles that share it take turns with the rows", where, codes),
		fetches(FetchRun, "").as("fetch-run", "t",
			"asks in each step for a share of what the next register tile reads of t, which is one run of memory, where results are asked for step by step, too (`spread`)", where, codes),
	}
}

// accumulateMarks are those of accumulates.
func accumulateMarks() []markOf[Accumulate] {
	const where = "accumulators in register"
	codes := []source.Code{source.ScheduleMisfit}
	fetch := number(0, func(a *Accumulate) *int64 { return &a.Fetch })
	ahead := number(0, func(a *Accumulate) *int64 { return &a.Ahead })
	spread := flag(func(a *Accumulate) *bool { return &a.Spread })
	items := number(0, func(a *Accumulate) *int64 { return &a.Items })
	tree := number(0, func(a *Accumulate) *int64 { return &a.Tree })
	shuffle := number(0, func(a *Accumulate) *int64 { return &a.Shuffle })
	atomic := flag(func(a *Accumulate) *bool { return &a.Atomic })
	const parts = "accumulators in workspace right above groups"
	return []markOf[Accumulate]{
		items.as("items", "n", "has the launch that combines the parts of groups have n results in a group, side by side; without it, one", fmt.Sprintf("%s; n times that of `tree` is at most %d", parts, MostItemsOfParts), codes),
		tree.as("tree", "m", "has m items combine the parts of each result: item t those of number t, t + m, …, and then all what they have in a tree; or scan them, m at a time. Without it, one", parts, codes),
		shuffle.as("shuffle", "w", "has items combine what they have by shuffles in sub-groups of w, as far as these reach, and only then in local memory",
			"accumulators in local, or in workspace right above groups, there without `items`; w is a power of two, which divides the items of a group, the same for all of a launch. Items over results stand before those over what is reduced; these are a part of a sub-group, or at most w sub-groups", codes),
		atomic.as("atomic", "", "has the items of a group share one array of accumulators, which each updates at once for all",
			"accumulators in local, of int32 or uint32, by a sum, a minimum, a maximum or an operation on bits; without `shuffle`, and with no loops over items but those over what is reduced", codes),
		fetch.as("fetch", "n", fmt.Sprintf("asks for the lines of its results when it begins, where its sums have n steps or more; no more than %d lines", MostLinesOfTile), where, codes),
		ahead.as("ahead", "n", "asks for the lines n bytes further along the rows of its results, those of later ones, where they do not ask for their own", fmt.Sprintf("%s; n is at most %d", where, MostAhead), codes),
		spread.as("spread", "", "asks for the lines of its results step by step, where these are one run of memory of about as many lines as the sums have steps", where+", with `fetch`", codes),
	}
}

// placeMarks are those of places.
func placeMarks() []markOf[Place] {
	const where = "of a tensor that is only read there, in private"
	codes := []source.Code{source.ScheduleMisfit}
	fetch := markOf[Place]{
		Mark: Mark{form: "n and m are whole numbers, n from 1 on"},
		arguments: func(p *Place) []string {
			if p.Fetch == 0 {
				return nil
			}
			return []string{fmt.Sprintf("%d/%d", p.Fetch, p.FetchFrom)}
		},
		read: func(p *Place, argument string) bool {
			distance, from, _ := strings.Cut(argument, "/")
			n, err := strconv.ParseInt(distance, 10, 32)
			m, err2 := strconv.ParseInt(from, 10, 32)
			p.Fetch, p.FetchFrom = n, m
			return err == nil && err2 == nil && n > 0 && m >= 0
		},
	}
	fill := number(0, func(p *Place) *int64 { return &p.Fill })
	strip := flag(func(p *Place) *bool { return &p.NextStrip })
	panel := flag(func(p *Place) *bool { return &p.NextPanel })
	return append(localMarks(), []markOf[Place]{
		fetch.as("fetch", "n/m", "lets the steps of a reduction ask for what a register tile reads of the block n bytes later, where it reads more than m bytes in all; the block lies in rows along the vectors", where, codes),
		fill.as("fill", "n", "lets the first register tile copy the block, a row in each step, and asks for rows n steps ahead; without, it is copied before", where, codes),
		strip.as("next-strip", "", "lets the steps of a reduction ask for the next block along the vectors, a line each: the register tiles take turns with the lines of a row", where, codes),
		panel.as("next-panel", "", fmt.Sprintf("lets the steps of a reduction ask for the rows of the next block, which is copied across them: of each that a step passes by with %d bytes or more, no more than %d lines", LeastOfRow, MostLinesOfPanel), where, codes),
	}...)
}

// fetchesOf checks what a loop asks for of operands.
func (c *checker) fetchesOf(b *Band, m *Member, st *state) {
	l := m.Loops[0]
	index := c.index(place{l.Statement, l.Index})
	above, _ := st.accumulators[l.Statement].(*Accumulate)
	for _, f := range m.Fetches {
		at := on(b, m, "fetch", "fetch-tile", "fetch-rows", "fetch-run")
		switch {
		case len(m.Loops) > 1 || index == nil || index.Combine.Kind == ein.Concat || above == nil || above.Region != Register:
			c.misfit(at, "the steps of a reduction ask for operands, in a loop that is over them alone and below accumulators in register; %s is none", c.words.Loop(m))
		case !slices.ContainsFunc(c.f.Body[l.Statement].Accesses(), func(a *ein.Access) bool { return a.Tensor.Name == f.Tensor }):
			c.misfit(at, "%s reads no %s, which it cannot ask for; it reads %s", c.words.Statement(l.Statement), f.Tensor, c.readsOf(l.Statement))
		}
	}
}

// readsOf lists the tensors that a statement reads.
func (c *checker) readsOf(s int) string {
	var names []string
	for _, a := range c.f.Body[s].Accesses() {
		if !slices.Contains(names, a.Tensor.Name) {
			names = append(names, a.Tensor.Name)
		}
	}
	return strings.Join(names, ", ")
}

// resultsAsked checks what an accumulate asks for.
func (c *checker) resultsAsked(n *Accumulate) {
	switch {
	case n.Fetch == 0 && n.Ahead == 0 && !n.Spread:
	case n.Region != Register:
		c.misfit(n, "accumulators in register ask for the lines of their results, and these are in %s", n.Region)
	case n.Spread && n.Fetch == 0:
		c.misfit(n, "'spread' says how results are asked for; put 'fetch n' beside it, for sums of n steps or more")
	case n.Ahead > MostAhead:
		c.misfit(n, "results are asked for up to %d bytes ahead, found %d", MostAhead, n.Ahead)
	}
}

// blockAsked checks what a place asks for.
func (c *checker) blockAsked(n *Place, t *ein.Tensor, st state) {
	if n.Fetch == 0 && n.Fill == 0 && !n.NextStrip && !n.NextPanel {
		return
	}
	if n.Region != Private || !OnlyRead(c.f, t, st.active) {
		c.misfit(n, "blocks of tensors that are only read, in private, are asked for ahead; leave out fetch, fill, next-strip and next-panel")
	}
	if n.Fetch > MostAhead {
		c.misfit(n, "what a block has is asked for up to %d bytes ahead, found %d", MostAhead, n.Fetch)
	}
}
