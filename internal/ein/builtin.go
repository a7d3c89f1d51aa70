package ein

// A Builtin is a row of the table of scalar functions. Every notation, the
// evaluator, the code generators and the documentation read the same table.
type Builtin struct {
	Name  string
	Arity int
	Doc   string // one line with the formula and the domain
}
