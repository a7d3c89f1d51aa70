package tensor

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// nrrdPreamble returns everything before the data, fields in Teem's order.
func nrrdPreamble(m *Image, t *Tensor, l *NRRDLayout) (string, error) {
	if err := l.check(); err != nil {
		return "", err
	}
	rank := max(1, len(t.shape))
	if len(m.Axes) != 0 && len(m.Axes) != len(t.shape) {
		return "", fmt.Errorf("an image with %d axes whose tensor has %d", len(m.Axes), len(t.shape))
	}
	sizes := []string{"1"}
	if len(t.shape) > 0 {
		sizes = sizes[:0]
		for _, n := range slices.Backward(t.shape) {
			sizes = append(sizes, strconv.Itoa(n))
		}
	}
	var b strings.Builder
	put := func(name, text string) {
		if text != "" {
			b.WriteString(name + ": " + text + "\n")
		}
	}
	space, err := m.nrrdSpace(rank)
	if err != nil {
		return "", err
	}
	kinds := m.words(func(a Axis) string { return a.Kind }, "???", false)
	thicknesses := m.numbers(func(a Axis) float64 { return given(a.Thickness, 0) })
	version := 1 // the least that has all fields, as Teem writes
	for _, has := range []struct {
		version int
		field   bool
	}{
		{2, len(m.Values) > 0}, {3, kinds != ""}, {4, space.dimension != 0 || m.SampleUnit != "" || thicknesses != ""}, {5, m.Frame != nil},
	} {
		if has.field {
			version = has.version
		}
	}
	fmt.Fprintf(&b, "%s%d\n# %s\n# %s\n", nrrdMagic, version, nrrdComment, nrrdPlace)
	put("content", oneLine(m.Content))
	put("type", nrrdTypes[t.dtype][0])
	put("dimension", strconv.Itoa(rank))
	if m.Space != "" {
		put("space", m.Space)
	} else if space.dimension > 0 {
		put("space dimension", strconv.Itoa(space.dimension))
	}
	put("sizes", strings.Join(sizes, " "))
	put("spacings", m.numbers(func(a Axis) float64 { return given(a.Spacing, 0) }))
	put("thicknesses", thicknesses)
	put("axis mins", m.numbers(func(a Axis) float64 { return given(a.Min, a.Max) }))
	put("axis maxs", m.numbers(func(a Axis) float64 { return given(a.Max, a.Min) }))
	put("space directions", space.directions)
	put("centerings", m.words(func(a Axis) string { return a.Centering }, "???", false))
	put("kinds", kinds)
	put("labels", m.words(func(a Axis) string { return a.Label }, "", true))
	put("units", m.words(func(a Axis) string { return a.Unit }, "", true))
	encoding := l.Encoding
	if encoding == "" {
		encoding = "raw"
	}
	if t.dtype.Size() > 1 && encoding != "ascii" {
		put("endian", map[bool]string{false: "little", true: "big"}[l.BigEndian])
	}
	put("encoding", encoding)
	if m.SampleUnit != "" {
		put("sample units", quoteNRRD(m.SampleUnit))
	}
	put("space units", space.units)
	put("space origin", space.origin)
	put("measurement frame", space.frame)
	put("data file", l.DataFile)
	for _, c := range m.Comments {
		if c != nrrdComment && c != nrrdPlace {
			b.WriteString("# " + oneLine(c) + "\n")
		}
	}
	for _, v := range m.Values {
		b.WriteString(escapeNRRD.Replace(v.Key) + ":=" + escapeNRRD.Replace(v.Value) + "\n")
	}
	if l.DataFile == "" {
		b.WriteString("\n")
	}
	return b.String(), nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func quoteNRRD(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\r", " ").Replace(s) + `"`
}

// numbers lists a number of each axis, or nothing where no axis has one.
func (m *Image) numbers(of func(Axis) float64) string {
	known := false
	var list []string
	for _, a := range m.Axes {
		known = known || !math.IsNaN(of(a))
		list = append(list, formatNRRD(of(a)))
	}
	if !known {
		return ""
	}
	return strings.Join(list, " ")
}

// given returns a number, or NaN for one that is 0 as the other is: nobody has set it.
func given(v, other float64) float64 {
	if v == 0 && other == 0 {
		return math.NaN()
	}
	return v
}

func formatNRRD(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// words lists a text of each axis, or nothing where no axis has one.
func (m *Image) words(of func(Axis) string, none string, quote bool) string {
	known := false
	var list []string
	for _, a := range m.Axes {
		word := of(a)
		known = known || word != ""
		if word == "" {
			word = none
		}
		if quote {
			word = quoteNRRD(word)
		}
		list = append(list, word)
	}
	if !known {
		return ""
	}
	return strings.Join(list, " ")
}

type nrrdSpace struct {
	dimension                        int
	directions, origin, frame, units string
}

// nrrdSpace returns the fields about the place of the samples; there are none where it is derived.
func (m *Image) nrrdSpace(rank int) (s nrrdSpace, err error) {
	s.dimension = nrrdSpaces[strings.ToLower(m.Space)]
	if s.dimension == 0 {
		s.dimension = max(len(m.SpaceUnits), len(m.Frame))
	}
	for n, unit := range m.SpaceUnits {
		m := map[bool]string{true: " "}[n > 0]
		s.units += m + quoteNRRD(unit)
	}
	var frame []string
	for _, v := range m.Frame {
		frame = append(frame, vectorNRRD(v))
	}
	s.frame = strings.Join(frame, " ")
	if m.Derived || len(m.Directions) == 0 {
		return s, nil
	}
	s.dimension = len(m.Directions[0])
	spatial := make([]bool, rank)
	for n := range spatial { // without axes, the slowest ones are spatial
		spatial[n] = n >= rank-len(m.Directions)
		if m.Axes != nil {
			spatial[n] = m.Axes[n].Spatial
		}
	}
	var list []string
	next := 0
	for _, is := range spatial {
		if !is {
			list = append(list, "none")
			continue
		}
		if next == len(m.Directions) || len(m.Directions[next]) != s.dimension {
			return s, fmt.Errorf("an image with %d directions for more spatial axes, or of different lengths", len(m.Directions))
		}
		list = append(list, vectorNRRD(m.Directions[next]))
		next++
	}
	if next != len(m.Directions) || m.Origin != nil && len(m.Origin) != s.dimension {
		return s, fmt.Errorf("an image with %d directions for %d spatial axes, or an origin of another dimension", len(m.Directions), next)
	}
	s.directions = strings.Join(list, " ")
	if m.Origin != nil {
		s.origin = vectorNRRD(m.Origin)
	}
	return s, nil
}

func vectorNRRD(v []float64) string {
	list := make([]string, len(v))
	for k := range v {
		list[k] = formatNRRD(v[k])
	}
	return "(" + strings.Join(list, ",") + ")"
}
