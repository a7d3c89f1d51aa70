package strand

import (
	"math"
	"strconv"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// print adds a message to what the strand that runs has printed; the world prints at once.
func (w *World) print(r *runner, s *Message) flow {
	most := w.longest(r, s)
	if !r.takes(textCost*most, s.Pos, "%d bytes are printed", most) {
		return failed
	}
	data := w.message(s, func(v *Variable) []ein.Number { return r.elements(v)() })
	w.memory.made -= textCost * (most - int64(len(data))) // what was more than it has come to
	if r.self == nil {
		w.write(data)
		return onward
	}
	if n := len(r.self.printed); n > 0 && r.self.printed[n-1].step == r.self.step {
		r.self.printed[n-1].data = append(r.self.printed[n-1].data, data...)
		return onward
	}
	r.self.printed = append(r.self.printed, text{r.self.step, data})
	return onward
}

// longestNumber is how many characters a number, with what stands around it, has at most.
const longestNumber = 32

// longest is how many bytes a message has at most.
func (w *World) longest(r *runner, s *Message) (bytes int64) {
	for _, part := range s.Parts {
		if part.Variable == nil {
			bytes += int64(len(part.Text))
			continue
		}
		list, t := r.elements(part.Variable)(), part.Variable.Type
		bytes += 2
		if t.Elem != String {
			// brackets of tensors and of sequences of fixed length are no more than the numbers
			bytes += int64(len(list)) * longestNumber
			continue
		}
		for _, v := range list {
			bytes += int64(len(w.strings[v.Int])) + 4
		}
	}
	return bytes
}

// message is the text of a message.
func (w *World) message(s *Message, read func(*Variable) []ein.Number) (data []byte) {
	for _, part := range s.Parts {
		if part.Variable == nil {
			data = append(data, part.Text...)
			continue
		}
		data = w.format(data, part.Variable.Type, read(part.Variable))
	}
	return data
}

// format writes a value as the original does: sequences in braces, tensors in brackets.
func (w *World) format(out []byte, t Type, list []ein.Number) []byte {
	switch {
	case t.Dynamic, len(t.Fixed) > 0:
		inner := t.Element()
		return w.row(out, inner, list, inner.Width(), '{', '}')
	case len(t.Shape) > 0:
		inner := Type{Elem: t.Elem, Shape: t.Shape[1:]}
		return w.row(out, inner, list, inner.Width(), '[', ']')
	}
	switch v := list[0]; t.Elem {
	case Bool:
		return strconv.AppendBool(out, v.Int != 0)
	case Real:
		return append(out, formatReal(v.Float, w.program.Real)...)
	case String:
		return append(out, w.strings[v.Int]...)
	default:
		return strconv.AppendInt(out, v.Int, 10)
	}
}

func (w *World) row(out []byte, inner Type, list []ein.Number, width int, open, end byte) []byte {
	out = append(out, open)
	for k := 0; k < len(list); k += width {
		if k > 0 {
			out = append(out, ',')
		}
		out = w.format(out, inner, list[k:k+width])
	}
	return append(out, end)
}

// formatReal writes a number as C++ does by default, with as many digits as tell numbers of the
// type apart.
func formatReal(v float64, t tensor.DType) string {
	digits := 17
	if t == tensor.Float32 {
		digits = 9
	}
	switch {
	case math.IsNaN(v): // its sign is that of the machine, and said nowhere
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return formatGeneral(v, digits)
}

// formatGeneral is %.*g of C, which Go's g is not: there a number with few digits before the point
// is no reason for an exponent.
func formatGeneral(v float64, digits int) string {
	scientific := strconv.FormatFloat(v, 'e', digits-1, 64)
	mark := len(scientific) - 1
	for scientific[mark] != 'e' {
		mark--
	}
	exponent, _ := strconv.Atoi(scientific[mark+1:])
	if exponent < -4 || exponent >= digits {
		return trimZeros(scientific[:mark]) + scientific[mark:]
	}
	return trimZeros(strconv.FormatFloat(v, 'f', digits-1-exponent, 64))
}

// trimZeros leaves out zeros at the end behind a point, and the point.
func trimZeros(text string) string {
	hasPoint := false
	for _, c := range text {
		hasPoint = hasPoint || c == '.'
	}
	for hasPoint && text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	if hasPoint && text[len(text)-1] == '.' {
		text = text[:len(text)-1]
	}
	return text
}
