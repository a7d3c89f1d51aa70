package machine

import (
	_ "embed" // for the table
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// familiesText is a table of what was measured once on processors of a family, which others of it are assumed to
// have until they are measured.
//
//go:embed families.text
var familiesText string

// A kin is a row of the table: processors that are told apart by what they say of themselves.
type kin struct {
	vendor string
	family int
	models [][2]int // from and to
	width  int64    // of the vectors for which the facts were measured
	facts  Layer    // with their origins
}

// readFamilies reads the table:
//
//	processor VENDOR FAMILY MODELS WIDTH   # such as AuthenticAMD 25 0-15,33 32
//	  FACT VALUE                            # a fact about the lanes, as in the text of a machine
func readFamilies(text string) (list []kin, err error) {
	for line := range strings.Lines(text) {
		words := strings.Fields(withoutComment(line))
		switch {
		case len(words) == 0:
		case words[0] == "processor":
			k, err := readKin(words[1:])
			if err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
			list = append(list, k)
		default:
			at := slices.IndexFunc(layerKeys, func(k layerKey) bool { return k.name == words[0] && k.of&ofCores != 0 && k.measured })
			if at < 0 || len(list) == 0 {
				return nil, fmt.Errorf("%q: expected a processor, or a measured fact of one", line)
			}
			if err := layerKeys[at].set(&list[len(list)-1].facts, strings.Join(words[1:], " ")); err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
		}
	}
	return list, nil
}

func readKin(words []string) (k kin, err error) {
	if len(words) != 4 {
		return k, fmt.Errorf("expected a vendor, a family, models and the bytes of vectors")
	}
	k.vendor = words[0]
	if k.family, err = strconv.Atoi(words[1]); err != nil {
		return k, err
	}
	if k.width, err = strconv.ParseInt(words[3], 10, 64); err != nil {
		return k, err
	}
	for part := range strings.SplitSeq(words[2], ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		if err != nil {
			return k, err
		}
		to, err := strconv.Atoi(last)
		if err != nil {
			return k, err
		}
		k.models = append(k.models, [2]int{from, to})
	}
	return k, nil
}

// assumed returns what is assumed of a processor with vectors of a width.
func assumed(vendor string, family, model int, width int64) Ratios {
	list, err := readFamilies(familiesText)
	if err != nil {
		return Ratios{} // TestFamilies reads all of it
	}
	var r Ratios
	for _, k := range list {
		isOne := slices.ContainsFunc(k.models, func(m [2]int) bool { return m[0] <= model && model <= m[1] })
		if k.vendor == vendor && k.family == family && k.width == width && isOne {
			r = r.or(k.facts.Ratios)
		}
	}
	return r
}

// assume notes what the family of this processor is assumed to have.
func (l *Layer) assume() {
	l.Ratios = assumed(cpuid.CPU.VendorString, cpuid.CPU.Family, cpuid.CPU.Model, l.Width)
	for _, f := range l.Ratios.List() {
		l.note(f.Name, Assumed)
	}
}
