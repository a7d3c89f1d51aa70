package source

// The codes of assignments.
const (
	CodeReducedAssign Code = "E0401"
	CodeUpdateWarning Code = "E0402"
	CodeUpdateFirst   Code = "E0403"
	CodeRepeatedIndex Code = "E0404"
	CodeScan          Code = "E0405"
	CodeArgTargets    Code = "E0406"
	CodeTooLarge      Code = "E0407"
)

var statementCodes = []CodeInfo{
	{
		Code:        CodeReducedAssign,
		Title:       "An index is reduced and = does not say how",
		Explanation: "An index that is not on the left has many values for each element of the target. A reduction says how they are combined.",
		Example:     "def f(float(N,M) A) -> (B) { B(i) = A(i,j) }",
		Fix:         "def f(float(N,M) A) -> (B) { B(i) +=! A(i,j) }",
	},
	{
		Code:        CodeUpdateWarning,
		Title:       "An output is updated that nothing has written (warning)",
		Explanation: "The operators without ! continue from the value that the target has. For an output that nothing has written this is the value that the caller gives: the output is an in-out argument.",
		Example:     "def f(float(N,M) A) -> (B) { B(i) += A(i,j) }",
		Fix:         "def f(float(N,M) A) -> (B) { B(i) +=! A(i,j) }",
	},
	{
		Code:        CodeUpdateFirst,
		Title:       "A temporary is updated before it has a value",
		Explanation: "The operators without ! continue from the value that the target has, and a new temporary has none.",
		Example:     "def f(float(N,M) A) -> (B) { t(i) += A(i,j)  B(i) = t(i) }",
		Fix:         "def f(float(N,M) A) -> (B) { t(i) +=! A(i,j)  B(i) = t(i) }",
	},
	{
		Code:        CodeRepeatedIndex,
		Title:       "An index stands twice on the left",
		Explanation: "A statement writes every element of its target once, so every dimension has an index of its own.",
		Example:     "def f(float(N) A) -> (B) { B(i,i) = A(i) }",
		Fix:         "def f(float(N) A) -> (B) { B(i,j) = i == j ? A(i) : 0 where exists A(j) }",
	},
	{
		Code:        CodeScan,
		Title:       "A scan is not possible here",
		Explanation: "A scan combines all values up to a position and keeps each prefix. It needs an operator, and the scanned index must be on the left.",
		Example:     "def f(float(N,M) A) -> (B) { B(i) scan(j) +=! A(i,j) }",
		Fix:         "def f(float(N,M) A) -> (B) { B(i,j) scan(j) +=! A(i,j) }",
	},
	{
		Code:        CodeArgTargets,
		Title:       "The targets do not fit the operator",
		Explanation: "argmin and argmax store one position for each reduced index, in the order in which these first occur on the right, and the value before them if there is one target more. All other operators have one target.",
		Example:     "def f(float(N,M) A) -> (P) { P(i,j) argmin=! A(i,j) }",
		Fix:         "def f(float(N,M) A) -> (P) { P(i) argmin=! A(i,j) }",
	},
	{
		Code:        CodeTooLarge,
		Title:       "A statement is too large",
		Explanation: "Lets are expanded where they are used in subscripts and boundary functions; lets of lets can grow beyond all bounds.",
		Fix:         "Compute parts of the statement in temporaries.",
	},
}
