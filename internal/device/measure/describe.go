package measure

import (
	"cmp"
	"slices"

	"github.com/ricci-lang/ricci/internal/machine"
)

// A Peak is the rate of a unit with words that say what was measured.
type Peak struct {
	Type         string `json:"type"`
	Unit         string `json:"unit"`
	Operation    string `json:"operation"`              // what counts as operations
	Instructions string `json:"instructions,omitempty"` // the extension that has them, beyond ordinary vectors
	machine.Speed
}

// operationTexts says what each unit does, of which a type may have several.
var operationTexts = map[string]string{
	machine.VectorUnit: "multiply and add, in vectors",
	machine.PlainUnit:  "add and combine bits, in vectors",
	machine.DotUnit:    "multiply and add into 32 bits, in vectors",
	machine.MatrixUnit: "multiply and add into 32 bits, in matrix tiles",
}

// Describe lists the rates of this machine by type, floats and wide ones first, and the slower
// units of a type before the faster ones.
func Describe(p *machine.Peaks) []Peak {
	here := present()
	rates := slices.Clone(p.Rates)
	slices.SortStableFunc(rates, func(a, b machine.Rate) int {
		return cmp.Or(-cmp.Compare(a.Type, b.Type), cmp.Compare(a.One, b.One))
	})
	list := make([]Peak, len(rates))
	for i, r := range rates {
		list[i] = Peak{Type: r.Type.String(), Unit: r.Unit, Operation: operationTexts[r.Unit], Speed: r.Speed}
		for _, u := range here {
			if u.name == r.Unit && u.dtype == r.Type && len(u.features) > 0 {
				list[i].Instructions = u.features[len(u.features)-1].String()
			}
		}
	}
	return list
}
