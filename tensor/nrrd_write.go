package tensor

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// An NRRDLayout says how elements are written to an NRRD file.
type NRRDLayout struct {
	Encoding  string // raw (or empty), ascii, hex or gzip
	BigEndian bool
	DataFile  string // in the header: the file that the elements are in, which are not written
}

// nrrdComment is what files of Teem begin with.
const nrrdComment = "Complete NRRD file format specification at:"
const nrrdPlace = "http://teem.sourceforge.net/nrrd/format.html"

// WriteNRRD writes an image as Teem does. The format has no bool, which becomes unsigned char, and no 16-bit floats,
// which become float; a tensor without dimensions gets one.
func WriteNRRD(w io.Writer, m *Image, layout NRRDLayout) error {
	t, err := nrrdElements(m.Tensor)
	if err != nil {
		return err
	}
	if t != m.Tensor {
		defer t.Close()
	}
	header, err := nrrdPreamble(m, t, &layout)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, header); err != nil || layout.DataFile != "" {
		return err
	}
	return layout.writeData(w, t)
}

// saveNRRD writes a file, or for .nhdr the elements to another one first.
func saveNRRD(path string, m *Image, layout NRRDLayout) error {
	if strings.EqualFold(filepath.Ext(path), ".nhdr") {
		t, err := nrrdElements(m.Tensor)
		if err != nil {
			return err
		}
		if t != m.Tensor {
			defer t.Close()
		}
		data := strings.TrimSuffix(path, filepath.Ext(path)) + ".raw"
		if err := layout.check(); err != nil {
			return within(path, "", err)
		}
		if err := writeFile(data, func(w io.Writer) error { return layout.writeData(w, t) }); err != nil {
			return err
		}
		layout.DataFile = filepath.Base(data)
	}
	return writeFile(path, func(w io.Writer) error { return WriteNRRD(w, m, layout) })
}

func saveTensorNRRD(path string, t *Tensor) error {
	return saveNRRD(path, &Image{Tensor: t}, NRRDLayout{})
}

// nrrdElements returns t, or a copy in a type that the format has.
func nrrdElements(t *Tensor) (*Tensor, error) {
	switch {
	case t.dtype == Invalid:
		return nil, fmt.Errorf("the tensor is closed")
	case len(t.shape) > mostNRRDAxes:
		return nil, nrrdError(-1, "write an .npy file", "a file has at most %d axes, the tensor %d", mostNRRDAxes, len(t.shape))
	case t.dtype == Bool:
		return t.convertOn(nil, Uint8)
	case t.dtype.IsHalf():
		return t.convertOn(nil, Float32)
	}
	return t, nil
}

func (l NRRDLayout) check() error {
	if !slices.Contains([]string{"", "raw", "ascii", "hex", "gzip"}, l.Encoding) {
		return nrrdError(-1, "the encodings that are written are raw, ascii, hex and gzip", "the encoding %q is not written", l.Encoding)
	}
	return nil
}

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

func (l NRRDLayout) writeData(w io.Writer, t *Tensor) error {
	switch l.Encoding {
	case "ascii":
		return writeNumbers(w, t)
	case "hex":
		return writeOrdered(hex.NewEncoder(w), t, l.BigEndian)
	case "gzip":
		z := gzip.NewWriter(w)
		if err := writeOrdered(z, t, l.BigEndian); err != nil {
			return err
		}
		return z.Close()
	}
	return writeOrdered(w, t, l.BigEndian)
}

// swapper reverses the bytes of elements, which arrive whole.
type swapper struct {
	w    io.Writer
	size int
}

// Write writes elements.
func (s swapper) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		part := slices.Clone(rest[:min(len(rest), chunkSize)])
		swapBytes(part, s.size)
		if _, err := s.w.Write(part); err != nil {
			return 0, err
		}
		rest = rest[len(part):]
	}
	return len(p), nil
}

func writeOrdered(w io.Writer, t *Tensor, bigEndian bool) error {
	if bigEndian {
		w = swapper{w, t.dtype.Size()}
	}
	return writeElements(w, t)
}

// writeNumbers writes the elements as text, those of the fastest axis in a line, in as few digits as tell them apart.
func writeNumbers(w io.Writer, onAny *Tensor) error {
	t, err := onAny.onHost()
	if err != nil {
		return err
	}
	defer onAny.giveUp(t)
	defer t.keepAlive()
	row := 1
	if len(t.shape) > 0 {
		row = t.shape[len(t.shape)-1]
	}
	out := bufio.NewWriter(w)
	var word []byte
	at := 0
	for offset := range t.Offsets() {
		word = word[:0]
		switch t.dtype.Kind() {
		case KindFloat:
			word = strconv.AppendFloat(word, t.FloatAt(offset), 'g', -1, 8*t.dtype.Size())
		case KindUint:
			word = strconv.AppendUint(word, t.UintAt(offset), 10)
		default:
			word = strconv.AppendInt(word, t.IntAt(offset), 10)
		}
		if at++; at%row == 0 {
			word = append(word, '\n')
		} else {
			word = append(word, ' ')
		}
		if _, err := out.Write(word); err != nil {
			return err
		}
	}
	return out.Flush()
}
