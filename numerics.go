package ricci

import "github.com/ricci-lang/ricci/internal/numerics"

// DefaultNumerics is the mode of numerics that empty Options have.
const DefaultNumerics = "default"

// NumericsModes lists the values of Options.Numerics, from the strictest to the freest.
//
// "strict" gives the bits of the reference evaluator for + − × ÷ sqrt and comparisons, on every
// processor and with any number of threads; "default" adds sums in any order and lets a
// product and a sum round once; "fast" applies the laws of real numbers.
// docs/numerics.md is the contract.
func NumericsModes() []string { return numerics.Names() }
