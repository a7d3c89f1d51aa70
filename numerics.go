package ricci

import (
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/source"
)

// DefaultNumerics is the mode of numerics that empty Options have.
const DefaultNumerics = "default"

// NumericsModes lists the values of Options.Numerics, from the strictest to the freest.
//
// "strict" gives the bits of the reference evaluator for + − × ÷ sqrt and comparisons, on every
// processor and with any number of threads; "default" adds sums in any order and lets a
// product and a sum round once; "fast" applies the laws of real numbers.
// docs/numerics.md is the contract.
func NumericsModes() []string { return numerics.Names() }

// numerics is the mode that the options name.
func (o Options) numerics() (numerics.Mode, error) {
	mode, err := numerics.Parse(o.Numerics)
	if err != nil {
		d := &Diagnostic{Code: source.NoSuchTarget, Message: err.Error()}
		return mode, ErrorList{d.WithHelp("strict gives the same bits everywhere, fast the laws of real numbers; leave it out for default")}
	}
	return mode, nil
}
