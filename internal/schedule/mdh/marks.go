package mdh

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// Marks are what the loop of a level does beyond the paper: words of schedule trees that
// change no order but that of the parts of the level.
type Marks struct {
	Reverse      bool   // from the last part to the first
	Stream       bool   // lanes: what they write goes past the caches
	WholeLines   int    // lanes: rows of so many vectors are cut at lines, where that is not 0
	Hold         bool   // lanes: what several points read stays in registers
	Words        bool   // lanes: bytes are made by way of 16 bits
	Singly       bool   // lanes: those of vectors that are not whole are stored one by one
	Ahead        int64  // lanes: so many bytes ahead memory is asked for
	Prefetch     string // lanes: the index whose next values are fetched, too
	PrefetchTile int64  // those in its next block of so many, where that is not 0
	Group        int    // so many points of a reduced dimension are one dot product
	Flip         bool   // of a group: one operand has its sign bits flipped
	Matrix       bool   // of a group: a matrix unit computes them
	Pipeline     bool   // the steps below work on successive parts at the same time
	FirstLines   int64  // of that: so many lines of the next piece of a row are asked for, where that is not 0
}

// A mark is a word of the text of a level.
type mark struct {
	name string
	// text is the value behind the name, "" for none; set is false where the mark is not there.
	get func(m *Marks) (text string, set bool)
	put func(m *Marks, text string) bool
}

func word(name string, of func(*Marks) *bool) mark {
	return mark{name, func(m *Marks) (string, bool) { return "", *of(m) }, func(m *Marks, text string) bool {
		*of(m) = true
		return text == ""
	}}
}

// number is a mark with a number that is more than 0.
func number[T int | int64](name string, of func(*Marks) *T) mark {
	return mark{name, func(m *Marks) (string, bool) { return fmt.Sprint(*of(m)), *of(m) != 0 }, func(m *Marks, text string) bool {
		n, err := strconv.ParseUint(text, 10, 31)
		*of(m) = T(n)
		return err == nil && n > 0
	}}
}

// marks are all marks in the order in which they are written.
func marks() []mark {
	return []mark{
		word("reverse", func(m *Marks) *bool { return &m.Reverse }),
		{"group", func(m *Marks) (string, bool) { return strconv.Itoa(m.Group), m.Group != 0 }, func(m *Marks, text string) (ok bool) {
			n, err := strconv.ParseUint(text, 10, 16)
			m.Group = int(n)
			return err == nil && n > 0
		}},
		word("flip", func(m *Marks) *bool { return &m.Flip }),
		word("matrix", func(m *Marks) *bool { return &m.Matrix }),
		word("stream", func(m *Marks) *bool { return &m.Stream }),
		number("whole-lines", func(m *Marks) *int { return &m.WholeLines }),
		word("hold", func(m *Marks) *bool { return &m.Hold }),
		word("words", func(m *Marks) *bool { return &m.Words }),
		word("singly", func(m *Marks) *bool { return &m.Singly }),
		word("pipeline", func(m *Marks) *bool { return &m.Pipeline }),
		number("first-lines", func(m *Marks) *int64 { return &m.FirstLines }),
		number("ahead", func(m *Marks) *int64 { return &m.Ahead }),
		{"prefetch", func(m *Marks) (string, bool) {
			return schedule.PrefetchText(m.Prefetch, m.PrefetchTile), m.Prefetch != ""
		}, func(m *Marks, text string) (ok bool) {
			m.Prefetch, m.PrefetchTile, ok = schedule.ParsePrefetch(text)
			return ok
		}},
	}
}

// marksText writes marks, such as "stream,ahead=2048"; "" for none.
func (r *Row) marksText() string {
	var words []string
	for _, k := range marks() {
		if text, set := k.get(&r.Marks); set {
			words = append(words, strings.TrimSuffix(k.name+"="+text, "="))
		}
	}
	return strings.Join(words, ",")
}

// readMarks reads what marksText writes.
func (r *Row) readMarks(text string) error {
	for _, word := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(word, "=")
		at := slices.IndexFunc(marks(), func(k mark) bool { return k.name == name })
		if at < 0 || !marks()[at].put(&r.Marks, value) {
			return fmt.Errorf("found the mark %q, expected some of reverse, group=N, flip, matrix, stream, whole-lines=N, hold, words, singly, pipeline, first-lines=N, ahead=N, prefetch=INDEX or prefetch=INDEX/N", word)
		}
	}
	return nil
}

// put marks a member of a tree.
func (m Marks) put(member *schedule.Member) {
	member.Reverse, member.Stream, member.Flip, member.Matrix, member.Pipeline = m.Reverse, m.Stream, m.Flip, m.Matrix, m.Pipeline
	member.Hold, member.Words, member.Singly = m.Hold, m.Words, m.Singly
	member.WholeLines, member.FirstLines = m.WholeLines, m.FirstLines
	member.Ahead, member.Prefetch, member.PrefetchTile, member.Group = m.Ahead, m.Prefetch, m.PrefetchTile, m.Group
}

// marksOf returns the marks of a member of a tree.
func marksOf(member *schedule.Member) Marks {
	return Marks{Reverse: member.Reverse, Stream: member.Stream, WholeLines: member.WholeLines, FirstLines: member.FirstLines, Hold: member.Hold, Words: member.Words, Singly: member.Singly, Flip: member.Flip, Matrix: member.Matrix, Pipeline: member.Pipeline, Ahead: member.Ahead, Prefetch: member.Prefetch, PrefetchTile: member.PrefetchTile, Group: member.Group}
}
