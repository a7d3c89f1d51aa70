package machine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/tensor"
)

// A layerKey is a word of the text form: a fact about layers. An error of set says what it expects.
type layerKey struct {
	name       string
	of         uint8 // memories, cores or both
	value      string
	meaning    string
	measured   bool // by ricci doctor --measure
	repeatable bool // a line for each
	get        func(*Layer) string
	set        func(*Layer, string) error
}

const (
	ofMemories uint8 = 1 << iota
	ofCores
)

// layerKeys are all facts about layers, in the order in which they are printed.
var layerKeys = slices.Concat(layerFacts, ratioKeys(), quantityKeys())

// layerFacts is the table of all facts about layers but their ratios and quantities.
var layerFacts = []layerKey{
	{name: "alias", of: ofMemories | ofCores, value: "NAME …", meaning: "other names that the literature has for the layer",
		get: func(l *Layer) string { return strings.Join(l.Aliases, " ") }, set: func(l *Layer, text string) error { l.Aliases = strings.Fields(text); return nil }},
	{name: "region", of: ofMemories, value: "NAME", meaning: "its name as the place of a buffer; that of the layer where it is left out",
		get: func(l *Layer) string {
			if l.Region == l.Name {
				return ""
			}
			return l.Region
		}, set: func(l *Layer, text string) error { return setWord(&l.Region, text) }},
	{name: "copied", of: ofMemories, value: "yes", meaning: "data gets there by copies that the program makes; other memories are caches",
		get: func(l *Layer) string { return yes(l.Copied) }, set: func(l *Layer, text string) error { return setYes(&l.Copied, text) }},
	{name: "private-to", of: ofMemories, value: "LAYER", meaning: "the cores each of which has such a memory; without, it is shared by all",
		get: func(l *Layer) string { return l.PrivateTo }, set: func(l *Layer, text string) error { return setWord(&l.PrivateTo, text) }},
	{name: "capacity", of: ofMemories, value: "BYTES", meaning: "what one memory holds, such as 48 KiB",
		get: func(l *Layer) string { return bytesWords(l.Bytes) }, set: func(l *Layer, text string) error { return setBytes(&l.Bytes, text) }},
	{name: "reach", of: ofMemories, value: "BYTES", measured: true, meaning: "how much of it is as fast as the speeds say, where others share it",
		get: func(l *Layer) string { return bytesWords(l.Reach) }, set: func(l *Layer, text string) error { return setBytes(&l.Reach, text) }},
	bandwidthKey("read", "reads", func(l *Layer) *Speed { return &l.Read }),
	bandwidthKey("write", "writes", func(l *Layer) *Speed { return &l.Write }),
	bandwidthKey("copy", "copies, what is read and what is written together", func(l *Layer) *Speed { return &l.Copy }),
	bandwidthKey("stream", "writes past the caches", func(l *Layer) *Speed { return &l.Stream }),
	bandwidthKey("stream-copy", "copies that write past the caches", func(l *Layer) *Speed { return &l.StreamCopy }),
	{name: "count", of: ofCores, value: "NUMBER", meaning: "how many of them one unit of the layer around has: threads that run at the same time",
		get: func(l *Layer) string { return number(l.Units) }, set: func(l *Layer, text string) error { return setNumber(&l.Units, text) }},
	{name: "measured-with", of: ofCores, value: "NUMBER", measured: true, meaning: "how many of them the second number of speeds is of; all where it is left out",
		get: func(l *Layer) string { return number(int64(l.MeasuredWith)) }, set: func(l *Layer, text string) error {
			var n int64
			err := setNumber(&n, text)
			l.MeasuredWith = int(n)
			return err
		}},
	{name: "width", of: ofCores, value: "BYTES", meaning: "of a vector register: its lanes are as many as elements fit",
		get: func(l *Layer) string { return bytesWords(l.Width) }, set: func(l *Layer, text string) error { return setBytes(&l.Width, text) }},
	{name: "registers", of: ofCores, value: "NUMBER", meaning: "how many vector registers a core has",
		get: func(l *Layer) string { return number(l.Registers) }, set: func(l *Layer, text string) error { return setNumber(&l.Registers, text) }},
	{name: "instructions", of: ofCores, value: "NAME …", meaning: "what the lanes can do, by the names of features",
		get: func(l *Layer) string { return strings.Join(l.Instructions, " ") }, set: setInstructions},
	{name: "rate", of: ofCores, value: "TYPE UNIT SPEED", measured: true, repeatable: true, meaning: "operations of an arithmetic unit on elements of a type, one core and all: float32 vector 83 166 GOP/s",
		get: ratesText, set: setRate},
}

// instructions are the features that something asks for; a misspelt one would be missed in silence.
func knownInstructions() []string {
	var names []string
	for _, v := range vectorUnits {
		names = append(names, v.name)
	}
	for _, f := range furtherInstructions {
		names = append(names, f.name)
	}
	for _, u := range matrixUnits {
		names = append(names, u.feature)
	}
	for _, u := range fragmentUnits {
		names = append(names, u.feature)
	}
	return append(names, cardArchitectures...)
}

func setInstructions(l *Layer, text string) error {
	l.Instructions = strings.Fields(text)
	for _, name := range l.Instructions {
		if !slices.Contains(knownInstructions(), name) {
			return fmt.Errorf("no instructions are named %s; known are %s", name, strings.Join(knownInstructions(), ", "))
		}
	}
	return nil
}

func bandwidthKey(name, of string, at func(*Layer) *Speed) layerKey {
	return layerKey{name: name, of: ofMemories, value: "SPEED", measured: true, meaning: "bytes per second of one core and of all: " + of,
		get: func(l *Layer) string { return speedWords(*at(l), "B/s") },
		set: func(l *Layer, text string) error { return setSpeed(at(l), text, "B/s") }}
}

// Values and their texts; each get is the inverse of its set.

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func setYes(to *bool, text string) error {
	if text != "yes" && text != "no" {
		return fmt.Errorf("expected yes or no")
	}
	*to = text == "yes"
	return nil
}

func setWord(to *string, text string) error {
	if text == "" || strings.ContainsAny(text, " \t") {
		return fmt.Errorf("expected one name")
	}
	*to = text
	return nil
}

func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func setNumber(to *int64, text string) error {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return fmt.Errorf("expected a whole number of at least 1")
	}
	*to = n
	return nil
}

// byteUnits are the units of capacities, the largest first.
var byteUnits = []struct {
	name string
	size int64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

func bytesWords(n int64) string {
	for _, u := range byteUnits {
		if n > 0 && n%u.size == 0 {
			return fmt.Sprintf("%d %s", n/u.size, u.name)
		}
	}
	return ""
}

func setBytes(to *int64, text string) error {
	const form = "expected a number of bytes with its unit, such as 48 KiB: B, KiB, MiB, GiB or TiB"
	digits := strings.TrimRight(text, "BKMGTi")
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	unit := strings.TrimSpace(text[len(digits):])
	for _, u := range byteUnits {
		if err == nil && u.name == unit && n >= 1 && n <= math.MaxInt64>>1/u.size {
			*to = n * u.size
			return nil
		}
	}
	return errors.New(form)
}

// prefixes of speeds, the largest first.
var prefixes = []struct {
	name string
	size float64
}{{"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}, {"", 1}}

func speedWords(s Speed, unit string) string {
	if s == (Speed{}) {
		return ""
	}
	for _, p := range prefixes {
		one, all := strconv.FormatFloat(s.One/p.size, 'g', -1, 64), strconv.FormatFloat(s.All/p.size, 'g', -1, 64)
		again := Speed{}
		if s.One >= p.size && setSpeed(&again, one+" "+all+" "+p.name+unit, unit) == nil && again == s {
			return one + " " + all + " " + p.name + unit
		}
	}
	return fmt.Sprintf("%s %s %s", strconv.FormatFloat(s.One, 'g', -1, 64), strconv.FormatFloat(s.All, 'g', -1, 64), unit)
}

func setSpeed(to *Speed, text, unit string) error {
	words := strings.Fields(text)
	if len(words) == 3 {
		one, err1 := strconv.ParseFloat(words[0], 64)
		all, err2 := strconv.ParseFloat(words[1], 64)
		for _, p := range prefixes {
			if words[2] == p.name+unit && err1 == nil && err2 == nil && one > 0 && all > 0 && one*p.size < math.MaxFloat64 && all*p.size < math.MaxFloat64 {
				to.One, to.All = one*p.size, all*p.size
				return nil
			}
		}
	}
	return fmt.Errorf("expected the speeds of one core and of all with their unit, such as 11.5 23 G%s", unit)
}

// rateUnit counts a multiplication with an addition as two operations.
const rateUnit = "OP/s"

// ratesText has a line for each rate.
func ratesText(l *Layer) string {
	var lines []string
	for _, r := range l.Rates {
		lines = append(lines, fmt.Sprintf("%s %s %s", r.Type, r.Unit, speedWords(r.Speed, rateUnit)))
	}
	return strings.Join(lines, "\n")
}

func setRate(l *Layer, text string) error {
	words := strings.Fields(text)
	if len(words) != 5 {
		return fmt.Errorf("expected a type, a unit and two speeds, such as float32 vector 83 166 G%s", rateUnit)
	}
	var r Rate
	var err error
	if r.Type, err = tensor.ParseDType(words[0]); err != nil {
		return err
	}
	if r.Unit = words[1]; !slices.Contains([]string{VectorUnit, DotUnit, PlainUnit, MatrixUnit}, r.Unit) {
		return fmt.Errorf("there is no unit %s; the units are vector, dot, plain and matrix", r.Unit)
	}
	if err := setSpeed(&r.Speed, strings.Join(words[2:], " "), rateUnit); err != nil {
		return err
	}
	l.Rates = append(l.Rates, r)
	return nil
}

// A Fact is a row of the table of facts about layers, for documents.
type Fact struct{ Form, Of, Meaning string }

// Facts lists what a machine's text may say of a layer, beside QuantityFacts.
func Facts() []Fact {
	var list []Fact
	for _, k := range slices.Concat(layerFacts, ratioKeys()) {
		of := map[uint8]string{ofMemories: "memories", ofCores: "cores", ofMemories | ofCores: "both"}[k.of]
		list = append(list, Fact{Form: k.name + " " + k.value, Of: of, Meaning: k.meaning})
	}
	return list
}
