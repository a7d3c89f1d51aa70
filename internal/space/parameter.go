// Package space describes what a tuner may choose: parameters whose values depend
// on one another, every combination valid, counted and addressable by a number.
package space

// A Parameter is one decision.
type Parameter struct {
	Name string
	// Values lists the values that the parameter can take after the choices of the
	// parameters before it in its group, given in their order. An empty list means
	// that the choices so far lead nowhere. It must be a function of prefix alone,
	// which it neither keeps nor changes, and its values distinct.
	Values func(prefix []int64) []int64
	// Uses names the earlier parameters of the group that Values looks at, so that
	// equal parts of the tree are counted once; nil means all of them, and an empty
	// list none. Large groups need it: without it every path is walked.
	Uses []string
	// Text shows a value to a person; nil shows the number.
	Text func(value int64) string
}

// A Group is a list of parameters that depend on one another: a tree whose paths
// are the valid combinations. Parameters of different groups are independent, so
// a space is the product of its groups (Rasch et al., ATF: chain of trees).
type Group []Parameter
