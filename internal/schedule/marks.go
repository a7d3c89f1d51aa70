package schedule

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// A Mark is a word that says more of a loop than over what it runs, more of accumulators than where they are, or more
// of a place than of what: how, and not in which order. The texts are Markdown, for the page about schedules.
type Mark struct {
	Of       string // what has it: "band", "accumulate" or "place"
	Word     string // "tile"
	Argument string // "n"; empty for none
	Meaning  string
	// Where says where the mark is legal, apart from dependences; Codes are the errors of trees
	// that have it elsewhere, or in which it breaks a dependence.
	Where string
	Codes []source.Code

	// form says what arguments are.
	form string
}

// A markOf is a mark with where it is kept in a node, or in a member of one.
type markOf[N any] struct {
	Mark
	// arguments of a node: one for each time that it has the mark, "" for a mark without argument.
	arguments func(n *N) []string
	// read sets the mark, and reports whether the argument is one of it.
	read func(n *N, argument string) bool
}

// expected says how the mark is written, for messages about another argument.
func (k Mark) expected() string { return k.Signature() + ", where " + k.form }

// Signature is how the mark is written, such as "skew f*i/n".
func (k Mark) Signature() string { return strings.TrimSpace(k.Word + " " + k.Argument) }

// Marks lists the marks of the members of bands, of accumulates and of places in the order in which they are written.
func Marks() (list []Mark) {
	list = appendMarks(list, "band", memberMarks())
	list = appendMarks(list, "accumulate", accumulateMarks())
	return appendMarks(list, "place", placeMarks())
}

func appendMarks[N any](list []Mark, of string, marks []markOf[N]) []Mark {
	for _, k := range marks {
		k.Of = of
		list = append(list, k.Mark)
	}
	return list
}

// memberMarks are those of the members of bands.
func memberMarks() []markOf[Member] {
	misfit, both := []source.Code{source.ScheduleMisfit}, []source.Code{source.ScheduleMisfit, source.ScheduleIllegal}
	tile := number(1, func(m *Member) *int64 { return &m.Tile })
	vector := number(0, func(m *Member) *int { return &m.Vector })
	group := number(0, func(m *Member) *int { return &m.Group })
	parallel := flag(func(m *Member) *bool { return &m.Parallel })
	groups := flag(func(m *Member) *bool { return &m.Groups })
	items := number(0, func(m *Member) *int64 { return &m.Items })
	flip := flag(func(m *Member) *bool { return &m.Flip })
	matrix := flag(func(m *Member) *bool { return &m.Matrix })
	unroll := flag(func(m *Member) *bool { return &m.Unroll })
	reverse := flag(func(m *Member) *bool { return &m.Reverse })
	pad := flag(func(m *Member) *bool { return &m.Pad })
	stream := flag(func(m *Member) *bool { return &m.Stream })
	whole := number(0, func(m *Member) *int { return &m.WholeLines })
	first := number(0, func(m *Member) *int64 { return &m.FirstLines })
	hold := flag(func(m *Member) *bool { return &m.Hold })
	words := flag(func(m *Member) *bool { return &m.Words })
	singly := flag(func(m *Member) *bool { return &m.Singly })
	coincident := flag(func(m *Member) *bool { return &m.Coincident })
	pipeline := flag(func(m *Member) *bool { return &m.Pipeline })
	apart := flag(func(m *Member) *bool { return &m.Apart })
	keep := number(0, func(m *Member) *int64 { return &m.Partial })
	guarded := flag(func(m *Member) *bool { return &m.Guarded })
	determined := flag(func(m *Member) *bool { return &m.Determined })
	ahead := number(0, func(m *Member) *int64 { return &m.Ahead })
	return append([]markOf[Member]{
		tile.as("tile", "n", "visits blocks of n; a member without it visits points. Both are those in the next larger block of the index, whose loop may also be further in",
			"n is at least 2, and of another size than the other tiles of the index", both),
		skews.as("skew", "f*i/n", "adds f times the number of the block of n of i to that of its own block: the blocks of a diagonal come one after the other. It may be there several times",
			"all statements of the loop share the one over the blocks of n of i, too, and the number of every block follows from the loops", both),
		vector.as("vector", "n", "computes n points at once",
			fmt.Sprintf("n is a power of two, at most %d; without `tile` and `parallel`; one for each statement. Along a reduced index the partial results are in register or private", MostLanes), both),
		group.as("group", "n", "visits n points of a reduced index as one dot product of narrow numbers, which is summed in 32 bits",
			"alone on a sum of products of two integers of 8 bits (n = 4) or 16 bits (n = 2), or with `matrix` of bfloat16 (n = 2), whose results are vectors; the operand along these, of indices or windows, is an input and placed once. With `matrix` also on a sum of products of two of float32 (n = 1), which may be in the output and needs no place. In a tree with groups, with `matrix`, as many terms as an instruction takes: 16 or 8 of float16 and bfloat16, 32 or 16 of bytes", misfit),
		parallel.as("parallel", "", "spreads the iterations over threads; those directly below each other are one loop",
			"not inside of another parallel loop, but directly below; over a reduced index alone, right below `accumulate … workspace`", both),
		groups.as("groups", "", "makes the iterations groups of a grid, which run in any order on a device with groups of items; members directly below each other are its axes",
			"in a tree without `parallel`, not inside of other groups, but directly below; serial loops and sequences alone are around", both),
		items.as("items", "n", "spreads the iterations over n items of each group, in turns; members directly below each other are axes. What is in a group and not inside of such a loop one item does, and the items of a group wait for each other between such loops",
			"inside of `groups`, not inside of other items, but directly below; all such loops of a grid have the same numbers", both),
		flip.as("flip", "", "multiplies the operand that all lanes share with its sign bits flipped, and takes away from all rows of a tile what that adds: processors multiply bytes of which one has a sign, and here both have, or none",
			"with `group 4`, where both operands have one type", misfit),
		matrix.as("matrix", "", "computes all that is below the accumulators by the matrix unit, a block of any size tile by tile; a processor without one computes it by vectors. In a tree with groups all that is below the loops over items is computed by the sub-groups together, by fragments",
			"with `group`, of bytes, bfloat16 or float32, where there are only loops over points between the accumulators and the leaf. In a tree with groups of float16, bfloat16 or bytes, below accumulators in register that stand outside of the loops over items: rows `items` of a multiple of 8, columns `tile 2 items` of a multiple of 4; both operands are in local memory", misfit),
		unroll.as("unroll", "", "writes the loop out. Around the points of a map that reads a tensor in several places all values are computed before one is stored, so that what points share is loaded once",
			fmt.Sprintf("with at most %d copies of a statement by all of its loops that are written out; of no effect where the number of iterations is not known", MostCopies), misfit),
		reverse.as("reverse", "", "runs from the last iteration to the first", "without `vector` and `group`; of no effect beside `parallel`", both),
		pad.as("pad", "", "makes the last tile as large as the others; what does not exist of it is neither combined nor stored",
			"with `tile`, neither skewed nor fused with another range", misfit),
		stream.as("stream", "", "writes the vectors past the caches", "with `vector`", misfit),
		whole.as("whole-lines", "n", fmt.Sprintf("cuts the rows that are written past the caches at lines of memory where they have at least n vectors, so that whole lines are stored; without it, %d", usualWholeLines), "with `stream`", misfit),
		hold.as("hold", "", "loads the vectors that several points of loops that are written out read, each once, and holds them in registers, where compilers would load them again for each point", "with `vector`", misfit),
		words.as("words", "", "makes vectors of bytes of floats and wide integers by way of 16 bits, where compilers would make them lane by lane", "with `vector`", misfit),
		singly.as("singly", "", "stores the lanes of a vector that is not whole one by one, if it is known how many there are, and not under a mask", "with `vector`", misfit),
		coincident.as("coincident", "", "claims that the loop carries no dependence", "not over a reduced index", both),
		pipeline.as("pipeline", "", "runs the parts of the sequence below for successive values at the same time: while the last part finishes one, the parts before it work on the next ones, in one loop. What they hand on in private places is kept for as many values as it takes",
			"serial and carrying no dependence, the last loop of a band, over points or blocks, by which no other loop is skewed, above a sequence of 2 to 8 filters, with nothing but places between; outside of accumulators, not over a reduced index", both),
		first.as("first-lines", "n", fmt.Sprintf("asks for the first n lines of the next piece of a row when a piece begins, where the parts go over several rows piece by piece; without it, %d", usualFirstLines), fmt.Sprintf("with `pipeline`; n is at most %d", mostFirstLines), misfit),
		determined.as("determined", "", "visits the one value of the index that an equality in the terms of a reduction determines, if it is in the range: at the others they are the identity of the operator, as those of a histogram are",
			"alone on a loop over points that is inside of the accumulators, which are not in register where the index is one of results, and inside of the loops over what determines the index", misfit),
		apart.as("apart", "", "gives each point of the loop partial results of its own, which are combined at the end: what one adds to an array does not wait for what the one before did",
			fmt.Sprintf("with `unroll`, over the points of the last tile of a reduced index, of 2 to %d points, below accumulators in private and without vectors", mostApart), misfit),
		keep.as("partial", "n", "gives each iteration of the loop partial results of its own, which are combined when the accumulators end: first, in their order, those of the loop with the greatest n, at the end those of `partial 1`. So what is reduced is combined in another order than it is computed",
			"of one statement, over blocks or points of an index that is reduced in any order and of known size, neither a vector nor in groups, below accumulators in private, in register if the loop is written out, or in shared, where it may be parallel; every n once", misfit),
		guarded.as("guarded", "", "runs only where those conditions hold that are known outside of the loop, and without which the terms of a reduction are the identity of the operator",
			"neither parallel nor a vector, of one statement, inside of accumulators in register or private, where there are such conditions", misfit),
		ahead.as("ahead", "n", "asks for lines of memory n bytes before the vectors get there", fmt.Sprintf("with `vector`; n is at most %d", MostAhead), misfit),
		prefetches.as("prefetch", "i[/n]", "fetches what the vectors read and write for the next value of i, too, or for the next block of n of it",
			"with `vector`, of one statement, neither skewed nor fused with another range; a loop around is over i, to its points, or over its blocks of n", misfit),
	}, append(append(groupMarks(), fetchMarks()...), matrixMarks()...)...)
}

// as gives a mark its texts.
func (k markOf[N]) as(word, argument, meaning, where string, codes []source.Code) markOf[N] {
	k.Word, k.Argument, k.Meaning, k.Where, k.Codes = word, argument, meaning, where, codes
	return k
}

// flag is a mark that a node has or has not.
func flag[N any](of func(*N) *bool) markOf[N] {
	return markOf[N]{
		arguments: func(m *N) []string {
			if !*of(m) {
				return nil
			}
			return []string{""}
		},
		read: func(m *N, _ string) bool {
			*of(m) = true
			return true
		},
	}
}

// number is a mark with a number, which is less than any argument where the mark is not there.
func number[N any, T int | int64](none T, of func(*N) *T) markOf[N] {
	return markOf[N]{
		Mark: Mark{form: fmt.Sprintf("n is a whole number from %d to %d", none+1, math.MaxInt32)},
		arguments: func(m *N) []string {
			if *of(m) == none {
				return nil
			}
			return []string{fmt.Sprint(*of(m))}
		},
		read: func(m *N, argument string) bool {
			n, err := strconv.ParseInt(argument, 10, 32)
			*of(m) = T(n)
			return err == nil && T(n) > none
		},
	}
}

var skews = markOf[Member]{
	Mark: Mark{form: "f is a whole number but 0, i an index and n a whole number from 1 on"},
	arguments: func(m *Member) []string {
		var list []string
		for _, s := range m.Skews {
			list = append(list, fmt.Sprintf("%d*%s/%d", s.Factor, s.Index, s.Tile))
		}
		return list
	},
	read: func(m *Member, argument string) bool {
		s, ok := parseSkew(argument)
		m.Skews = append(m.Skews, s)
		return ok
	},
}

var prefetches = markOf[Member]{
	Mark: Mark{form: "i is an index and n a whole number from 2 on"},
	arguments: func(m *Member) []string {
		if m.Prefetch == "" {
			return nil
		}
		return []string{PrefetchText(m.Prefetch, m.PrefetchTile)}
	},
	read: func(m *Member, argument string) (ok bool) {
		m.Prefetch, m.PrefetchTile, ok = ParsePrefetch(argument)
		return ok
	},
}

// marksText writes the marks of a node, such as "tile 6 parallel".
func marksText[N any](marks []markOf[N], n *N) string {
	var words []string
	for _, k := range marks {
		for _, argument := range k.arguments(n) {
			words = append(words, strings.TrimSpace(k.Word+" "+argument))
		}
	}
	return strings.Join(words, " ")
}

// parseMember reads loops and marks. If they are none, wrong is the first word that is not, with its
// argument, or empty where a loop is missing, and expected is what should stand there.
func parseMember(words []string) (m *Member, wrong, expected string) {
	m = &Member{Tile: 1}
	marks := memberMarks()
	for len(words) > 0 {
		rest, isMark, expected := parseMark(marks, m, words)
		switch {
		case expected != "":
			return nil, strings.Join(words[:len(words)-len(rest)], " "), expected
		case !isMark:
			l, ok := parseLoop(words[0])
			if !ok {
				return nil, words[0], bandForm()
			}
			m.Loops = append(m.Loops, l)
			rest = words[1:]
		}
		words = rest
	}
	if len(m.Loops) == 0 {
		return nil, "", bandForm()
	}
	return m, "", ""
}

// parseMark reads the mark with which words begin, if they do; expected is how it is written where it is not so.
func parseMark[N any](marks []markOf[N], n *N, words []string) (rest []string, isMark bool, expected string) {
	at := slices.IndexFunc(marks, func(k markOf[N]) bool { return k.Word == words[0] })
	if at < 0 {
		return words, false, ""
	}
	argument, rest := "", words[1:]
	if marks[at].Argument != "" && len(rest) > 0 {
		argument, rest = rest[0], rest[1:]
	}
	if !marks[at].read(n, argument) {
		return rest, false, marks[at].expected()
	}
	return rest, true, ""
}

// parseMarks reads marks, and nothing else; ok is false where there is something else, or a mark is written in another
// form.
func parseMarks[N any](marks []markOf[N], n *N, words []string) (ok bool) {
	for len(words) > 0 {
		rest, isMark, _ := parseMark(marks, n, words)
		if !isMark {
			return false
		}
		words = rest
	}
	return true
}

// bandForm is how a band is written.
func bandForm() string { return "band S0.i [S1.i …]" + marksForm(memberMarks()) + " | …" }

// marksForm is how marks are written behind a node.
func marksForm[N any](marks []markOf[N]) (text string) {
	for _, k := range marks {
		text += " [" + k.Signature() + "]"
	}
	return text
}
