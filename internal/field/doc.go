// Package field is the calculus of continuous tensor fields: EIN, the index notation of Diderot's compiler.
//
// # How it works
//
// An Operator is λ parameters ⟨ body ⟩_σ: a tensor or a field whose component at the indices of σ is a Term, a scalar. Terms
// have sums over indices, δ and ε, probes e @ x, derivatives ∂[β] ⋄ e, and the leaves of which fields are made: an image
// convolved with a kernel, V[α] ⊛ H^{β}. Values are real numbers here, so the laws of real numbers hold; what leaves the
// package is floating-point arithmetic, to which they do not apply any more.
//
// A Store makes terms and keeps one of each (term.go). Variables of sums are numbered by the sums below them (index.go), so
// terms that differ in names are one pointer, factors and summands stand in one order, and no renaming can catch a variable.
// Verify (verify.go) says of which Sort a term is, a number or a field of so many dimensions and derivatives, or what is
// wrong with it. Operator.String (print.go) and Store.ParseOperator (parse.go) write and read operators.
//
// Store.Generic (operators_table.go) makes the operators of the language for types of operands; Store.Apply (fuse.go)
// replaces parameters by operators. Kernels (kernel.go) are exact rational pieces.
//
// Evaluate (evaluate.go) is the judge: it computes the Taylor polynomial of a field at a point (jets.go), over any Numbers,
// rational ones or float64, and so has every derivative without a rule of differentiation.
//
// Normalise (normalise.go) rewrites an operator by laws (rules_*.go) until derivatives and probes stand at its leaves. A law
// is a row of a table, with its number and its text, from which docs/ein.md is made. The parts of a term are rewritten before
// the term, and what became of a term is kept: the rules of differentiation duplicate pointers only. Sums are looked into by
// variables that depend on the sum alone (binders.go), so that the same sum is the same work. Split (split.go) takes the
// result apart for people; sizes.go counts.
//
// Expand (expand.go) is the way out: it turns operators in normal form into scalar definitions of ein and Samples of images,
// for parameters that a Binding (binding.go) says in scalar arithmetic. Components are unrolled to scalars (scalar.go), of
// which there is one each, images are asked for derivatives along their own axes (probe.go), and expressions are written with
// a local for each number that is used more than once (emit.go). A field that is composed with others, F ∘ G, is probed at a
// place that is computed, so samples are put into stages (stage.go). Inside (inside.go) is the test whether an operator can
// be probed at a place.
//
// There is no memory here, no symbolic size and no order of statements: ranges of indices are small constants.
package field
