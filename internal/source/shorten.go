package source

import (
	"strings"
	"unicode/utf8"
)

// Messages quote what was found. A file may be anything, such as a line of 100 MB of zeros, so
// parsers quote its lines by Excerpt; Shorten is for all that is shown.

// How many bytes of a text are quoted, and of a word shown.
const (
	mostQuoted = 80
	mostWord   = 1000
)

// Excerpt returns a text that is quoted in a message, or the beginning of a long one.
func Excerpt(text string) string {
	if len(text) <= mostQuoted {
		return text
	}
	at := mostQuoted
	for at > mostQuoted-utf8.UTFMax && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + "…"
}

// Shorten cuts the words of a message that are longer than any name a person writes, and makes
// all of it visible.
func Shorten(message string) string {
	message = Visible(message)
	if len(message) <= mostWord {
		return message
	}
	var b strings.Builder
	for message != "" {
		n := strings.IndexAny(message, " \n")
		switch {
		case n < 0:
			n = len(message)
		case n == 0:
			n = 1
		}
		if n > mostWord {
			b.WriteString(Excerpt(message[:n]))
		} else {
			b.WriteString(message[:n])
		}
		message = message[n:]
	}
	return b.String()
}
