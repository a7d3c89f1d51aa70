package tensor

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ricci-lang/ricci/internal/bounded"
)

// SaveNRRD writes a file, or for .nhdr a header and the file of its elements beside it.
func SaveNRRD(path string, m *Image, layout NRRDLayout) error {
	if strings.EqualFold(filepath.Ext(path), ".nhdr") {
		return within(path, "", saveDetached(path, m, layout))
	}
	return writeFile(path, func(w io.Writer) error { return WriteNRRD(w, m, layout) })
}

// saveDetached writes the elements first. A header that is there stays right until it is replaced: where
// the new one differs from it, and it names the file NAME.raw, the elements go to NAME-2.raw, and NAME.raw
// is removed afterwards. So whoever kills the process leaves one image or the other.
func saveDetached(path string, m *Image, layout NRRDLayout) error {
	t, err := nrrdElements(m.Tensor)
	if err != nil {
		return err
	}
	if t != m.Tensor {
		defer t.Close()
	}
	stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	first, second := stem+".raw", stem+"-2.raw"
	layout.DataFile = first
	header, err := nrrdPreamble(m, t, &layout)
	if err != nil {
		return err
	}
	old, named := detachedHeader(path)
	if named == first && old != header {
		layout.DataFile = second
		if header, err = nrrdPreamble(m, t, &layout); err != nil {
			return err
		}
	}
	in := func(name string) string { return filepath.Join(filepath.Dir(path), name) }
	if err := writeFile(in(layout.DataFile), func(w io.Writer) error { return layout.writeData(w, t) }); err != nil {
		return err
	}
	if err := writeFile(path, func(w io.Writer) error { _, err := io.WriteString(w, header); return err }); err != nil {
		return err
	}
	if named != layout.DataFile && (named == first || named == second) {
		return os.Remove(in(named))
	}
	return nil
}

// detachedHeader returns the text of a header and the file that it names, or nothing where none is there.
func detachedHeader(path string) (text, named string) {
	content, err := bounded.ReadFile(path, largestNRRDHeader)
	if err != nil {
		return "", ""
	}
	h, err := scanNRRD(newNRRDInput(bytes.NewReader(content)))
	if err != nil {
		return "", ""
	}
	return string(content), h.fields["data file"].text
}
