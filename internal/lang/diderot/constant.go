package diderot

import (
	"math/big"

	"github.com/ricci-lang/ricci/internal/field"
)

// rational is the operator of a number.
func (l *lowering) rational(r *big.Rat) *field.Operator {
	return l.store.Operator(nil, l.store.Rational(r))
}

// known is the operator of a generic operator applied to what is made of literals, as 3.0*sqrt(6.0) and
// identity[3] are; nil where an operand is not. Numbers of fields are exact until code is made of them, and
// what is zero, or δ, is seen by the rules.
func (l *lowering) known(name string, numbers []int, args ...value) *field.Operator {
	operators, types := make([]*field.Operator, len(args)), make([]field.Type, len(args))
	for k, a := range args {
		if a.constant == nil {
			return nil
		}
		operators[k], types[k] = a.constant, field.TensorOf(a.typ.Shape...)
	}
	if name == "div" && operators[1].Body.Op == field.Rational && operators[1].Body.Value.Sign() == 0 {
		return nil // ∞ and nan are no numbers of fields
	}
	outer, err := l.store.Generic(name, types, numbers...)
	if err != nil {
		return nil
	}
	o, err := l.store.Apply(outer, operators...)
	if err != nil {
		return nil
	}
	return o
}
