package loop

// Wide makes a value as wide as a vector.
func Wide(e Expr, lanes int) Expr {
	if lanes > 1 && e.Type().Lanes == 1 {
		return &Broadcast{X: e, Lanes: lanes}
	}
	return e
}

// EquallyWide gives operands the lanes of the widest one.
func EquallyWide(list ...Expr) []Expr {
	lanes := 1
	for _, e := range list {
		lanes = max(lanes, e.Type().Lanes)
	}
	wide := make([]Expr, len(list))
	for i, e := range list {
		wide[i] = Wide(e, lanes)
	}
	return wide
}
