package loop

// isBetween reports whether a cast of a vector may be made by way of another type: an integer that has room for all
// values of the result, and less than what they are made of.
func (e *Cast) isBetween() bool {
	from := e.X.Type()
	return from.Lanes > 1 && e.To.IsInteger() && e.By.IsInteger() && e.To.Size() < e.By.Size() && e.By.Size() < from.Elem.Size() && (from.Elem.IsInteger() || from.Elem.IsFloat())
}
