package mdh

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// lawsOf tries the laws of the declared operators in ref. What is stated is not
// tried; the result of the trial is an error only where the law is needed.
func (c *instance) lawsOf(ref *syntax.OperatorRef, shape value) laws {
	all := laws{associative: true, commutative: true}
	if parts, ok := shape.(tuple); ok && len(ref.Parts) == len(parts) {
		for n, p := range ref.Parts {
			one := c.lawsOf(p, parts[n])
			all = laws{all.associative && one.associative, all.commutative && one.commutative, all.ordered || one.ordered}
		}
		return all
	}
	o := c.operators[ref.Name]
	if o == nil {
		return all
	}
	stated := assumed(c, o.Assumed, "associative", "commutative", "neutral")
	if !stated["neutral"] {
		c.checkIdentity(ref, o, shape)
	}
	if o.Ordered != nil {
		return laws{ordered: true}
	}
	combine := func(l, r value) value { return c.combine(ref, l, r) }
	sign := o.Name.Name
	all.associative = stated["associative"] || c.holds(o, shape, law{"associative", 3,
		fmt.Sprintf("%s(%s(a, b), c)", sign, sign), fmt.Sprintf("%s(a, %s(b, c))", sign, sign),
		func(x []value) (value, value) {
			return combine(combine(x[0], x[1]), x[2]), combine(x[0], combine(x[1], x[2]))
		}})
	if c.onlyScanned(ref) {
		all.commutative = stated["commutative"]
		return all
	}
	all.commutative = stated["commutative"] || c.holds(o, shape, law{"commutative", 2,
		fmt.Sprintf("%s(a, b)", sign), fmt.Sprintf("%s(b, a)", sign),
		func(x []value) (value, value) { return combine(x[0], x[1]), combine(x[1], x[0]) }})
	return all
}

// onlyScanned reports whether an operator stands in ps only, where the order is
// kept.
func (c *instance) onlyScanned(ref *syntax.OperatorRef) bool {
	scans := 0
	for _, m := range c.dims {
		if m.syntax.Op != nil && m.syntax.Kind == "pw" {
			return false
		}
		if m.syntax.Op != nil {
			scans++
		}
	}
	return scans == 1
}

// assumed checks the words behind assume.
func assumed(c *instance, words []syntax.Name, known ...string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		ok := false
		for _, k := range known {
			ok = ok || w.Name == k
		}
		if !ok {
			c.errorf(source.CodeMDHName, w.Pos, "%s is no law that can be stated here", w.Name).WithHelp("write: assume %s", joinWords(known))
		}
		set[w.Name] = true
	}
	return set
}

// holds tries a law of an operator and reports where it fails.
func (c *instance) holds(o *syntax.Operator, shape value, l law) bool {
	v := c.try(shape, l)
	switch {
	case v.broken:
		c.errorf(source.CodeMDHLaw, o.Name.Pos, "the operator %s is not %s", o.Name.Name, l.name).
			WithNote(source.Span{}, "%s", v.example).
			WithHelp("mend it; or write 'ordered' behind it if it is meant to run from the first index to the last, 'assume %s' if the law holds for all values that occur", l.name)
	case v.undecided:
		c.errorf(source.CodeMDHUndecidable, o.Name.Pos, "it cannot be decided whether the operator %s is %s: no random values give a finite result", o.Name.Name, l.name).
			WithHelp("state it: assume %s", l.name)
	}
	return !v.broken && !v.undecided
}

// checkIdentity tries that the identity changes nothing.
func (c *instance) checkIdentity(ref *syntax.OperatorRef, o *syntax.Operator, shape value) {
	if o.Identity == nil {
		return
	}
	e, _ := c.identity(ref, shape)
	v := c.try(shape, law{"identity", 1, o.Name.Name + "(identity, a)", "a", func(x []value) (value, value) { return c.combine(ref, e, x[0]), x[0] }})
	if v.broken {
		c.errorf(source.CodeMDHLaw, o.Identity.Span(), "the identity of %s changes a value", o.Name.Name).WithNote(source.Span{}, "%s", v.example).
			WithHelp("give the value e for which %s(e, a) is always a, or none; or write 'assume neutral' if that holds for all values that occur", o.Name.Name)
	}
}

// requireLaws reports an ordered operator beside another combined dimension. The
// laws of other operators were reported when they were tried.
func (c *instance) requireLaws(m *dimension) {
	if m.op.laws.ordered && c.syntax.Hom.Ordered == nil && len(c.combined()) > 1 {
		c.errorf(source.CodeMDHExchange, m.syntax.Pos, "%s is ordered, and there is another combined dimension", m.op.key).
			WithHelp("write md_hom<…>(…, (…), ordered): the last dimension is combined first")
	}
}

// combined lists the dimensions of pw and ps.
func (c *instance) combined() []*dimension {
	var list []*dimension
	for _, m := range c.dims {
		if m.syntax.Op != nil {
			list = append(list, m)
		}
	}
	return list
}
