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
	if len(m.Axes) != 0 && len(m.Axes) != len(t.shape) {
		return "", fmt.Errorf("an image with %d axes whose tensor has %d", len(m.Axes), len(t.shape))
	}
	space, err := m.nrrdSpace(max(1, len(t.shape)))
	if err != nil {
		return "", err
	}
	var w nrrdWriter
	w.axes(m, t, space)
	w.data(m, t, l, space)
	for _, c := range m.Comments {
		if c != nrrdComment && c != nrrdPlace {
			w.WriteString("# " + oneLine(c) + "\n")
		}
	}
	for _, v := range m.Values {
		w.WriteString(escapeNRRD.Replace(v.Key) + ":=" + escapeNRRD.Replace(v.Value) + "\n")
	}
	if l.DataFile == "" {
		w.WriteString("\n")
	}
	return w.String(), nil
}

// An nrrdWriter collects the lines of a header.
type nrrdWriter struct{ strings.Builder }

// put writes a field that has a value.
func (w *nrrdWriter) put(name, text string) {
	if text != "" {
		w.WriteString(name + ": " + text + "\n")
	}
}

// axes writes the first line, with the least version that has all fields, as Teem does, and what is said of the axes.
func (w *nrrdWriter) axes(m *Image, t *Tensor, space nrrdSpace) {
	kinds := m.words(func(a Axis) string { return a.Kind }, "???", false)
	thicknesses := m.numbers(func(a Axis) float64 { return given(a.Thickness, 0) })
	version := 1
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
	sizes := []string{"1"}
	if len(t.shape) > 0 {
		sizes = sizes[:0]
		for _, n := range slices.Backward(t.shape) {
			sizes = append(sizes, strconv.Itoa(n))
		}
	}
	fmt.Fprintf(w, "%s%d\n# %s\n# %s\n", nrrdMagic, version, nrrdComment, nrrdPlace)
	w.put("content", oneLine(m.Content))
	w.put("type", nrrdTypes[t.dtype][0])
	w.put("dimension", strconv.Itoa(len(sizes)))
	if m.Space != "" {
		w.put("space", m.Space)
	} else if space.dimension > 0 {
		w.put("space dimension", strconv.Itoa(space.dimension))
	}
	w.put("sizes", strings.Join(sizes, " "))
	w.put("spacings", m.numbers(func(a Axis) float64 { return given(a.Spacing, 0) }))
	w.put("thicknesses", thicknesses)
	w.put("axis mins", m.numbers(func(a Axis) float64 { return given(a.Min, a.Max) }))
	w.put("axis maxs", m.numbers(func(a Axis) float64 { return given(a.Max, a.Min) }))
	w.put("space directions", space.directions)
	w.put("centerings", m.words(func(a Axis) string { return a.Centering }, "???", false))
	w.put("kinds", kinds)
	w.put("labels", m.words(func(a Axis) string { return a.Label }, "", true))
	w.put("units", m.words(func(a Axis) string { return a.Unit }, "", true))
}

// data writes how samples lie in the file, and where the image is.
func (w *nrrdWriter) data(m *Image, t *Tensor, l *NRRDLayout, space nrrdSpace) {
	encoding := l.Encoding
	if encoding == "" {
		encoding = "raw"
	}
	if t.dtype.Size() > 1 && encoding != "ascii" {
		w.put("endian", map[bool]string{false: "little", true: "big"}[l.BigEndian])
	}
	w.put("encoding", encoding)
	if m.SampleUnit != "" {
		w.put("sample units", quoteNRRD(m.SampleUnit))
	}
	w.put("space units", space.units)
	w.put("space origin", space.origin)
	w.put("measurement frame", space.frame)
	w.put("data file", l.DataFile)
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
