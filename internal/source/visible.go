package source

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Visible returns a text in which nothing commands a terminal: control characters but tabs and line
// ends, characters that turn the direction of writing or have no width, and bytes that are no
// UTF-8 are written as escapes, such as \x1b. A program may come from anybody.
func Visible(text string) string {
	if isVisible(text) {
		return text
	}
	var b strings.Builder
	for at := 0; at < len(text); {
		c, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case c == utf8.RuneError && size == 1, c < 0x80 && commands(c):
			fmt.Fprintf(&b, `\x%02x`, text[at])
		case commands(c):
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteString(text[at : at+size])
		}
		at += size
	}
	return b.String()
}

func isVisible(text string) bool {
	for at := 0; at < len(text); {
		c, size := utf8.DecodeRuneInString(text[at:])
		if c == utf8.RuneError && size == 1 || commands(c) {
			return false
		}
		at += size
	}
	return true
}

// commands reports whether a terminal acts on a character, or hides it.
func commands(c rune) bool {
	switch {
	case c == '\t', c == '\n':
		return false
	case c < 0x20, c >= 0x7f && c < 0xa0: // C0, DEL and C1
		return true
	case c >= 0x200b && c <= 0x200f, c >= 0x2028 && c <= 0x202e, c >= 0x2060 && c <= 0x206f, c == 0xfeff:
		return true // no width, line ends, directions
	}
	return false
}

// CheckText returns why the contents of a file are no text, or nil. A compiler that is given a
// picture by mistake would say so a hundred times.
func CheckText(f *File) *Diagnostic {
	text := f.Text
	var what string
	wrong := strings.IndexByte(text, 0)
	switch {
	case strings.HasPrefix(text, "\xff\xfe"), strings.HasPrefix(text, "\xfe\xff"):
		what = "this is UTF-16"
	case wrong >= 0:
		what = fmt.Sprintf("byte %d has the value 0", wrong)
	default:
		count := strange(text)
		if count*maxStrange <= len(text) {
			return nil
		}
		what = fmt.Sprintf("%d of %d bytes are control characters or no UTF-8", count, len(text))
	}
	var ds Diagnostics // without a span: there is nothing to show
	return ds.Errorf(CodeNotText, Span{}, "%s is not a text file: %s", f.Name, what).
		WithHelp("a program is a text in UTF-8; look whether this is the file that was meant, or save it as UTF-8")
}

// maxStrange is of how many bytes of a text at most one is none that texts have.
const maxStrange = 10

// strange counts the bytes that texts do not have.
func strange(text string) (count int) {
	for at := 0; at < len(text); {
		c, size := utf8.DecodeRuneInString(text[at:])
		if c == utf8.RuneError && size == 1 || c < 0x20 && !strings.ContainsRune("\t\n\r\f\v", c) || c == 0x7f {
			count++
		}
		at += size
	}
	return count
}
