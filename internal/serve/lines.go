package serve

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// A line is one of the input, or why there is none.
type line struct {
	text []byte
	err  error
}

// read gives the lines of the input. One that is too long is left out, and said so.
func (s *session) read(in io.Reader, lines chan<- line) {
	defer close(lines)
	r := bufio.NewReaderSize(in, 1<<16)
	for {
		text, err := readLine(r)
		if len(bytes.TrimSpace(text)) > 0 || errors.Is(err, errTooLong) {
			l := line{text: text}
			if errors.Is(err, errTooLong) {
				l, err = line{err: err}, nil
			}
			select {
			case lines <- l:
			case <-s.ctx.Done():
				return
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.stop(err)
			}
			return
		}
	}
}

var errTooLong = fmt.Errorf("the request has more than %d bytes", lineLimit)

// readLine reads a line to its end; at most lineLimit of it are kept.
func readLine(r *bufio.Reader) (text []byte, err error) {
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(text)+len(part) > lineLimit; !tooLong {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case tooLong && (err == nil || errors.Is(err, io.EOF)):
			return nil, errTooLong
		}
		return text, err
	}
}
