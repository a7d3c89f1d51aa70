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
	CodeRecurrence    Code = "E0408"
	CodeOld           Code = "E0409"
	CodeHole          Code = "E0410"
	CodeHidden        Code = "E0411"
	CodeApart         Code = "E0412"
	CodeRepeated      Code = "E0415"
	CodeReadEarly     Code = "E0416"
	CodePositionOrder Code = "E0417"
	CodeSummedDivisor Code = "E0418"
	CodeAfresh        Code = "E0419"
	CodeComparedZero  Code = "E0421"
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
	{
		Code:  CodeRecurrence,
		Title: "A statement reads what it writes at another point (warning)",
		Explanation: "A statement computes all its values from what the tensors held before it, and then writes them. So y(i) = y(i-1) + x(i) adds the old left neighbour and is no recurrence, " +
			"as a loop would be. A running sum, product, minimum or maximum is a scan; other recurrences take an ordered operator of MDH. Where the value before the statement is meant, old(y)(i-1) says so.",
		Example: "def f(float(N) x) -> (y) { y(i) = x(i)  y(i) = y(i-1) + x(i) where i in 1:N }",
		Fix:     "def f(float(N) x) -> (y) { y(i) scan(i) +=! x(i) }",
	},
	{
		Code:        CodeOld,
		Title:       "There is no old value",
		Explanation: "old(y)(i-1) is what y held before the statement. It says that this value is meant where the statement writes y, or where y is an output that nothing has written yet; any other tensor has one value only.",
		Example:     "def f(float(N) x) -> (y) { y(i) = old(x)(i-1) }",
		Fix:         "def f(float(N) x) -> (y) { y(i) = x(i-1) }",
	},
	{
		Code:  CodeHole,
		Title: "A part of a tensor has no value",
		Explanation: "Several statements may each write a part of a tensor, with ranges in their where clauses. Together they write all of an output, and what a statement reads has been written by one before it. " +
			"The shape is that of the declaration, or reaches from the first to the last of the ranges.",
		Example: "def f(float(N) A) -> (float(N) B) { B(i) = 0.0 where i in 0:1  B(i) = A(i) where i in 2:N }",
		Fix:     "def f(float(N) A) -> (float(N) B) { B(i) = 0.0 where i in 0:1  B(i) = A(i) where i in 1:N }",
	},
	{
		Code:        CodeHidden,
		Title:       "What a statement writes is overwritten (warning)",
		Explanation: "Later statements write all that this one has written before anything reads it, so that it has no effect.",
		Example:     "def f(float(N) A) -> (B) { B(i) = 0.0 where i in 0:N  B(i) = A(i) }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) }",
	},
	{
		Code:  CodeApart,
		Title: "Two factors or operands have reduced indices of their own (warning)",
		Explanation: "Every name in a subscript that nothing declares is an index. Where each of two factors has one that the other has not, the sum over both is the product of two sums; " +
			"when both run over the same range, the two names are often meant to be one. So they are in fabs(x(i) - y(k)), where all pairs of elements meet; an explicit range says that this is meant.",
		Example: "def f(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(l,j) }",
		Fix:     "def f(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }",
	},
	{
		Code:  CodeRepeated,
		Title: "A term of a sum is added again and again (warning)",
		Explanation: "A statement sums all of its value: a term that does not depend on a reduced index is added once for each of its values. " +
			"That is seldom meant of a bias, or of two terms with an index each. Parentheses around the whole value say that it is.",
		Example: "def f(float(M,K) W, float(K) x, float(M) b) -> (y) { y(i) +=! W(i,k)*x(k) + b(i) }",
		Fix:     "def f(float(M,K) W, float(K) x, float(M) b) -> (y) { y(i) +=! W(i,k)*x(k)  y(i) = y(i) + b(i) }",
	},
	{
		Code:  CodeReadEarly,
		Title: "An output is read before it is computed (warning)",
		Explanation: "An output that is read before a statement has written it is an in-out argument: the caller gives its old value. Where a later statement replaces all of it by what comes of inputs alone, " +
			"the statements probably stand in the wrong order. old(t)(i) says that the value that the caller gives is meant.",
		Example: "def f(float(N) x) -> (y, t) { y(i) = 2 * t(i)  t(i) = x(i) + 1 }",
		Fix:     "def f(float(N) x) -> (y, t) { t(i) = x(i) + 1  y(i) = 2 * t(i) }",
	},
	{
		Code:  CodePositionOrder,
		Title: "Positions are in another order than the indices of an access (warning)",
		Explanation: "The positions that argmin and argmax store are in the order in which the reduced indices first occur on the right. Where a factor in front changes that order, positions that are called row and column would be exchanged. " +
			"A value that begins with the access which has all of the indices says the order.",
		Example: "def f(float(M,N) A, float(N) w) -> (v, r, c) { (v, r, c) argmax=! w(j) * A(i,j) }",
		Fix:     "def f(float(M,N) A, float(N) w) -> (v, r, c) { (v, r, c) argmax=! A(i,j) * w(j) }",
	},
	{
		Code:  CodeSummedDivisor,
		Title: "Quotients are summed over the index of the divisor (warning)",
		Explanation: "A sum adds its whole value for each value of an index that is not on the left. Where such an index stands in a divisor only, the sum is that of the quotients, " +
			"and the quotient by a sum, as in the softmax, takes two statements.",
		Example: "def f(float(N) x) -> (y) { y(i) +=! exp(x(i)) / exp(x(j)) }",
		Fix:     "def f(float(N) x) -> (y) { s +=! exp(x(j))  y(i) = exp(x(i)) / s }",
	},
	{
		Code:  CodeAfresh,
		Title: "A scan begins afresh behind a value (warning)",
		Explanation: "A scan with ! starts from the identity at the first value of its index. What other statements have written before that place is no part of its sums; " +
			"a scan that has an initial value takes it as its first summand.",
		Example: "def f(float p0, float(N) v) -> (p) { p(0) = p0  p(i) scan(i) +=! v(i-1) where i in 1:N+1 }",
		Fix:     "def f(float p0, float(N) v) -> (p) { p(i) scan(i) +=! i == 0 ? p0 : v(i-1) where i in 0:N+1 }",
	},
	{
		Code:  CodeComparedZero,
		Title: "A 0 that was to be nothing is compared (warning)",
		Explanation: "A sum may add 0 for what a condition leaves out. A maximum compares that 0, so that it is never below 0, and a minimum is never above. " +
			"What leaves the result as it is is the value that the reduction starts from: -1.0/0 for a maximum of floats, 1.0/0 for a minimum, and the smallest and largest number of an integer type.",
		Example: "def f(float(N) x, int(N) g, float(K) w) -> (m) { m(k) max=! g(i) == k ? x(i)*w(k) : 0 }",
		Fix:     "def f(float(N) x, int(N) g, float(K) w) -> (m) { m(k) max=! g(i) == k ? x(i)*w(k) : -1.0/0 }",
	},
}
