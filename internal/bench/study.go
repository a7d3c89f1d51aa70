package bench

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// A study has the rows of one computation in a figure of a paper, under whose name they stand:
// "mdh/fig24/dot/2^24".
type study struct {
	figure    string
	name      string
	file, def string // of the examples, or one of own
	// sizes are what the paper measures, each as LABEL: SIZE=N …
	sizes []string
	// peers are the texts for libraries, at some sizes; may be nil.
	peers func(sizes map[string]int64) map[string]string
	// hand names the C in the directory hand; its sizes are what macros says, or else those of the row.
	hand     string
	macros   func(sizes map[string]int64) string
	constant []string // inputs that keep their contents from call to call
	quick    string   // the label of the row that the quick suite has
	notes    []string
}

// own are programs that the examples have not.
//
//go:embed suite.mdh suite.tc
var own embed.FS

// handTexts is C that someone writes who knows how the computation gets fast.
//
//go:embed hand/*.c
var handTexts embed.FS

// studyRows lists the rows of studies.
func studyRows(paper string, list []study) []Row {
	var rows []Row
	for _, s := range list {
		macros := s.macros
		if macros == nil {
			macros = enumAll
		}
		for _, text := range s.sizes {
			label, sizes := parseSizes(text)
			group := paper + "/" + s.figure
			row := Row{Name: group + "/" + s.name + "/" + label, Group: group, File: s.file, Text: programText(s.file), Def: s.def, Sizes: sizes, Constant: s.constant, Notes: s.notes, Quick: s.quick == label}
			if s.peers != nil {
				row.Peers = s.peers(sizes)
			}
			if s.hand != "" {
				row.Hand = handText(s.hand, macros(sizes))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// parseSizes reads LABEL: SIZE=N …
func parseSizes(text string) (label string, sizes map[string]int64) {
	label, rest, _ := strings.Cut(text, ": ")
	sizes = map[string]int64{}
	for _, field := range strings.Fields(rest) {
		name, value, _ := strings.Cut(field, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			panic(source.Internalf("bench", source.Span{}, "the sizes %q: %w", text, err)) // they are part of the binary
		}
		sizes[name] = n
	}
	return label, sizes
}

func programText(file string) string {
	if text, err := own.ReadFile(file); err == nil {
		return string(text)
	}
	return exampleText(file)
}

// handText is C by hand; the macros say its sizes.
func handText(name, macros string) string {
	text, err := handTexts.ReadFile("hand/" + name + ".c")
	if err != nil {
		panic(source.Internalf("bench", source.Span{}, "%w", err)) // it is part of the binary
	}
	return typeText(false) + macros + string(text)
}

// enumAll writes all sizes as constants of C.
func enumAll(sizes map[string]int64) string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		text += enum(name, sizes[name])
	}
	return text
}

// enumAs writes sizes under other names, given as pairs: name, size.
func enumAs(sizes map[string]int64, pairs ...string) string {
	text := ""
	for i := 0; i+1 < len(pairs); i += 2 {
		text += fmt.Sprintf("enum { %s = %d };\n", pairs[i], sizes[pairs[i+1]])
	}
	return text
}
