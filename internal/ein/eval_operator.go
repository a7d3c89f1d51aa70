package ein

// A Number is a component of a value of an operator: Float counts for floats, Int for
// bool and integers, where an uint64 keeps its bits.
type Number struct {
	Int   int64
	Float float64
}

// CompileOperator returns the function that an operator is, in the exact arithmetic of
// Evaluate: it combines two tuples into result, which may be one of them.
func CompileOperator(o *Operator) (combine func(left, right, result []Number), err error) {
	c := &compiler{ev: &evaluator{arithmetic: exact{}}, of: &Comprehension{}, locals: map[*Local]int{}}
	b := c.combiner(o, len(o.Left))
	if c.err != nil {
		return nil, c.err
	}
	m := &machine{local: make([]value, len(c.locals))}
	arity := int64(len(o.Left))
	cells := func(list []Number) view {
		v := view{cells: make([]cell, arity), step: 1}
		for k, n := range list {
			v.cells[k].value = value{i: n.Int, f: n.Float}
		}
		return v
	}
	return func(left, right, result []Number) {
		out := cells(nil)
		b.apply(m, 1, cells(left), cells(right), out)
		for k := range result {
			result[k] = Number{out.cells[k].i, out.cells[k].f}
		}
	}, nil
}
