package tc

import (
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// warnAlone warns of tensors that are float32 because nothing in them but literals is a float, in a def
// that computes with float64: what is written so in C or NumPy is a double there.
func (d *def) warnAlone() {
	var double *symbol
	for _, t := range d.order {
		if t.Type == tensor.Float64 {
			double = t
			break
		}
	}
	if double == nil {
		return
	}
	for _, t := range d.order {
		if !t.alone || t.broken || t.first == nil {
			continue
		}
		d.diags.Warnf(source.CodeSingleAlone, t.Pos, "%s is float32, since no float but literals decides its type", t.Name).
			WithNote(double.Pos, "%s is float64", double.Name).
			WithHelp("give it a type: float64 %s, or float32 where that is meant", oneLine(t.Pos.Text()))
	}
}
